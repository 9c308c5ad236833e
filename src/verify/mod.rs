//! Checks finished tables: every stored value against its successors, and every count.
//!
//! A second route to the same numbers. Values come from the solver's unmoves and waves; here each
//! is recomputed from the values stored for the positions that its turns lead to. Agreement
//! everywhere is a proof, not a sample: depths rule out circular reasons for wins and losses, since
//! each rests on one a ply shorter, or with fewer men; and a draw that never has a turn to a loss,
//! but always one to a draw, can be held for ever. Where files tell outcomes only, the same is asked
//! of outcomes; that is a check against damage and mistakes, but no proof, for wins may then rest on
//! each other in a circle.
//!
//! There are two ways to recompute. The plain one (`plain`) takes a position, plays every turn
//! that [`Rules::for_each_turn`](crate::rules::Rules::for_each_turn) lists and looks up where it
//! leads. The other (`row`, and `join` where the mover names the rows) takes a whole row, in which every
//! successor is looked up once for all turns that lead to it, or all of them in one row of the next
//! table (`moved`); it checks whole tables in a tenth of the time. The plain one checks
//! samples, has the last word on every difference that the other finds, and is what tests hold the
//! other against.
//! Invariant: nothing here uses the solver; only rules, index and storage are shared with it.

mod check;
mod count;
mod dense;
mod join;
mod load;
mod moved;
mod next;
mod plain;
mod row;
mod shape;
#[cfg(test)]
mod tests;
mod worth;

use crate::index::{Geometry, Table, Unit};
use crate::rules::{Position, Rules};
use crate::storage::{Counts, Database, Metric, StorageError};
use crate::value::Value;
use check::Check;
use load::{Loader, Tables};

/// How much to check, and how much to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Slots checked per table, spread evenly and the same in every run; `None` for all.
    pub sample: Option<u64>,
    /// Differing positions listed per table; all are counted.
    pub listed: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { sample: None, listed: 10 }
    }
}

/// What the check of one table found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReport {
    /// The table.
    pub table: Table,
    /// Its slots.
    pub slots: u64,
    /// Slots whose value was recomputed.
    pub checked: u64,
    /// Slots whose stored value differs from the recomputed one.
    pub differing: u64,
    /// The first of them, by slot.
    pub differences: Vec<Difference>,
    /// Its classes, counted anew.
    pub counts: CountsReport,
    /// What its values tell.
    pub metric: Metric,
}

/// A stored value that does not follow from its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The slot in its table.
    pub slot: u64,
    /// The position, the mover being White.
    pub position: Position,
    /// What the table holds.
    pub stored: Value,
    /// What its successors make of it.
    pub recomputed: Value,
}

/// The counts of a table, three ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsReport {
    /// As the header has them.
    pub stored: Counts,
    /// From the table's values, each class once.
    pub recounted: Counts,
    /// Number of classes by Burnside's lemma.
    pub classes: u64,
}

/// What the check of one file's bytes found.
#[derive(Debug)]
pub struct FileReport {
    /// The unit.
    pub unit: Unit,
    /// Bytes of the file; 0 if it could not be opened.
    pub bytes: u64,
    /// Frames read and found whole, or the first thing wrong.
    pub outcome: Result<usize, StorageError>,
}

/// Why a table cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A file is missing, damaged or foreign.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A table that the checked one leads to is not there.
    #[error("cannot verify {table}, it leads to {needed}: {source}")]
    Successor {
        /// The table to check.
        table: Table,
        /// The one it leads to.
        needed: Table,
        /// Why it cannot be had.
        source: StorageError,
    },
    /// Some values have depths, others none.
    #[error(
        "cannot verify {table}, it leads to {needed}: one of them is stored with depths and the other without; keep databases of outcomes in a directory of their own"
    )]
    MixedKinds {
        /// The table to check.
        table: Table,
        /// The one it leads to.
        needed: Table,
    },
}

impl TableReport {
    /// Is everything as it should be?
    pub fn is_right(&self) -> bool {
        self.differing == 0 && self.counts.agree()
    }
}

impl CountsReport {
    /// Are the three the same?
    pub fn agree(&self) -> bool {
        self.stored == self.recounted && self.recounted.classes == self.classes
    }
}

/// Recomputes the values and counts of all tables of `units`, one table after the other; `done`
/// hears of each as it is finished. Needs the memory of one table and those it leads to.
///
/// # Errors
/// A table, or one it leads to, is missing or damaged, or holds a code that is no value.
pub fn verify_units(
    database: &Database,
    geometry: &Geometry,
    units: &[Unit],
    options: &Options,
    done: &mut dyn FnMut(&TableReport),
) -> Result<Vec<TableReport>, VerifyError> {
    let mut loader = Loader::new(database, geometry);
    let mut reports = Vec::new();
    for &unit in units {
        let missing = || database.not_solved(unit.subspace());
        let file = database.unit(unit)?.ok_or_else(missing)?;
        for info in file.tables() {
            let tables = loader.load_for(info.table)?;
            let report = check(database.rules(), &tables, info.counts.clone(), options);
            done(&report);
            reports.push(report);
        }
    }
    Ok(reports)
}

/// Reads every frame of the files of `units` and compares checksums; values are looked at one by
/// one, but not against each other.
pub fn verify_files(database: &Database, units: &[Unit]) -> Vec<FileReport> {
    let check = |&unit: &Unit| {
        let file = database.unit(unit);
        let file = file.and_then(|file| file.ok_or_else(|| database.not_solved(unit.subspace())));
        match file {
            Ok(file) => {
                FileReport { unit, bytes: file.file_bytes(), outcome: file.verify_frames() }
            }
            Err(error) => FileReport { unit, bytes: 0, outcome: Err(error) },
        }
    };
    units.iter().map(check).collect()
}

fn check(rules: &Rules, tables: &Tables, stored: Counts, options: &Options) -> TableReport {
    let layout = &tables.checked.layout;
    let check = Check::new(rules, tables, options.listed);
    let found = options.sample.map_or_else(|| check.all(), |wanted| check.sample(wanted));
    let metric = tables.metric();
    let recounted = count::recount(&tables.checked);
    TableReport {
        table: layout.table(),
        slots: layout.slots(),
        checked: found.checked,
        differing: found.differing,
        differences: found.first,
        counts: CountsReport { stored, recounted, classes: layout.classes() },
        metric,
    }
}
