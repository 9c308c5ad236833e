//! Positions to slots and back, at random places of a table.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use merels::bench::random_positions;
use merels::index::{Geometry, Layout, Table};
use merels::rules::{Color, Rules};
use std::hint::black_box;

const POSITIONS: usize = 1000;

fn bench(criterion: &mut Criterion) {
    let rules = Rules::named("nine").unwrap();
    let geometry = Geometry::new(&rules);
    let table = Table { own: 6, enemy: 5, own_hand: 0, enemy_hand: 0 };
    let layout = Layout::new(&geometry, table);
    let positions = random_positions(&layout, POSITIONS);
    let slots: Vec<u64> = positions.iter().map(|p| layout.slot_of(p)).collect();
    // A slot's position has that slot again, or another slot of its class in the same row.
    for &slot in &slots {
        assert_eq!(layout.slot_of(&layout.position(slot, Color::White)), slot);
    }
    let sum: u64 = slots.iter().sum();
    let men: u32 = 5 * POSITIONS as u32;
    let mut group = criterion.benchmark_group("index");
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("slot", |bencher| {
        let slot_sum = || black_box(&positions).iter().map(|p| layout.slot_of(p)).sum::<u64>();
        bencher.iter(|| assert_eq!(slot_sum(), sum));
    });
    group.bench_function("sets_at", |bencher| {
        let enemies = |&slot: &u64| layout.sets_at(slot).1.count_ones();
        bencher.iter(|| assert_eq!(black_box(&slots).iter().map(enemies).sum::<u32>(), men));
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
