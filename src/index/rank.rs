//! Combinatorial ranks: subsets of a size to and from consecutive numbers.
//!
//! The rank of a k-subset is its place among all k-subsets in numeric order of their masks
//! (colexicographic order): the sum of C(position, i) over its i-th elements, i from 1. It does not
//! depend on the size of the universe, so the subsets of the first c points are a prefix.
//! Invariant: `rank(subsets(k)[r]) == r`.

use crate::rules::Mask;

/// Greatest number of men of one colour; subsets are no larger.
pub const MOST_MEN: usize = 12;

/// Bits of a mask that one look-up ranks.
const HALF: usize = 12;

/// C(n, k), the number of k-subsets of n points.
pub const fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let mut result = 1;
    let mut i = 0;
    while i < k {
        result = result * (n - i) as u64 / (i + 1) as u64;
        i += 1;
    }
    result
}

/// The next mask with as many bits, in numeric order.
pub fn next_subset(mask: Mask) -> Mask {
    let lowest = mask & mask.wrapping_neg();
    let ripple = mask + lowest;
    ripple | ((mask ^ ripple) / lowest) >> 2
}

/// All k-subsets of `points` points, in order of rank.
pub fn subsets(points: usize, k: usize) -> Vec<Mask> {
    let count = binomial(points, k) as usize;
    let first: Mask = (1 << k) - 1;
    let mut all = Vec::with_capacity(count);
    let mut mask = first;
    for _ in 0..count {
        all.push(mask);
        if mask != 0 {
            mask = next_subset(mask);
        }
    }
    all
}

/// Ranks of subsets of one size: two look-ups and an addition.
#[derive(Clone, Debug)]
pub struct Ranks {
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Ranks {
    /// Tables for subsets of `k` of at most 24 points.
    pub fn new(k: usize) -> Ranks {
        let low = (0..1u32 << HALF).map(|set| partial_rank(set, 0, 0)).collect();
        // The elements below the high half are those that are missing to k.
        let high = (0..1u32 << HALF).map(|set| {
            let below = k.saturating_sub(set.count_ones() as usize);
            partial_rank(set, HALF, below)
        });
        Ranks { low, high: high.collect() }
    }

    /// The rank of a set of the tables' size.
    #[inline(always)]
    pub fn rank(&self, set: Mask) -> u32 {
        let half = (1usize << HALF) - 1;
        // Masks have at most 24 bits; the `&` lets the compiler drop its bounds checks.
        self.low[set as usize & half] + self.high[set as usize >> HALF & half]
    }
}

/// What the elements of `set`, shifted by `offset`, add to a rank when `below` elements are lower.
fn partial_rank(set: u32, offset: usize, below: usize) -> u32 {
    let positions = (0..HALF).filter(|p| set >> p & 1 == 1).enumerate();
    positions.map(|(i, p)| binomial(offset + p, below + i + 1) as u32).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_ranks_number_the_subsets_in_order() {
        for k in 0..=6 {
            let ranks = Ranks::new(k);
            let all = subsets(24, k);
            assert_eq!(all.len() as u64, binomial(24, k));
            for (rank, &set) in all.iter().enumerate() {
                assert_eq!(set.count_ones() as usize, k);
                assert_eq!(ranks.rank(set) as usize, rank);
            }
        }
    }

    #[test]
    fn test_subsets_of_fewer_points_are_a_prefix() {
        let (all, few) = (subsets(24, 12), subsets(15, 12));
        assert_eq!(all[..few.len()], few);
        assert_eq!(Ranks::new(12).rank(*all.last().unwrap()) as usize, all.len() - 1);
    }
}
