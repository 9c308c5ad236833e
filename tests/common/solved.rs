//! Solved tables in memory, asked by position: what the tests hold against independent solvers.
//!
//! Two checks, each complete in its way. [`Solved::check_turns`] compares every slot, the redundant
//! ones of symmetric rows included, with the best of its turns as [`Rules::for_each_turn`] lists
//! them. Depths make that a proof by induction: a win needs a loss one ply shorter, a loss only
//! wins below it, and a draw cannot leave the draws. [`Solved::check_forward`] compares with the
//! plain solver, which knows nothing of slots.

use super::forward::{ForwardSolution, plain_value};
use merels::index::{Geometry, Layout, Table};
use merels::rules::{Color, Position, Rules, Verdict};
use merels::solve::count_classes;
use merels::solve::{
    Array, Means, PlannedUnit, SolvedUnit, Source, UnitError, Workspace, solve_unit,
};
use merels::storage::Counts;
use merels::value::{Code, Distance, Value};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The finished tables of a plan.
pub struct Solved<'g, C> {
    rules: &'g Rules,
    distance: Distance,
    tables: BTreeMap<Table, (Layout<'g>, Arc<Array<C>>)>,
}

impl<C: Code> Source<C> for Solved<'_, C> {
    fn codes(&self, table: Table) -> Result<Arc<Array<C>>, UnitError> {
        Ok(Arc::clone(&self.tables[&table].1))
    }
}

impl<'g, C: Code> Solved<'g, C> {
    /// Solves the units of a plan in order.
    pub fn of_plan(rules: &'g Rules, geometry: &'g Geometry, plan: &[PlannedUnit]) -> Self {
        Solved::with_distance(Distance::Win, rules, geometry, plan)
    }

    /// The same with plies that count as `distance` says.
    pub fn with_distance(
        distance: Distance,
        rules: &'g Rules,
        geometry: &'g Geometry,
        plan: &[PlannedUnit],
    ) -> Self {
        let mut solved = Solved { rules, distance, tables: BTreeMap::new() };
        let workspace = Workspace::in_memory();
        for planned in plan {
            let means = Means {
                rules,
                distance,
                geometry,
                source: &solved,
                workspace: &workspace,
                progress: &|_| (),
            };
            let unit = solve_unit::<C>(&means, &planned.tables).unwrap();
            solved.tables.extend(
                unit.tables
                    .into_iter()
                    .map(|(table, codes)| (table, (Layout::new(geometry, table), Arc::new(codes)))),
            );
        }
        solved
    }

    /// The value of a position of a table, or of one in which a player has too few men.
    pub fn value(&self, position: &Position) -> Value {
        let Some((layout, codes)) = self.tables.get(&Table::of(position)) else {
            let few = position.total(position.side) < self.rules.least_men();
            assert!(few, "{}: no table for {position:?}", self.rules);
            return Value::Loss(0);
        };
        let code = codes[layout.slot_of(position) as usize];
        code.value().expect("finished tables hold values")
    }

    /// Number of slots of all tables.
    pub fn slots(&self) -> u64 {
        self.tables.values().map(|(layout, _)| layout.slots()).sum()
    }

    /// The classes of every table by value.
    pub fn counts(&self) -> impl Iterator<Item = (Table, Counts)> + '_ {
        self.tables.iter().map(|(table, (layout, codes))| (*table, count_classes(layout, codes)))
    }

    /// The codes of a table, by slot.
    pub fn codes_of(&self, table: Table) -> &[C] {
        &self.tables[&table].1
    }

    /// A few positions of a table, evenly spread over its slots.
    pub fn some_positions(&self, table: Table, number: u64) -> Vec<Position> {
        let (layout, _) = &self.tables[&table];
        let slots = (0..number).map(|i| layout.slots() * i / number).collect::<BTreeSet<_>>();
        slots.into_iter().map(|slot| layout.position(slot, Color::White)).collect()
    }

    /// Calls `check` with one of `one_of` slots of every table: its position, White to move in
    /// about half of them, and the value stored in that very slot.
    fn for_each_slot(&self, one_of: usize, check: impl Fn(&Position, Value) + Sync) {
        for (layout, codes) in self.tables.values() {
            assert_eq!(layout.slots(), codes.len() as u64);
            codes.par_chunks(one_of).enumerate().for_each(|(chunk, codes)| {
                // Slots one after the other, not in step with the length of rows.
                let place = chunk % codes.len();
                let side = if chunk % 2 == 0 { Color::White } else { Color::Black };
                let value = codes[place].value().expect("finished tables hold values");
                check(&layout.position((chunk * one_of + place) as u64, side), value);
            });
        }
    }

    /// Every slot against the best of its turns.
    pub fn check_turns(&self) {
        self.check_turns_of(1);
    }

    /// One of `one_of` slots against the best of its turns.
    pub fn check_turns_of(&self, one_of: usize) {
        self.for_each_slot(one_of, |position, value| {
            let expected = self.best_of_turns(position);
            assert_eq!(value, expected, "{} {position:?}", self.rules);
        });
    }

    /// The value of a position by its turns alone.
    fn best_of_turns(&self, position: &Position) -> Value {
        let mut best: Option<Value> = None;
        self.rules.for_each_turn(position, &mut |turn| {
            let successor = self.value(&self.rules.play(position, &turn));
            let worth = self.worth(turn.removed != 0, successor);
            if best.is_none_or(|best| worth.rank() > best.rank()) {
                best = Some(worth);
            }
        });
        best.unwrap_or_else(|| {
            let outcome = self.rules.outcome(position).expect("no turn ends the game");
            match outcome.verdict {
                Verdict::Loses => Value::Loss(0),
                Verdict::Draws => Value::Draw,
            }
        })
    }

    /// What a turn is worth, from the value of the position it leads to. Where plies count to the next
    /// mill, a removal is the end of counting for the winner, and no delay for the loser.
    fn worth(&self, removes: bool, successor: Value) -> Value {
        match (self.distance, removes, successor) {
            (Distance::Conversion, true, Value::Loss(_)) => Value::Win(1),
            (Distance::Conversion, true, Value::Win(_)) => Value::Loss(0),
            (_, _, Value::Loss(plies)) => Value::Win(plies + 1),
            (_, _, Value::Win(plies)) => Value::Loss(plies + 1),
            (_, _, Value::Draw) => Value::Draw,
        }
    }

    /// Every position of the plain solution against its slot, and every slot whose position the
    /// solution holds against that. Returns how many slots were compared.
    pub fn check_forward(&self, solution: &ForwardSolution) -> usize {
        for (position, value) in solution.iter() {
            assert_eq!(plain_value(self.value(&position)), value, "{} {position:?}", self.rules);
        }
        let compared = AtomicUsize::new(0);
        self.for_each_slot(1, |position, value| {
            if let Some(expected) = solution.value(position) {
                assert_eq!(plain_value(value), expected, "{} {position:?}", self.rules);
                compared.fetch_add(1, Ordering::Relaxed);
            }
        });
        compared.into_inner()
    }

    /// The same plan solved with another distance has the same outcome in every slot; returns in how
    /// many of them the plies differ.
    pub fn check_same_outcomes(&self, other: &Self) -> usize {
        assert!(self.tables.keys().eq(other.tables.keys()) && self.distance != other.distance);
        let mut differing = 0;
        for (table, (_, codes)) in &self.tables {
            let (_, others) = &other.tables[table];
            for (code, other) in codes.iter().zip(others.iter()) {
                let [code, other] = [code, other].map(|code| code.value().expect("a value"));
                assert_eq!(code.name(), other.name(), "{} {table}", self.rules);
                differing += usize::from(code != other);
            }
        }
        differing
    }

    /// The same plan solved with codes of another width holds the same values.
    pub fn check_same<D: Code>(&self, other: &Solved<D>) {
        assert!(self.tables.keys().eq(other.tables.keys()));
        for (table, (_, codes)) in &self.tables {
            let (_, others) = &other.tables[table];
            let values = codes.iter().map(|code| code.value());
            assert!(values.eq(others.iter().map(|code| code.value())), "{} {table}", self.rules);
        }
    }
}

/// Stands for finished tables in which every position is decided in so many plies.
pub struct Worst<'g> {
    /// The depth: odd for wins, even for losses.
    pub plies: u32,
    /// The board's geometry.
    pub geometry: &'g Geometry,
}

impl<C: Code> Source<C> for Worst<'_> {
    fn codes(&self, table: Table) -> Result<Arc<Array<C>>, UnitError> {
        let slots = Layout::new(self.geometry, table).slots() as usize;
        let mut codes = Workspace::in_memory().array::<C>(slots)?;
        codes.fill(C::decided(self.plies));
        Ok(Arc::new(codes))
    }
}

impl Worst<'_> {
    /// Solves tables of one unit upon these.
    pub fn solve<C: Code>(
        &self,
        rules: &Rules,
        tables: &[Table],
    ) -> Result<SolvedUnit<C>, UnitError> {
        let workspace = Workspace::in_memory();
        let means = Means {
            rules,
            distance: Distance::Win,
            geometry: self.geometry,
            source: self,
            workspace: &workspace,
            progress: &|_| (),
        };
        solve_unit(&means, tables)
    }
}

/// The values of a unit, table after table.
pub fn values_of<C: Code>(unit: &SolvedUnit<C>) -> impl Iterator<Item = Value> + '_ {
    let codes = unit.tables.iter().flat_map(|(_, codes)| codes.iter());
    codes.map(|code| code.value().expect("finished tables hold values"))
}
