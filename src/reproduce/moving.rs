//! Nine's moving phase: values and sizes of its 49 tables, and the sums that were published.
//!
//! Counts of values come from the heads of files, as `stats` has them; classes a game leads to are
//! counted anew by Gasser's rule, which needs no values and half a minute for all.
//! Invariant: a sum is compared only if every table in it is solved.

use super::facts::{Fact, FactTable};
use super::report::{Figures, Row, Status, Subject};
use super::{Means, names};
use crate::index::{Geometry, Layout, Table, kept_pairs};
use crate::stats::reachable;
use crate::storage::{Counts, StorageError};
use crate::symmetry::line_symmetries;
use std::collections::HashMap;

const RULES: &str = "nine";

/// Classes a game leads to under the 16 symmetries of the board.
const REACHABLE: u64 = 7_673_867_919;

/// The same with 3-3, where everybody flies, under all 48 permutations that keep the mills.
const TAKEDA_HOKI: u64 = 7_673_755_215;

/// What Gasser printed, and how much more that is than anyone can compute.
const GASSER: u64 = 7_673_759_269;
const GASSER_MORE: u64 = 4_054;

/// The rows; none for other rules.
///
/// # Errors
/// A file cannot be read.
pub(super) fn rows(means: &Means) -> Result<Vec<Row>, StorageError> {
    if !names(means.rules(), RULES, "") {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for fact in FactTable::read(&means.facts.nine_moving).facts() {
        rows.push(values_row(&fact, counts(means, table_of(&fact))?.as_ref()));
    }
    let mut counted = Reachable::new(means);
    for fact in FactTable::read(&means.facts.nine_counts).facts() {
        rows.push(sizes_row(means, &fact, &mut counted)?);
    }
    rows.extend(totals(means.geometry, &counted));
    Ok(rows)
}

fn table_of(fact: &Fact) -> Table {
    let (own, enemy) = (fact.number("mover"), fact.number("opponent"));
    Table { own, enemy, own_hand: 0, enemy_hand: 0 }
}

/// The counts of a table; none if it is not solved.
fn counts(means: &Means, table: Table) -> Result<Option<Counts>, StorageError> {
    let file = means.database.unit(table.unit())?;
    let tables = file.iter().flat_map(|file| file.tables());
    let mut infos = tables.filter(|info| info.table == table);
    Ok(infos.next().map(|info| info.counts.clone()))
}

fn values_row(fact: &Fact, counts: Option<&Counts>) -> Row {
    const COLUMNS: [&str; 5] = ["wins", "losses", "draws", "max_win_plies", "max_loss_plies"];
    let figure = |column: &'static str| (column, fact.number::<u64>(column).into());
    let published = Figures(COLUMNS.map(figure).to_vec());
    let table = table_of(fact);
    Row::compare(
        Subject::Values,
        table.to_string(),
        published,
        "eigenraum 2026",
        counts.map(values),
    )
}

/// Where there is no win or no loss, the published depth is 0.
fn values(counts: &Counts) -> Figures {
    let Counts { classes, wins, losses, draws, .. } = *counts;
    let percent = (1000.0 * wins as f64 / classes as f64).round() / 10.0;
    Figures(vec![
        ("wins", wins.into()),
        ("losses", losses.into()),
        ("draws", draws.into()),
        ("max_win_plies", counts.max_win_plies.unwrap_or(0).into()),
        ("max_loss_plies", counts.max_loss_plies.unwrap_or(0).into()),
        ("win_percent", percent.into()),
    ])
}

fn sizes_row(means: &Means, fact: &Fact, reachable: &mut Reachable) -> Result<Row, StorageError> {
    const COLUMNS: [&str; 3] = ["classes", "reachable", "slots"];
    let table = table_of(fact);
    let published = Figures(COLUMNS.map(|c| (c, fact.number::<u64>(c).into())).to_vec());
    let ours = counts(means, table)?.map(|counts| {
        // The published slots have the mover's set canonical, ours the opponent's.
        let slots = Layout::new(means.geometry, table.twin()).slots();
        Figures(vec![
            ("classes", counts.classes.into()),
            ("reachable", reachable.add(table).into()),
            ("slots", slots.into()),
        ])
    });
    reachable.missing |= ours.is_none();
    let source = "Burnside's lemma; Gasser's rule made exact";
    Ok(Row::compare(Subject::Classes, table.to_string(), published, source, ours))
}

/// Classes that a game leads to, added up over tables.
struct Reachable<'a> {
    geometry: &'a Geometry,
    men: u8,
    /// The rule is the same for both players, so each pair of numbers is counted once.
    known: HashMap<(u8, u8), u64>,
    sum: u64,
    missing: bool,
}

impl Reachable<'_> {
    fn new<'a>(means: &Means<'a>) -> Reachable<'a> {
        let (geometry, men) = (means.geometry, means.database.rules().men());
        Reachable { geometry, men, known: HashMap::new(), sum: 0, missing: false }
    }

    fn add(&mut self, table: Table) -> u64 {
        let numbers = (table.own.min(table.enemy), table.own.max(table.enemy));
        let count = || reachable(self.geometry, numbers.0, numbers.1, self.men);
        let classes = *self.known.entry(numbers).or_insert_with(count);
        self.sum += classes;
        classes
    }
}

fn totals(geometry: &Geometry, reachable: &Reachable) -> [Row; 3] {
    let all = (!reachable.missing).then_some(reachable.sum);
    let flying = flying_classes(geometry);
    let fewer = all.map(|sum| sum - reachable.known[&(3, 3)] + flying);
    let figures = |count: u64| Figures(vec![("reachable", count.into())]);
    let row = |what: &str, published, source: &str, ours: Option<u64>| {
        Row::compare(Subject::Totals, what, figures(published), source, ours.map(figures))
    };
    let mut gasser = row("the total Gasser printed", GASSER, "Gasser 1996", fewer);
    if fewer.is_some_and(|fewer| fewer + GASSER_MORE == GASSER) {
        gasser.status = Status::KnownDifference;
        gasser.note = format!("printed {GASSER_MORE} more than can be computed, unexplained");
    }
    [
        row("49 tables, 16 symmetries", REACHABLE, "Gasser's rule made exact", all),
        row("the same, 3-3 under 48", TAKEDA_HOKI, "Takeda & Hoki 2020", fewer)
            .with_note(format!("3-3 has {flying} classes where only mills count")),
        gasser,
    ]
}

/// Classes of 3-3 under the permutations that keep the mills. Gasser's rule drops none of them.
fn flying_classes(geometry: &Geometry) -> u64 {
    let symmetries = line_symmetries(geometry.board());
    let kept: u64 = symmetries.iter().map(|s| kept_pairs(s.image(), 3, 3)).sum();
    kept / symmetries.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn test_classes_where_both_fly() {
        let geometry = Geometry::new(&Rules::named(RULES).unwrap());
        assert_eq!(flying_classes(&geometry), 56_922);
        assert_eq!(TAKEDA_HOKI, REACHABLE - 169_626 + 56_922);
        assert_eq!(GASSER, TAKEDA_HOKI + GASSER_MORE);
    }
}
