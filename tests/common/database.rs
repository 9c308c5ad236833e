//! Small databases for tests, solved for the occasion; on request falsified, or in other forms.

use merels::index::{Geometry, Subspace, Table};
use merels::rules::Rules;
use merels::solve::{PlannedUnit, plan_extended, plan_game, plan_subspaces, solve_plan};
use merels::storage::{Counts, Database, Metric, TableInfo, UnitPlan, Width};
use merels::value::{Code, Distance};
use tempfile::TempDir;

/// More than any of these small solves needs.
const MEMORY: u64 = 1 << 30;

/// A database of the whole game in a directory of its own, which goes away with the first value.
pub fn whole_game(rules: &Rules) -> (TempDir, Database) {
    solved(rules, Distance::Win, &plan_game(rules))
}

/// A database of all games that begin with at most `most` men in either hand.
pub fn extended(rules: &Rules, most: u8) -> (TempDir, Database) {
    solved(rules, Distance::Win, &plan_extended(rules, most))
}

/// A database of some subspaces and all they need.
pub fn of_subspaces(rules: &Rules, names: &[&str]) -> (TempDir, Database) {
    solved(rules, Distance::Win, &plan_of(rules, names))
}

/// The same with plies that count to the next mill.
pub fn of_conversion(rules: &Rules, names: &[&str]) -> (TempDir, Database) {
    solved(rules, Distance::Conversion, &plan_of(rules, names))
}

fn plan_of(rules: &Rules, names: &[&str]) -> Vec<PlannedUnit> {
    let subspaces: Vec<Subspace> = names.iter().map(|name| name.parse().unwrap()).collect();
    plan_subspaces(rules, &subspaces).unwrap()
}

fn solved(rules: &Rules, distance: Distance, plan: &[PlannedUnit]) -> (TempDir, Database) {
    let root = tempfile::tempdir().unwrap();
    let database = Database::create_with(root.path(), rules, distance).unwrap();
    solve_plan(&database, &Geometry::new(rules), plan, MEMORY, &()).unwrap();
    (root, database)
}

/// The same, but `alter` changes the codes of each table before they are written, with valid
/// checksums and the counts of the true values. No value rests on a changed one.
pub fn altered(
    rules: &Rules,
    names: &[&str],
    alter: &dyn Fn(Table, &mut [u8]),
) -> (TempDir, Database) {
    rewritten(rules, names, Width::One, &|table, mut codes| {
        alter(table, &mut codes);
        codes
    })
}

/// The same as [`of_subspaces`], with two-byte codes.
pub fn wide(rules: &Rules, names: &[&str]) -> (TempDir, Database) {
    rewritten(rules, names, Width::Two, &|_, codes| {
        let wide = codes.into_iter().map(|code| code.convert::<u16>().unwrap());
        wide.flat_map(u16::to_le_bytes).collect()
    })
}

fn rewritten(
    rules: &Rules,
    names: &[&str],
    width: Width,
    rewrite: &dyn Fn(Table, Vec<u8>) -> Vec<u8>,
) -> (TempDir, Database) {
    let (_original_root, original) = of_subspaces(rules, names);
    let (root, database) = empty(rules);
    for stored in original.units().unwrap() {
        let file = original.unit(stored.unit).unwrap().unwrap();
        let tables = file.tables().iter().map(|info| (info.table, info.layout)).collect();
        let plan = UnitPlan { unit: stored.unit, metric: Metric::Depth, width, tables };
        let mut writer = database.writer(&plan).unwrap();
        for TableInfo { table, layout, .. } in file.tables() {
            let mut codes = vec![0; layout.slots() as usize];
            file.read_all(*table, &mut codes).unwrap();
            writer.write(*table, &rewrite(*table, codes)).unwrap();
        }
        writer.finish(file.tables().iter().map(|info| info.counts.clone()).collect()).unwrap();
    }
    (root, database)
}

/// A database whose files tell win, draw or loss only; all draws, for nobody is to believe them.
pub fn outcomes_only(rules: &Rules, names: &[&str]) -> (TempDir, Database) {
    let (_original_root, original) = of_subspaces(rules, names);
    let (root, database) = empty(rules);
    for stored in original.units().unwrap() {
        let file = original.unit(stored.unit).unwrap().unwrap();
        let tables: Vec<_> = file.tables().iter().map(|info| (info.table, info.layout)).collect();
        let plan =
            UnitPlan { unit: stored.unit, metric: Metric::Outcome, width: Width::One, tables };
        let mut writer = database.writer(&plan).unwrap();
        for (table, layout) in &plan.tables {
            writer.write(*table, &vec![u8::DRAW; layout.slots() as usize]).unwrap();
        }
        writer.finish(vec![Counts::of_outcomes(0, 1, 0); plan.tables.len()]).unwrap();
    }
    (root, database)
}

fn empty(rules: &Rules) -> (TempDir, Database) {
    let root = tempfile::tempdir().unwrap();
    let database = Database::create(root.path(), rules).unwrap();
    (root, database)
}
