//! What a row learns in a wave: which of its slots are decided.
//!
//! The moves that lead to what was decided last come one by one, as ranks, or in number, as binary digits
//! for 64 ranks at a time; both lead to the same values, counts and slots decided.
//! Invariant: a decided slot is decided for good, and one that is lost has no open move and nothing better.

use super::bits::Bits;
use super::cube::{PAGE, Page};
use super::first_pass::DECIDED;
use crate::value::Code;

/// A row in one wave. The loops over ranks have no branches, so that many slots are fetched from
/// memory at once.
pub struct UpdateRow<'a, C> {
    /// The wave.
    pub depth: u32,
    /// Best known worths, or values.
    pub values: &'a mut [C],
    /// Open quiet moves, or [`DECIDED`].
    pub counts: &'a mut [u8],
    /// The ranks that the wave decides, to be added to.
    pub decided: &'a mut Vec<u32>,
}

impl<C: Code> UpdateRow<'_, C> {
    /// From each of `ranks` a quiet move leads to a lost position.
    #[inline(always)]
    pub fn win(&mut self, ranks: &[u32]) {
        let mut decided = self.decided.len();
        self.decided.resize(decided + ranks.len(), 0);
        for &rank in ranks {
            let count = &mut self.counts[rank as usize];
            self.decided[decided] = rank;
            decided += usize::from(*count != DECIDED);
            *count = DECIDED;
        }
        self.decided.truncate(decided);
        let code = C::decided(self.depth);
        self.decided.iter().for_each(|&rank| self.values[rank as usize] = code);
    }

    /// From each of `ranks` a quiet move leads to a won position.
    #[inline(always)]
    pub fn refute(&mut self, ranks: &[u32]) {
        let mut last = self.decided.len();
        self.decided.resize(last + ranks.len(), 0);
        for &rank in ranks {
            let count = &mut self.counts[rank as usize];
            self.decided[last] = rank;
            last += usize::from(*count == 1);
            *count -= u8::from(*count != DECIDED);
        }
        self.decided.truncate(last);
        self.lose_without_better();
    }

    /// From each rank as many quiet moves lead to lost positions as the digits say.
    #[inline(always)]
    pub fn win_many<B: Bits>(&mut self, bits: B, digits: &[Vec<u64>]) {
        for (number, counts) in self.counts.chunks_mut(PAGE).enumerate() {
            let lost = digits.iter().fold(0, |any, digit| any | digit[number]);
            let mut page = page_of(counts);
            let fresh = lost & !bits.equal(&page, DECIDED);
            page = bits.choose(fresh, &[DECIDED; PAGE], &page);
            counts.copy_from_slice(&page[..counts.len()]);
            push_all(fresh, number, self.decided);
        }
        let code = C::decided(self.depth);
        self.decided.iter().for_each(|&rank| self.values[rank as usize] = code);
    }

    /// From each rank as many quiet moves lead to won positions as the digits say.
    #[inline(always)]
    pub fn refute_many<B: Bits>(&mut self, bits: B, digits: &[Vec<u64>]) {
        for (number, counts) in self.counts.chunks_mut(PAGE).enumerate() {
            let mut page = page_of(counts);
            let before = page;
            let (open, mut refuted) = (!bits.equal(&page, DECIDED), 0);
            for (digit, planes) in digits.iter().enumerate() {
                bits.add(&mut page, planes[number] & open, (1u8 << digit).wrapping_neg());
                refuted |= planes[number];
            }
            debug_assert!(page.iter().zip(before).all(|(now, before)| *now <= before));
            counts.copy_from_slice(&page[..counts.len()]);
            push_all(bits.equal(&page, 0) & refuted & open, number, self.decided);
        }
        self.lose_without_better();
    }

    /// Keeps of the slots without an open move those that are lost now, and decides them.
    #[inline(always)]
    fn lose_without_better(&mut self) {
        // Without an open move left the best known turn counts. None, or a loss no deeper than this
        // wave (a removal may be a loss in 0 whatever the wave): lost now. A deeper loss waits for its
        // wave; a draw or a win stands.
        let (code, values, counts) = (C::decided(self.depth), &mut *self.values, &mut *self.counts);
        self.decided.retain(|&rank| {
            let value = &mut values[rank as usize];
            let lost = *value <= code;
            if lost {
                (*value, counts[rank as usize]) = (code, DECIDED);
            }
            lost
        });
    }

    /// Decides those of `ranks`, whose best known turn has this wave's depth, that are still open.
    #[inline(always)]
    pub fn decide_waiting(&mut self, ranks: impl Iterator<Item = u32>) {
        // A win needs no look at the other turns; a loss waits until all of them are refuted.
        let most_open = if self.depth % 2 == 1 { DECIDED - 1 } else { 0 };
        for rank in ranks {
            let count = &mut self.counts[rank as usize];
            if *count <= most_open {
                // Its value is this depth's code already.
                *count = DECIDED;
                self.decided.push(rank);
            }
        }
    }
}

/// The counts of 64 ranks, or fewer at the end of a row.
#[inline(always)]
fn page_of(counts: &[u8]) -> Page<u8> {
    counts.try_into().unwrap_or_else(|_| {
        let mut page = [0; PAGE];
        page[..counts.len()].copy_from_slice(counts);
        page
    })
}

/// Adds the ranks of the entries of page `number`.
#[inline(always)]
fn push_all(mut entries: u64, number: usize, ranks: &mut Vec<u32>) {
    while entries != 0 {
        ranks.push((number * PAGE) as u32 + entries.trailing_zeros());
        entries &= entries - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Job, Portable, run, run_middle};
    use super::*;

    /// A row before a wave, and the ranks from which moves lead to the frontier, one for each move.
    #[derive(Clone)]
    struct Case<C> {
        depth: u32,
        values: Vec<C>,
        counts: Vec<u8>,
        ranks: Vec<u32>,
    }

    impl<C: Code> Case<C> {
        /// Values that may wait, and counts, decided ones among them, no smaller than the moves.
        fn new(depth: u32, row_len: usize, mut state: u32) -> Case<C> {
            let mut next = |below: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % below
            };
            let mut case =
                Case { depth, values: Vec::new(), counts: Vec::new(), ranks: Vec::new() };
            for rank in 0..row_len as u32 {
                let number = next(4) * next(2);
                let decided = next(3) == 0;
                let count = if decided { DECIDED } else { (number + next(2)) as u8 };
                let value = match next(5) {
                    0 => C::NONE,
                    1 => C::DRAW,
                    _ => C::decided(depth - 2 + next(5)),
                };
                case.values.push(value);
                case.counts.push(count);
                case.ranks.extend((0..number).map(|_| rank));
            }
            case
        }

        fn row<'a>(&'a mut self, decided: &'a mut Vec<u32>) -> UpdateRow<'a, C> {
            let Case { depth, values, counts, .. } = self;
            UpdateRow { depth: *depth, values, counts, decided }
        }

        /// Values, counts and ranks decided after the wave, move by move.
        fn one_by_one(mut self) -> (Vec<C>, Vec<u8>, Vec<u32>) {
            let (ranks, mut decided) = (self.ranks.clone(), Vec::new());
            let mut row = self.row(&mut decided);
            match row.depth % 2 {
                1 => row.win(&ranks),
                _ => row.refute(&ranks),
            }
            (self.values, self.counts, decided)
        }
    }

    impl<C: Code> Job for Case<C> {
        type Output = (Vec<C>, Vec<u8>, Vec<u32>);

        /// The same by the digits of the numbers of moves.
        #[inline(always)]
        fn run<B: Bits>(mut self, bits: B) -> Self::Output {
            let mut numbers = vec![0u64; self.values.len()];
            self.ranks.iter().for_each(|&rank| numbers[rank as usize] += 1);
            let digit = |digit: u32| -> Vec<u64> {
                let words = numbers.chunks(64).map(|numbers| {
                    let bits = numbers.iter().map(|number| number >> digit & 1);
                    (0..).zip(bits).fold(0, |word, (i, bit)| word | bit << i)
                });
                words.collect()
            };
            let (digits, mut decided) = ([digit(0), digit(1)], Vec::new());
            let mut row = self.row(&mut decided);
            match row.depth % 2 {
                1 => row.win_many(bits, &digits),
                _ => row.refute_many(bits, &digits),
            }
            (self.values, self.counts, decided)
        }
    }

    fn check<C: Code>() {
        let mut decided = 0;
        for round in 0..60 {
            let case = Case::<C>::new(6 + round % 2, 100 + round as usize, round);
            let expected = case.clone().one_by_one();
            assert!(case.clone().run(Portable) == expected);
            assert!(run(case.clone()) == expected);
            assert!(run_middle(case).is_none_or(|updated| updated == expected));
            decided += expected.2.len();
        }
        assert!(decided > 500, "{decided}");
    }

    #[test]
    fn test_rows_learn_the_same_from_many_moves_and_from_each() {
        check::<u8>();
        check::<u16>();
    }
}
