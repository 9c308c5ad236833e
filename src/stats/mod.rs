//! What finished tables hold: rows of counts, as data, text and a plot; and the values of all starts.
//!
//! Counts are read from file headers alone, so the whole game's statistics cost a few milliseconds; `verify`
//! is what makes sure of them. Counts are over position classes, as the literature counts.
//! Invariant: a unit's rows are named by its first table; `white` is that table's mover.

mod plot;
mod reachable;
mod starts;

pub use plot::histogram_svg;
pub use reachable::reachable;
pub use starts::{Start, starts};

use crate::index::Unit;
use crate::storage::{Database, StorageError, TableInfo, UnitFile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of one table, as given out in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The unit's subspace.
    pub subspace: String,
    /// "white" or "black".
    pub to_move: String,
    /// Position classes.
    pub classes: u64,
    /// Slots, some of which repeat a class.
    pub slots: u64,
    /// Classes won for the side to move.
    pub wins: u64,
    /// Drawn ones.
    pub draws: u64,
    /// Lost ones.
    pub losses: u64,
    /// Depth of the longest win.
    pub max_win_plies: Option<u32>,
    /// Depth of the longest loss.
    pub max_loss_plies: Option<u32>,
    /// Classes by depth in plies, even for losses and odd for wins, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// Classes by depth in plies; depths without any are left out.
pub type Histogram = BTreeMap<u32, u64>;

/// The rows of all tables of `units`.
///
/// # Errors
/// A unit is not solved, or its file cannot be opened.
pub fn rows(
    database: &Database,
    units: &[Unit],
    with_histogram: bool,
) -> Result<Vec<Row>, StorageError> {
    let mut rows = Vec::new();
    for &unit in units {
        let missing = || database.not_solved(unit.subspace());
        let file = database.unit(unit)?.ok_or_else(missing)?;
        rows.extend(rows_of(&file, with_histogram));
    }
    Ok(rows)
}

/// The rows of one file.
pub fn rows_of(file: &UnitFile, with_histogram: bool) -> Vec<Row> {
    file.tables().iter().map(|info| row(info, with_histogram)).collect()
}

fn row(info: &TableInfo, with_histogram: bool) -> Row {
    let TableInfo { table, layout, counts } = info;
    let unit = table.unit();
    let by_depth = || (0..).zip(counts.histogram.iter().copied()).filter(|(_, n)| *n > 0).collect();
    Row {
        subspace: unit.to_string(),
        to_move: if *table == unit.first() { "white" } else { "black" }.to_string(),
        classes: counts.classes,
        slots: layout.slots(),
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        max_win_plies: counts.max_win_plies,
        max_loss_plies: counts.max_loss_plies,
        histogram: with_histogram.then(by_depth),
    }
}

/// The histograms of all rows, added up.
pub fn total_histogram(rows: &[Row]) -> Histogram {
    let mut total = Histogram::new();
    for (&plies, &classes) in rows.iter().filter_map(|row| row.histogram.as_ref()).flatten() {
        *total.entry(plies).or_default() += classes;
    }
    total
}

const TITLES: [&str; 9] = [
    "subspace",
    "to move",
    "classes",
    "slots",
    "wins",
    "draws",
    "losses",
    "longest win",
    "longest loss",
];

/// The rows as text, in columns under a line of titles. Histograms are not shown.
pub fn text_table(rows: &[Row]) -> String {
    let titles = TITLES.map(str::to_string);
    let lines: Vec<_> = std::iter::once(titles).chain(rows.iter().map(fields)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    let text = |line: &[String; 9]| {
        let padded = line.iter().zip(&widths).enumerate().map(|(column, (field, &width))| {
            // Names begin on the left, numbers end on the right.
            if column < 2 { format!("{field:<width$}") } else { format!("{field:>width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    lines.iter().map(text).collect()
}

fn fields(row: &Row) -> [String; 9] {
    let depth = |plies: Option<u32>| plies.map_or("-".to_string(), |plies| plies.to_string());
    [
        row.subspace.clone(),
        row.to_move.clone(),
        row.classes.to_string(),
        row.slots.to_string(),
        row.wins.to_string(),
        row.draws.to_string(),
        row.losses.to_string(),
        depth(row.max_win_plies),
        depth(row.max_loss_plies),
    ]
}
