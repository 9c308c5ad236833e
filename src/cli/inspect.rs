//! `merels inspect`: the rules' arbiter on one position, and on one turn.
//!
//! Invariant: needs no database, and looks at none.

use super::Outcome;
use super::options::{Context, answer, position_text};
use super::text::counted;
use crate::inspect::{Inspection, Phase, Question, inspect};
use crate::notation::{TurnError, draw_board, format_reading, format_removals};
use crate::notation::{format_turn, parse_removals, parse_turn};
use crate::rules::Rules;
use serde::Serialize;

/// Tell what the rules say of a position: whose turn it is and why, who may fly, what may be
/// removed, who is blocked, is it over; and of a turn: legal or why not
///
/// Exit status 1 when TURN is not legal. Cost: an instant; no database, memory or disk.
#[derive(clap::Args)]
#[command(after_help = "Example: merels inspect start d2\n\
                        Example: merels inspect \"W../.../.../B...../.../.../... w 8 8\" --json\n\
                        Example: merels inspect \"WWW/B../B.../.../... w 3 4 x\" xb4 --rules six")]
pub struct Arguments {
    /// Position in quotes: ours (x at its end: White or Black still owes a removal), Sanmill FEN or
    /// Malom's six numbers; or `start`
    #[arg(allow_hyphen_values = true, value_parser = position_text)]
    position: String,
    /// Turn to judge: d2, a1-a4, d7-g7xa1; or xa1 alone, to ask if that man may be removed (`none`
    /// where one is owed and none may be)
    turn: Option<String>,
}

/// The document, with the position as we write it.
#[derive(Serialize)]
struct Document<'a> {
    rules: &'a str,
    position: String,
    #[serde(flatten)]
    inspection: &'a Inspection,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let reading = context.position(&arguments.position)?;
    let (rules, position) = (&context.rules, &reading.position);
    let question = arguments.turn.as_ref().map(|text| question(rules, text)).transpose()?;
    let seen = inspect(rules, &reading, question.as_ref());
    match context.json {
        true => context.output.json(&Document {
            rules: rules.name(),
            position: format_reading(rules, &reading),
            inspection: &seen,
        })?,
        false => {
            let mut text = draw_board(rules, position) + &description(&seen);
            if let Some(question) = &question {
                text += &judged(rules, question, &seen);
            }
            context.output.print(&text)?;
        }
    }
    Ok(answer(seen.legal != Some(false)))
}

fn question(rules: &Rules, text: &str) -> Result<Question, TurnError> {
    match parse_removals(rules, text) {
        Err(TurnError::NoRemoval(_)) => parse_turn(rules, text).map(Question::Turn),
        removed => removed.map(Question::Removal),
    }
}

fn judged(rules: &Rules, question: &Question, seen: &Inspection) -> String {
    let asked = match question {
        Question::Turn(turn) => format_turn(rules, turn),
        // The word before keeps `none` from being read as "no removal is legal".
        Question::Removal(men) => format!("removal {}", format_removals(rules.board(), *men)),
    };
    let verdict = if seen.reason.is_none() { "is legal" } else { "is not legal" };
    let why = seen.reason.iter().chain(&seen.effect).map(|why| format!(": {why}"));
    format!("{asked} {verdict}{}\n", why.collect::<String>())
}

fn description(seen: &Inspection) -> String {
    let answers = &seen.answers;
    let mut lines = vec![match seen.phase {
        Phase::Over => format!("game over: {}", answers.end),
        Phase::Placing => format!("placing phase: {}", answers.turn),
        Phase::Moving => format!("moving phase: {}", answers.turn),
    }];
    if seen.phase != Phase::Over {
        lines
            .extend(answers.end.strip_prefix("no, ").map(|why| format!("the game goes on, {why}")));
        lines.extend([answers.flying.white.clone(), answers.flying.black.clone()]);
    }
    lines.extend(mill_lines(seen));
    if seen.phase != Phase::Placing || !seen.blocked.is_empty() {
        lines.push(format!("blockade: {}", answers.blockade));
    }
    if !seen.double_mills.is_empty() {
        lines.push(format!("double mill: {}", answers.double_mill));
    }
    if seen.owed == 0 {
        let turns =
            format!("{}: {}", counted(seen.turns.len(), "legal turn"), seen.turns.join(" "));
        lines.push(turns.trim_end_matches([':', ' ']).to_string());
    }
    lines.extend(seen.unreachable.iter().map(|proof| format!("no game leads here: {proof}")));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Full lines, and what may be removed while the game goes on.
fn mill_lines(seen: &Inspection) -> Vec<String> {
    let (mills, removal) = (&seen.mills, &seen.answers.removal);
    let closed = [("White", &mills.white), ("Black", &mills.black)].into_iter();
    let closed = closed.filter(|(_, mills)| !mills.is_empty()).map(|(who, mills)| {
        let mills: Vec<String> = mills.iter().map(|mill| mill.join("-")).collect();
        format!("{who}'s mills: {}", mills.join(", "))
    });
    let on_board = |men: &[&str], guarded: &[&str]| !men.is_empty() || !guarded.is_empty();
    let men = [
        (on_board(&seen.removable.white, &seen.protected.white), &removal.white),
        (on_board(&seen.removable.black, &seen.protected.black), &removal.black),
    ];
    let told = men.into_iter().filter(|&(any, _)| any && seen.phase != Phase::Over);
    closed.chain(told.map(|(_, sentence)| sentence.clone())).collect()
}
