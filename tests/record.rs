//! The record of the whole solve of nine men's morris in `data/`: what it says of each table is what
//! the index, Burnside's lemma and the published values say.

mod common;

use common::facts::{self, Row};
use merels::index::{Geometry, Layout, Subspace, Table};
use merels::rules::{Color, Rules};
use merels::solve::plan_game;
use std::collections::{BTreeMap, BTreeSet};

/// The recorded tables.
fn record() -> BTreeMap<Table, Row> {
    let table = |row: &Row| {
        let side = if row["to_move"] == "white" { Color::White } else { Color::Black };
        row["subspace"].parse::<Subspace>().unwrap().table(side)
    };
    let rows = facts::rows(include_str!("../data/nine_solve.csv"));
    rows.into_iter().map(|row| (table(&row), row)).collect()
}

#[test]
fn test_every_table_of_the_game_is_recorded_with_all_its_classes() {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(rules.board());
    let record = record();
    let planned: BTreeSet<Table> = plan_game(&rules).into_iter().flat_map(|p| p.tables).collect();
    assert!(record.keys().eq(&planned));
    let mut slots = 0;
    for (&table, row) in &record {
        let number = |column| facts::number::<u64>(row, column);
        let layout = Layout::new(&geometry, table);
        assert_eq!((layout.slots(), layout.classes()), (number("slots"), number("classes")));
        let values = number("wins") + number("draws") + number("losses");
        assert_eq!(values, number("classes"), "{table}");
        slots += number("slots");
    }
    assert_eq!(slots, 27_685_594_944);
}

#[test]
fn test_the_recorded_moving_phase_is_the_published_one() {
    let record = record();
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

#[test]
fn test_the_recorded_game_is_a_draw() {
    let start = Table { own: 0, enemy: 0, own_hand: 9, enemy_hand: 9 };
    let row = &record()[&start];
    assert_eq!((row["classes"], row["draws"]), ("1", "1"));
}
