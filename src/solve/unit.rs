//! Solves one unit: first pass, waves, counts.
//!
//! Knows nothing of files: the codes of finished tables come from a [`Source`], the result goes
//! back in memory. Invariant: the result depends on the rules and the tables alone, neither on the
//! number of threads nor on the order in which anything was done.

use super::bits::run;
use super::first_pass::{DECIDED, FillRow, FirstPass, Through, Turns};
use super::gather::Address;
use super::links::{Link, Links, Slide, Target, links};
use super::removal::{Successor, removal_table};
use super::waves::{Overflow, Side, WaveWork, run_waves};
use crate::index::{Geometry, Layout, Table};
use crate::rules::Rules;
use crate::value::Code;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the codes of finished tables come from.
pub trait Source<C> {
    /// Why they cannot be had.
    type Error;
    /// All codes of a finished table, by slot.
    ///
    /// # Errors
    /// When the table cannot be read, or is not there.
    fn codes(&self, table: Table) -> Result<Arc<Vec<C>>, Self::Error>;
}

/// Why a unit was not solved.
#[derive(Debug)]
pub enum UnitError<E> {
    /// A depth does not fit the code; a wider one is needed.
    Overflow,
    /// A finished table could not be read.
    Source(E),
}

/// A solved unit.
#[derive(Debug)]
pub struct SolvedUnit<C> {
    /// The tables asked for, in that order, with their codes by slot.
    pub tables: Vec<(Table, Vec<C>)>,
    /// What the waves did.
    pub work: WaveWork,
}

/// Solves `tables`, which belong to one unit, from the finished tables in `source`.
///
/// # Errors
/// See [`UnitError`].
pub fn solve_unit<C: Code, S: Source<C>>(
    rules: &Rules,
    geometry: &Geometry,
    tables: &[Table],
    source: &S,
    progress: &dyn Fn(u32),
) -> Result<SolvedUnit<C>, UnitError<S::Error>> {
    let mut sides = Vec::with_capacity(tables.len());
    for &table in tables {
        sides.push(first_pass(rules, geometry, table, source)?);
    }
    let moves = sides.iter().any(|side| side.flying.is_some());
    let work = match moves {
        true => run_waves(rules, &mut sides, progress).map_err(|Overflow| UnitError::Overflow)?,
        false => WaveWork::default(),
    };
    let solved = sides.into_iter().map(|side| (side.layout.table(), side.values));
    let tables: Vec<_> = solved.collect();
    // A depth at the end of the range would overflow in the tables built upon this one.
    let fits = |codes: &Vec<C>| codes.par_iter().all(|code| code.value().is_some());
    if !tables.iter().all(|(_, codes)| fits(codes)) {
        return Err(UnitError::Overflow);
    }
    Ok(SolvedUnit { tables, work })
}

fn first_pass<'a, C: Code, S: Source<C>>(
    rules: &'a Rules,
    geometry: &'a Geometry,
    table: Table,
    source: &S,
) -> Result<Side<'a, C>, UnitError<S::Error>> {
    let layout = Layout::new(geometry, table);
    let Links { place, slide } = links(rules, table);
    let placed = match &place {
        Some(link) => Some(source.codes(link.quiet).map_err(UnitError::Source)?),
        None => None,
    };
    let place_removals = removals(rules, geometry, place.as_ref(), source)?;
    let slide_removals = removals(rules, geometry, slide.as_ref().map(|s| &s.link), source)?;
    let flying = slide.as_ref().map(|slide| slide.flying);
    let mut pass = FirstPass { rules, layout, places: None, slides: None };
    if let Some(link) = &place {
        let mut turns = turns(&layout, geometry, link, table.own + 1, &place_removals);
        let address = Address::new(&Layout::new(geometry, link.quiet));
        turns.quiet = placed.as_ref().map(|codes| Through { address, codes });
        pass.places = Some(turns);
    }
    if let Some(Slide { link, flying }) = &slide {
        let turns = turns(&layout, geometry, link, table.own, &slide_removals);
        pass.slides = Some((turns, *flying));
    }
    let mut values = vec![C::NONE; layout.slots() as usize];
    let mut counts = vec![0u8; layout.slots() as usize];
    let row_len = layout.row_len();
    let rows = values.par_chunks_mut(row_len).zip(counts.par_chunks_mut(row_len)).enumerate();
    rows.for_each(|(row, (values, counts))| run(FillRow { pass: &pass, row, values, counts }));
    debug_assert!(counts.iter().all(|&count| count < DECIDED));
    Ok(Side::new(layout, flying, values, counts))
}

/// The turns of one kind, their quiet successors taken to be in the unit.
fn turns<'a, C>(
    layout: &Layout<'a>,
    geometry: &'a Geometry,
    link: &Link,
    own: u8,
    removals: &'a [Vec<C>],
) -> Turns<'a, C> {
    let address = Address::new(&Layout::new(geometry, link.quiet));
    let removals = removals.iter().map(|codes| Through { address, codes });
    Turns { removals: removals.collect(), ..Turns::new(layout, own) }
}

/// The removal tables of a kind of turn: for one mill closed, and for more if that differs.
fn removals<C: Code, S: Source<C>>(
    rules: &Rules,
    geometry: &Geometry,
    link: Option<&Link>,
    source: &S,
) -> Result<Vec<Vec<C>>, UnitError<S::Error>> {
    let Some(link) = link else { return Ok(Vec::new()) };
    let mut codes = Vec::new();
    for target in &link.removals {
        codes.push(match target {
            Target::Ended => None,
            Target::Table(table) => Some(source.codes(*table).map_err(UnitError::Source)?),
        });
    }
    let quiet = Layout::new(geometry, link.quiet);
    let tables = (1..=link.removals.len()).map(|most| {
        let targets = link.removals[..most].iter().zip(&codes);
        let successors: Vec<_> = targets
            .map(|(&target, codes)| {
                let codes = codes.as_ref().map_or(&[][..], |codes| &codes[..]);
                Successor::new(target, |table| Layout::new(geometry, table), codes)
            })
            .collect();
        removal_table(rules, &quiet, &successors)
    });
    Ok(tables.collect())
}
