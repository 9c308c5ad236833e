//! Placements in the first pass: every own set is joined by a man on every empty point.
//!
//! This is nearly all the work of the placing phase, so it runs on pages (see `cube`): point by point,
//! 64 sets at a time take the better of what they have and what the placement is worth. Points come
//! first, for all pages of a row then do the same, and nothing is left to guess for the processor.
//! Invariant: fills a row's values, each with the worth of its slot's best placement; moves come after.

use super::crossing::{Crossing, RowWorths};
use super::cube::{Conditions, Cube, Pages, Patterns, choose, improve, keep};
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
    patterns: Patterns<C>,
    /// By point.
    joins: Vec<Joins>,
}

/// Which pages a man on a point leads to.
struct Joins {
    /// The man on a low point; none for a high one, who leads to another page.
    low: Mask,
    pages: Vec<Join>,
}

/// A page, and that of its sets after the placement.
struct Join {
    before: u32,
    after: u32,
    /// The men on its high points.
    high: Mask,
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
        let joins = (0..free).map(|point| Joins::new(&before, &after, point)).collect();
        Places { crossing, before, after, patterns: Patterns::new(), joins }
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill(&self, shape: &Row, worths: &RowWorths<C>, values: &mut [C]) {
        let worths = self.worths(shape, worths);
        let lines = if worths.removals.is_empty() { &[][..] } else { &shape.lines };
        let conditions = Conditions::new(self.joins.len(), lines);
        let mut best = self.before.blank();
        for (point, joins) in self.joins.iter().enumerate() {
            match (conditions.any(point), &worths.removals[..]) {
                (false, _) | (true, []) => self.join(joins, &worths.quiet, &mut best),
                (true, removals) => {
                    self.close(joins, point, &conditions, &worths.quiet, removals, &mut best);
                }
            }
        }
        self.before.store(&best, values);
    }

    /// Placements on a point that closes no mill.
    #[inline(always)]
    fn join(&self, joins: &Joins, quiet: &Pages<C>, best: &mut Pages<C>) {
        let empty = self.patterns.none(joins.low);
        for join in &joins.pages {
            let worth = keep(empty, quiet.with_men(join.after as usize, joins.low));
            improve(best.page_mut(join.before as usize), &worth);
        }
    }

    /// Placements on a point that may close mills.
    #[inline(always)]
    fn close(
        &self,
        joins: &Joins,
        point: usize,
        conditions: &Conditions,
        quiet: &Pages<C>,
        removals: &[Pages<C>],
        best: &mut Pages<C>,
    ) {
        let empty = self.patterns.none(joins.low);
        for join in &joins.pages {
            let look = |pages: &'_ Pages<C>| *pages.with_men(join.after as usize, joins.low);
            let once = conditions.full(&self.patterns, point, join.high);
            let mut worth = choose(&once, &look(&removals[0]), &look(quiet));
            if let Some(two) = removals.get(1) {
                let twice = conditions.full_twice(&self.patterns, point, join.high);
                worth = choose(&twice, &look(two), &worth);
            }
            improve(best.page_mut(join.before as usize), &keep(empty, &worth));
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

impl Joins {
    fn new(before: &Cube, after: &Cube, point: usize) -> Joins {
        let high_point = point.checked_sub(before.low_points());
        let man = high_point.map_or(0, |high_point| 1 << high_point);
        let join = |(number, page): (usize, &super::cube::PageSets)| {
            let source = after.page_of(page.high | man).filter(|_| page.high & man == 0)?;
            Some(Join { before: number as u32, after: source as u32, high: page.high })
        };
        let low = if high_point.is_none() { 1 << point } else { 0 };
        Joins { low, pages: before.pages().iter().enumerate().filter_map(join).collect() }
    }
}
