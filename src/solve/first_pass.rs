//! The first pass over a table: everything but the quiet moves that stay in the unit.
//!
//! Row by row: endings; the best of the turns whose worth is known (placements, and whatever removes
//! a man); and the number of quiet moves, whose worth the waves will find. Placements come first, for
//! they fill the row's values.
//! Invariant: afterwards `values` holds the best known worth (`NONE` if there is none) and `counts` the
//! open quiet moves, and a slot without either has been decided by the rules.

use super::bits::{Bits, Job};
use super::gather::{Address, Images, gather, images};
use super::place::Places;
use super::row::Row;
use super::slide::Slides;
use crate::index::{Layout, Ranks, binomial};
use crate::rules::{Mask, Rules, Verdict};
use crate::value::Code;

/// The count of a slot that the waves have decided.
pub const DECIDED: u8 = u8::MAX;

/// Codes of another table, addressed through this table's rows.
pub struct Through<'a, C> {
    /// How to address them.
    pub address: Address<'a>,
    /// The codes.
    pub codes: &'a [C],
}

/// Turns of one kind (placements, or moves) after which the mover has a given number of men.
pub struct Turns<'a, C> {
    /// Worth of the quiet successors by own set after the turn; `None` when they are in the unit.
    pub quiet: Option<Through<'a, C>>,
    /// Removal tables for one mill closed, and for two or more.
    pub removals: Vec<Through<'a, C>>,
    /// The own sets after the turn, local, by rank.
    pub sets: &'a [Mask],
    /// Their ranks.
    pub ranks: &'a Ranks,
}

impl<'a, C> Turns<'a, C> {
    /// Turns after which the mover has `own` men, in rows of `layout`.
    pub fn new(layout: &Layout<'a>, own: u8) -> Turns<'a, C> {
        let free = layout.geometry().points() - usize::from(layout.table().enemy);
        let sets = layout.geometry().sets(own);
        Turns {
            quiet: None,
            removals: Vec::new(),
            sets: &sets.subsets()[..binomial(free, usize::from(own)) as usize],
            ranks: sets.ranks(),
        }
    }
}

/// What the first pass over a table needs to know.
pub struct FirstPass<'a, C> {
    /// The rules.
    pub rules: &'a Rules,
    /// The table's layout.
    pub layout: Layout<'a>,
    /// Placements, where there are any.
    pub places: Option<Places<'a, C>>,
    /// Moves, where there are any.
    pub slides: Option<Slides<'a, C>>,
}

/// The first pass over one row.
pub struct FillRow<'a, C> {
    /// The pass.
    pub pass: &'a FirstPass<'a, C>,
    /// The row.
    pub row: usize,
    /// Its values.
    pub values: &'a mut [C],
    /// Its counts.
    pub counts: &'a mut [u8],
}

impl<C: Code> Job for FillRow<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let FillRow { pass, row, values, counts } = self;
        let shape = Row::new(pass.rules, &pass.layout, row);
        if let Some(verdict) = shape.over {
            values.fill(verdict_code(verdict));
            return;
        }
        let images = images(pass.layout.geometry().symmetries(), shape.enemy);
        if let Some(places) = &pass.places {
            places.fill(bits, &shape, &images, values);
        }
        if let Some(slides) = &pass.slides {
            slides.fill(bits, &shape, &images, pass.layout.own_sets(), values, counts);
        }
        for (value, count) in values.iter_mut().zip(counts) {
            if *value == C::NONE && *count == 0 {
                *value = verdict_code(pass.rules.no_move());
            }
        }
    }
}

fn verdict_code<C: Code>(verdict: Verdict) -> C {
    match verdict {
        Verdict::Loses => C::loss(0),
        Verdict::Draws => C::DRAW,
    }
}

impl<C: Code> Through<'_, C> {
    /// Calls `store(rank, code)` for each wanted rank and set of a row.
    #[inline(always)]
    pub fn read<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        images: &Images,
        wanted: impl Iterator<Item = (usize, Mask)>,
        store: impl FnMut(usize, C),
    ) {
        gather(bits, &self.address, self.codes, shape.free, images, wanted, store);
    }
}
