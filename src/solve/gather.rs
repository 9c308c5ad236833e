//! Reading another table through this table's rows.
//!
//! A turn of the mover makes the opponent the mover: the position after it lies in a table whose
//! rows are canonical sets of the *mover's* men. For one row here (enemy men E) and each own set Y
//! that entry is: reduce Y, carry E along by the same symmetry, rank it. The look-ups are random,
//! so addresses are computed first and read after, many under way at once.
//! Invariant: entries come from [`Layout::slot`]'s slot, whatever the stabilisers.

use super::bits::Bits;
use crate::index::{Layout, Ranks, Reduction, Sets};
use crate::rules::Mask;
use crate::symmetry::Symmetry;

/// Addresses computed ahead of their reads.
pub const AHEAD: usize = 256;

/// The images of a set under every symmetry of the board (at most 16).
pub type Images = [Mask; 16];

/// The images of `set`.
pub fn images(symmetries: &[Symmetry], set: Mask) -> Images {
    let mut images = [0; 16];
    for (image, symmetry) in images.iter_mut().zip(symmetries) {
        *image = symmetry.apply(set);
    }
    images
}

/// A layout, ready to address slots by (row set, images of the ranked set).
#[derive(Clone, Copy)]
pub struct Address<'g> {
    sets: &'g Sets,
    canonical: &'g [Mask],
    ranks: &'g Ranks,
    row_len: usize,
    all: Mask,
}

impl<'g> Address<'g> {
    /// Addresses of slots of `layout`.
    pub fn new(layout: &Layout<'g>) -> Address<'g> {
        Address {
            sets: layout.enemies(),
            canonical: layout.enemies().canonical(),
            ranks: layout.own_ranks(),
            row_len: layout.row_len(),
            all: layout.geometry().board().all(),
        }
    }

    /// The rank of `set` in `row`.
    #[inline(always)]
    pub fn rank<B: Bits>(&self, bits: B, row: usize, set: Mask) -> u32 {
        self.ranks.rank(bits.squeeze(set, self.all & !self.canonical[row]))
    }

    /// Sets of the row's size, their orbits and stabilisers.
    pub fn sets(&self) -> &'g Sets {
        self.sets
    }
}

/// Calls `store(rank, code)` for each `(rank, local set)` of `wanted`: the code in `codes`, laid out
/// as `address`, of the position in which the set, spread onto `free`, names the row.
#[inline(always)]
pub fn gather<B: Bits, C: Copy>(
    bits: B,
    address: &Address,
    codes: &[C],
    free: Mask,
    images: &Images,
    wanted: impl Iterator<Item = (usize, Mask)>,
    mut store: impl FnMut(usize, C),
) {
    let mut places = [0usize; AHEAD];
    let mut reductions = [Reduction::default(); AHEAD];
    let mut slots = [0usize; AHEAD];
    let mut wanted = wanted.peekable();
    while wanted.peek().is_some() {
        // Each loop waits for one kind of memory only, and many of its reads are under way at once.
        let mut filled = 0;
        while filled < AHEAD {
            let Some((place, set)) = wanted.next() else { break };
            places[filled] = place;
            reductions[filled] = address.sets.reduce(bits.spread(set, free));
            filled += 1;
        }
        for (slot, reduction) in slots.iter_mut().zip(&reductions[..filled]) {
            let rank = address.rank(bits, reduction.row(), images[reduction.symmetry()]);
            *slot = reduction.row() * address.row_len + rank as usize;
            bits.prefetch(codes, *slot);
        }
        for (&place, &slot) in places.iter().zip(&slots[..filled]) {
            store(place, codes[slot]);
        }
    }
}
