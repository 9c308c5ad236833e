//! Sets of one size under the board's symmetries: which is canonical, and how to get there.
//!
//! The canonical set of an orbit is its least mask. Every set knows the row of its canonical set
//! and a symmetry that leads there; for a set with a non-trivial stabiliser several symmetries
//! do, and the table keeps the first. Invariant: rows are numbered in increasing order of their
//! canonical masks.

use super::rank::{Ranks, subsets};
use crate::rules::Mask;
use crate::symmetry::Symmetry;

/// The sets of one size, their ranks and their orbits.
#[derive(Debug)]
pub struct Sets {
    subsets: Vec<Mask>,
    ranks: Ranks,
    canonical: Vec<Mask>,
    /// By rank: row of the canonical set, times 16, plus the symmetry that leads there.
    reduction: Vec<u32>,
    /// By row: the symmetries other than the identity that keep the canonical set.
    stabilisers: Vec<Vec<u8>>,
}

impl Sets {
    /// All sets of `size` of the `points` points that `symmetries` act on.
    pub fn new(points: usize, size: usize, symmetries: &[Symmetry]) -> Sets {
        let subsets = subsets(points, size);
        let mut sets = Sets {
            ranks: Ranks::new(size),
            canonical: Vec::new(),
            reduction: Vec::with_capacity(subsets.len()),
            stabilisers: Vec::new(),
            subsets: Vec::new(),
        };
        for &set in &subsets {
            let images = symmetries.iter().map(|s| s.apply(set));
            let (symmetry, least) = images.enumerate().min_by_key(|&(_, m)| m).expect("identity");
            if least == set {
                sets.add_row(set, symmetries);
            } else {
                // The least image has a lower rank: its row exists.
                let row = sets.reduction[sets.ranks.rank(least) as usize] >> 4;
                sets.reduction.push(row << 4 | symmetry as u32);
            }
        }
        sets.subsets = subsets;
        sets
    }

    fn add_row(&mut self, set: Mask, symmetries: &[Symmetry]) {
        self.reduction.push((self.canonical.len() as u32) << 4);
        self.canonical.push(set);
        let keeps = |i: &u8| symmetries[usize::from(*i)].apply(set) == set;
        self.stabilisers.push((1..symmetries.len() as u8).filter(keeps).collect());
    }

    /// Every set, by rank.
    pub fn subsets(&self) -> &[Mask] {
        &self.subsets
    }

    /// Ranks of sets of this size.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The canonical sets, by row.
    pub fn canonical(&self) -> &[Mask] {
        &self.canonical
    }

    /// Row and symmetry of a set: the symmetry takes `set` to `canonical()[row]`.
    #[inline(always)]
    pub fn reduce(&self, set: Mask) -> (u32, usize) {
        let entry = self.reduction[self.ranks.rank(set) as usize];
        (entry >> 4, entry as usize & 15)
    }

    /// The symmetries other than the identity that keep the canonical set of `row`.
    pub fn stabiliser(&self, row: usize) -> &[u8] {
        &self.stabilisers[row]
    }
}
