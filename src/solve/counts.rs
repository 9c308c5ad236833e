//! Counts a finished table: position classes by value.
//!
//! Invariant: each class counts once, however many slots it has; see [`Layout::is_least`].

use crate::index::Layout;
use crate::storage::Counts;
use crate::value::{Code, Value};
use rayon::prelude::*;

/// Slots by code, of all rows.
type Histogram = Vec<u64>;

/// The classes of a table by value.
///
/// # Panics
/// If a code stands for no value.
pub fn count_classes<C: Code>(layout: &Layout, codes: &[C]) -> Counts {
    let empty = || vec![0; 2 * C::DRAW.number() as usize];
    let rows = codes.par_chunks(layout.row_len()).enumerate();
    let by_code: Histogram = rows
        .fold(empty, |mut histogram, (row, codes)| {
            count_row(layout, row, codes, &mut histogram);
            histogram
        })
        .reduce(empty, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        });
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

fn count_row<C: Code>(layout: &Layout, row: usize, codes: &[C], histogram: &mut Histogram) {
    let first = (row * layout.row_len()) as u64;
    if layout.enemies().stabiliser(row).is_empty() {
        codes.iter().for_each(|code| histogram[code.number() as usize] += 1);
        return;
    }
    for (slot, code) in (first..).zip(codes) {
        histogram[code.number() as usize] += u64::from(layout.is_least(slot));
    }
}
