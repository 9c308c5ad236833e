//! `merels export`: hands a database on in a smaller form.
//!
//! Invariant: arguments are understood before anything is written; an interrupted export loses the
//! unit at work and nothing else.

use super::error::CliError;
use super::options::Context;
use super::output::note;
use super::progress::slot_bar;
use super::text::{self, counted, grouped};
use super::{Answer, Outcome};
use crate::export::{Export, Step, UnitReport};
use crate::solve::cpu_time;
use crate::value::Distance;
use indicatif::ProgressBar;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Write a database that tells win, draw or loss without depths, in a fifth of the bytes
///
/// `query`, `stats` and `verify` read it like any other, but answer without plies. Units that are
/// there already are skipped. Cost: 20 million slots per CPU second and 0.1 GB of memory beside the
/// file cache; the whole of nine some 2 GB of disk.
#[derive(clap::Args)]
#[command(after_help = "Example: merels export --wdl outcomes --rules six\n\
                        Example: merels export 8-7 5-5 --wdl outcomes --json")]
pub struct Arguments {
    /// Subspaces W-B or W-B+w+b to export; none: all that is solved
    #[arg(value_name = "SUBSPACE")]
    subspaces: Vec<String>,
    /// Directory of the database of outcomes, the one kind of export there is
    #[arg(long, value_name = "DIR")]
    wdl: Option<PathBuf>,
    /// Leave out placing tables with an odd number of men in hand; `query` looks a ply further there
    #[arg(long)]
    thin: bool,
}

/// An exported unit, as JSON.
#[derive(Serialize)]
struct UnitJson {
    unit: String,
    slots: u64,
    source_bytes: u64,
    file_bytes: u64,
    seconds: f64,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let Some(root) = &arguments.wdl else { return Err(no_kind()) };
    let database = context.database(Distance::Win)?;
    let units = context.units(&database, &arguments.subspaces)?;
    let export = Export::new(&database, root, &units, arguments.thin)?;
    let directory = export.target().directory().display().to_string();
    let (left, slots) = export.remaining()?;
    if left == 0 {
        let units = counted(units.len(), "unit");
        tell_complete(context, &format!("already exported: all {units} are in {directory}"))?;
        return Ok(Answer::Yes);
    }
    let (started, cpu) = (Instant::now(), cpu_time());
    let mut follower = Follower::new(context, left, slots);
    export.run(&mut |step| follower.hear(step))?;
    let total = follower.finish()?;
    if !context.json && !context.quiet {
        let cpu = cpu_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
        let summary = summary(&total, left, started.elapsed().as_secs_f64(), cpu);
        context.output.print(&format!("{summary}, in {directory}\n"))?;
    }
    Ok(Answer::Yes)
}

fn no_kind() -> CliError {
    let text = "export needs --wdl DIR, the one kind of export there is: win, draw or loss without \
                depths; see `merels export --help`";
    CliError::Usage(text.to_string())
}

fn tell_complete(context: &Context, message: &str) -> Result<(), CliError> {
    match (context.quiet, context.json) {
        (true, _) => {}
        (_, true) => note(message),
        _ => context.output.print(&format!("{message}\n"))?,
    }
    Ok(())
}

/// Slots and bytes of all units.
#[derive(Clone, Copy, Default)]
struct Total {
    slots: u64,
    source_bytes: u64,
    file_bytes: u64,
}

/// Draws and prints while units are exported. A reader that goes away stops no export.
struct Follower<'a> {
    context: &'a Context,
    bar: ProgressBar,
    units: usize,
    started: Instant,
    total: Total,
    failure: Option<CliError>,
}

impl<'a> Follower<'a> {
    fn new(context: &'a Context, units: usize, slots: u64) -> Follower<'a> {
        let bar = slot_bar(context, slots, 1);
        let (started, total) = (Instant::now(), Total::default());
        Follower { context, bar, units, started, total, failure: None }
    }

    fn hear(&mut self, step: Step) {
        match step {
            Step::Started(unit, place) => {
                self.started = Instant::now();
                self.bar.set_message(format!("{unit} ({} of {})", place + 1, self.units));
            }
            Step::Written(slots) => self.bar.inc(slots),
            Step::Finished(report) => {
                self.total.slots += report.slots;
                self.total.source_bytes += report.source_bytes;
                self.total.file_bytes += report.file_bytes;
                let silent = self.context.quiet && !self.context.json;
                if !silent && self.failure.is_none() {
                    self.failure = self.print(&report).err();
                }
            }
        }
    }

    fn print(&self, report: &UnitReport) -> Result<(), CliError> {
        let UnitReport { unit, slots, source_bytes, file_bytes } = *report;
        let (unit, seconds) = (unit.to_string(), self.started.elapsed().as_secs_f64());
        let output = self.context.output;
        if self.context.json {
            return output.json(&UnitJson { unit, slots, source_bytes, file_bytes, seconds });
        }
        let line = format!(
            "{unit:<9}  {:>13} slots  {:>8} as {:>8}  {:>7}\n",
            grouped(slots),
            text::bytes(source_bytes),
            text::bytes(file_bytes),
            text::seconds(seconds)
        );
        self.bar.suspend(|| output.print(&line))
    }

    fn finish(self) -> Result<Total, CliError> {
        self.bar.finish_and_clear();
        self.failure.map_or(Ok(self.total), Err)
    }
}

fn summary(total: &Total, units: usize, wall: f64, cpu: Option<f64>) -> String {
    let Total { slots, source_bytes, file_bytes } = *total;
    let cpu = cpu.map_or(String::new(), |cpu| {
        let rate = text::rate(slots as f64 / cpu.max(1e-9));
        format!(", {} CPU ({rate} slots per CPU second)", text::seconds(cpu))
    });
    format!(
        "exported {}: {} values, {} of depths as {} of outcomes; {} wall{cpu}",
        counted(units, "unit"),
        grouped(slots),
        text::bytes(source_bytes),
        text::bytes(file_bytes),
        text::seconds(wall)
    )
}
