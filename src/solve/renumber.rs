//! A row of another table in the numbering of a row here.
//!
//! When a man joins or leaves the set that names a row, the turn leads to another row, and a symmetry
//! carries the ranked men along: every point they may stand on gets another number there, the same
//! for all of the row's sets. In pages (see `cube`) that is done for 64 sets at a time. A point
//! numbered low here and there moves entries within a page, one numbered high in both moves whole
//! pages; one low here and high there is exchanged with one that is high here and low there, page
//! pair by page pair. So pages are taken in *blocks*, those that differ in exchanged points only.
//! Invariant: the pages delivered hold the code of every set here from the set it becomes there.

use super::bits::Bits;
use super::cube::{ALL, Cube, Entries, LOW_POINTS, PAGE, Page, Pages, with};
use crate::index::subsets;
use crate::rules::{Mask, Point, points_of};
use crate::value::Code;

/// Pages of a block at most: each low point exchanged with a high one.
const MOST_BLOCK: usize = 1 << LOW_POINTS;

/// Room for the pages of a block.
pub struct Block<C>([Page<C>; MOST_BLOCK]);

impl<C: Code> Block<C> {
    /// Empty.
    pub fn new() -> Block<C> {
        Block([[C::NONE; PAGE]; MOST_BLOCK])
    }
}

/// Bits of a look-up in [`Moved`].
const PART: usize = 6;

/// Numbers of points, of which there are few.
struct Numbers {
    numbers: [u8; 24],
    length: usize,
}

impl Numbers {
    fn new() -> Numbers {
        Numbers { numbers: [0; 24], length: 0 }
    }

    fn push(&mut self, number: usize) {
        self.numbers[self.length] = number as u8;
        self.length += 1;
    }

    fn as_slice(&self) -> &[u8] {
        &self.numbers[..self.length]
    }
}

/// How the free points of a row there are numbered here.
pub struct Renumbering {
    /// Exchanged points: the number of the low one in its page, there and here.
    exchanged: usize,
    lows: [usize; LOW_POINTS],
    /// By page of a block: its exchanged high points there and here.
    block: [[Mask; MOST_BLOCK]; 2],
    /// By entry here, after the exchanges: the entry there.
    entries: [u8; PAGE],
    entries_move: bool,
    /// The high points that are not exchanged, there and here.
    kept: [Moved; 2],
}

/// Where the bits of a mask go, six at a time.
struct Moved {
    parts: [[Mask; 1 << PART]; 3],
}

impl Moved {
    /// Bit i goes to `places[i]`.
    fn new(places: &[u8]) -> Moved {
        let mut parts = [[0; 1 << PART]; 3];
        for (part, places) in parts.iter_mut().zip(places.chunks(PART)) {
            for (bit, place) in places.iter().enumerate() {
                let (known, new) = part.split_at_mut(1 << bit);
                new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | 1 << place);
            }
        }
        Moved { parts }
    }

    #[inline(always)]
    fn of(&self, mask: Mask) -> Mask {
        let part = |part: usize| self.parts[part][(mask >> (PART * part)) as usize % (1 << PART)];
        part(0) | part(1) | part(2)
    }
}

impl Renumbering {
    /// The points `there` as `image` makes them of the points `here`, in order; each has its number
    /// among its own.
    pub fn new(here: Mask, there: Mask, image: &[Point]) -> Renumbering {
        let mut numbers_there = [0u8; 24];
        for (number, point) in (0..).zip(points_of(there)) {
            numbers_there[usize::from(point)] = number;
        }
        let mut numbers = Numbers::new();
        for point in points_of(here) {
            numbers.push(usize::from(numbers_there[usize::from(image[usize::from(point)])]));
        }
        Renumbering::of_numbers(numbers.as_slice())
    }

    /// Point number i here has number `there[i]` there.
    fn of_numbers(there: &[u8]) -> Renumbering {
        let mut here = [0; 24];
        there.iter().enumerate().for_each(|(i, &number)| here[usize::from(number)] = i);
        let low_points = there.len().min(LOW_POINTS);
        let mut lows = [0; LOW_POINTS];
        let (mut highs_there, mut highs_here) = (Numbers::new(), Numbers::new());
        // Low there and high here: its place in the page is free for one that is high there.
        for low in (0..low_points).filter(|&low| here[low] >= LOW_POINTS) {
            lows[highs_here.length] = low;
            highs_here.push(here[low] - LOW_POINTS);
        }
        // Fewer points than a page has room for: the rest keep their places.
        let mut entry_bits: [usize; LOW_POINTS] = std::array::from_fn(|low| low);
        for (bit, &number) in entry_bits.iter_mut().zip(there) {
            *bit = match usize::from(number).checked_sub(LOW_POINTS) {
                None => usize::from(number),
                Some(high) => {
                    highs_there.push(high);
                    lows[highs_there.length - 1]
                }
            };
        }
        let (mut kept_there, mut kept_here) = (Numbers::new(), Numbers::new());
        for (high, &number) in there.iter().skip(LOW_POINTS).enumerate() {
            if let Some(high_there) = usize::from(number).checked_sub(LOW_POINTS) {
                kept_there.push(high_there);
                kept_here.push(high);
            }
        }
        Renumbering {
            exchanged: highs_there.length,
            lows,
            block: [block_masks(highs_there.as_slice()), block_masks(highs_here.as_slice())],
            entries: entries_of(&entry_bits),
            entries_move: (0..LOW_POINTS).any(|low| entry_bits[low] != low),
            kept: [Moved::new(kept_there.as_slice()), Moved::new(kept_here.as_slice())],
        }
    }
}

/// By number of a page in its block: the high points exchanged that its men stand on.
fn block_masks(highs: &[u8]) -> [Mask; MOST_BLOCK] {
    let mut masks = [0; MOST_BLOCK];
    for (bit, high) in highs.iter().enumerate() {
        let (known, new) = masks.split_at_mut(1 << bit);
        new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | 1 << high);
    }
    masks
}

/// By entry: the entry whose bits are those at `places`.
fn entries_of(places: &[usize; LOW_POINTS]) -> [u8; PAGE] {
    let mut entries = [0u8; PAGE];
    for (bit, place) in places.iter().enumerate() {
        let (known, new) = entries.split_at_mut(1 << bit);
        new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | 1 << place);
    }
    entries
}

/// The blocks of a cube of sets, by number of exchanged points.
pub struct Blocks(Vec<Vec<Mask>>);

impl Blocks {
    /// Blocks that hold sets of `size` of `points` points.
    pub fn new(points: usize, size: usize) -> Blocks {
        let high_points = points.saturating_sub(LOW_POINTS);
        let of = |exchanged: usize| {
            let kept = high_points - exchanged;
            // The others stand on the exchanged points and on the low ones.
            let least = size.saturating_sub(exchanged + LOW_POINTS);
            let mut blocks: Vec<Mask> =
                (least..=size.min(kept)).flat_map(|men| subsets(kept, men)).collect();
            blocks.sort_unstable();
            blocks
        };
        Blocks((0..=high_points.min(LOW_POINTS)).map(of).collect())
    }
}

/// Where pages come from.
///
/// Like [`Sink`] a trait with inlined methods, as closures would be built without the instructions of
/// the loop around them.
pub trait Source<C> {
    /// The page of those high points; of high points without sets, anything.
    fn page<B: Bits>(&self, bits: B, high: Mask) -> Page<C>;
}

/// Where pages go.
pub trait Sink<C> {
    /// Takes a page of those high points, of which there need be no sets.
    fn put<B: Bits>(&mut self, bits: B, high: Mask, page: &Page<C>);
}

/// Renumbers all pages of `source` for `sink`.
#[inline(always)]
pub fn renumber<B: Bits, C: Code>(
    bits: B,
    numbers: &Renumbering,
    blocks: &Blocks,
    room: &mut Block<C>,
    source: &impl Source<C>,
    sink: &mut impl Sink<C>,
) {
    let [there, here] = &numbers.kept;
    let size = 1 << numbers.exchanged;
    let pages = &mut room.0;
    for &kept in &blocks.0[numbers.exchanged] {
        let (there, here) = (there.of(kept), here.of(kept));
        for (loaded, exchanged) in pages[..size].iter_mut().zip(&numbers.block[0]) {
            *loaded = source.page(bits, there | exchanged);
        }
        for (bit, &low) in numbers.lows[..numbers.exchanged].iter().enumerate() {
            for pair in pages[..size].chunks_mut(2 << bit) {
                let (without, with) = pair.split_at_mut(1 << bit);
                for (without, with) in without.iter_mut().zip(with) {
                    bits.exchange(low, without, with);
                }
            }
        }
        for (page, exchanged) in pages[..size].iter().zip(&numbers.block[1]) {
            match numbers.entries_move {
                true => sink.put(bits, here | exchanged, &bits.pick(&numbers.entries, page)),
                false => sink.put(bits, here | exchanged, page),
            }
        }
    }
}

/// Entries of a page by those of one in which a low point is left out of the numbering, so that the first
/// high point takes the last low place: for its two pages, without and with a man there.
const INSERTED: [[[u8; PAGE]; 2]; LOW_POINTS] = {
    let mut inserted = [[[0; PAGE]; 2]; LOW_POINTS];
    let mut low = 0;
    while low < LOW_POINTS {
        let mut entry = 0;
        while entry < PAGE {
            let rest = entry & ((1 << low) - 1) | entry >> (low + 1) << low;
            inserted[low][0][entry] = rest as u8;
            inserted[low][1][entry] = (rest + PAGE / 2) as u8;
            entry += 1;
        }
        low += 1;
    }
    inserted
};

/// The inverse: by entry of the page with the point left out, the entry of its page with it, empty.
const LEFT_OUT: [[u8; PAGE]; LOW_POINTS] = {
    let mut left_out = [[0; PAGE]; LOW_POINTS];
    let mut low = 0;
    while low < LOW_POINTS {
        let mut entry = 0;
        while entry < PAGE {
            let rest = entry % (PAGE / 2);
            left_out[low][entry] = (rest & ((1 << low) - 1) | rest >> low << (low + 1)) as u8;
            entry += 1;
        }
        low += 1;
    }
    left_out
};

/// A bit put in, zero.
#[inline(always)]
fn with_gap(mask: Mask, bit: usize) -> Mask {
    let below = (1 << bit) - 1;
    mask & below | (mask & !below) << 1
}

/// How a stored code becomes a worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is one.
    Nothing,
    /// [`Code::from_successor`].
    Turn,
    /// [`Code::from_conversion`].
    Conversion,
}

/// A row's codes in order of rank, as pages of worths.
#[derive(Clone, Copy)]
pub struct Ranked<'a, C> {
    /// The sets.
    pub cube: &'a Cube,
    /// Their codes.
    pub codes: &'a [C],
    /// What is made of them.
    pub change: Change,
}

impl<C: Code> Source<C> for Ranked<'_, C> {
    #[inline(always)]
    fn page<B: Bits>(&self, bits: B, high: Mask) -> Page<C> {
        let Some(number) = self.cube.page_of(high) else { return [C::NONE; PAGE] };
        let mut page = self.cube.load_page(bits, number, self.codes);
        match self.change {
            Change::Nothing => {}
            Change::Turn => {
                for code in &mut page {
                    *code = C::from_successor(*code);
                }
            }
            Change::Conversion => {
                for code in &mut page {
                    *code = C::from_conversion(*code);
                }
            }
        }
        page
    }
}

/// Pages in which point number `point`, empty in all sets, is left out of the numbering.
pub struct LeftOut<S> {
    /// The point's number.
    pub point: usize,
    /// The pages with it.
    pub pages: S,
}

impl<C: Code, S: Source<C>> Source<C> for LeftOut<S> {
    #[inline(always)]
    fn page<B: Bits>(&self, bits: B, high: Mask) -> Page<C> {
        let Some(low_out) = LEFT_OUT.get(self.point) else {
            return self.pages.page(bits, with_gap(high, self.point - LOW_POINTS));
        };
        let without = bits.pick(low_out, &self.pages.page(bits, high << 1));
        let with = bits.pick(low_out, &self.pages.page(bits, high << 1 | 1));
        bits.choose(with_last_low(), &with, &without)
    }
}

/// The entries with a man on the last low point.
#[inline(always)]
fn with_last_low() -> Entries {
    with(LOW_POINTS - 1)
}

/// Pages that keep the best that comes to them.
pub struct Best<'a, C> {
    /// The sets.
    pub cube: &'a Cube,
    /// Their worths.
    pub pages: &'a mut Pages<C>,
}

impl<C: Code> Best<'_, C> {
    #[inline(always)]
    fn improve<B: Bits>(&mut self, bits: B, high: Mask, entries: Entries, page: &Page<C>) {
        if let Some(number) = self.cube.page_of(high) {
            bits.improve(self.pages.page_mut(number), entries, page);
        }
    }
}

impl<C: Code> Sink<C> for Best<'_, C> {
    #[inline(always)]
    fn put<B: Bits>(&mut self, bits: B, high: Mask, page: &Page<C>) {
        self.improve(bits, high, ALL, page);
    }
}

/// The same for pages in whose numbering point number `point` is left out: it is empty in them.
pub struct PutIn<'a, C> {
    /// The point's number.
    pub point: usize,
    /// The pages with it.
    pub best: Best<'a, C>,
}

impl<C: Code> Sink<C> for PutIn<'_, C> {
    #[inline(always)]
    fn put<B: Bits>(&mut self, bits: B, high: Mask, page: &Page<C>) {
        let Some(inserted) = INSERTED.get(self.point) else {
            return self.best.improve(bits, with_gap(high, self.point - LOW_POINTS), ALL, page);
        };
        let empty = !with(self.point);
        for (first, inserted) in (0..).zip(inserted) {
            self.best.improve(bits, high << 1 | first, empty, &bits.pick(inserted, page));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Job, Portable, run};
    use super::*;
    use crate::index::{Ranks, binomial};

    /// A code that tells sets apart.
    fn code(set: Mask) -> u8 {
        (set.wrapping_mul(2_654_435_761) >> 24) as u8 | 1
    }

    /// All sets of a size in rank order, renumbered; the points numbered `empty` there are left out.
    struct Renumber<'a> {
        there: &'a [u8],
        size: usize,
        empty: Vec<usize>,
    }

    impl Job for Renumber<'_> {
        type Output = Vec<u8>;

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Vec<u8> {
            let Renumber { there, size, empty } = self;
            let points = there.len();
            let source = Cube::new(points + empty.len(), size);
            let target = Cube::new(points, size);
            let codes: Vec<u8> =
                subsets(points + empty.len(), size).into_iter().map(code).collect();
            let load = Ranked { cube: &source, codes: &codes, change: Change::Nothing };
            let mut pages = target.blank();
            let mut best = Best { cube: &target, pages: &mut pages };
            let (numbers, blocks) = (Renumbering::of_numbers(there), Blocks::new(points, size));
            let mut room = Block::new();
            let room = &mut room;
            match empty[..] {
                [] => renumber(bits, &numbers, &blocks, room, &load, &mut best),
                [point] => {
                    let load = LeftOut { point, pages: load };
                    renumber(bits, &numbers, &blocks, room, &load, &mut best);
                }
                [low, high] => {
                    let load = LeftOut { point: low, pages: LeftOut { point: high, pages: load } };
                    renumber(bits, &numbers, &blocks, room, &load, &mut best);
                }
                _ => unreachable!(),
            }
            let mut ranked = vec![0; binomial(points, size) as usize];
            for number in 0..target.pages().len() {
                target.store_page(bits, number, pages.page(number), &mut ranked);
            }
            ranked
        }
    }

    /// Some permutations of so many points.
    fn permutations(points: usize) -> Vec<Vec<u8>> {
        let mut state = points as u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let in_order = || (0..points as u8).collect::<Vec<_>>();
        let mut all = vec![in_order(), in_order().into_iter().rev().collect()];
        for _ in 0..20 {
            let mut numbers = in_order();
            (1..points).for_each(|i| numbers.swap(i, next(i + 1)));
            all.push(numbers);
        }
        all
    }

    #[test]
    fn test_every_set_gets_the_code_of_the_set_it_becomes() {
        for (points, size) in [(3, 2), (6, 3), (7, 2), (9, 0), (10, 5), (15, 6), (18, 3), (8, 8)] {
            for there in permutations(points) {
                let ranks = Ranks::new(size);
                let outs =
                    [vec![], vec![0], vec![points / 2], vec![points], vec![0, 1], vec![1, points]];
                for empty in outs {
                    let job = || Renumber { there: &there, size, empty: empty.clone() };
                    let found = job().run(Portable);
                    assert_eq!(run(job()), found);
                    for set in subsets(points, size) {
                        let becomes =
                            points_of(set).fold(0, |all, p| all | 1 << there[usize::from(p)]);
                        let becomes = empty.iter().fold(becomes, |set, &bit| with_gap(set, bit));
                        let rank = ranks.rank(set) as usize;
                        assert_eq!(found[rank], code(becomes), "{there:?} {empty:?} {set:b}");
                    }
                }
            }
        }
    }

    #[test]
    fn test_a_point_is_put_in() {
        let (points, size) = (9, 4);
        let source = Cube::new(points, size);
        let target = Cube::new(points + 1, size);
        let codes: Vec<u8> = subsets(points, size).into_iter().map(code).collect();
        for point in 0..=points {
            let mut pages: Pages<u8> = target.blank();
            let mut best = PutIn { point, best: Best { cube: &target, pages: &mut pages } };
            for page in source.pages() {
                let load = Ranked { cube: &source, codes: &codes, change: Change::Nothing };
                best.put(Portable, page.high, &load.page(Portable, page.high));
            }
            for set in subsets(points, size) {
                let there = with_gap(set, point);
                let number = target.page_of(there >> LOW_POINTS).unwrap();
                assert_eq!(pages.page(number)[there as usize % PAGE], code(set));
            }
        }
    }
}
