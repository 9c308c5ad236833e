//! Solves one unit: first pass, waves.
//!
//! Knows nothing of directories: the codes of finished tables come from a [`Source`], the result
//! goes back in memory. Invariant: the result depends on the rules and the tables alone, neither
//! on the number of threads nor on the order in which anything was done.

use super::array::{Array, Workspace};
use super::bits::run;
use super::first_pass::{DECIDED, FillRow, FirstPass, Through, Turns};
use super::gather::Address;
use super::links::{Link, Links, Slide, Target, links};
use super::place::Places;
use super::removal::removal_table;
use super::slide::Slides;
use super::waves::{Overflow, Side, WaveWork, run_waves};
use crate::index::{Geometry, Layout, Table};
use crate::rules::Rules;
use crate::storage::StorageError;
use crate::value::Code;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the codes of finished tables come from.
pub trait Source<C> {
    /// All codes of a finished table, by slot.
    ///
    /// # Errors
    /// [`UnitError::Overflow`] when the table holds wider codes than asked for, or as reading
    /// fails.
    fn codes(&self, table: Table) -> Result<Arc<Array<C>>, UnitError>;
}

/// Why a unit was not solved.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// A wider code is needed.
    #[error("a depth does not fit the code")]
    Overflow,
    /// A finished table could not be read, or a working array not be had.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// A solved unit.
#[derive(Debug)]
pub struct SolvedUnit<C> {
    /// The tables asked for, in that order, with their codes by slot.
    pub tables: Vec<(Table, Array<C>)>,
    /// What the waves did.
    pub work: WaveWork,
}

/// What solving takes from outside.
pub struct Means<'a, C> {
    /// The rules.
    pub rules: &'a Rules,
    /// Their board's geometry.
    pub geometry: &'a Geometry,
    /// The finished tables.
    pub source: &'a dyn Source<C>,
    /// Where to put working arrays.
    pub workspace: &'a Workspace<'a>,
    /// Hears of each step.
    pub progress: &'a dyn Fn(Step),
}

/// A step of the work on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The first pass is through with so many slots more.
    FirstPass {
        /// Slots.
        slots: u64,
    },
    /// A wave is done.
    Wave {
        /// Its depth.
        depth: u32,
        /// Slots it has decided.
        decided: u64,
    },
}

/// Solves `tables`, which belong to one unit.
///
/// # Errors
/// See [`UnitError`].
pub fn solve_unit<C: Code>(means: &Means<C>, tables: &[Table]) -> Result<SolvedUnit<C>, UnitError> {
    let mut sides = Vec::with_capacity(tables.len());
    for &table in tables {
        sides.push(first_pass(means, table)?);
    }
    let work = match sides.iter().any(|side| side.flying.is_some()) {
        true => run_waves(means.rules, &mut sides, means.progress)
            .map_err(|Overflow| UnitError::Overflow)?,
        false => WaveWork::default(),
    };
    let solved = sides.into_iter().map(|side| (side.layout.table(), side.values));
    let tables: Vec<(Table, Array<C>)> = solved.collect();
    // A depth at the end of the range would overflow in the tables built upon this one.
    let fits = |codes: &[C]| codes.iter().fold(true, |fits, code| fits & code.is_value());
    match tables.iter().all(|(_, codes)| codes.par_chunks(CHECKED).all(fits)) {
        true => Ok(SolvedUnit { tables, work }),
        false => Err(UnitError::Overflow),
    }
}

/// Slots between two reports of the first pass, about.
const REPORTED: usize = 1 << 23;

/// Codes that a thread checks together.
const CHECKED: usize = 1 << 16;

fn first_pass<'a, C: Code>(means: &Means<'a, C>, table: Table) -> Result<Side<'a, C>, UnitError> {
    let layout = Layout::new(means.geometry, table);
    let Links { place, slide } = links(means.rules, table);
    let placed = match &place {
        Some(link) => Some(means.source.codes(link.quiet)?),
        None => None,
    };
    let place_removals = means.removals(place.as_ref())?;
    let slide_removals = means.removals(slide.as_ref().map(|slide| &slide.link))?;
    let flying = slide.as_ref().map(|slide| slide.flying);
    let mut pass = FirstPass { rules: means.rules, layout, places: None, slides: None };
    if let Some(link) = &place {
        let mut turns = means.turns(&layout, link, table.own + 1, &place_removals);
        let address = Address::new(&Layout::new(means.geometry, link.quiet));
        turns.quiet = placed.as_ref().map(|codes| Through { address, codes });
        pass.places = Some(Places::new(&layout, turns));
    }
    if let Some(Slide { link, flying }) = &slide {
        let turns = means.turns(&layout, link, table.own, &slide_removals);
        pass.slides = Some(Slides { turns, flying: *flying });
    }
    let mut values = means.workspace.array(layout.slots() as usize)?;
    let mut counts = means.workspace.array(layout.slots() as usize)?;
    let row_len = layout.row_len();
    let rows_at_once = (REPORTED / row_len).max(1);
    let pieces = values.chunks_mut(rows_at_once * row_len);
    let pieces = pieces.zip(counts.chunks_mut(rows_at_once * row_len)).enumerate();
    for (piece, (values, counts)) in pieces {
        let slots = values.len() as u64;
        let rows = values.par_chunks_mut(row_len).zip(counts.par_chunks_mut(row_len)).enumerate();
        rows.for_each(|(row, (values, counts))| {
            let row = piece * rows_at_once + row;
            run(FillRow { pass: &pass, row, values, counts });
        });
        (means.progress)(Step::FirstPass { slots });
    }
    debug_assert!(counts.iter().all(|&count| count < DECIDED));
    Ok(Side::new(layout, flying, values, counts))
}

impl<'a, C: Code> Means<'a, C> {
    /// The turns of one kind, their quiet successors taken to be in the unit.
    fn turns<'b>(
        &self,
        layout: &Layout<'b>,
        link: &Link,
        own: u8,
        removals: &'b [Array<C>],
    ) -> Turns<'b, C>
    where
        'a: 'b,
    {
        let address = Address::new(&Layout::new(self.geometry, link.quiet));
        let removals = removals.iter().map(|codes| Through { address, codes });
        Turns { removals: removals.collect(), ..Turns::new(layout, own) }
    }

    /// The removal tables of a kind of turn: for one mill closed, and for more if that differs.
    fn removals(&self, link: Option<&Link>) -> Result<Vec<Array<C>>, UnitError> {
        let Some(link) = link else { return Ok(Vec::new()) };
        let mut codes = Vec::new();
        for target in &link.removals {
            codes.push(match target {
                Target::Ended => None,
                Target::Table(table) => Some(self.source.codes(*table)?),
            });
        }
        let quiet = Layout::new(self.geometry, link.quiet);
        let tables = (1..=link.removals.len()).map(|most| {
            let successors = link.removals[..most].iter().zip(&codes);
            let successors = successors.map(|(&target, codes)| {
                (target, codes.as_ref().map_or(&[][..], |codes| &codes[..]))
            });
            let successors: Vec<_> = successors.collect();
            removal_table(self.rules, &quiet, &successors, self.workspace)
        });
        tables.map(|table| table.map_err(UnitError::Storage)).collect()
    }
}
