//! `merels bench`: throughput of this build on this machine.

use super::error::CliError;
use super::options::Context;
use super::text::{grouped, rate, seconds};
use super::{Answer, Outcome};
use crate::bench::{RULES, Report, Round, run as measure};
use serde::Serialize;

/// Measure the throughput of a fixed solve, and the latency of probes
///
/// Solves nine up to 5-5 and checks the result. Cost: a few seconds a round, 0.2 GB of memory,
/// 1 MB a round of disk under the directory for temporary files, freed at the end.
#[derive(clap::Args)]
#[command(after_help = "Example: merels bench --rounds 3 --threads 2 --json")]
pub struct Arguments {
    /// Solves to measure; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// The report with its rates, as JSON.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// Of the fastest round, like all rates.
    #[serde(flatten)]
    best: Round,
    slots_per_second: f64,
    edges_per_second: f64,
    slots_per_cpu_second: Option<f64>,
    edges_per_cpu_second: Option<f64>,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    if context.rules.name() != RULES {
        let text =
            format!("bench measures a fixed solve of '{RULES}': leave out --rules and --rule");
        return Err(CliError::Usage(text));
    }
    let report = measure(arguments.rounds, &std::env::temp_dir())?;
    let best = report.best();
    let document = Document {
        slots_per_second: best.slots as f64 / best.seconds,
        edges_per_second: best.edges as f64 / best.seconds,
        slots_per_cpu_second: best.cpu_seconds.map(|cpu| best.slots as f64 / cpu),
        edges_per_cpu_second: best.cpu_seconds.map(|cpu| best.edges as f64 / cpu),
        report: &report,
        best,
    };
    match context.json {
        true => context.output.json(&document)?,
        false => context.output.print(&text(&document))?,
    }
    Ok(Answer::Yes)
}

fn text(document: &Document) -> String {
    let Document { report, best, .. } = document;
    let cpu = |cpu: Option<f64>| cpu.map_or(String::new(), |s| format!(", {} CPU", seconds(s)));
    let mut text = format!("{}; {} threads\n", report.workload, report.threads);
    for (round, number) in report.rounds.iter().zip(1..) {
        text += &format!("round {number}: {}{}\n", seconds(round.seconds), cpu(round.cpu_seconds));
    }
    text += &format!("{} slots, {} edges\n", grouped(best.slots), grouped(best.edges));
    text += &format!(
        "{} slots/s, {} edges/s of wall time\n",
        rate(document.slots_per_second),
        rate(document.edges_per_second)
    );
    if let Some((slots, edges)) = document.slots_per_cpu_second.zip(document.edges_per_cpu_second) {
        text += &format!("{} slots, {} edges per CPU second\n", rate(slots), rate(edges));
    }
    let probes = &report.probes;
    text + &format!(
        "probe: {:.2} µs at a random position, {:.2} µs in a frame just used, \
         {}/s at random positions with all threads ({} probes)\n",
        probes.random_microseconds,
        probes.repeated_microseconds,
        rate(probes.random_per_second),
        grouped(probes.probes)
    )
}
