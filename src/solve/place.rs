//! Placements in the first pass: every own set is joined by a man on every empty point.
//!
//! This is nearly all the work of the placing phase, so it runs on pages (see `cube`): for each
//! point, 64 sets at a time take the better of what they have and what the placement is worth.
//! Invariant: fills a row's blank values, each with the worth of its slot's best placement; moves come
//! after.

use super::bits::Bits;
use super::crossing::{Crossing, RowWorths};
use super::cube::{
    Conditions, Cube, PAGE, Page, Pages, Patterns, choose, improve, keep, row_point,
};
use super::row::Row;
use crate::index::Layout;
use crate::rules::{Mask, points_of};
use crate::value::Code;

/// Placements of a table's mover.
pub struct Places<'a, C> {
    /// What they lead to.
    pub crossing: Crossing<'a, C>,
    before: Cube,
    after: Cube,
    patterns: Patterns<C>,
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
        Places { crossing, before, after, patterns: Patterns::new() }
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill<B: Bits>(&self, _bits: B, shape: &Row, worths: &RowWorths<C>, values: &mut [C]) {
        let worths = self.worths(shape, worths);
        let lines = if worths.removals.is_empty() { &[][..] } else { &shape.lines };
        let conditions = Conditions::new(shape.free.count_ones() as usize, lines);
        for (number, page) in self.before.pages().iter().enumerate() {
            let mut best = [C::NONE; PAGE];
            let empty = !page.high & ((1 << self.before.high_points()) - 1);
            for point in points_of(empty).map(usize::from) {
                let source = self.after.page_of(page.high | 1 << point);
                let source = source.expect("a man more on a high point leaves the low ones alone");
                let look = |pages: &'_ Pages<C>| *pages.page(source);
                let worth = self.worth(&worths, &conditions, row_point(point), page.high, look);
                improve(&mut best, &worth);
            }
            if let Some(source) = self.after.page_of(page.high) {
                for point in 0..self.before.low_points() {
                    let look = |pages: &'_ Pages<C>| *pages.with_point(source, point);
                    let worth = self.worth(&worths, &conditions, point, page.high, look);
                    improve(&mut best, &keep(self.patterns.none(1 << point), &worth));
                }
            }
            self.before.store(number, &best, values);
        }
    }

    /// What placements on `point` are worth on the page of `high`; `look` gives the page of their
    /// successors.
    #[inline(always)]
    fn worth(
        &self,
        worths: &Worths<C>,
        conditions: &Conditions,
        point: usize,
        high: Mask,
        look: impl Fn(&Pages<C>) -> Page<C>,
    ) -> Page<C> {
        let quiet = look(&worths.quiet);
        let Some(once) = conditions.full(&self.patterns, point, high) else { return quiet };
        let one = choose(&once, &look(&worths.removals[0]), &quiet);
        match worths.removals.get(1) {
            Some(two) => {
                choose(&conditions.full_twice(&self.patterns, point, high), &look(two), &one)
            }
            None => one,
        }
    }

    #[inline(always)]
    fn worths(&self, shape: &Row, worths: &RowWorths<C>) -> Worths<C> {
        let pages = |ranked: &[C], change: fn(C) -> C| {
            let mut pages = self.after.blank();
            self.after.load(ranked, &mut pages, change);
            pages
        };
        let removals = match shape.harmless || shape.lines.is_empty() {
            true => Vec::new(),
            false => worths.removals.iter().map(|ranked| pages(ranked, |worth| worth)).collect(),
        };
        Worths { quiet: pages(worths.quiet, C::from_successor), removals }
    }
}
