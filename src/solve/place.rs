//! Placements in the first pass: every own set is joined by a man on every empty point.
//!
//! This is nearly all the work of the placing phase, so it runs on pages (see `cube`): page by page, 64
//! sets at a time take the better of what they have and what each placement is worth, in registers.
//! Invariant: fills a row's values, each with the worth of its slot's best placement; moves come after.

use super::bits::Bits;
use super::crossing::{Crossing, RowWorths};
use super::cube::{ALL, Conditions, Cube, PAGE, Page, Pages, row_point, with};
use super::row::Row;
use crate::index::Layout;
use crate::rules::Mask;
use crate::value::Code;

/// Placements of a table's mover.
pub struct Places<'a, C> {
    /// What they lead to.
    pub crossing: Crossing<'a, C>,
    before: Cube,
    after: Cube,
    /// By page before: the page with the same men on high points, if it has sets.
    low: Vec<Option<usize>>,
    /// By page before: the high points that a man may join, and the page that leads to.
    high: Vec<Vec<(usize, usize)>>,
}

/// Worths of one row's placements by own set after them.
struct Worths<C> {
    quiet: Pages<C>,
    /// After one mill closed, and after two, where that differs.
    removals: Vec<Pages<C>>,
}

impl<'a, C: Code> Places<'a, C> {
    /// The placements of `layout`'s mover.
    pub fn new(layout: &Layout, crossing: Crossing<'a, C>) -> Places<'a, C> {
        let free = layout.geometry().points() - usize::from(layout.table().enemy);
        let own = usize::from(layout.table().own);
        let (before, after) = (Cube::new(free, own), Cube::new(free, own + 1));
        let low = before.pages().iter().map(|page| after.page_of(page.high));
        let high = before.pages().iter().map(|page| {
            let empty =
                (0..free.saturating_sub(before.low_points())).filter(|p| page.high >> p & 1 == 0);
            let join = |p: usize| Some((row_point(p), after.page_of(page.high | 1 << p)?));
            empty.filter_map(join).collect()
        });
        Places { crossing, low: low.collect(), high: high.collect(), before, after }
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill<B: Bits>(&self, bits: B, shape: &Row, worths: &RowWorths<C>, values: &mut [C]) {
        let worths = self.worths(bits, shape, worths);
        let lines = if worths.removals.is_empty() { &[][..] } else { &shape.lines };
        let conditions = Conditions::new(shape.free.count_ones() as usize, lines);
        let low_points = self.before.low_points();
        let pages = self.before.pages().iter().zip(self.low.iter().zip(&self.high));
        for (number, (page, (low, high))) in pages.enumerate() {
            let mut best = [C::NONE; PAGE];
            if let Some(after) = *low {
                for point in 0..low_points {
                    let look = |pages: &Pages<C>| *pages.with_man(after, point);
                    let worth = worths.of(bits, &conditions, point, page.high, look);
                    bits.improve(&mut best, !with(point), &worth);
                }
            }
            for &(point, after) in high {
                let look = |pages: &Pages<C>| *pages.page(after);
                let worth = worths.of(bits, &conditions, point, page.high, look);
                bits.improve(&mut best, ALL, &worth);
            }
            self.before.store_page(bits, number, &best, values);
        }
    }

    #[inline(always)]
    fn worths<B: Bits>(&self, bits: B, shape: &Row, worths: &RowWorths<C>) -> Worths<C> {
        let pages = |ranked: &[C], change: fn(C) -> C| {
            let mut pages = self.after.blank();
            self.after.load(bits, ranked, &mut pages, change);
            pages
        };
        let removals = match shape.harmless || shape.lines.is_empty() {
            true => Vec::new(),
            false => worths.removals.iter().map(|ranked| pages(ranked, |worth| worth)).collect(),
        };
        Worths { quiet: pages(worths.quiet, C::from_successor), removals }
    }
}

impl<C: Code> Worths<C> {
    /// Worths of a man on `point` by own set before him, in the page of `high`; `look` finds the page
    /// after.
    #[inline(always)]
    fn of<B: Bits>(
        &self,
        bits: B,
        conditions: &Conditions,
        point: usize,
        high: Mask,
        look: impl Fn(&Pages<C>) -> Page<C>,
    ) -> Page<C> {
        let quiet = look(&self.quiet);
        if !conditions.any(point) {
            return quiet;
        }
        let mut worth = bits.choose(conditions.full(point, high), &look(&self.removals[0]), &quiet);
        if let Some(two) = self.removals.get(1) {
            worth = bits.choose(conditions.full_twice(point, high), &look(two), &worth);
        }
        worth
    }
}
