//! What the slots of a row have in common: its enemy men, and all that depends on them alone.
//!
//! In a row the enemy men stand still. The points they leave are numbered afresh, in order, and own
//! sets are masks of these numbers; where they are read in other tables they are spread onto the
//! board again. Which men a mill removes depends on the enemy men alone, too.
//! Invariant: everything here is asked of [`Rules`], once a row.

use crate::index::{Geometry, Layout, squeeze};
use crate::rules::{Mask, Rules, Verdict, points_of};

/// The images of a set under the symmetries of the board, at most 16.
pub type Images = [Mask; 16];

/// Points that one look-up spreads.
const PART: usize = 8;

/// A row.
pub struct Shape {
    /// The images of the enemy men.
    pub enemy: Images,
    /// The lines that own men may fill, of free points.
    pub lines: Vec<Mask>,
    /// By free point, the free points next to it.
    pub neighbours: Vec<Mask>,
    /// What closing one mill may remove, and two or more; nothing where it removes nothing.
    pub removals: Option<[Removals; 2]>,
    /// How the game is over in every slot, if that can be seen without a look at turns.
    pub over: Option<Verdict>,
    spread: [[Mask; 1 << PART]; 3],
}

/// The sets of enemy men of which a turn removes one.
pub struct Removals {
    /// The men that may go alone, together in one set, and its images.
    pub singles: Images,
    /// The images of each set of two.
    pub pairs: Vec<Images>,
}

impl Shape {
    /// The shape of a row of `layout`.
    pub fn new(rules: &Rules, layout: &Layout, row: usize) -> Shape {
        let (geometry, free) = (layout.geometry(), layout.free(row));
        let enemy = layout.row_sets().canonical()[row];
        let local = |set: Mask| squeeze(set & free, free);
        let board = rules.board();
        let lines = board.lines().iter().filter(|&&line| line & !free == 0);
        Shape {
            enemy: images(geometry, enemy),
            lines: lines.map(|&line| local(line)).collect(),
            neighbours: points_of(free).map(|point| local(board.neighbours(point))).collect(),
            removals: removals(rules, geometry, enemy),
            over: over(rules, layout, enemy),
            spread: spread_tables(free),
        }
    }

    /// The points of the board that a set of free points stands for.
    #[inline]
    pub fn spread(&self, set: Mask) -> Mask {
        let part = |part: usize| self.spread[part][(set >> (PART * part)) as usize & 0xff];
        part(0) | part(1) | part(2)
    }

    /// The men of `own` in full lines, and those in two or more.
    #[inline]
    pub fn in_mills(&self, own: Mask) -> (Mask, Mask) {
        let (mut once, mut twice) = (0, 0);
        for &line in &self.lines {
            let full = if own & line == line { line } else { 0 };
            twice |= once & full;
            once |= full;
        }
        (once, twice)
    }
}

fn images(geometry: &Geometry, set: Mask) -> Images {
    let mut images = [0; 16];
    for (image, symmetry) in images.iter_mut().zip(geometry.symmetries()) {
        *image = symmetry.apply(set);
    }
    images
}

fn removals(rules: &Rules, geometry: &Geometry, enemy: Mask) -> Option<[Removals; 2]> {
    let after = |mills: usize| {
        let (mut singles, mut pairs, mut none) = (0, Vec::new(), false);
        rules.for_removal_sets(enemy, rules.removals(mills), &mut |set| match set.count_ones() {
            0 => none = true,
            1 => singles |= set,
            _ => pairs.push(images(geometry, set)),
        });
        (!none).then(|| Removals { singles: images(geometry, singles), pairs })
    };
    Some([after(1)?, after(2)?])
}

/// The endings that all slots of a row share, in the order in which they are asked for.
fn over(rules: &Rules, layout: &Layout, enemy: Mask) -> Option<Verdict> {
    let table = layout.table();
    if rules.line_wins() && rules.board().in_mills(enemy) != 0 {
        return Some(Verdict::Loses);
    }
    if table.own_total() < rules.least_men() {
        return Some(Verdict::Loses);
    }
    let full = usize::from(table.own + table.enemy) == rules.board().points();
    (full && table.hands() == 0).then(|| rules.full_board())
}

fn spread_tables(free: Mask) -> [[Mask; 1 << PART]; 3] {
    let mut points = points_of(free).map(|point| 1 << point);
    std::array::from_fn(|_| {
        let mut spread = [0; 1 << PART];
        for bit in 0..PART {
            let point = points.next().unwrap_or(0);
            let (known, new) = spread.split_at_mut(1 << bit);
            new.iter_mut().zip(known).for_each(|(new, known)| *new = *known | point);
        }
        spread
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Table, spread};

    #[test]
    fn test_own_sets_are_spread_onto_free_points() {
        let rules = Rules::named("twelve").unwrap();
        let geometry = Geometry::new(&rules);
        let table = Table { own: 5, enemy: 6, own_hand: 0, enemy_hand: 0 };
        let layout = Layout::new(&geometry, table);
        for row in [0, 100, layout.rows() - 1] {
            let shape = Shape::new(&rules, &layout, row);
            for &own in layout.ranked_sets() {
                assert_eq!(shape.spread(own), spread(own, layout.free(row)));
                let (once, _) = shape.in_mills(own);
                assert_eq!(shape.spread(once), rules.board().in_mills(shape.spread(own)));
            }
        }
    }
}
