//! What positions of one game share: symmetries and the sets of every size.
//!
//! Tables for a size are made at first use and kept; they are a few megabytes each. This file owns
//! nothing else: one `Geometry` per game serves every table and every thread.

use super::rank::MOST_MEN;
use super::sets::Sets;
use crate::rules::{Board, Mask, Point, Rules, points_of};
use crate::symmetry::{Symmetry, symmetries};
use std::sync::OnceLock;

/// A board with its symmetries and, for every number of men, the sets they may stand on.
#[derive(Debug)]
pub struct Geometry {
    board: Board,
    symmetries: Vec<Symmetry>,
    rows_stay: bool,
    sets: [OnceLock<Sets>; MOST_MEN + 1],
}

impl Geometry {
    /// The geometry of the board of `rules`.
    pub fn new(rules: &Rules) -> Geometry {
        Geometry {
            board: rules.board().clone(),
            symmetries: symmetries(rules.board()),
            rows_stay: !rules.place_or_move() && !rules.line_wins(),
            sets: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Number of points of the board.
    pub fn points(&self) -> usize {
        self.board.points()
    }

    /// The board's symmetries, the identity first.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// Do tables with men in hand name their rows by the same player turn after turn? See
    /// [`Layout`](super::Layout). Not where men may move meanwhile, for then a table and its twin
    /// need each other's rows; nor where a line wins, for whether it is there is asked of whole rows.
    pub fn rows_stay(&self) -> bool {
        self.rows_stay
    }

    /// The sets of `size` men (0 to 12).
    pub fn sets(&self, size: u8) -> &Sets {
        let size = usize::from(size);
        self.sets[size].get_or_init(|| Sets::new(self.points(), size, &self.symmetries))
    }
}

/// Removes the points not in `kept` from the numbering: bit i of the result is the i-th point of
/// `kept`.
#[inline]
pub fn squeeze(set: Mask, kept: Mask) -> Mask {
    // Closing the gaps, the highest first, takes fewer steps than moving every point: a table's
    // gaps are the men of one colour.
    let mut squeezed = set & kept;
    let mut gaps = kept.checked_ilog2().map_or(0, |highest| !kept & ((1 << highest) - 1));
    while gaps != 0 {
        let gap = gaps.ilog2();
        let below = (1 << gap) - 1;
        squeezed = squeezed & below | squeezed >> 1 & !below;
        gaps &= below;
    }
    squeezed
}

/// The inverse of [`squeeze`]: the i-th point of `kept` for each bit i.
pub fn spread(set: Mask, kept: Mask) -> Mask {
    let bits = points_of(kept).enumerate();
    bits.fold(0, |all, (i, p): (usize, Point)| all | (set >> i & 1) << p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_squeezing_numbers_the_kept_points_in_order() {
        for kept in [0, 1, 0x8000_0000, 0xff_ffff, 0x5a_5a5a, 0xf0_0001, 0xffff_ffff] {
            for set in [0, kept, 0x12_3456, 0xed_cba9, 0x8000_0001] {
                let bits = points_of(kept).enumerate();
                let slow = bits.fold(0, |all, (i, point)| all | (set >> point & 1) << i);
                assert_eq!(squeeze(set, kept), slow, "{set:x} {kept:x}");
                assert_eq!(spread(slow, kept), set & kept);
            }
        }
    }
}
