//! Whole small games: every position that a game leads to from its start, counted by value.
//!
//! Classes are walked and weighed by the size of their orbits, so that the 42 million positions
//! of six men's morris take seconds and 100 MB. Values are then read in the order of the tables,
//! which decompresses each frame once.
//! Invariant: counts are of positions without symmetry, colours kept apart, as they were published.

use super::classes::{key, orbit, unpack};
use super::facts::{Fact, FactTable};
use super::report::{Figures, Row, Subject};
use super::{Means, if_solved, names};
use crate::index::{Geometry, Layout, Table};
use crate::query::{Query, QueryError};
use crate::rules::{Position, Rules};
use crate::value::Value;
use std::collections::HashSet;

const COLUMNS: [&str; 6] =
    ["reachable", "wins", "losses", "draws", "max_win_plies", "max_loss_plies"];

/// The rows of the small games that are these rules.
///
/// # Errors
/// A file cannot be read.
pub(super) fn rows(means: &Means) -> Result<Vec<Row>, QueryError> {
    let rules = means.rules();
    let mut rows = Vec::new();
    for fact in FactTable::read(&means.facts.small_games).facts() {
        if names(rules, fact.text("rules"), fact.text("options")) {
            rows.push(row(means, &fact)?);
        }
    }
    Ok(rows)
}

fn row(means: &Means, fact: &Fact) -> Result<Row, QueryError> {
    let mut published = vec![("value", fact.text("value").into())];
    if let Some(plies) = fact.number_if_any::<u64>("plies") {
        published.push(("plies", plies.into()));
    }
    published.extend(COLUMNS.map(|column| (column, fact.number::<u64>(column).into())));
    let start = if_solved(means.query.value(&Position::start(means.rules())))?;
    let ours = match start {
        Some(start) => if_solved(count(means.query, means.geometry))?.map(|c| c.figures(start)),
        None => None,
    };
    let what = "the empty board, and all positions a game leads to";
    let source = match fact.text("rules") {
        "six" => "brianhliou/game-solver",
        _ => "recounted from the rules",
    };
    Ok(Row::compare(Subject::WholeGame, what, Figures(published), source, ours))
}

/// Positions by value.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    wins: u64,
    losses: u64,
    draws: u64,
    max_win_plies: u32,
    max_loss_plies: u32,
}

impl Counted {
    fn add(&mut self, value: Value, positions: u64) {
        match value {
            Value::Win(plies) => {
                self.wins += positions;
                self.max_win_plies = self.max_win_plies.max(plies);
            }
            Value::Draw => self.draws += positions,
            Value::Loss(plies) => {
                self.losses += positions;
                self.max_loss_plies = self.max_loss_plies.max(plies);
            }
        }
    }

    fn figures(&self, start: Value) -> Figures {
        Figures(vec![
            ("value", start.name().into()),
            ("plies", start.plies().into()),
            ("reachable", (self.wins + self.losses + self.draws).into()),
            ("wins", self.wins.into()),
            ("losses", self.losses.into()),
            ("draws", self.draws.into()),
            ("max_win_plies", self.max_win_plies.into()),
            ("max_loss_plies", self.max_loss_plies.into()),
        ])
    }
}

fn count(query: &Query, geometry: &Geometry) -> Result<Counted, QueryError> {
    let mut classes = reached(query.rules(), geometry);
    classes.sort_by_cached_key(|&key| {
        let position = unpack(key);
        let table = Table::of(&position);
        (table, Layout::new(geometry, table).slot_of(&position))
    });
    let mut counted = Counted::default();
    for position in classes.into_iter().map(unpack) {
        counted.add(query.value(&position)?, orbit(geometry, &position));
    }
    Ok(counted)
}

/// The classes that a game leads to.
fn reached(rules: &Rules, geometry: &Geometry) -> Vec<u64> {
    let start = key(geometry, &Position::start(rules));
    let mut seen = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(class) = open.pop() {
        let position = unpack(class);
        rules.for_each_turn(&position, &mut |turn| {
            let next = key(geometry, &rules.play(&position, &turn));
            if seen.insert(next) {
                open.push(next);
            }
        });
    }
    seen.into_iter().collect()
}
