//! The arbiter agrees with the list of legal turns, and says what a player needs to hear.

mod common;

use common::by_name::{mask, position};
use common::samples::{any_position, any_rules};
use merels::rules::{Board, Color, Mask, Point, Position, Rules, Turn};
use proptest::prelude::*;
use std::collections::HashSet;

/// Every `from` and `to`, one point off the board included.
fn ends(board: &Board) -> impl Iterator<Item = (Option<Point>, Point)> + '_ {
    let points = 0..=board.points() as Point;
    let origins = points.clone().map(Some).chain([None]);
    origins.flat_map(move |from| points.clone().map(move |to| (from, to)))
}

/// Removal sets: nothing, every single point (one off the board), pairs, some triples.
fn removals(board: &Board) -> Vec<Mask> {
    let points = board.points();
    let singles = (0..=points).map(|a| 1 << a);
    let pairs = (0..points).flat_map(|a| (0..a).map(move |b| 1 << a | 1 << b));
    [0].into_iter().chain(singles).chain(pairs).chain(board.lines().iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn test_a_reason_exists_exactly_for_turns_not_listed(
        (rules, position) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        prop_assert_eq!(position.check(&rules), Ok(()));
        let legal: HashSet<Turn> = rules.turns(&position).into_iter().collect();
        let removals = removals(rules.board());
        let mut met = 0;
        for (from, to) in ends(rules.board()) {
            for &removed in &removals {
                let turn = Turn { from, to, removed };
                let reason = rules.why_not(&position, &turn);
                met += usize::from(reason.is_none());
                prop_assert_eq!(reason.is_none(), legal.contains(&turn), "{:?}: {:?}", turn, reason);
            }
        }
        prop_assert_eq!(met, legal.len(), "every legal turn was among those tried");
        prop_assert_eq!(rules.why_over(&position).is_some(), legal.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn test_removals_alone_are_refused_exactly_if_they_complete_no_turn(
        (rules, position) in any_rules().prop_flat_map(|rules| {
            let position = any_position(&rules);
            (Just(rules), position)
        })
    ) {
        for owed in 0..=rules.most_removals() {
            let mut legal = HashSet::new();
            rules.for_removal_sets(position.enemy(), owed, &mut |set| { legal.insert(set); });
            for removed in removals(rules.board()) {
                let reason = rules.why_not_removal(&position, owed, removed);
                prop_assert_eq!(reason.is_none(), legal.contains(&removed), "{}: {:?}", owed, reason);
            }
        }
    }
}

/// A position whose refusals are read.
struct Case<'a> {
    rules: &'a Rules,
    position: Position,
}

impl<'a> Case<'a> {
    fn new(rules: &'a Rules, white: &str, black: &str, hand: [u8; 2], side: Color) -> Case<'a> {
        let position = position(rules, white, black, hand, side);
        Case { rules, position }
    }

    fn says(&self, from: &str, to: &str, removed: &str, expected: &str) {
        let point = |name: &str| self.rules.board().point(name);
        let turn =
            Turn { from: point(from), to: point(to).unwrap(), removed: mask(self.rules, removed) };
        let reason = self.rules.why_not(&self.position, &turn).expect("an illegal turn");
        assert_eq!(reason.to_string(), expected);
    }
}

#[test]
fn test_placing_and_moving_messages() {
    let nine = Rules::named("nine").unwrap();
    let placing = Case::new(&nine, "a1 a4", "b4 b6", [4, 4], Color::White);
    placing.says("", "b4", "", "b4 is occupied by a Black man");
    placing.says("", "a1", "", "a1 is occupied by a White man");
    placing.says("a1", "d1", "", "White must place: 4 men still in hand");
    placing.says("b4", "c4", "", "the man on b4 is Black's, and it is White's turn");
    placing.says("c3", "c4", "", "c3 is empty: there is no man to move");
    placing.says("", "d1", "b4", "no mill is closed on d1, so no man is removed (b4 was named)");
    placing.says("", "a7", "", "the turn closes the mill a1 a4 a7 and must remove one of b4, b6");
    placing.says("", "a7", "b2", "b2 is empty then: there is no man to remove");
    placing.says("", "a7", "a4", "the man on a4 is White's own and cannot be removed by White");
    placing.says(
        "",
        "a7",
        "b4 b6",
        "the turn closes the mill a1 a4 a7 and removes 1 man, not 2 (b4, b6)",
    );
    let moving = Case::new(&nine, "a1 a4 d1 d2 g7", "b4 b6 b2", [0, 0], Color::White);
    moving.says("", "a7", "", "White has no man left in hand to place");
    moving.says(
        "g7",
        "a7",
        "b4",
        "a7 is no neighbour of g7 (those are d7, g4), and flying needs exactly three men on the board and none in hand: White has 5",
    );
}

#[test]
fn test_protection_messages() {
    let nine = Rules::named("nine").unwrap();
    let case = Case::new(&nine, "a1 a4", "b2 b4 b6 c3", [1, 0], Color::White);
    case.says("", "a7", "b4", "the man on b4 is protected by the mill b2 b4 b6; free: c3");
    let strict = Rules::with_options("nine", &["protected=always"]).unwrap();
    let case = Case::new(&strict, "a1 a4", "b2 b4 b6", [1, 0], Color::White);
    case.says(
        "",
        "a7",
        "b4",
        "the man on b4 is protected by the mill b2 b4 b6, and no other is free: nothing at all is removed",
    );
    let two = Rules::with_options("nine", &["double-mill=two"]).unwrap();
    let case = Case::new(&two, "a1 a4 d7 g7", "b2 b4 b6 c3 e3", [1, 0], Color::White);
    let mills = "the turn closes the mills a7 d7 g7, a1 a4 a7 and must remove 2 men";
    case.says("", "a7", "", &format!("{mills}, the first one of c3, e3"));
    case.says("", "a7", "c3", &format!("{mills}, not 1: one more of e3"));
    case.says(
        "",
        "a7",
        "c3 b4",
        "the man on b4 is protected by the mill b2 b4 b6 once c3 is removed; free: e3",
    );
}

#[test]
fn test_ending_messages() {
    let nine = Rules::named("nine").unwrap();
    let few = Case::new(&nine, "a1 a4", "b4 b6 c3", [0, 0], Color::White);
    let text = "the game is over: White has 2 men, fewer than 3, so White has lost";
    few.says("a1", "d1", "", text);
    let blocked = Case::new(&nine, "a1 a7 g1 g7", "a4 d1 d7 g4", [0, 0], Color::White);
    let text = "the game is over: White is to move and has no legal turn, so White has lost";
    blocked.says("a1", "a4", "", text);
    let three = Rules::named("three").unwrap();
    let line = Case::new(&three, "a1 a2", "c1 c2 c3", [1, 0], Color::White);
    let text = "the game is over: Black has the full line c1 c2 c3, so White has lost";
    line.says("", "a3", "", text);
}
