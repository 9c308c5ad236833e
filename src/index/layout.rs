//! The layout of a table: its positions to and from slots.
//!
//! `slot = row(men of one player) * row_len + rank(men of the other, squeezed onto the points left)`
//!
//! One player's set is reduced by the board's symmetries and names the row; the other's men are
//! then ranked among the points left. Mostly the *enemy's* set names the row: a turn of the mover that
//! removes nothing stays inside it. A row (0.5 to 294 KB in nine's moving phase) fits a cache.
//!
//! While men are placed the same player names the rows turn after turn, so that every second ply
//! stays in its row, and the others go from whole rows to whole rows: the *mover's* set names the rows
//! of tables with more men in the mover's hand than in the opponent's. Placing a man exchanges the
//! hands and takes one from the opponent's, so such a table comes from, and leads to, one of the other
//! kind. Games where this does not serve: see [`Geometry::rows_stay`].
//!
//! Trap: when the row's set has a non-trivial stabiliser, equal positions have several slots
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
    rows_by_own: bool,
    row_sets: &'g Sets,
    ranked: &'g Sets,
    row_len: usize,
}

impl<'g> Layout<'g> {
    /// The layout of `table` on the board of `geometry`; men must fit.
    pub fn new(geometry: &'g Geometry, table: Table) -> Layout<'g> {
        let rows_by_own = geometry.rows_stay() && table.own_hand > table.enemy_hand;
        let (row_men, ranked_men) =
            if rows_by_own { (table.own, table.enemy) } else { (table.enemy, table.own) };
        let free = geometry.points() - usize::from(row_men);
        Layout {
            geometry,
            table,
            rows_by_own,
            row_sets: geometry.sets(row_men),
            ranked: geometry.sets(ranked_men),
            row_len: binomial(free, usize::from(ranked_men)) as usize,
        }
    }

    /// Do the mover's sets name the rows? Else the enemy's do.
    #[inline(always)]
    pub fn rows_by_own(&self) -> bool {
        self.rows_by_own
    }

    /// The table laid out.
    pub fn table(&self) -> Table {
        self.table
    }

    /// The geometry it is laid out on.
    pub fn geometry(&self) -> &'g Geometry {
        self.geometry
    }

    /// Number of rows: canonical sets of the player who names them.
    pub fn rows(&self) -> usize {
        self.row_sets.canonical().len()
    }

    /// Slots of a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// Slots of the table.
    pub fn slots(&self) -> u64 {
        self.rows() as u64 * self.row_len as u64
    }

    /// The sets of the player who names the rows; the canonical ones are the rows.
    pub fn row_sets(&self) -> &'g Sets {
        self.row_sets
    }

    /// The other player's sets in a row by rank, squeezed onto the points that the row's set leaves.
    pub fn ranked_sets(&self) -> &'g [Mask] {
        &self.ranked.subsets()[..self.row_len]
    }

    /// Ranks of those sets, squeezed.
    pub fn ranks(&self) -> &'g Ranks {
        self.ranked.ranks()
    }

    /// The points that a row's set leaves.
    pub fn free(&self, row: usize) -> Mask {
        self.geometry.board().all() & !self.row_sets.canonical()[row]
    }

    /// The slot of a pair of disjoint sets of the table's sizes.
    pub fn slot(&self, own: Mask, enemy: Mask) -> u64 {
        let (row_set, ranked) = if self.rows_by_own { (own, enemy) } else { (enemy, own) };
        let reduction = self.row_sets.reduce(row_set);
        let ranked = self.geometry.symmetries()[reduction.symmetry()].apply(ranked);
        let rank = self.ranks().rank(squeeze(ranked, self.free(reduction.row())));
        reduction.row() as u64 * self.row_len as u64 + u64::from(rank)
    }

    /// The own and enemy men of a slot.
    pub fn sets_at(&self, slot: u64) -> (Mask, Mask) {
        let row = (slot / self.row_len as u64) as usize;
        let ranked = self.ranked_sets()[(slot % self.row_len as u64) as usize];
        let (row_set, ranked) = (self.row_sets.canonical()[row], spread(ranked, self.free(row)));
        if self.rows_by_own { (row_set, ranked) } else { (ranked, row_set) }
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
        let stabiliser = self.row_sets.stabiliser(row);
        if stabiliser.is_empty() {
            return true;
        }
        let ranked = self.ranked_sets()[(slot % self.row_len as u64) as usize];
        let ranked = spread(ranked, self.free(row));
        // Squeezing and ranking keep the numeric order of masks.
        let symmetries = self.geometry.symmetries();
        stabiliser.iter().all(|&s| symmetries[usize::from(s)].apply(ranked) >= ranked)
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

    /// The same men, one in the mover's hand.
    fn placing(own: u8, enemy: u8) -> Table {
        Table { own_hand: 1, ..table(own, enemy) }
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
            if layout.row_sets().stabiliser(row).is_empty() {
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
            let geometry = Geometry::new(&rules);
            for (own, enemy) in [(0, 0), (1, 0), (0, 2), (3, 3), (2, 3), (4, 2)] {
                check_whole(&Layout::new(&geometry, table(own, enemy)));
                check_whole(&Layout::new(&geometry, placing(own, enemy)));
            }
        }
    }

    #[test]
    fn test_the_same_player_names_rows_turn_after_turn() {
        let geometry = |name: &str| Geometry::new(&Rules::named(name).unwrap());
        let by_own = |geometry: &Geometry, own_hand, enemy_hand| {
            Layout::new(geometry, Table { own_hand, enemy_hand, ..table(3, 4) }).rows_by_own()
        };
        let nine = geometry("nine");
        assert!(!by_own(&nine, 0, 0));
        for (own_hand, enemy_hand) in (1..6).flat_map(|own| (0..6).map(move |enemy| (own, enemy))) {
            let after = by_own(&nine, enemy_hand, own_hand - 1);
            assert_ne!(by_own(&nine, own_hand, enemy_hand), after, "{own_hand} {enemy_hand}");
        }
        for name in ["lasker", "three"] {
            assert!(!by_own(&geometry(name), 1, 0), "{name}");
        }
    }

    #[test]
    fn test_images_of_a_position_share_a_class() {
        let rules = Rules::named("nine").unwrap();
        let geometry = Geometry::new(&rules);
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
