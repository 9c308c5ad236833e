//! A row of another table, read by the sets of a row here.
//!
//! A man who joins or leaves the set that names the rows leads from one row to one other, by a symmetry
//! that is the same for all ranked sets. So a row's worth of successors is read from one place.
//! Invariant: slots are those of [`Layout::slot`](crate::index::Layout::slot).

use super::next::Next;
use crate::index::{Ranks, squeeze};
use crate::rules::Mask;

/// Points that one look-up carries over.
const PART: usize = 8;

/// A row of codes there.
pub struct Moved<'a, C> {
    codes: &'a [C],
    ranks: &'a Ranks,
    /// Where points of the board go, as they are numbered there.
    parts: [[Mask; 1 << PART]; 3],
}

impl<'a, C: Copy> Moved<'a, C> {
    /// The row of `next` that `set` names.
    pub fn new(next: &Next<'a, C>, set: Mask) -> Moved<'a, C> {
        let layout = &next.layout;
        let reduction = layout.row_sets().reduce(set);
        let (row, free) = (reduction.row(), layout.free(reduction.row()));
        let image = layout.geometry().symmetries()[reduction.symmetry()].image();
        let mut points = image.iter().map(|&point| squeeze(1 << point, free));
        let parts = std::array::from_fn(|_| {
            let mut part = [0; 1 << PART];
            for bit in 0..PART {
                let point = points.next().unwrap_or(0);
                let (known, new) = part.split_at_mut(1 << bit);
                new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | point);
            }
            part
        });
        let codes = &next.codes[row * layout.row_len()..][..layout.row_len()];
        Moved { codes, ranks: layout.ranks(), parts }
    }

    /// The code of a set of the board's points; of one that meets the row's, anything.
    #[inline]
    pub fn code(&self, set: Mask) -> C {
        let part = |part: usize| self.parts[part][(set >> (PART * part)) as usize & 0xff];
        self.codes[self.ranks.rank(part(0) | part(1) | part(2)) as usize]
    }
}
