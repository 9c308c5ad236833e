//! One code from a finished file: frame by frame, from a frame in the cache, and after opening.

use criterion::{Criterion, criterion_group, criterion_main};
use merels::bench::random_positions;
use merels::index::{Geometry, Layout, Subspace};
use merels::rules::{Color, Rules};
use merels::solve::{plan_subspaces, solve_plan};
use merels::storage::Database;
use std::hint::black_box;
use std::iter::Cycle;
use std::vec::IntoIter;

const MEMORY: u64 = 1 << 30;

fn bench(criterion: &mut Criterion) {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let subspace: Subspace = "4-4".parse().unwrap();
    let plan = plan_subspaces(&rules, &[subspace]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let database = Database::create(directory.path(), &rules).unwrap();
    solve_plan(&database, &geometry, &plan, MEMORY, &()).unwrap();
    let table = subspace.table(Color::White);
    let file = database.unit(table.unit()).unwrap().unwrap();
    let layout = Layout::new(&geometry, table);
    let slots: Vec<u64> =
        random_positions(&layout, 1000).iter().map(|p| layout.slot_of(p)).collect();
    let known: Vec<(u64, u32)> =
        slots.iter().map(|&slot| (slot, file.code(table, slot).unwrap())).collect();
    let check = |(slot, code): (u64, u32)| {
        assert_eq!(file.code(table, black_box(slot)).unwrap(), code);
    };
    let mut group = criterion.benchmark_group("probe");
    group.bench_function("random frame", |bencher| {
        let mut next: Cycle<IntoIter<_>> = known.clone().into_iter().cycle();
        bencher.iter(|| check(next.next().unwrap()));
    });
    group.bench_function("frame in the cache", |bencher| bencher.iter(|| check(known[0])));
    group.bench_function("database just opened", |bencher| {
        bencher.iter(|| {
            let database = Database::open(directory.path(), &rules).unwrap();
            let file = database.unit(table.unit()).unwrap().unwrap();
            assert_eq!(file.code(table, black_box(known[0].0)).unwrap(), known[0].1);
        });
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
