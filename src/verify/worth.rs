//! What a turn is worth, from the value of the position it leads to.
//!
//! Stated here once more, from the definition at the top of `value.rs`, so that a mistake in the
//! solver's way to put it shows as a difference.
//! Invariant: the worse for the opponent, the better, or no worse.

use crate::value::{Distance, Value};

/// A turn's worth to the player who makes it; `removes` says whether it takes a man off the board.
pub fn worth(distance: Distance, removes: bool, successor: Value) -> Value {
    let converts = removes && distance == Distance::Conversion;
    match successor {
        // The winner's removal is what is counted to; the loser's does not put it off.
        Value::Loss(_) if converts => Value::Win(1),
        Value::Win(_) if converts => Value::Loss(0),
        Value::Loss(plies) => Value::Win(plies + 1),
        Value::Win(plies) => Value::Loss(plies + 1),
        Value::Draw => Value::Draw,
    }
}
