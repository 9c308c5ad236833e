//! Perft: how many turn sequences, positions and position classes lie so many plies away.
//!
//! Two routes to the same numbers. [`perft`] walks every sequence and needs no memory;
//! [`perft_classes`] merges what symmetry makes equal and goes much deeper. Both count only
//! sequences of full length: an ended game has no turns, so it drops out.
//! Invariant of the second: a ply's map holds, for each class, the sequences that end anywhere in
//! that class, and every class is a whole orbit.

use crate::rules::{Mask, Point, Position, Rules, points_of};
use rayon::prelude::*;
use std::collections::HashMap;

/// Number of sequences of exactly `depth` legal turns from `position`.
///
/// # Examples
/// ```
/// use merels::{perft::perft, rules::{Position, Rules}};
/// let rules = Rules::named("nine")?;
/// assert_eq!(perft(&rules, &Position::start(&rules), 2), 24 * 23);
/// # Ok::<(), merels::rules::RulesError>(())
/// ```
pub fn perft(rules: &Rules, position: &Position, depth: u32) -> u128 {
    match depth {
        0 => 1,
        1 => u128::from(count_turns(rules, position)),
        _ if depth > PARALLEL_ABOVE => {
            let turns = rules.turns(position).into_par_iter();
            turns.map(|turn| perft(rules, &rules.play(position, &turn), depth - 1)).sum()
        }
        _ => {
            let mut sequences = 0;
            rules.for_each_turn(position, &mut |turn| {
                sequences += perft(rules, &rules.play(position, &turn), depth - 1);
            });
            sequences
        }
    }
}

/// Below this many plies a subtree is too small to share out.
const PARALLEL_ABOVE: u32 = 4;

/// The last ply is counted, not played.
fn count_turns(rules: &Rules, position: &Position) -> u64 {
    let mut turns = 0;
    rules.for_each_turn(position, &mut |_| turns += 1);
    turns
}

/// Counts of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PerftRow {
    /// Plies from the start position.
    pub ply: u32,
    /// Turn sequences of that length.
    pub sequences: u128,
    /// Distinct positions they lead to.
    pub positions: u64,
    /// Orbits of those positions under the symmetries that fix the start position.
    pub classes: u64,
}

/// Rows for plies 1 to `depth`, breadth first over classes.
///
/// `symmetries` are the board's automorphisms (a group, each once, as the image of each point).
/// Only those that fix `position` are used: from a lopsided start the positions reached do not
/// fill the orbits of the others, and classes would no longer be counted right.
pub fn perft_classes(
    rules: &Rules,
    position: &Position,
    depth: u32,
    symmetries: &[Vec<Point>],
) -> Vec<PerftRow> {
    let group = Stabiliser::of(position, symmetries);
    let mut level = Level::from([(group.least(position), 1)]);
    let rows = (1..=depth).map(|ply| {
        level = next_level(rules, &group, &level);
        count(ply, &group, &level)
    });
    rows.collect()
}

/// Sequences that end in a class, by its least position.
type Level = HashMap<Position, u128>;

/// Equal positions have equally many turns into each class, so one member speaks for its orbit.
fn next_level(rules: &Rules, group: &Stabiliser, level: &Level) -> Level {
    let expand = |mut next: Level, (position, sequences): (&Position, &u128)| {
        rules.for_each_turn(position, &mut |turn| {
            *next.entry(group.least(&rules.play(position, &turn))).or_default() += sequences;
        });
        next
    };
    level.par_iter().fold(Level::new, expand).reduce(Level::new, merge)
}

fn merge(a: Level, b: Level) -> Level {
    let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
    small.into_iter().for_each(|(position, sequences)| {
        *large.entry(position).or_default() += sequences;
    });
    large
}

fn count(ply: u32, group: &Stabiliser, level: &Level) -> PerftRow {
    PerftRow {
        ply,
        sequences: level.values().sum(),
        positions: level.keys().map(|position| group.orbit_size(position)).sum(),
        classes: level.len() as u64,
    }
}

/// The symmetries that fix a position, as tables.
struct Stabiliser {
    maps: Vec<MaskMap>,
}

impl Stabiliser {
    fn of(position: &Position, symmetries: &[Vec<Point>]) -> Stabiliser {
        let maps = symmetries.iter().map(|images| MaskMap::new(images));
        let mut maps: Vec<MaskMap> = maps.filter(|map| map.apply(position) == *position).collect();
        if maps.is_empty() {
            maps.push(MaskMap::identity());
        }
        Stabiliser { maps }
    }

    /// The least image of a position: the name of its class.
    fn least(&self, position: &Position) -> Position {
        let images = self.maps.iter().map(|map| map.apply(position));
        images.min().expect("the identity at least")
    }

    /// Orbit size times the number of symmetries that fix a member is the order of the group.
    fn orbit_size(&self, position: &Position) -> u64 {
        let fixing = self.maps.iter().filter(|map| map.apply(position) == *position).count();
        (self.maps.len() / fixing) as u64
    }
}

/// A permutation of points applied to a whole set, one table look-up for each eight points.
struct MaskMap {
    bytes: [[Mask; 256]; 3],
}

impl MaskMap {
    fn new(images: &[Point]) -> MaskMap {
        // Points the board does not have never occur in a set; they may map anywhere.
        let bit = |point: Point| 1 << images.get(usize::from(point)).unwrap_or(&point);
        let image = |set: Mask| points_of(set).fold(0, |all, point| all | bit(point));
        let table = |byte: usize| std::array::from_fn(|set| image((set as Mask) << (8 * byte)));
        MaskMap { bytes: std::array::from_fn(table) }
    }

    fn identity() -> MaskMap {
        MaskMap::new(&[])
    }

    fn image(&self, set: Mask) -> Mask {
        let part = |byte: usize| self.bytes[byte][(set >> (8 * byte)) as usize & 255];
        part(0) | part(1) | part(2)
    }

    fn apply(&self, position: &Position) -> Position {
        Position { men: position.men.map(|men| self.image(men)), ..*position }
    }
}
