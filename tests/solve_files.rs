//! What a solved database must not depend on: threads, memory, interruptions, and the width of
//! the codes it was solved with.
//!
//! Files are compared byte for byte, so that equal databases can be told by their checksums.

mod common;

use common::database;
use common::solved::{Solved, Worst, values_of};
use merels::index::{Geometry, Subspace, Unit};
use merels::rules::Rules;
use merels::solve::{
    PlannedUnit, UnitError, plan_extended, plan_game, plan_subspaces, remaining, solve_plan,
};
use merels::storage::{Counts, Database, Width};
use merels::value::{Code, Distance};
use merels::verify::{Options, TableReport, verify_units};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PLENTY: u64 = 1 << 30;

/// So little that every unit works in scratch files, and nothing is kept for the next.
const SCARCE: u64 = 1000;

struct Game {
    rules: Rules,
    distance: Distance,
    geometry: Geometry,
    plan: Vec<PlannedUnit>,
}

impl Game {
    fn whole(name: &str) -> Game {
        Game::planned(name, plan_game)
    }

    fn with(name: &str, subspaces: &[&str]) -> Game {
        let subspaces: Vec<Subspace> = subspaces.iter().map(|s| s.parse().unwrap()).collect();
        Game::planned(name, |rules| plan_subspaces(rules, &subspaces).unwrap())
    }

    fn planned(name: &str, plan: impl Fn(&Rules) -> Vec<PlannedUnit>) -> Game {
        let rules = Rules::parse(name).unwrap();
        let (geometry, plan) = (Geometry::new(&rules), plan(&rules));
        Game { geometry, plan, rules, distance: Distance::Win }
    }

    /// With plies that count to the next mill.
    fn counting_to_mills(self) -> Game {
        Game { distance: Distance::Conversion, ..self }
    }

    fn solve_into(&self, root: &Path, threads: usize, memory: u64) -> Database {
        let database = Database::create_with(root, &self.rules, self.distance).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let solved =
            pool.install(|| solve_plan(&database, &self.geometry, &self.plan, memory, &()));
        solved.unwrap();
        database
    }

    fn in_memory<C: Code>(&self) -> Solved<'_, C> {
        Solved::with_distance(self.distance, &self.rules, &self.geometry, &self.plan)
    }

    /// The files of a fresh database.
    fn files(&self, threads: usize, memory: u64) -> BTreeMap<String, Vec<u8>> {
        let root = tempfile::tempdir().unwrap();
        files_of(&self.solve_into(root.path(), threads, memory))
    }
}

/// By name, everything in the directory but the lock.
fn files_of(database: &Database) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(database.directory()).unwrap().map(|entry| entry.unwrap());
    let files = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()));
    files.filter(|(name, _)| !name.starts_with('.')).collect()
}

fn games() -> Vec<Game> {
    vec![
        Game::whole("three"),
        Game::whole("six+men=4"),
        Game::whole("six+men=4+flying=at-three-total+double-mill=two+place-or-move=yes"),
        Game::with("nine", &["3-3+1+0"]),
        Game::with("lasker", &["3-3+1+0"]),
        Game::whole("six+men=4+flying=at-three").counting_to_mills(),
        Game::with("nine", &["4-3"]).counting_to_mills(),
    ]
}

#[test]
fn test_files_are_the_same_for_any_threads_and_memory() {
    for game in games() {
        let expected = game.files(1, PLENTY);
        assert_eq!(expected.len(), game.plan.len(), "a file per unit and nothing left over");
        for (threads, memory) in [(2, PLENTY), (1, SCARCE), (3, SCARCE)] {
            let found = game.files(threads, memory);
            assert!(found == expected, "{}: {threads} threads, {memory} bytes", game.rules);
        }
    }
}

#[test]
fn test_an_interrupted_solve_goes_on_to_the_same_files() {
    let game = Game::whole("six+men=4+place-or-move=yes");
    let root = tempfile::tempdir().unwrap();
    let database = game.solve_into(root.path(), 2, PLENTY);
    let expected = files_of(&database);
    for (step, memory) in [(2, PLENTY), (3, SCARCE), (1, PLENTY)] {
        for name in expected.keys().step_by(step) {
            fs::remove_file(database.directory().join(name)).unwrap();
        }
        fs::write(database.directory().join("work-0.scratch"), "left over").unwrap();
        let found = files_of(&game.solve_into(root.path(), 2, memory));
        assert!(found == expected, "one of {step} files removed");
    }
}

#[test]
fn test_a_wider_plan_keeps_what_is_there() {
    let root = tempfile::tempdir().unwrap();
    let part = Game::with("six+men=4", &["4-4"]);
    let before = files_of(&part.solve_into(root.path(), 2, PLENTY));
    let whole = Game::whole("six+men=4");
    let after = files_of(&whole.solve_into(root.path(), 2, PLENTY));
    assert!(before.iter().all(|(name, bytes)| after[name] == *bytes));
    assert!(after == whole.files(2, PLENTY));
}

/// Files are written anew where tables are missing, and read again by the units above them.
#[test]
fn test_an_extended_plan_adds_the_tables_that_files_lack() {
    for name in ["six+men=4", "six+men=4+place-or-move=yes+flying=at-three"] {
        let ordinary = Game::whole(name);
        let extended = Game::planned(name, |rules| plan_extended(rules, 4));
        let expected = extended.files(2, PLENTY);
        for memory in [PLENTY, SCARCE] {
            let root = tempfile::tempdir().unwrap();
            let before = files_of(&ordinary.solve_into(root.path(), 2, PLENTY));
            // Where men may move while others are in hand, both sides of a unit arise anyway.
            let rewritten = before.iter().any(|(name, bytes)| expected[name] != *bytes);
            assert_eq!(rewritten, !ordinary.rules.place_or_move(), "{name}");
            assert!(before.len() < expected.len());
            let database = extended.solve_into(root.path(), 2, memory);
            assert!(files_of(&database) == expected, "{name}: {memory} bytes");
            let geometry = Geometry::new(&ordinary.rules);
            assert!(remaining(&database, &geometry, &ordinary.plan).unwrap().is_empty());
            ordinary.solve_into(root.path(), 2, memory);
            assert!(files_of(&database) == expected, "{name}: an ordinary solve finds all");
        }
    }
}

#[test]
fn test_files_hold_what_was_solved_in_memory() {
    for game in games() {
        let root = tempfile::tempdir().unwrap();
        let database = game.solve_into(root.path(), 2, PLENTY);
        let solved = game.in_memory::<u8>();
        for (table, counts) in solved.counts() {
            let file = database.unit(table.unit()).unwrap().unwrap();
            assert_eq!(file.table(table).unwrap().counts, counts, "{} {table}", game.rules);
            let codes = solved.codes_of(table);
            let mut stored = vec![0; codes.len()];
            file.read_all(table, &mut stored).unwrap();
            assert!(stored == codes, "{} {table}", game.rules);
        }
    }
}

#[test]
fn test_wide_codes_hold_the_same_values() {
    for game in games() {
        let narrow = game.in_memory::<u8>();
        let wide = game.in_memory::<u16>();
        narrow.check_same(&wide);
    }
}

/// Upon tables in which everything is as deep as a byte holds, some depths need two: that must be
/// said, never stored as something else.
#[test]
fn test_depths_beyond_a_byte_are_refused_not_lost() {
    let mut beyond = 0;
    for name in ["three+men=4+line-wins=no", "six", "six+men=4+flying=at-three", "nine"] {
        for (plies, subspace) in [(251, "4-4"), (250, "4-4"), (251, "4-3"), (249, "4-4")] {
            let game = Game::with(name, &[subspace]);
            let tables = &game.plan.last().unwrap().tables;
            let below = Worst { plies, geometry: &game.geometry };
            let wide = below.solve::<u16>(&game.rules, tables).unwrap();
            let deepest = values_of(&wide).filter_map(|value| value.plies()).max().unwrap_or(0);
            let case = format!("{name} {subspace} {plies}: {deepest}");
            match below.solve::<u8>(&game.rules, tables) {
                Err(UnitError::Overflow) => assert!(deepest > u8::MOST_PLIES, "{case}"),
                Err(other) => panic!("{case}: {other}"),
                Ok(narrow) => assert!(values_of(&narrow).eq(values_of(&wide)), "{case}"),
            }
            beyond += usize::from(deepest > u8::MOST_PLIES);
        }
    }
    assert!(beyond > 0);
}

/// Upon a unit as deep as a byte holds, made up because no small game is, the next ones take two bytes,
/// and so does what builds on those; every value of theirs follows from its successors.
#[test]
fn test_files_take_two_bytes_where_depths_need_them() {
    let rules = Rules::parse("six+men=4").unwrap();
    let (_root, database) = database::altered(&rules, &["3-3"], &|_, codes| {
        let deepest = codes.iter_mut().filter(|code| **code != u8::DRAW);
        deepest.for_each(|code| *code = u8::decided(250 + u32::from(*code > u8::DRAW)));
    });
    let geometry = Geometry::new(&rules);
    let [below, four, whole] = ["3-3", "4-4", "0-0+4+4"].map(|s| s.parse::<Subspace>().unwrap());
    for goal in [four, whole] {
        let plan = plan_subspaces(&rules, &[goal]).unwrap();
        solve_plan(&database, &geometry, &plan, PLENTY, &()).unwrap();
    }
    let units: Vec<Unit> = database.units().unwrap().iter().map(|stored| stored.unit).collect();
    let mut deep = 0;
    for unit in units {
        let file = database.unit(unit).unwrap().unwrap();
        if unit == below.unit() {
            assert_eq!(file.width(), Width::One);
            continue;
        }
        assert_eq!(file.width(), Width::Two, "{unit}");
        let plies = |counts: &Counts| counts.max_win_plies.max(counts.max_loss_plies);
        let deepest = file.tables().iter().filter_map(|info| plies(&info.counts)).max();
        deep += usize::from(deepest > Some(u8::MOST_PLIES));
        let reports = verify_units(&database, &geometry, &[unit], &Options::default(), &mut |_| ());
        assert!(reports.unwrap().iter().all(TableReport::is_right), "{unit}");
    }
    assert!(deep > 5, "{deep}");
}

#[test]
fn test_files_of_an_older_arrangement_are_made_anew_with_all_they_need() {
    let ordinary = Game::whole("six+men=5");
    let extended = Game::planned("six+men=5", |rules| plan_extended(rules, rules.men()));
    let (fresh, all) = (ordinary.files(1, PLENTY), extended.files(1, PLENTY));
    for (game, stored, expected) in [(&ordinary, &ordinary, fresh), (&ordinary, &extended, all)] {
        let root = tempfile::tempdir().unwrap();
        let database = stored.solve_into(root.path(), 1, PLENTY);
        database::age(&database);
        let todo = remaining(&database, &game.geometry, &game.plan).unwrap();
        assert!(!todo.is_empty());
        let database = game.solve_into(root.path(), 1, PLENTY);
        assert!(remaining(&database, &game.geometry, &game.plan).unwrap().is_empty());
        // Tables beside the plan are kept; those that share no file with it may wait.
        for planned in &todo {
            let name = format!("{}.mdb", planned.unit);
            assert!(files_of(&database)[&name] == expected[&name], "{name}");
        }
        let database = stored.solve_into(root.path(), 1, PLENTY);
        assert!(files_of(&database) == expected);
    }
}
