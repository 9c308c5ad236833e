//! Follows a solve: a bar with rate and time left on a terminal, a line or JSON per finished table.
//!
//! Invariant: a reader that goes away does not stop a solve; the failure to write is kept and told
//! at the end.

use super::error::CliError;
use super::options::Context;
use super::text;
use crate::index::Table;
use crate::solve::{Observer, PlannedUnit, Step, UnitReport};
use crate::stats::Row;
use crate::storage::Counts;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;
use std::cell::RefCell;
use std::fmt;

/// Draws and prints while units are solved.
pub struct Progress<'a> {
    context: &'a Context,
    bar: ProgressBar,
    units: usize,
    name: RefCell<String>,
    finished: RefCell<Finished>,
    failure: RefCell<Option<CliError>>,
}

/// What a whole solve did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Finished {
    /// Units finished.
    pub units: usize,
    /// Slots of their tables.
    pub slots: u64,
    /// Moves taken back.
    pub edges: u64,
    /// Waves.
    pub waves: u64,
    /// Bytes of their files.
    pub file_bytes: u64,
}

/// One finished table, as JSON: a row of `stats`, and what its unit cost.
#[derive(Serialize)]
struct TableJson {
    #[serde(flatten)]
    row: Row,
    seconds: f64,
    cpu_seconds: Option<f64>,
    edges: u64,
    waves: u32,
    file_bytes: u64,
}

/// The bar counts a slot twice: when the first pass is through with it, and when a wave decides it
/// or its unit ends.
const TWICE: u64 = 2;

impl<'a> Progress<'a> {
    /// Follows a solve of that many units with that many slots.
    pub fn new(context: &'a Context, units: usize, slots: u64) -> Progress<'a> {
        let bar = slot_bar(context, slots, TWICE);
        Progress {
            context,
            bar,
            units,
            name: RefCell::default(),
            finished: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Ends the bar.
    ///
    /// # Errors
    /// The first failure to print.
    pub fn finish(self) -> Result<Finished, CliError> {
        self.bar.finish_and_clear();
        match self.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.finished.into_inner()),
        }
    }

    fn print(&self, report: &UnitReport) -> Result<(), CliError> {
        let output = self.context.output;
        if self.context.json {
            return tables_json(report).try_for_each(|table| output.json(&table));
        }
        let lines: String = rows(report).iter().map(|row| line(row, report.seconds)).collect();
        self.bar.suspend(|| output.print(&lines))
    }
}

impl Observer for Progress<'_> {
    fn unit_started(&self, planned: &PlannedUnit, place: usize) {
        *self.name.borrow_mut() = format!("{} ({} of {})", planned.unit, place + 1, self.units);
        self.bar.set_message(self.name.borrow().clone());
    }

    fn step(&self, step: Step) {
        match step {
            Step::FirstPass { slots } => self.bar.inc(slots),
            Step::Wave { depth, decided } => {
                self.bar.set_message(format!("{}, depth {depth}", self.name.borrow()));
                self.bar.inc(decided);
            }
        }
    }

    fn unit_finished(&self, report: &UnitReport) {
        let slots: u64 = report.tables.iter().map(|(_, slots, _)| slots).sum();
        let mut finished = self.finished.borrow_mut();
        finished.units += 1;
        finished.slots += slots;
        finished.edges += report.work.edges;
        finished.waves += u64::from(report.work.waves);
        finished.file_bytes += report.file_bytes;
        self.bar.set_position(TWICE * finished.slots);
        let silent = self.context.quiet && !self.context.json;
        if !silent && self.failure.borrow().is_none() {
            *self.failure.borrow_mut() = self.print(report).err();
        }
    }
}

fn tables_json(report: &UnitReport) -> impl Iterator<Item = TableJson> + '_ {
    rows(report).into_iter().map(|row| TableJson {
        row,
        seconds: report.seconds,
        cpu_seconds: report.cpu_seconds,
        edges: report.work.edges,
        waves: report.work.waves,
        file_bytes: report.file_bytes,
    })
}

fn rows(report: &UnitReport) -> Vec<Row> {
    let row = |(table, slots, counts): &(Table, u64, Counts)| Row {
        subspace: report.unit.to_string(),
        to_move: text::to_move(*table).to_string(),
        classes: counts.classes,
        slots: *slots,
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        max_win_plies: counts.max_win_plies,
        max_loss_plies: counts.max_loss_plies,
        histogram: None,
    };
    report.tables.iter().map(row).collect()
}

fn line(row: &Row, seconds: f64) -> String {
    let longest = row.max_win_plies.max(row.max_loss_plies);
    let [classes, wins, draws, losses] =
        [row.classes, row.wins, row.draws, row.losses].map(text::grouped);
    format!(
        "{:<9}  {:<5}  {classes:>13} classes  {wins:>13} wins  {draws:>13} draws  \
         {losses:>13} losses  {:>3} plies  {:>7}\n",
        row.subspace,
        row.to_move,
        longest.map_or("-".to_string(), |plies| plies.to_string()),
        text::seconds(seconds)
    )
}

/// A bar of so many slots, each counted `times`; hidden where it is not wanted or there is no
/// terminal.
pub fn slot_bar(context: &Context, slots: u64, times: u64) -> ProgressBar {
    let hidden = context.quiet || context.json;
    let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new(times * slots) };
    bar.set_style(style(times));
    bar
}

/// Rate and time left from the start of the work on: first passes are much faster than waves, so
/// the bar's own estimate, which looks at the last seconds, would jump.
fn style(times: u64) -> ProgressStyle {
    let template = "{msg} [{bar:30}] {percent}%  {rate} slots/s  ETA {left}";
    let style = ProgressStyle::with_template(template).expect("a valid template");
    let rate = |state: &ProgressState| state.pos() as f64 / state.elapsed().as_secs_f64().max(1e-9);
    let show_rate = move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = out.write_str(&text::rate(rate(state) / times as f64));
    };
    let show_left = move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let left = state.len().unwrap_or(0).saturating_sub(state.pos()) as f64;
        let _ = match rate(state) {
            rate if rate > 0.0 => out.write_str(&text::seconds(left / rate)),
            _ => out.write_str("unknown"),
        };
    };
    style.with_key("rate", show_rate).with_key("left", show_left).progress_chars("=> ")
}
