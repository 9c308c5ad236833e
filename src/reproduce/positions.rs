//! Single positions: the published ones, and the opening from the empty board.
//!
//! Invariant: values of turns are for the player who makes them.

use super::classes::key;
use super::facts::{Fact, FactTable, pair};
use super::opening::OpeningReport;
use super::report::{Figures, Row, Subject};
use super::{Means, if_solved, names, value_figures};
use crate::notation::format_turn;
use crate::query::QueryError;
use crate::rules::{Color, Mask, Position, Rules, Turn};
use crate::value::Value;
use std::collections::HashSet;

/// A row for every published position of the rules.
///
/// # Errors
/// A file cannot be read.
pub(super) fn published(means: &Means) -> Result<Vec<Row>, QueryError> {
    let mut rows = Vec::new();
    for fact in FactTable::read(&means.facts.positions).facts() {
        if is_of(means.rules(), &fact) {
            let value = means.query.value(&position_of(means.rules(), &fact));
            let ours = if_solved(value)?.map(value_figures);
            let source = fact.text("source");
            let row = Row::compare(Subject::Positions, what(&fact), figures(&fact), source, ours);
            rows.push(row.with_note(fact.text("note")));
        }
    }
    Ok(rows)
}

pub(super) fn is_of(rules: &Rules, fact: &Fact) -> bool {
    let name = fact.text("rules");
    let (name, options) = name.split_once(' ').unwrap_or((name, ""));
    names(rules, name, options)
}

/// The position in words.
pub(super) fn what(fact: &Fact) -> String {
    format!("{} {}, {} to move", men_text(fact), hand(fact), fact.text("to_move"))
}

/// The men on the board, by the names of their points.
fn men_text(fact: &Fact) -> String {
    match (fact.text("white"), fact.text("black")) {
        ("", "") => "the empty board,".to_string(),
        (white, black) => format!("White {white}, Black {black},"),
    }
}

fn hand(fact: &Fact) -> String {
    format!("{} in hand", fact.text("hand"))
}

pub(super) fn figures(fact: &Fact) -> Figures {
    let mut figures = vec![("value", fact.text("value").into())];
    if let Some(plies) = fact.number_if_any::<u64>("plies") {
        figures.push(("plies", plies.into()));
    }
    Figures(figures)
}

pub(super) fn position_of(rules: &Rules, fact: &Fact) -> Position {
    let point = |name: &str| rules.board().point(name).expect("a point of the board");
    let men = |names: &str| -> Mask {
        names.split_whitespace().fold(0, |men, name| men | 1 << point(name))
    };
    Position {
        men: [men(fact.text("white")), men(fact.text("black"))],
        hand: pair(fact.text("hand")),
        side: if fact.text("to_move") == "white" { Color::White } else { Color::Black },
    }
}

/// Rows for the empty board, the first turns and the replies to them, one of each class.
///
/// # Errors
/// A file cannot be read.
pub(super) fn opening(means: &Means) -> Result<Vec<Row>, QueryError> {
    let rules = means.rules();
    let start = Position::start(rules);
    let value = if_solved(means.query.value(&start))?;
    let mut rows = vec![alone("the empty board".to_string(), value)];
    for (turn, after) in classes_of_turns(means, &start) {
        let first = format_turn(rules, &turn);
        let value = if_solved(means.query.value(&after))?;
        rows.push(alone(format!("first turn {first}"), value.map(Value::from_successor)));
        // Rows for replies would say nothing more about a game that is not solved.
        if value.is_none() {
            continue;
        }
        for (reply, next) in classes_of_turns(means, &after) {
            let value = if_solved(means.query.value(&next))?.map(Value::from_successor);
            rows.push(alone(format!("{first}, reply {}", format_turn(rules, &reply)), value));
        }
    }
    Ok(rows)
}

fn alone(what: String, value: Option<Value>) -> Row {
    Row::alone(Subject::Opening, what, value.map(value_figures))
}

/// The first turn to each class of positions, with the position.
fn classes_of_turns(means: &Means, position: &Position) -> Vec<(Turn, Position)> {
    let mut seen = HashSet::new();
    let turns = means.rules().turns(position).into_iter();
    let played = turns.map(|turn| (turn, means.rules().play(position, &turn)));
    played.filter(|(_, next)| seen.insert(key(means.geometry, next))).collect()
}

/// Rows that hold the search's result against the published values of the empty board and, if
/// it is solved, against ours.
///
/// # Errors
/// A file cannot be read.
pub(super) fn searched(means: &Means, search: &OpeningReport) -> Result<Vec<Row>, QueryError> {
    let start = Position::start(means.rules());
    let found = || Some(Figures(vec![("value", search.value.into())]));
    let what = "the empty board, searched over the moving phase alone";
    let mut rows = Vec::new();
    for (source, value) in published_starts(means, &start) {
        let published = Figures(vec![("value", value.into())]);
        rows.push(Row::compare(Subject::Search, what, published, source, found()));
    }
    if let Some(value) = if_solved(means.query.value(&start))? {
        let stored = Figures(vec![("value", value.name().into())]);
        rows.push(Row::compare(Subject::Search, what, stored, "this database", found()));
    }
    if rows.is_empty() {
        rows.push(Row::alone(Subject::Search, what, found()));
    }
    Ok(rows)
}

/// Sources and values of the empty board.
fn published_starts(means: &Means, start: &Position) -> Vec<(String, String)> {
    let (rules, facts) = (means.rules(), means.facts);
    let mut starts = Vec::new();
    for fact in FactTable::read(&facts.positions).facts() {
        if is_of(rules, &fact) && position_of(rules, &fact) == *start {
            starts.push((fact.text("source").to_string(), fact.text("value").to_string()));
        }
    }
    for fact in FactTable::read(&facts.small_games).facts() {
        if names(rules, fact.text("rules"), fact.text("options")) {
            starts.push(("small games".to_string(), fact.text("value").to_string()));
        }
    }
    starts
}
