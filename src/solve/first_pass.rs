//! The first pass over a table: everything but the quiet moves that stay in the unit.
//!
//! Row by row: endings; the best of the turns whose worth is known (placements, and whatever removes
//! a man); and the number of quiet moves, whose worth the waves will find. Placements come first, for
//! they fill the row's values.
//! Invariant: afterwards `values` holds the best known worth (`NONE` if there is none) and `counts` the
//! open quiet moves, and a slot without either has been decided by the rules.

use super::bits::{Bits, Job};
use super::crossing::{Crossing, RowWorths, Worths};
use super::join::{JoinRoom, Joins};
use super::place::{PlaceRoom, Places, Successors};
use super::row::Row;
use super::slide::{SlideRoom, Slides};
use crate::index::Layout;
use crate::rules::{Rules, Verdict};
use crate::value::Code;

/// The count of a slot that the waves have decided.
pub const DECIDED: u8 = u8::MAX;

/// What the first pass over a table needs to know.
pub struct FirstPass<'a, C> {
    /// The rules.
    pub rules: &'a Rules,
    /// The table's layout.
    pub layout: Layout<'a>,
    /// Placements, where there are any, if the opponent names the rows.
    pub places: Option<Places<'a, C>>,
    /// Placements if the mover does.
    pub joins: Option<Joins<'a, C>>,
    /// Moves, where there are any.
    pub slides: Option<Slides<'a, C>>,
}

impl<C: Code> FirstPass<'_, C> {
    /// Rows that are filled together: as many as cross over together.
    pub fn batch_rows(&self) -> usize {
        let places = self.places.as_ref().map(|places| &places.successors);
        let slides = self.slides.as_ref().map(|slides| &slides.successors);
        let crossings = places.into_iter().chain(slides).filter_map(Successors::crossing);
        crossings.map(Crossing::batch_rows).min().unwrap_or(1)
    }

    /// Room for what a batch of rows reads, and a row's worths.
    pub fn readings(&self) -> Readings<C> {
        let room = |successors: &Successors<C>| Some(successors.crossing()?.worths());
        Readings {
            places: self.places.as_ref().and_then(|places| room(&places.successors)),
            slides: self.slides.as_ref().and_then(|slides| room(&slides.successors)),
            joins: self.joins.as_ref().map(Joins::room),
            worths: self.places.as_ref().map(Places::room),
            moves: self.slides.as_ref().map(Slides::room),
        }
    }

    /// Fills a row, which is number `number` of its batch.
    #[inline(always)]
    fn fill<B: Bits>(
        &self,
        bits: B,
        row: usize,
        readings: &mut Readings<C>,
        number: usize,
        values: &mut [C],
        counts: &mut [u8],
    ) {
        let shape = Row::new(self.rules, &self.layout, row);
        if self.places.is_none() && self.joins.is_none() {
            values.fill(C::NONE);
        }
        if let Some(verdict) = shape.over {
            values.fill(verdict_code(verdict));
            counts.fill(0);
            return;
        }
        if let (Some(places), Some(room)) = (&self.places, &mut readings.worths) {
            let crossed = readings.places.as_ref().map(|worths| worths.row(number));
            places.fill(bits, &shape, row, crossed.as_ref(), room, values);
        }
        if let (Some(joins), Some(room)) = (&self.joins, &mut readings.joins) {
            joins.fill(bits, row, room, values);
        }
        if let (Some(slides), Some(room)) = (&self.slides, &mut readings.moves) {
            match (&slides.successors, &readings.slides) {
                (Successors::Stays(stays), _) => {
                    let removals = stays.ranked_removals(bits, &shape);
                    let removals = removals.iter().map(|ranked| &ranked[..]).collect();
                    let worths = RowWorths { quiet: &[], removals };
                    slides.fill(bits, &shape, &worths, room, values, counts);
                }
                (_, worths) => {
                    let worths = worths.as_ref().expect("a crossing has read the row").row(number);
                    slides.fill(bits, &shape, &worths, room, values, counts);
                }
            }
        }
        let stuck = verdict_code(self.rules.no_move());
        if counts.is_empty() {
            values.iter_mut().filter(|value| **value == C::NONE).for_each(|value| *value = stuck);
        }
        for (value, count) in values.iter_mut().zip(counts) {
            if *value == C::NONE && *count == 0 {
                *value = stuck;
            }
        }
    }
}

/// What a batch of rows has read from other tables.
pub struct Readings<C> {
    places: Option<Worths<C>>,
    slides: Option<Worths<C>>,
    joins: Option<JoinRoom<C>>,
    worths: Option<PlaceRoom<C>>,
    moves: Option<SlideRoom<C>>,
}

/// The first pass over a batch of rows.
pub struct FillRows<'a, C> {
    /// The pass.
    pub pass: &'a FirstPass<'a, C>,
    /// The first row.
    pub first_row: usize,
    /// The rows' values.
    pub values: &'a mut [C],
    /// Their counts; none where a table has no moves.
    pub counts: &'a mut [u8],
    /// Room for what they read.
    pub readings: &'a mut Readings<C>,
}

impl<C: Code> Job for FillRows<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let FillRows { pass, first_row, values, counts, readings } = self;
        let row_len = pass.layout.row_len();
        let rows = first_row..first_row + values.len() / row_len;
        let places = pass.places.as_ref().map(|places| &places.successors);
        let slides = pass.slides.as_ref().map(|slides| &slides.successors);
        for (successors, worths) in [(places, &mut readings.places), (slides, &mut readings.slides)]
        {
            if let (Some(Successors::Crossing(crossing)), Some(worths)) = (successors, worths) {
                crossing.read(bits, rows.clone(), worths);
            }
        }
        let mut counts = counts.chunks_mut(row_len);
        for (i, values) in values.chunks_mut(row_len).enumerate() {
            let counts = counts.next().unwrap_or(&mut []);
            pass.fill(bits, first_row + i, readings, i, values, counts);
        }
    }
}

fn verdict_code<C: Code>(verdict: Verdict) -> C {
    match verdict {
        Verdict::Loses => C::loss(0),
        Verdict::Draws => C::DRAW,
    }
}
