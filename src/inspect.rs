//! What the rules alone say of a position: phase, turns, mills, who may fly, and whether a game
//! can have led here.
//!
//! Needs no database. Positions that no game reaches have exact values too, so they are accepted;
//! this file owns the proofs that tell them. Invariant: [`Inspection::unreachable`] holds proofs
//! only. An empty list means that none of the cheap ones applies, not that a game exists.

use crate::rules::{Color, Illegal, Mask, Point, Position, Protected, Rules, Turn, points_of};
use serde::Serialize;

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

/// Everything [`inspect`] finds. Points are named; lists of points are sorted by name.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Placing, moving or over.
    pub phase: Phase,
    /// Why the game is over, if it is.
    pub ending: Option<String>,
    /// Players who may fly at their turn.
    pub flying: Vec<Color>,
    /// Legal turns, in the order of [`Rules::turns`].
    pub turns: Vec<Turn>,
    /// Full lines on the board.
    pub mills: ByColor<Vec<Vec<&'static str>>>,
    /// Men that the opponent could not remove now.
    pub protected: ByColor<Vec<&'static str>>,
    /// Men of the side to move when none of them can move and none may be placed.
    pub blocked: Vec<&'static str>,
    /// Proofs that no game from the start reaches this position.
    pub unreachable: Vec<String>,
    /// For a turn that was asked about: legal, or why not.
    pub judgement: Option<Result<(), Illegal>>,
}

/// [`Inspection`] as the command's JSON.
#[derive(Serialize)]
struct InspectionJson<'a> {
    phase: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'a str>,
    flying: Vec<&'static str>,
    turns: Vec<String>,
    mills: &'a ByColor<Vec<Vec<&'static str>>>,
    protected: &'a ByColor<Vec<&'static str>>,
    blocked: &'a [&'static str],
    unreachable: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Inspection {
    /// A value to serialise; `turn_text` writes a turn.
    pub fn to_json(&self, turn_text: impl Fn(&Turn) -> String) -> impl Serialize {
        let refusal = |judgement: &Result<(), Illegal>| judgement.as_ref().err().cloned();
        InspectionJson {
            phase: self.phase,
            ending: self.ending.as_deref(),
            flying: self.flying.iter().map(|color| color.name()).collect(),
            turns: self.turns.iter().map(turn_text).collect(),
            mills: &self.mills,
            protected: &self.protected,
            blocked: &self.blocked,
            unreachable: &self.unreachable,
            legal: self.judgement.as_ref().map(Result::is_ok),
            reason: self.judgement.as_ref().and_then(refusal).map(|illegal| illegal.to_string()),
        }
    }
}

/// Looks at a position, and at a turn if one is given.
///
/// # Examples
/// ```
/// use merels::{inspect::{Phase, inspect}, rules::{Position, Rules}};
/// let rules = Rules::named("nine")?;
/// let seen = inspect(&rules, &Position::start(&rules), None);
/// assert_eq!((seen.phase, seen.turns.len()), (Phase::Placing, 24));
/// # Ok::<(), merels::rules::RulesError>(())
/// ```
pub fn inspect(rules: &Rules, position: &Position, turn: Option<&Turn>) -> Inspection {
    let ending = rules.why_over(position);
    let phase = match position.own_hand() {
        _ if ending.is_some() => Phase::Over,
        0 => Phase::Moving,
        _ => Phase::Placing,
    };
    let flies = |&color: &Color| phase != Phase::Over && may_fly(rules, position, color);
    Inspection {
        phase,
        ending,
        flying: [Color::White, Color::Black].into_iter().filter(flies).collect(),
        turns: rules.turns(position),
        mills: ByColor::new(|color| mills(rules, position.men[color as usize])),
        protected: ByColor::new(|color| rules.point_names(rules.protected_men(position, color))),
        blocked: rules.point_names(blocked(rules, position)),
        unreachable: unreachable(rules, position),
        judgement: turn.map(|turn| rules.why_not(position, turn).map_or(Ok(()), Err)),
    }
}

/// Looks at a position in the middle of a turn: the side to move has placed or moved and owes
/// removals, which are no turns and so not listed.
pub fn inspect_owed(rules: &Rules, position: &Position, owed: usize) -> Inspection {
    Inspection {
        phase: if position.own_hand() > 0 { Phase::Placing } else { Phase::Moving },
        ending: None,
        flying: Vec::new(),
        turns: Vec::new(),
        // Who has a turn half played is not blocked, however its men stand.
        blocked: Vec::new(),
        unreachable: unreachable_owed(rules, position, owed),
        ..inspect(rules, position, None)
    }
}

fn may_fly(rules: &Rules, position: &Position, color: Color) -> bool {
    let (on_board, in_hand) = (position.on_board(color), position.hand[color as usize]);
    on_board > 0 && rules.may_move(in_hand) && rules.flies(on_board, in_hand)
}

fn mills(rules: &Rules, men: Mask) -> Vec<Vec<&'static str>> {
    full_lines(rules, men).into_iter().map(|line| rules.point_names(line)).collect()
}

fn full_lines(rules: &Rules, men: Mask) -> Vec<Mask> {
    rules.board().lines().iter().copied().filter(|line| men & line == *line).collect()
}

/// The men of a side that is to move and cannot, whatever else may have ended the game.
fn blocked(rules: &Rules, position: &Position) -> Mask {
    let stuck = |from: Point| rules.destinations(position, from) == 0;
    match position.own_hand() == 0 && points_of(position.own()).all(stuck) {
        true => position.own(),
        false => 0,
    }
}

/// Each cheap proof that no game from the empty board reaches `position`.
fn unreachable(rules: &Rules, position: &Position) -> Vec<String> {
    let mut proofs: Vec<String> = hands_out_of_step(rules, position).into_iter().collect();
    for color in [Color::White, Color::Black] {
        proofs.extend(lost_before(rules, position, color));
        match rules.line_wins() {
            true => proofs.extend(men_gone_without_removals(rules, position, color)),
            false => {
                proofs.extend(unpaid_mills(rules, position, color));
                proofs.extend(captures_without_mills(rules, position, color));
            }
        }
    }
    if rules.line_wins() && rules.board().in_mills(position.own()) != 0 {
        let who = position.side.title();
        proofs.push(format!("{who} is to move and already has a full line, which ended the game"));
    }
    proofs
}

/// The same in the middle of a turn: what a removal leads to is reached if this is.
fn unreachable_owed(rules: &Rules, position: &Position, owed: usize) -> Vec<String> {
    let own = position.own();
    let may_owe = |to: Point| rules.removals(rules.board().mills_through(own, to)) >= owed;
    let mut proofs = Vec::new();
    if !points_of(own).any(may_owe) {
        let who = position.side.title();
        proofs.push(match owed {
            1 => format!("{who} owes a removal but has no mill"),
            _ => format!("{who} owes {owed} removals but has no man in two mills"),
        });
    }
    let mut sets = Vec::new();
    rules.for_removal_sets(position.enemy(), owed, &mut |removed| sets.push(removed));
    let Some(&removed) = sets.first() else { return proofs };
    let condition = match removed {
        0 => "with nothing to remove".to_string(),
        _ => format!("once {} is removed", rules.point_names(removed).join(" and ")),
    };
    let after = unreachable(rules, &rules.play_removals(position, removed));
    proofs.extend(after.iter().map(|proof| format!("{condition}, {proof}")));
    proofs
}

/// Players alternate from White's first placement on, so hands go down in step.
fn hands_out_of_step(rules: &Rules, position: &Position) -> Option<String> {
    let placed = position.hand.map(|hand| rules.men() - hand);
    let whites_turn = position.side == Color::White;
    let possible = match rules.place_or_move() {
        // The first turn of each player can only be a placement; later ones may be moves.
        true => match placed {
            [0, 0] => whites_turn,
            [0, _] => false,
            [white, 0] => white == 1 && !whites_turn,
            _ => true,
        },
        false if position.hand == [0, 0] => true,
        false => placed[0] == placed[1] + u8::from(!whites_turn),
    };
    let [white, black] = position.hand;
    let side = position.side.title();
    (!possible).then(|| {
        format!(
            "with {side} to move, {white} white and {black} black men in hand cannot be: White places first and turns alternate"
        )
    })
}

/// A player down to two men loses at once, so only the side to move can stand there.
fn lost_before(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    let (total, least) = (position.total(color), rules.least_men());
    let who = color.title();
    if color != position.side {
        return (total < least).then(|| {
            format!("{who} has {total} men in all and has moved since: the game was over before")
        });
    }
    let fewest = least - rules.most_removals() as u8;
    (total < fewest)
        .then(|| format!("{who} has {total} men in all: the game was over with fewer than {least}"))
}

fn men_gone_without_removals(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    let missing = rules.men() - position.total(color);
    (missing > 0).then(|| {
        format!("{} misses {missing} of its men, and nothing is ever removed", color.title())
    })
}

/// Each closed mill was last closed by a turn that ended on one of its points and removed a man.
/// So at least as many enemy men are gone as the least number of points that meet all mills.
fn unpaid_mills(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    if rules.protected() == Protected::Always {
        // A mill may then have removed nothing.
        return None;
    }
    let mills = full_lines(rules, position.men[color as usize]);
    let closings = least_meeting(&mills);
    let missing = rules.men() - position.total(color.other());
    (closings > missing).then(|| {
        let (who, enemy) = (color.title(), color.other().title());
        let men = rules.men();
format!(
"{who}'s closed mills mean at least {closings} removed, but {enemy} misses {missing} of {men} men"
        )
    })
}

/// The least number of points that meet every line.
fn least_meeting(lines: &[Mask]) -> u8 {
    let Some(&first) = lines.first() else { return 0 };
    let without = |point: Point| -> Vec<Mask> {
        lines.iter().copied().filter(|line| line >> point & 1 == 0).collect()
    };
    let rest = points_of(first).map(|point| least_meeting(&without(point))).min();
    1 + rest.unwrap_or(0)
}

/// Before anyone moves, the third placement is the first that can close a mill.
fn captures_without_mills(rules: &Rules, position: &Position, color: Color) -> Option<String> {
    if rules.place_or_move() || position.hand == [0, 0] {
        return None;
    }
    let placed = rules.men() - position.hand[color as usize];
    let most = placed.saturating_sub(2) * rules.most_removals() as u8;
    let missing = rules.men() - position.total(color.other());
    (missing > most).then(|| {
        let (who, enemy) = (color.title(), color.other().title());
        format!(
            "{enemy} misses {missing} of its men, but {who}'s {placed} placements remove {most} at most"
        )
    })
}
