//! `merels plan`: what a solve would do, and what it would cost.
//!
//! Invariant: reads the names and headers of files that are there, and creates nothing.

use super::options::{Context, MetricOption, Selection};
use super::text::{self, Columns, counted, grouped, to_move};
use super::{Answer, Outcome, size};
use crate::index::Geometry;
use crate::solve::{Cost, PlannedUnit, predict, remaining, with_needs};
use serde::Serialize;
use std::time::Duration;

/// Show what a solve would do: units in order, slots, memory, disk, time
///
/// Cost: under a second, some MB of memory; nothing is written.
#[derive(clap::Args)]
#[command(after_help = "Example: merels plan --rules six --rule men=4\n\
                        Example: merels plan 5-5 4-3 --json\n\
                        Example: merels plan --extended=6")]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Memory the solve may use; units that need more work in files [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_size)]
    #[arg(allow_hyphen_values = true)]
    memory: Option<u64>,
    #[command(flatten)]
    metric: MetricOption,
}

/// A unit with its cost.
struct Line {
    planned: PlannedUnit,
    cost: Cost,
    seconds: f64,
    solved: bool,
}

/// One side of a unit, as JSON.
#[derive(Serialize)]
struct SideJson {
    unit: String,
    subspace: String,
    to_move: &'static str,
    slots: u64,
    /// Of the unit, which is solved as one.
    memory: u64,
    in_files: bool,
    disk: u64,
    cpu_seconds: f64,
    solved: bool,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let plan = context.plan(&arguments.selection)?;
    let geometry = Geometry::new(&context.rules);
    let todo = match context.database_if_any(arguments.metric.distance())? {
        Some(database) => remaining(&database, &geometry, &plan)?,
        None => plan.clone(),
    };
    let memory = arguments.memory.unwrap_or_else(size::default_memory);
    let line = |planned: &PlannedUnit| {
        let left = todo.iter().find(|left| left.unit == planned.unit);
        // What a file holds beside the plan is solved along when it is written anew.
        let tables = left.unwrap_or(planned);
        let cost = predict(&context.rules, &geometry, tables);
        let (seconds, solved) = (estimate(cost.cpu), left.is_none());
        Line { planned: tables.clone(), cost, seconds, solved }
    };
    let lines: Vec<Line> = with_needs(&context.rules, &plan, &todo).iter().map(line).collect();
    if context.json {
        for side in lines.iter().flat_map(|line| sides(context, &geometry, line, memory)) {
            context.output.json(&side)?;
        }
        return Ok(Answer::Yes);
    }
    context.output.print(&(table(&lines) + &totals(context, &lines, memory)))?;
    Ok(Answer::Yes)
}

/// Seconds with the threads at hand.
fn estimate(cpu: Duration) -> f64 {
    cpu.as_secs_f64() / rayon::current_num_threads() as f64
}

fn sides<'a>(
    context: &'a Context,
    geometry: &'a Geometry,
    line: &'a Line,
    memory: u64,
) -> impl Iterator<Item = SideJson> + 'a {
    let unit = line.planned.unit;
    line.planned.tables.iter().map(move |&table| {
        let alone = PlannedUnit { unit, tables: vec![table] };
        let cost = predict(&context.rules, geometry, &alone);
        SideJson {
            unit: unit.to_string(),
            subspace: unit.to_string(),
            to_move: to_move(table),
            slots: cost.slots,
            memory: line.cost.memory,
            in_files: line.cost.memory > memory,
            disk: cost.disk,
            cpu_seconds: cost.cpu.as_secs_f64(),
            solved: line.solved,
        }
    })
}

fn table(lines: &[Line]) -> String {
    let titles = ["unit", "to move", "slots", "memory", "disk", "time", "solved"];
    let mut columns = Columns::new(&titles, 2);
    for Line { planned, cost, seconds, solved } in lines {
        let movers: Vec<&str> = planned.tables.iter().map(|&t| to_move(t)).collect();
        columns.row(vec![
            planned.unit.to_string(),
            movers.join(", "),
            grouped(cost.slots),
            text::bytes(cost.memory),
            text::bytes(cost.disk),
            text::seconds(*seconds),
            if *solved { "yes" } else { "no" }.to_string(),
        ]);
    }
    columns.text()
}

fn totals(context: &Context, lines: &[Line], memory: u64) -> String {
    let sum = |name: &str, lines: &[&Line]| {
        let tables: usize = lines.iter().map(|line| line.planned.tables.len()).sum();
        let slots: u64 = lines.iter().map(|line| line.cost.slots).sum();
        let disk = lines.iter().map(|line| line.cost.disk).sum();
        let cpu = lines.iter().map(|line| line.cost.cpu).sum();
        format!(
            "{name}: {}, {}, {} slots, {} of disk, about {}\n",
            counted(lines.len(), "unit"),
            counted(tables, "table"),
            grouped(slots),
            text::bytes(disk),
            text::seconds(estimate(cpu))
        )
    };
    let all: Vec<&Line> = lines.iter().collect();
    let left: Vec<&Line> = lines.iter().filter(|line| !line.solved).collect();
    let peak = left.iter().map(|line| line.cost.memory).max().unwrap_or(0);
    let in_files = left.iter().filter(|line| line.cost.memory > memory).count();
    let mut text = sum("total", &all) + &sum("left to solve", &left);
    text += &format!(
        "memory: {} at most, {} allowed; {} in scratch files under {}\n",
        text::bytes(peak),
        text::bytes(memory),
        counted(in_files, "unit"),
        context.root.display()
    );
    text + &format!(
        "times are estimates, from nine men's morris on cores of an AMD EPYC (Zen 4); {}\n",
        counted(rayon::current_num_threads(), "thread")
    )
}
