//! Squeezing and spreading masks at full speed, and the one place that chooses instructions.
//!
//! The inner loops renumber sets of points once per position. BMI2 machines do that in one
//! instruction, which code built for any x86-64 may not use unasked: [`run`] detects it at run time
//! and compiles a [`Job`] twice, so that the whole loop is built for the machine at hand.
//! Invariant: both paths give the same results; the portable one is the reference in tests.

use crate::rules::Mask;

/// Renumbering of points: see [`crate::index::squeeze`] and [`crate::index::spread`].
pub trait Bits: Copy + Sync {
    /// Bit i of the result is the i-th point of `kept`.
    fn squeeze(self, set: Mask, kept: Mask) -> Mask;
    /// The inverse of `squeeze`.
    fn spread(self, set: Mask, kept: Mask) -> Mask;
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
    use std::arch::x86_64::{_pdep_u32, _pext_u32};

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
        // SAFETY: the features enabled are those that `available` has found.
        unsafe { run_compiled(job) }
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

    #[test]
    fn test_every_path_agrees_with_the_definition() {
        Compare.run(Portable);
        run(Compare);
    }
}
