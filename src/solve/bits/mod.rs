//! The instructions of the inner loops, and the one place that chooses them.
//!
//! The inner loops renumber sets of points, fetch codes ahead and take moves back, once per
//! position, and choose among 64 worths at a time. What does that in one instruction may not be used
//! unasked by code built for any x86-64: [`run`] detects it at run time, and a [`Job`] is compiled for
//! three machines (any; BMI2 with AVX2; AVX-512 with VBMI2 too), so that the whole loop is built for the
//! machine at hand.
//! Invariant: every path gives the same results; the portable one is the reference in tests. The
//! instructions themselves are in `x86`.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::blocks::{Block, BlockMove, PLANES, WORDS};
use super::cube::{PAGE, Page};
use crate::rules::Mask;
use crate::value::Code;

/// Bytes that come from memory together.
const CACHE_LINE: usize = 64;

/// Renumbering of points: see [`crate::index::squeeze`] and [`crate::index::spread`].
pub trait Bits: Copy + Sync {
    /// Is it cheaper to take moves back by blocks than one by one, where there are many?
    const BLOCKS_PAY: bool = false;

    /// Bit i of the result is the i-th point of `kept`.
    fn squeeze(self, set: Mask, kept: Mask) -> Mask;
    /// The inverse of `squeeze`.
    fn spread(self, set: Mask, kept: Mask) -> Mask;

    /// Has `elements[index]` on its way from memory while other work is done.
    #[inline(always)]
    fn prefetch<T>(self, _elements: &[T], _index: usize) {}

    /// The same for all of `elements`.
    #[inline(always)]
    fn prefetch_all<T>(self, elements: &[T]) {
        for index in (0..elements.len()).step_by(CACHE_LINE / size_of::<T>()) {
            self.prefetch(elements, index);
        }
    }

    /// Takes the better of two worths where `mask` is set, entry by entry.
    #[inline(always)]
    fn improve<C: Code>(self, best: &mut Page<C>, mask: u64, worths: &Page<C>) {
        let mask = entries::<C>(mask);
        for i in 0..PAGE {
            best[i] = best[i].max(worths[i] & mask[i]);
        }
    }

    /// Adds `amount` where `mask` is set; sums wrap around.
    #[inline(always)]
    fn add(self, counts: &mut Page<u8>, mask: u64, amount: u8) {
        for (counts, byte) in counts.chunks_mut(8).zip(mask.to_le_bytes()) {
            for (count, &set) in counts.iter_mut().zip(&BYTES[usize::from(byte)]) {
                *count = count.wrapping_add(if set { amount } else { 0 });
            }
        }
    }

    /// `yes` where `mask` is set, else `no`.
    #[inline(always)]
    fn choose<C: Code>(self, mask: u64, yes: &Page<C>, no: &Page<C>) -> Page<C> {
        let mask = entries::<C>(mask);
        std::array::from_fn(|i| mask[i] & yes[i] | !mask[i] & no[i])
    }

    /// By entry, what is at the place that `places` names.
    #[inline(always)]
    fn pick<C: Code>(self, places: &[u8; PAGE], page: &Page<C>) -> Page<C> {
        pick_one_by_one(places, page)
    }

    /// Exchanges the entries of `without` that have a man on the low point and those of `with` that have
    /// none, each in order.
    #[inline(always)]
    fn exchange<C: Code>(self, point: usize, without: &mut Page<C>, with: &mut Page<C>) {
        exchange_one_by_one(point, without, with);
    }

    /// The entries that are `count`.
    #[inline(always)]
    fn equal(self, counts: &Page<u8>, count: u8) -> u64 {
        (0..).zip(counts).fold(0, |equal, (i, &other)| equal | u64::from(other == count) << i)
    }

    /// [`Bits::squeeze`] for the entries of a page.
    #[inline(always)]
    fn squeeze_entries(self, set: u64, kept: u64) -> u64 {
        let places = (0..).zip(entries_of(kept));
        places.fold(0, |squeezed, (i, entry)| squeezed | (set >> entry & 1) << i)
    }

    /// [`Bits::spread`] for the entries of a page; `set` may have more bits than `kept`.
    #[inline(always)]
    fn spread_entries(self, set: u64, kept: u64) -> u64 {
        let places = (0..).zip(entries_of(kept));
        places.fold(0, |spread, (i, entry)| spread | (set >> i & 1) << entry)
    }

    /// By set of block number `high`, how many of the `chosen` moves lead to `frontier`, which has an
    /// empty block before and after it: the planes of these numbers. The last of `moves` never applies.
    #[inline(always)]
    fn sum_moves<const LINES: usize>(
        self,
        frontier: &[u64],
        moves: &[BlockMove],
        chosen: u64,
        high: usize,
    ) -> [Block; PLANES] {
        sum_one_by_one::<LINES>(frontier, moves, chosen, high)
    }

    /// A page whose `entries` are `ranked`, as many of them, one after the other; the rest is `NONE`.
    #[inline(always)]
    fn expand<C: Code>(self, entries: u64, ranked: &[C]) -> Page<C> {
        let mut page = [C::NONE; PAGE];
        for (entry, &code) in entries_of(entries).zip(ranked) {
            page[entry] = code;
        }
        page
    }

    /// The inverse: takes the `entries` of a page to `ranked`, which has room for just so many.
    #[inline(always)]
    fn compress<C: Code>(self, entries: u64, page: &Page<C>, ranked: &mut [C]) {
        for (entry, code) in entries_of(entries).zip(ranked) {
            *code = page[entry];
        }
    }

    /// Takes back the quiet moves along `pairs` that lead to each of `afters`, and adds the sets
    /// before them to `befores`. A man in one of the full `lines` has closed it by coming there, so
    /// that his move was not quiet.
    #[inline(always)]
    fn take_back(self, afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
        take_back_one_by_one(afters, pairs, lines, befores);
    }

    /// Adds those of `sets` that hold one of `lines` to `found`.
    #[inline(always)]
    fn with_lines(self, sets: &[Mask], lines: &[Mask], found: &mut Found) {
        keep_one_by_one(sets, found, |set| in_full_lines(set, lines) != 0);
    }

    /// Adds those of `sets` that share no point with `other` to `found`.
    #[inline(always)]
    fn disjoint(self, sets: &[Mask], other: Mask, found: &mut Found) {
        keep_one_by_one(sets, found, |set| set & other == 0);
    }
}

/// By byte, its bits as bytes: all bits set or none.
const BYTES: [[bool; 8]; 256] = {
    let mut bytes = [[false; 8]; 256];
    let mut i = 0;
    while i < 8 * 256 {
        bytes[i / 8][i % 8] = (i / 8) >> (i % 8) & 1 == 1;
        i += 1;
    }
    bytes
};

/// A mask entry by entry: all bits of an entry, or none.
#[inline(always)]
fn entries<C: Code>(mask: u64) -> Page<C> {
    let mut entries = [C::NONE; PAGE];
    for (entries, byte) in entries.chunks_mut(8).zip(mask.to_le_bytes()) {
        for (entry, &set) in entries.iter_mut().zip(&BYTES[usize::from(byte)]) {
            *entry = if set { !C::NONE } else { C::NONE };
        }
    }
    entries
}

/// [`Bits::pick`] without vector instructions.
#[inline(always)]
fn pick_one_by_one<C: Code>(places: &[u8; PAGE], page: &Page<C>) -> Page<C> {
    places.map(|place| page[usize::from(place) % PAGE])
}

/// [`Bits::exchange`] without vector instructions.
#[inline(always)]
fn exchange_one_by_one<C: Code>(point: usize, without: &mut Page<C>, with: &mut Page<C>) {
    for entry in (0..PAGE).filter(|entry| entry >> point & 1 == 0) {
        std::mem::swap(&mut without[entry | 1 << point], &mut with[entry]);
    }
}

/// [`Bits::sum_moves`] without vector instructions.
#[inline(always)]
fn sum_one_by_one<const LINES: usize>(
    frontier: &[u64],
    moves: &[BlockMove],
    mut chosen: u64,
    high: usize,
) -> [Block; PLANES] {
    let mut sums = [[0; WORDS]; PLANES];
    while chosen != 0 {
        let one = &moves[chosen.trailing_zeros() as usize];
        chosen &= chosen - 1;
        let after = &frontier[one.after(high)..][..WORDS];
        for i in 0..WORDS {
            let mut carry = after[i].rotate_right(one.bits) & one.before[i];
            for line in &one.lines[..LINES] {
                carry &= if line.high & !high == 0 { !line.low[i] } else { u64::MAX };
            }
            for sum in &mut sums {
                (sum[i], carry) = (sum[i] ^ carry, sum[i] & carry);
            }
        }
    }
    sums
}

/// The numbers of the bits set.
#[inline(always)]
fn entries_of(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let entry = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (entry < PAGE).then_some(entry)
    })
}

/// Sets that were looked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The sets.
    pub sets: Vec<Mask>,
    /// Their places among those looked at, which are their ranks.
    pub ranks: Vec<u32>,
}

/// The points of the full ones of `lines`.
#[inline(always)]
fn in_full_lines(set: Mask, lines: &[Mask]) -> Mask {
    let mut full = 0;
    for &line in lines {
        full |= if set & line == line { line } else { 0 };
    }
    full
}

/// [`Bits::take_back`] without vector instructions, and without branches: which moves there were
/// cannot be predicted.
#[inline(always)]
fn take_back_one_by_one(afters: &[Mask], pairs: &[Mask], lines: &[Mask], befores: &mut Vec<Mask>) {
    let mut found = befores.len();
    // One more than there can be: the last write may be one to be forgotten.
    befores.resize(found + afters.len() * pairs.len() + 1, 0);
    for &after in afters {
        let closed = in_full_lines(after, lines);
        for &pair in pairs {
            let to = after & pair;
            befores[found] = after ^ pair;
            found += usize::from((to != 0) & (to != pair) & (to & closed == 0));
        }
    }
    befores.truncate(found);
}

/// Adds the sets that are `wanted` to `found`, in the same manner.
#[inline(always)]
fn keep_one_by_one(sets: &[Mask], found: &mut Found, wanted: impl Fn(Mask) -> bool) {
    let mut end = found.sets.len();
    found.sets.resize(end + sets.len() + 1, 0);
    found.ranks.resize(end + sets.len() + 1, 0);
    for (rank, &set) in (0..).zip(sets) {
        (found.sets[end], found.ranks[end]) = (set, rank);
        end += usize::from(wanted(set));
    }
    found.sets.truncate(end);
    found.ranks.truncate(end);
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

/// Runs `job` with the instructions of machines between the plainest and the best, if these are there.
#[cfg(test)]
pub fn run_middle<J: Job>(job: J) -> Option<J::Output> {
    #[cfg(target_arch = "x86_64")]
    return x86::run_middle(job);
    #[cfg(not(target_arch = "x86_64"))]
    None
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
        type Output = (Vec<Mask>, Found);

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Self::Output {
            let (mut befores, mut found) = (vec![7], Found::default());
            let (pairs, lines) = ([0b11, 0b110, 0b1001, 0b1100_0000_0000], [0b111, 0b1110_0000]);
            for count in [0, 1, 15, 16, 17, 200] {
                let afters: Vec<Mask> =
                    (0..count).map(|i: Mask| i.wrapping_mul(40_503) >> 3 & 0xfff).collect();
                bits.take_back(&afters, &pairs, &lines, &mut befores);
                bits.with_lines(&afters, &lines, &mut found);
                bits.disjoint(&afters, 0b1010_1000_0001, &mut found);
            }
            befores.sort_unstable();
            (befores, found)
        }
    }

    /// Pages of every kernel on pages, from pseudo-random codes.
    struct PageWork<C>(std::marker::PhantomData<C>);

    impl<C: Code> Job for PageWork<C> {
        type Output = Vec<Vec<C>>;

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Vec<Vec<C>> {
            let mut state = 1u64;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                state.rotate_left(29)
            };
            let mut seen = Vec::new();
            for round in 0..200u32 {
                let mask = match round {
                    0 => 0,
                    1 => u64::MAX,
                    _ => next(),
                };
                let largest = 2 * C::DRAW.number();
                let mut page = || std::array::from_fn(|_| C::of(next() as u32 % largest));
                let (one, two): (Page<C>, Page<C>) = (page(), page());
                let mut best = one;
                bits.improve(&mut best, mask, &two);
                let mut ranked = vec![C::NONE; mask.count_ones() as usize];
                bits.compress(mask, &one, &mut ranked);
                let expanded = bits.expand(mask, &ranked);
                let chosen = bits.choose(mask, &one, &two);
                let mut counts = std::array::from_fn(|i| i as u8);
                bits.add(&mut counts, mask, 250);
                let places = std::array::from_fn(|_| (next() >> 7) as u8 % 64);
                let picked = bits.pick(&places, &one);
                let (mut without, mut with) = (one, two);
                let point = round as usize % 6;
                bits.exchange(point, &mut without, &mut with);
                let (set, held) = (next(), next());
                let squeezed = bits.squeeze_entries(set, held);
                assert!(squeezed.checked_shr(held.count_ones()).unwrap_or(0) == 0);
                assert_eq!(
                    bits.spread_entries(squeezed | set << held.count_ones(), held),
                    set & held
                );
                let equal = bits.equal(&counts, 7);
                assert!((0..PAGE).all(|i| {
                    let set = mask >> i & 1 == 1;
                    best[i] == if set { one[i].max(two[i]) } else { one[i] }
                        && chosen[i] == if set { one[i] } else { two[i] }
                        && expanded[i] == if set { one[i] } else { C::NONE }
                        && counts[i] == (i as u8).wrapping_add(if set { 250 } else { 0 })
                        && (equal >> i & 1 == 1) == (counts[i] == 7)
                        && picked[i] == one[usize::from(places[i])]
                        && match i >> point & 1 {
                            0 => without[i] == one[i] && with[i] == one[i | 1 << point],
                            _ => without[i] == two[i ^ 1 << point] && with[i] == two[i],
                        }
                }));
                seen.extend([best.to_vec(), chosen.to_vec(), ranked]);
            }
            seen
        }
    }

    fn check_page_work<C: Code>() {
        let work = || PageWork::<C>(std::marker::PhantomData);
        let plain = work().run(Portable);
        assert!(run(work()) == plain);
        assert!(run_middle(work()).is_none_or(|seen| seen == plain));
    }

    #[test]
    fn test_every_path_does_the_same_to_pages() {
        check_page_work::<u8>();
        check_page_work::<u16>();
    }

    #[test]
    fn test_every_path_takes_the_same_moves_back() {
        let plain = TakeBack.run(Portable);
        assert!(plain.0.len() > 100 && plain.1.sets.len() > 20);
        assert_eq!(run(TakeBack), plain);
        assert!(run_middle(TakeBack).is_none_or(|taken| taken == plain));
    }

    #[test]
    fn test_every_path_agrees_with_the_definition() {
        Compare.run(Portable);
        run(Compare);
        run_middle(Compare);
    }
}
