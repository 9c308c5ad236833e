//! Solves one unit: first pass, waves.
//!
//! Knows nothing of directories: the codes of finished tables come from a [`Source`], the result
//! goes back in memory. Invariant: the result depends on the rules and the tables alone, neither
//! on the number of threads nor on the order in which anything was done.

use super::array::{Array, Workspace};
use super::bits::run;
use super::crossing::Crossing;
use super::first_pass::{DECIDED, FillRows, FirstPass};
use super::links::{Link, Links, Slide, Target, links};
use super::place::Places;
use super::removal::removal_table;
use super::slide::Slides;
use super::waves::{Overflow, Side, WaveWork, run_waves};
use crate::index::{Geometry, Layout, Table};
use crate::rules::Rules;
use crate::storage::StorageError;
use crate::value::{Code, Distance};
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
    /// What plies count to, in the finished tables and in what is solved.
    pub distance: Distance,
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
    let moves = tables.iter().any(|&table| links(means.rules, table).slide.is_some());
    let mut filled = Vec::with_capacity(tables.len());
    for &table in tables {
        filled.push(first_pass(means, table, moves)?);
    }
    let solved = match moves {
        true => run_waves_of(means, filled)?,
        false => {
            let tables = filled.into_iter().map(|side| (side.layout.table(), side.values));
            SolvedUnit { tables: tables.collect(), work: WaveWork::default() }
        }
    };
    // A depth at the end of the range would overflow in the tables built upon this one.
    let fits = |codes: &[C]| codes.iter().fold(true, |fits, code| fits & code.is_value());
    match solved.tables.iter().all(|(_, codes)| codes.par_chunks(CHECKED).all(fits)) {
        true => Ok(solved),
        false => Err(UnitError::Overflow),
    }
}

/// The waves of a unit with moves, and its finished tables.
fn run_waves_of<C: Code>(
    means: &Means<C>,
    filled: Vec<Filled<C>>,
) -> Result<SolvedUnit<C>, UnitError> {
    let side = |Filled { layout, flying, values, counts }| {
        Side::new(layout, flying, values, counts, means.workspace)
    };
    let mut sides: Vec<Side<C>> = filled.into_iter().map(side).collect::<Result<_, _>>()?;
    let work = run_waves(means.rules, &mut sides, means.progress);
    let work = work.map_err(|Overflow| UnitError::Overflow)?;
    let tables = sides.into_iter().map(|side| (side.layout.table(), side.values));
    Ok(SolvedUnit { tables: tables.collect(), work })
}

/// A table after its first pass.
struct Filled<'a, C> {
    layout: Layout<'a>,
    /// Whether its moves may go to any empty point; `None` when it has no moves.
    flying: Option<bool>,
    values: Array<C>,
    /// Empty in a unit without moves.
    counts: Array<u8>,
}

/// Slots between two reports of the first pass, about.
const REPORTED: usize = 1 << 23;

/// Fewest batches between two reports, so that no thread waits long for another.
const LEAST_TASKS: usize = 32;

/// Codes that a thread checks together.
const CHECKED: usize = 1 << 16;

fn first_pass<'a, C: Code>(
    means: &Means<'a, C>,
    table: Table,
    counted: bool,
) -> Result<Filled<'a, C>, UnitError> {
    let layout = Layout::new(means.geometry, table);
    let Links { place, slide } = links(means.rules, table);
    let placed = match &place {
        Some(link) => Some(means.source.codes(link.quiet)?),
        None => None,
    };
    let place_removals = means.removals(place.as_ref())?;
    let slide_removals = means.removals(slide.as_ref().map(|slide| &slide.link))?;
    let flying = slide.as_ref().map(|slide| slide.flying);
    let pass = FirstPass {
        rules: means.rules,
        layout,
        places: place.as_ref().map(|link| {
            let quiet = placed.as_ref().map(|codes| &codes[..]);
            Places::new(&layout, means.crossing(layout, link, quiet, &place_removals))
        }),
        slides: slide.as_ref().map(|Slide { link, flying }| Slides {
            crossing: means.crossing(layout, link, None, &slide_removals),
            ranks: layout.own_ranks(),
            flying: *flying,
        }),
    };
    let mut values = means.workspace.array(layout.slots() as usize)?;
    let mut counts = means.workspace.array(if counted { layout.slots() as usize } else { 0 })?;
    let batch = pass.batch_rows() * layout.row_len();
    let piece = batch * (REPORTED / batch).max(LEAST_TASKS);
    let mut left = &mut counts[..];
    for (number, values) in values.chunks_mut(piece).enumerate() {
        let counts;
        (counts, left) = left.split_at_mut(values.len().min(left.len()));
        fill_piece(&pass, number * piece, values, counts);
        (means.progress)(Step::FirstPass { slots: values.len() as u64 });
    }
    debug_assert!(counts.iter().all(|&count| count < DECIDED));
    Ok(Filled { layout, flying, values, counts })
}

/// The first pass over the slots from `first` on, batches of rows shared out.
fn fill_piece<C: Code>(pass: &FirstPass<C>, first: usize, values: &mut [C], mut counts: &mut [u8]) {
    let row_len = pass.layout.row_len();
    let batch = pass.batch_rows() * row_len;
    let mut tasks = Vec::new();
    for (number, values) in values.chunks_mut(batch).enumerate() {
        let (here, later) = counts.split_at_mut(values.len().min(counts.len()));
        counts = later;
        tasks.push(((first + number * batch) / row_len, values, here));
    }
    tasks.into_par_iter().for_each_init(
        || pass.readings(),
        |readings, (first_row, values, counts)| {
            run(FillRows { pass, first_row, values, counts, readings });
        },
    );
}

impl<'a, C: Code> Means<'a, C> {
    /// The tables a link leads to, through the rows of `layout`.
    fn crossing<'b>(
        &self,
        layout: Layout<'b>,
        link: &Link,
        quiet: Option<&'b [C]>,
        removals: &'b [Array<C>],
    ) -> Crossing<'b, C>
    where
        'a: 'b,
    {
        let there = Layout::new(self.geometry, link.quiet);
        Crossing::new(layout, there, quiet, removals.iter().map(|codes| &codes[..]).collect())
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
            removal_table(self.rules, self.distance, &quiet, &successors, self.workspace)
        });
        tables.map(|table| table.map_err(UnitError::Storage)).collect()
    }
}
