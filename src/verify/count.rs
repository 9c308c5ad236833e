//! Counts the classes of a table by value, anew.
//!
//! In a row whose enemy set no symmetry keeps, which is nearly every row, each slot is a class of
//! its own, and only codes are counted. In the others a class is counted by its least slot.
//! Invariant: each class counts once.

use super::load::{Stored, View};
use crate::index::{Layout, spread};
use crate::storage::{Counts, Metric};
use crate::value::Code;
use rayon::prelude::*;

/// The classes of a table by value, or by outcome where no depths are stored.
pub fn recount(stored: &Stored) -> Counts {
    let counts = match stored.codes.view() {
        View::One(codes) => recount_codes(&stored.layout, codes),
        View::Two(codes) => recount_codes(&stored.layout, codes),
    };
    match stored.metric {
        Metric::Outcome => Counts::of_outcomes(counts.wins, counts.draws, counts.losses),
        _ => counts,
    }
}

fn recount_codes<C: Code>(layout: &Layout, codes: &[C]) -> Counts {
    let rows = codes.par_chunks(layout.row_len()).enumerate();
    let tallies = rows.fold(tally::<C>, |mut tally, (row, codes)| {
        count_row(layout, row, codes, &mut tally);
        tally
    });
    let tally = tallies.reduce(tally::<C>, |mut all, more| {
        all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
        all
    });
    counts_of::<C>(&tally)
}

/// A number for each code.
fn tally<C: Code>() -> Vec<u64> {
    vec![0; 2 * C::DRAW.number() as usize]
}

fn count_row<C: Code>(layout: &Layout, row: usize, codes: &[C], tally: &mut [u64]) {
    let symmetries = layout.geometry().symmetries();
    let stabiliser = layout.row_sets().stabiliser(row);
    let free = layout.free(row);
    for (code, &own) in codes.iter().zip(layout.ranked_sets()) {
        // As `Layout::is_least`, the row being known.
        let least = stabiliser.is_empty() || {
            let own = spread(own, free);
            stabiliser.iter().all(|&s| symmetries[usize::from(s)].apply(own) >= own)
        };
        tally[code.number() as usize] += u64::from(least);
    }
}

fn counts_of<C: Code>(tally: &[u64]) -> Counts {
    let (mut decided, mut draws) = (vec![0; C::MOST_PLIES as usize + 1], 0);
    for (number, &classes) in tally.iter().enumerate() {
        let Some(value) = C::of(number as u32).value() else { continue };
        match value.plies() {
            Some(plies) => decided[plies as usize] += classes,
            None => draws += classes,
        }
    }
    Counts::of_histogram(decided, draws)
}
