//! Turns: what may be played, what ends the game, and what could have been played before.
//!
//! The plain, readable statement of the rules, from which everything is verified. The solver has
//! its own fast in-block moves; nothing here is written for speed beyond perft's needs.
//! Invariant: [`Rules::turns`] lists each distinct turn once, and none when the game is over.

use super::board::{Mask, Point, points_of};
use super::position::{Color, Position};
use super::ruleset::{Protected, Rules, Verdict};

/// A placement or move with its removals; one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Turn {
    /// Where the man came from; `None` for a placement.
    pub from: Option<Point>,
    /// Where the man stands now.
    pub to: Point,
    /// The enemy men removed, as a set: two orders of removing the same men are one turn.
    pub removed: Mask,
}

impl Turn {
    /// The mover's men after the placement or move.
    pub(crate) fn own_after(&self, before: &Position) -> Mask {
        before.own() & !self.from.map_or(0, |from| 1 << from) | 1 << self.to
    }
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The opponent of the player to move has a full line, where a line wins.
    OpponentLine,
    /// The player to move has fewer than three men, hand included.
    FewMen,
    /// The board was full when the moving phase began.
    FullBoard,
    /// The player to move has no legal turn.
    NoTurn,
}

/// A finished game: why, and what it means for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Why.
    pub ending: Ending,
    /// Loss or draw; the player to move never wins a finished game.
    pub verdict: Verdict,
}

impl Rules {
    /// Is the game over in this position, and how?
    pub fn outcome(&self, position: &Position) -> Option<Outcome> {
        if let Some(outcome) = self.outcome_by_count(position) {
            return Some(outcome);
        }
        let stuck = !self.has_turn(position);
        stuck.then_some(Outcome { ending: Ending::NoTurn, verdict: self.no_move() })
    }

    /// The endings that need no look at the moves.
    fn outcome_by_count(&self, position: &Position) -> Option<Outcome> {
        let board = self.board();
        let lost = |ending| Some(Outcome { ending, verdict: Verdict::Loses });
        if self.line_wins() && board.in_mills(position.enemy()) != 0 {
            return lost(Ending::OpponentLine);
        }
        if position.total(position.side) < self.least_men() {
            return lost(Ending::FewMen);
        }
        if position.occupied() == board.all() && position.hand == [0, 0] {
            return Some(Outcome { ending: Ending::FullBoard, verdict: self.full_board() });
        }
        None
    }

    fn has_turn(&self, position: &Position) -> bool {
        let empty = self.board().all() & !position.occupied();
        if position.own_hand() > 0 && empty != 0 {
            return true;
        }
        points_of(position.own()).any(|from| self.destinations(position, from) != 0)
    }

    /// Empty points the man on `from` may move to, the game not being over; nothing while its
    /// owner has to place.
    pub fn destinations(&self, position: &Position, from: Point) -> Mask {
        let hand = position.own_hand();
        if !self.may_move(hand) {
            return 0;
        }
        let empty = self.board().all() & !position.occupied();
        match self.flies(position.on_board(position.side), hand) {
            true => empty,
            false => empty & self.board().neighbours(from),
        }
    }

    /// All legal turns, placements first, in increasing order; empty when the game is over.
    pub fn turns(&self, position: &Position) -> Vec<Turn> {
        let mut turns = Vec::new();
        self.for_each_turn(position, &mut |turn| turns.push(turn));
        turns
    }

    /// Calls `visit` with each legal turn, in the order of [`Rules::turns`]. Allocates nothing
    /// unless two men are to be removed.
    pub fn for_each_turn(&self, position: &Position, visit: &mut impl FnMut(Turn)) {
        if self.outcome_by_count(position).is_some() {
            return;
        }
        let empty = self.board().all() & !position.occupied();
        if position.own_hand() > 0 {
            for to in points_of(empty) {
                self.complete(position, None, to, visit);
            }
        }
        for from in points_of(position.own()) {
            for to in points_of(self.destinations(position, from)) {
                self.complete(position, Some(from), to, visit);
            }
        }
    }

    /// Visits the turn from `from` to `to` once for each set of men it may remove.
    fn complete(
        &self,
        position: &Position,
        from: Option<Point>,
        to: Point,
        visit: &mut impl FnMut(Turn),
    ) {
        let removals = self.owed(position, from, to);
        self.for_removal_sets(position.enemy(), removals, &mut |removed| {
            visit(Turn { from, to, removed });
        });
    }

    /// Men that the placement or move owes as removals: 0, 1 or 2.
    pub fn owed(&self, position: &Position, from: Option<Point>, to: Point) -> usize {
        let own = Turn { from, to, removed: 0 }.own_after(position);
        self.removals(self.board().mills_through(own, to))
    }

    /// The enemy men of which one may be removed now.
    pub fn removable(&self, enemy: Mask) -> Mask {
        let in_mills = self.board().in_mills(enemy);
        let free = enemy & !in_mills;
        match self.protected() {
            Protected::Never => enemy,
            Protected::Always => free,
            Protected::UnlessAll if free == 0 => enemy,
            Protected::UnlessAll => free,
        }
    }

    /// Calls `visit` with each set of men that `removals` removals can take, each set once. With
    /// fewer removable men, as many as there are; with none, the empty set.
    pub fn for_removal_sets(&self, enemy: Mask, removals: usize, visit: &mut impl FnMut(Mask)) {
        if removals == 0 {
            return visit(0);
        }
        let first_choices = self.removable(enemy);
        if first_choices == 0 {
            return visit(0);
        }
        if removals == 1 {
            return points_of(first_choices).for_each(|man| visit(1 << man));
        }
        let mut sets = Vec::new();
        for first in points_of(first_choices) {
            let second_choices = self.removable(enemy & !(1 << first));
            if second_choices == 0 {
                sets.push(1 << first);
            }
            sets.extend(points_of(second_choices).map(|second| 1 << first | 1 << second));
        }
        sets.sort_unstable();
        sets.dedup();
        sets.into_iter().for_each(visit);
    }

    /// The position after a turn. The turn is taken as legal; see [`Rules::why_not`].
    pub fn play(&self, position: &Position, turn: &Turn) -> Position {
        let (own, enemy) = (position.side as usize, position.side.other() as usize);
        let mut next = *position;
        match turn.from {
            Some(from) => next.men[own] &= !(1 << from),
            None => next.hand[own] -= 1,
        }
        next.men[own] |= 1 << turn.to;
        next.men[enemy] &= !turn.removed;
        next.side = position.side.other();
        next
    }

    /// The position after the removals owed, all that was left of a turn half played.
    pub fn play_removals(&self, position: &Position, removed: Mask) -> Position {
        let mut next = Position { side: position.side.other(), ..*position };
        next.men[next.side as usize] &= !removed;
        next
    }

    /// All positions with a legal turn that leads to `position`, each with that turn.
    ///
    /// Takes back every placement or move, puts back as many men as its mills may have removed,
    /// and keeps what [`Rules::turns`] confirms: slow and obviously right.
    pub fn unmoves(&self, position: &Position) -> Vec<(Position, Turn)> {
        let mover = position.side.other();
        let empty = self.board().all() & !position.occupied();
        let mut found = Vec::new();
        for to in points_of(position.men[mover as usize]) {
            let mills = self.board().mills_through(position.men[mover as usize], to);
            let put_back = small_subsets(empty, self.removals(mills));
            for from in points_of(empty).map(Some).chain([None]) {
                for &removed in &put_back {
                    let turn = Turn { from, to, removed };
                    let Some(before) = self.take_back(position, mover, &turn) else { continue };
                    if self.turns(&before).contains(&turn) {
                        found.push((before, turn));
                    }
                }
            }
        }
        found
    }

    /// The position before `turn` of `mover`, if men and points allow it.
    fn take_back(&self, position: &Position, mover: Color, turn: &Turn) -> Option<Position> {
        let (own, enemy) = (mover as usize, mover.other() as usize);
        let mut before = Position { side: mover, ..*position };
        before.men[own] &= !(1 << turn.to);
        match turn.from {
            Some(from) if turn.removed >> from & 1 == 1 => return None,
            Some(from) => before.men[own] |= 1 << from,
            None => before.hand[own] += 1,
        }
        before.men[enemy] |= turn.removed;
        before.check(self).ok().map(|()| before)
    }
}

/// All subsets of `set` with at most `most` points (0, 1 or 2).
fn small_subsets(set: Mask, most: usize) -> Vec<Mask> {
    let mut subsets = vec![0];
    if most >= 1 {
        subsets.extend(points_of(set).map(|a| 1 << a));
    }
    if most >= 2 {
        let pairs = |a: Point| points_of(set & ((1 << a) - 1)).map(move |b| 1 << a | 1 << b);
        subsets.extend(points_of(set).flat_map(pairs));
    }
    subsets
}
