//! Where a position lies in the table of the player to move next.
//!
//! After a turn the opponent is the mover, and rows are canonical sets of the other colour: reduce
//! that set, carry the row's along by the same symmetry, rank it.
//! Invariant: slots are [`Layout::slot`]'s, whatever the stabilisers.

use super::bits::Bits;
use crate::index::{Layout, Ranks, Sets};
use crate::rules::Mask;
use crate::symmetry::Symmetry;

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
    all: Mask,
}

impl<'g> Address<'g> {
    /// Addresses of slots of `layout`.
    pub fn new(layout: &Layout<'g>) -> Address<'g> {
        Address {
            sets: layout.row_sets(),
            canonical: layout.row_sets().canonical(),
            ranks: layout.ranks(),
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
