//! Recomputes the value of a position from its turns, one by one.
//!
//! Written to be seen right: [`Rules::for_each_turn`], [`Rules::play`], and the slot where the turn
//! leads. The fast way of [`row`](super::row) is held against this one.
//! Invariant: shares nothing with the fast way but the tables.

use super::load::{ByTurn, Stored, Tables, View};
use super::worth::worth;
use crate::rules::{Position, Rules, Verdict};
use crate::storage::Metric;
use crate::value::{Code, Value};
use std::sync::Arc;

/// Recomputes positions of one table.
pub struct Plain<'a> {
    rules: &'a Rules,
    successors: &'a ByTurn<Option<Arc<Stored<'a>>>>,
    metric: Metric,
    /// For turns that remove nothing, and for those that remove men.
    ranks: [Ranks; 2],
}

/// Where a turn leads: its kind, the men it removes, and the slot in that successor.
pub type Place = (usize, usize, u64);

/// By code of either width: [`Value::rank`] of a turn, for the player who makes it, to a position of
/// that code.
struct Ranks {
    one: Vec<i64>,
    two: Vec<i64>,
}

impl Ranks {
    fn new(metric: Metric, removes: bool) -> Ranks {
        let turn = |successor| worth(metric, removes, successor).rank();
        Ranks { one: ranks_of::<u8>(turn), two: ranks_of::<u16>(turn) }
    }

    /// The rank of a turn that leads to a slot.
    fn of(&self, stored: &Stored, slot: u64) -> i64 {
        match stored.codes.view() {
            View::One(codes) => self.one[usize::from(codes[slot as usize])],
            View::Two(codes) => self.two[usize::from(codes[slot as usize])],
        }
    }
}

fn ranks_of<C: Code>(turn: impl Fn(Value) -> i64) -> Vec<i64> {
    let rank = |number: u32| C::of(number).value().map_or(i64::MIN, &turn);
    (0..2 * C::DRAW.number()).map(rank).collect()
}

impl<'a> Plain<'a> {
    /// For positions of the table that `tables` were loaded for.
    pub fn new(rules: &'a Rules, tables: &'a Tables<'a>) -> Plain<'a> {
        let metric = tables.metric();
        let ranks = [false, true].map(|removes| Ranks::new(metric, removes));
        Plain { rules, successors: &tables.successors, metric, ranks }
    }

    /// The best that any turn leads to, or what the rules say of a game without one.
    ///
    /// All slots are worked out before the first is read: reads that do not wait for each other
    /// overlap, and most of them miss every cache.
    pub fn recompute(&self, position: &Position, slots: &mut Vec<Place>) -> Value {
        slots.clear();
        let mut best = None;
        self.rules.for_each_turn(position, &mut |turn| {
            let next = self.rules.play(position, &turn);
            let kind = usize::from(turn.from.is_none());
            let removed = turn.removed.count_ones() as usize;
            match &self.successors[kind][removed] {
                Some(stored) => slots.push((kind, removed, stored.layout.slot_of(&next))),
                None => {
                    let worth = worth(self.metric, removed > 0, self.ended(&next));
                    best = best.max(Some(worth.rank()));
                }
            }
        });
        for &(kind, removed, slot) in slots.iter() {
            let ranks = &self.ranks[usize::from(removed > 0)];
            let stored = self.successors[kind][removed].as_ref();
            best = best.max(stored.map(|stored| ranks.of(stored, slot)));
        }
        best.map_or_else(|| self.ended(position), Value::of_rank)
    }

    fn ended(&self, position: &Position) -> Value {
        let outcome = self.rules.outcome(position).expect("a position without turns is ended");
        match outcome.verdict {
            Verdict::Loses => Value::Loss(0),
            Verdict::Draws => Value::Draw,
        }
    }
}
