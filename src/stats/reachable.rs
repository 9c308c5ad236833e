//! How many positions of a moving table the placing phase has not ruled out.
//!
//! Gasser's rule: for every mill a player has closed the opponent has lost a man. One man closes
//! all the mills it stands in with one placement, so a player's mills on the board took at least
//! as many turns as points are needed to meet all of them, and so many enemy men are gone. A
//! position that asks for more men than there are cannot arise.
//! Invariant: counts are of position classes, like every other count.

use crate::index::{Geometry, Layout, Table, spread};
use crate::rules::{Board, Mask, points_of};
use rayon::prelude::*;

/// Number of classes of `own` men to move against `enemy`, none in hand, that Gasser's rule
/// keeps where each player had `men` at the start.
pub fn reachable(geometry: &Geometry, own: u8, enemy: u8, men: u8) -> u64 {
    // The rule is the same for both players: the larger set in the rows makes the fewer slots.
    let (own, enemy) = (own.min(enemy), own.max(enemy));
    let layout = Layout::new(geometry, Table { own, enemy, own_hand: 0, enemy_hand: 0 });
    let kept = KeptSets::new(geometry, own, men.saturating_sub(enemy));
    let rows = (0..layout.rows()).into_par_iter();
    let kept_rows = rows.filter(|&row| {
        let removed = meeting_points(geometry.board(), layout.row_sets().canonical()[row]);
        own + removed <= men
    });
    kept_rows.map(|row| kept_classes(&layout, row, &kept)).sum()
}

/// The least number of points that meet every line lying wholly in `set`.
fn meeting_points(board: &Board, set: Mask) -> u8 {
    let mills = board.lines().iter().filter(|&&line| set & line == line);
    fewest(&mills.copied().collect::<Vec<_>>())
}

fn fewest(mills: &[Mask]) -> u8 {
    let Some(&first) = mills.first() else { return 0 };
    // One of the first mill's points must be taken.
    let with = |point| {
        let rest = mills.iter().filter(|&&mill| mill >> point & 1 == 0);
        1 + fewest(&rest.copied().collect::<Vec<_>>())
    };
    points_of(first).map(with).min().expect("a line has points")
}

/// Which sets of one size leave the other player enough men.
struct KeptSets {
    /// By rank.
    kept: Vec<bool>,
    all: bool,
}

impl KeptSets {
    /// Those whose mills cost the other player at most `most` men.
    fn new(geometry: &Geometry, size: u8, most: u8) -> KeptSets {
        let sets = geometry.sets(size);
        let canonical = sets.canonical().par_iter();
        let rows: Vec<bool> =
            canonical.map(|&set| meeting_points(geometry.board(), set) <= most).collect();
        let kept = sets.subsets().iter().map(|&set| rows[sets.reduce(set).row()]).collect();
        KeptSets { all: rows.iter().all(|&kept| kept), kept }
    }
}

fn kept_classes(layout: &Layout, row: usize, kept: &KeptSets) -> u64 {
    let stabiliser = layout.row_sets().stabiliser(row);
    if stabiliser.is_empty() && kept.all {
        return layout.row_len() as u64;
    }
    let symmetries = layout.geometry().symmetries();
    let spreading = Spreading::new(layout.free(row));
    let counts = |&squeezed: &Mask| {
        let own = spreading.spread(squeezed);
        let is_kept = kept.all || kept.kept[layout.ranks().rank(own) as usize];
        is_kept && stabiliser.iter().all(|&s| symmetries[usize::from(s)].apply(own) >= own)
    };
    layout.ranked_sets().iter().filter(|own| counts(own)).count() as u64
}

/// Bits of a mask that one look-up spreads.
const PART: usize = 8;

/// [`spread`] onto the same points many times over, by table.
struct Spreading([[Mask; 1 << PART]; 3]);

impl Spreading {
    fn new(kept: Mask) -> Spreading {
        let part = |index: usize| {
            std::array::from_fn(|bits| spread((bits as Mask) << (PART * index), kept))
        };
        Spreading([part(0), part(1), part(2)])
    }

    fn spread(&self, set: Mask) -> Mask {
        let part = |index: usize| self.0[index][set as usize >> (PART * index) & ((1 << PART) - 1)];
        part(0) | part(1) | part(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn nine() -> Geometry {
        Geometry::new(&Rules::named("nine").unwrap())
    }

    #[test]
    fn test_points_that_meet_all_mills() {
        let geometry = nine();
        let board = geometry.board();
        let meeting = |names: &str| {
            let points = names.split(' ').map(|name| board.point(name).unwrap());
            meeting_points(board, points.fold(0, |set, point| set | 1 << point))
        };
        assert_eq!(meeting("a7 d7 g4"), 0);
        assert_eq!(meeting("a7 d7 g7"), 1);
        assert_eq!(meeting("a7 d7 g7 a4 a1"), 1);
        assert_eq!(meeting("a7 d7 g7 a4 a1 d1 g1"), 2);
        assert_eq!(meeting("a7 d7 g7 b6 d6 f6 c5 d5 e5"), 3);
    }

    #[test]
    fn test_without_a_bound_every_class_counts() {
        let geometry = nine();
        for (own, enemy) in [(3, 3), (4, 3), (3, 6), (5, 4)] {
            let table = Table { own, enemy, own_hand: 0, enemy_hand: 0 };
            let classes = Layout::new(&geometry, table).classes();
            assert_eq!(reachable(&geometry, own, enemy, 12), classes, "{own}-{enemy}");
        }
    }
}
