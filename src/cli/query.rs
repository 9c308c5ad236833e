//! `merels query`: the exact value of a position, its turns ranked, one best line.

use super::error::CliError;
use super::options::{Context, MetricOption, position_text};
use super::text::Columns;
use super::{Answer, Outcome};
use crate::index::Table;
use crate::notation::{Reading, draw_board};
use crate::query::{self, Query, QueryError};
use crate::rules::Rules;
use crate::solve::plan_game;

/// Plies of a best line at most: more than any game of nine takes to be decided.
const LONGEST_LINE: usize = 1000;

/// Tell the exact value of a position and of every legal turn
///
/// Cost: milliseconds; reads a few frames of a solved database.
#[derive(clap::Args)]
#[command(after_help = "Example: merels query start --rules three\n\
                        Example: merels query start b2 a1 --rules three --line --json\n\
                        Example: merels query start --rules six --metric dtc --line\n\
                        Example: merels query \"...W../W../B..B/W./... w 0 0\" --rules six")]
pub struct Arguments {
    /// Position in quotes: ours, Sanmill FEN or Malom's six numbers; or `start`
    #[arg(allow_hyphen_values = true, value_parser = position_text)]
    position: String,
    /// Turns to play first: d2, a1-a4, d7-g7xa1; or xa1 (`none`) alone where a removal is owed
    #[arg(value_name = "TURN")]
    turns: Vec<String>,
    /// Add a best line for both sides
    #[arg(long)]
    line: bool,
    #[command(flatten)]
    metric: MetricOption,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let reading = context.position(&arguments.position)?;
    let query = Query::new(context.database(arguments.metric.distance())?);
    let reading = query.play(&reading, &arguments.turns)?;
    let answer = query.answer(&reading, arguments.line.then_some(LONGEST_LINE));
    let answer = answer.map_err(|error| match error {
        QueryError::OutcomesOnly { .. } => CliError::NoLine(error),
        missing if missing.is_missing() && !is_of_the_game(&context.rules, &reading) => {
            CliError::OutsideGame(missing)
        }
        other => other.into(),
    })?;
    match context.json {
        true => context.output.json(&answer)?,
        false => context.output.print(&text(&context.rules, &reading, &answer))?,
    }
    Ok(Answer::Yes)
}

/// Is the position's table one that solving the whole game solves? Where removals are owed, that of the
/// position after them is what matters, and taken to be one.
fn is_of_the_game(rules: &Rules, reading: &Reading) -> bool {
    let table = Table::of(&reading.position);
    reading.owed > 0 || plan_game(rules).iter().any(|planned| planned.tables.contains(&table))
}

fn text(rules: &Rules, reading: &Reading, answer: &query::Answer) -> String {
    let mut text = draw_board(rules, &reading.position);
    text += &format!("{}\n{}\n", answer.position, sentence(rules, reading, answer));
    if !answer.depths {
        text += "the database stores no depths: who wins, but not in how many plies\n";
    }
    if !answer.turns.is_empty() {
        let title = if reading.owed > 0 { "removal" } else { "turn" };
        let mut columns = Columns::new(&[title, "value", "plies"], 2);
        for rated in &answer.turns {
            let plies = rated.plies.map_or("-".to_string(), |plies| plies.to_string());
            columns.row(vec![rated.turn.clone(), rated.value.clone(), plies]);
        }
        text += &columns.text();
    }
    if let Some(line) = &answer.line {
        text += &format!("best line: {}\n", line.join(" "));
    }
    text
}

/// The value in words, by the names of the players.
fn sentence(rules: &Rules, reading: &Reading, answer: &query::Answer) -> String {
    let position = &reading.position;
    let (mover, other) = (position.side.title(), position.side.other().title());
    let ending = (reading.owed == 0).then(|| rules.why_over(position)).flatten();
    let to_move = format!("{mover} to move");
    match (answer.value.as_str(), answer.plies, ending) {
        (_, _, Some(ending)) => format!("Game over: {ending}"),
        (value, Some(0), _) => format!("{to_move}: a {value}, nothing but removals is left"),
        (value, Some(plies), _) if answer.metric.is_some() => {
            format!("{to_move}: a {value}, a mill in {}", plural(plies))
        }
        ("win", Some(plies), _) => format!("{to_move}: {mover} wins in {}", plural(plies)),
        ("loss", Some(plies), _) => format!("{to_move}: {other} wins in {}", plural(plies)),
        (value, _, _) => format!("{to_move}: a {value}"),
    }
}

fn plural(plies: u32) -> String {
    super::text::counted(plies as usize, "ply").replace("plys", "plies")
}
