//! Published figures beside those of small databases, and the opening searched anew.

mod common;

use common::database;
use merels::index::Geometry;
use merels::query::Query;
use merels::reproduce::{
    Facts, OpeningError, OpeningReport, OpeningSearch, Report, Row, Status, Subject, reproduce,
};
use merels::rules::{Position, Rules};
use merels::solve::{plan_moving, solve_plan};
use merels::storage::Database;
use merels::value::{Code, Value};
use std::sync::Arc;

fn rules(name: &str, options: &[&str]) -> Rules {
    Rules::with_options(name, options).unwrap()
}

fn report(database: Database, facts: &Facts) -> Report {
    reproduce(&Arc::new(database), facts, None).unwrap()
}

fn of_subject(report: &Report, subject: Subject) -> Vec<&Row> {
    report.rows.iter().filter(|row| row.subject == subject).collect()
}

/// The search's result from a database that has nothing but the moving phase.
fn searched(rules: &Rules, memory: u64) -> OpeningReport {
    let root = tempfile::tempdir().unwrap();
    let database = Database::create(root.path(), rules).unwrap();
    let geometry = Geometry::new(rules);
    solve_plan(&database, &geometry, &plan_moving(rules), 1 << 30, &()).unwrap();
    assert!(database.units().unwrap().iter().all(|stored| stored.unit.first().hands() == 0));
    OpeningSearch::new(&database, &geometry, memory).unwrap().run().unwrap()
}

#[test]
fn test_whole_small_games_agree_with_published_counts() {
    for (name, options) in [
        ("three", &[][..]),
        ("three-orthogonal", &[]),
        ("three-flying", &[]),
        ("six", &["men=4"]),
        ("six", &["men=4", "flying=at-three"]),
    ] {
        let (_root, database) = database::whole_game(&rules(name, options));
        let report = report(database, &Facts::published());
        assert_eq!((report.equal, report.differing, report.not_solved), (1, 0, 0), "{name}");
        assert_eq!(of_subject(&report, Subject::WholeGame)[0].status, Status::Equal);
    }
}

#[test]
fn test_the_opening_is_valued_turn_by_turn() {
    let (_root, database) = database::whole_game(&rules("three", &[]));
    let report = report(database, &Facts::published());
    let opening = of_subject(&report, Subject::Opening);
    let ours = |what: &str| {
        let row = opening.iter().find(|row| row.what == what);
        row.unwrap_or_else(|| panic!("no row {what}")).ours.as_ref().unwrap().to_string()
    };
    assert_eq!(ours("the empty board"), "win / 9");
    assert_eq!(ours("first turn b2"), "win / 9");
    assert!(["first turn a3", "first turn b3"].iter().all(|what| !ours(what).starts_with("win")));
    // After the centre a corner and a side are left; after a corner or a side, five classes each.
    let replies = opening.iter().filter(|row| row.what.contains("reply")).count();
    assert_eq!(replies, 2 + 5 + 5);
    assert_eq!(ours("b2, reply a3"), "loss / 8");
}

#[test]
fn test_rows_of_nine_and_what_is_missing() {
    let (_root, database) = database::of_subspaces(&rules("nine", &[]), &["4-3"]);
    let report = report(database, &Facts::published());
    // Values and sizes of 3-3, 4-3 and 3-4; Gasser's figures 3 (over), 9; Sanmill's 3-3.
    assert_eq!((report.equal, report.differing), (3 + 3 + 3, 0));
    for row in of_subject(&report, Subject::Values) {
        let solved = ["3-3", "4-3", "3-4"].contains(&row.what.as_str());
        assert_eq!(row.status == Status::Equal, solved, "{}", row.what);
        assert_eq!(row.status == Status::NotSolved, !solved, "{}", row.what);
    }
    assert!(of_subject(&report, Subject::Totals).iter().all(|r| r.status == Status::NotSolved));
    let opening = of_subject(&report, Subject::Opening);
    assert_eq!(opening.len(), 1 + 4);
    assert!(opening.iter().all(|row| row.status == Status::NotSolved));
    assert!(report.compared());
}

#[test]
fn test_a_falsified_figure_differs() {
    let published = Facts::published();
    let falsify = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let facts = Facts {
        nine_moving: falsify(&published.nine_moving, "3,3,140621,28736", "3,3,140622,28735"),
        nine_counts: falsify(&published.nine_counts, "169626,169626", "169626,169625"),
        positions: falsify(&published.positions, "black,loss,26", "black,loss,24"),
        conversion: published.conversion.clone(),
        small_games: published.small_games.clone(),
    };
    let (_root, database) = database::of_subspaces(&rules("nine", &[]), &["3-3"]);
    let found = report(database, &facts);
    let differing = found.rows.iter().filter(|row| row.status == Status::Differs);
    let subjects: Vec<Subject> = differing.map(|row| row.subject).collect();
    assert_eq!(subjects, [Subject::Values, Subject::Classes, Subject::Positions]);
    assert_eq!((found.differing, found.equal), (3, 2));
}

#[test]
fn test_a_falsified_table_differs() {
    let rules = rules("three", &[]);
    let start = |table: merels::index::Table, codes: &mut [u8]| {
        if table.own_hand == 3 && table.enemy_hand == 3 {
            codes[0] = u8::DRAW;
        }
    };
    let (_root, database) = database::altered(&rules, &["0-0+3+3"], &start);
    let report = report(database, &Facts::published());
    assert_eq!((report.equal, report.differing), (0, 1));
}

#[test]
fn test_rules_nobody_published_compare_nothing() {
    let (_root, database) = database::whole_game(&rules("three", &["no-move=draws"]));
    let report = report(database, &Facts::published());
    assert!(!report.compared() && report.not_solved == 0);
}

#[test]
fn test_the_opening_search_finds_the_solved_value() {
    for (name, options) in [
        ("three", &[][..]),
        ("three-orthogonal", &[]),
        ("three-flying", &[]),
        ("six", &["men=4"]),
        ("six", &["men=4", "flying=at-three"]),
        ("six", &["men=5"]),
        ("six", &["men=5", "flying=at-three"]),
        ("six", &["men=3", "double-mill=two", "protected=never"]),
        ("nine", &["men=4"]),
    ] {
        let rules = rules(name, options);
        let (_root, database) = database::whole_game(&rules);
        let solved = Query::new(database).value(&Position::start(&rules)).unwrap();
        let found = searched(&rules, 1 << 28);
        assert_eq!(found.value, solved.name(), "{}", rules.name());
        assert_eq!(found.questions.len(), if solved == Value::Draw { 2 } else { 1 });
    }
}

#[test]
fn test_the_opening_search_of_whole_six() {
    for options in [&[][..], &["flying=at-three"]] {
        let rules = rules("six", options);
        let found = searched(&rules, 1 << 28);
        assert_eq!(found.value, "draw", "{}", rules.name());
        assert!(found.questions.iter().all(|question| question.probes > 0));
    }
}

#[test]
fn test_the_answer_rests_on_neither_memory_nor_threads() {
    let rules = rules("six", &["men=4"]);
    let least = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| searched(&rules, 300_000))
    };
    let (one, four) = (least(1), least(4));
    assert!(one.transposition_bytes < 300_000);
    let answers = |found: &OpeningReport| -> Vec<bool> {
        found.questions.iter().map(|question| question.yes).collect()
    };
    assert_eq!((answers(&one), one.value), (answers(&four), four.value));
}

#[test]
fn test_what_the_opening_search_refuses() {
    let geometry = |rules: &Rules| Geometry::new(rules);
    let nine = rules("nine", &["men=4"]);
    let (_root, database) = database::of_subspaces(&nine, &["3-3"]);
    let refused = OpeningSearch::new(&database, &geometry(&nine), 1 << 30).unwrap_err();
    assert!(refused.to_string().contains("not solved are 4-3, 4-4: run"), "{refused}");
    let three = rules("three", &[]);
    let (_root, database) = database::whole_game(&three);
    let refused = OpeningSearch::new(&database, &geometry(&three), 1000).unwrap_err();
    assert!(matches!(refused, OpeningError::Memory { allowed: 1000, .. }), "{refused}");
    let both = rules("three", &["place-or-move=yes"]);
    let (_root, database) = database::whole_game(&both);
    let refused = OpeningSearch::new(&database, &geometry(&both), 1 << 30).unwrap_err();
    assert!(matches!(refused, OpeningError::OnePhase(_)), "{refused}");
}
