//! `merels perft`: numbers of turn sequences, and of positions and classes.

use super::error::CliError;
use super::options::{Context, position_text};
use super::text::{Columns, grouped};
use super::{Answer, Outcome};
use crate::perft::{PerftRow, perft, perft_classes};
use crate::symmetry::symmetries;
use serde::Serialize;

/// Count the turn sequences of each length up to DEPTH
///
/// Cost: no database, no disk. From the start of nine, ply 6 takes half a second and each further ply
/// twenty times that; with --classes ply 7 takes three seconds and 0.2 GB of memory, ply 8 some
/// six times as much of both.
#[derive(clap::Args)]
#[command(after_help = "Example: merels perft 4\n\
                        Example: merels perft 7 --classes --json")]
pub struct Arguments {
    /// Greatest number of plies, 1 to 20: sequences are counted in 128 bits
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Position to count from, in quotes, or `start`
    #[arg(default_value = "start", allow_hyphen_values = true, value_parser = position_text)]
    position: String,
    /// Count positions and classes too, merging what symmetry makes equal
    #[arg(long)]
    classes: bool,
}

/// A ply without classes, as JSON.
#[derive(Serialize)]
struct Sequences {
    ply: u32,
    sequences: u128,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let reading = context.position(&arguments.position)?;
    if reading.owed > 0 {
        return Err(CliError::Owed("perft"));
    }
    let (rules, position, depth) = (&context.rules, &reading.position, arguments.depth);
    if arguments.classes {
        let group: Vec<_> =
            symmetries(rules.board()).iter().map(|symmetry| symmetry.image().to_vec()).collect();
        let rows = perft_classes(rules, position, depth, &group);
        match context.json {
            true => context.output.json(&rows)?,
            false => context.output.print(&classes_text(&rows))?,
        }
        return Ok(Answer::Yes);
    }
    let row = |ply| Sequences { ply, sequences: perft(rules, position, ply) };
    let rows: Vec<Sequences> = (1..=depth).map(row).collect();
    match context.json {
        true => context.output.json(&rows)?,
        false => context.output.print(&sequences_text(&rows))?,
    }
    Ok(Answer::Yes)
}

fn sequences_text(rows: &[Sequences]) -> String {
    let mut columns = Columns::new(&["ply", "sequences"], 0);
    for row in rows {
        columns.row(vec![row.ply.to_string(), grouped(row.sequences)]);
    }
    columns.text()
}

fn classes_text(rows: &[PerftRow]) -> String {
    let mut columns = Columns::new(&["ply", "sequences", "positions", "classes"], 0);
    for row in rows {
        let numbers = [row.sequences, u128::from(row.positions), u128::from(row.classes)];
        let numbers = numbers.map(grouped::<u128>);
        columns.row([vec![row.ply.to_string()], numbers.to_vec()].concat());
    }
    columns.text()
}
