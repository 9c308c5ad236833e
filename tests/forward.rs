//! The naive solver against published numbers: rules and solver are right together, or not at all.
//! Its largest case, nine's 3-3, is in `solve.rs`, where the same run checks the engine.

mod common;

use common::facts::{Row, number, rows};
use common::forward::{ForwardSolution, ForwardValue, Tally};
use merels::rules::{Position, Rules};

const SMALL_GAMES: &str = include_str!("../data/small_games.csv");

/// Solves the whole game of a row and compares everything the row says.
fn check_whole_game(row: &Row) {
    let options: Vec<&str> = row["options"].split_whitespace().collect();
    let rules = Rules::with_options(row["rules"], &options).unwrap();
    let start = Position::start(&rules);
    let solution = ForwardSolution::solve(&rules, [start]);
    assert_eq!(solution.tally(|_| true), Tally::published(row), "{rules}");
    assert_eq!(solution.iter().count(), number::<usize>(row, "reachable"), "{rules}");
    let value = match row["value"] {
        "win" => ForwardValue::Win(number(row, "plies")),
        "draw" => ForwardValue::Draw,
        other => panic!("no published game starts with a {other}"),
    };
    assert_eq!(solution.value(&start), Some(value), "{rules}");
}

#[test]
fn test_three_mens_games_are_as_published() {
    let games: Vec<Row> =
        rows(SMALL_GAMES).into_iter().filter(|row| row["rules"].starts_with("three")).collect();
    assert_eq!(games.len(), 3);
    games.iter().for_each(check_whole_game);
}

#[test]
fn test_six_with_four_men_is_as_published() {
    let four = |row: &Row| row["options"].split(' ').next() == Some("men=4");
    let games: Vec<Row> = rows(SMALL_GAMES).into_iter().filter(four).collect();
    assert_eq!(games.len(), 2);
    games.iter().for_each(check_whole_game);
}

#[test]
fn test_merged_and_apart_agree() {
    let rules = Rules::named("three-orthogonal").unwrap();
    let start = Position::start(&rules);
    let apart = ForwardSolution::solve(&rules, [start]);
    let merged = ForwardSolution::solve_merged(&rules, [start]);
    assert_eq!(merged.iter().count(), 3910, "others count from the mover's view");
    for (position, value) in apart.iter() {
        assert_eq!(merged.value(&position), Some(value));
        assert_eq!(merged.value(&position.swapped()), Some(value));
    }
}

/// Classes stand for all their images, in value and in number.
#[test]
fn test_classes_and_positions_agree() {
    for options in [&["men=4", "line-wins=no"][..], &["diagonals=no", "place-or-move=yes"]] {
        let rules = Rules::with_options("three", options).unwrap();
        let start = Position::start(&rules);
        let positions = ForwardSolution::solve(&rules, [start]);
        let apart = ForwardSolution::solve_classes_apart(&rules, [start]);
        let merged = ForwardSolution::solve_classes(&rules, [start]);
        for (position, value) in positions.iter() {
            let classes = [apart.value(&position), merged.value(&position)];
            assert_eq!(classes, [Some(value); 2], "{rules}");
        }
        let mut tally = Tally::default();
        apart.for_each_class(|_, value, images| tally.add_all(value, images));
        assert_eq!(tally, positions.tally(|_| true), "{rules}");
    }
}
