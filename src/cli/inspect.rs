//! `merels inspect`: the rules' arbiter on one position, and on one turn.
//!
//! Invariant: needs no database, and looks at none.

use super::Outcome;
use super::options::{Context, answer, position_text};
use super::text::counted;
use crate::inspect::{ByColor, Inspection, Phase, inspect, inspect_owed};
use crate::notation::{Reading, draw_board, format_position, format_removals};
use crate::notation::{format_turn, parse_removals, parse_turn};
use crate::rules::Rules;
use serde::Serialize;

/// Tell what the rules say of a position: phase, legal turns, mills, or why a turn is not legal
///
/// Exit status 1 when TURN is not legal. Cost: an instant; no database, memory or disk.
#[derive(clap::Args)]
#[command(after_help = "Example: merels inspect start d2\n\
                        Example: merels inspect \"W../.../.../B...../.../.../... w 8 8\" --json")]
pub struct Arguments {
    /// Position in quotes: ours, Sanmill FEN or Malom's six numbers; or `start`
    #[arg(allow_hyphen_values = true, value_parser = position_text)]
    position: String,
    /// Turn to judge: d2, a1-a4, d7-g7xa1; or xa1 (`none`) alone where a removal is owed
    turn: Option<String>,
}

/// The document, with the position as we write it.
#[derive(Serialize)]
struct Document<T: Serialize> {
    rules: String,
    position: String,
    #[serde(skip_serializing_if = "is_zero")]
    owed: u8,
    #[serde(flatten)]
    inspection: T,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// What is left to choose in the middle of a turn.
#[derive(Serialize)]
struct Removals<'a> {
    phase: Phase,
    flying: [&'static str; 0],
    turns: Vec<String>,
    mills: &'a ByColor<Vec<Vec<&'static str>>>,
    protected: &'a ByColor<Vec<&'static str>>,
    blocked: &'a [&'static str],
    unreachable: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Runs the command.
pub fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let reading = context.position(&arguments.position)?;
    if reading.owed > 0 {
        return run_owed(context, &reading, arguments.turn.as_deref());
    }
    let (rules, position) = (&context.rules, &reading.position);
    let turn = arguments.turn.as_ref().map(|text| parse_turn(rules, text)).transpose()?;
    let inspection = inspect(rules, position, turn.as_ref());
    let legal = !matches!(inspection.judgement, Some(Err(_)));
    match context.json {
        true => {
            let json = inspection.to_json(|turn| format_turn(rules, turn));
            context.output.json(&document(rules, &reading, json))?;
        }
        false => {
            let mut text = draw_board(rules, position) + &description(rules, &inspection);
            if let (Some(turn), Some(judgement)) = (&turn, &inspection.judgement) {
                text += &judged(&format_turn(rules, turn), judgement.as_ref().err());
            }
            context.output.print(&text)?;
        }
    }
    Ok(answer(legal))
}

fn document<T: Serialize>(rules: &Rules, reading: &Reading, inspection: T) -> Document<T> {
    Document {
        rules: rules.name().to_string(),
        position: format_position(rules, &reading.position),
        owed: reading.owed,
        inspection,
    }
}

fn judged(turn: &str, reason: Option<&impl std::fmt::Display>) -> String {
    match reason {
        None => format!("{turn} is legal\n"),
        Some(reason) => format!("{turn} is not legal: {reason}\n"),
    }
}

fn description(rules: &Rules, seen: &Inspection) -> String {
    let mut lines = vec![match (&seen.ending, seen.phase) {
        (Some(ending), _) => format!("game over: {ending}"),
        (None, Phase::Placing) => "placing phase".to_string(),
        (None, _) => "moving phase".to_string(),
    }];
    let flying: Vec<&str> = seen.flying.iter().map(|color| color.title()).collect();
    if !flying.is_empty() {
        lines.push(format!("may fly: {}", flying.join(", ")));
    }
    lines.extend(men_lines(seen));
    let turns: Vec<String> = seen.turns.iter().map(|turn| format_turn(rules, turn)).collect();
    lines.push(format!("{}: {}", counted(turns.len(), "legal turn"), turns.join(" ")));
    lines.extend(unreachable_lines(seen));
    let line = |line: String| line.trim_end_matches([':', ' ']).to_string() + "\n";
    lines.into_iter().map(line).collect()
}

/// Mills, and men who can go nowhere.
fn men_lines(seen: &Inspection) -> Vec<String> {
    let mut lines = Vec::new();
    let mills = [("White", &seen.mills.white), ("Black", &seen.mills.black)];
    for (who, mills) in mills.into_iter().filter(|(_, mills)| !mills.is_empty()) {
        let mills: Vec<String> = mills.iter().map(|mill| mill.join("-")).collect();
        lines.push(format!("{who}'s mills: {}", mills.join(", ")));
    }
    let protected = [("White", &seen.protected.white), ("Black", &seen.protected.black)];
    for (who, men) in protected.into_iter().filter(|(_, men)| !men.is_empty()) {
        lines.push(format!("{who}'s protected men: {}", men.join(" ")));
    }
    if !seen.blocked.is_empty() {
        lines.push(format!("blocked: {}", seen.blocked.join(" ")));
    }
    lines
}

fn unreachable_lines(seen: &Inspection) -> impl Iterator<Item = String> {
    seen.unreachable.iter().map(|proof| format!("no game leads here: {proof}"))
}

/// A position in which the player to move still owes the removal of a turn.
fn run_owed(context: &Context, reading: &Reading, turn: Option<&str>) -> Outcome {
    let (rules, position) = (&context.rules, &reading.position);
    let mut choices = Vec::new();
    rules.for_removal_sets(position.enemy(), usize::from(reading.owed), &mut |removed| {
        choices.push(removed);
    });
    let removed = turn.map(|text| parse_removals(rules, text)).transpose()?;
    let legal = removed.map(|removed| choices.contains(&removed));
    let turns: Vec<String> =
        choices.iter().map(|&set| format_removals(rules.board(), set)).collect();
    let who = position.side.title();
    let owed = if reading.owed == 1 { "a removal" } else { "two removals" };
    let owes = match choices[..] {
        [0] => format!("{who} owes {owed}, and no man may be removed: none"),
        _ => format!("{who} owes {owed}: {}", turns.join(" or ")),
    };
    let seen = inspect_owed(rules, position, usize::from(reading.owed));
    let reason = (legal == Some(false)).then(|| owes.clone());
    match context.json {
        true => {
            let removals = Removals {
                phase: seen.phase,
                flying: [],
                turns,
                mills: &seen.mills,
                protected: &seen.protected,
                blocked: &seen.blocked,
                unreachable: &seen.unreachable,
                legal,
                reason,
            };
            context.output.json(&document(rules, reading, removals))?;
        }
        false => {
            let lines = [vec![owes], men_lines(&seen), unreachable_lines(&seen).collect()].concat();
            let mut text = draw_board(rules, position) + &lines.join("\n") + "\n";
            if let Some(removed) = removed {
                // The word before keeps `none` from being read as "no removal is legal".
                let removal = format!("removal {}", format_removals(rules.board(), removed));
                text += &judged(&removal, reason.as_ref());
            }
            context.output.print(&text)?;
        }
    }
    Ok(answer(legal != Some(false)))
}
