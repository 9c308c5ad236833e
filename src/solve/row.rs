//! The shape of a row: what the mover can do among the points its opponent leaves free.
//!
//! In a row the enemy men stand still and the free points are numbered afresh, so that neighbours,
//! lines and removals are the same for all of the row's slots and are worked out once. Where the
//! mover's men name the rows instead, the shape tells what the opponent could do.
//! Invariant: masks named `local` count the free points only.

use crate::index::Layout;
use crate::rules::{Mask, Point, Rules, Verdict, points_of};

/// What a row's slots have in common.
#[derive(Clone, Debug)]
pub struct Row {
    /// The men who name the row, canonical: the enemy's mostly.
    pub set: Mask,
    /// The points they leave.
    pub free: Mask,
    /// Neighbouring free points, local pairs.
    pub pairs: Vec<Mask>,
    /// Lines of free points, local.
    pub lines: Vec<Mask>,
    /// No mill of the mover removes anything here.
    pub harmless: bool,
    /// The game is over in every slot, for a reason seen without looking at moves.
    pub over: Option<Verdict>,
}

impl Row {
    /// The shape of a row of `layout`.
    pub fn new(rules: &Rules, layout: &Layout, row: usize) -> Row {
        let set = layout.row_sets().canonical()[row];
        let free = layout.free(row);
        Row {
            set,
            free,
            pairs: local_pairs(rules, free),
            lines: local_lines(rules, free),
            harmless: rules.most_removals() == 0 || rules.removable(set) == 0,
            over: row_over(rules, layout, set),
        }
    }

    /// All free points, local.
    #[inline(always)]
    pub fn all(&self) -> Mask {
        (1 << self.free.count_ones()) - 1
    }

    /// The men of `own` in full lines.
    #[inline(always)]
    pub fn in_mills(&self, own: Mask) -> Mask {
        let mut in_mills = 0;
        for &line in &self.lines {
            in_mills |= if own & line == line { line } else { 0 };
        }
        in_mills
    }

    /// Number of full lines of `own` that contain the point `man` (a mask of one bit).
    #[inline(always)]
    pub fn mills_through(&self, own: Mask, man: Mask) -> usize {
        let through = |line: &&Mask| **line & man != 0 && own & **line == **line;
        self.lines.iter().filter(through).count()
    }
}

fn row_over(rules: &Rules, layout: &Layout, set: Mask) -> Option<Verdict> {
    let table = layout.table();
    if rules.line_wins() && rules.board().in_mills(set) != 0 {
        return Some(Verdict::Loses);
    }
    let full = usize::from(table.own + table.enemy) == rules.board().points();
    (full && table.hands() == 0).then(|| rules.full_board())
}

/// The local number of each free point.
fn local_numbers(free: Mask) -> [Point; 24] {
    let mut numbers = [0; 24];
    for (local, point) in points_of(free).enumerate() {
        numbers[usize::from(point)] = local as Point;
    }
    numbers
}

fn local_pairs(rules: &Rules, free: Mask) -> Vec<Mask> {
    let numbers = local_numbers(free);
    let local = |point: Point| 1 << numbers[usize::from(point)];
    let mut pairs = Vec::with_capacity(40);
    for a in points_of(free) {
        let later = rules.board().neighbours(a) & free & !((2 << a) - 1);
        pairs.extend(points_of(later).map(|b| local(a) | local(b)));
    }
    pairs
}

fn local_lines(rules: &Rules, free: Mask) -> Vec<Mask> {
    let numbers = local_numbers(free);
    let local = |point: Point| 1 << numbers[usize::from(point)];
    let lines = rules.board().lines().iter().filter(|&&line| line & !free == 0);
    lines.map(|&line| points_of(line).fold(0, |all, p| all | local(p))).collect()
}
