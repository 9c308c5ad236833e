//! Recomputes the value of a position from its turns, one by one.
//!
//! Written to be seen right: [`Rules::for_each_turn`], [`Rules::play`], and the slot where the turn
//! leads. The fast way of [`row`](super::row) is held against this one.
//! Invariant: shares nothing with the fast way but the tables.

use super::load::{ByTurn, Stored, Tables, View, turned};
use crate::rules::{Position, Rules, Verdict};
use crate::storage::Metric;
use crate::value::{Code, Value};
use std::sync::Arc;

/// Recomputes positions of one table.
pub struct Plain<'a> {
    rules: &'a Rules,
    successors: &'a ByTurn<Option<Arc<Stored<'a>>>>,
    ranks: [Ranks; 2],
}

/// Where a turn leads: its kind, the men it removes, and the slot in that successor.
pub type Place = (usize, usize, u64);

/// By code: [`Value::rank`] of a turn, for the player who makes it, to a position of that code.
struct Ranks(Vec<i64>);

impl Ranks {
    fn of<C: Code>(metric: Metric) -> Ranks {
        let rank = |number: u32| {
            let value = C::of(number).value();
            value.map_or(i64::MIN, |value| turned(value, metric).rank())
        };
        Ranks((0..2 * C::DRAW.number()).map(rank).collect())
    }
}

impl<'a> Plain<'a> {
    /// For positions of the table that `tables` were loaded for.
    pub fn new(rules: &'a Rules, tables: &'a Tables<'a>) -> Plain<'a> {
        let metric = tables.metric();
        let ranks = [Ranks::of::<u8>(metric), Ranks::of::<u16>(metric)];
        Plain { rules, successors: &tables.successors, ranks }
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
                None => best = best.max(Some(Value::from_successor(self.ended(&next)).rank())),
            }
        });
        for &(kind, removed, slot) in slots.iter() {
            best = best.max(self.successors[kind][removed].as_ref().map(|s| self.rank(s, slot)));
        }
        best.map_or_else(|| self.ended(position), Value::of_rank)
    }

    /// The rank of a turn that leads to a slot, for the player who makes it.
    fn rank(&self, stored: &Stored, slot: u64) -> i64 {
        match stored.codes.view() {
            View::One(codes) => self.ranks[0].0[usize::from(codes[slot as usize])],
            View::Two(codes) => self.ranks[1].0[usize::from(codes[slot as usize])],
        }
    }

    fn ended(&self, position: &Position) -> Value {
        let outcome = self.rules.outcome(position).expect("a position without turns is ended");
        match outcome.verdict {
            Verdict::Loses => Value::Loss(0),
            Verdict::Draws => Value::Draw,
        }
    }
}
