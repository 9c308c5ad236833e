//! Placements by the player who does not name the rows: every own set is joined by a man on every empty
//! point.
//!
//! Half of the work of the placing phase (the other half is `join`), so it runs on pages (see `cube`): page
//! by page, 64 sets at a time take the better of what they have and what each placement is worth, in
//! registers.
//! Invariant: fills a row's values, each with the worth of its slot's best placement; moves come after.

use super::bits::Bits;
use super::crossing::{Crossing, RowWorths};
use super::cube::{ALL, Conditions, Cube, PAGE, Page, Pages, row_point, with};
use super::renumber::Block;
use super::row::Row;
use super::stay::Stays;
use crate::index::Layout;
use crate::rules::Mask;
use crate::value::Code;

/// Where the codes of what turns lead to are found.
pub enum Successors<'a, C> {
    /// In tables whose rows the mover names.
    Crossing(Crossing<'a, C>),
    /// In tables whose rows the opponent names, as here.
    Stays(Stays<'a, C>),
}

impl<'a, C> Successors<'a, C> {
    /// The crossing there may be.
    pub fn crossing(&self) -> Option<&Crossing<'a, C>> {
        match self {
            Successors::Crossing(crossing) => Some(crossing),
            Successors::Stays(_) => None,
        }
    }
}

/// Placements of a table's mover.
pub struct Places<'a, C> {
    /// What they lead to.
    pub successors: Successors<'a, C>,
    before: Cube,
    after: Cube,
    /// By page before: the page with the same men on high points, if it has sets.
    low: Vec<Option<usize>>,
    /// By page before: the high points that a man may join, and the page that leads to.
    high: Vec<Vec<(usize, usize)>>,
}

/// Worths of one row's placements by own set after them, and room to find them.
pub struct PlaceRoom<C> {
    quiet: Pages<C>,
    /// After one mill closed, and after two, where that differs.
    removals: Vec<Pages<C>>,
    /// How many of these the row has.
    kinds: usize,
    block: Block<C>,
}

impl<'a, C: Code> Places<'a, C> {
    /// The placements of `layout`'s mover.
    pub fn new(layout: &Layout, successors: Successors<'a, C>) -> Places<'a, C> {
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
        Places { successors, low: low.collect(), high: high.collect(), before, after }
    }

    /// Room for the worths of a row.
    pub fn room(&self) -> PlaceRoom<C> {
        let most_kinds = 2;
        PlaceRoom {
            quiet: self.after.blank(),
            removals: (0..most_kinds).map(|_| self.after.blank()).collect(),
            kinds: 0,
            block: Block::new(),
        }
    }

    /// Takes every placement of every slot of row number `row` into account; `crossed` is what it has
    /// read, where that takes a crossing.
    #[inline(always)]
    pub fn fill<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        row: usize,
        crossed: Option<&RowWorths<C>>,
        worths: &mut PlaceRoom<C>,
        values: &mut [C],
    ) {
        self.find(bits, shape, row, crossed, worths);
        let lines = if worths.kinds == 0 { &[][..] } else { &shape.lines };
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

    /// Finds the worths of a row.
    #[inline(always)]
    fn find<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        row: usize,
        crossed: Option<&RowWorths<C>>,
        worths: &mut PlaceRoom<C>,
    ) {
        let PlaceRoom { quiet, removals, kinds, block } = worths;
        let codes = match (&self.successors, crossed) {
            (Successors::Stays(stays), _) => {
                *kinds = if shape.lines.is_empty() { 0 } else { stays.kinds(shape) };
                for (most, pages) in (1..=*kinds).zip(removals) {
                    stays.removal(bits, shape, most, block, pages);
                }
                stays.quiet(row)
            }
            (_, Some(crossed)) => {
                let none = shape.harmless || shape.lines.is_empty();
                *kinds = if none { 0 } else { crossed.removals.len() };
                for (ranked, pages) in crossed.removals[..*kinds].iter().zip(removals) {
                    self.after.load(bits, ranked, pages, |worth| worth);
                }
                crossed.quiet
            }
            _ => unreachable!("a crossing has read the row"),
        };
        self.after.load(bits, codes, quiet, C::from_successor);
    }
}

impl<C: Code> PlaceRoom<C> {
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
        if let (2.., [_, two]) = (self.kinds, &self.removals[..]) {
            worth = bits.choose(conditions.full_twice(point, high), &look(two), &worth);
        }
        worth
    }
}
