//! Small databases for tests, solved for the occasion; on request falsified, or in other forms.

use merels::index::{Geometry, Subspace, Table, subsets};
use merels::rules::Rules;
use merels::solve::{PlannedUnit, plan_extended, plan_game, plan_subspaces, solve_plan};
use merels::storage::{Counts, Database, Layout, Metric, TableInfo, UnitPlan, Width};
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

/// Rewrites the files of tables whose mover names the rows as versions before 3 had them: named by the
/// opponent. The codes are all draws, for nobody is to read them.
pub fn age(database: &Database) {
    let geometry = Geometry::new(database.rules());
    for stored in database.units().unwrap() {
        let file = database.unit(stored.unit).unwrap().unwrap();
        if !file.tables().iter().any(|info| info.layout.rows_by_own) {
            continue;
        }
        let older = |info: &TableInfo| (info.table, by_opponent(&geometry, info.table));
        let tables: Vec<_> = file.tables().iter().map(older).collect();
        let (unit, metric, width) = (stored.unit, file.metric(), Width::One);
        let mut writer =
            database.writer(&UnitPlan { unit, metric, width, tables: tables.clone() }).unwrap();
        for (table, layout) in tables {
            writer.write(table, &vec![u8::DRAW; layout.slots() as usize]).unwrap();
        }
        writer.finish(file.tables().iter().map(|info| info.counts.clone()).collect()).unwrap();
        database.close(unit);
    }
}

/// How versions before 3 arranged a table.
pub fn by_opponent(geometry: &Geometry, table: Table) -> Layout {
    let free = geometry.points() - usize::from(table.enemy);
    let row_length = subsets(free, usize::from(table.own)).len() as u64;
    let rows = geometry.sets(table.enemy).canonical().len() as u64;
    Layout { rows_by_own: false, rows, row_length }
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
