//! Small databases for tests: solved in memory, written like any other.

use merels::index::{Geometry, Layout, Subspace, Table};
use merels::rules::Rules;
use merels::solve::{PlannedUnit, Source, plan_game, plan_subspaces, solve_unit};
use merels::storage::{self, Counts, Database, Metric, UnitPlan};
use merels::value::Code;
use std::collections::HashMap;
use std::sync::Arc;
use tempfile::TempDir;

/// Finished tables by name.
#[derive(Default)]
pub struct Tables(HashMap<Table, Arc<Vec<u8>>>);

impl Source<u8> for Tables {
    type Error = Table;

    fn codes(&self, table: Table) -> Result<Arc<Vec<u8>>, Table> {
        self.0.get(&table).cloned().ok_or(table)
    }
}

/// A database of the whole game in a directory of its own, which goes away with the first value.
pub fn whole_game(rules: &Rules) -> (TempDir, Database) {
    written(rules, &plan_game(rules), &|_, _| {})
}

/// A database of some subspaces and all they need.
pub fn of_subspaces(rules: &Rules, names: &[&str]) -> (TempDir, Database) {
    altered(rules, names, &|_, _| {})
}

/// The same, but `alter` may change the codes of each table before it is written. Tables solved
/// later rest on the true ones.
pub fn altered(
    rules: &Rules,
    names: &[&str],
    alter: &dyn Fn(Table, &mut [u8]),
) -> (TempDir, Database) {
    let subspaces: Vec<Subspace> = names.iter().map(|name| name.parse().unwrap()).collect();
    written(rules, &plan_subspaces(rules, &subspaces).unwrap(), alter)
}

fn written(
    rules: &Rules,
    plan: &[PlannedUnit],
    alter: &dyn Fn(Table, &mut [u8]),
) -> (TempDir, Database) {
    let root = tempfile::tempdir().unwrap();
    let database = Database::create(root.path(), rules).unwrap();
    let geometry = Geometry::new(rules.board());
    let mut finished = Tables::default();
    for PlannedUnit { unit, tables } in plan {
        let solved = solve_unit(rules, &geometry, tables, &finished, &|_| {}).unwrap();
        let layouts = tables.iter().map(|&table| (table, stored_layout(&geometry, table)));
        let plan =
            UnitPlan { unit: *unit, metric: Metric::Depth, width: 1, tables: layouts.collect() };
        let mut writer = database.writer(&plan).unwrap();
        let mut counts = Vec::new();
        for (table, codes) in solved.tables {
            let mut changed = codes.clone();
            alter(table, &mut changed);
            writer.write(table, &changed).unwrap();
            // Counted before the change, as a solver with sound counts would.
            counts.push(count(&Layout::new(&geometry, table), &codes));
            finished.0.insert(table, Arc::new(codes));
        }
        writer.finish(counts).unwrap();
    }
    (root, database)
}

fn stored_layout(geometry: &Geometry, table: Table) -> storage::Layout {
    let layout = Layout::new(geometry, table);
    storage::Layout { rows: layout.rows() as u64, row_length: layout.row_len() as u64 }
}

fn count(layout: &Layout, codes: &[u8]) -> Counts {
    let mut decided = vec![0; 256];
    let mut draws = 0;
    for slot in (0..layout.slots()).filter(|&slot| layout.is_least(slot)) {
        match codes[slot as usize].value().unwrap().plies() {
            Some(plies) => decided[plies as usize] += 1,
            None => draws += 1,
        }
    }
    Counts::of_histogram(decided, draws)
}
