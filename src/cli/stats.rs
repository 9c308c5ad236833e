//! `merels stats`: what the tables of a database hold.

use super::error::CliError;
use super::options::{Context, MetricOption};
use super::text::{Columns, counted, grouped};
use super::{Answer, Outcome};
use crate::index::{Geometry, Subspace, Unit};
use crate::query::{Query, QueryError};
use crate::rules::Protected;
use crate::stats::{
    Histogram, Row, Start, histogram_svg, reachable, rows, starts, text_table, total_histogram,
};
use crate::storage::{Database, Metric};
use crate::value::Distance;
use serde::Serialize;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Count position classes by value: wins, draws, losses, longest win and loss
///
/// Cost: milliseconds, file headers are read; --reachable minutes for the largest subspaces of nine.
#[derive(clap::Args)]
#[command(after_help = "Example: merels stats --rules three --histogram\n\
                        Example: merels stats 5-5 4-3 --plot depths.svg --json\n\
                        Example: merels stats --starts --rules six")]
pub struct Arguments {
    /// Subspaces W-B or W-B+w+b; none: all that is solved
    #[arg(value_name = "SUBSPACE")]
    subspaces: Vec<String>,
    /// Add the number of classes by depth in plies (even: losses, odd: wins)
    #[arg(long)]
    histogram: bool,
    /// Draw that as a picture
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Add the number of classes that a game can lead to, by Gasser's rule (moving phase only)
    #[arg(long)]
    reachable: bool,
    /// Instead of counts, the value of the empty board by the men in hand, White to move
    #[arg(long, conflicts_with_all = ["subspaces", "histogram", "plot", "reachable"])]
    starts: bool,
    #[command(flatten)]
    metric: MetricOption,
}

/// A row with what else was asked for, as JSON.
#[derive(Serialize)]
struct RowJson<'a> {
    #[serde(flatten)]
    row: &'a Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<Option<u64>>,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let database = context.database(arguments.metric.distance())?;
    if let Some(path) = &arguments.plot {
        check_plot(path, &database)?;
    }
    let units = context.units(&database, &arguments.subspaces)?;
    if arguments.starts {
        return print_starts(context, database);
    }
    let with_histogram = arguments.histogram || arguments.plot.is_some();
    if with_histogram {
        check_depths(&database, &units)?;
    }
    let mut rows = rows(&database, &units, with_histogram)?;
    let total = total_histogram(&rows);
    if !arguments.histogram {
        rows.iter_mut().for_each(|row| row.histogram = None);
    }
    let reachable = arguments.reachable.then(|| reachable_counts(context, &rows));
    if let Some(path) = &arguments.plot {
        let subject = title(&arguments.subspaces);
        let title = format!("{}, {subject}{}", context.rules.name(), counted_to(&database));
        let written = fs::write(path, histogram_svg(&title, &total));
        written.map_err(|source| CliError::Write { path: path.clone(), source })?;
    }
    if context.json {
        let of = |at: usize| reachable.as_ref().map(|counts| counts[at]);
        let document = rows.iter().enumerate().map(|(at, row)| RowJson { row, reachable: of(at) });
        context.output.json(&document.collect::<Vec<_>>())?;
        return Ok(Answer::Yes);
    }
    let mut text = table(&rows, reachable.as_deref());
    text += &totals(&rows);
    if arguments.histogram {
        text += &histogram_text(&total);
    }
    context.output.print(&text)?;
    Ok(Answer::Yes)
}

/// What the empty board is worth, whatever men the players have in hand.
fn print_starts(context: &Context, database: Database) -> Outcome {
    let metric = counted_to(&database);
    let starts = starts(&Query::new(database))?;
    if context.json {
        context.output.json(&starts)?;
        return Ok(Answer::Yes);
    }
    let title = format!(
        "The empty board, White to move{metric}; men in hand: White's by line, Black's by column\n"
    );
    context.output.print(&(title + &starts_table(&starts)))?;
    Ok(Answer::Yes)
}

/// A line for each number of White's men, a column for each of Black's.
fn starts_table(starts: &[Start]) -> String {
    let lines: Vec<&[Start]> = starts.chunk_by(|one, next| one.white == next.white).collect();
    let black = lines[0].iter().map(|start| start.black.to_string());
    let titles: Vec<String> = std::iter::once(String::new()).chain(black).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut columns = Columns::new(&titles, 0);
    for line in lines {
        let white = std::iter::once(line[0].white.to_string());
        columns.row(white.chain(line.iter().map(start_text)).collect());
    }
    columns.text()
}

fn start_text(start: &Start) -> String {
    match (&start.value, start.plies) {
        (None, _) => "-".to_string(),
        (Some(value), None) => value.clone(),
        (Some(value), Some(plies)) => format!("{value} {plies}"),
    }
}

/// Refuses to count depths where none are stored.
fn check_depths(database: &Database, units: &[Unit]) -> Result<(), CliError> {
    for &unit in units {
        let file = database.unit(unit)?;
        if let Some(file) = file.filter(|file| file.metric() == Metric::Outcome) {
            return Err(QueryError::OutcomesOnly { path: file.path().to_path_buf() }.into());
        }
    }
    Ok(())
}

/// Refuses to draw over what is no picture, a file of the database above all.
fn check_plot(path: &Path, database: &Database) -> Result<(), CliError> {
    let refuse = |reason| Err(CliError::Plot { path: path.to_path_buf(), reason });
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mdb")) {
        return refuse("its name is that of a database file");
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let above = fs::canonicalize(above.unwrap_or(Path::new(".")));
    let within = fs::canonicalize(database.directory());
    if above.ok().zip(within.ok()).is_some_and(|(above, within)| above.starts_with(within)) {
        return refuse("it is in a directory of the database");
    }
    // Devices and pipes hold nothing that could be lost, nor does an empty file.
    let is_filled = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if is_filled && !is_picture(path) {
        return refuse("it exists and is no SVG picture");
    }
    Ok(())
}

fn is_picture(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(5).read_to_end(&mut start));
    read.is_ok() && (start.starts_with(b"<svg") || start == b"<?xml")
}

fn title(subspaces: &[String]) -> String {
    if subspaces.is_empty() { "all solved subspaces".to_string() } else { subspaces.join(" ") }
}

/// Says what depths count to, where that is not the end of the game.
fn counted_to(database: &Database) -> &'static str {
    match database.distance() {
        Distance::Win => "",
        Distance::Conversion => ", plies to the next mill",
    }
}

/// Per row; none where Gasser's rule says nothing.
fn reachable_counts(context: &Context, rows: &[Row]) -> Vec<Option<u64>> {
    let rules = &context.rules;
    let geometry = Geometry::new(rules);
    let rule_holds = !rules.line_wins() && rules.protected() != Protected::Always;
    let count = |row: &Row| {
        let subspace: Subspace = row.subspace.parse().ok()?;
        let moving = (subspace.white_hand, subspace.black_hand) == (0, 0);
        (moving && rule_holds)
            .then(|| reachable(&geometry, subspace.white, subspace.black, rules.men()))
    };
    rows.iter().map(count).collect()
}

fn table(rows: &[Row], reachable: Option<&[Option<u64>]>) -> String {
    let text = text_table(rows);
    let Some(reachable) = reachable else { return text };
    let cells = reachable.iter().map(|count| count.map_or("-".to_string(), |n| n.to_string()));
    let cells: Vec<String> = std::iter::once("reachable".to_string()).chain(cells).collect();
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    let lines = text.lines().zip(&cells);
    lines.map(|(line, cell)| format!("{line}  {cell:>width$}\n")).collect()
}

fn totals(rows: &[Row]) -> String {
    let sum = |of: fn(&Row) -> u64| grouped(rows.iter().map(of).sum::<u64>());
    format!(
        "{}: {} classes in {} slots; {} wins, {} draws, {} losses\n",
        counted(rows.len(), "table"),
        sum(|row| row.classes),
        sum(|row| row.slots),
        sum(|row| row.wins),
        sum(|row| row.draws),
        sum(|row| row.losses)
    )
}

fn histogram_text(total: &Histogram) -> String {
    let mut columns = Columns::new(&["value", "plies", "classes"], 1);
    for (plies, classes) in total {
        let value = if plies % 2 == 0 { "loss" } else { "win" };
        columns.row(vec![value.to_string(), plies.to_string(), grouped(*classes)]);
    }
    columns.text()
}
