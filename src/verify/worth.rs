//! What a turn is worth, from the value of the position it leads to.
//!
//! Stated here once more, from the definition at the top of `value.rs`, so that a mistake in the
//! solver's way to put it shows as a difference.
//! Invariant: the worse for the opponent, the better, or no worse.

use crate::storage::Metric;
use crate::value::Value;

/// A turn's worth to the player who makes it, in tables that tell so much; `removes` says whether it
/// takes a man off the board.
pub fn worth(metric: Metric, removes: bool, successor: Value) -> Value {
    let converts = removes && metric == Metric::Conversion;
    let worth = match successor {
        // The winner's removal is what is counted to; the loser's does not put it off.
        Value::Loss(_) if converts => Value::Win(1),
        Value::Win(_) if converts => Value::Loss(0),
        Value::Loss(plies) => Value::Win(plies + 1),
        Value::Win(plies) => Value::Loss(plies + 1),
        Value::Draw => Value::Draw,
    };
    if metric == Metric::Outcome { worth.outcome() } else { worth }
}
