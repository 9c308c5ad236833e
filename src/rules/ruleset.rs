//! Rule sets: every choice the rules leave open, as data.
//!
//! One solver serves every game of the family because it asks a [`Rules`] value instead of
//! branching on a name. This file owns names, options, their validation, the canonical name (two
//! ways to write the same rules agree on it) and the fingerprint stored in database files.

use super::board::{Board, BoardKind};
use std::fmt;

/// Who may move to any empty point instead of a neighbouring one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flying {
    /// None in hand and exactly three on the board.
    AtThree,
    /// Exactly three men in all, hand included.
    AtThreeTotal,
    /// Nobody, ever.
    Never,
    /// Everybody, always.
    Always,
}

/// May a man in a mill be removed?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protected {
    /// Only when every enemy man on the board stands in a mill.
    UnlessAll,
    /// At any time: nothing is protected.
    Never,
    /// Never: a man in a mill is always protected.
    Always,
}

/// What ends a game in which the player to move is stuck, or the board is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The player to move loses.
    Loses,
    /// A draw.
    Draws,
}

/// A complete rule set: board, men and every option.
#[derive(Clone, Debug)]
pub struct Rules {
    board: Board,
    name: String,
    spec: Spec,
}

/// The choices themselves, comparable and hashable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spec {
    kind: BoardKind,
    diagonals: bool,
    men: u8,
    flying: Flying,
    two_for_double: bool,
    protected: Protected,
    no_move: Verdict,
    full_board: Verdict,
    place_or_move: bool,
    line_wins: bool,
    quiet_limit: Option<u32>,
}

/// Why a rule set cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// No rule set of that name.
    #[error("unknown rule set '{0}': known are {names}", names = NAMES.join(", "))]
    UnknownName(String),
    /// No option of that key.
    #[error("unknown rule option '{0}': known are {keys}", keys = OPTIONS.map(|o| o.key).join(", "))]
    UnknownOption(String),
    /// The option exists, the value does not.
    #[error("rule option {key}={value}: expected {expected}")]
    BadValue {
        /// The option's key.
        key: &'static str,
        /// The value given.
        value: String,
        /// What would have been understood.
        expected: &'static str,
    },
    /// Text that is not `key=value`.
    #[error("rule option '{0}' is not of the form key=value")]
    NotAnOption(String),
    /// Two values for one option.
    #[error("rule option {0} is given twice, with different values")]
    GivenTwice(&'static str),
    /// More men than the board can hold.
    #[error(
        "rule option men={men}: {total} men do not fit on {points} points; at most {most} each"
    )]
    TooManyMen {
        /// Men per player asked for.
        men: u8,
        /// Both players' men.
        total: usize,
        /// Points of the board.
        points: usize,
        /// The largest number that fits.
        most: usize,
    },
    /// The 16-point board has no diagonals.
    #[error("rule option diagonals=yes: the 16-point board has no diagonals")]
    NoDiagonals,
}

/// The named rule sets, in the order in which canonical names prefer them.
pub const NAMES: [&str; 9] = [
    "nine",
    "nine-noflying",
    "six",
    "twelve",
    "three",
    "three-orthogonal",
    "three-flying",
    "lasker",
    "morabaraba",
];

/// An option: its key and what its values may be, for help and error messages.
pub struct OptionHelp {
    /// The key of `--rule key=value`.
    pub key: &'static str,
    /// The values, in words.
    pub values: &'static str,
}

/// Every option, in canonical order.
pub const OPTIONS: [OptionHelp; 10] = [
    OptionHelp { key: "men", values: "a number from 3 to 12" },
    OptionHelp { key: "diagonals", values: "no or yes" },
    OptionHelp { key: "flying", values: "at-three, at-three-total, never or always" },
    OptionHelp { key: "double-mill", values: "one or two" },
    OptionHelp { key: "protected", values: "unless-all, never or always" },
    OptionHelp { key: "no-move", values: "loses or draws" },
    OptionHelp { key: "full-board", values: "draw or loses" },
    OptionHelp { key: "place-or-move", values: "no or yes" },
    OptionHelp { key: "line-wins", values: "no or yes" },
    OptionHelp { key: "quiet-limit", values: "none or a number from 1" },
];

/// The options that change values: all but the quiet limit, which belongs to a metric.
fn decisive_options() -> impl Iterator<Item = &'static OptionHelp> {
    OPTIONS.iter().filter(|option| option.key != "quiet-limit")
}

impl Spec {
    fn named(name: &str) -> Option<Spec> {
        let nine = Spec {
            kind: BoardKind::TwentyFour,
            diagonals: false,
            men: 9,
            flying: Flying::AtThree,
            two_for_double: false,
            protected: Protected::UnlessAll,
            no_move: Verdict::Loses,
            full_board: Verdict::Draws,
            place_or_move: false,
            line_wins: false,
            quiet_limit: None,
        };
        let three = Spec {
            kind: BoardKind::Nine,
            diagonals: true,
            men: 3,
            flying: Flying::Never,
            line_wins: true,
            ..nine
        };
        Some(match name {
            "nine" => nine,
            "nine-noflying" => Spec { flying: Flying::Never, ..nine },
            "six" => Spec { kind: BoardKind::Sixteen, men: 6, flying: Flying::Never, ..nine },
            "twelve" | "morabaraba" => Spec { diagonals: true, men: 12, ..nine },
            "three" => three,
            "three-orthogonal" => Spec { diagonals: false, ..three },
            "three-flying" => Spec { flying: Flying::Always, ..three },
            "lasker" => Spec { men: 10, place_or_move: true, ..nine },
            _ => return None,
        })
    }

    /// Sets an option and gives its key.
    fn set(&mut self, key: &str, value: &str) -> Result<&'static str, RulesError> {
        let option = OPTIONS.iter().find(|o| o.key == key);
        let option = option.ok_or_else(|| RulesError::UnknownOption(key.to_string()))?;
        let done = match key {
            "men" => {
                value.parse().ok().filter(|men| (3..=12).contains(men)).map(|men| self.men = men)
            }
            "diagonals" => yes_no(value).map(|yes| self.diagonals = yes),
            "place-or-move" => yes_no(value).map(|yes| self.place_or_move = yes),
            "line-wins" => yes_no(value).map(|yes| self.line_wins = yes),
            "flying" => by_text(&FLYING, value).map(|flying| self.flying = flying),
            "protected" => by_text(&PROTECTED, value).map(|protected| self.protected = protected),
            "double-mill" => by_text(&DOUBLE_MILL, value).map(|two| self.two_for_double = two),
            "no-move" => by_text(&NO_MOVE, value).map(|verdict| self.no_move = verdict),
            "full-board" => by_text(&FULL_BOARD, value).map(|verdict| self.full_board = verdict),
            _ => quiet_limit(value).map(|limit| self.quiet_limit = limit),
        };
        done.map(|()| option.key).ok_or_else(|| RulesError::BadValue {
            key: option.key,
            value: value.to_string(),
            expected: option.values,
        })
    }

    /// The value of an option as text.
    fn get(&self, key: &str) -> String {
        let yes_no = |yes: bool| if yes { "yes" } else { "no" };
        match key {
            "men" => return self.men.to_string(),
            "quiet-limit" => {
                return self.quiet_limit.map_or("none".to_string(), |limit| limit.to_string());
            }
            "diagonals" => yes_no(self.diagonals),
            "place-or-move" => yes_no(self.place_or_move),
            "line-wins" => yes_no(self.line_wins),
            "flying" => text_of(&FLYING, self.flying),
            "protected" => text_of(&PROTECTED, self.protected),
            "double-mill" => text_of(&DOUBLE_MILL, self.two_for_double),
            "no-move" => text_of(&NO_MOVE, self.no_move),
            "full-board" => text_of(&FULL_BOARD, self.full_board),
            _ => unreachable!("not an option key: {key}"),
        }
        .to_string()
    }

    fn validate(&self) -> Result<(), RulesError> {
        if self.kind == BoardKind::Sixteen && self.diagonals {
            return Err(RulesError::NoDiagonals);
        }
        let points = Board::new(self.kind, false).points();
        let total = 2 * usize::from(self.men);
        if total > points {
            return Err(RulesError::TooManyMen { men: self.men, total, points, most: points / 2 });
        }
        Ok(())
    }

    /// `base` followed by `+key=value` for each option that changes values and differs from it.
    fn describe(&self, base: &str) -> (usize, String) {
        let named = Spec::named(base).expect("a known name");
        let differs = decisive_options().filter(|o| self.get(o.key) != named.get(o.key));
        let parts: Vec<String> =
            differs.map(|o| format!("+{}={}", o.key, self.get(o.key))).collect();
        (parts.len(), format!("{base}{}", parts.concat()))
    }
}

const FLYING: [(&str, Flying); 4] = [
    ("at-three", Flying::AtThree),
    ("at-three-total", Flying::AtThreeTotal),
    ("never", Flying::Never),
    ("always", Flying::Always),
];
const PROTECTED: [(&str, Protected); 3] = [
    ("unless-all", Protected::UnlessAll),
    ("never", Protected::Never),
    ("always", Protected::Always),
];
const DOUBLE_MILL: [(&str, bool); 2] = [("one", false), ("two", true)];
const NO_MOVE: [(&str, Verdict); 2] = [("loses", Verdict::Loses), ("draws", Verdict::Draws)];
const FULL_BOARD: [(&str, Verdict); 2] = [("draw", Verdict::Draws), ("loses", Verdict::Loses)];

fn by_text<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

fn text_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|(_, v)| *v == value).expect("every value has a text").0
}

fn yes_no(text: &str) -> Option<bool> {
    by_text(&[("no", false), ("yes", true)], text)
}

fn quiet_limit(text: &str) -> Option<Option<u32>> {
    if text == "none" {
        return Some(None);
    }
    text.parse().ok().filter(|limit| *limit >= 1).map(Some)
}

impl Rules {
    /// The rule set of that name.
    ///
    /// # Errors
    /// [`RulesError::UnknownName`] names the known ones.
    pub fn named(name: &str) -> Result<Rules, RulesError> {
        Rules::with_options::<&str>(name, &[])
    }

    /// The rule set of that name, changed by `key=value` options in any order.
    ///
    /// # Errors
    /// Names the option and what was expected; two values for one option and a combination the board cannot hold are refused.
    ///
    /// # Examples
    /// ```
    /// let rules = merels::rules::Rules::with_options("six", &["flying=at-three"])?;
    /// assert_eq!(rules.name(), "six+flying=at-three");
    /// # Ok::<(), merels::rules::RulesError>(())
    /// ```
    pub fn with_options<S: AsRef<str>>(name: &str, options: &[S]) -> Result<Rules, RulesError> {
        let unknown = || RulesError::UnknownName(name.to_string());
        let mut spec = Spec::named(name).ok_or_else(unknown)?;
        let mut given: Vec<(&str, String)> = Vec::new();
        for option in options {
            let text = option.as_ref();
            let (key, value) =
                text.split_once('=').ok_or_else(|| RulesError::NotAnOption(text.to_string()))?;
            let key = spec.set(key.trim(), value.trim())?;
            // Compared as understood: men=04 is men=4.
            let value = spec.get(key);
            if given.iter().any(|(other, before)| *other == key && *before != value) {
                return Err(RulesError::GivenTwice(key));
            }
            given.push((key, value));
        }
        spec.validate()?;
        let closest = NAMES.iter().map(|base| (spec.describe(base), spec.kind_rank(base)));
        let ((_, name), _) = closest.min_by_key(|((n, _), rank)| (*rank, *n)).expect("names");
        Ok(Rules { board: Board::new(spec.kind, spec.diagonals), name, spec })
    }

    /// The rule set that a canonical name (`six+men=4`) writes out.
    ///
    /// # Errors
    /// As [`Rules::with_options`].
    pub fn parse(name: &str) -> Result<Rules, RulesError> {
        let mut parts = name.split('+');
        let base = parts.next().unwrap_or_default();
        Rules::with_options(base, &parts.collect::<Vec<_>>())
    }

    /// Canonical name: the nearest named set and what differs from it, `six+men=4`. Rule sets
    /// with equal names give every position equal values; the quiet limit is not part of it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An option as it is written, `flying=never`, for sentences that say what decides.
    pub(crate) fn option(&self, key: &str) -> String {
        format!("{key}={}", self.spec.get(key))
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Men in hand at the start, per player.
    pub fn men(&self) -> u8 {
        self.spec.men
    }

    /// A player to move with fewer men than this, hand included, has lost.
    pub fn least_men(&self) -> u8 {
        3
    }

    /// Who flies.
    pub fn flying(&self) -> Flying {
        self.spec.flying
    }

    /// May a player with that many men on the board and in hand move to any empty point?
    pub fn flies(&self, on_board: u8, in_hand: u8) -> bool {
        match self.spec.flying {
            Flying::AtThree => in_hand == 0 && on_board == 3,
            Flying::AtThreeTotal => on_board + in_hand == 3,
            Flying::Never => false,
            Flying::Always => true,
        }
    }

    /// May a player with that many men in hand move a man on the board?
    pub fn may_move(&self, in_hand: u8) -> bool {
        in_hand == 0 || self.spec.place_or_move
    }

    /// May a turn move a man while its owner has men in hand (lasker)?
    pub fn place_or_move(&self) -> bool {
        self.spec.place_or_move
    }

    /// Enemy men a turn removes that closes `mills` mills at once.
    pub fn removals(&self, mills: usize) -> usize {
        match mills {
            _ if self.spec.line_wins => 0,
            0 => 0,
            1 => 1,
            _ => 1 + usize::from(self.spec.two_for_double),
        }
    }

    /// Most men one turn can remove: 0, 1 or 2.
    pub fn most_removals(&self) -> usize {
        self.removals(2)
    }

    /// When a man in a mill is protected.
    pub fn protected(&self) -> Protected {
        self.spec.protected
    }

    /// What it means to have no legal turn.
    pub fn no_move(&self) -> Verdict {
        self.spec.no_move
    }

    /// What a board means that is full when the moving phase begins.
    pub fn full_board(&self) -> Verdict {
        self.spec.full_board
    }

    /// Does a full own line end the game at once?
    pub fn line_wins(&self) -> bool {
        self.spec.line_wins
    }

    /// Turns without a mill by each side that make a draw, for the rule-limited value only.
    pub fn quiet_limit(&self) -> Option<u32> {
        self.spec.quiet_limit
    }

    /// A hash (64-bit FNV-1a) of everything that changes values: all but the quiet limit.
    /// Database files store it, so that a table of other rules is never mistaken for ours.
    pub fn fingerprint(&self) -> u64 {
        let mut text = format!("merels rules 1; points={}", self.board.points());
        for option in decisive_options() {
            text += &format!("; {}={}", option.key, self.spec.get(option.key));
        }
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }
}

impl Spec {
    /// 0 when `base` is played on the same drawing, else 1: canonical names keep the board.
    fn kind_rank(&self, base: &str) -> u8 {
        u8::from(Spec::named(base).expect("a known name").kind != self.kind)
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.spec == other.spec
    }
}

impl Eq for Rules {}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_every_name_is_its_own_canonical_name_but_the_alias() {
        for name in NAMES {
            let expected = if name == "morabaraba" { "twelve" } else { name };
            assert_eq!(Rules::named(name).unwrap().name(), expected);
        }
    }

    #[test]
    fn test_two_ways_to_write_the_same_rules_agree() {
        let a = Rules::with_options("nine", &["flying=never"]).unwrap();
        let b = Rules::named("nine-noflying").unwrap();
        assert_eq!((a.name(), a.fingerprint()), (b.name(), b.fingerprint()));
        assert_eq!(Rules::parse(a.name()).unwrap(), a);
    }

    #[test]
    fn test_fingerprints_differ_for_every_option_but_the_quiet_limit() {
        let plain = Rules::named("nine").unwrap().fingerprint();
        let changed = [
            "men=8",
            "diagonals=yes",
            "flying=always",
            "double-mill=two",
            "protected=never",
            "no-move=draws",
            "full-board=loses",
            "place-or-move=yes",
            "line-wins=yes",
        ];
        let mut seen = vec![plain];
        for option in changed {
            let print = Rules::with_options("nine", &[option]).unwrap().fingerprint();
            assert!(!seen.contains(&print), "{option}");
            seen.push(print);
        }
        let limited = Rules::with_options("nine", &["quiet-limit=50"]).unwrap();
        assert_eq!(limited.fingerprint(), plain);
        assert_eq!(limited.name(), "nine");
    }

    #[test]
    fn test_bad_rules_are_refused_with_the_way_out() {
        let message = |name: &str, options: &[&str]| {
            Rules::with_options(name, options).unwrap_err().to_string()
        };
        assert!(message("ten", &[]).starts_with("unknown rule set 'ten': known are nine,"));
        assert!(message("nine", &["fly=yes"]).starts_with("unknown rule option 'fly'"));
        assert!(message("nine", &["men=13"]).contains("a number from 3 to 12"));
        assert!(message("nine", &["men=-1"]).contains("a number from 3 to 12"));
        assert!(message("six", &["men=9"]).contains("at most 8 each"));
        assert!(message("six", &["diagonals=yes"]).contains("no diagonals"));
        assert!(message("nine", &["men"]).contains("key=value"));
        assert!(message("nine", &["quiet-limit=0"]).contains("a number from 1"));
        let twice = message("six", &["men=4", "flying=never", "men=5"]);
        assert_eq!(twice, "rule option men is given twice, with different values");
        assert_eq!(Rules::parse("six+men=4+men=04").unwrap().name(), "six+men=4");
    }
}
