//! Listing the legal turns of positions, by the plain statement of the rules.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use merels::bench::random_positions;
use merels::index::{Geometry, Layout, Table};
use merels::rules::{Position, Rules};
use std::hint::black_box;

const POSITIONS: usize = 1000;

/// Positions of a table of nine, the same in every run.
fn positions(own: u8, enemy: u8, hand: u8) -> (Rules, Vec<Position>) {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let table = Table { own, enemy, own_hand: hand, enemy_hand: hand };
    let positions = random_positions(&Layout::new(&geometry, table), POSITIONS);
    (rules, positions)
}

fn count(rules: &Rules, positions: &[Position]) -> usize {
    let mut turns = 0;
    for position in positions {
        rules.for_each_turn(position, &mut |_| turns += 1);
    }
    turns
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("moves");
    for (name, own, hand) in [("placing", 4, 5), ("moving", 6, 0), ("flying", 3, 0)] {
        let (rules, positions) = positions(own, 4, hand);
        let expected: usize = positions.iter().map(|p| rules.turns(p).len()).sum();
        assert!(expected > POSITIONS, "{name}: {expected}");
        group.throughput(Throughput::Elements(expected as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(count(&rules, black_box(&positions)), expected));
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
