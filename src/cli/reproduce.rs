//! `merels reproduce`: do our results agree with the published ones?
//!
//! Invariant: a difference is the answer no; a report in which nothing was compared is an error,
//! so that nobody takes silence for agreement.

use super::error::CliError;
use super::options::{Context, answer};
use super::text::{Columns, bytes, counted, grouped, seconds};
use super::{Outcome, size};
use crate::index::Geometry;
use crate::reproduce::{
    Facts, Figures, OpeningReport, OpeningSearch, Report, Row, Status, Subject, reproduce,
};
use crate::value::Distance;
use serde::Serialize;
use std::sync::Arc;

/// Compare the database with the published results, row by row
///
/// Exit status 1 if anything differs. Rows whose tables are not solved are listed and count for
/// nothing. Cost: an instant for three men's morris; for six 5 seconds of CPU time and 0.2 GB; for
/// nine 15 seconds, spent on counting the classes a game leads to. --opening-search adds a second
/// for six, and for nine a minute of CPU time and 2.8 GB of memory.
#[derive(clap::Args)]
#[command(after_help = "Example: merels reproduce --rules six\n\
                        Example: merels reproduce --opening-search --memory 4GiB --json")]
pub struct Arguments {
    /// Find the value of the empty board again, by alpha-beta over the placing phase with the
    /// tables of the moving phase alone
    #[arg(long)]
    opening_search: bool,
    /// Memory of that search at most [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_size, requires = "opening_search")]
    memory: Option<u64>,
}

/// The whole as JSON.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening_search: Option<&'a OpeningReport>,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let database = Arc::new(context.database(Distance::Win)?);
    let search = match arguments.opening_search {
        true => {
            let geometry = Geometry::new(&context.rules);
            let memory = size::allowed_memory(arguments.memory)?;
            let search = OpeningSearch::new(&database, &geometry, memory)?;
            context.tell("searching the opening");
            Some(search.run()?)
        }
        false => None,
    };
    context.tell("comparing with published figures");
    let report = reproduce(&database, &Facts::published(), search.as_ref())?;
    if context.json {
        context.output.json(&Document { report: &report, opening_search: search.as_ref() })?;
    } else {
        context.output.print(&text(&report, search.as_ref()))?;
    }
    if !report.compared() {
        let (rules, root) = (report.rules, context.root.clone());
        return Err(match report.not_solved {
            0 => CliError::NothingPublished(rules),
            _ => CliError::NothingCompared { rules, root },
        });
    }
    Ok(answer(report.differing == 0))
}

/// Subjects in the order of the report, with what the figures of their rows are.
const SECTIONS: [(Subject, &str); 8] = [
    (
        Subject::Values,
        "Moving phase by mover and opponent: wins / losses / draws / longest win / longest loss (ours: / won %)",
    ),
    (Subject::Classes, "Position classes: all / those a game leads to / slots"),
    (Subject::Totals, "Classes a game leads to, moving phase"),
    (Subject::Positions, "Positions: value / plies"),
    (Subject::Conversion, "Positions, to the next mill: value / plies"),
    (
        Subject::WholeGame,
        "Whole game: value (/ plies) / positions / wins / losses / draws / longest win / longest loss",
    ),
    (Subject::Opening, "Opening, for the player who makes the turn: value / plies"),
    (Subject::Search, "Opening search: value"),
];

fn text(report: &Report, search: Option<&OpeningReport>) -> String {
    let mut text = String::new();
    for (subject, title) in SECTIONS {
        let rows: Vec<&Row> = report.rows.iter().filter(|row| row.subject == subject).collect();
        if !rows.is_empty() {
            text += &format!("{title}\n{}\n", table(&rows));
        }
    }
    if let Some(search) = search {
        text += &search_text(search);
    }
    text + &format!(
        "{}: {} equal, {} different, {} not solved\n",
        counted(report.rows.len(), "row"),
        report.equal,
        report.differing,
        report.not_solved
    )
}

fn table(rows: &[&Row]) -> String {
    let mut columns = Columns::new(&["what", "published", "ours", "", "source", "note"], 6);
    for row in rows {
        let figures = |figures: &Option<Figures>| {
            figures.as_ref().map_or("-".to_string(), |figures| figures.to_string())
        };
        columns.row(vec![
            row.what.clone(),
            figures(&row.published),
            figures(&row.ours),
            verdict(row.status).to_string(),
            row.source.clone(),
            row.note.clone(),
        ]);
    }
    columns.text()
}

fn verdict(status: Status) -> &'static str {
    match status {
        Status::Equal => "equal",
        Status::Differs => "DIFFERENT",
        Status::KnownDifference => "known to differ",
        Status::OursAlone => "ours alone",
        Status::NotSolved => "not solved",
    }
}

fn search_text(search: &OpeningReport) -> String {
    let mut text = String::new();
    for question in &search.questions {
        let cpu =
            question.cpu_seconds.map_or(String::new(), |cpu| format!(", {} CPU", seconds(cpu)));
        text += &format!(
            "{} {}: {} positions searched, {} looked up, {}{cpu}\n",
            question.question,
            if question.yes { "yes" } else { "no" },
            grouped(question.nodes),
            grouped(question.probes),
            seconds(question.seconds)
        );
    }
    text + &format!(
        "{} of the moving phase in {}, transpositions in {}\n",
        counted(search.tables, "table"),
        bytes(search.table_bytes),
        bytes(search.transposition_bytes)
    )
}
