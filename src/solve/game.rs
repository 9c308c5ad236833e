//! Solves the units of a plan in order, into a database.
//!
//! A unit whose file holds all wanted tables is skipped, so that an interrupted solve goes on at the unit
//! it was at: the files are all the state there is. Codes take a byte unless a depth needs more, which the unit's
//! file then says. Invariant: a unit's file is written only after all it builds upon.

use super::array::{Array, Workspace};
use super::counts::count_classes;
use super::links::{Links, links};
use super::plan::{PlannedUnit, with_needs};
use super::unit::{Means, SolvedUnit, Source, Step, UnitError, solve_unit};
use super::waves::WaveWork;
use crate::index::{Geometry, Layout, Table, Unit};
use crate::rules::Rules;
use crate::storage::{
    self, Arena, Counts, Database, Metric, StorageError, UnitPlan, Width, free_space,
};
use crate::value::Code;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bytes of a finished file per slot, about: 0.37 in nine's moving phase and 0.38 in its placing.
const FILE_BYTES_PER_SLOT: f64 = 0.4;

/// Bytes of working memory per slot of a table without moves: its value.
const PLACING_BYTES_PER_SLOT: u64 = 1;

/// The same of a table with moves, which keeps lists too: four bytes for each slot that waits for a
/// wave or was decided in the last one, assumed to be three quarters of them.
const MOVING_BYTES_PER_SLOT: u64 = 5;

/// Of these, the bytes that are no working arrays: messages between tables, about (9-7 of nine: 2.1).
const MESSAGE_BYTES_PER_SLOT: u64 = 2;

/// Nanoseconds of CPU time per slot for its placements and for its moves, files included, as nine took
/// them on a core of an AMD EPYC (Zen 4); see `data/nine_solve.csv`. Small units take half as long.
const PLACING_NANOSECONDS: u64 = 25;
const MOVING_NANOSECONDS: u64 = 52;

/// Share of the memory allowed that working arrays, kept tables and messages between tables may take; the
/// rest is for rooms of threads and the like (9-7 of nine: 0.5 GB), and waves that send more.
const ARRAYS_SHARE: (u64, u64) = (9, 10);

/// A solved unit, as reported when its file is complete.
#[derive(Clone, Debug)]
pub struct UnitReport {
    /// The unit.
    pub unit: Unit,
    /// Its tables with their slots and counts.
    pub tables: Vec<(Table, u64, Counts)>,
    /// Wall time.
    pub seconds: f64,
    /// Time of all threads; `None` where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// What the waves did.
    pub work: WaveWork,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// Follows a solve; every method may be left out.
pub trait Observer {
    /// A unit is begun: its place among the units to solve, from 0.
    fn unit_started(&self, _planned: &PlannedUnit, _place: usize) {}
    /// A step of the unit is done.
    fn step(&self, _step: Step) {}
    /// A unit's file is complete.
    fn unit_finished(&self, _report: &UnitReport) {}
}

/// Watches nothing.
impl Observer for () {}

/// Why a solve stopped.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// A file or a working array.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Too little disk.
    #[error(
        "this solve needs about {} of disk in {directory}, {} are free: make room, choose another --db, or solve fewer subspaces",
        gigabytes(*.needed), gigabytes(*.free)
    )]
    Disk {
        /// Where.
        directory: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
    /// A database of outcomes, on which no depths can be built.
    #[error(
        "{} stores win, draw or loss only, and a solve needs depths: choose another --db", path.display()
    )]
    OutcomesOnly {
        /// The first such file.
        path: PathBuf,
    },
    /// Depths beyond two bytes.
    #[error("unit {0}: a depth exceeds what two bytes hold")]
    TooDeep(Unit),
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

/// What a unit costs, predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Slots of the tables wanted.
    pub slots: u64,
    /// Bytes of working arrays.
    pub memory: u64,
    /// Bytes of the file.
    pub disk: u64,
    /// Time of all threads.
    pub cpu: Duration,
}

/// Predicts the cost of a unit at a byte a code.
pub fn predict(rules: &Rules, geometry: &Geometry, planned: &PlannedUnit) -> Cost {
    let slots_of = |table: Table| Layout::new(geometry, table).slots();
    let slots: u64 = planned.tables.iter().map(|&table| slots_of(table)).sum();
    let links = |&table: &Table| (table, links(rules, table));
    let tables: Vec<(Table, Links)> = planned.tables.iter().map(links).collect();
    let working = tables.iter().map(|(table, links)| match links.slide {
        Some(_) => MOVING_BYTES_PER_SLOT * slots_of(*table),
        None => PLACING_BYTES_PER_SLOT * slots_of(*table),
    });
    // For one table at a time, removal tables, unless rows stay with one player, and the tables that
    // turns lead to.
    let passing = tables.iter().map(|(table, links)| {
        let by_own = |table| Layout::new(geometry, table).rows_by_own();
        let with_tables = links.all().filter(|l| by_own(*table) || !by_own(l.quiet));
        let removals: u64 = with_tables.map(|l| l.removals.len() as u64 * slots_of(l.quiet)).sum();
        let known: u64 = links.tables().filter(|t| !planned.tables.contains(t)).map(slots_of).sum();
        removals + known
    });
    let memory = working.sum::<u64>() + passing.max().unwrap_or(0);
    let nanoseconds = |links: &Links| {
        u64::from(links.place.is_some()) * PLACING_NANOSECONDS
            + u64::from(links.slide.is_some()) * MOVING_NANOSECONDS
    };
    let cpu = tables.iter().map(|(table, links)| slots_of(*table) * nanoseconds(links)).sum();
    let disk = (slots as f64 * FILE_BYTES_PER_SLOT) as u64;
    Cost { slots, memory, disk, cpu: Duration::from_nanos(cpu) }
}

/// Bytes of messages between the tables of the unit, about.
fn message_bytes(rules: &Rules, geometry: &Geometry, planned: &PlannedUnit) -> u64 {
    let moving = planned.tables.iter().filter(|&&table| links(rules, table).slide.is_some());
    let slots = moving.map(|&table| Layout::new(geometry, table).slots());
    MESSAGE_BYTES_PER_SLOT * slots.sum::<u64>()
}

/// The units of `plan`, and of what must be solved along with them, that have no usable file yet.
///
/// # Errors
/// A file is damaged or belongs to other rules, or the database holds outcomes without depths.
pub fn remaining(
    database: &Database,
    geometry: &Geometry,
    plan: &[PlannedUnit],
) -> Result<Vec<PlannedUnit>, SolveError> {
    // Even beside the plan: a database is of one kind, so that all of it can be built upon.
    if let Some(path) = database.first_with(Metric::Outcome)? {
        return Err(SolveError::OutcomesOnly { path });
    }
    let mut plan = plan.to_vec();
    loop {
        let unsolved = unsolved(database, geometry, &plan)?;
        let needed = with_needs(database.rules(), &plan, &unsolved);
        if needed == plan {
            return Ok(unsolved);
        }
        plan = needed;
    }
}

/// The units of `plan` that lack a usable table. A file is written whole: what it held already is
/// solved along, and may need more than the plan.
fn unsolved(
    database: &Database,
    geometry: &Geometry,
    plan: &[PlannedUnit],
) -> Result<Vec<PlannedUnit>, StorageError> {
    let mut unsolved = Vec::new();
    for planned in plan {
        let file = database.unit(planned.unit)?;
        let stored = |table: &Table| {
            let mut tables = file.iter().flat_map(|file| file.tables());
            tables.find(|info| info.table == *table)
        };
        // What an older version arranged in another way is of no use.
        let usable = |table: &Table| {
            stored(table).is_some_and(|info| info.layout == stored_layout(geometry, *table))
        };
        if !planned.tables.iter().all(usable) {
            let all = planned.unit.tables();
            let all = all.filter(|table| planned.tables.contains(table) || stored(table).is_some());
            unsolved.push(PlannedUnit { unit: planned.unit, tables: all.collect() });
        }
    }
    Ok(unsolved)
}

/// Solves what is missing of `plan` into `database`, holding at most about `memory` bytes beside
/// the page cache: units that need more work in scratch files.
///
/// # Errors
/// See [`SolveError`]. Finished units stay.
pub fn solve_plan(
    database: &Database,
    geometry: &Geometry,
    plan: &[PlannedUnit],
    memory: u64,
    observer: &dyn Observer,
) -> Result<(), SolveError> {
    let lock = database.lock()?;
    database.clean_leftovers(&lock)?;
    let todo = remaining(database, geometry, plan)?;
    check_disk(database, geometry, &todo, memory)?;
    let for_arrays = memory / ARRAYS_SHARE.1 * ARRAYS_SHARE.0;
    let arena = Arena::reserve(for_arrays)?;
    let shelf = Shelf::default();
    let mut messages = 0;
    for (place, planned) in todo.iter().enumerate() {
        observer.unit_started(planned, place);
        let arena = &arena;
        messages = messages.max(message_bytes(database.rules(), geometry, planned));
        let job =
            UnitJob { database, geometry, planned, memory, for_arrays, messages, arena, observer };
        let report = match job.solve::<u8>(&shelf) {
            Err(UnitError::Overflow) => job.solve::<u16>(&Shelf::default()),
            report => report,
        };
        match report {
            Ok(report) => observer.unit_finished(&report),
            Err(UnitError::Overflow) => return Err(SolveError::TooDeep(planned.unit)),
            Err(UnitError::Storage(error)) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Refuses a solve whose files, and scratch files if need be, cannot fit the disk.
fn check_disk(
    database: &Database,
    geometry: &Geometry,
    todo: &[PlannedUnit],
    memory: u64,
) -> Result<(), SolveError> {
    let costs = todo.iter().map(|planned| predict(database.rules(), geometry, planned));
    let costs: Vec<Cost> = costs.collect();
    let files: u64 = costs.iter().map(|cost| cost.disk).sum();
    let scratch = costs.iter().map(|cost| cost.memory).filter(|&need| need > memory).max();
    let needed = files + scratch.unwrap_or(0);
    match free_space(database.directory()) {
        Some(free) if free < needed => {
            let directory = database.directory().display().to_string();
            Err(SolveError::Disk { directory, needed, free })
        }
        _ => Ok(()),
    }
}

/// Tables kept in memory for the units that build upon them, the most recently used last.
struct Shelf<C> {
    tables: Mutex<Vec<(Table, Arc<Array<C>>)>>,
}

impl<C> Default for Shelf<C> {
    fn default() -> Shelf<C> {
        Shelf { tables: Mutex::default() }
    }
}

impl<C: Code> Shelf<C> {
    fn get(&self, table: Table) -> Option<Arc<Array<C>>> {
        let mut tables = self.tables.lock().expect("no thread panics with the lock");
        let place = tables.iter().position(|(t, _)| *t == table)?;
        let entry = tables.remove(place);
        let codes = Arc::clone(&entry.1);
        tables.push(entry);
        Some(codes)
    }

    fn put(&self, table: Table, codes: Array<C>) {
        let mut tables = self.tables.lock().expect("no thread panics with the lock");
        tables.push((table, Arc::new(codes)));
    }

    /// Lets go of the longest unused tables until the rest holds at most `bytes`.
    fn shrink(&self, bytes: u64) {
        let mut tables = self.tables.lock().expect("no thread panics with the lock");
        let mut held: u64 = tables.iter().map(|(_, codes)| codes.bytes().len() as u64).sum();
        while held > bytes {
            held -= tables.remove(0).1.bytes().len() as u64;
        }
    }
}

/// One unit of a plan.
struct UnitJob<'a> {
    database: &'a Database,
    geometry: &'a Geometry,
    planned: &'a PlannedUnit,
    memory: u64,
    /// Of the memory: what working arrays, kept tables and messages between tables may take.
    for_arrays: u64,
    /// Bytes of messages that the allocator may hold: it keeps those of the largest unit so far.
    messages: u64,
    arena: &'a Arc<Arena>,
    observer: &'a dyn Observer,
}

impl UnitJob<'_> {
    fn solve<C: Code>(&self, shelf: &Shelf<C>) -> Result<UnitReport, UnitError> {
        let (started, cpu) = (Instant::now(), cpu_time());
        let rules = self.database.rules();
        let need = predict(rules, self.geometry, self.planned).memory * C::WIDTH as u64;
        let workspace = match need > self.memory {
            true => Workspace::in_files(self.database),
            false => Workspace::in_arena(self.arena),
        };
        let others = self.messages - message_bytes(rules, self.geometry, self.planned);
        shelf.shrink(self.for_arrays.saturating_sub(need + others));
        self.arena.trim(self.for_arrays.saturating_sub(self.messages));
        let source = Stored { job: self, workspace: &workspace, shelf };
        let means = Means {
            rules,
            distance: self.database.distance(),
            geometry: self.geometry,
            source: &source,
            workspace: &workspace,
            progress: &|step| self.observer.step(step),
        };
        let SolvedUnit { tables, work } = solve_unit::<C>(&means, &self.planned.tables)?;
        let (counts, file_bytes) = self.write(&tables)?;
        let reported = tables.iter().zip(counts);
        let reported =
            reported.map(|((table, codes), counts)| (*table, codes.len() as u64, counts));
        let reported = reported.collect();
        if need <= self.memory {
            tables.into_iter().for_each(|(table, codes)| shelf.put(table, codes));
        }
        Ok(UnitReport {
            unit: self.planned.unit,
            tables: reported,
            seconds: started.elapsed().as_secs_f64(),
            cpu_seconds: cpu_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64()),
            work,
            file_bytes,
        })
    }

    fn write<C: Code>(
        &self,
        tables: &[(Table, Array<C>)],
    ) -> Result<(Vec<Counts>, u64), UnitError> {
        let layouts =
            tables.iter().map(|(table, _)| (*table, stored_layout(self.geometry, *table)));
        let mut writer = self.database.writer(&UnitPlan {
            unit: self.planned.unit,
            metric: self.database.distance().into(),
            width: Width::of::<C>(),
            tables: layouts.collect(),
        })?;
        let mut counts = Vec::new();
        for (table, codes) in tables {
            writer.write(*table, codes.bytes())?;
            counts.push(count_classes(&Layout::new(self.geometry, *table), codes));
        }
        let bytes = writer.finish(counts.clone())?;
        // An older file with fewer tables may still be open.
        self.database.close(self.planned.unit);
        Ok((counts, bytes))
    }
}

/// How a table is arranged in its file.
fn stored_layout(geometry: &Geometry, table: Table) -> storage::Layout {
    storage::Layout::of(&Layout::new(geometry, table))
}

/// The finished tables of a database as a [`Source`].
struct Stored<'a, C> {
    job: &'a UnitJob<'a>,
    workspace: &'a Workspace<'a>,
    shelf: &'a Shelf<C>,
}

impl<C: Code> Source<C> for Stored<'_, C> {
    fn codes(&self, table: Table) -> Result<Arc<Array<C>>, UnitError> {
        if let Some(codes) = self.shelf.get(table) {
            return Ok(codes);
        }
        let database = self.job.database;
        let missing = || database.not_solved(table.subspace());
        let file = database.unit(table.unit())?.ok_or_else(missing)?;
        file.check_layout(table, stored_layout(self.job.geometry, table))?;
        let slots = Layout::new(self.job.geometry, table).slots() as usize;
        match (file.width().code_bytes(), C::WIDTH) {
            (stored, wanted) if stored == wanted => {
                let mut codes = self.workspace.array::<C>(slots)?;
                file.read_all(table, codes.bytes_mut())?;
                Ok(Arc::new(codes))
            }
            (1, 2) => {
                let mut narrow = self.workspace.array::<u8>(slots)?;
                file.read_all(table, narrow.bytes_mut())?;
                let mut codes = self.workspace.array::<C>(slots)?;
                for (wide, narrow) in codes.iter_mut().zip(narrow.iter()) {
                    *wide = narrow.convert().expect("finished tables hold values");
                }
                Ok(Arc::new(codes))
            }
            _ => Err(UnitError::Overflow),
        }
    }
}

/// CPU time of this process, all threads.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}
