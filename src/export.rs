//! Makes a database of outcomes from one of depths.
//!
//! Whoever only asks who wins needs a fifth of the bytes. Codes stream from the frames of one file
//! into those of the other, some tens of MB at a time, so memory does not grow with the tables; what
//! is compressed is shared out among all threads, and the bytes do not depend on their number.
//! Invariant: a unit's file tells the outcome of every value in the source's file, and counts
//! what that counts; the source is never written to.

use crate::index::{self, Geometry, Table, Unit};
use crate::rules::Rules;
use crate::storage::{
    Counts, Database, FRAME_BYTES, Layout, Metric, StorageError, TableInfo, UnitFile, UnitPlan,
    Width, free_space,
};
use crate::value::Code;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Codes that a thread reads in one go: a whole frame of packed outcomes, and whole ones of the
/// source.
const PIECE: usize = 3 * FRAME_BYTES;
/// Pieces read before they are written: 25 MB of outcomes, enough work to share out.
const PIECES: usize = 256;
/// A file of outcomes as a share of that with depths: 0.1 to 0.3 in nine's larger units.
const SHARE: f64 = 0.15;

/// What an export does, told as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A unit is begun: its place among those to export, from 0.
    Started(Unit, usize),
    /// So many more slots are written.
    Written(u64),
    /// A unit's file is complete.
    Finished(UnitReport),
}

/// An exported unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitReport {
    /// The unit.
    pub unit: Unit,
    /// Slots of its tables.
    pub slots: u64,
    /// Bytes of the source's file.
    pub source_bytes: u64,
    /// Bytes of the file of outcomes.
    pub file_bytes: u64,
}

/// Why an export stopped.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file is missing, damaged or foreign, or cannot be written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The source's own directory as the target.
    #[error("{} is the database itself: choose another directory for its outcomes", directory.display())]
    Itself {
        /// The directory.
        directory: PathBuf,
    },
    /// Files with depths in the target.
    #[error(
        "{} stores depths, and databases of outcomes are kept apart: choose another directory", path.display()
    )]
    Depths {
        /// The file in the target.
        path: PathBuf,
    },
    /// Too little disk.
    #[error(
        "the export needs about {} MB of disk in {}, {} MB are free: make room, choose another directory, or export fewer subspaces",
        needed.div_ceil(1_000_000), directory.display(), free / 1_000_000
    )]
    Disk {
        /// Where.
        directory: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
}

/// Does every turn from this table place a man and lead to a table with an even number of men in
/// hand? Then a thin database does without it: each value is that of the best turn.
pub fn is_derivable(rules: &Rules, table: Table) -> bool {
    (table.own_hand + table.enemy_hand) % 2 == 1 && !rules.may_move(table.own_hand)
}

/// Refuses files of an older arrangement: nothing could read what is made of them.
fn check_layouts(rules: &Rules, sources: &[Arc<UnitFile>]) -> Result<(), StorageError> {
    let geometry = Geometry::new(rules);
    for file in sources {
        for info in file.tables() {
            let layout = index::Layout::new(&geometry, info.table);
            file.check_layout(info.table, Layout::of(&layout))?;
        }
    }
    Ok(())
}

/// A part of a database to be exported into another.
#[derive(Debug)]
pub struct Export {
    target: Database,
    sources: Vec<Arc<UnitFile>>,
}

impl Export {
    /// An export of those units into a database under `root`, which is made if need be. A thin one
    /// leaves out what [`is_derivable`].
    ///
    /// # Errors
    /// A unit is not solved or damaged, or `root` is no place for outcomes; then nothing is made.
    pub fn new(
        source: &Database,
        root: &Path,
        units: &[Unit],
        thin: bool,
    ) -> Result<Export, ExportError> {
        let file = |&unit: &Unit| {
            let missing = || source.not_solved(unit.subspace());
            source.unit(unit)?.ok_or_else(missing)
        };
        let mut sources = units.iter().map(file).collect::<Result<Vec<_>, StorageError>>()?;
        let derivable = |info: &TableInfo| is_derivable(source.rules(), info.table);
        sources.retain(|file| !(thin && file.tables().iter().all(derivable)));
        check_layouts(source.rules(), &sources)?;
        let there = fs::canonicalize(root.join(source.rules().name())).ok();
        if there.is_some() && there == fs::canonicalize(source.directory()).ok() {
            return Err(ExportError::Itself { directory: source.directory().to_path_buf() });
        }
        let target = Database::create(root, source.rules())?;
        match target.first_with(Metric::Depth)? {
            Some(path) => Err(ExportError::Depths { path }),
            None => Ok(Export { target, sources }),
        }
    }

    /// Where the outcomes go.
    pub fn target(&self) -> &Database {
        &self.target
    }

    /// How many units are left to export, and how many slots they have.
    ///
    /// # Errors
    /// A file of the target is damaged or foreign.
    pub fn remaining(&self) -> Result<(usize, u64), StorageError> {
        let left = self.left()?;
        Ok((left.len(), left.iter().map(|file| slots(file)).sum()))
    }

    /// Exports what is left.
    ///
    /// # Errors
    /// See [`ExportError`]. Finished units stay.
    pub fn run(&self, progress: &mut dyn FnMut(Step)) -> Result<(), ExportError> {
        let lock = self.target.lock()?;
        self.target.clean_leftovers(&lock)?;
        let left = self.left()?;
        self.check_disk(&left)?;
        for (place, source) in left.iter().enumerate() {
            progress(Step::Started(source.unit(), place));
            let report = self.export_unit(source, progress)?;
            progress(Step::Finished(report));
        }
        Ok(())
    }

    fn left(&self) -> Result<Vec<Arc<UnitFile>>, StorageError> {
        let mut left = Vec::new();
        for source in &self.sources {
            let there = self.target.unit(source.unit())?;
            if !there.is_some_and(|there| is_export_of(&there, source)) {
                left.push(Arc::clone(source));
            }
        }
        Ok(left)
    }

    /// Refuses what cannot fit; an estimate, on the low side.
    fn check_disk(&self, left: &[Arc<UnitFile>]) -> Result<(), ExportError> {
        let bytes: u64 = left.iter().map(|file| file.file_bytes()).sum();
        let needed = (bytes as f64 * SHARE) as u64;
        match free_space(self.target.directory()) {
            Some(free) if free < needed => {
                let directory = self.target.directory().to_path_buf();
                Err(ExportError::Disk { directory, needed, free })
            }
            _ => Ok(()),
        }
    }

    fn export_unit(
        &self,
        source: &UnitFile,
        progress: &mut dyn FnMut(Step),
    ) -> Result<UnitReport, StorageError> {
        let layouts = source.tables().iter().map(|info| (info.table, info.layout));
        let mut writer = self.target.writer(&UnitPlan {
            unit: source.unit(),
            metric: Metric::Outcome,
            width: Width::Packed,
            tables: layouts.collect(),
        })?;
        let mut outcomes = Vec::new();
        for TableInfo { table, layout, .. } in source.tables() {
            let mut first = 0;
            while first < layout.slots() {
                let count = (layout.slots() - first).min((PIECE * PIECES) as u64);
                outcomes.resize(count as usize, 0);
                read_outcomes(source, *table, first, &mut outcomes)?;
                writer.write(*table, &outcomes)?;
                first += count;
                progress(Step::Written(count));
            }
        }
        let counts = source.tables().iter().map(|info| counts(&info.counts)).collect();
        Ok(UnitReport {
            unit: source.unit(),
            slots: slots(source),
            source_bytes: source.file_bytes(),
            file_bytes: writer.finish(counts)?,
        })
    }
}

/// Does a file tell the outcomes of another, as far as headers show? Solving more of a unit may
/// have added a table.
fn is_export_of(file: &UnitFile, source: &UnitFile) -> bool {
    let same = |(found, info): (&TableInfo, &TableInfo)| {
        (found.table, found.layout) == (info.table, info.layout)
            && found.counts == counts(&info.counts)
    };
    file.tables().len() == source.tables().len()
        && file.tables().iter().zip(source.tables()).all(same)
}

fn slots(file: &UnitFile) -> u64 {
    file.tables().iter().map(|info| info.layout.slots()).sum()
}

/// The same counts without depths.
fn counts(counts: &Counts) -> Counts {
    Counts::of_outcomes(counts.wins, counts.draws, counts.losses)
}

/// Reads the outcomes of a table from a slot on, as one-byte codes, until `outcomes` is full.
fn read_outcomes(
    source: &UnitFile,
    table: Table,
    first: u64,
    outcomes: &mut [u8],
) -> Result<(), StorageError> {
    let pieces = outcomes.par_chunks_mut(PIECE).enumerate();
    let read = pieces.map_init(Vec::new, |wide, (number, piece)| {
        read_piece(source, table, first + (number * PIECE) as u64, piece, wide)
    });
    // The first failure in the file, not in time: the error is the same for any threads.
    read.find_map_first(Result::err).map_or(Ok(()), Err)
}

fn read_piece(
    source: &UnitFile,
    table: Table,
    first: u64,
    outcomes: &mut [u8],
    wide: &mut Vec<u8>,
) -> Result<(), StorageError> {
    let all_known = match source.width() {
        Width::Packed | Width::One => {
            source.read_range(table, first, outcomes)?;
            outcomes.iter_mut().fold(true, |known, code| {
                let is_value = code.is_value();
                *code = code.outcome();
                known & is_value
            })
        }
        Width::Two => {
            wide.resize(Width::Two.code_bytes() * outcomes.len(), 0);
            source.read_range(table, first, wide)?;
            let codes = wide.chunks_exact(2).map(|code| u16::from_le_bytes([code[0], code[1]]));
            outcomes.iter_mut().zip(codes).fold(true, |known, (outcome, code)| {
                *outcome = code.outcome();
                known & code.is_value()
            })
        }
    };
    if all_known {
        return Ok(());
    }
    // Slot by slot, to name the one that holds no value.
    (first..).take(outcomes.len()).try_for_each(|slot| source.value(table, slot).map(drop))
}
