//! Exports from outside: every outcome is that of the value with a depth, whatever the width of its
//! code, and queries, checks and solves know what they have.

mod common;

use common::database;
use merels::export::{Export, ExportError, Step};
use merels::index::{Geometry, Layout, Unit};
use merels::notation::Reading;
use merels::query::{Answer, Query, QueryError};
use merels::reproduce::{Facts, reproduce};
use merels::rules::{Color, Position, Rules};
use merels::solve::{SolveError, plan_game, solve_plan};
use merels::storage::{Counts, Database, Metric, UnitPlan, Width};
use merels::value::Code;
use merels::verify::{Options, VerifyError, verify_files, verify_units};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn rules(name: &str) -> Rules {
    Rules::parse(name).unwrap()
}

fn units(database: &Database) -> Vec<Unit> {
    database.units().unwrap().iter().map(|stored| stored.unit).collect()
}

/// All of a database as outcomes, in a directory of their own.
fn exported(source: &Database) -> (TempDir, Database) {
    let root = tempfile::tempdir().unwrap();
    let export = Export::new(source, root.path(), &units(source), false).unwrap();
    export.run(&mut |_| {}).unwrap();
    let database = Database::open(root.path(), source.rules()).unwrap();
    (root, database)
}

fn files(database: &Database) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(database.directory()).unwrap().map(|entry| entry.unwrap());
    let named = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()));
    named.collect()
}

fn check_outcomes(source: &Database, outcomes: &Database) {
    assert_eq!(units(source), units(outcomes));
    for unit in units(source) {
        let (source, file) = (source.unit(unit).unwrap(), outcomes.unit(unit).unwrap());
        let (source, file) = (source.unwrap(), file.unwrap());
        assert_eq!((file.metric(), file.width()), (Metric::Outcome, Width::Packed));
        for (info, found) in source.tables().iter().zip(file.tables()) {
            assert_eq!((info.table, info.layout), (found.table, found.layout));
            let Counts { wins, draws, losses, .. } = info.counts;
            assert_eq!(found.counts, Counts::of_outcomes(wins, draws, losses));
            let mut codes = vec![0; info.layout.slots() as usize];
            file.read_all(info.table, &mut codes).unwrap();
            for (slot, code) in (0..).zip(codes) {
                let value = source.value(info.table, slot).unwrap();
                assert_eq!(code.value(), Some(value.outcome()), "{} {slot}", info.table);
            }
        }
    }
}

#[test]
fn test_every_outcome_is_that_of_the_value() {
    for name in ["three", "three-flying", "six+men=4"] {
        let (_root, source) = database::whole_game(&rules(name));
        let (_target, outcomes) = exported(&source);
        check_outcomes(&source, &outcomes);
        let reports = verify_files(&outcomes, &units(&outcomes));
        assert!(reports.iter().all(|report| report.outcome.is_ok()));
    }
}

#[test]
fn test_wide_codes_and_outcomes_are_exported_alike() {
    let (_root, wide) = database::wide(&rules("nine"), &["4-3"]);
    let (_target, outcomes) = exported(&wide);
    check_outcomes(&wide, &outcomes);
    let (_again, again) = exported(&outcomes);
    assert!(files(&again) == files(&outcomes));
}

#[test]
fn test_bytes_do_not_depend_on_threads() {
    let (_root, source) = database::of_subspaces(&rules("nine"), &["4-3"]);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (_target, outcomes) = pool.install(|| exported(&source));
        files(&outcomes)
    };
    assert!(bytes(1) == bytes(3));
}

#[test]
fn test_finished_units_are_kept_and_leftovers_removed() {
    let (_root, source) = database::whole_game(&rules("three"));
    let (target, outcomes) = exported(&source);
    let whole = files(&outcomes);
    fs::remove_file(outcomes.directory().join("3-3.mdb")).unwrap();
    fs::write(outcomes.directory().join("3-3.mdb.part"), "half").unwrap();
    let export = Export::new(&source, target.path(), &units(&source), false).unwrap();
    assert_eq!(export.remaining().unwrap().0, 1);
    let mut begun = Vec::new();
    let mut hear = |step: Step| {
        if let Step::Started(unit, place) = step {
            begun.push((unit.to_string(), place));
        }
    };
    export.run(&mut hear).unwrap();
    assert_eq!(begun, [("3-3".to_string(), 0)]);
    assert!(files(&outcomes) == whole);
}

#[test]
fn test_an_export_of_other_values_is_made_again() {
    let rules = rules("three");
    let (_root, source) = database::whole_game(&rules);
    let (target, outcomes) = exported(&source);
    let whole = files(&outcomes);
    let unit = *units(&source).last().unwrap();
    let file = source.unit(unit).unwrap().unwrap();
    let tables: Vec<_> = file.tables().iter().map(|info| (info.table, info.layout)).collect();
    let plan = UnitPlan { unit, metric: Metric::Outcome, width: Width::Packed, tables };
    let mut writer = outcomes.writer(&plan).unwrap();
    for (table, layout) in &plan.tables {
        writer.write(*table, &vec![u8::DRAW; layout.slots() as usize]).unwrap();
    }
    writer.finish(vec![Counts::of_outcomes(0, 1, 0); plan.tables.len()]).unwrap();
    assert!(files(&outcomes) != whole);
    Export::new(&source, target.path(), &units(&source), false).unwrap().run(&mut |_| {}).unwrap();
    assert!(files(&outcomes) == whole);
}

#[test]
fn test_a_source_without_value_is_named_and_leaves_nothing() {
    let (_root, source) = database::altered(&rules("three"), &["3-3"], &|_, codes| codes[77] = 0);
    let target = tempfile::tempdir().unwrap();
    let export = Export::new(&source, target.path(), &units(&source), false).unwrap();
    let text = export.run(&mut |_| {}).unwrap_err().to_string();
    assert!(text.ends_with("3-3.mdb: slot 77 holds code 0, which is no value"), "{text}");
    assert!(files(export.target()).keys().all(|name| name == ".lock"));
}

#[test]
fn test_files_of_an_older_arrangement_are_not_exported() {
    let rules = rules("six+men=4");
    let (_root, source) = database::whole_game(&rules);
    let (target, outcomes) = exported(&source);
    let whole = files(&outcomes);
    database::age(&source);
    let export = Export::new(&source, target.path(), &units(&source), false);
    let text = export.unwrap_err().to_string();
    assert!(text.contains("an older version wrote it; `merels solve`, with"), "{text}");
    assert!(files(&outcomes) == whole);
}

#[test]
fn test_what_is_no_place_for_outcomes_is_refused() {
    let (root, source) = database::whole_game(&rules("three"));
    let all = units(&source);
    let refusal =
        |path: &Path, units: &[Unit]| Export::new(&source, path, units, false).unwrap_err();
    assert!(matches!(refusal(root.path(), &all), ExportError::Itself { .. }));
    let (other, _) = database::whole_game(&rules("three"));
    assert!(matches!(refusal(other.path(), &all), ExportError::Depths { .. }));
    let nowhere = root.path().join("new");
    let missing = "3-3+5+5".parse::<merels::index::Subspace>().unwrap().unit();
    assert!(refusal(&nowhere, &[missing]).to_string().contains("is not solved yet"));
    assert!(!nowhere.exists());
}

fn reading(position: Position) -> Reading {
    position.into()
}

/// Holds an answer from outcomes against the one with depths.
fn check_answer(exact: &Answer, answer: &Answer) {
    assert_eq!((&answer.position, &answer.value), (&exact.position, &exact.value));
    let by_name = |answer: &Answer| -> BTreeMap<String, String> {
        answer.turns.iter().map(|rated| (rated.turn.clone(), rated.value.clone())).collect()
    };
    assert_eq!(by_name(answer), by_name(exact));
    if answer.depths {
        assert_eq!(answer, exact);
        return;
    }
    assert!(answer.plies.is_none() && answer.turns.iter().all(|rated| rated.plies.is_none()));
    let grade = |value: &str| ["win", "draw", "loss"].iter().position(|name| *name == value);
    assert!(answer.turns.iter().map(|rated| grade(&rated.value)).is_sorted());
    assert_eq!(answer.turns.first().map(|rated| &rated.value), Some(&answer.value));
}

#[test]
fn test_answers_are_those_of_the_values_without_plies() {
    let rules = rules("six+men=4");
    let (_root, source) = database::whole_game(&rules);
    let (_target, outcomes) = exported(&source);
    let (exact, query) = (Query::new(source), Query::new(outcomes));
    let mut position = Position::start(&rules);
    for step in 0..200 {
        let answers = [&exact, &query].map(|query| query.answer(&reading(position), None).unwrap());
        check_answer(&answers[0], &answers[1]);
        let turns = rules.turns(&position);
        match turns.is_empty() {
            true => position = Position::start(&rules),
            false => position = rules.play(&position, &turns[step * 7 % turns.len()]),
        }
    }
    let json = serde_json::to_value(query.answer(&reading(Position::start(&rules)), None).unwrap());
    let json = json.unwrap();
    assert_eq!((&json["depths"], &json["plies"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(serde_json::from_value::<Answer>(json).unwrap().value, "draw");
}

#[test]
fn test_a_thin_export_answers_for_every_position_that_it_leaves_out() {
    for name in ["three", "six+men=4", "six+men=4+double-mill=two+no-move=draws"] {
        let rules = rules(name);
        let (_root, source) = database::whole_game(&rules);
        let target = tempfile::tempdir().unwrap();
        let export = Export::new(&source, target.path(), &units(&source), true).unwrap();
        export.run(&mut |_| {}).unwrap();
        let outcomes = Database::open(target.path(), &rules).unwrap();
        let (geometry, all) = (Geometry::new(&rules), units(&source));
        let left_out = all.iter().filter(|unit| !outcomes.holds(**unit));
        let left_out: Vec<_> = left_out.map(|&unit| source.unit(unit).unwrap().unwrap()).collect();
        assert!(left_out.len() * 2 >= all.len() / 2 && left_out.len() < all.len(), "{name}");
        let query = Query::new(outcomes);
        for info in left_out.iter().flat_map(|file| file.tables()) {
            let layout = Layout::new(&geometry, info.table);
            let file = left_out.iter().find(|file| file.unit() == info.table.unit()).unwrap();
            for slot in (0..layout.slots()).step_by(17) {
                let position = layout.position(slot, Color::Black);
                if rules.outcome(&position).is_some() {
                    continue;
                }
                let answer = query.answer(&reading(position), None).unwrap();
                let value = file.value(info.table, slot).unwrap();
                assert_eq!(answer.value, value.name(), "{name} {} {slot}", info.table);
            }
        }
    }
}

#[test]
fn test_lines_and_exact_values_are_refused() {
    let rules = rules("three");
    let (_root, source) = database::whole_game(&rules);
    let (_target, outcomes) = exported(&source);
    let query = Query::new(outcomes);
    let start = Position::start(&rules);
    let refusals = [
        query.answer(&reading(start), Some(9)).err(),
        query.value(&start).err(),
        query.turns(&start).err(),
        query.best_line(&reading(start), 9).err(),
    ];
    for refused in refusals.map(Option::unwrap) {
        assert!(matches!(refused, QueryError::OutcomesOnly { .. }), "{refused}");
    }
}

#[test]
fn test_where_kinds_are_mixed_no_plies_are_told() {
    let rules = rules("nine");
    let (_root, source) = database::of_subspaces(&rules, &["4-3"]);
    let (_target, outcomes) = exported(&source);
    // Depths of 4-3 over outcomes of 3-3.
    fs::copy(source.directory().join("4-3.mdb"), outcomes.directory().join("4-3.mdb")).unwrap();
    let mixed = Database::open(outcomes.root(), &rules).unwrap();
    let mixed = Arc::new(mixed);
    let (exact, query) = (Query::new(source), Query::new(Arc::clone(&mixed)));
    let unit = units(&mixed).into_iter().find(|unit| unit.to_string() == "4-3").unwrap();
    let geometry = Geometry::new(&rules);
    let (mut with, mut without) = (0, 0);
    for table in unit.tables() {
        let layout = merels::index::Layout::new(&geometry, table);
        for slot in (0..layout.slots()).step_by(layout.slots() as usize / 150) {
            let position = layout.position(slot, merels::rules::Color::White);
            let [exact, answer] =
                [&exact, &query].map(|query| query.answer(&reading(position), None).unwrap());
            check_answer(&exact, &answer);
            if answer.depths { with += 1 } else { without += 1 }
        }
    }
    assert!(with > 0 && without > 0);
    let error = verify(&mixed, None).unwrap_err();
    assert!(matches!(error, VerifyError::MixedKinds { .. }), "{error}");
}

fn verify(
    database: &Database,
    sample: Option<u64>,
) -> Result<Vec<merels::verify::TableReport>, VerifyError> {
    let geometry = Geometry::new(database.rules());
    let options = Options { sample, ..Options::default() };
    verify_units(database, &geometry, &units(database), &options, &mut |_| {})
}

#[test]
fn test_outcomes_are_verified_against_each_other() {
    for name in ["three", "six+men=4", "lasker+men=3"] {
        let (_root, source) = database::whole_game(&rules(name));
        let (_target, outcomes) = exported(&source);
        for sample in [None, Some(100)] {
            let reports = verify(&outcomes, sample).unwrap();
            assert!(reports.iter().all(|report| report.is_right()), "{name}");
            assert!(reports.iter().all(|report| report.metric == Metric::Outcome));
        }
    }
    let three = rules("three");
    let (_root, source) = database::altered(&three, &["3-3"], &|_, codes| {
        codes[5] = if codes[5] == u8::DRAW { u8::win(1) } else { u8::DRAW };
    });
    let (_target, outcomes) = exported(&source);
    let reports = verify(&outcomes, None).unwrap();
    assert!(reports.iter().any(|report| report.differing > 0));
}

#[test]
fn test_nothing_is_solved_on_outcomes_or_compared_with_them() {
    let rules = rules("three");
    let (_root, source) = database::whole_game(&rules);
    let (_target, outcomes) = exported(&source);
    let before = files(&outcomes);
    let geometry = Geometry::new(&rules);
    let refused = solve_plan(&outcomes, &geometry, &plan_game(&rules), 1 << 30, &()).unwrap_err();
    assert!(matches!(refused, SolveError::OutcomesOnly { .. }), "{refused}");
    assert!(files(&outcomes) == before);
    let refused = reproduce(&Arc::new(outcomes), &Facts::published(), None).unwrap_err();
    assert!(matches!(refused, QueryError::OutcomesOnly { .. }), "{refused}");
}
