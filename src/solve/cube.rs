//! A row as pages: the men on its first six free points, side by side for vector instructions.
//!
//! In rank order the neighbours of a set are scattered. A [`Cube`] keeps the sets of a size in
//! *pages* of 64 entries instead, one page for every way to hold the points from the seventh on, and
//! in it one entry for every way to hold the first six (of which those of another size stay
//! unused). A man more or less on a high point is then another page, entry by entry, and on a low
//! point the page read 2^point entries further on or back; conditions on other points are masks. So
//! one turn is followed for 64 entries in a few instructions; in the large tables 11 to 13 of the
//! entries are sets, and one placement fits 4 to 7 of them.
//! Invariant: a kernel reads and writes any entry of a page, but only entries of the cube's size
//! mean anything.

use super::bits::Bits;
use crate::index::subsets;
use crate::rules::Mask;
use crate::value::Code;
use std::ops::Range;

/// Points that number the entries of a page.
pub const LOW_POINTS: usize = 6;

/// Entries of a page.
pub const PAGE: usize = 1 << LOW_POINTS;

/// Worths by the men on the first six points.
pub type Page<C> = [C; PAGE];

/// The sets of one size of the free points of a row, arranged in pages.
pub struct Cube {
    points: usize,
    pages: Vec<PageSets>,
    /// By the men on the high points: their page, if they have one.
    page_of: Vec<Option<u32>>,
    /// Their number.
    sets: usize,
}

/// What one page is for.
pub struct PageSets {
    /// The men on the high points; bit 0 is the seventh point.
    pub high: Mask,
    /// The entries of sets.
    entries: Entries,
    /// Rank of the first set; the others follow, entry by entry.
    first_rank: usize,
}

impl PageSets {
    /// The ranks of the page's sets, which are in the order of its entries.
    #[inline(always)]
    fn ranks(&self) -> Range<usize> {
        self.first_rank..self.first_rank + self.entries.count_ones() as usize
    }
}

impl Cube {
    /// The sets of `size` of `points` points.
    pub fn new(points: usize, size: usize) -> Cube {
        let high_points = points.saturating_sub(LOW_POINTS);
        let low_points = points.min(LOW_POINTS);
        let mut cube =
            Cube { points, pages: Vec::new(), page_of: vec![None; 1 << high_points], sets: 0 };
        for high in 0..1u32 << high_points {
            let Some(low_men) = size.checked_sub(high.count_ones() as usize) else { continue };
            if low_men > low_points {
                continue;
            }
            cube.page_of[high as usize] = Some(cube.pages.len() as u32);
            let lows = subsets(low_points, low_men);
            let entries = lows.iter().fold(0, |entries, low| entries | 1 << low);
            cube.pages.push(PageSets { high, entries, first_rank: cube.sets });
            cube.sets += lows.len();
        }
        cube
    }

    /// Its pages, in order.
    pub fn pages(&self) -> &[PageSets] {
        &self.pages
    }

    /// The page for men on the high points, if there are such points and such sets.
    #[inline(always)]
    pub fn page_of(&self, high: Mask) -> Option<usize> {
        self.page_of.get(high as usize)?.map(|page| page as usize)
    }

    /// Low points.
    pub fn low_points(&self) -> usize {
        self.points.min(LOW_POINTS)
    }

    /// The number of sets.
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// Pages for this cube, all entries `code`.
    pub fn filled<C: Code>(&self, code: C) -> Pages<C> {
        Pages(vec![code; (self.pages.len() + 2) * PAGE])
    }

    /// Pages for this cube, nothing known.
    pub fn blank<C: Code>(&self) -> Pages<C> {
        self.filled(C::NONE)
    }

    /// Copies what is in order of rank to its entries, each changed by `change`, which leaves nothing
    /// known as it is; entries without a set become that.
    #[inline(always)]
    pub fn load<B: Bits, C: Code>(
        &self,
        bits: B,
        ranked: &[C],
        pages: &mut Pages<C>,
        change: impl Fn(C) -> C,
    ) {
        for number in 0..self.pages.len() {
            *pages.page_mut(number) = self.load_page(bits, number, ranked).map(&change);
        }
    }

    /// Page number `page` of what is in order of rank.
    #[inline(always)]
    pub fn load_page<B: Bits, C: Code>(&self, bits: B, page: usize, ranked: &[C]) -> Page<C> {
        let sets = &self.pages[page];
        bits.expand(sets.entries, &ranked[sets.ranks()])
    }

    /// Copies the sets of page number `page` to their ranks.
    #[inline(always)]
    pub fn store_page<B: Bits, C: Code>(
        &self,
        bits: B,
        page: usize,
        codes: &Page<C>,
        ranked: &mut [C],
    ) {
        let sets = &self.pages[page];
        bits.compress(sets.entries, codes, &mut ranked[sets.ranks()]);
    }
}

/// The pages of a cube end to end, with an unused one before and after them: a page may be looked
/// at from some entries further on or back.
pub struct Pages<C>(Vec<C>);

impl<C: Code> Pages<C> {
    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.fill(C::NONE);
    }

    /// Makes all entries `code`.
    pub fn fill(&mut self, code: C) {
        self.0.fill(code);
    }

    /// A page.
    #[inline(always)]
    pub fn page(&self, page: usize) -> &Page<C> {
        self.from(PAGE * (page + 1))
    }

    /// A page, to be changed.
    #[inline(always)]
    pub fn page_mut(&mut self, page: usize) -> &mut Page<C> {
        let start = PAGE * (page + 1);
        (&mut self.0[start..start + PAGE]).try_into().expect("a page's length")
    }

    /// Entry `low` is that of `low` and a man on the low point, where `low` has none there; elsewhere
    /// anything.
    #[inline(always)]
    pub fn with_man(&self, page: usize, point: usize) -> &Page<C> {
        self.from(PAGE * (page + 1) + (1 << point))
    }

    /// Entry `low` is that of `low` without the man on the low point, where `low` has one there;
    /// elsewhere anything.
    #[inline(always)]
    pub fn without_man(&self, page: usize, point: usize) -> &Page<C> {
        self.from(PAGE * (page + 1) - (1 << point))
    }

    /// Each entry is the one `distance` further on in the page; where that lies in another page, anything.
    #[inline(always)]
    pub fn shifted(&self, page: usize, distance: isize) -> &Page<C> {
        self.from((PAGE * (page + 1)).wrapping_add_signed(distance))
    }

    #[inline(always)]
    fn from(&self, start: usize) -> &Page<C> {
        self.0[start..start + PAGE].try_into().expect("a page's length")
    }
}

/// Entries of a page, as bits: those whose men on the low points are so and so.
pub type Entries = u64;

/// All entries.
pub const ALL: Entries = Entries::MAX;

/// Entries with a man on each low point.
const WITH: [Entries; LOW_POINTS] = {
    let mut with = [0; LOW_POINTS];
    let mut entry = 0;
    while entry < PAGE {
        let mut point = 0;
        while point < LOW_POINTS {
            with[point] |= ((entry >> point & 1) as Entries) << entry;
            point += 1;
        }
        entry += 1;
    }
    with
};

/// Entries with a man on the low point.
#[inline(always)]
pub fn with(point: usize) -> Entries {
    WITH[point]
}

/// The men that must stand elsewhere on a line for it to be full with a man on one of its points.
#[derive(Clone, Copy)]
pub struct Others {
    /// Those on low points: the entries with them.
    low: Entries,
    /// Those on high points.
    high: Mask,
}

impl Others {
    /// Those men.
    pub fn new(others: Mask) -> Others {
        let low = (0..LOW_POINTS).filter(|point| others >> point & 1 == 1);
        let low = low.fold(ALL, |entries, point| entries & with(point));
        Others { low, high: others >> LOW_POINTS }
    }

    /// The entries of the page of `high` where they stand; without a branch.
    #[inline(always)]
    pub fn stand(self, high: Mask) -> Entries {
        if self.high & !high == 0 { self.low } else { 0 }
    }
}

/// The lines through each point of a row.
pub struct Conditions {
    /// Point after point.
    lines: Vec<Others>,
    /// By point, where its lines end.
    ends: Vec<usize>,
}

impl Conditions {
    /// Of the local `lines` of a row with so many points.
    pub fn new(points: usize, lines: &[Mask]) -> Conditions {
        let mut conditions = Conditions { lines: Vec::new(), ends: Vec::with_capacity(points) };
        for point in 0..points {
            let through = lines.iter().filter(|&&line| line >> point & 1 == 1);
            let others = through.map(|line| Others::new(line & !(1 << point)));
            conditions.lines.extend(others);
            conditions.ends.push(conditions.lines.len());
        }
        conditions
    }

    #[inline(always)]
    fn through(&self, point: usize) -> &[Others] {
        let start = if point == 0 { 0 } else { self.ends[point - 1] };
        &self.lines[start..self.ends[point]]
    }

    /// Is there a line through `point`?
    #[inline(always)]
    pub fn any(&self, point: usize) -> bool {
        !self.through(point).is_empty()
    }

    /// Which entries of the page of `high` have men on the other points of a line through `point`.
    #[inline(always)]
    pub fn full(&self, point: usize, high: Mask) -> Entries {
        self.through(point).iter().fold(0, |full, others| full | others.stand(high))
    }

    /// The same for two lines at least.
    #[inline(always)]
    pub fn full_twice(&self, point: usize, high: Mask) -> Entries {
        let lines = self.through(point).iter().map(|others| others.stand(high));
        lines.fold((0, 0), |(once, twice), line| (once | line, twice | once & line)).1
    }
}

/// The number of a high point among all points of the row.
pub fn row_point(high_point: usize) -> usize {
    LOW_POINTS + high_point
}

#[cfg(test)]
mod tests {
    use super::super::bits::Portable;
    use super::*;

    #[test]
    fn test_entries_are_the_sets_in_order_of_rank() {
        for (points, size) in [(4, 2), (6, 3), (9, 0), (15, 9), (21, 3), (8, 8)] {
            let cube = Cube::new(points, size);
            let sets = subsets(points, size);
            assert_eq!(cube.sets(), sets.len());
            let mut pages = cube.blank();
            let ranked: Vec<u16> = (1..=sets.len() as u16).collect();
            cube.load(Portable, &ranked, &mut pages, |code| code);
            for (&rank, &set) in ranked.iter().zip(&sets) {
                let page = cube.page_of(set >> LOW_POINTS).unwrap();
                assert_eq!(cube.pages()[page].high, set >> LOW_POINTS);
                assert_eq!(pages.page(page)[set as usize % PAGE], rank);
            }
        }
    }

    #[test]
    fn test_loading_and_storing_are_inverse() {
        let cube = Cube::new(12, 5);
        let ranked: Vec<u8> = (0..cube.sets()).map(|rank| rank as u8).collect();
        let mut pages = cube.blank();
        cube.load(Portable, &ranked, &mut pages, |code| code);
        let mut back = vec![0; ranked.len()];
        for i in 0..cube.pages().len() {
            cube.store_page(Portable, i, pages.page(i), &mut back);
        }
        assert_eq!(back, ranked);
    }

    #[test]
    fn test_points_are_added_and_taken_away() {
        let cube = Cube::new(6, 3);
        let mut pages = cube.blank::<u8>();
        *pages.page_mut(0) = std::array::from_fn(|low| low as u8);
        for point in 0..LOW_POINTS {
            let bit = 1 << point;
            for low in 0..PAGE {
                match low & bit {
                    0 => assert_eq!(pages.with_man(0, point)[low], (low | bit) as u8),
                    _ => assert_eq!(pages.without_man(0, point)[low], (low & !bit) as u8),
                }
            }
        }
    }

    #[test]
    fn test_full_lines_are_found_by_entry() {
        // Through point 0: a line of low points, and one that needs the seventh.
        let conditions = Conditions::new(8, &[0b111, 1 | 1 << 3 | 1 << 6]);
        let with_high = conditions.full(0, 1);
        let twice = conditions.full_twice(0, 1);
        let without = conditions.full(0, 0);
        for low in 0..PAGE {
            let (first, second) = (low & 0b110 == 0b110, low & 0b1000 != 0);
            let set = |entries: Entries| entries >> low & 1 == 1;
            assert_eq!(set(with_high), first || second);
            assert_eq!(set(twice), first && second);
            assert_eq!(set(without), first);
        }
        assert!(conditions.any(0) && !conditions.any(7));
    }
}
