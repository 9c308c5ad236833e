//! Queries from outside: published values, ranked turns, lines, and everything refused.

mod common;

use common::database;
use merels::export::Export;
use merels::index::{Geometry, Layout, Subspace, Unit};
use merels::notation::{Reading, parse_position, read_position};
use merels::query::{Answer, Choice, Query, QueryError};
use merels::rules::{Color, Mask, Position, Rules};
use merels::storage::Database;
use merels::value::Value;
use serde_json::json;
use std::fs;
use tempfile::TempDir;

fn whole(name: &str, options: &[&str]) -> (TempDir, Query) {
    let rules = Rules::with_options(name, options).unwrap();
    let (root, database) = database::whole_game(&rules);
    (root, Query::new(database))
}

fn nine(subspaces: &[&str]) -> (TempDir, Query) {
    let (root, database) = database::of_subspaces(&Rules::named("nine").unwrap(), subspaces);
    (root, Query::new(database))
}

fn unit(name: &str) -> Unit {
    name.parse::<Subspace>().unwrap().unit()
}

/// A position of nine's moving phase from the points of its men.
fn position(query: &Query, white: &str, black: &str, side: Color) -> Position {
    let board = query.rules().board();
    let set = |names: &str| -> Mask {
        names.split(' ').fold(0, |set, name| set | 1 << board.point(name).unwrap())
    };
    Position { men: [set(white), set(black)], hand: [0, 0], side }
}

fn start(query: &Query) -> Reading {
    Position::start(query.rules()).into()
}

#[test]
fn test_three_mens_morris_is_won_by_the_centre_alone() {
    // small_games.csv, recounted from the rules: White wins in 9 plies.
    let (_root, query) = whole("three", &[]);
    let answer = query.answer(&start(&query), Some(100)).unwrap();
    assert_eq!((answer.value.as_str(), answer.plies), ("win", Some(9)));
    let wins: Vec<_> = answer.turns.iter().filter(|turn| turn.value == "win").collect();
    assert_eq!((answer.turns.len(), wins.len()), (9, 1));
    assert_eq!((wins[0].turn.as_str(), wins[0].plies), ("b2", Some(9)));
    let line = answer.line.unwrap();
    assert_eq!((line.len(), line[0].as_str()), (9, "b2"));
    let end = query.play(&start(&query), &line).unwrap();
    assert_eq!(query.value(&end.position).unwrap(), Value::Loss(0));
    assert!(query.turns(&end.position).unwrap().is_empty());
}

#[test]
fn test_the_start_of_six_mens_family_is_a_draw() {
    let (_root, query) = whole("six", &["men=4"]);
    let start = start(&query);
    assert_eq!(query.value(&start.position).unwrap(), Value::Draw);
    let line = query.best_line(&start, 60).unwrap();
    assert!(line.len() >= 8 && line.iter().all(|ranked| ranked.value == Value::Draw));
}

#[test]
fn test_published_positions_of_nine() {
    let (_root, query) = nine(&["3-3"]);
    // Gasser 1996, figures 9 and 3; the second is over, so it needs no table.
    let longest = position(&query, "d7 g1 g7", "a4 d5 g4", Color::Black);
    assert_eq!(query.value(&longest).unwrap(), Value::Loss(26));
    let line = query.best_line(&longest.into(), 100).unwrap();
    assert_eq!(line.len(), 26);
    let blocked =
        position(&query, "a4 b4 c3 d2 d6 d7 e3 e5 g1", "a1 a7 b2 b6 c4 c5 d1 d3 d5", Color::Black);
    assert_eq!(query.value(&blocked).unwrap(), Value::Loss(0));
    assert!(query.answer(&blocked.into(), None).unwrap().turns.is_empty());
}

#[test]
fn test_two_byte_codes_are_read_and_values_without_depths_refused() {
    let rules = Rules::named("nine").unwrap();
    let (_root, database) = database::wide(&rules, &["3-3"]);
    let query = Query::new(database);
    let longest = position(&query, "d7 g1 g7", "a4 d5 g4", Color::Black);
    assert_eq!(query.value(&longest).unwrap(), Value::Loss(26));
    assert_eq!(query.turns(&longest).unwrap()[0].value, Value::Loss(26));
    let (_root, database) = database::outcomes_only(&rules, &["3-3"]);
    let refused = Query::new(database).value(&longest).unwrap_err();
    assert!(matches!(refused, QueryError::OutcomesOnly { .. }), "{refused}");
}

#[test]
fn test_the_value_is_that_of_the_first_turn_and_turns_are_in_order() {
    let (_root, query) = nine(&["4-3"]);
    let geometry = Geometry::new(query.rules());
    for table in unit("4-3").tables() {
        let layout = Layout::new(&geometry, table);
        for slot in (0..layout.slots()).step_by(9973) {
            let position = layout.position(slot, Color::Black);
            let turns = query.turns(&position).unwrap();
            assert_eq!(turns.len(), query.rules().turns(&position).len());
            let value = query.value(&position).unwrap();
            assert_eq!(turns.first().map_or(Value::Loss(0), |best| best.value), value);
            let in_order = turns.windows(2).all(|pair| {
                let keys = [&pair[0], &pair[1]].map(|r| (-r.value.rank(), r.choice));
                keys[0] < keys[1]
            });
            assert!(in_order);
            assert_eq!(query.value(&position.swapped()).unwrap(), value);
        }
    }
}

#[test]
fn test_lines_of_decided_positions_end_when_they_should() {
    let (_root, query) = nine(&["4-3"]);
    let geometry = Geometry::new(query.rules());
    let layout = Layout::new(&geometry, unit("4-3").second().unwrap());
    let mut lines = 0;
    for slot in (0..layout.slots()).step_by(40_009) {
        let position = layout.position(slot, Color::White);
        let Some(plies) = query.value(&position).unwrap().plies() else { continue };
        let line = query.best_line(&position.into(), 300).unwrap();
        assert_eq!(line.len(), plies as usize);
        lines += 1;
    }
    assert!(lines > 0);
}

#[test]
fn test_too_few_enemy_men_need_no_table() {
    let (_root, query) = nine(&["3-3"]);
    let won = position(&query, "a1 a4 d1 g7", "d7 d6", Color::White);
    let answer = query.answer(&won.into(), None).unwrap();
    assert_eq!((answer.value.as_str(), answer.plies), ("win", Some(1)));
    assert!(answer.turns.iter().all(|turn| turn.plies == Some(1)));
    let lost = Position { side: Color::Black, ..won };
    assert_eq!(query.value(&lost).unwrap(), Value::Loss(0));
}

#[test]
fn test_removals_owed_are_ranked_like_turns() {
    let (_root, query) = nine(&["4-3"]);
    // White has just closed a7 d7 g7 and owes the removal of one of four men.
    let men = position(&query, "a7 d7 g7", "a1 c3 e5 f4", Color::White);
    let reading = Reading { position: men, owed: 1 };
    let answer = query.answer(&reading, Some(3)).unwrap();
    assert_eq!((answer.owed, answer.turns.len()), (1, 4));
    assert_eq!(read_position(query.rules(), &answer.position).unwrap(), reading);
    assert_eq!(answer.value, answer.turns[0].value);
    assert_eq!(answer.line.unwrap()[0], answer.turns[0].turn);
    for rated in &answer.turns {
        let next = query.play(&reading, &[&rated.turn]).unwrap();
        assert_eq!(next.owed, 0);
        let value = Value::from_successor(query.value(&next.position).unwrap());
        assert_eq!((value.name(), value.plies()), (rated.value.as_str(), rated.plies));
    }
    let message = |text: &str| query.play(&reading, &[text]).unwrap_err().to_string();
    assert!(message("xa7").starts_with("turn 1, xa7: not a legal removal here ("));
    assert!(message("none").contains("not a legal removal"));
    assert_eq!(
        message("d2"),
        "turn 1: 'd2' is not a removal: expected xd7 for each man removed, or none"
    );
}

#[test]
fn test_no_removal_possible_has_a_name() {
    let rules = Rules::with_options("nine", &["protected=always"]).unwrap();
    let (_root, database) = database::of_subspaces(&rules, &["3-3"]);
    let query = Query::new(database);
    let men = position(&query, "a7 d7 g7", "a1 d1 g1", Color::White);
    let reading = Reading { position: men, owed: 1 };
    let ranked = query.choices(&reading).unwrap();
    assert_eq!((ranked.len(), ranked[0].choice), (1, Choice::Removal(0)));
    let next = query.play(&reading, &["none"]).unwrap();
    assert_eq!(next.position, Position { side: Color::Black, ..men });
}

#[test]
fn test_turns_given_are_played_or_refused_with_their_number() {
    let (_root, query) = whole("three", &[]);
    let play = |turns: &[&str]| query.play(&start(&query), turns);
    let played = play(&["b2", "a1", "c1"]).unwrap();
    let expected = parse_position(query.rules(), ".../.W./B.W b 1 2").unwrap();
    assert_eq!(played.position, expected);
    let message = |turns: &[&str]| play(turns).unwrap_err().to_string();
    assert_eq!(
        message(&["b2", "b2"]),
        "turn 2, b2: b2 is occupied by a White man (.../.W./... b 2 3)"
    );
    assert!(message(&["b2", "a9"]).starts_with("turn 2: no point 'a9'"));
    assert!(message(&["a1", "a2", "b2", "b3", "c3", "a3"]).starts_with("turn 6, a3:"));
}

#[test]
fn test_unsolved_subspaces_are_named_as_they_were_asked_for() {
    let (_root, query) = nine(&["3-3"]);
    let message = |position: &Position| query.value(position).unwrap_err().to_string();
    let unsolved = position(&query, "a7 d7 g4", "a1 c3 e5 f4", Color::Black);
    let text = message(&unsolved);
    assert!(text.starts_with("subspace 3-4 is not solved yet: run `merels solve 3-4 "), "{text}");
    let text = message(&Position::start(query.rules()));
    assert!(text.starts_with("subspace 0-0+9+9 is not solved yet"), "{text}");
    let crowded = Position { hand: [7, 0], ..unsolved };
    assert!(matches!(query.value(&crowded), Err(QueryError::Position(_))));
    assert!(matches!(query.turns(&crowded), Err(QueryError::Position(_))));
}

#[test]
fn test_a_table_the_game_does_not_reach_is_named_like_an_unsolved_one() {
    let (_root, query) = whole("three", &[]);
    // The unit's file is there, but in the game Black moves with one man more in hand.
    let wrong_side = Position { hand: [2, 3], men: [1, 0], side: Color::White };
    let text = query.value(&wrong_side).unwrap_err().to_string();
    assert!(
        text.starts_with("subspace 1-0+2+3 is not solved yet: run `merels solve 1-0+2+3 "),
        "{text}"
    );
}

#[test]
fn test_tables_of_an_older_arrangement_are_named_with_the_way_out() {
    let rules = Rules::parse("six+men=4").unwrap();
    let (_root, database) = database::whole_game(&rules);
    database::age(&database);
    let query = Query::new(database);
    let message = |position: &Position| query.value(position).unwrap_err().to_string();
    let after_one = Position { hand: [3, 4], men: [1, 0], side: Color::Black };
    let text = message(&after_one);
    assert!(text.contains("an older version wrote it; `merels solve`, with"), "{text}");
    // White's own table is as it was: the value needs no other, the turns do.
    assert!(query.value(&Position::start(&rules)).is_ok());
    assert!(query.turns(&Position::start(&rules)).is_err());
}

#[test]
fn test_a_table_left_out_does_not_hide_trouble_a_ply_later() {
    let rules = Rules::parse("six+men=4").unwrap();
    let (root, database) = database::whole_game(&rules);
    let thin = tempfile::tempdir().unwrap();
    let units: Vec<Unit> = database.units().unwrap().iter().map(|stored| stored.unit).collect();
    Export::new(&database, thin.path(), &units, true).unwrap().run(&mut |_| {}).unwrap();
    let after_one = Position { hand: [3, 4], men: [1, 0], side: Color::Black };
    let answer = |root: &TempDir| {
        let query = Query::new(Database::open(root.path(), &rules).unwrap());
        query.answer(&Reading::from(after_one), None).map_err(|error| error.to_string())
    };
    assert_eq!(answer(&thin).unwrap().value, answer(&root).unwrap().value);
    let next = thin.path().join(rules.name()).join("1-1+3+3.mdb");
    fs::write(&next, "not a database").unwrap();
    let text = answer(&thin).unwrap_err();
    assert!(text.contains("1-1+3+3.mdb"), "{text}");
    fs::remove_file(&next).unwrap();
    let text = answer(&thin).unwrap_err();
    assert!(text.starts_with("subspace 1-0+3+4 is not among the outcomes"), "{text}");
}

#[test]
fn test_the_value_needs_its_own_table_only() {
    let (root, query) = nine(&["4-3"]);
    std::fs::remove_file(root.path().join("nine/3-3.mdb")).unwrap();
    let closing = position(&query, "a7 d7 g4", "a1 c3 e5 f4", Color::White);
    assert!(query.value(&closing).is_ok());
    let text = query.turns(&closing).unwrap_err().to_string();
    assert!(text.starts_with("subspace 3-3 is not solved yet"), "{text}");
}

#[test]
fn test_answers_have_the_agreed_json() {
    let (_root, query) = whole("three", &[]);
    let reading = read_position(query.rules(), "W.B/.W./B.. w 1 1").unwrap();
    let answer = query.answer(&reading, None).unwrap();
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["rules"], "three");
    assert_eq!(json["position"], "W.B/.W./B.. w 1 1");
    assert_eq!((&json["value"], &json["plies"]), (&json!("win"), &json!(1)));
    assert_eq!(json["turns"][0], json!({"turn": "c1", "value": "win", "plies": 1}));
    assert!(json.get("owed").is_none() && json.get("line").is_none());
    assert_eq!(serde_json::from_value::<Answer>(json).unwrap(), answer);
    let drawn = query.play(&start(&query), &["a1", "b2"]).unwrap();
    let json = serde_json::to_value(query.answer(&drawn, None).unwrap()).unwrap();
    assert!(json["plies"].is_null() || json["plies"].is_u64());
}
