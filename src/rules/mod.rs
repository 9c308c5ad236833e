//! The rules of the family: boards, rule sets, positions, turns.
//!
//! Rules are data: one [`Rules`] value answers every question the rest of the crate has, so no
//! other module names a game. Depends on the standard library alone (and on `thiserror` for the
//! text of errors).

mod board;
mod position;
mod removing;
mod ruleset;
mod sentences;
mod turn;
mod why_not;

pub use board::{Board, BoardKind, Mask, Point, points_of};
pub use position::{Color, Position, PositionError};
pub use ruleset::{Flying, NAMES, OPTIONS, OptionHelp, Protected, Rules, RulesError, Verdict};
pub(crate) use sentences::{counted_men, list, mill_list};
pub use turn::{Ending, Outcome, Turn};
pub use why_not::Illegal;
