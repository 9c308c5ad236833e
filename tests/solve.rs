//! The solver proved right by solvers that share nothing with it but the rules.
//!
//! Every stored slot is compared with the best of its turns, and positions with the plain forward
//! solver, depths included: whole small games, published subspaces, and a grid of options on every
//! board. Longer runs are `#[ignore]`d; each names its command.

mod common;

use common::automorphisms::{automorphisms, is_least};
use common::facts::{Row, number, rows};
use common::forward::{ForwardSolution, Tally, all_positions_of, plain_value};
use common::grid::Grid;
use common::solved::Solved;
use merels::index::{Geometry, Subspace};
use merels::rules::{Color, Position, Rules};
use merels::solve::{PlannedUnit, plan_game, plan_subspaces};
use merels::value::Value;
use rayon::prelude::*;

const SMALL_GAMES: &str = include_str!("../data/small_games.csv");
const NINE_MOVING: &str = include_str!("../data/nine_moving.csv");

fn small_games(wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
    rows(SMALL_GAMES).into_iter().filter(wanted).collect()
}

fn rules_of(row: &Row) -> Rules {
    let options: Vec<&str> = row["options"].split_whitespace().collect();
    Rules::with_options(row["rules"], &options).unwrap()
}

fn plan_of(rules: &Rules, names: &[&str]) -> Vec<PlannedUnit> {
    let subspaces: Vec<Subspace> = names.iter().map(|name| name.parse().unwrap()).collect();
    plan_subspaces(rules, &subspaces).unwrap()
}

fn value_of_start(row: &Row) -> Value {
    match row["value"] {
        "win" => Value::Win(number(row, "plies")),
        "draw" => Value::Draw,
        other => panic!("no published game starts with a {other}"),
    }
}

/// Solves the whole game of a row: every slot, every reachable position and the published value of
/// the start must agree.
fn check_whole_game(row: &Row) {
    let rules = rules_of(row);
    let geometry = Geometry::new(&rules);
    let solved = Solved::<u8>::of_plan(&rules, &geometry, &plan_game(&rules));
    solved.check_turns();
    let start = Position::start(&rules);
    let plain = ForwardSolution::solve(&rules, [start]);
    assert!(solved.check_forward(&plain) > 0);
    assert_eq!(solved.value(&start), value_of_start(row), "{rules}");
    let mut tally = Tally::default();
    plain.iter().for_each(|(position, _)| tally.add(plain_value(solved.value(&position))));
    assert_eq!(tally, Tally::published(row), "{rules}");
}

#[test]
fn test_whole_three_mens_games() {
    let games = small_games(|row| row["rules"].starts_with("three"));
    assert_eq!(games.len(), 3);
    games.iter().for_each(check_whole_game);
}

#[test]
fn test_whole_six_with_four_men() {
    let games = small_games(|row| row["options"].starts_with("men=4"));
    assert_eq!(games.len(), 2);
    games.iter().for_each(check_whole_game);
}

/// The same class by class, for games with too many positions to hold each.
fn check_whole_game_by_classes(row: &Row) {
    let rules = rules_of(row);
    let geometry = Geometry::new(&rules);
    let solved = Solved::<u8>::of_plan(&rules, &geometry, &plan_game(&rules));
    let start = Position::start(&rules);
    assert_eq!(solved.value(&start), value_of_start(row), "{rules}");
    let plain = ForwardSolution::solve_classes_apart(&rules, [start]);
    assert!(solved.check_forward(&plain) > 0);
    let mut tally = Tally::default();
    plain.for_each_class(|_, value, positions| tally.add_all(value, positions));
    assert_eq!(tally, Tally::published(row), "{rules}");
    assert_eq!(tally.positions(), number::<u64>(row, "reachable"), "{rules}");
}

#[test]
fn test_whole_six_with_five_men() {
    let games = small_games(|row| row["options"].starts_with("men=5"));
    assert_eq!(games.len(), 2);
    games.iter().for_each(check_whole_game_by_classes);
}

#[test]
#[ignore = "nine seconds of CPU, 350 MB: cargo test --release --test solve whole_six_with_six -- --ignored"]
fn test_whole_six_with_six_men() {
    let games = small_games(|row| row["rules"] == "six" && !row["options"].starts_with("men="));
    assert_eq!(games.len(), 2);
    games.iter().for_each(check_whole_game_by_classes);
}

/// Every slot of the whole game of six, both flying settings, by its turns.
#[test]
fn test_whole_six_by_its_turns() {
    for options in [&[][..], &["flying=at-three"]] {
        let rules = Rules::with_options("six", options).unwrap();
        let geometry = Geometry::new(&rules);
        Solved::<u8>::of_plan(&rules, &geometry, &plan_game(&rules)).check_turns();
    }
}

fn published_row(mover: u8, opponent: u8) -> Row {
    let wanted = [("mover", mover), ("opponent", opponent)];
    let is_it = |row: &Row| wanted.iter().all(|&(key, men)| number::<u8>(row, key) == men);
    rows(NINE_MOVING).into_iter().find(is_it).expect("every table has a row")
}

#[test]
fn test_nine_up_to_five_against_five_is_as_published() {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let solved = Solved::<u8>::of_plan(&rules, &geometry, &plan_of(&rules, &["5-5"]));
    let mut compared = 0;
    for (table, counts) in solved.counts() {
        let row = published_row(table.own, table.enemy);
        assert_eq!(Tally::from(&counts), Tally::published(&row), "{table}");
        compared += 1;
    }
    assert_eq!(compared, 9);
}

/// A full moving subspace, unreachable positions included: the plain solver agrees with the
/// published classes, and the engine with the plain solver.
#[test]
fn test_nine_three_against_three_state_by_state() {
    let rules = Rules::named("nine").unwrap();
    let plain = ForwardSolution::solve_merged(&rules, all_positions_of(&rules, 3, 3, 0, 0));
    let group = automorphisms(rules.board());
    assert_eq!(group.len(), 16);
    let inside = |p: &Position| p.total(Color::White) == 3 && p.total(Color::Black) == 3;
    let row = published_row(3, 3);
    assert_eq!(plain.tally(|p| inside(p) && is_least(&group, p)), Tally::published(&row));
    let geometry = Geometry::new(&rules);
    let solved = Solved::<u8>::of_plan(&rules, &geometry, &plan_of(&rules, &["3-3"]));
    assert_eq!(solved.check_forward(&plain) as u64, solved.slots());
}

#[test]
#[ignore = "two minutes of CPU, 8.4 GB: cargo test --release --test solve four_against_three -- --ignored"]
fn test_nine_four_against_three_state_by_state() {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let solved = Solved::<u8>::of_plan(&rules, &geometry, &plan_of(&rules, &["4-3"]));
    let plain = ForwardSolution::solve_merged(&rules, all_positions_of(&rules, 4, 3, 0, 0));
    assert_eq!(solved.check_forward(&plain) as u64, solved.slots());
}

#[test]
#[ignore = "41 seconds of CPU: cargo test --release --test solve nine_by_its_turns -- --ignored"]
fn test_nine_by_its_turns() {
    for name in ["nine", "nine-noflying"] {
        let rules = Rules::named(name).unwrap();
        let geometry = Geometry::new(&rules);
        Solved::<u8>::of_plan(&rules, &geometry, &plan_of(&rules, &["5-4"])).check_turns();
    }
}

/// How a grid's rule sets are checked.
struct Check {
    /// The subspaces solved; none for the whole game.
    starts: &'static [&'static str],
    /// Of so many slots, one is compared with its turns.
    one_of: usize,
    /// So many rule sets are compared with the plain solver, from a few positions.
    plain: usize,
}

const WHOLE_GAME: Check = Check { starts: &[], one_of: 1, plain: 0 };

fn check_grid(grid: &Grid, check: Check) {
    let cases: Vec<(usize, Rules)> = grid.cases().enumerate().collect();
    cases.par_iter().for_each(|(number, rules)| {
        let geometry = Geometry::new(rules);
        let plan = match check.starts {
            [] => plan_game(rules),
            names => plan_of(rules, names),
        };
        let solved = Solved::<u8>::of_plan(rules, &geometry, &plan);
        solved.check_turns_of(check.one_of);
        if *number < check.plain {
            let last = plan.last().expect("something to solve").tables[0];
            let start = solved.some_positions(last, 5);
            assert!(solved.check_forward(&ForwardSolution::solve(rules, start)) > 0);
        }
    });
}

#[test]
fn test_options_on_nine_points() {
    let three = || Grid::new("three", &["line-wins=no"]);
    check_grid(&three().men(3).take(24), Check { plain: 24, ..WHOLE_GAME });
    check_grid(&three().men(4), Check { plain: 16, ..WHOLE_GAME });
    let line_wins = Grid::new("three", &["line-wins=yes"]).men(4);
    check_grid(&line_wins.take(16), Check { plain: 16, ..WHOLE_GAME });
}

#[test]
fn test_options_on_sixteen_points() {
    let six = || Grid::new("six", &["diagonals=no"]);
    check_grid(&six().men(4).take(12), Check { plain: 1, ..WHOLE_GAME });
    let late = Check { starts: &["4-4+1+1", "5-4+0+1"], one_of: 3, plain: 0 };
    check_grid(&six().men(5).take(6), late);
}

/// Eight men each fill the sixteen points, unless a mill is closed while placing.
#[test]
fn test_options_where_the_board_fills() {
    let grid = Grid::new("six", &["diagonals=no", "place-or-move=no", "line-wins=no"]).men(8);
    check_grid(&grid.take(4), Check { starts: &["7-7+1+1"], one_of: 3, plain: 0 });
}

#[test]
fn test_options_on_twenty_four_points() {
    let nine = || Grid::new("nine", &["line-wins=no"]);
    check_grid(&nine().men(3).take(4), Check { starts: &["3-3"], one_of: 7, plain: 0 });
    check_grid(&nine().men(4).take(4), Check { starts: &["3-3+1+0"], one_of: 31, plain: 0 });
}

#[test]
#[ignore = "eight seconds of CPU: cargo test --release --test solve every_option -- --ignored"]
fn test_every_option_on_nine_points() {
    for men in [3, 4] {
        check_grid(&Grid::new("three", &[]).men(men), Check { plain: 100, ..WHOLE_GAME });
    }
}

#[test]
#[ignore = "75 seconds of CPU, 1.6 GB: cargo test --release --test solve many_options_on_sixteen -- --ignored"]
fn test_many_options_on_sixteen_points() {
    let six = || Grid::new("six", &["diagonals=no"]);
    check_grid(&six().men(4).take(48), Check { plain: 4, ..WHOLE_GAME });
    check_grid(&six().men(5).take(8), WHOLE_GAME);
    check_grid(&six().men(8).take(8), Check { starts: &["7-7+1+1"], one_of: 1, plain: 0 });
}

#[test]
#[ignore = "26 seconds of CPU: cargo test --release --test solve many_options_on_twenty -- --ignored"]
fn test_many_options_on_twenty_four_points() {
    let nine = || Grid::new("nine", &[]);
    check_grid(&nine().men(4).take(8), Check { starts: &["3-3+1+1"], one_of: 5, plain: 0 });
    check_grid(&nine().men(5).take(2), Check { starts: &["4-4+0+1"], one_of: 31, plain: 0 });
}
