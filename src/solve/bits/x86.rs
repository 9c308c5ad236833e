//! The inner loops' instructions for x86-64: BMI2 with AVX2, and AVX-512 with VBMI and VBMI2.
//!
//! `unsafe` is here, and here only in the solver, because these instructions exist on some machines and
//! not on others. Invariant: a [`Bmi2`] or [`Wide`] is made by [`run`] alone, where the machine has been
//! found to have all it stands for; each kernel writes its contract down, and the portable one of
//! [`Bits`] is what it is tested against.

#![allow(unsafe_code)]

use super::super::blocks::{Block, BlockMove, PLANES, WORDS};
use super::super::cube::{LOW_POINTS, PAGE, Page};

use super::{Bits, Found, Job, exchange_one_by_one, pick_one_by_one};
use crate::rules::Mask;
use crate::value::Code;
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
    fn squeeze_entries(self, set: u64, kept: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pext_u64(set, kept) }
    }

    #[inline(always)]
    fn spread_entries(self, set: u64, kept: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pdep_u64(set, kept) }
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
    const BLOCKS_PAY: bool = true;

    #[inline(always)]
    fn squeeze(self, set: Mask, kept: Mask) -> Mask {
        self.0.squeeze(set, kept)
    }

    #[inline(always)]
    fn spread(self, set: Mask, kept: Mask) -> Mask {
        self.0.spread(set, kept)
    }

    #[inline(always)]
    fn squeeze_entries(self, set: u64, kept: u64) -> u64 {
        self.0.squeeze_entries(set, kept)
    }

    #[inline(always)]
    fn spread_entries(self, set: u64, kept: u64) -> u64 {
        self.0.spread_entries(set, kept)
    }

    #[inline(always)]
    fn prefetch<T>(self, elements: &[T], index: usize) {
        self.0.prefetch(elements, index);
    }

    #[inline(always)]
    fn equal(self, counts: &Page<u8>, count: u8) -> u64 {
        // SAFETY: a `Wide` exists only where `wide_available` has said yes.
        unsafe { equal_wide(counts, count) }
    }

    #[inline(always)]
    fn sum_moves<const LINES: usize>(
        self,
        frontier: &[u64],
        moves: &[BlockMove],
        chosen: u64,
        high: usize,
    ) -> [Block; PLANES] {
        // SAFETY: as above.
        unsafe { sum_wide::<LINES>(frontier, moves, chosen, high) }
    }

    #[inline(always)]
    fn improve<C: Code>(self, best: &mut Page<C>, mask: u64, worths: &Page<C>) {
        // SAFETY: a `Wide` exists only where `wide_available` has said yes.
        unsafe { improve_wide(best, mask, worths) }
    }

    #[inline(always)]
    fn add(self, counts: &mut Page<u8>, mask: u64, amount: u8) {
        // SAFETY: as above.
        unsafe { add_wide(counts, mask, amount) }
    }

    #[inline(always)]
    fn choose<C: Code>(self, mask: u64, yes: &Page<C>, no: &Page<C>) -> Page<C> {
        // SAFETY: as above.
        unsafe { choose_wide(mask, yes, no) }
    }

    #[inline(always)]
    fn pick<C: Code>(self, places: &[u8; PAGE], page: &Page<C>) -> Page<C> {
        match C::WIDTH {
            // SAFETY: as above, and codes are bytes.
            1 => unsafe { pick_wide(places, page) },
            _ => pick_one_by_one(places, page),
        }
    }

    #[inline(always)]
    fn exchange<C: Code>(self, point: usize, without: &mut Page<C>, with: &mut Page<C>) {
        match C::WIDTH {
            // SAFETY: as above, and codes are bytes.
            1 => unsafe { exchange_wide(point, without, with) },
            _ => exchange_one_by_one(point, without, with),
        }
    }

    #[inline(always)]
    fn expand<C: Code>(self, entries: u64, ranked: &[C]) -> Page<C> {
        // SAFETY: as above.
        unsafe { expand_wide(entries, ranked) }
    }

    #[inline(always)]
    fn compress<C: Code>(self, entries: u64, page: &Page<C>, ranked: &mut [C]) {
        // SAFETY: as above.
        unsafe { compress_wide(entries, page, ranked) }
    }

    #[inline(always)]
    fn take_back(self, afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
        befores.reserve(afters.len() * pairs.len() + LANES);
        // SAFETY: a `Wide` exists only where `wide_available` has said yes, and there is room
        // for every move and a vector more.
        unsafe { take_back_wide(afters, pairs, lines, befores) }
    }

    #[inline(always)]
    fn with_lines(self, sets: &[Mask], lines: &[Mask], found: &mut Found) {
        found.sets.reserve(sets.len() + LANES);
        found.ranks.reserve(sets.len() + LANES);
        // SAFETY: a `Wide` exists only where `wide_available` has said yes, and there is room
        // for every set and a vector more.
        unsafe { with_lines_wide(sets, lines, found) }
    }

    #[inline(always)]
    fn disjoint(self, sets: &[Mask], other: Mask, found: &mut Found) {
        found.sets.reserve(sets.len() + LANES);
        found.ranks.reserve(sets.len() + LANES);
        // SAFETY: as above.
        unsafe { disjoint_wide(sets, other, found) }
    }
}

/// Masks in a vector.
const LANES: usize = 16;

/// Contract: the machine has AVX-512. A page fills one vector per byte of its codes, of which there
/// are two at most.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn improve_wide<C: Code>(best: &mut Page<C>, mask: u64, worths: &Page<C>) {
    for part in 0..C::WIDTH {
        // SAFETY: the vectors lie within the pages, which hold 64 codes each.
        unsafe {
            let place = best.as_mut_ptr().cast::<__m512i>().add(part);
            let best = _mm512_loadu_si512(place);
            let worths = _mm512_loadu_si512(worths.as_ptr().cast::<__m512i>().add(part));
            let better = match C::WIDTH {
                1 => _mm512_mask_max_epu8(best, mask, best, worths),
                _ => _mm512_mask_max_epu16(best, (mask >> (32 * part)) as u32, best, worths),
            };
            _mm512_storeu_si512(place, better);
        }
    }
}

/// Contract: as that of `improve_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn add_wide(counts: &mut Page<u8>, mask: u64, amount: u8) {
    // SAFETY: the vector is a page of 64 bytes.
    unsafe {
        let place = counts.as_mut_ptr().cast::<__m512i>();
        let counts = _mm512_loadu_si512(place);
        let amount = _mm512_set1_epi8(amount as i8);
        let more = _mm512_mask_add_epi8(counts, mask, counts, amount);
        _mm512_storeu_si512(place, more);
    }
}

/// Contract: as that of `improve_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn equal_wide(counts: &Page<u8>, count: u8) -> u64 {
    // SAFETY: the vector is a page of 64 bytes.
    let counts = unsafe { _mm512_loadu_si512(counts.as_ptr().cast()) };
    _mm512_cmpeq_epi8_mask(counts, _mm512_set1_epi8(count as i8))
}

/// Moves added up together.
const GROUP: usize = 4;

/// Contract: as that of `improve_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn sum_wide<const LINES: usize>(
    frontier: &[u64],
    moves: &[BlockMove],
    mut chosen: u64,
    high: usize,
) -> [Block; PLANES] {
    let last = moves.len() - 1;
    let mut sums = [_mm512_setzero_si512(); PLANES];
    while chosen != 0 {
        let mut found = [_mm512_setzero_si512(); GROUP];
        for found in &mut found {
            // The last, which never applies, when none is left.
            let one = &moves[(chosen.trailing_zeros() as usize).min(last)];
            chosen &= chosen.wrapping_sub(1);
            // SAFETY: the same contract.
            *found = unsafe { before_wide::<LINES>(frontier, one, high) };
        }
        let [one, two, three, four] = found;
        let (sum, carry) = add_bits(sums[0], one, two);
        let (sum, other_carry) = add_bits(sum, three, four);
        sums[0] = sum;
        let mut carry_on;
        (sums[1], carry_on) = add_bits(sums[1], carry, other_carry);
        for sum in &mut sums[2..] {
            let carry = _mm512_and_si512(*sum, carry_on);
            *sum = _mm512_xor_si512(*sum, carry_on);
            carry_on = carry;
        }
    }
    sums.map(|sum| {
        let mut block = [0; WORDS];
        // SAFETY: the vector is a block of eight words.
        unsafe { _mm512_storeu_si512(block.as_mut_ptr().cast(), sum) };
        block
    })
}

/// The sets of a block from which a move leads to the frontier. Contract: as that of `improve_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn before_wide<const LINES: usize>(
    frontier: &[u64],
    one: &BlockMove,
    high: usize,
) -> __m512i {
    let start = one.after(high);
    let after: &Block = frontier[start..start + WORDS].try_into().expect("a block's length");
    // SAFETY: each vector is a block of eight words.
    let block = |block: &Block| unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let after = _mm512_rorv_epi64(block(after), _mm512_set1_epi64(i64::from(one.bits)));
    let mut before = _mm512_and_si512(after, block(&one.before));
    for line in &one.lines[..LINES] {
        let stands = _mm512_set1_epi64(-i64::from(line.high & !high == 0));
        let closed = _mm512_and_si512(stands, block(&line.low));
        before = _mm512_andnot_si512(closed, before);
    }
    before
}

/// Three bits added in every place: the sum and what it carries.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_bits(one: __m512i, two: __m512i, three: __m512i) -> (__m512i, __m512i) {
    // By truth tables: odd, and two or more of three.
    let sum = _mm512_ternarylogic_epi64::<0x96>(one, two, three);
    let carry = _mm512_ternarylogic_epi64::<0xe8>(one, two, three);
    (sum, carry)
}

/// Contract: as that of `improve_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn choose_wide<C: Code>(mask: u64, yes: &Page<C>, no: &Page<C>) -> Page<C> {
    let mut page = [C::NONE; PAGE];
    for part in 0..C::WIDTH {
        // SAFETY: as above.
        unsafe {
            let yes = _mm512_loadu_si512(yes.as_ptr().cast::<__m512i>().add(part));
            let no = _mm512_loadu_si512(no.as_ptr().cast::<__m512i>().add(part));
            let chosen = match C::WIDTH {
                1 => _mm512_mask_blend_epi8(mask, no, yes),
                _ => _mm512_mask_blend_epi16((mask >> (32 * part)) as u32, no, yes),
            };
            _mm512_storeu_si512(page.as_mut_ptr().cast::<__m512i>().add(part), chosen);
        }
    }
    page
}

/// Contract: as that of `improve_wide`, and VBMI; codes are bytes, so that a page is a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn pick_wide<C: Code>(places: &[u8; PAGE], page: &Page<C>) -> Page<C> {
    let mut picked = [C::NONE; PAGE];
    // SAFETY: each vector is a page of 64 bytes.
    unsafe {
        let places = _mm512_loadu_si512(places.as_ptr().cast());
        let page = _mm512_loadu_si512(page.as_ptr().cast());
        let codes = _mm512_permutexvar_epi8(places, page);
        _mm512_storeu_si512(picked.as_mut_ptr().cast(), codes);
    }
    picked
}

/// By low point, for [`Bits::exchange`]: where the entries of either page come from, those of `with`
/// being numbered from 64 on.
const EXCHANGED: [[[u8; PAGE]; 2]; LOW_POINTS] = {
    let mut exchanged = [[[0; PAGE]; 2]; LOW_POINTS];
    let mut point = 0;
    while point < LOW_POINTS {
        let mut entry = 0;
        while entry < PAGE {
            let man = entry >> point & 1 == 1;
            let (low, high) = (entry & !(1 << point), entry | 1 << point);
            exchanged[point][0][entry] = if man { PAGE + low } else { entry } as u8;
            exchanged[point][1][entry] = if man { PAGE + entry } else { high } as u8;
            entry += 1;
        }
        point += 1;
    }
    exchanged
};

/// Contract: as that of `pick_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn exchange_wide<C: Code>(point: usize, without: &mut Page<C>, with: &mut Page<C>) {
    let [for_without, for_with] = &EXCHANGED[point];
    // SAFETY: each vector is a page of 64 bytes.
    unsafe {
        let (low, high) = (without.as_mut_ptr().cast::<__m512i>(), with.as_mut_ptr().cast());
        let (from_low, from_high) = (_mm512_loadu_si512(low), _mm512_loadu_si512(high));
        let place = |places: &[u8; PAGE]| _mm512_loadu_si512(places.as_ptr().cast());
        let (for_without, for_with) = (place(for_without), place(for_with));
        _mm512_storeu_si512(low, _mm512_permutex2var_epi8(from_low, for_without, from_high));
        _mm512_storeu_si512(high, _mm512_permutex2var_epi8(from_low, for_with, from_high));
    }
}

/// Contract: as that of `improve_wide`, and VBMI2.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
unsafe fn expand_wide<C: Code>(entries: u64, mut ranked: &[C]) -> Page<C> {
    let mut page = [C::NONE; PAGE];
    for part in 0..C::WIDTH {
        let entries = entries >> (32 * part);
        // SAFETY: no more codes are read than there are, and the vectors lie within the page.
        unsafe {
            let (there, codes) = (lanes_filled(ranked), ranked.as_ptr());
            let codes = match C::WIDTH {
                1 => {
                    let codes = _mm512_maskz_loadu_epi8(there, codes.cast());
                    _mm512_maskz_expand_epi8(entries, codes)
                }
                _ => {
                    let codes = _mm512_maskz_loadu_epi16(there as u32, codes.cast());
                    _mm512_maskz_expand_epi16(entries as u32, codes)
                }
            };
            _mm512_storeu_si512(page.as_mut_ptr().cast::<__m512i>().add(part), codes);
        }
        let taken = (entries as u32).count_ones() as usize;
        ranked = &ranked[taken.min(ranked.len())..];
    }
    page
}

/// Contract: as that of `expand_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
unsafe fn compress_wide<C: Code>(entries: u64, page: &Page<C>, ranked: &mut [C]) {
    let mut rest = ranked;
    for part in 0..C::WIDTH {
        let entries = entries >> (32 * part);
        let here = if C::WIDTH == 1 { entries } else { entries & u64::from(u32::MAX) };
        let (ranked, later) = rest.split_at_mut(here.count_ones() as usize);
        rest = later;
        // SAFETY: the vectors lie within the page, and no more codes are written than there is
        // room for.
        unsafe {
            let codes = _mm512_loadu_si512(page.as_ptr().cast::<__m512i>().add(part));
            let (there, place) = (lanes_filled(ranked), ranked.as_mut_ptr());
            match C::WIDTH {
                1 => {
                    let codes = _mm512_maskz_compress_epi8(here, codes);
                    _mm512_mask_storeu_epi8(place.cast(), there, codes);
                }
                _ => {
                    let codes = _mm512_maskz_compress_epi16(here as u32, codes);
                    _mm512_mask_storeu_epi16(place.cast(), there as u32, codes);
                }
            }
        }
    }
}

/// As many lanes as a slice fills.
#[inline(always)]
fn lanes_filled<C>(codes: &[C]) -> u64 {
    if codes.len() < 64 { (1 << codes.len()) - 1 } else { u64::MAX }
}

/// Sixteen sets at a time: the moves of a pair are packed by one instruction.
///
/// Contract: `befores` has room for `afters.len() * pairs.len() + LANES` masks more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn take_back_wide(afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
    let mut found = befores.len();
    for afters in afters.chunks(LANES) {
        let after = load(afters);
        let closed = in_full_lines_wide(after, lines);
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

/// Contract: both vectors of `found`, of equal length, have room for `sets.len() + LANES`
/// elements more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn with_lines_wide(sets: &[Mask], lines: &[Mask], found: &mut Found) {
    // SAFETY: the same contract.
    unsafe {
        keep(sets, found, |set| {
            let full = in_full_lines_wide(set, lines);
            _mm512_test_epi32_mask(full, full)
        });
    }
}

/// Contract: as that of `with_lines_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn disjoint_wide(sets: &[Mask], other: Mask, found: &mut Found) {
    let other = _mm512_set1_epi32(other as i32);
    // SAFETY: the same contract.
    unsafe { keep(sets, found, |set| _mm512_testn_epi32_mask(set, other)) }
}

/// Adds the sets that `wanted` marks. Contract: as that of `with_lines_wide`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn keep(sets: &[Mask], found: &mut Found, wanted: impl Fn(__m512i) -> u16) {
    let mut end = found.sets.len();
    for (chunk, sets) in sets.chunks(LANES).enumerate() {
        let set = load(sets);
        let wanted = wanted(set) & lanes_of(sets);
        let set = _mm512_maskz_compress_epi32(wanted, set);
        let rank = _mm512_maskz_compress_epi32(wanted, numbered(chunk));
        // SAFETY: fewer elements than sets have been written before, and the contract leaves
        // room for a whole vector behind them.
        unsafe {
            _mm512_storeu_si512(found.sets.as_mut_ptr().add(end).cast(), set);
            _mm512_storeu_si512(found.ranks.as_mut_ptr().add(end).cast(), rank);
        }
        end += wanted.count_ones() as usize;
    }
    // SAFETY: so many elements of each have been written, within their capacities.
    unsafe {
        found.sets.set_len(end);
        found.ranks.set_len(end);
    }
}

/// At most a vector's worth of sets, empty ones behind them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(sets: &[Mask]) -> __m512i {
    // SAFETY: lanes beyond the slice are not read.
    unsafe { _mm512_maskz_loadu_epi32(lanes_of(sets), sets.as_ptr().cast()) }
}

/// The lanes that a slice of at most a vector's length fills.
#[inline(always)]
fn lanes_of(sets: &[Mask]) -> u16 {
    u16::MAX >> (LANES - sets.len())
}

/// The places of a chunk's elements.
#[inline]
#[target_feature(enable = "avx512f")]
fn numbered(chunk: usize) -> __m512i {
    let first = _mm512_set1_epi32((chunk * LANES) as i32);
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_add_epi32(first, lanes)
}

/// For each set, the points of the full ones of `lines`.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_full_lines_wide(sets: __m512i, lines: &[Mask]) -> __m512i {
    let mut in_lines = _mm512_setzero_si512();
    for &line in lines {
        let line = _mm512_set1_epi32(line as i32);
        let full = _mm512_cmpeq_epi32_mask(_mm512_and_si512(sets, line), line);
        in_lines = _mm512_mask_or_epi32(in_lines, full, in_lines, line);
    }
    in_lines
}

/// AVX-512 on 32-bit lanes and bytes.
fn wide_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
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

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
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
