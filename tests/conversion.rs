//! Depth to conversion: plies to the winner's next mill, held against solvers that share nothing with
//! the engine but the rules, and against depth to win, with which it agrees on who wins.
//!
//! Also what the rest of the library does with such tables: verification, queries, and the refusal
//! to mix the two kinds.

mod common;

use common::database;
use common::forward::{ForwardSolution, class_positions_of};
use common::grid::Grid;
use common::solved::Solved;
use merels::index::{Geometry, Layout, Subspace, Unit};
use merels::query::{Choice, Query};
use merels::reproduce::{Facts, Row, Status, Subject, reproduce};
use merels::rules::{Color, Position, Rules};
use merels::solve::{PlannedUnit, plan_game, plan_subspaces};
use merels::storage::{Database, Metric, StorageError};
use merels::value::{Distance, Value};
use merels::verify::{Options, TableReport, verify_files, verify_units};
use std::fs;
use std::sync::Arc;

fn plan_of(rules: &Rules, names: &[&str]) -> Vec<PlannedUnit> {
    let subspaces: Vec<Subspace> = names.iter().map(|name| name.parse().unwrap()).collect();
    plan_subspaces(rules, &subspaces).unwrap()
}

fn unit(name: &str) -> Unit {
    name.parse::<Subspace>().unwrap().unit()
}

fn nine() -> Rules {
    Rules::named("nine").unwrap()
}

/// Solves a plan both ways: outcomes agree, and every slot with the best of its turns. The plies of
/// some must differ, or nothing was tried.
fn check_plan<'g>(
    rules: &'g Rules,
    geometry: &'g Geometry,
    plan: &[PlannedUnit],
) -> Solved<'g, u8> {
    let solved = Solved::with_distance(Distance::Conversion, rules, geometry, plan);
    let to_win = Solved::of_plan(rules, geometry, plan);
    assert!(solved.check_same_outcomes(&to_win) > 0, "{rules}");
    solved.check_turns();
    solved
}

#[test]
fn test_whole_six_with_four_men() {
    let rules = Rules::parse("six+men=4").unwrap();
    let geometry = Geometry::new(&rules);
    let solved = check_plan(&rules, &geometry, &plan_game(&rules));
    let plain = ForwardSolution::convert(&rules, [Position::start(&rules)]);
    assert!(solved.check_forward(&plain) > 100_000);
}

#[test]
fn test_options_on_sixteen_points() {
    for options in [
        &["men=4", "flying=at-three"][..],
        &["men=4", "place-or-move=yes", "double-mill=two", "protected=always", "no-move=draws"],
    ] {
        let rules = Rules::with_options("six", options).unwrap();
        let geometry = Geometry::new(&rules);
        let solved = check_plan(&rules, &geometry, &plan_game(&rules));
        let plain = ForwardSolution::convert_classes(&rules, [Position::start(&rules)]);
        assert!(solved.check_forward(&plain) > 100_000, "{rules}");
    }
}

#[test]
fn test_options_on_nine_points() {
    for rules in Grid::new("three", &["line-wins=no"]).men(4).take(16).cases() {
        let geometry = Geometry::new(&rules);
        let plan = plan_game(&rules);
        let solved = Solved::<u8>::with_distance(Distance::Conversion, &rules, &geometry, &plan);
        solved.check_same_outcomes(&Solved::of_plan(&rules, &geometry, &plan));
        solved.check_turns();
        let plain = ForwardSolution::convert(&rules, [Position::start(&rules)]);
        assert!(solved.check_forward(&plain) > 0, "{rules}");
    }
}

/// Where the first full line wins there is no removal, and nothing to tell the two apart.
#[test]
fn test_without_removals_nothing_changes() {
    let rules = Rules::named("three").unwrap();
    let geometry = Geometry::new(&rules);
    let plan = plan_game(&rules);
    let solved = Solved::<u8>::with_distance(Distance::Conversion, &rules, &geometry, &plan);
    assert_eq!(solved.check_same_outcomes(&Solved::of_plan(&rules, &geometry, &plan)), 0);
}

#[test]
fn test_nine_up_to_four_against_four_by_its_turns() {
    let rules = nine();
    let geometry = Geometry::new(&rules);
    check_plan(&rules, &geometry, &plan_of(&rules, &["4-4"]));
}

/// Solves the last of some subspaces, and compares every slot of all with the plain solver.
fn check_nine(subspaces: &[(u8, u8)]) {
    let rules = nine();
    let geometry = Geometry::new(&rules);
    let (own, enemy) = subspaces[subspaces.len() - 1];
    let plan = plan_of(&rules, &[&format!("{own}-{enemy}")]);
    let solved = Solved::<u8>::with_distance(Distance::Conversion, &rules, &geometry, &plan);
    let either_to_move = subspaces.iter().flat_map(|&(own, enemy)| [(own, enemy), (enemy, own)]);
    let starts =
        either_to_move.flat_map(|(own, enemy)| class_positions_of(&rules, own, enemy, 0, 0));
    let plain = ForwardSolution::convert_classes(&rules, starts);
    assert_eq!(solved.check_forward(&plain) as u64, solved.slots());
}

#[test]
fn test_nine_four_against_three_class_by_class() {
    check_nine(&[(3, 3), (4, 3)]);
}

#[test]
#[ignore = "40 seconds of CPU, 1 GB: cargo test --release --test conversion four_against_four_class -- --ignored"]
fn test_nine_four_against_four_class_by_class() {
    check_nine(&[(3, 3), (4, 3), (4, 4)]);
}

fn verified(database: &Database) -> Vec<TableReport> {
    let geometry = Geometry::new(database.rules());
    let units: Vec<Unit> = database.units().unwrap().iter().map(|stored| stored.unit).collect();
    assert!(verify_files(database, &units).iter().all(|file| file.outcome.is_ok()));
    verify_units(database, &geometry, &units, &Options::default(), &mut |_| ()).unwrap()
}

#[test]
fn test_databases_are_verified_by_the_same_definition() {
    for (rules, names) in
        [(nine(), &["4-4"][..]), (Rules::parse("six+men=4+flying=at-three").unwrap(), &["0-0+4+4"])]
    {
        let (_root, database) = database::of_conversion(&rules, names);
        let reports = verified(&database);
        assert!(reports.iter().all(TableReport::is_right), "{rules}");
        let file = database.unit(reports[0].table.unit()).unwrap().unwrap();
        assert_eq!(
            (file.metric(), database.distance()),
            (Metric::Conversion, Distance::Conversion)
        );
    }
}

/// The plies of one kind are wrong as the other.
#[test]
fn test_depths_to_win_in_the_place_of_distances_are_found() {
    let rules = nine();
    let (_root, to_win) = database::of_subspaces(&rules, &["4-4"]);
    let root = tempfile::tempdir().unwrap();
    let database = Database::create_with(root.path(), &rules, Distance::Conversion).unwrap();
    for stored in to_win.units().unwrap() {
        let file = to_win.unit(stored.unit).unwrap().unwrap();
        let plan = merels::storage::UnitPlan {
            unit: stored.unit,
            metric: Metric::Conversion,
            width: file.width(),
            tables: file.tables().iter().map(|info| (info.table, info.layout)).collect(),
        };
        let mut writer = database.writer(&plan).unwrap();
        for (table, layout) in &plan.tables {
            let mut codes = vec![0; layout.slots() as usize];
            file.read_all(*table, &mut codes).unwrap();
            writer.write(*table, &codes).unwrap();
        }
        writer.finish(file.tables().iter().map(|info| info.counts.clone()).collect()).unwrap();
    }
    let reports = verified(&database);
    let differing: u64 = reports.iter().map(|report| report.differing).sum();
    assert!(differing > 0 && reports[0].is_right(), "3-3 is the same both ways");
}

#[test]
fn test_databases_of_the_two_kinds_lie_apart_and_never_mix() {
    let rules = nine();
    let (root, conversion) = database::of_conversion(&rules, &["3-3"]);
    assert_eq!(conversion.directory(), root.path().join("nine.dtc"));
    let text = Database::open(root.path(), &rules).unwrap_err().to_string();
    assert!(text.starts_with("no database of rules 'nine' in ") && !text.contains("it holds"));
    let to_win = Database::create(root.path(), &rules).unwrap();
    fs::copy(conversion.directory().join("3-3.mdb"), to_win.directory().join("3-3.mdb")).unwrap();
    let error = to_win.unit(unit("3-3")).unwrap_err();
    assert!(matches!(error, StorageError::WrongMetric { .. }));
    let text = error.to_string();
    let named = "holds metric dtc (depth to conversion), expected metric dtw (depth to win)";
    assert!(text.contains(named) && text.contains("nine/3-3.mdb"), "{text}");
    let (outcomes_root, _outcomes) = database::outcomes_only(&rules, &["3-3"]);
    fs::rename(outcomes_root.path().join("nine"), outcomes_root.path().join("nine.dtc")).unwrap();
    let outcomes = Database::open_with(outcomes_root.path(), &rules, Distance::Conversion).unwrap();
    let text = outcomes.unit(unit("3-3")).unwrap_err().to_string();
    assert!(text.contains("holds win, draw or loss only, expected metric dtc"), "{text}");
}

#[test]
fn test_what_is_missing_is_named_with_the_metric() {
    let rules = nine();
    let (root, database) = database::of_conversion(&rules, &["3-3"]);
    let text = database.not_solved("4-4".parse().unwrap()).to_string();
    let expected = "subspace 4-4 is not solved yet with metric dtc: run `merels solve 4-4 --rules nine \
                    --metric dtc --db ";
    assert!(text.starts_with(expected), "{text}");
    let six = Rules::named("six").unwrap();
    let text = Database::open_with(root.path(), &six, Distance::Conversion).unwrap_err();
    let text = text.to_string();
    assert!(text.contains("no database of rules 'six' with metric dtc in "), "{text}");
    assert!(text.contains("solve --rules six --metric dtc --db "), "{text}");
    assert!(text.ends_with("(it holds rules nine)"), "{text}");
}

/// As many plies as the value says, none of them a removal but the winner's, which is the last.
fn check_line(query: &Query, position: &Position, plies: u32) -> bool {
    let line = query.best_line(&(*position).into(), 1000).unwrap();
    assert_eq!(line.len(), plies as usize, "{position:?}");
    let removes = |choice: &Choice| match choice {
        Choice::Turn(turn) => turn.removed != 0,
        Choice::Removal(_) => panic!("no removal is owed"),
    };
    let removals = line.iter().filter(|ranked| removes(&ranked.choice)).count();
    let at_the_end = line.last().is_some_and(|ranked| removes(&ranked.choice));
    assert_eq!(removals, usize::from(at_the_end), "{position:?}");
    at_the_end
}

#[test]
fn test_queries_rank_turns_and_lines_end_with_the_mill() {
    let rules = Rules::named("six").unwrap();
    let (_root, database) = database::of_conversion(&rules, &["6-5"]);
    let query = Query::new(database);
    let geometry = Geometry::new(&rules);
    let (mut mills, mut others) = (0, 0);
    for table in unit("6-5").tables() {
        let layout = Layout::new(&geometry, table);
        for slot in (0..layout.slots()).step_by(1_009) {
            let position = layout.position(slot, Color::White);
            let value = query.value(&position).unwrap();
            let turns = query.turns(&position).unwrap();
            assert_eq!(turns.first().map_or(Value::Loss(0), |best| best.value), value);
            let Some(plies) = value.plies() else { continue };
            match check_line(&query, &position, plies) {
                true => mills += 1,
                false => others += 1,
            }
        }
    }
    assert!(mills > 100 && others > 0, "{mills} by a mill, {others} by the end of the game");
}

/// Not over, for there are turns, but each closes a mill and leaves the winner winning.
#[test]
fn test_a_loser_with_nothing_but_removals_is_at_zero() {
    let rules = Rules::named("six").unwrap();
    let (_root, database) = database::of_conversion(&rules, &["6-4"]);
    let query = Query::new(database);
    let geometry = Geometry::new(&rules);
    let layout = Layout::new(&geometry, unit("6-4").second().unwrap());
    let mut found = 0;
    for slot in (0..layout.slots()).filter(|&slot| layout.is_least(slot)) {
        let position = layout.position(slot, Color::White);
        if query.value(&position).unwrap() != Value::Loss(0) {
            continue;
        }
        let turns = query.turns(&position).unwrap();
        let removal = |choice| matches!(choice, Choice::Turn(turn) if turn.removed != 0);
        assert!(turns.iter().all(|turn| removal(turn.choice) && turn.value == Value::Loss(0)));
        assert!(query.best_line(&position.into(), 9).unwrap().is_empty());
        found += usize::from(!turns.is_empty());
    }
    assert!(found > 0);
}

#[test]
fn test_answers_name_the_metric() {
    let rules = nine();
    let (_root, database) = database::of_conversion(&rules, &["3-3"]);
    let query = Query::new(database);
    let geometry = Geometry::new(&rules);
    let position = Layout::new(&geometry, unit("3-3").first()).position(7, Color::White);
    let json = serde_json::to_value(query.answer(&position.into(), None).unwrap()).unwrap();
    assert_eq!(json["metric"], "dtc");
    let (_root, database) = database::of_subspaces(&rules, &["3-3"]);
    let answer = Query::new(database).answer(&position.into(), None).unwrap();
    assert!(serde_json::to_value(answer).unwrap().get("metric").is_none());
}

fn conversion_row(database: Database, facts: &Facts) -> Row {
    let report = reproduce(&Arc::new(database), facts, None).unwrap();
    let mut rows = report.rows.into_iter().filter(|row| row.subject == Subject::Conversion);
    let row = rows.next().expect("one figure is published");
    assert!(rows.next().is_none());
    row
}

#[test]
fn test_the_published_figure_is_compared_where_its_table_is_solved() {
    let rules = nine();
    let (_root, to_win) = database::of_subspaces(&rules, &["3-3"]);
    let row = conversion_row(to_win, &Facts::published());
    assert_eq!(
        (row.status, row.published.unwrap().to_string()),
        (Status::NotSolved, "win / 187".into())
    );
    assert!(row.note.contains("merels solve 8-7 --rules nine --metric dtc --db "), "{}", row.note);
    // A figure of 3-3, where the first mill ends the game, stands for the one that takes a long solve.
    let header = "source,rules,white,black,hand,to_move,value,plies,note";
    let of = |plies: u32| Facts {
        conversion: format!("{header}\nus,nine,d7 g1 g7,a4 d5 g4,0-0,black,loss,{plies},longest\n"),
        ..Facts::published()
    };
    for (plies, status) in [(26, Status::Equal), (24, Status::Differs)] {
        let (root, _conversion) = database::of_conversion(&rules, &["3-3"]);
        let to_win = Database::create(root.path(), &rules).unwrap();
        let row = conversion_row(to_win, &of(plies));
        assert_eq!((row.status, row.note.as_str()), (status, "longest"));
    }
}
