//! The value of the empty board by the men in hand: what each start of a game is worth.
//!
//! Where a player has too few men the rules know the value, and no table is needed.
//! Invariant: White is to move. Black to move is the same with hands and colours exchanged.

use crate::notation::Reading;
use crate::query::{Answer, Query, QueryError};
use crate::rules::{Color, Position};
use serde::{Deserialize, Serialize};

/// A start and its value, as given out in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// White's men in hand.
    pub white: u8,
    /// Black's men in hand.
    pub black: u8,
    /// "win", "draw" or "loss" for White, who is to move; none where the table is not there.
    pub value: Option<String>,
    /// Depth; none for a draw, or without depths.
    pub plies: Option<u32>,
    /// Is the depth known? Left out if it is, or if nothing is.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub depths: bool,
}

/// Every start that the rules have men for, White's men first.
///
/// # Errors
/// A file is damaged or foreign. A missing table is no error.
pub fn starts(query: &Query) -> Result<Vec<Start>, QueryError> {
    let men = query.rules().men();
    let hands = (0..=men).flat_map(|white| (0..=men).map(move |black| [white, black]));
    hands.map(|hand| start(query, hand)).collect()
}

fn start(query: &Query, hand: [u8; 2]) -> Result<Start, QueryError> {
    let [white, black] = hand;
    let board = Position { men: [0, 0], hand, side: Color::White };
    match query.answer(&Reading::from(board), None) {
        Ok(Answer { value, plies, depths, .. }) => {
            Ok(Start { white, black, value: Some(value), plies, depths })
        }
        Err(error) if error.is_missing() => {
            Ok(Start { white, black, value: None, plies: None, depths: true })
        }
        Err(error) => Err(error),
    }
}

fn yes() -> bool {
    true
}

fn is_yes(answer: &bool) -> bool {
    *answer
}
