//! What the rules alone say of a position: phase, turns, mills, who may fly, what may be removed,
//! and, for a turn or removal that is asked about, legal or why not.
//!
//! Needs no database, and takes positions in the middle of a turn and positions that no game
//! reaches. Invariant: every list, number and sentence of an [`Inspection`] follows from
//! [`Rules`], whatever the options; none knows a rule of its own.

mod answers;
mod unreachable;

use crate::notation::{Reading, format_removals, format_turn};
use crate::rules::{Color, Mask, Outcome, Point, Position, Rules, Turn, Verdict, points_of};
use answers::judge;
use serde::{Serialize, Serializer};
use unreachable::{unreachable, unreachable_owed};

pub use answers::Answers;

/// Where a game stands, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The side to move has men in hand.
    Placing,
    /// All its men are placed.
    Moving,
    /// The game has ended.
    Over,
}

/// One of something for each colour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByColor<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> ByColor<T> {
    fn new(mut of: impl FnMut(Color) -> T) -> ByColor<T> {
        ByColor { white: of(Color::White), black: of(Color::Black) }
    }
}

/// What is asked about beside the position itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A whole turn.
    Turn(Turn),
    /// Removals alone: what completes a turn half played, or men of whom a player wonders whether
    /// they could be removed.
    Removal(Mask),
}

/// A placement or move that closes two mills or three at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoubleMill {
    /// The placement or move, without its removals.
    pub turn: String,
    /// The lines it fills.
    pub mills: Vec<Vec<&'static str>>,
    /// Men it removes.
    pub takes: usize,
}

/// Everything [`inspect`] finds, as the command's JSON. Points are named; lists of points are sorted
/// by name.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// Removals that the side to move still owes.
    #[serde(skip_serializing_if = "is_zero")]
    pub owed: u8,
    /// Placing, moving or over.
    pub phase: Phase,
    /// Why the game is over, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// What a finished game is for the side to move: `loss` or `draw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// Players who may fly at their turn, once any removal owed is made.
    #[serde(serialize_with = "names_of_colors")]
    pub flying: Vec<Color>,
    /// Legal turns, in the order of [`Rules::turns`]; in the middle of a turn, what completes it.
    pub turns: Vec<String>,
    /// Full lines on the board.
    pub mills: ByColor<Vec<Vec<&'static str>>>,
    /// Men that the opponent could not remove now.
    pub protected: ByColor<Vec<&'static str>>,
    /// Men of whom the opponent could remove one now, if it closed a mill.
    pub removable: ByColor<Vec<&'static str>>,
    /// Men of the side to move that can go nowhere, though it may move.
    pub blocked: Vec<&'static str>,
    /// Legal turns that close more than one mill.
    pub double_mills: Vec<DoubleMill>,
    /// Proofs that no game from the start reaches this position.
    pub unreachable: Vec<String>,
    /// The same and more in sentences.
    pub answers: Answers,
    /// Of a question: is it a legal turn, or does it complete this one?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<bool>,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it does, if it is legal and does more than put a man somewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

fn names_of_colors<S: Serializer>(colors: &[Color], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(colors.iter().map(|color| color.name()))
}

/// Looks at a position, and at a turn or removal if one is asked about.
///
/// # Examples
/// ```
/// use merels::{inspect::{Phase, inspect}, rules::{Position, Rules}};
/// let rules = Rules::named("nine")?;
/// let seen = inspect(&rules, &Position::start(&rules).into(), None);
/// assert_eq!((seen.phase, seen.turns.len()), (Phase::Placing, 24));
/// # Ok::<(), merels::rules::RulesError>(())
/// ```
pub fn inspect(rules: &Rules, reading: &Reading, question: Option<&Question>) -> Inspection {
    let sight = Sight::new(rules, reading);
    let position = &reading.position;
    let judgement = question.map(|question| judge(&sight, question));
    let verdict = sight.outcome().map(|outcome| match outcome.verdict {
        Verdict::Loses => "loss",
        Verdict::Draws => "draw",
    });
    Inspection {
        owed: reading.owed,
        phase: sight.phase(),
        ending: sight.ending(),
        verdict,
        flying: [Color::White, Color::Black].into_iter().filter(|&c| sight.may_fly(c)).collect(),
        turns: sight.choices(),
        mills: ByColor::new(|color| named_lines(rules, position.men[color as usize])),
        protected: ByColor::new(|color| rules.point_names(rules.protected_men(position, color))),
        removable: ByColor::new(|color| rules.point_names(sight.removable(color))),
        blocked: rules.point_names(sight.blocked()),
        double_mills: sight.double_mills(),
        unreachable: match reading.owed {
            0 => unreachable(rules, position),
            owed => unreachable_owed(rules, position, usize::from(owed)),
        },
        answers: Answers::new(&sight),
        legal: judgement.as_ref().map(Result::is_ok),
        effect: judgement.as_ref().and_then(|judged| judged.as_ref().ok().cloned().flatten()),
        reason: judgement.and_then(Result::err),
    }
}

/// A position under its rules, and what more than one answer needs of it.
struct Sight<'a> {
    rules: &'a Rules,
    position: &'a Position,
    /// Removals the side to move still owes.
    owed: usize,
    /// Legal turns; none in the middle of a turn.
    turns: Vec<Turn>,
    /// What completes a turn half played; none at a turn boundary.
    removals: Vec<Mask>,
}

impl<'a> Sight<'a> {
    fn new(rules: &'a Rules, reading: &'a Reading) -> Sight<'a> {
        let (position, owed) = (&reading.position, usize::from(reading.owed));
        let mut removals = Vec::new();
        let turns = match owed {
            0 => rules.turns(position),
            _ => {
                rules.for_removal_sets(position.enemy(), owed, &mut |set| removals.push(set));
                Vec::new()
            }
        };
        Sight { rules, position, owed, turns, removals }
    }

    /// How the game ended; a turn half played keeps it going.
    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome(self.position).filter(|_| self.owed == 0)
    }

    fn ending(&self) -> Option<String> {
        self.rules.why_over(self.position).filter(|_| self.owed == 0)
    }

    fn phase(&self) -> Phase {
        match self.position.own_hand() {
            _ if self.outcome().is_some() => Phase::Over,
            0 => Phase::Moving,
            _ => Phase::Placing,
        }
    }

    /// The men as they stand when the next turn begins: any removal owed is made, whichever man it
    /// takes, because the answers from here only count them.
    fn next_turn(&self) -> Position {
        match self.removals.first() {
            Some(&removed) => self.rules.play_removals(self.position, removed),
            None => *self.position,
        }
    }

    fn why_no_flight(&self, color: Color) -> Option<String> {
        match self.outcome() {
            Some(_) => Some("the game is over".to_string()),
            None => self.rules.why_no_flight(&self.next_turn(), color),
        }
    }

    fn may_fly(&self, color: Color) -> bool {
        self.why_no_flight(color).is_none()
    }

    fn choices(&self) -> Vec<String> {
        let removals = self.removals.iter();
        let removals = removals.map(|&set| format_removals(self.rules.board(), set));
        self.turns.iter().map(|turn| format_turn(self.rules, turn)).chain(removals).collect()
    }

    fn removable(&self, color: Color) -> Mask {
        match self.rules.most_removals() {
            0 => 0,
            _ => self.rules.removable(self.position.men[color as usize]),
        }
    }

    /// Men of the side to move with nowhere to go. Who must place or has a turn half played is not
    /// blocked, however its men stand.
    fn blocked(&self) -> Mask {
        if self.owed > 0 || !self.rules.may_move(self.position.own_hand()) {
            return 0;
        }
        let stuck = |&from: &Point| self.rules.destinations(self.position, from) == 0;
        points_of(self.position.own()).filter(stuck).fold(0, |men, man| men | 1 << man)
    }

    fn double_mills(&self) -> Vec<DoubleMill> {
        let mut found: Vec<DoubleMill> = Vec::new();
        for turn in self.turns.iter().filter(|_| self.rules.most_removals() > 0) {
            let through = self.rules.board().lines_through(turn.to).iter().copied();
            let own = turn.own_after(self.position);
            let mills: Vec<Mask> = through.filter(|line| own & line == *line).collect();
            let text = format_turn(self.rules, &Turn { removed: 0, ..*turn });
            // Turns that differ in their removals only follow each other.
            if mills.len() < 2 || found.last().is_some_and(|last| last.turn == text) {
                continue;
            }
            let mills = mills.into_iter().map(|line| self.rules.point_names(line)).collect();
            found.push(DoubleMill { turn: text, mills, takes: turn.removed.count_ones() as usize });
        }
        found
    }
}

fn named_lines(rules: &Rules, men: Mask) -> Vec<Vec<&'static str>> {
    full_lines(rules, men).into_iter().map(|line| rules.point_names(line)).collect()
}

fn full_lines(rules: &Rules, men: Mask) -> Vec<Mask> {
    rules.board().lines().iter().copied().filter(|line| men & line == *line).collect()
}
