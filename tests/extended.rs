//! Games from an empty board with any men in hand: against the plain solver, by verification, and in
//! numbers once found. `solve_files.rs` has what an extended plan adds to the files of an ordinary one.

mod common;

use common::database;
use common::forward::{ForwardSolution, ForwardValue, plain_value};
use merels::index::{Geometry, Unit};
use merels::query::Query;
use merels::rules::{Color, Position, Rules};
use merels::solve::plan_extended;
use merels::stats::{Start, starts};
use merels::storage::Database;
use merels::value::Value;
use merels::verify::{Options, verify_units};

fn board(hand: [u8; 2], side: Color) -> Position {
    Position { men: [0, 0], hand, side }
}

/// All hands up to `most`, White's first.
fn hands(most: u8) -> impl Iterator<Item = [u8; 2]> {
    (0..=most).flat_map(move |white| (0..=most).map(move |black| [white, black]))
}

/// A value as a start has it.
fn told(value: ForwardValue) -> (Option<String>, Option<u32>) {
    let (name, plies) = match value {
        ForwardValue::Win(plies) => ("win", Some(plies)),
        ForwardValue::Loss(plies) => ("loss", Some(plies)),
        ForwardValue::Draw => ("draw", None),
    };
    (Some(name.to_string()), plies.map(u32::from))
}

/// Every start with either side to move, those that are over at once included.
fn check_starts(rules: &Rules) {
    let sides = [Color::White, Color::Black];
    let boards = hands(rules.men()).flat_map(|hand| sides.map(|side| board(hand, side)));
    let boards: Vec<Position> = boards.collect();
    let plain = ForwardSolution::solve(rules, boards.iter().copied());
    let (_root, database) = database::extended(rules, rules.men());
    let query = Query::new(database);
    for position in boards {
        let value = query.value(&position).unwrap();
        assert_eq!(Some(plain_value(value)), plain.value(&position), "{rules} {position:?}");
    }
    let all = starts(&query).unwrap();
    assert!(all.iter().map(|start| [start.white, start.black]).eq(hands(rules.men())));
    for Start { white, black, value, plies, depths } in all {
        let expected = told(plain.value(&board([white, black], Color::White)).unwrap());
        assert_eq!(((value, plies), depths), (expected, true), "{rules}");
    }
}

#[test]
fn test_every_start_agrees_with_the_plain_solver() {
    for name in
        ["three", "three-flying+men=4", "three-orthogonal+men=4", "three+men=4+line-wins=no"]
    {
        check_starts(&Rules::parse(name).unwrap());
    }
    for name in ["six+men=4", "six+men=4+flying=at-three", "six+men=4+place-or-move=yes"] {
        check_starts(&Rules::parse(name).unwrap());
    }
}

/// Recomputes every value; returns the number of tables.
fn verified(database: &Database) -> usize {
    let units: Vec<Unit> = database.units().unwrap().iter().map(|stored| stored.unit).collect();
    let geometry = Geometry::new(database.rules());
    let options = Options::default();
    let reports = verify_units(database, &geometry, &units, &options, &mut |_| ()).unwrap();
    assert!(reports.iter().all(|report| report.is_right()), "{}", database.rules());
    reports.len()
}

#[test]
fn test_every_value_follows_from_its_turns() {
    for name in ["three+men=4", "six+men=4", "six+men=4+place-or-move=yes+double-mill=two"] {
        let rules = Rules::parse(name).unwrap();
        let (_root, database) = database::extended(&rules, 4);
        let tables: usize = plan_extended(&rules, 4).iter().map(|unit| unit.tables.len()).sum();
        assert_eq!(verified(&database), tables, "{name}");
    }
}

/// The values of nine's starts that are decided by play, White's men and Black's: all others up to
/// `most` with three men or more are draws.
fn check_nine(most: u8, decided: &[([u8; 2], Value)]) {
    let rules = Rules::named("nine").unwrap();
    let (_root, database) = database::extended(&rules, most);
    let query = Query::new(database);
    for hand in hands(most) {
        let expected = match hand {
            [white, _] if white < 3 => Value::Loss(0),
            [_, black] if black < 3 => Value::Win(1),
            _ => decided.iter().find(|start| start.0 == hand).map_or(Value::Draw, |start| start.1),
        };
        assert_eq!(query.value(&board(hand, Color::White)).unwrap(), expected, "{hand:?}");
    }
}

/// As they were found; `verify` has checked every table behind them.
const NINE: [([u8; 2], Value); 4] = [
    ([3, 3], Value::Win(23)),
    ([3, 6], Value::Loss(12)),
    ([5, 3], Value::Win(9)),
    ([6, 3], Value::Win(9)),
];

#[test]
fn test_starts_of_nine_up_to_four_and_four() {
    check_nine(4, &NINE);
}

#[test]
#[ignore = "40 seconds of CPU time, 1.1 GB: cargo test --release --test extended six_and_six -- --ignored"]
fn test_starts_of_nine_up_to_six_and_six() {
    check_nine(6, &NINE);
}

/// The plain solver walks every position that a start of nine leads to.
fn check_starts_of_nine(hands: &[[u8; 2]]) {
    let rules = Rules::named("nine").unwrap();
    let boards = hands.iter().map(|&hand| board(hand, Color::White));
    let plain = ForwardSolution::solve_merged(&rules, boards.clone());
    let (_root, database) = database::extended(&rules, 4);
    let query = Query::new(database);
    for position in boards {
        let value = plain_value(query.value(&position).unwrap());
        assert_eq!(plain.value(&position), Some(value), "{position:?}");
    }
}

#[test]
fn test_nine_with_three_men_each_agrees_with_the_plain_solver() {
    check_starts_of_nine(&[[3, 3]]);
}

#[test]
#[ignore = "two and a half minutes of CPU time, 10 GB: cargo test --release --test extended four_against_three -- --ignored"]
fn test_nine_with_four_against_three_agrees_with_the_plain_solver() {
    check_starts_of_nine(&[[4, 3], [3, 4]]);
}
