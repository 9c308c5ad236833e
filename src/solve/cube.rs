//! A row as pages: the men on its first six free points, side by side for vector instructions.
//!
//! In rank order the neighbours of a set are scattered. A [`Cube`] keeps the sets of a size in
//! *pages* of 64 entries instead, one page for every way to hold the points from the seventh on, and
//! in it one entry for every way to hold the first six (of which those of another size stay
//! unused). A man more or less on a high point is then another page, entry by entry, and on a low
//! point a fixed shuffle of the same page; conditions on other points are masks. So one turn is
//! followed for 64 entries in a few instructions, with two to five of them put to use on average in
//! the large tables.
//! Invariant: a kernel reads and writes any entry of a page, but only entries of the cube's size
//! mean anything.

use crate::index::{binomial, subsets};
use crate::rules::{Mask, points_of};
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
    /// Men on the low points.
    low_men: usize,
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
            cube.pages.push(PageSets { high, first_rank, sets: lows.len(), low_men });
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

    /// High points, counted from the seventh point of the row.
    pub fn high_points(&self) -> usize {
        self.points.saturating_sub(LOW_POINTS)
    }

    /// Low points.
    pub fn low_points(&self) -> usize {
        self.points.min(LOW_POINTS)
    }

    /// By rank, the entry of a set, counted over all pages.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Pages for this cube, nothing known.
    pub fn blank<C: Code>(&self) -> Vec<Page<C>> {
        vec![[C::NONE; PAGE]; self.pages.len()]
    }

    /// Copies what is in order of rank to its entries, each changed by `change`.
    #[inline(always)]
    pub fn load<C: Code>(&self, ranked: &[C], pages: &mut [Page<C>], change: impl Fn(C) -> C) {
        let pages = pages.as_flattened_mut();
        for (code, &entry) in ranked.iter().zip(&self.entries) {
            pages[entry as usize] = change(*code);
        }
    }

    /// Copies the sets of page number `page` to their ranks.
    #[inline(always)]
    pub fn store<C: Code>(&self, page: usize, entries: &Page<C>, ranked: &mut [C]) {
        let PageSets { first_rank, sets, .. } = self.pages[page];
        let ranked = &mut ranked[first_rank..first_rank + sets];
        let lows = &self.entries[first_rank..first_rank + sets];
        for (code, &entry) in ranked.iter_mut().zip(lows) {
            *code = entries[entry as usize % PAGE];
        }
    }
}

impl PageSets {
    /// Men on the low points.
    pub fn low_men(&self) -> usize {
        self.low_men
    }
}

/// `result[low] = page[low with point]` where `low` lacks the point; nothing elsewhere.
#[inline(always)]
pub fn with_point<C: Code>(page: &Page<C>, point: usize) -> Page<C> {
    fn shift<const BIT: usize, C: Code>(page: &Page<C>) -> Page<C> {
        std::array::from_fn(|low| if low & BIT == 0 { page[low | BIT] } else { C::NONE })
    }
    match point {
        0 => shift::<1, C>(page),
        1 => shift::<2, C>(page),
        2 => shift::<4, C>(page),
        3 => shift::<8, C>(page),
        4 => shift::<16, C>(page),
        _ => shift::<32, C>(page),
    }
}

/// `result[low] = page[low without point]` where `low` has the point; nothing elsewhere.
#[inline(always)]
pub fn without_point<C: Code>(page: &Page<C>, point: usize) -> Page<C> {
    fn shift<const BIT: usize, C: Code>(page: &Page<C>) -> Page<C> {
        std::array::from_fn(|low| if low & BIT != 0 { page[low & !BIT] } else { C::NONE })
    }
    match point {
        0 => shift::<1, C>(page),
        1 => shift::<2, C>(page),
        2 => shift::<4, C>(page),
        3 => shift::<8, C>(page),
        4 => shift::<16, C>(page),
        _ => shift::<32, C>(page),
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
    std::array::from_fn(|i| mask[i] & yes[i] | !mask[i] & no[i])
}

/// Masks for "the men on these low points are there", by the low points.
pub struct Patterns<C>(Vec<Page<C>>);

impl<C: Code> Patterns<C> {
    /// All of them.
    pub fn new() -> Patterns<C> {
        let mask = |points: usize| {
            std::array::from_fn(|low| if low & points == points { !C::NONE } else { C::NONE })
        };
        Patterns((0..PAGE).map(mask).collect())
    }

    /// The mask for a set of low points.
    #[inline(always)]
    pub fn of(&self, points: Mask) -> &Page<C> {
        &self.0[points as usize % PAGE]
    }
}

/// The lines through each point of a row, as the men that must stand on the line's other points.
pub struct Conditions {
    by_point: Vec<Vec<Mask>>,
}

/// Where a point's lines are full but for the point itself.
pub struct Full<C> {
    /// One line at least.
    pub once: Page<C>,
    /// Two lines at least.
    pub twice: Page<C>,
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

    /// Which entries of the page of `high` have the other points of a line through `point`, if any
    /// may.
    #[inline(always)]
    pub fn full<C: Code>(
        &self,
        patterns: &Patterns<C>,
        point: usize,
        high: Mask,
    ) -> Option<Full<C>> {
        let mut full = None;
        for &others in &self.by_point[point] {
            if others >> LOW_POINTS & !high != 0 {
                continue;
            }
            let line = patterns.of(others);
            let Full { once, twice } =
                full.get_or_insert(Full { once: [C::NONE; PAGE], twice: [C::NONE; PAGE] });
            for i in 0..PAGE {
                twice[i] = twice[i] | once[i] & line[i];
                once[i] = once[i] | line[i];
            }
        }
        full
    }
}

/// The low points of a row that a page does not fix, and the high ones it leaves empty or holds.
pub fn high_points_of(mask: Mask) -> impl Iterator<Item = usize> {
    points_of(mask).map(usize::from)
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
                assert_eq!(page.high << LOW_POINTS | entry % PAGE as u32, set);
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
        pages.iter().enumerate().for_each(|(i, page)| cube.store(i, page, &mut back));
        assert_eq!(back, ranked);
    }

    #[test]
    fn test_points_are_added_and_taken_away() {
        let page: Page<u8> = std::array::from_fn(|low| low as u8);
        for point in 0..LOW_POINTS {
            let bit = 1 << point;
            for low in 0..PAGE {
                let with = if low & bit == 0 { (low | bit) as u8 } else { 0 };
                let without = if low & bit != 0 { (low & !bit) as u8 } else { 0 };
                assert_eq!(with_point(&page, point)[low], with);
                assert_eq!(without_point(&page, point)[low], without);
            }
        }
    }

    #[test]
    fn test_full_lines_are_found_by_entry() {
        // Through point 0: a line of low points, and one that needs the seventh.
        let conditions = Conditions::new(8, &[0b111, 1 | 1 << 3 | 1 << 6]);
        let patterns = Patterns::<u8>::new();
        let with_high = conditions.full(&patterns, 0, 1).unwrap();
        let without = conditions.full(&patterns, 0, 0).unwrap();
        for low in 0..PAGE {
            let (first, second) = (low & 0b110 == 0b110, low & 0b1000 != 0);
            assert_eq!(with_high.once[low] != 0, first || second);
            assert_eq!(with_high.twice[low] != 0, first && second);
            assert_eq!(without.once[low] != 0, first);
        }
        assert!(conditions.full(&patterns, 7, 1).is_none());
    }
}
