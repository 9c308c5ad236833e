//! The instructions of the inner loops, and the one place that chooses them.
//!
//! The inner loops renumber sets of points, fetch codes ahead and take moves back, once per
//! position. What does that in one instruction may not be used unasked by code built for any x86-64:
//! [`run`] detects it at run time, and a [`Job`] is compiled for three machines (any; BMI2 with AVX2;
//! AVX-512 too), so that the whole loop is built for the machine at hand.
//! Invariant: every path gives the same results; the portable one is the reference in tests. The
//! `unsafe` blocks here are vector instructions, each behind a proof that the machine has them.

use crate::rules::Mask;

/// Renumbering of points: see [`crate::index::squeeze`] and [`crate::index::spread`].
pub trait Bits: Copy + Sync {
    /// Bit i of the result is the i-th point of `kept`.
    fn squeeze(self, set: Mask, kept: Mask) -> Mask;
    /// The inverse of `squeeze`.
    fn spread(self, set: Mask, kept: Mask) -> Mask;

    /// Has `elements[index]` on its way from memory while other work is done.
    #[inline(always)]
    fn prefetch<T>(self, _elements: &[T], _index: usize) {}

    /// Takes back the quiet moves along `pairs` that lead to each of `afters`, and adds the sets
    /// before them to `befores`. A man in one of the full `lines` has closed it by coming there, so
    /// that his move was not quiet.
    #[inline(always)]
    fn take_back(self, afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
        take_back_one_by_one(afters, pairs, lines, befores);
    }
}

/// [`Bits::take_back`] without vector instructions, and without branches: which moves there were
/// cannot be predicted.
#[inline(always)]
fn take_back_one_by_one(afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
    let mut found = befores.len();
    // One more than there can be: the last write may be one to be forgotten.
    befores.resize(found + afters.len() * pairs.len() + 1, 0);
    for &after in afters {
        let mut closed = 0;
        for &line in lines {
            closed |= if after & line == line { line } else { 0 };
        }
        for &pair in pairs {
            let to = after & pair;
            befores[found] = after ^ pair;
            found += usize::from((to != 0) & (to != pair) & (to & closed == 0));
        }
    }
    befores.truncate(found);
}

/// Plain Rust.
#[derive(Clone, Copy)]
pub struct Portable;

impl Bits for Portable {
    #[inline]
    fn squeeze(self, set: Mask, kept: Mask) -> Mask {
        // Close the gaps from the top, one missing point at a time.
        let mut gaps = !kept & ((1 << 24) - 1);
        let mut squeezed = set & kept;
        while gaps != 0 {
            let gap = 31 - gaps.leading_zeros();
            let below = (1 << gap) - 1;
            squeezed = squeezed & below | squeezed >> 1 & !below;
            gaps &= below;
        }
        squeezed
    }

    #[inline]
    fn spread(self, set: Mask, kept: Mask) -> Mask {
        // Open the gaps from the bottom.
        let mut gaps = !kept & ((1 << 24) - 1);
        let mut spread = set;
        while gaps != 0 {
            let below = (gaps & gaps.wrapping_neg()) - 1;
            spread = spread & below | (spread & !below) << 1;
            gaps &= gaps - 1;
        }
        spread & kept
    }
}

/// Work that is compiled for each instruction set.
pub trait Job {
    /// What it gives back.
    type Output;
    /// Does the work; implementations are `#[inline(always)]`.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// Runs `job` with the best instructions of this machine.
pub fn run<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        return x86::run(job);
    }
    job.run(Portable)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{Bits, Job, Mask};
    use std::arch::x86_64::*;

    /// Proof that the machine has the instructions: only `run` makes one.
    #[derive(Clone, Copy)]
    pub struct Bmi2(());

    impl Bits for Bmi2 {
        #[inline(always)]
        fn squeeze(self, set: Mask, kept: Mask) -> Mask {
            // SAFETY: a `Bmi2` exists only where `available` has said yes.
            unsafe { _pext_u32(set, kept) }
        }

        #[inline(always)]
        fn spread(self, set: Mask, kept: Mask) -> Mask {
            // SAFETY: a `Bmi2` exists only where `available` has said yes.
            unsafe { _pdep_u32(set, kept) }
        }

        #[inline(always)]
        fn prefetch<T>(self, elements: &[T], index: usize) {
            let element = elements.as_ptr().wrapping_add(index);
            // SAFETY: an instruction of every x86-64, harmless at any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) }
        }
    }

    /// Proof that the machine has AVX-512 too: only `run` makes one.
    #[derive(Clone, Copy)]
    pub struct Wide(Bmi2);

    impl Bits for Wide {
        #[inline(always)]
        fn squeeze(self, set: Mask, kept: Mask) -> Mask {
            self.0.squeeze(set, kept)
        }

        #[inline(always)]
        fn spread(self, set: Mask, kept: Mask) -> Mask {
            self.0.spread(set, kept)
        }

        #[inline(always)]
        fn prefetch<T>(self, elements: &[T], index: usize) {
            self.0.prefetch(elements, index);
        }

        #[inline(always)]
        fn take_back(
            self,
            afters: &[Mask],
            pairs: &[Mask],
            lines: &[Mask],
            befores: &mut Vec<Mask>,
        ) {
            befores.reserve(afters.len() * pairs.len() + LANES);
            // SAFETY: a `Wide` exists only where `wide_available` has said yes, and there is room
            // for every move and a vector more.
            unsafe { take_back_wide(afters, pairs, lines, befores) }
        }
    }

    /// Masks in a vector.
    const LANES: usize = 16;

    /// Sixteen sets at a time: the moves of a pair are packed by one instruction.
    ///
    /// Contract: `befores` has room for `afters.len() * pairs.len() + LANES` masks more.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn take_back_wide(
        afters: &[Mask],
        pairs: &[Mask],
        lines: &[Mask],
        befores: &mut Vec<Mask>,
    ) {
        let mut found = befores.len();
        for afters in afters.chunks(LANES) {
            let there = (u16::MAX) >> (LANES - afters.len());
            // SAFETY: lanes beyond the chunk are not read.
            let after = unsafe { _mm512_maskz_loadu_epi32(there, afters.as_ptr().cast()) };
            let mut closed = _mm512_setzero_si512();
            for &line in lines {
                let line = _mm512_set1_epi32(line as i32);
                let full = _mm512_cmpeq_epi32_mask(_mm512_and_si512(after, line), line);
                closed = _mm512_mask_or_epi32(closed, full, closed, line);
            }
            for &pair in pairs {
                let pair = _mm512_set1_epi32(pair as i32);
                let to = _mm512_and_si512(after, pair);
                // One man on the pair, and he not in a mill. A lane that is not there has none.
                let some = _mm512_test_epi32_mask(to, to);
                let one = _mm512_mask_cmpneq_epi32_mask(some, to, pair);
                let quiet = _mm512_mask_testn_epi32_mask(one, to, closed);
                let before = _mm512_maskz_compress_epi32(quiet, _mm512_xor_si512(after, pair));
                // SAFETY: at most one mask per set and pair has been written before, and the
                // contract leaves room for a whole vector behind them.
                unsafe { _mm512_storeu_si512(befores.as_mut_ptr().add(found).cast(), before) };
                found += quiet.count_ones() as usize;
            }
        }
        // SAFETY: so many masks have been written, within the capacity.
        unsafe { befores.set_len(found) };
    }

    /// AVX-512 on 32-bit lanes and bytes.
    fn wide_available() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }

    pub fn available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// Contract: the caller has checked [`available`].
    pub fn run<J: Job>(job: J) -> J::Output {
        debug_assert!(available());
        if wide_available() {
            // SAFETY: the features enabled are those that both checks have found.
            return unsafe { run_wide(job) };
        }
        // SAFETY: the features enabled are those that `available` has found.
        unsafe { run_compiled(job) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_wide<J: Job>(job: J) -> J::Output {
        job.run(Wide(Bmi2(())))
    }

    /// The path without AVX-512, also where there is a better one; `None` where there is not even
    /// that.
    #[cfg(test)]
    pub fn run_middle<J: Job>(job: J) -> Option<J::Output> {
        // SAFETY: the features enabled are those that `available` has found.
        available().then(|| unsafe { run_compiled(job) })
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_compiled<J: Job>(job: J) -> J::Output {
        job.run(Bmi2(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{spread, squeeze};

    struct Compare;

    impl Job for Compare {
        type Output = ();

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) {
            let mut state = 1u32;
            for _ in 0..10_000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (set, kept) = (state >> 8, state.rotate_left(13) & 0xff_ffff);
                assert_eq!(bits.squeeze(set, kept), squeeze(set, kept));
                let squeezed = set & ((1 << kept.count_ones()) - 1);
                assert_eq!(bits.spread(squeezed, kept), spread(squeezed, kept));
            }
        }
    }

    struct TakeBack;

    impl Job for TakeBack {
        type Output = Vec<Mask>;

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Vec<Mask> {
            let mut befores = vec![7];
            for count in [0, 1, 15, 16, 17, 200] {
                let afters: Vec<Mask> =
                    (0..count).map(|i: Mask| i.wrapping_mul(40_503) >> 3 & 0xfff).collect();
                let pairs = [0b11, 0b110, 0b1001, 0b1100_0000_0000];
                bits.take_back(&afters, &pairs, &[0b111, 0b1110_0000], &mut befores);
            }
            befores.sort_unstable();
            befores
        }
    }

    #[test]
    fn test_every_path_takes_the_same_moves_back() {
        let plain = TakeBack.run(Portable);
        assert!(plain.len() > 100);
        assert_eq!(run(TakeBack), plain);
        #[cfg(target_arch = "x86_64")]
        assert!(x86::run_middle(TakeBack).is_none_or(|taken| taken == plain));
    }

    #[test]
    fn test_every_path_agrees_with_the_definition() {
        Compare.run(Portable);
        run(Compare);
        #[cfg(target_arch = "x86_64")]
        x86::run_middle(Compare);
    }
}
