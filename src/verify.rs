//! Checks finished tables: every stored value against its successors, and every count.
//!
//! A second route to the same numbers. Values come from the solver's unmoves and waves; here each
//! is recomputed from the turns that [`Rules::for_each_turn`] lists and the values stored for the
//! positions they lead to. Agreement everywhere is a proof, not a sample: depths rule out circular
//! reasons for wins and losses, since each rests on one a ply shorter; and a draw that never has a
//! turn to a loss, but always one to a draw, can be held for ever.
//! Invariant: nothing here uses the solver; only rules, index and storage are shared with it.

use crate::index::{Geometry, Layout, Table, Unit};
use crate::rules::{Color, Position, Rules, Verdict};
use crate::storage::{self, Counts, Database, FormatError, Metric, StorageError, UnitFile};
use crate::value::{Code, Value};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

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
    /// The values have no depths to check.
    #[error("{} stores win, draw or loss only, and the check needs depths", path.display())]
    OutcomesOnly {
        /// The file.
        path: PathBuf,
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
    let mut loader = Loader { database, geometry, loaded: HashMap::new() };
    let mut reports = Vec::new();
    for &unit in units {
        let missing = || database.not_solved(unit.subspace());
        let file = database.unit(unit)?.ok_or_else(missing)?;
        for info in file.tables() {
            let check = loader.check(info.table)?;
            let report = check.report(info.counts.clone(), options);
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

/// The tables that turns from `table` lead to, by kind of turn and number of men removed; `None`
/// where no turn leads or the opponent is left with too few men to go on.
fn successors(rules: &Rules, table: Table) -> [[Option<Table>; 3]; 2] {
    let after = |placed: bool, removed: u8| {
        let from_hand = u8::from(placed);
        let possible = if placed { table.own_hand > 0 } else { rules.may_move(table.own_hand) };
        let line = rules.board().lines()[0].count_ones() as u8;
        let removes = removed == 0
            || (table.own + from_hand >= line && usize::from(removed) <= rules.most_removals());
        if !possible || !removes || removed > table.enemy || (!placed && table.own == 0) {
            return None;
        }
        let next = Table {
            own: table.enemy - removed,
            enemy: table.own + from_hand,
            own_hand: table.enemy_hand,
            enemy_hand: table.own_hand - from_hand,
        };
        Some(next).filter(|next| next.own_total() >= rules.least_men())
    };
    [false, true].map(|placed| [0, 1, 2].map(|removed| after(placed, removed)))
}

/// Reads tables into memory and keeps those that the table at hand needs.
struct Loader<'a> {
    database: &'a Database,
    geometry: &'a Geometry,
    loaded: HashMap<Table, Arc<Stored<'a>>>,
}

/// A table in memory.
struct Stored<'a> {
    layout: Layout<'a>,
    codes: Codes,
}

enum Codes {
    One(Vec<u8>),
    Two(Vec<u16>),
}

impl<'a> Loader<'a> {
    /// A table with all it leads to, everything else dropped. Tables are read far faster than they
    /// are checked, so reading one again later costs less than the memory to keep it.
    fn check(&mut self, table: Table) -> Result<Check<'a>, VerifyError> {
        let successors = successors(self.database.rules(), table);
        let needed: Vec<Table> = successors.iter().flatten().flatten().copied().collect();
        self.loaded.retain(|kept, _| *kept == table || needed.contains(kept));
        let stored = self.load(table)?;
        for &needed in &needed {
            self.load(needed).map_err(|error| match error {
                VerifyError::Storage(source) => VerifyError::Successor { table, needed, source },
                other => other,
            })?;
        }
        let rules = self.database.rules().clone();
        let successors =
            successors.map(|kind| kind.map(|table| Some(Arc::clone(&self.loaded[&table?]))));
        Ok(Check { rules, stored, successors, ranks: [Ranks::of::<u8>(), Ranks::of::<u16>()] })
    }

    fn load(&mut self, table: Table) -> Result<Arc<Stored<'a>>, VerifyError> {
        if let Some(stored) = self.loaded.get(&table) {
            return Ok(Arc::clone(stored));
        }
        let missing = || self.database.not_solved(table.subspace());
        let file = self.database.unit(table.unit())?.ok_or_else(missing)?;
        let stored = Arc::new(read_table(&file, Layout::new(self.geometry, table))?);
        self.loaded.insert(table, Arc::clone(&stored));
        Ok(stored)
    }
}

fn read_table<'a>(file: &UnitFile, layout: Layout<'a>) -> Result<Stored<'a>, VerifyError> {
    if file.metric() != Metric::Depth {
        return Err(VerifyError::OutcomesOnly { path: file.path().to_path_buf() });
    }
    let (table, slots) = (layout.table(), layout.slots() as usize);
    let (rows, row_length) = (layout.rows() as u64, layout.row_len() as u64);
    file.check_layout(table, storage::Layout { rows, row_length })?;
    let codes = if file.width() == u8::WIDTH {
        let mut codes = vec![0u8; slots];
        file.read_all(table, &mut codes)?;
        refuse_unknown(file, &codes)?;
        Codes::One(codes)
    } else {
        let mut codes = vec![0u16; slots];
        file.read_all(table, bytemuck::cast_slice_mut(&mut codes))?;
        refuse_unknown(file, &codes)?;
        Codes::Two(codes)
    };
    Ok(Stored { layout, codes })
}

fn refuse_unknown<C: Code>(file: &UnitFile, codes: &[C]) -> Result<(), StorageError> {
    let Some(slot) = codes.par_iter().position_first(|code| code.value().is_none()) else {
        return Ok(());
    };
    let source = FormatError::Code { slot: slot as u64, code: codes[slot].number() };
    Err(StorageError::Format { path: file.path().to_path_buf(), source })
}

impl Stored<'_> {
    fn value(&self, slot: u64) -> Value {
        let value = match &self.codes {
            Codes::One(codes) => codes[slot as usize].value(),
            Codes::Two(codes) => codes[slot as usize].value(),
        };
        value.expect("every code was looked at")
    }
}

/// By code: [`Value::rank`] of a turn, for the player who makes it, to a position of that code.
struct Ranks(Vec<i64>);

impl Ranks {
    fn of<C: Code>() -> Ranks {
        let rank = |number: u32| {
            let value = C::of(number).value();
            value.map_or(i64::MIN, |value| Value::from_successor(value).rank())
        };
        Ranks((0..2 * C::DRAW.number()).map(rank).collect())
    }
}

/// One table about to be checked.
struct Check<'a> {
    rules: Rules,
    stored: Arc<Stored<'a>>,
    /// By kind of turn (move, placement) and number of men removed.
    successors: [[Option<Arc<Stored<'a>>>; 3]; 2],
    ranks: [Ranks; 2],
}

/// Where a turn leads: its kind, the men it removes, and the slot in that successor.
type Place = (usize, usize, u64);

/// Slots that a thread checks in one go.
const CHUNK: u64 = 4096;

impl Check<'_> {
    fn report(&self, stored_counts: Counts, options: &Options) -> TableReport {
        let layout = &self.stored.layout;
        let sample = Sample::new(layout.slots(), options.sample);
        let found = self.differences(&sample, options.listed);
        let counts = CountsReport {
            stored: stored_counts,
            recounted: self.recount(),
            classes: layout.classes(),
        };
        TableReport {
            table: layout.table(),
            slots: layout.slots(),
            checked: sample.size,
            differing: found.number,
            differences: found.first,
            counts,
        }
    }

    fn differences(&self, sample: &Sample, listed: usize) -> Found {
        let chunks = (0..sample.size.div_ceil(CHUNK)).into_par_iter();
        let found = chunks.map(|chunk| {
            let picks = chunk * CHUNK..((chunk + 1) * CHUNK).min(sample.size);
            let mut found = Found::default();
            let mut slots = Vec::new();
            for difference in
                picks.filter_map(|pick| self.difference(sample.slot(pick), &mut slots))
            {
                found.add(difference, listed);
            }
            found
        });
        found.reduce(Found::default, |a, b| a.followed_by(b, listed))
    }

    fn difference(&self, slot: u64, slots: &mut Vec<Place>) -> Option<Difference> {
        let position = self.stored.layout.position(slot, Color::White);
        let (stored, recomputed) = (self.stored.value(slot), self.recompute(&position, slots));
        (stored != recomputed).then_some(Difference { slot, position, stored, recomputed })
    }

    /// The best that any turn leads to, or what the rules say of a game without one.
    ///
    /// All slots are worked out before the first is read: reads that do not wait for each other
    /// overlap, and most of them miss every cache.
    fn recompute(&self, position: &Position, slots: &mut Vec<Place>) -> Value {
        slots.clear();
        let mut best = None;
        self.rules.for_each_turn(position, &mut |turn| {
            let next = self.rules.play(position, &turn);
            let kind = usize::from(turn.from.is_none());
            let removed = turn.removed.count_ones() as usize;
            match &self.successors[kind][removed] {
                Some(stored) => slots.push((kind, removed, stored.layout.slot_of(&next))),
                None => best = best.max(Some(Value::from_successor(self.ended(&next)).rank())),
            }
        });
        for &(kind, removed, slot) in slots.iter() {
            best = best.max(self.successors[kind][removed].as_ref().map(|s| self.rank(s, slot)));
        }
        best.map_or_else(|| self.ended(position), Value::of_rank)
    }

    /// The rank of a turn that leads to a slot, for the player who makes it.
    fn rank(&self, stored: &Stored, slot: u64) -> i64 {
        match &stored.codes {
            Codes::One(codes) => self.ranks[0].0[usize::from(codes[slot as usize])],
            Codes::Two(codes) => self.ranks[1].0[usize::from(codes[slot as usize])],
        }
    }

    fn ended(&self, position: &Position) -> Value {
        let outcome = self.rules.outcome(position).expect("a position without turns is ended");
        match outcome.verdict {
            Verdict::Loses => Value::Loss(0),
            Verdict::Draws => Value::Draw,
        }
    }

    /// Counts the classes by value.
    fn recount(&self) -> Counts {
        let tallies = (0..self.stored.layout.slots().div_ceil(CHUNK)).into_par_iter();
        let tallies = tallies.map(|chunk| {
            let end = ((chunk + 1) * CHUNK).min(self.stored.layout.slots());
            let least = (chunk * CHUNK..end).filter(|&slot| self.stored.layout.is_least(slot));
            let mut tally = Tally::default();
            least.for_each(|slot| tally.add(self.stored.value(slot)));
            tally
        });
        let Tally { decided, draws } = tallies.reduce(Tally::default, Tally::plus);
        Counts::of_histogram(decided, draws)
    }
}

/// Which slots are checked: one from each of `size` equal parts of the table.
struct Sample {
    slots: u64,
    size: u64,
}

impl Sample {
    fn new(slots: u64, wanted: Option<u64>) -> Sample {
        Sample { slots, size: wanted.map_or(slots, |wanted| wanted.min(slots)) }
    }

    /// Some slot of part `pick`, the same in every run.
    fn slot(&self, pick: u64) -> u64 {
        let start =
            |part: u64| (u128::from(part) * u128::from(self.slots) / u128::from(self.size)) as u64;
        let (first, end) = (start(pick), start(pick + 1));
        // The odd multiplier scatters the choices; any other would do.
        first + (pick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) % (end - first)
    }
}

/// Differences, the first of them listed by slot.
#[derive(Default)]
struct Found {
    number: u64,
    first: Vec<Difference>,
}

impl Found {
    fn add(&mut self, difference: Difference, listed: usize) {
        self.number += 1;
        if self.first.len() < listed {
            self.first.push(difference);
        }
    }

    /// `later` comes from higher slots.
    fn followed_by(mut self, later: Found, listed: usize) -> Found {
        self.number += later.number;
        let room = listed - self.first.len();
        self.first.extend(later.first.into_iter().take(room));
        self
    }
}

/// Classes by value.
#[derive(Default)]
struct Tally {
    decided: Vec<u64>,
    draws: u64,
}

impl Tally {
    fn add(&mut self, value: Value) {
        match value.plies() {
            None => self.draws += 1,
            Some(plies) => self.add_decided(plies as usize, 1),
        }
    }

    fn add_decided(&mut self, plies: usize, classes: u64) {
        if self.decided.len() <= plies {
            self.decided.resize(plies + 1, 0);
        }
        self.decided[plies] += classes;
    }

    fn plus(mut self, other: Tally) -> Tally {
        self.draws += other.draws;
        for (plies, classes) in other.decided.into_iter().enumerate() {
            self.add_decided(plies, classes);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_a_sample_takes_one_slot_of_each_part() {
        let sample = Sample::new(1000, Some(300));
        let slots: Vec<u64> = (0..sample.size).map(|pick| sample.slot(pick)).collect();
        assert!(slots.is_sorted_by(|a, b| a < b) && slots[299] < 1000 && slots[299] > 990);
        let all = Sample::new(1000, Some(1001));
        assert!((0..all.size).map(|pick| all.slot(pick)).eq(0..1000));
    }

    #[test]
    fn test_successors_are_what_turns_lead_to() {
        let nine = Rules::named("nine").unwrap();
        let text = |table: Option<Table>| table.map_or("-".to_string(), |table| table.to_string());
        let names = |table: &str, rules: &Rules| {
            let table = table.parse::<crate::index::Subspace>().unwrap().table(Color::White);
            successors(rules, table).map(|kind| kind.map(text).join(" ")).join(" / ")
        };
        assert_eq!(names("4-3", &nine), "3-4 - - / - - -");
        assert_eq!(names("3-4", &nine), "4-3 3-3 - / - - -");
        assert_eq!(names("2-2+3+3", &nine), "- - - / 2-3+3+2 1-3+3+2 -");
        assert_eq!(names("1-1+3+3", &nine), "- - - / 1-2+3+2 - -");
        let double = Rules::with_options("lasker", &["double-mill=two"]).unwrap();
        assert_eq!(names("4-5+1+1", &double), "5-4+1+1 4-4+1+1 3-4+1+1 / 5-5+1+0 4-5+1+0 3-5+1+0");
    }
}
