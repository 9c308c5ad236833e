//! Moves in the first pass: quiet ones are counted, those that close a mill are worth something.
//!
//! Quiet moves lead to the twin table, which is not solved yet, so only their number
//! matters here. The worth of a mill closed is known. Moves between neighbours are followed page by
//! page (see `steps`); a man who flies has too many ways, and is followed back from the sets with a mill.
//! Invariant: `counts` and the turns taken into account add up to the legal moves of each slot.

use super::bits::{Bits, Found};
use super::crossing::RowWorths;
use super::cube::{Cube, Pages};
use super::place::Successors;
use super::row::Row;
use super::steps::{Closings, Degrees};
use crate::index::Layout;
use crate::rules::{Mask, points_of};
use crate::value::Code;

/// Moves of a table's mover.
pub struct Slides<'a, C> {
    /// What closing a mill is worth.
    pub successors: Successors<'a, C>,
    layout: Layout<'a>,
    /// Whether they may go to any empty point.
    flying: bool,
    /// Own sets among the free points.
    own: Cube,
}

/// Room for what closing mills is worth in a row: one, and two, where that differs.
pub struct SlideRoom<C>([Pages<C>; 2]);

impl<'a, C: Code> Slides<'a, C> {
    /// The moves of `layout`'s mover.
    pub fn new(layout: Layout<'a>, successors: Successors<'a, C>, flying: bool) -> Slides<'a, C> {
        let free = layout.geometry().points() - usize::from(layout.table().enemy);
        let own = Cube::new(free, usize::from(layout.table().own));
        Slides { successors, layout, flying, own }
    }

    /// Room for the worths of a row.
    pub fn room(&self) -> SlideRoom<C> {
        SlideRoom([self.own.blank(), self.own.blank()])
    }

    /// Counts the quiet moves of every slot of a row, and takes the others into account.
    #[inline(always)]
    pub fn fill<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        worths: &RowWorths<C>,
        room: &mut SlideRoom<C>,
        values: &mut [C],
        counts: &mut [u8],
    ) {
        let closes = !shape.harmless && !shape.lines.is_empty();
        if !self.flying {
            let removals = if closes { &worths.removals[..] } else { &[] };
            return self.step(bits, shape, removals, room, values, counts);
        }
        let (free, own) = (shape.free.count_ones() as u8, self.layout.table().own);
        counts.fill(own * (free - own));
        if closes {
            self.fly(bits, shape, worths, values, counts);
        }
    }

    /// Moves between neighbours.
    #[inline(always)]
    fn step<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        removals: &[&[C]],
        room: &mut SlideRoom<C>,
        values: &mut [C],
        counts: &mut [u8],
    ) {
        for (ranked, pages) in removals.iter().zip(&mut room.0) {
            self.own.load(bits, ranked, pages, |worth| worth);
        }
        let [once, twice] = &room.0;
        let lines = if removals.is_empty() { &[][..] } else { &shape.lines };
        let (closings, degrees) = (Closings::new(&shape.pairs, lines), Degrees::new(&shape.pairs));
        for (number, page) in self.own.pages().iter().enumerate() {
            let mut quiet = degrees.of(bits, page.high);
            let mut best = self.own.load_page(bits, number, values);
            for step in closings.of(page.high) {
                let [mut closed, both] = closings.closed(step, page.high);
                bits.add(&mut quiet, closed, u8::MAX);
                let Some(after) = self.own.page_of(step.high_after(page.high)) else { continue };
                if removals.len() > 1 {
                    bits.improve(&mut best, both, twice.shifted(after, step.distance));
                    closed &= !both;
                }
                bits.improve(&mut best, closed, once.shifted(after, step.distance));
            }
            self.own.store_page(bits, number, &quiet, counts);
            if !removals.is_empty() {
                self.own.store_page(bits, number, &best, values);
            }
        }
    }

    /// Takes the flights that close mills into account, each away from the quiet ones.
    #[inline(always)]
    fn fly<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        worths: &RowWorths<C>,
        values: &mut [C],
        counts: &mut [u8],
    ) {
        let mut mills = Found::default();
        bits.with_lines(self.layout.ranked_sets(), &shape.lines, &mut mills);
        let (ranks, kinds) = (self.layout.ranks(), worths.removals.len());
        for (&after, &rank) in mills.sets.iter().zip(&mills.ranks) {
            for to in points_of(shape.in_mills(after)) {
                let kind = match kinds {
                    1 => 0,
                    _ => shape.mills_through(after, 1 << to).min(kinds) - 1,
                };
                let worth = worths.removals[kind][rank as usize];
                for from in points_of(shape.all() & !after) {
                    let before: Mask = after ^ (1 << to | 1 << from);
                    let rank = ranks.rank(before) as usize;
                    values[rank] = values[rank].max(worth);
                    counts[rank] -= 1;
                }
            }
        }
    }
}
