//! `merels solve`: fills a database.
//!
//! Invariant: arguments are understood before anything is written; an interrupted solve loses
//! the unit at work and nothing else, so there is nothing to do on the way out.

use super::options::{Context, MetricOption, Selection};
use super::progress::{Finished, Progress};
use super::text::{self, counted, grouped};
use super::{Answer, Outcome, size};
use crate::index::Geometry;
use crate::solve::{Cost, PlannedUnit, cpu_time, predict, remaining, solve_plan, with_needs};
use crate::storage::Database;
use std::time::Instant;

/// Solve subspaces and all they need; finished units are kept and skipped
///
/// Cost: `merels plan` tells. Six men's morris, or nine up to 5-5: seconds, 0.2 GB of memory, 2 MB of
/// disk. The moving phase of nine: tens of minutes on two cores, 7 GB of memory, 4 GB of disk; the whole
/// of it twice that time and 11 GB of disk. A killed solve goes on with the unit it was at when it is
/// started again.
#[derive(clap::Args)]
#[command(after_help = "Example: merels solve --rules six\n\
                        Example: merels solve 5-5 4-3 --memory 2GiB --threads 2\n\
                        Example: merels solve 4-4 --metric dtc\n\
                        Example: merels solve --extended=4")]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Memory to use at most; units that need more work in files [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_size)]
    #[arg(allow_hyphen_values = true)]
    memory: Option<u64>,
    #[command(flatten)]
    metric: MetricOption,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let memory = size::allowed_memory(arguments.memory)?;
    let plan = context.plan(&arguments.selection)?;
    let distance = arguments.metric.distance();
    let database = Database::create_with(&context.root, &context.rules, distance)?;
    let geometry = Geometry::new(&context.rules);
    let todo = remaining(&database, &geometry, &plan)?;
    if todo.is_empty() {
        already_complete(context, &database, &plan)?;
        return Ok(Answer::Yes);
    }
    let costs = todo.iter().map(|planned| predict(&context.rules, &geometry, planned));
    let costs: Vec<Cost> = costs.collect();
    let slots = costs.iter().map(|cost| cost.slots).sum();
    tell_scratch_files(context, &costs, memory);
    context.tell(&format!(
        "{} of {} to solve, {} of memory",
        grouped(todo.len() as u64),
        counted(with_needs(&context.rules, &plan, &todo).len(), "unit"),
        text::bytes(memory)
    ));
    let (started, cpu) = (Instant::now(), cpu_time());
    let progress = Progress::new(context, todo.len(), slots);
    solve_plan(&database, &geometry, &plan, memory, &progress)?;
    let finished = progress.finish()?;
    if !context.json && !context.quiet {
        let cpu = cpu_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
        let wall = started.elapsed().as_secs_f64();
        let summary = summary(&finished, wall, cpu);
        context.output.print(&format!("{summary}, in {}\n", database.directory().display()))?;
    }
    Ok(Answer::Yes)
}

/// Says that units need more memory than is allowed, and what follows.
fn tell_scratch_files(context: &Context, costs: &[Cost], memory: u64) {
    let needs: Vec<u64> = costs.iter().map(|cost| cost.memory).filter(|&n| n > memory).collect();
    if let (Some(&most), false) = (needs.iter().max(), context.quiet) {
        super::output::note(&format!(
            "merels: note: {} of up to {} of memory, more than the {} allowed: in scratch files, which is slower",
            counted(needs.len(), "unit"),
            text::bytes(most),
            text::bytes(memory)
        ));
    }
}

fn already_complete(
    context: &Context,
    database: &Database,
    plan: &[PlannedUnit],
) -> Result<(), super::CliError> {
    let directory = database.directory().display();
    let units = counted(plan.len(), "unit");
    let message = format!("already solved: all {units} are in {directory}");
    match (context.quiet, context.json) {
        (true, _) => Ok(()),
        (_, true) => {
            super::output::note(&message);
            Ok(())
        }
        _ => context.output.print(&(message + "\n")),
    }
}

fn summary(finished: &Finished, wall: f64, cpu: Option<f64>) -> String {
    let Finished { units, slots, edges, waves, file_bytes } = *finished;
    let cpu = cpu.map_or(String::new(), |cpu| {
        let rate = text::rate(slots as f64 / cpu.max(1e-9));
        format!(", {} CPU ({rate} slots per CPU second)", text::seconds(cpu))
    });
    let peak = size::peak_memory();
    let peak = peak.map_or(String::new(), |peak| format!(", {} of memory", text::bytes(peak)));
    format!(
        "solved {}: {} slots, {} edges, {} waves; {} wall{cpu}{peak}, {} of disk",
        counted(units, "unit"),
        grouped(slots),
        grouped(edges),
        grouped(waves),
        text::seconds(wall),
        text::bytes(file_bytes)
    )
}
