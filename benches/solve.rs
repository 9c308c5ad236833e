//! Whole solves, files included: three men's morris, and nine up to 4-4.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use merels::index::{Geometry, Table};
use merels::rules::Rules;
use merels::solve::{Observer, PlannedUnit, UnitReport};
use merels::solve::{plan_game, plan_subspaces, predict, solve_plan};
use merels::storage::Database;
use std::cell::Cell;

const MEMORY: u64 = 1 << 30;

/// Wins and losses of one table.
struct Counted {
    table: Table,
    found: Cell<(u64, u64)>,
}

impl Observer for Counted {
    fn unit_finished(&self, report: &UnitReport) {
        for (_, _, counts) in report.tables.iter().filter(|(table, ..)| *table == self.table) {
            self.found.set((counts.wins, counts.losses));
        }
    }
}

fn bench_plan(
    criterion: &mut Criterion,
    rules: &Rules,
    plan: &[PlannedUnit],
    expected: (u64, u64),
) {
    let geometry = Geometry::new(rules);
    let table = Table { own: 3, enemy: 3, own_hand: 0, enemy_hand: 0 };
    let slots = plan.iter().map(|planned| predict(rules, &geometry, planned).slots).sum();
    let mut group = criterion.benchmark_group("solve");
    group.sample_size(10).throughput(Throughput::Elements(slots));
    group.bench_function(rules.name(), |bencher| {
        bencher.iter_with_large_drop(|| {
            let directory = tempfile::tempdir().unwrap();
            let database = Database::create(directory.path(), rules).unwrap();
            let counted = Counted { table, found: Cell::default() };
            solve_plan(&database, &geometry, plan, MEMORY, &counted).unwrap();
            assert_eq!(counted.found.get(), expected);
            directory
        });
    });
}

fn bench(criterion: &mut Criterion) {
    let three = Rules::named("three").unwrap();
    bench_plan(criterion, &three, &plan_game(&three), (120, 63));
    let nine = Rules::named("nine").unwrap();
    let plan = plan_subspaces(&nine, &["4-4".parse().unwrap()]).unwrap();
    bench_plan(criterion, &nine, &plan, (140_621, 28_736));
}

criterion_group!(benches, bench);
criterion_main!(benches);
