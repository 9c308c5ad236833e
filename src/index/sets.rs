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
    /// By rank: how to get to the canonical set.
    reductions: Vec<Reduction>,
    /// By row: the symmetries other than the identity that keep the canonical set.
    stabilisers: Vec<Vec<u8>>,
}

/// How a set becomes canonical, in one word: a look-up is a cache miss, and one is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduction(u32);

impl Reduction {
    const UNKNOWN: Reduction = Reduction(u32::MAX);

    fn new(row: u32, symmetry: usize, symmetric: bool) -> Reduction {
        Reduction(row << 5 | (symmetry as u32) << 1 | u32::from(symmetric))
    }

    /// The row of the canonical set.
    #[inline(always)]
    pub fn row(self) -> usize {
        self.0 as usize >> 5
    }

    /// The symmetry that leads there, by its number.
    #[inline(always)]
    pub fn symmetry(self) -> usize {
        self.0 as usize >> 1 & 15
    }

    /// Does a symmetry other than the identity keep the set?
    #[inline(always)]
    pub fn is_symmetric(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Sets {
    /// All sets of `size` of the `points` points that `symmetries` act on.
    pub fn new(points: usize, size: usize, symmetries: &[Symmetry]) -> Sets {
        let subsets = subsets(points, size);
        let mut sets = Sets {
            ranks: Ranks::new(size),
            canonical: Vec::new(),
            reductions: vec![Reduction::UNKNOWN; subsets.len()],
            stabilisers: Vec::new(),
            subsets: Vec::new(),
        };
        let back: Vec<usize> = symmetries.iter().map(|s| inverse(s, symmetries)).collect();
        for (rank, &set) in subsets.iter().enumerate() {
            // Whatever no canonical set before it leads to is the least of its orbit.
            if sets.reductions[rank] == Reduction::UNKNOWN {
                sets.add_row(set, symmetries, &back);
            }
        }
        sets.subsets = subsets;
        sets
    }

    /// Makes a set canonical, and says so of its orbit; `back` are the inverses of the symmetries.
    fn add_row(&mut self, set: Mask, symmetries: &[Symmetry], back: &[usize]) {
        let keeps = |i: &u8| symmetries[usize::from(*i)].apply(set) == set;
        let stabiliser: Vec<u8> = (1..symmetries.len() as u8).filter(keeps).collect();
        let row = self.canonical.len() as u32;
        for (symmetry, &back) in symmetries.iter().zip(back) {
            let rank = self.ranks.rank(symmetry.apply(set)) as usize;
            let known = self.reductions[rank];
            if known == Reduction::UNKNOWN || back < known.symmetry() {
                self.reductions[rank] = Reduction::new(row, back, !stabiliser.is_empty());
            }
        }
        self.canonical.push(set);
        self.stabilisers.push(stabiliser);
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

    /// How a set becomes canonical.
    #[inline(always)]
    pub fn reduce(&self, set: Mask) -> Reduction {
        self.reductions[self.ranks.rank(set) as usize]
    }

    /// The symmetries other than the identity that keep the canonical set of `row`.
    pub fn stabiliser(&self, row: usize) -> &[u8] {
        &self.stabilisers[row]
    }
}

/// The number of a symmetry's inverse.
fn inverse(symmetry: &Symmetry, symmetries: &[Symmetry]) -> usize {
    let undone = |other: &Symmetry| {
        (0..)
            .zip(symmetry.image())
            .all(|(point, &image)| other.image()[usize::from(image)] == point)
    };
    symmetries.iter().position(undone).expect("the symmetries are a group")
}
