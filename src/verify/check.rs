//! Checks one table: all slots row by row, or a sample of them one by one.
//!
//! Threads take rows or slots in order and what they find is put together in order, so a report
//! does not depend on their number.
//! Invariant: a slot counts as differing only when the plain way says so.

use super::Difference;
use super::load::{ByTurn, Stored, Tables};
use super::next::Next;
use super::plain::{Place, Plain};
use super::row::Rows;
use crate::rules::{Color, Rules};
use crate::value::Code;
use rayon::prelude::*;
use std::borrow::Cow;

/// Slots of a sample that a thread checks in one go.
const CHUNK: u64 = 4096;

/// Differences, the first of them listed by slot.
#[derive(Default)]
pub struct Found {
    /// Slots whose value was recomputed.
    pub checked: u64,
    /// Those that differ.
    pub differing: u64,
    /// The first of these.
    pub first: Vec<Difference>,
}

/// One table about to be checked.
pub struct Check<'a> {
    rules: &'a Rules,
    tables: &'a Tables<'a>,
    plain: Plain<'a>,
    listed: usize,
}

impl<'a> Check<'a> {
    /// A check that lists so many differences.
    pub fn new(rules: &'a Rules, tables: &'a Tables<'a>, listed: usize) -> Check<'a> {
        Check { rules, tables, plain: Plain::new(rules, tables), listed }
    }

    /// Checks every slot.
    pub fn all(&self) -> Found {
        match self.tables.are_narrow() {
            true => self.by_rows::<u8>(),
            false => self.by_rows::<u16>(),
        }
    }

    fn by_rows<C: Code>(&self) -> Found {
        let codes = |stored: &'a Stored| stored.codes.of_width::<C>();
        let stored = codes(&self.tables.checked);
        let successors: ByTurn<Option<Cow<[C]>>> =
            self.successors().map(|kind| kind.map(|next| next.map(codes)));
        let rows = self.rows(&successors);
        let row_len = self.tables.checked.layout.row_len();
        let found = stored.par_chunks(row_len).enumerate().map_init(
            || (rows.desk(), Vec::new()),
            |(desk, places), (row, stored)| {
                let recomputed = rows.recompute(row, desk);
                if recomputed == stored {
                    return Found { checked: row_len as u64, ..Found::default() };
                }
                let pairs = stored.iter().zip(recomputed).enumerate();
                let doubtful = pairs.filter(|(_, (stored, recomputed))| stored != recomputed);
                let slots = doubtful.map(|(rank, _)| (row * row_len + rank) as u64);
                let found =
                    Found { checked: row_len as u64, ..self.one_by_one(slots.clone(), places) };
                debug_assert_eq!(found.differing, slots.count() as u64, "both ways agree");
                found
            },
        );
        found.reduce(Found::default, |a, b| a.followed_by(b, self.listed))
    }

    fn successors(&self) -> ByTurn<Option<&'a Stored<'a>>> {
        self.tables.successors.each_ref().map(|kind| kind.each_ref().map(|next| next.as_deref()))
    }

    fn rows<'b, C: Code>(&self, codes: &'b ByTurn<Option<Cow<'a, [C]>>>) -> Rows<'b, C>
    where
        'a: 'b,
    {
        let next = |kind: usize, removed: usize| {
            let stored = self.successors()[kind][removed]?;
            let codes = codes[kind][removed].as_deref()?;
            Some(Next { layout: stored.layout, codes })
        };
        let next = [0, 1].map(|kind| [0, 1, 2].map(|removed| next(kind, removed)));
        Rows::new(self.rules, self.tables.checked.layout, self.tables.metric(), next)
    }

    /// Checks one slot from each of `wanted` equal parts of the table.
    pub fn sample(&self, wanted: u64) -> Found {
        let sample = Sample::new(self.tables.checked.layout.slots(), wanted);
        let chunks = (0..sample.size.div_ceil(CHUNK)).into_par_iter();
        let found = chunks.map(|chunk| {
            let picks = chunk * CHUNK..((chunk + 1) * CHUNK).min(sample.size);
            self.one_by_one(picks.map(|pick| sample.slot(pick)), &mut Vec::new())
        });
        found.reduce(Found::default, |a, b| a.followed_by(b, self.listed))
    }

    /// Checks slots in the plain way.
    fn one_by_one(&self, slots: impl Iterator<Item = u64>, places: &mut Vec<Place>) -> Found {
        let mut found = Found::default();
        for slot in slots {
            found.checked += 1;
            let position = self.tables.checked.layout.position(slot, Color::White);
            let stored = self.tables.checked.value(slot);
            let recomputed = self.plain.recompute(&position, places);
            if stored != recomputed {
                found.add(Difference { slot, position, stored, recomputed }, self.listed);
            }
        }
        found
    }
}

impl Found {
    fn add(&mut self, difference: Difference, listed: usize) {
        self.differing += 1;
        if self.first.len() < listed {
            self.first.push(difference);
        }
    }

    /// `later` comes from higher slots.
    fn followed_by(mut self, later: Found, listed: usize) -> Found {
        self.checked += later.checked;
        self.differing += later.differing;
        let room = listed - self.first.len();
        self.first.extend(later.first.into_iter().take(room));
        self
    }
}

/// Which slots are checked: one from each of `size` equal parts of the table.
struct Sample {
    slots: u64,
    size: u64,
}

impl Sample {
    fn new(slots: u64, wanted: u64) -> Sample {
        Sample { slots, size: wanted.min(slots) }
    }

    /// Some slot of part `pick`, the same in every run.
    fn slot(&self, pick: u64) -> u64 {
        let start =
            |part: u64| (u128::from(part) * u128::from(self.slots) / u128::from(self.size)) as u64;
        let (first, end) = (start(pick), start(pick + 1));
        // The odd multiplier scatters the choices; any other would do.
        first + (pick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) % (end - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_a_sample_takes_one_slot_of_each_part() {
        let sample = Sample::new(1000, 300);
        let slots: Vec<u64> = (0..sample.size).map(|pick| sample.slot(pick)).collect();
        assert!(slots.is_sorted_by(|a, b| a < b) && slots[299] < 1000 && slots[299] > 990);
        let all = Sample::new(1000, 1001);
        assert!((0..all.size).map(|pick| all.slot(pick)).eq(0..1000));
    }
}
