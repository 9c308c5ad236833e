//! The records of whole solves in `data/`: what they say of each table is what the index, Burnside's
//! lemma and the published values say.

mod common;

use common::database::by_opponent;
use common::facts::{self, Row};
use merels::index::{Geometry, Layout, Subspace, Table};
use merels::rules::{Color, Rules};
use merels::solve::{plan_game, start_table};
use std::collections::{BTreeMap, BTreeSet};

/// A whole solve on record.
struct Record {
    rules: Rules,
    tables: BTreeMap<Table, Row>,
}

impl Record {
    fn new(rules: &str, text: &'static str) -> Record {
        let table = |row: &Row| {
            let side = if row["to_move"] == "white" { Color::White } else { Color::Black };
            row["subspace"].parse::<Subspace>().unwrap().table(side)
        };
        let tables = facts::rows(text).into_iter().map(|row| (table(&row), row)).collect();
        Record { rules: Rules::parse(rules).unwrap(), tables }
    }

    /// Holds every table of the game against the index, and gives back their slots.
    fn check(&self) -> u64 {
        let geometry = Geometry::new(&self.rules);
        let plan = plan_game(&self.rules).into_iter();
        let planned: BTreeSet<Table> = plan.flat_map(|unit| unit.tables).collect();
        assert!(self.tables.keys().eq(&planned));
        let check = |(&table, row): (&Table, &Row)| {
            let number = |column| facts::number::<u64>(row, column);
            let layout = Layout::new(&geometry, table);
            assert_eq!(layout.classes(), number("classes"), "{table}");
            // Versions before named all rows by the opponent.
            let slots = [layout.slots(), by_opponent(&geometry, table).slots()];
            assert!(slots.contains(&number("slots")), "{table}: {slots:?}");
            let values = number("wins") + number("draws") + number("losses");
            assert_eq!(values, number("classes"), "{table}");
            number("slots")
        };
        self.tables.iter().map(check).sum()
    }

    /// The value of the empty board, and its plies unless it is a draw.
    fn start(&self) -> (&str, &str) {
        let row = &self.tables[&start_table(&self.rules)];
        assert_eq!(row["classes"], "1");
        match (row["wins"], row["draws"], row["losses"]) {
            ("1", "0", "0") => ("win", row["max_win_plies"]),
            ("0", "1", "0") => ("draw", ""),
            ("0", "0", "1") => ("loss", row["max_loss_plies"]),
            other => panic!("one value, not {other:?}"),
        }
    }
}

fn nine() -> Record {
    Record::new("nine", include_str!("../data/nine_solve.csv"))
}

fn noflying() -> Record {
    Record::new("nine-noflying", include_str!("../data/noflying_solve.csv"))
}

fn twelve() -> Record {
    Record::new("twelve", include_str!("../data/twelve_solve.csv"))
}

fn lasker() -> Record {
    Record::new("lasker", include_str!("../data/lasker_solve.csv"))
}

fn ten() -> Record {
    Record::new("nine+men=10", include_str!("../data/ten_solve.csv"))
}

fn eleven() -> Record {
    Record::new("nine+men=11", include_str!("../data/eleven_solve.csv"))
}

fn nine_with_twelve() -> Record {
    Record::new("nine+men=12", include_str!("../data/nine12_solve.csv"))
}

#[test]
fn test_every_table_of_a_game_is_recorded_with_all_its_classes() {
    assert_eq!(nine().check(), 27_832_565_374);
    assert_eq!(noflying().check(), 27_832_565_374);
    assert_eq!(twelve().check(), 115_382_834_378);
    assert_eq!(lasker().check(), 139_107_401_592);
    assert_eq!(ten().check(), 52_065_355_506);
    assert_eq!(eleven().check(), 82_200_792_166);
    assert_eq!(nine_with_twelve().check(), 115_773_652_500);
}

#[test]
fn test_the_recorded_moving_phase_is_the_published_one() {
    let record = nine().tables;
    let published = facts::rows(include_str!("../data/nine_moving.csv"));
    assert_eq!(published.len(), 49);
    for row in published {
        let men = |column| facts::number::<u8>(&row, column);
        let table = Table { own: men("mover"), enemy: men("opponent"), own_hand: 0, enemy_hand: 0 };
        for column in ["wins", "draws", "losses"] {
            assert_eq!(record[&table][column], row[column], "{table}");
        }
        for column in ["max_win_plies", "max_loss_plies"] {
            // No such depth is 0 there and empty here.
            let none = |text: &'static str| if text.is_empty() { "0" } else { text };
            assert_eq!(none(record[&table][column]), none(row[column]), "{table} {column}");
        }
    }
}

/// With more men or fewer, or with moves while men are in hand: once they are all placed, nothing differs.
#[test]
fn test_moving_phases_that_play_alike_have_the_same_values() {
    let (nine, ten, lasker) = (nine().tables, ten().tables, lasker().tables);
    let (eleven, twelve) = (eleven().tables, nine_with_twelve().tables);
    let columns = ["slots", "wins", "draws", "losses", "max_win_plies", "max_loss_plies"];
    let pairs = [
        (&nine, &ten, 49),
        (&nine, &lasker, 49),
        (&ten, &lasker, 64),
        (&nine, &eleven, 49),
        (&ten, &eleven, 64),
        (&eleven, &twelve, 81),
    ];
    for (one, other, shared) in pairs {
        let moving = one.keys().filter(|table| table.hands() == 0 && other.contains_key(table));
        let same = |table: &&Table| columns.iter().all(|c| one[*table][*c] == other[*table][*c]);
        assert_eq!(moving.filter(same).count(), shared);
    }
}

/// Gasser (1996) for nine; Gevay and Danner (2014) for lasker and, under the name morabaraba, twelve;
/// jh85/smallgames (2026) for nine with ten men.
#[test]
fn test_the_recorded_games_have_the_published_values() {
    assert_eq!(nine().start(), ("draw", ""));
    assert_eq!(twelve().start(), ("win", "49"));
    assert_eq!(lasker().start(), ("draw", ""));
    assert_eq!(ten().start(), ("draw", ""));
}

/// Neither is published. A search over the moving phase alone comes to the same for eleven men; for
/// twelve there is the solve only, and its values verified in samples.
#[test]
fn test_the_recorded_games_have_the_values_found_here() {
    assert_eq!(eleven().start(), ("loss", "44"));
    assert_eq!(nine_with_twelve().start(), ("draw", ""));
}
