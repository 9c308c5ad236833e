//! The two ways to recompute against each other, on tables of random codes.
//!
//! No game has such values, so that a turn left out, taken twice or read from the wrong place shows
//! in nearly every slot; both ways must agree on any codes, not only on true ones.

#[path = "../../tests/common/grid.rs"]
mod grid;

use super::load::{ByTurn, Codes, Stored, Tables, successors};
use super::next::Next;
use super::plain::Plain;
use super::row::Rows;
use crate::index::{Geometry, Layout, Subspace, Table};
use crate::rules::{Color, Rules};
use crate::storage::Metric;
use crate::value::Code;
use grid::Grid;
use std::sync::Arc;

/// Codes that stand for values, without order.
fn random_codes<C: Code>(table: Table, slots: u64) -> Vec<C> {
    let seed = [table.own, table.enemy, table.own_hand, table.enemy_hand];
    let mut state = u64::from(u32::from_le_bytes(seed)) << 20 | 1;
    let mut next = || loop {
        // An xorshift generator; any other would do.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let code = C::of((state >> 40) as u32 % (2 * C::DRAW.number()));
        if code.is_value() {
            return code;
        }
    };
    (0..slots).map(|_| next()).collect()
}

fn tables<'g>(
    rules: &Rules,
    metric: Metric,
    geometry: &'g Geometry,
    table: Table,
    codes: &dyn Fn(Table, u64) -> Codes,
) -> Tables<'g> {
    let stored = |table: Table| {
        let layout = Layout::new(geometry, table);
        Arc::new(Stored { layout, codes: codes(table, layout.slots()), metric })
    };
    let successors = successors(rules, table).map(|kind| kind.map(|next| Some(stored(next?))));
    Tables { checked: stored(table), successors }
}

/// Both ways on `most` rows of a table, spread evenly; returns how many slots were compared.
fn check_rows<C: Code>(rules: &Rules, tables: &Tables, most: usize) -> usize {
    let layout = tables.checked.layout;
    let codes: ByTurn<_> = tables.successors.each_ref().map(|kind| {
        kind.each_ref().map(|next| next.as_ref().map(|next| next.codes.of_width::<C>()))
    });
    let next = [0, 1].map(|kind: usize| {
        [0, 1, 2].map(|removed: usize| {
            let layout = tables.successors[kind][removed].as_ref()?.layout;
            Some(Next { layout, codes: codes[kind][removed].as_deref()? })
        })
    });
    let fast = Rows::new(rules, layout, tables.metric(), next);
    let plain = Plain::new(rules, tables);
    let (mut desk, mut places) = (fast.desk(), Vec::new());
    let number = layout.rows().min(most);
    for row in (0..number).map(|i| i * layout.rows() / number) {
        for (rank, &code) in fast.recompute(row, &mut desk).iter().enumerate() {
            let slot = (row * layout.row_len() + rank) as u64;
            let position = layout.position(slot, Color::White);
            let expected = plain.recompute(&position, &mut places);
            // Depths beyond the code's range have no value, but a code.
            let expected = expected.plies().map_or(C::DRAW, C::decided);
            assert_eq!(code, expected, "{} {} {position:?}", rules.name(), layout.table());
        }
    }
    number * layout.row_len()
}

fn check_table(rules: &Rules, geometry: &Geometry, name: &str, most: usize) -> usize {
    let subspace: Subspace = name.parse().unwrap();
    let narrow = |table, slots| Codes::of(&random_codes::<u8>(table, slots));
    let check = |side, metric| {
        let tables = tables(rules, metric, geometry, subspace.table(side), &narrow);
        check_rows::<u8>(rules, &tables, most)
    };
    let both = |metric| check(Color::White, metric) + check(Color::Black, metric);
    both(Metric::Depth) + both(Metric::Conversion)
}

fn check_grid(grid: &Grid, names: &[&str], most: usize) {
    let mut slots = 0;
    for rules in grid.cases() {
        let geometry = Geometry::new(&rules);
        slots += names.iter().map(|name| check_table(&rules, &geometry, name, most)).sum::<usize>();
    }
    assert!(slots > 100_000);
}

#[test]
fn test_rows_agree_with_turns_on_nine_points() {
    let names = ["0-0+4+4", "2-1+1+2", "3-3", "4-4", "3-2+0+1", "4-3+0+1", "1-4+2+0"];
    check_grid(&Grid::new("three", &[]).men(4).take(200), &names, usize::MAX);
}

#[test]
fn test_rows_agree_with_turns_on_sixteen_points() {
    let names = ["4-3", "4-4", "3-3+1+0", "2-3+2+1", "5-2+0+2"];
    check_grid(&Grid::new("six", &["diagonals=no"]).men(5).take(48), &names, 30);
}

#[test]
fn test_rows_agree_with_turns_on_twenty_four_points() {
    check_grid(&Grid::new("nine", &[]).men(9).take(6), &["5-3", "4-4+1+1", "3-5+1+2"], 4);
}

#[test]
fn test_rows_agree_with_turns_on_full_boards() {
    for options in [&["men=8"][..], &["men=8", "place-or-move=yes", "full-board=loses"]] {
        let rules = Rules::with_options("six", options).unwrap();
        let geometry = Geometry::new(&rules);
        for name in ["8-8", "8-7+0+1", "8-7", "1-8+1+0", "1-1+7+7", "8-2+0+0"] {
            check_table(&rules, &geometry, name, 20);
        }
    }
}

#[test]
fn test_rows_agree_with_turns_where_widths_differ() {
    let rules = Rules::with_options("six", &["double-mill=two"]).unwrap();
    let geometry = Geometry::new(&rules);
    let table = "5-4+1+0".parse::<Subspace>().unwrap().table(Color::White);
    let mixed = |at: Table, slots: u64| match at.enemy {
        6 => Codes::of(&random_codes::<u8>(at, slots)),
        _ => Codes::of(&random_codes::<u16>(at, slots)),
    };
    for metric in [Metric::Depth, Metric::Conversion] {
        let tables = tables(&rules, metric, &geometry, table, &mixed);
        assert!(!tables.are_narrow());
        assert!(check_rows::<u16>(&rules, &tables, 40) > 10_000);
    }
}
