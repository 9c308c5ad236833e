//! Placements in the first pass: every own set is joined by a man on every empty point.
//!
//! This is nearly all the work of the placing phase, so it runs on pages (see `cube`): for each
//! point, 64 sets at a time take the better of what they have and what the placement is worth.
//! Invariant: fills a row's blank values, each with the worth of its slot's best placement; moves come
//! after.

use super::bits::{Bits, Found};
use super::cube::{
    Conditions, Cube, PAGE, Page, Pages, Patterns, choose, improve, keep, row_point,
};
use super::first_pass::Turns;
use super::gather::Images;
use super::row::Row;
use crate::index::Layout;
use crate::rules::{Mask, points_of};
use crate::value::Code;

/// Placements of a table's mover.
pub struct Places<'a, C> {
    turns: Turns<'a, C>,
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
    pub fn new(layout: &Layout, turns: Turns<'a, C>) -> Places<'a, C> {
        let free = layout.geometry().points() - usize::from(layout.table().enemy);
        let own = usize::from(layout.table().own);
        let (before, after) = (Cube::new(free, own), Cube::new(free, own + 1));
        Places { turns, before, after, patterns: Patterns::new() }
    }

    /// Takes every placement of every slot of a row into account.
    #[inline(always)]
    pub fn fill<B: Bits>(&self, bits: B, shape: &Row, images: &Images, values: &mut [C]) {
        let worths = self.worths(bits, shape, images);
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
    fn worths<B: Bits>(&self, bits: B, shape: &Row, images: &Images) -> Worths<C> {
        let Turns { quiet, removals, sets, .. } = &self.turns;
        let quiet = quiet.as_ref().expect("a placement leads to a finished table");
        let entries = self.after.entries();
        let mut pages = self.after.blank();
        let worths = pages.entries_mut();
        let wanted = sets.iter().enumerate().map(|(rank, &own)| (entries[rank] as usize, own));
        quiet.read(bits, shape, images, wanted, |entry, code| {
            worths[entry] = C::from_successor(code);
        });
        let mut mills = Found::default();
        if !shape.harmless && !removals.is_empty() {
            bits.with_lines(sets, &shape.lines, &mut mills);
        }
        let mut removal_pages = Vec::new();
        // A loop, for the compiler would not carry this machine's instructions into a closure.
        for through in removals.iter().filter(|_| !mills.sets.is_empty()) {
            let mut pages = self.after.blank();
            let worths = pages.entries_mut();
            let wanted = mills.ranks.iter().zip(&mills.sets);
            let wanted = wanted.map(|(&rank, &own)| (entries[rank as usize] as usize, own));
            through.read(bits, shape, images, wanted, |entry, code| worths[entry] = code);
            removal_pages.push(pages);
        }
        Worths { quiet: pages, removals: removal_pages }
    }
}
