//! The index of nine men's morris: every slot is a position and every position its slot.
//!
//! Sizes are held against published and Burnside counts for all 49 tables; the way from slot to
//! position and back is walked over whole tables up to 5-5, and over a sample above.

mod common;

use common::facts;
use merels::index::{Geometry, Layout, Table};
use merels::rules::{Color, Rules};
use rayon::prelude::*;

fn geometry() -> Geometry {
    Geometry::new(&Rules::named("nine").unwrap())
}

fn table(own: u8, enemy: u8) -> Table {
    Table { own, enemy, own_hand: 0, enemy_hand: 0 }
}

/// Walks every `step`-th slot to its position and back, for either colour to move.
fn check_round_trip(layout: &Layout, step: u64) {
    let slots = layout.slots().div_ceil(step);
    (0..slots).into_par_iter().map(|i| i * step).for_each(|slot| {
        for side in [Color::White, Color::Black] {
            let position = layout.position(slot, side);
            assert_eq!(Table::of(&position), layout.table());
            assert_eq!(layout.slot_of(&position), slot);
        }
    });
}

#[test]
fn test_whole_tables_up_to_five_men_go_to_positions_and_back() {
    let geometry = geometry();
    for (own, enemy) in (3..=5).flat_map(|own| (3..=5).map(move |enemy| (own, enemy))) {
        check_round_trip(&Layout::new(&geometry, table(own, enemy)), 1);
    }
}

#[test]
fn test_samples_of_larger_tables_go_to_positions_and_back() {
    let geometry = geometry();
    for (own, enemy) in (3..=9).flat_map(|own| (3..=9).map(move |enemy| (own, enemy))) {
        // A prime, so that all ranks are met; about 50,000 slots of the largest tables.
        check_round_trip(&Layout::new(&geometry, table(own, enemy)), 12_007);
    }
}

#[test]
fn test_each_class_has_one_least_slot() {
    let geometry = geometry();
    for (own, enemy) in [(3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (4, 5)] {
        let layout = Layout::new(&geometry, table(own, enemy));
        let least =
            (0..layout.slots()).into_par_iter().filter(|&slot| layout.is_least(slot)).count();
        assert_eq!(least as u64, layout.classes(), "{own}-{enemy}");
    }
}

#[test]
fn test_sizes_of_all_49_tables_are_the_published_ones() {
    let geometry = geometry();
    let rows = facts::rows(include_str!("../data/nine_counts.csv"));
    assert_eq!(rows.len(), 49);
    let mut total = (0, 0);
    for row in &rows {
        let number = |column| facts::number::<u64>(row, column);
        let (mover, opponent) = (number("mover") as u8, number("opponent") as u8);
        assert_eq!(Layout::new(&geometry, table(mover, opponent)).classes(), number("classes"));
        // The published slots reduce the mover's set; our rows reduce the enemy's.
        let mirrored = Layout::new(&geometry, table(opponent, mover));
        assert_eq!(mirrored.slots(), number("slots"), "{mover}-{opponent}");
        total = (total.0 + number("classes"), total.1 + number("slots"));
    }
    assert_eq!(total, (8_904_593_601, 9_193_626_407));
}
