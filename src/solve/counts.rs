//! Counts a finished table: position classes by value.
//!
//! Invariant: each class counts once, however many slots it has; see [`Layout::is_least`].

use super::bits::{Bits, Job, run};
use crate::index::Layout;
use crate::storage::Counts;
use crate::value::{Code, Value};
use rayon::prelude::*;

/// Entries by code.
type Histogram = Vec<u64>;

/// The classes of a table by value.
///
/// # Panics
/// If a code stands for no value.
pub fn count_classes<C: Code>(layout: &Layout, codes: &[C]) -> Counts {
    let rows_at_once = 1 + ROUGHLY_AT_ONCE / layout.row_len();
    let pieces = codes.par_chunks(rows_at_once * layout.row_len()).enumerate();
    let by_code: Histogram = pieces
        .map(|(piece, codes)| run(CountRows { layout, first_row: piece * rows_at_once, codes }))
        .reduce(Vec::new, add);
    let mut by_plies = vec![0; C::MOST_PLIES as usize + 1];
    let mut draws = 0;
    for (number, classes) in by_code.into_iter().enumerate().filter(|(_, classes)| *classes > 0) {
        match C::of(number as u32).value().expect("a finished table holds values") {
            Value::Draw => draws = classes,
            Value::Win(plies) | Value::Loss(plies) => by_plies[plies as usize] = classes,
        }
    }
    Counts::of_histogram(by_plies, draws)
}

/// Codes that a thread counts together.
const ROUGHLY_AT_ONCE: usize = 1 << 18;

fn add(mut a: Histogram, b: Histogram) -> Histogram {
    if a.is_empty() {
        return b;
    }
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

/// Counts codes. Neighbours are often equal, and adding to one counter again and again waits for
/// memory each time, so that they take turns at four counters.
#[inline(always)]
pub fn count_codes<C: Code>(codes: &[C]) -> Vec<u64> {
    let kinds = 2 * C::DRAW.number() as usize;
    let mut counters = vec![0u32; 4 * kinds];
    for codes in codes.chunks(4) {
        for (code, counters) in codes.iter().zip(counters.chunks_mut(kinds)) {
            counters[code.number() as usize] += 1;
        }
    }
    let sum = |kind| counters.iter().skip(kind).step_by(kinds).map(|&n| u64::from(n)).sum();
    (0..kinds).map(sum).collect()
}

struct CountRows<'a, C> {
    layout: &'a Layout<'a>,
    first_row: usize,
    codes: &'a [C],
}

impl<C: Code> Job for CountRows<'_, C> {
    type Output = Histogram;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Histogram {
        let mut histogram = count_codes(self.codes);
        // Every slot is counted; the ones that repeat a class are taken away again.
        let symmetries = self.layout.geometry().symmetries();
        for (row, codes) in (self.first_row..).zip(self.codes.chunks(self.layout.row_len())) {
            let stabiliser = self.layout.row_sets().stabiliser(row);
            if stabiliser.is_empty() {
                continue;
            }
            let free = self.layout.free(row);
            for (code, &own) in codes.iter().zip(self.layout.ranked_sets()) {
                let own = bits.spread(own, free);
                // As `Layout::is_least`, which says why this is right.
                let least =
                    stabiliser.iter().all(|&s| symmetries[usize::from(s)].apply(own) >= own);
                histogram[code.number() as usize] -= u64::from(!least);
            }
        }
        histogram
    }
}
