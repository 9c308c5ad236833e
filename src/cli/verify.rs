//! `merels verify`: is what the database says right?
//!
//! Invariant: differences are the answer no; files that cannot be read are an error, told after
//! all others were looked at.

use super::error::CliError;
use super::options::{Context, MetricOption, Phase, answer};
use super::output::note;
use super::progress::slot_bar;
use super::text::{self, Columns, counted, grouped, to_move};
use super::{Answer, Outcome};
use crate::index::{Geometry, Unit};
use crate::notation::format_position;
use crate::rules::Rules;
use crate::storage::{Database, Metric, StorageError};
use crate::value::Value;
use crate::verify::{Difference, FileReport, Options, TableReport, verify_files, verify_units};
use serde::Serialize;

/// Recompute every stored value from its successors, and every count
///
/// Values without depths are checked as such, which finds damage but proves less. Exit status 1 if
/// anything differs. Cost: one to two times the CPU time of the solve, the memory of a table and those
/// it leads to; with --sample a quarter of the solve, for the same tables are read; with --files a
/// second per GB. Nothing is written.
#[derive(clap::Args)]
#[command(after_help = "Example: merels verify --rules three\n\
                        Example: merels verify 5-5 --sample 100000\n\
                        Example: merels verify --files --json")]
pub struct Arguments {
    /// Subspaces W-B or W-B+w+b to verify; none: all that is solved
    #[arg(value_name = "SUBSPACE")]
    subspaces: Vec<String>,
    /// Part of the game to verify
    #[arg(long, value_enum, default_value_t)]
    phase: Phase,
    /// Check N slots of each table, spread evenly
    #[arg(long, value_name = "N", value_parser = parse_sample, allow_negative_numbers = true)]
    sample: Option<u64>,
    /// Check only that the files are whole, frame by frame
    #[arg(long, conflicts_with = "sample")]
    files: bool,
    #[command(flatten)]
    metric: MetricOption,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let database = context.database(arguments.metric.distance())?;
    let units = context.units_of(arguments.phase, &database, &arguments.subspaces)?;
    match arguments.files {
        true => check_files(context, &database, &units),
        false => check_values(context, &database, &units, arguments.sample),
    }
}

fn parse_sample(text: &str) -> Result<u64, String> {
    let slots = text.parse().ok().filter(|slots| *slots > 0);
    slots.ok_or_else(|| "expected a number of slots from 1".to_string())
}

/// The document of a check of values.
#[derive(Serialize)]
struct ValuesJson {
    rules: String,
    right: bool,
    tables: Vec<TableJson>,
}

#[derive(Serialize)]
struct TableJson {
    subspace: String,
    to_move: &'static str,
    slots: u64,
    checked: u64,
    differing: u64,
    classes: u64,
    counts_agree: bool,
    depths: bool,
    differences: Vec<DifferenceJson>,
}

#[derive(Serialize)]
struct DifferenceJson {
    position: String,
    stored: ValueJson,
    recomputed: ValueJson,
}

#[derive(Serialize)]
struct ValueJson {
    value: &'static str,
    plies: Option<u32>,
}

fn check_values(
    context: &Context,
    database: &Database,
    units: &[Unit],
    sample: Option<u64>,
) -> Outcome {
    let geometry = Geometry::new(&context.rules);
    let options = Options { sample, ..Options::default() };
    let bar = slot_bar(context, slots_of(database, units)?, 1);
    // Without a terminal a line per table takes the bar's place.
    let plain = bar.is_hidden() && !context.quiet && !context.json;
    let reports = verify_units(database, &geometry, units, &options, &mut |report| {
        let table = report.table;
        bar.set_message(table.to_string());
        bar.inc(report.slots);
        let line = format!(
            "{table}: {} of {} slots checked",
            grouped(report.checked),
            grouped(report.slots)
        );
        bar.suspend(|| if plain { note(&line) } else { context.tell(&line) });
    })?;
    bar.finish_and_clear();
    let right = reports.iter().all(TableReport::is_right);
    if context.json {
        let tables = reports.iter().map(|report| table_json(&context.rules, report)).collect();
        let rules = context.rules.name().to_string();
        context.output.json(&ValuesJson { rules, right, tables })?;
    } else {
        context.output.print(&values_text(&context.rules, &reports))?;
    }
    Ok(answer(right))
}

/// Slots of all tables of the units.
fn slots_of(database: &Database, units: &[Unit]) -> Result<u64, StorageError> {
    let mut slots = 0;
    for &unit in units {
        let file = database.unit(unit)?;
        let tables = file.iter().flat_map(|file| file.tables());
        slots += tables.map(|info| info.layout.slots()).sum::<u64>();
    }
    Ok(slots)
}

fn table_json(rules: &Rules, report: &TableReport) -> TableJson {
    let depths = report.metric != Metric::Outcome;
    let value = |value: Value| {
        let plies = value.plies().filter(|_| depths);
        ValueJson { value: value.name(), plies }
    };
    let difference = |found: &Difference| DifferenceJson {
        position: format_position(rules, &found.position),
        stored: value(found.stored),
        recomputed: value(found.recomputed),
    };
    TableJson {
        subspace: report.table.unit().to_string(),
        to_move: to_move(report.table),
        slots: report.slots,
        checked: report.checked,
        differing: report.differing,
        classes: report.counts.stored.classes,
        counts_agree: report.counts.agree(),
        depths,
        differences: report.differences.iter().map(difference).collect(),
    }
}

fn values_text(rules: &Rules, reports: &[TableReport]) -> String {
    let titles = ["subspace", "to move", "slots", "checked", "differing", "counts"];
    let mut columns = Columns::new(&titles, 2);
    let mut differences = String::new();
    for report in reports {
        let counts = if report.counts.agree() { "agree" } else { "differ" };
        let numbers = [report.slots, report.checked, report.differing].map(grouped::<u64>);
        let names = vec![report.table.unit().to_string(), to_move(report.table).to_string()];
        columns.row([names, numbers.to_vec(), vec![counts.to_string()]].concat());
        for found in &report.differences {
            let position = format_position(rules, &found.position);
            let text = |value: Value| match report.metric {
                Metric::Outcome => value.name().to_string(),
                _ => value.to_string(),
            };
            let [stored, recomputed] = [found.stored, found.recomputed].map(text);
            differences += &format!("{position}: stored {stored}, recomputed {recomputed}\n");
        }
    }
    let wrong = reports.iter().filter(|report| !report.is_right()).count();
    let checked: u64 = reports.iter().map(|report| report.checked).sum();
    let verdict = match wrong {
        0 => "all right".to_string(),
        _ => format!("{} wrong", counted(wrong, "table")),
    };
    let tables = counted(reports.len(), "table");
    let without = reports.iter().any(|report| report.metric == Metric::Outcome);
    let note = if without { ", outcomes alone, which is no proof" } else { "" };
    columns.text()
        + &differences
        + &format!("{verdict}: {} values of {tables} checked{note}\n", grouped(checked))
}

/// The document of a check of files.
#[derive(Serialize)]
struct FilesJson {
    rules: String,
    whole: bool,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
struct FileJson {
    unit: String,
    bytes: u64,
    frames: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn check_files(context: &Context, database: &Database, units: &[Unit]) -> Outcome {
    let reports = verify_files(database, units);
    let whole = reports.iter().all(|report| report.outcome.is_ok());
    match context.json {
        true => {
            let rules = context.rules.name().to_string();
            let files = reports.iter().map(file_json).collect();
            context.output.json(&FilesJson { rules, whole, files })?;
        }
        false => context.output.print(&files_text(&reports))?,
    }
    let mut broken = reports.into_iter().filter_map(|report| report.outcome.err());
    match broken.next() {
        Some(error) => Err(CliError::Storage(error)),
        None => Ok(Answer::Yes),
    }
}

fn file_json(report: &FileReport) -> FileJson {
    FileJson {
        unit: report.unit.to_string(),
        bytes: report.bytes,
        frames: report.outcome.as_ref().ok().copied(),
        error: report.outcome.as_ref().err().map(ToString::to_string),
    }
}

fn files_text(reports: &[FileReport]) -> String {
    let mut columns = Columns::new(&["unit", "state", "bytes", "frames"], 2);
    for report in reports {
        let (state, frames) = match &report.outcome {
            Ok(frames) => ("whole", grouped(*frames as u64)),
            Err(_) => ("damaged", "-".to_string()),
        };
        let bytes = grouped(report.bytes);
        columns.row(vec![report.unit.to_string(), state.to_string(), bytes, frames]);
    }
    let bytes = reports.iter().map(|report| report.bytes).sum();
    let whole = reports.iter().filter(|report| report.outcome.is_ok()).count();
    let all = counted(reports.len(), "file");
    columns.text() + &format!("{whole} of {all} whole, {}\n", text::bytes(bytes))
}
