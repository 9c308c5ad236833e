//! Solves one unit: first pass, waves.
//!
//! Knows nothing of directories: the codes of finished tables come from a [`Source`], the result
//! goes back in memory. Invariant: the result depends on the rules and the tables alone, neither
//! on the number of threads nor on the order in which anything was done.

use super::array::{Array, Workspace};
use super::bits::run;
use super::crossing::Crossing;
use super::first_pass::{DECIDED, FillRows, FirstPass};
use super::join::Joins;
use super::links::{Link, Links, Slide, Target, links};
use super::place::{Places, Successors};
use super::removal::removal_table;
use super::slide::Slides;
use super::stay::Stays;
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
    let placed = placed.as_ref().map(|codes| &codes[..]);
    let place_removals = means.removals(&layout, place.as_ref())?;
    let slide_removals = means.removals(&layout, slide.as_ref().map(|slide| &slide.link))?;
    let flying = slide.as_ref().map(|slide| slide.flying);
    let mut pass =
        FirstPass { rules: means.rules, layout, places: None, joins: None, slides: None };
    if let (Some(link), Some(quiet)) = (&place, placed) {
        if layout.rows_by_own() {
            let there = Layout::new(means.geometry, link.quiet);
            let removals = place_removals.tables();
            pass.joins = Some(Joins::new(means.rules, layout, there, quiet, removals));
        } else {
            let successors = means.successors(layout, link, placed, &place_removals);
            pass.places = Some(Places::new(&layout, successors));
        }
    }
    if let Some(Slide { link, flying }) = &slide {
        let successors = means.successors(layout, link, None, &slide_removals);
        pass.slides = Some(Slides::new(layout, successors, *flying));
    }
    let slots = layout.slots() as usize;
    let mut values = means.workspace.unset_array(slots)?;
    // A table without moves in a unit with some leaves its counts alone.
    let mut counts = match (counted, &slide) {
        (true, Some(_)) => means.workspace.unset_array(slots)?,
        (true, None) => means.workspace.array(slots)?,
        (false, _) => means.workspace.unset_array(0)?,
    };
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

/// What is known of the removals of one kind of turn.
enum Removals<C> {
    /// Removal tables, for one mill closed, and for more if that differs: where the mover names the
    /// rows after the turn.
    Tables(Vec<Array<C>>),
    /// By number of men removed, the tables that follow; their codes, unless the game ends.
    Followed(Vec<(Target, Option<Arc<Array<C>>>)>),
}

impl<C: Code> Removals<C> {
    fn tables(&self) -> Vec<&[C]> {
        match self {
            Removals::Tables(tables) => tables.iter().map(|codes| &codes[..]).collect(),
            Removals::Followed(_) => unreachable!("the mover names the rows after the turn"),
        }
    }
}

/// Targets with their codes, none where the game ends.
fn followed<C: Code>(targets: &[(Target, Option<Arc<Array<C>>>)]) -> Vec<(Target, &[C])> {
    let followed = targets.iter().map(|(target, codes)| match codes {
        Some(codes) => (*target, &codes[..]),
        None => (*target, &[][..]),
    });
    followed.collect()
}

impl<'a, C: Code> Means<'a, C> {
    /// What the turns of a link from `layout` lead to, whose rows the opponent names.
    fn successors<'b>(
        &self,
        layout: Layout<'b>,
        link: &Link,
        quiet: Option<&'b [C]>,
        removals: &'b Removals<C>,
    ) -> Successors<'b, C>
    where
        'a: 'b,
    {
        match removals {
            Removals::Tables(_) => {
                let there = Layout::new(self.geometry, link.quiet);
                let tables = removals.tables();
                Successors::Crossing(Crossing::new(layout, there, quiet, tables))
            }
            Removals::Followed(targets) => {
                let (rules, men) = (self.rules, link.quiet.enemy);
                let targets = followed(targets);
                let stays = Stays::new(rules, self.distance, &layout, men, quiet, &targets);
                Successors::Stays(stays)
            }
        }
    }

    /// What is known of the removals of a kind of turn from `layout`.
    fn removals(&self, layout: &Layout, link: Option<&Link>) -> Result<Removals<C>, UnitError> {
        let Some(link) = link else { return Ok(Removals::Tables(Vec::new())) };
        let quiet = Layout::new(self.geometry, link.quiet);
        let mut targets = Vec::new();
        for &target in &link.removals {
            let codes = match target {
                Target::Ended => None,
                Target::Table(table) => Some(self.source.codes(table)?),
            };
            targets.push((target, codes));
        }
        if !layout.rows_by_own() && quiet.rows_by_own() {
            return Ok(Removals::Followed(targets));
        }
        let tables = (1..=targets.len()).map(|most| {
            let successors = followed(&targets[..most]);
            removal_table(self.rules, self.distance, &quiet, &successors, self.workspace)
        });
        let tables: Result<Vec<_>, StorageError> = tables.collect();
        Ok(Removals::Tables(tables?))
    }
}
