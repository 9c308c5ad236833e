//! What the rules say of a position in whole sentences: why a game is over, why nobody flies.
//!
//! Invariant: a sentence agrees with the predicate it explains; it is `None` exactly where there is
//! nothing to explain.

use super::board::{Mask, points_of};
use super::position::{Color, Position};
use super::ruleset::{Flying, Protected, Rules, Verdict};
use super::turn::{Ending, Outcome};

impl Rules {
    /// Why the game is over in this position and what that means, as a sentence; `None` while it
    /// goes on.
    pub fn why_over(&self, position: &Position) -> Option<String> {
        let outcome = self.outcome(position)?;
        Some(self.describe_ending(position, &outcome))
    }

    fn describe_ending(&self, position: &Position, outcome: &Outcome) -> String {
        let (mover, opponent) = (position.side.title(), position.side.other().title());
        let verdict = match outcome.verdict {
            Verdict::Loses => format!("{mover} has lost"),
            Verdict::Draws => "it is a draw".to_string(),
        };
        match outcome.ending {
            Ending::OpponentLine => {
                let lines = self.mill_names(position.enemy(), self.board().all());
                format!("{opponent} has the full line {}, so {verdict}", list(&lines))
            }
            Ending::FewMen => {
                let total = counted_men(usize::from(position.total(position.side)));
                format!("{mover} has {total}, fewer than {}, so {verdict}", self.least_men())
            }
            Ending::FullBoard => {
                format!("the board is full and no man is left in hand, so {verdict}")
            }
            Ending::NoTurn => {
                format!("{mover} is to move and has no legal turn, so {verdict}")
            }
        }
    }

    /// Why `color` may not fly at its turn, as far as its own men tell; `None` if it may.
    pub fn why_no_flight(&self, position: &Position, color: Color) -> Option<String> {
        let (on_board, in_hand) = (position.on_board(color), position.hand[color as usize]);
        let (who, total) = (color.title(), on_board + in_hand);
        if total < self.least_men() {
            let (men, least) = (counted_men(usize::from(total)), self.least_men());
            return Some(format!("{who} has {men} in all, and fewer than {least} lose"));
        }
        match self.flying() {
            Flying::Never => return Some("under these rules nobody flies".to_string()),
            _ if self.flies(on_board, in_hand) => {}
            Flying::AtThreeTotal => {
                return Some(format!(
                    "flying needs exactly three men, hand included: {who} has {total}"
                ));
            }
            _ => {
                let hand = match in_hand {
                    0 => String::new(),
                    _ => format!(" on the board and {in_hand} in hand"),
                };
                return Some(format!(
                    "flying needs exactly three men on the board and none in hand: {who} has {on_board}{hand}"
                ));
            }
        }
        if !self.may_move(in_hand) {
            let left = counted_men(usize::from(in_hand));
            return Some(format!("{who} must place first: {left} still in hand"));
        }
        (on_board == 0).then(|| format!("{who} has no man on the board"))
    }

    /// The men of `color` that the opponent could not remove now.
    pub fn protected_men(&self, position: &Position, color: Color) -> Mask {
        let men = position.men[color as usize];
        match self.protected() {
            Protected::Never => 0,
            _ if self.most_removals() == 0 => 0,
            _ => men & !self.removable(men),
        }
    }

    /// Names of points, in reading order of the names: a1, a4, a7, b2...
    pub(crate) fn point_names(&self, points: Mask) -> Vec<&'static str> {
        let mut names: Vec<_> = points_of(points).map(|point| self.board().name(point)).collect();
        names.sort_unstable();
        names
    }

    /// The full lines of `men` that meet `touching`, each as `a1 a4 a7`.
    pub(crate) fn mill_names(&self, men: Mask, touching: Mask) -> Vec<String> {
        let lines = self.board().lines().iter();
        let full = lines.filter(|&&line| men & line == line && line & touching != 0);
        full.map(|&line| self.point_names(line).join(" ")).collect()
    }
}

/// `1 man`, `3 men`.
pub(crate) fn counted_men(count: usize) -> String {
    match count {
        1 => "1 man".to_string(),
        _ => format!("{count} men"),
    }
}

/// Names with commas between them.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

/// `the mill a1 a4 a7`, `the mills a1 a4 a7, a7 d7 g7`.
pub(crate) fn mill_list(mills: &[String]) -> String {
    let word = if mills.len() == 1 { "the mill" } else { "the mills" };
    format!("{word} {}", list(mills))
}
