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

use crate::index::{binomial, subsets};
use crate::rules::Mask;
use crate::value::Code;

/// Points that number the entries of a page.
const LOW_POINTS: usize = 6;

/// Entries of a page.
pub const PAGE: usize = 1 << LOW_POINTS;

/// Worths, or masks of them (all bits or none), by the men on the first six points.
pub type Page<C> = [C; PAGE];

/// The sets of one size of the free points of a row, arranged in pages.
pub struct Cube {
    points: usize,
    pages: Vec<PageSets>,
    /// By the men on the high points: their page, if they have one.
    page_of: Vec<Option<u32>>,
    /// By rank: the entry, counted over all pages.
    entries: Vec<u32>,
}

/// What one page is for.
pub struct PageSets {
    /// The men on the high points; bit 0 is the seventh point.
    pub high: Mask,
    /// Rank of the first set.
    first_rank: usize,
    /// Their number.
    sets: usize,
}

impl Cube {
    /// The sets of `size` of `points` points.
    pub fn new(points: usize, size: usize) -> Cube {
        let high_points = points.saturating_sub(LOW_POINTS);
        let low_points = points.min(LOW_POINTS);
        let mut cube = Cube {
            points,
            pages: Vec::new(),
            page_of: vec![None; 1 << high_points],
            entries: Vec::with_capacity(binomial(points, size) as usize),
        };
        for high in 0..1u32 << high_points {
            let Some(low_men) = size.checked_sub(high.count_ones() as usize) else { continue };
            if low_men > low_points {
                continue;
            }
            let page = cube.pages.len() as u32;
            let first_rank = cube.entries.len();
            cube.page_of[high as usize] = Some(page);
            let lows = subsets(low_points, low_men);
            cube.entries.extend(lows.iter().map(|low| page * PAGE as u32 + low));
            cube.pages.push(PageSets { high, first_rank, sets: lows.len() });
        }
        cube
    }

    /// Its pages, in order.
    pub fn pages(&self) -> &[PageSets] {
        &self.pages
    }

    /// The page for men on the high points.
    #[inline(always)]
    pub fn page_of(&self, high: Mask) -> Option<usize> {
        self.page_of[high as usize].map(|page| page as usize)
    }

    /// Low points.
    pub fn low_points(&self) -> usize {
        self.points.min(LOW_POINTS)
    }

    /// By rank, the entry of a set, counted over all pages.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Pages for this cube, all entries `code`.
    pub fn filled<C: Code>(&self, code: C) -> Pages<C> {
        Pages(vec![code; (self.pages.len() + 2) * PAGE])
    }

    /// Pages for this cube, nothing known.
    pub fn blank<C: Code>(&self) -> Pages<C> {
        self.filled(C::NONE)
    }

    /// Copies what is in order of rank to its entries, each changed by `change`.
    #[inline(always)]
    pub fn load<C: Code>(&self, ranked: &[C], pages: &mut Pages<C>, change: impl Fn(C) -> C) {
        let entries = pages.entries_mut();
        for (code, &entry) in ranked.iter().zip(&self.entries) {
            entries[entry as usize] = change(*code);
        }
    }

    /// Copies all sets to their ranks.
    #[inline(always)]
    pub fn store<C: Code>(&self, pages: &Pages<C>, ranked: &mut [C]) {
        for (code, &entry) in ranked.iter_mut().zip(&self.entries) {
            *code = pages.entries()[entry as usize];
        }
    }

    /// Copies the sets of page number `page` to their ranks.
    #[inline(always)]
    pub fn store_page<C: Code>(&self, page: usize, entries: &Page<C>, ranked: &mut [C]) {
        let PageSets { first_rank, sets, .. } = self.pages[page];
        let ranked = &mut ranked[first_rank..first_rank + sets];
        let lows = &self.entries[first_rank..first_rank + sets];
        for (code, &entry) in ranked.iter_mut().zip(lows) {
            *code = entries[entry as usize % PAGE];
        }
    }
}

/// The pages of a cube end to end, with an unused one before and after them: a page may be looked
/// at from some entries further on or back.
pub struct Pages<C>(Vec<C>);

impl<C: Code> Pages<C> {
    /// All entries, page after page.
    pub fn entries(&self) -> &[C] {
        &self.0[PAGE..self.0.len() - PAGE]
    }

    /// The same, to be changed.
    pub fn entries_mut(&mut self) -> &mut [C] {
        let end = self.0.len() - PAGE;
        &mut self.0[PAGE..end]
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

    /// Entry `low` is that of `low` and `men` on low points, where `low` has none of these;
    /// elsewhere anything.
    #[inline(always)]
    pub fn with_men(&self, page: usize, men: Mask) -> &Page<C> {
        self.from(PAGE * (page + 1) + men as usize)
    }

    /// Entry `low` is that of `low` without the low point `point`, where `low` has the point;
    /// elsewhere anything.
    #[inline(always)]
    pub fn without_point(&self, page: usize, point: usize) -> &Page<C> {
        self.from(PAGE * (page + 1) - (1 << point))
    }

    #[inline(always)]
    fn from(&self, start: usize) -> &Page<C> {
        self.0[start..start + PAGE].try_into().expect("a page's length")
    }
}

/// Takes the better of two worths, entry by entry.
#[inline(always)]
pub fn improve<C: Code>(best: &mut Page<C>, other: &Page<C>) {
    for (best, other) in best.iter_mut().zip(other) {
        *best = (*best).max(*other);
    }
}

/// `yes` where the mask is set, else `no`.
#[inline(always)]
pub fn choose<C: Code>(mask: &Page<C>, yes: &Page<C>, no: &Page<C>) -> Page<C> {
    let mut chosen = *no;
    for i in 0..PAGE {
        chosen[i] = mask[i] & yes[i] | !mask[i] & no[i];
    }
    chosen
}

/// `page` where the mask is set, else nothing.
#[inline(always)]
pub fn keep<C: Code>(mask: &Page<C>, page: &Page<C>) -> Page<C> {
    let mut kept = *page;
    kept.iter_mut().zip(mask).for_each(|(kept, mask)| *kept = *kept & *mask);
    kept
}

/// Masks for "men stand on all of these low points", by the low points, and for "none does".
pub struct Patterns<C> {
    /// One more at the end that holds nowhere.
    all: Vec<Page<C>>,
    none: Vec<Page<C>>,
}

impl<C: Code> Patterns<C> {
    /// All of them.
    pub fn new() -> Patterns<C> {
        let masks = |holds: fn(usize, usize) -> bool| -> Vec<Page<C>> {
            let mask = |points: usize| {
                std::array::from_fn(|low| if holds(low, points) { !C::NONE } else { C::NONE })
            };
            (0..PAGE).map(mask).collect()
        };
        let mut all = masks(|low, points| low & points == points);
        all.push([C::NONE; PAGE]);
        Patterns { all, none: masks(|low, points| low & points == 0) }
    }

    /// Where men stand on all of `points`.
    #[inline(always)]
    pub fn all(&self, points: Mask) -> &Page<C> {
        &self.all[points as usize % PAGE]
    }

    /// The same, nowhere unless `holds`; without a branch.
    #[inline(always)]
    fn all_if(&self, holds: bool, points: Mask) -> &Page<C> {
        &self.all[if holds { points as usize % PAGE } else { PAGE }]
    }

    /// Where no man stands on any of `points`.
    #[inline(always)]
    pub fn none(&self, points: Mask) -> &Page<C> {
        &self.none[points as usize % PAGE]
    }
}

/// The lines through each point of a row, as the men that must stand on the line's other points.
pub struct Conditions {
    by_point: Vec<Vec<Mask>>,
}

impl Conditions {
    /// Of the local `lines` of a row with so many points.
    pub fn new(points: usize, lines: &[Mask]) -> Conditions {
        let through = |point: usize| {
            let through = lines.iter().filter(|&&line| line >> point & 1 == 1);
            through.map(|line| line & !(1 << point)).collect()
        };
        Conditions { by_point: (0..points).map(through).collect() }
    }

    /// Is there a line through `point`?
    #[inline(always)]
    pub fn any(&self, point: usize) -> bool {
        !self.by_point[point].is_empty()
    }

    /// Which entries of the page of `high` have men on the other points of a line through `point`.
    #[inline(always)]
    pub fn full<C: Code>(&self, patterns: &Patterns<C>, point: usize, high: Mask) -> Page<C> {
        let mut full = [C::NONE; PAGE];
        for &others in &self.by_point[point] {
            let line = patterns.all_if(others >> LOW_POINTS & !high == 0, others);
            full.iter_mut().zip(line).for_each(|(full, line)| *full = *full | *line);
        }
        full
    }

    /// The same for two lines at least.
    #[inline(always)]
    pub fn full_twice<C: Code>(&self, patterns: &Patterns<C>, point: usize, high: Mask) -> Page<C> {
        let (mut once, mut twice) = ([C::NONE; PAGE], [C::NONE; PAGE]);
        for &others in &self.by_point[point] {
            let line = patterns.all_if(others >> LOW_POINTS & !high == 0, others);
            for (i, line) in line.iter().enumerate() {
                twice[i] = twice[i] | once[i] & *line;
                once[i] = once[i] | *line;
            }
        }
        twice
    }
}

/// The number of a high point among all points of the row.
pub fn row_point(high_point: usize) -> usize {
    LOW_POINTS + high_point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_entries_are_the_sets_in_order_of_rank() {
        for (points, size) in [(4, 2), (6, 3), (9, 0), (15, 9), (21, 3), (8, 8)] {
            let cube = Cube::new(points, size);
            let sets = subsets(points, size);
            assert_eq!(cube.entries().len(), sets.len());
            for (&entry, &set) in cube.entries().iter().zip(&sets) {
                let page = &cube.pages()[entry as usize / PAGE];
                assert_eq!((page.high << LOW_POINTS) | (entry % PAGE as u32), set);
                assert_eq!(cube.page_of(page.high), Some(entry as usize / PAGE));
            }
        }
    }

    #[test]
    fn test_loading_and_storing_are_inverse() {
        let cube = Cube::new(12, 5);
        let ranked: Vec<u8> = (0..binomial(12, 5)).map(|rank| rank as u8).collect();
        let mut pages = cube.blank();
        cube.load(&ranked, &mut pages, |code| code);
        let mut back = vec![0; ranked.len()];
        cube.store(&pages, &mut back);
        assert_eq!(back, ranked);
        back.fill(0);
        (0..cube.pages().len()).for_each(|i| cube.store_page(i, pages.page(i), &mut back));
        assert_eq!(back, ranked);
    }

    #[test]
    fn test_points_are_added_and_taken_away() {
        let cube = Cube::new(6, 3);
        let mut pages = cube.blank::<u8>();
        pages.entries_mut().iter_mut().zip(0..).for_each(|(entry, low)| *entry = low);
        for point in 0..LOW_POINTS {
            let bit = 1 << point;
            for low in 0..PAGE {
                match low & bit {
                    0 => assert_eq!(pages.with_men(0, bit as Mask)[low], (low | bit) as u8),
                    _ => assert_eq!(pages.without_point(0, point)[low], (low & !bit) as u8),
                }
            }
        }
    }

    #[test]
    fn test_full_lines_are_found_by_entry() {
        // Through point 0: a line of low points, and one that needs the seventh.
        let conditions = Conditions::new(8, &[0b111, 1 | 1 << 3 | 1 << 6]);
        let patterns = Patterns::<u8>::new();
        let with_high = conditions.full(&patterns, 0, 1);
        let twice = conditions.full_twice(&patterns, 0, 1);
        let without = conditions.full(&patterns, 0, 0);
        for low in 0..PAGE {
            let (first, second) = (low & 0b110 == 0b110, low & 0b1000 != 0);
            assert_eq!(with_high[low] != 0, first || second);
            assert_eq!(twice[low] != 0, first && second);
            assert_eq!(without[low] != 0, first);
        }
        assert!(conditions.any(0) && !conditions.any(7));
    }
}
