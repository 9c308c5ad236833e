//! Perft against published counts, one route against the other, and forward against backward.

mod common;

use common::automorphisms::{automorphisms, image_of_position};
use common::by_name::position;
use common::facts::{Row, number, rows};
use common::samples::{any_position, any_rules};
use merels::perft::{perft, perft_classes};
use merels::rules::{Color, Position, Rules};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const OPENING_COUNTS: &str = include_str!("../data/opening_counts.csv");

/// Published rows for plies 1 to `depth`.
fn published(depth: u32) -> Vec<Row> {
    let wanted = |row: &Row| (1..=depth).contains(&number(row, "ply"));
    rows(OPENING_COUNTS).into_iter().filter(wanted).collect()
}

fn check_sequences(depth: u32) {
    let rules = Rules::named("nine").unwrap();
    let start = Position::start(&rules);
    assert_eq!(perft(&rules, &start, 0), 1);
    for row in published(depth) {
        assert_eq!(
            perft(&rules, &start, number(&row, "ply")),
            number(&row, "sequences"),
            "{row:?}"
        );
    }
}

fn check_classes(depth: u32) {
    let rules = Rules::named("nine").unwrap();
    let group = automorphisms(rules.board());
    let ours = perft_classes(&rules, &Position::start(&rules), depth, &group);
    assert_eq!(ours.len(), published(depth).len());
    for (row, published) in ours.iter().zip(published(depth)) {
        assert_eq!(row.ply, number::<u32>(&published, "ply"));
        assert_eq!(row.sequences, number::<u128>(&published, "sequences"), "{published:?}");
        assert_eq!(row.positions, number::<u64>(&published, "positions"), "{published:?}");
        assert_eq!(row.classes, number::<u64>(&published, "classes"), "{published:?}");
    }
}

#[test]
fn test_opening_of_nine_as_published() {
    check_sequences(5);
    check_classes(6);
}

#[test]
#[ignore = "walks 34 billion sequences, 154 CPU seconds; run with: cargo test --release --test perft deep_sequences -- --ignored"]
fn test_deep_sequences_of_nine_as_published() {
    check_sequences(8);
}

#[test]
#[ignore = "3 million classes, 13 CPU seconds and 0.9 GB; run with: cargo test --release --test perft deep_classes -- --ignored"]
fn test_deep_classes_of_nine_as_published() {
    check_classes(8);
}

/// Positions just before the moving phase, each with what makes it awkward.
fn boundary(rules: &Rules) -> Vec<(&'static str, Position)> {
    use Color::{Black, White};
    let at = |white, black, hand, side| position(rules, white, black, hand, side);
    vec![
        (
            "the 17th placement may close a mill",
            at("a1 a4 d2 f4 g7", "b2 b4 c5 d6 e3 f6 g4 g1", [1, 1], White),
        ),
        (
            "the 18th placement may close a mill",
            at("a1 a4 d2 f4 g7 d5", "b2 b4 c5 d7 g4", [0, 1], Black),
        ),
        (
            "a mill may be closed while all enemy men stand in mills",
            at("a1 a4 d2 f4", "b2 b4 b6 d6 f6", [1, 1], White),
        ),
        ("both mills closed by one placement", at("a1 a4 d7 g7", "b2 b4 b6 c3 e3", [2, 2], White)),
        (
            "a player may be blocked right after placing",
            at("a4 b4 c3 d2 d6 d7 e3 e5", "a1 a7 b2 b6 c4 c5 d1 d3 d5", [1, 0], White),
        ),
        (
            "a player may be down to two men, or fly, right after placing",
            at("a1 a4 g1", "b2 d6 f4", [1, 0], White),
        ),
    ]
}

/// Under these rules; the fourth has three men placed and moved at once.
fn rule_sets() -> Vec<Rules> {
    let options: [&[&str]; 4] = [
        &[],
        &["double-mill=two"],
        &["protected=always", "no-move=draws"],
        &["place-or-move=yes", "flying=at-three-total"],
    ];
    options.iter().map(|options| Rules::with_options("nine", options).unwrap()).collect()
}

/// The number of sequences per ply, found by taking turns back: every position of a ply asks its
/// unmoves how often the ply before reached where they come from. On the way, every edge found
/// forward must be found backward, and every edge backward from a known position forward.
fn counts_by_unmoves(rules: &Rules, start: &Position, depth: u32) -> Vec<u128> {
    let mut level = HashMap::from([(*start, 1_u128)]);
    let counts = (0..depth).map(|_| {
        let mut forward = HashSet::new();
        let mut reached = HashSet::new();
        for before in level.keys() {
            for turn in rules.turns(before) {
                let after = rules.play(before, &turn);
                assert!(forward.insert((*before, turn, after)), "each turn is listed once");
                reached.insert(after);
            }
        }
        let mut backward = HashSet::new();
        let mut next = HashMap::new();
        for after in reached {
            for (before, turn) in rules.unmoves(&after) {
                if let Some(sequences) = level.get(&before) {
                    assert!(backward.insert((before, turn, after)), "each unmove is listed once");
                    *next.entry(after).or_default() += sequences;
                }
            }
        }
        assert_eq!(forward, backward);
        level = next;
        level.values().sum()
    });
    counts.collect()
}

#[test]
fn test_three_routes_agree_across_the_phase_boundary() {
    for rules in rule_sets() {
        let group = automorphisms(rules.board());
        for (what, start) in boundary(&rules) {
            let walked: Vec<u128> = (1..=4).map(|depth| perft(&rules, &start, depth)).collect();
            let merged = perft_classes(&rules, &start, 4, &group);
            let merged: Vec<u128> = merged.iter().map(|row| row.sequences).collect();
            assert_eq!(walked, merged, "{rules}: {what}");
            assert_eq!(walked[..2], counts_by_unmoves(&rules, &start, 2), "{rules}: {what}");
        }
    }
}

/// The awkward things do happen in these positions, or the test above tests little.
#[test]
fn test_boundary_positions_hold_what_they_promise() {
    let rules = Rules::named("nine").unwrap();
    let starts = boundary(&rules);
    let after = |index: usize| -> Vec<Position> {
        let start: &Position = &starts[index].1;
        rules.turns(start).iter().map(|turn| rules.play(start, turn)).collect()
    };
    let removing = |index: usize| {
        let start: &Position = &starts[index].1;
        rules.turns(start).iter().filter(|turn| turn.removed != 0).count()
    };
    assert_eq!(removing(0), 8);
    assert_eq!(removing(1), 6);
    assert_eq!(removing(2), 5, "all in mills, so any of the five");
    assert_eq!(removing(3), 2, "two mills, and still one man: c3 or e3");
    assert!(after(4).iter().any(|position| rules.turns(position).is_empty()));
    assert!(after(5).iter().any(|position| position.total(Color::Black) == 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// From any position, lopsided or not, classes cover exactly the positions reached.
    #[test]
    fn test_classes_cover_the_positions_reached(
        (rules, start) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        let group = automorphisms(rules.board());
        let fixing: Vec<_> =
            group.iter().filter(|images| image_of_position(images, &start) == start).collect();
        let mut reached = HashSet::from([start]);
        for row in perft_classes(&rules, &start, 2, &group) {
            reached = reached
                .iter()
                .flat_map(|before| {
                    let turns = rules.turns(before);
                    turns.into_iter().map(|turn| rules.play(before, &turn)).collect::<Vec<_>>()
                })
                .collect();
            let least = |position: &Position| {
                fixing.iter().map(|images| image_of_position(images, position)).min()
            };
            let classes: HashSet<_> = reached.iter().map(least).collect();
            prop_assert_eq!(row.sequences, perft(&rules, &start, row.ply));
            prop_assert_eq!(row.positions, reached.len() as u64);
            prop_assert_eq!(row.classes, classes.len() as u64);
        }
    }

    /// Every turn is an unmove of where it leads, from any position.
    #[test]
    fn test_turns_and_unmoves_are_inverse(
        (rules, start) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        counts_by_unmoves(&rules, &start, 1);
    }
}
