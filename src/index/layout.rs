//! The layout of a table: its positions to and from slots.
//!
//! `slot = row(enemy men) * row_len + rank(own men, squeezed onto the points without enemy men)`
//!
//! The *enemy's* set, which the mover's quiet turns do not change, is reduced by the board's
//! symmetries and names the row; the own men are then ranked among the points left. So a turn of
//! the mover stays inside its row, and a row (0.5 to 294 KB in nine's moving phase) fits a
//! cache. Trap: when the row's set has a non-trivial stabiliser, equal positions have several slots
//! in that row. [`Layout::slot`] picks one of them deterministically; whoever fills a table must
//! leave all of them right; whoever counts takes only slots that [`Layout::is_least`] accepts.
//! Invariant: `slot(position(s))` is a slot of the same class, and `s` itself when the row's
//! stabiliser is trivial.

use super::geometry::{Geometry, spread, squeeze};
use super::rank::{Ranks, binomial};
use super::sets::Sets;
use super::table::Table;
use crate::rules::{Color, Mask, Position};

/// The layout of one table.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'g> {
    geometry: &'g Geometry,
    table: Table,
    enemies: &'g Sets,
    owns: &'g Sets,
    row_len: usize,
}

impl<'g> Layout<'g> {
    /// The layout of `table` on the board of `geometry`; men must fit.
    pub fn new(geometry: &'g Geometry, table: Table) -> Layout<'g> {
        let free = geometry.points() - usize::from(table.enemy);
        Layout {
            geometry,
            table,
            enemies: geometry.sets(table.enemy),
            owns: geometry.sets(table.own),
            row_len: binomial(free, usize::from(table.own)) as usize,
        }
    }

    /// The table laid out.
    pub fn table(&self) -> Table {
        self.table
    }

    /// The geometry it is laid out on.
    pub fn geometry(&self) -> &'g Geometry {
        self.geometry
    }

    /// Number of rows: canonical enemy sets.
    pub fn rows(&self) -> usize {
        self.enemies.canonical().len()
    }

    /// Slots of a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// Slots of the table.
    pub fn slots(&self) -> u64 {
        self.rows() as u64 * self.row_len as u64
    }

    /// The sets enemy men stand on; their canonical sets are the rows.
    pub fn enemies(&self) -> &'g Sets {
        self.enemies
    }

    /// The own sets of a row by rank, squeezed onto the points without enemy men.
    pub fn own_sets(&self) -> &'g [Mask] {
        &self.owns.subsets()[..self.row_len]
    }

    /// Ranks of own sets, squeezed.
    pub fn own_ranks(&self) -> &'g Ranks {
        self.owns.ranks()
    }

    /// The points of a row without enemy men.
    pub fn free(&self, row: usize) -> Mask {
        self.geometry.board().all() & !self.enemies.canonical()[row]
    }

    /// The slot of a pair of disjoint sets of the table's sizes.
    pub fn slot(&self, own: Mask, enemy: Mask) -> u64 {
        let reduction = self.enemies.reduce(enemy);
        let own = self.geometry.symmetries()[reduction.symmetry()].apply(own);
        let rank = self.own_ranks().rank(squeeze(own, self.free(reduction.row())));
        reduction.row() as u64 * self.row_len as u64 + u64::from(rank)
    }

    /// The own and enemy men of a slot.
    pub fn sets_at(&self, slot: u64) -> (Mask, Mask) {
        let row = (slot / self.row_len as u64) as usize;
        let own = self.own_sets()[(slot % self.row_len as u64) as usize];
        (spread(own, self.free(row)), self.enemies.canonical()[row])
    }

    /// The slot of a position of this table.
    pub fn slot_of(&self, position: &Position) -> u64 {
        debug_assert_eq!(Table::of(position), self.table);
        self.slot(position.own(), position.enemy())
    }

    /// The position of a slot, its mover being `side`.
    pub fn position(&self, slot: u64, side: Color) -> Position {
        let (own, enemy) = self.sets_at(slot);
        let Table { own_hand, enemy_hand, .. } = self.table;
        let white_moves =
            Position { men: [own, enemy], hand: [own_hand, enemy_hand], side: Color::White };
        if side == Color::White { white_moves } else { white_moves.swapped() }
    }

    /// Is this the least of the slots that hold the same class? Each class has exactly one.
    pub fn is_least(&self, slot: u64) -> bool {
        let row = (slot / self.row_len as u64) as usize;
        let stabiliser = self.enemies.stabiliser(row);
        if stabiliser.is_empty() {
            return true;
        }
        let own = self.sets_at(slot).0;
        // Squeezing and ranking keep the numeric order of masks.
        let symmetries = self.geometry.symmetries();
        stabiliser.iter().all(|&s| symmetries[usize::from(s)].apply(own) >= own)
    }

    /// Number of position classes by Burnside's lemma: the mean over the symmetries of the number
    /// of positions each one keeps. Shares nothing with the slots but the group.
    pub fn classes(&self) -> u64 {
        let symmetries = self.geometry.symmetries();
        let (own, enemy) = (usize::from(self.table.own), usize::from(self.table.enemy));
        let kept: u64 = symmetries.iter().map(|s| kept_pairs(s.image(), own, enemy)).sum();
        kept / symmetries.len() as u64
    }
}

/// Pairs of disjoint sets of those sizes that a permutation keeps: unions of its cycles.
pub fn kept_pairs(image: &[u8], own: usize, enemy: usize) -> u64 {
    let mut ways = vec![vec![0u64; enemy + 1]; own + 1];
    ways[0][0] = 1;
    for length in cycle_lengths(image) {
        for a in (0..=own).rev() {
            for b in (0..=enemy).rev() {
                let with_own = if a >= length { ways[a - length][b] } else { 0 };
                let with_enemy = if b >= length { ways[a][b - length] } else { 0 };
                ways[a][b] += with_own + with_enemy;
            }
        }
    }
    ways[own][enemy]
}

fn cycle_lengths(image: &[u8]) -> Vec<usize> {
    let mut seen = vec![false; image.len()];
    let mut lengths = Vec::new();
    for start in 0..image.len() {
        let mut point = start;
        let mut length = 0;
        while !std::mem::replace(&mut seen[point], true) {
            length += 1;
            point = usize::from(image[point]);
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{NAMES, Rules};

    fn table(own: u8, enemy: u8) -> Table {
        Table { own, enemy, own_hand: 0, enemy_hand: 0 }
    }

    /// Every slot leads to a position that leads back to its class; classes number Burnside's count.
    fn check_whole(layout: &Layout) {
        let mut classes = 0;
        for slot in 0..layout.slots() {
            let (own, enemy) = layout.sets_at(slot);
            assert_eq!(own & enemy, 0);
            assert_eq!(own.count_ones(), u32::from(layout.table().own));
            let back = layout.slot(own, enemy);
            let row = (slot / layout.row_len() as u64) as usize;
            if layout.enemies().stabiliser(row).is_empty() {
                assert_eq!(back, slot);
            }
            classes += u64::from(layout.is_least(slot));
            assert_eq!(layout.slot(layout.sets_at(back).0, enemy), back);
        }
        assert_eq!(classes, layout.classes());
    }

    #[test]
    fn test_whole_small_tables_on_every_board() {
        for name in NAMES {
            let rules = Rules::named(name).unwrap();
            let geometry = Geometry::new(rules.board());
            for (own, enemy) in [(0, 0), (1, 0), (0, 2), (3, 3), (2, 3), (4, 2)] {
                check_whole(&Layout::new(&geometry, table(own, enemy)));
            }
        }
    }

    #[test]
    fn test_images_of_a_position_share_a_class() {
        let rules = Rules::named("nine").unwrap();
        let geometry = Geometry::new(rules.board());
        let layout = Layout::new(&geometry, table(3, 4));
        for slot in (0..layout.slots()).step_by(997) {
            let (own, enemy) = layout.sets_at(slot);
            let least = |own: Mask, enemy: Mask| {
                let images = geometry.symmetries().iter().map(|s| (s.apply(enemy), s.apply(own)));
                images.min().unwrap()
            };
            for symmetry in geometry.symmetries() {
                let image = layout.slot(symmetry.apply(own), symmetry.apply(enemy));
                let (own_back, enemy_back) = layout.sets_at(image);
                assert_eq!(least(own_back, enemy_back), least(own, enemy));
            }
        }
    }
}
