//! Throughput of a fixed solve and latency of probes, the same work on every machine.
//!
//! Numbers of one program on two machines, or of two versions on one, compare only if the work is
//! the same and its answer right. Invariant: the workload depends on nothing but this file, and a
//! report exists only if the known counts came out.

use crate::index::{Geometry, Layout, Subspace};
use crate::rules::{Color, Position, Rules};
use crate::solve::{
    Observer, PlannedUnit, SolveError, UnitReport, cpu_time, plan_subspaces, solve_plan,
};
use crate::storage::{Counts, Database, StorageError};
use crate::value::Value;
use rayon::prelude::*;
use serde::Serialize;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The rules of the workload.
pub const RULES: &str = "nine";

/// The subspace solved, with all it needs: six units.
const LARGEST: Subspace = Subspace { white: 5, black: 5, white_hand: 0, black_hand: 0 };

/// Wins, losses and draws of [`LARGEST`], as published.
const KNOWN: [u64; 3] = [28_819, 4_289, 30_881_316];

/// Working memory allowed: more than the workload needs.
const MEMORY: u64 = 2 << 30;

/// Random positions probed.
const PROBES: usize = 20_000;

/// Wins, losses and draws among them.
const KNOWN_PROBES: [u64; 3] = [15, 0, 19_985];

/// One solve of the workload.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Round {
    /// Slots of all tables.
    pub slots: u64,
    /// Moves taken back.
    pub edges: u64,
    /// Wall time.
    pub seconds: f64,
    /// Time of all threads; none where the system does not tell.
    pub cpu_seconds: Option<f64>,
}

/// Latency of probes whose files are in the system's cache.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Probes {
    /// Positions probed.
    pub probes: u64,
    /// Microseconds from a random position to its value; nearly each decompresses a frame.
    pub random_microseconds: f64,
    /// Microseconds from a position to its value when its frame has just been used.
    pub repeated_microseconds: f64,
    /// Probes at random positions per second, all threads at work.
    pub random_per_second: f64,
}

/// What a benchmark found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The workload in words.
    pub workload: String,
    /// Threads at work.
    pub threads: usize,
    /// The solves.
    pub rounds: Vec<Round>,
    /// The probes.
    pub probes: Probes,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A solve.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The directory for the files cannot be made.
    #[error("cannot create {}: {source}; the environment variable TMPDIR chooses another place", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The answer is wrong, so its speed means nothing.
    #[error(
        "{what} gave {found:?} wins, losses and draws, known are {expected:?}: do not trust this build"
    )]
    Wrong {
        /// The part of the workload.
        what: &'static str,
        /// What came out.
        found: [u64; 3],
        /// What is known.
        expected: [u64; 3],
    },
}

impl Report {
    /// The fastest round.
    pub fn best(&self) -> Round {
        let fastest = self.rounds.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        fastest.copied().unwrap_or_default()
    }
}

/// Solves the workload `rounds` times into a directory under `scratch` that is gone afterwards,
/// then probes it.
///
/// # Errors
/// The directory, a file, or a wrong answer.
pub fn run(rounds: u32, scratch: &Path) -> Result<Report, BenchError> {
    let rules = Rules::named(RULES).expect("a known name");
    let geometry = Geometry::new(&rules);
    let plan = plan_subspaces(&rules, &[LARGEST]).expect("a subspace of the rules");
    let directory = Temporary::create(scratch)?;
    let mut done = Vec::new();
    for number in 0..rounds.max(1) {
        let root = directory.path.join(number.to_string());
        let database = Database::create(&root, &rules)?;
        done.push(round(&database, &geometry, &plan)?);
    }
    let database = Database::open(&directory.path.join("0"), &rules)?;
    Ok(Report {
        workload: format!("{RULES}, {LARGEST} and all it needs, files included"),
        threads: rayon::current_num_threads(),
        rounds: done,
        probes: probe(&database, &geometry)?,
    })
}

/// Adds up what the units report.
#[derive(Default)]
struct Sum {
    round: RefCell<Round>,
    largest: RefCell<Counts>,
}

impl Observer for Sum {
    fn unit_finished(&self, report: &UnitReport) {
        let mut round = self.round.borrow_mut();
        round.edges += report.work.edges;
        for (_, slots, counts) in &report.tables {
            round.slots += slots;
            if report.unit == LARGEST.unit() {
                *self.largest.borrow_mut() = counts.clone();
            }
        }
    }
}

fn round(
    database: &Database,
    geometry: &Geometry,
    plan: &[PlannedUnit],
) -> Result<Round, BenchError> {
    let (started, cpu) = (Instant::now(), cpu_time());
    let sum = Sum::default();
    solve_plan(database, geometry, plan, MEMORY, &sum)?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu_seconds = cpu_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
    let Counts { wins, losses, draws, .. } = sum.largest.into_inner();
    check("the solve", [wins, losses, draws], KNOWN)?;
    Ok(Round { seconds, cpu_seconds, ..sum.round.into_inner() })
}

fn check(what: &'static str, found: [u64; 3], expected: [u64; 3]) -> Result<(), BenchError> {
    match found == expected {
        true => Ok(()),
        false => Err(BenchError::Wrong { what, found, expected }),
    }
}

fn probe(database: &Database, geometry: &Geometry) -> Result<Probes, BenchError> {
    let table = LARGEST.table(Color::White);
    let file = database.unit(table.unit())?.ok_or_else(|| database.not_solved(LARGEST))?;
    let layout = Layout::new(geometry, table);
    let positions = random_positions(&layout, PROBES);
    let value = |position: &Position| file.value(table, layout.slot_of(position));
    // Once unmeasured, so that the system's cache holds the file.
    let mut outcomes = [0; 3];
    for position in &positions {
        outcomes[match value(position)? {
            Value::Win(_) => 0,
            Value::Loss(_) => 1,
            Value::Draw => 2,
        }] += 1;
    }
    check("probing", outcomes, KNOWN_PROBES)?;
    let random = timed(&mut positions.iter().map(value))?;
    let repeated = timed(&mut std::iter::repeat_n(&positions[0], PROBES).map(value))?;
    let started = Instant::now();
    positions.par_iter().try_for_each(|position| value(position).map(drop))?;
    Ok(Probes {
        random_per_second: PROBES as f64 / started.elapsed().as_secs_f64(),
        probes: PROBES as u64,
        random_microseconds: random,
        repeated_microseconds: repeated,
    })
}

/// Microseconds per probe.
fn timed(
    probes: &mut dyn Iterator<Item = Result<Value, StorageError>>,
) -> Result<f64, StorageError> {
    let started = Instant::now();
    for value in probes {
        std::hint::black_box(value?);
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / PROBES as f64)
}

/// Positions of a table, spread evenly; the same in every run.
pub fn random_positions(layout: &Layout, count: usize) -> Vec<Position> {
    let mut state = 0x6d65_7265_6c73;
    let mut slot = || splitmix(&mut state) % layout.slots();
    (0..count).map(|_| layout.position(slot(), Color::White)).collect()
}

/// The next number of the SplitMix64 sequence.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A directory that is removed with all it holds when dropped.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn create(above: &Path) -> Result<Temporary, BenchError> {
        let path = above.join(format!("merels-bench-{}", std::process::id()));
        // Never an existing directory: it is removed at the end.
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Temporary { path }),
            Err(source) => Err(BenchError::Directory { path, source }),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed stays where temporary files are cleaned up anyway.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Table;

    #[test]
    fn test_random_positions_belong_to_their_table_and_repeat() {
        let rules = Rules::named("three").unwrap();
        let geometry = Geometry::new(&rules);
        let table = Table { own: 3, enemy: 3, own_hand: 0, enemy_hand: 0 };
        let layout = Layout::new(&geometry, table);
        let positions = random_positions(&layout, 100);
        assert!(positions.iter().all(|position| Table::of(position) == table));
        assert_eq!(positions, random_positions(&layout, 100));
        assert!(positions.iter().any(|position| *position != positions[0]));
    }
}
