//! Alpha-beta over the placing phase: can the side to move reach a target?
//!
//! With a target instead of a value the window is empty: every answer is yes or no, a turn that
//! reaches the target ends the search of its position. Near the start, where subtrees are large,
//! a position's first turn is searched alone and, if it fails, the others side by side.
//! Invariant: the answer depends neither on the order of turns, nor on threads or memory.

use super::classes::key;
use super::outcomes::{Outcome, Outcomes};
use super::transposition::{Target, Transpositions};
use crate::index::Geometry;
use crate::rules::{Board, Mask, Position, Rules, Turn, Verdict, points_of};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Positions so many plies from the start are one thread's work.
const SHARED_PLIES: u8 = 7;
/// Positions with fewer men in hand are searched to the end even if the result is no longer wanted.
const PATIENCE: u8 = 6;
/// Positions with fewer men in hand are searched sooner than all their successors are looked up
/// among the transpositions. The look-ups save two thirds of nine's search.
const LOOK_AHEAD: u8 = 3;

/// What all threads of a search share.
pub(super) struct Search<'a> {
    pub rules: &'a Rules,
    pub geometry: &'a Geometry,
    pub outcomes: &'a Outcomes<'a>,
    pub transpositions: &'a Transpositions,
    pub work: Work,
}

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Positions searched.
    pub nodes: AtomicU64,
    /// Positions looked up in the tables of the moving phase.
    pub probes: AtomicU64,
}

/// One thread's count of its work, and who may call it off.
struct Task<'a> {
    nodes: u64,
    probes: u64,
    called_off: Option<&'a CallOff<'a>>,
}

/// Tells tasks that their result is no longer wanted, because a sibling's or that of a sibling
/// of an ancestor has decided.
struct CallOff<'a> {
    decided: AtomicBool,
    above: Option<&'a CallOff<'a>>,
}

impl CallOff<'_> {
    fn is_set(&self) -> bool {
        self.decided.load(Ordering::Relaxed) || self.above.is_some_and(CallOff::is_set)
    }
}

impl Search<'_> {
    /// Can the side to move reach the target? None if a table cannot be read.
    pub fn reaches(&self, position: &Position, target: Target) -> Option<bool> {
        self.task(None, |task| self.node(task, position, target))
    }

    /// Runs a task and adds its work to the whole.
    fn task<'t, T>(
        &self,
        called_off: Option<&'t CallOff>,
        run: impl FnOnce(&mut Task<'t>) -> T,
    ) -> T
    where
        Self: 't,
    {
        let mut task = Task { nodes: 0, probes: 0, called_off };
        let result = run(&mut task);
        self.work.nodes.fetch_add(task.nodes, Ordering::Relaxed);
        self.work.probes.fetch_add(task.probes, Ordering::Relaxed);
        result
    }

    /// None if a table cannot be read, or the task was called off.
    fn node(&self, task: &mut Task, position: &Position, target: Target) -> Option<bool> {
        let hands = position.hand[0] + position.hand[1];
        if hands == 0 {
            return self.leaf(task, position, target);
        }
        task.nodes += 1;
        if let Some(outcome) = self.rules.outcome(position) {
            return Some(satisfies(verdict(outcome.verdict), target));
        }
        if hands >= PATIENCE && task.called_off.is_some_and(CallOff::is_set) {
            return None;
        }
        let key = key(self.geometry, position);
        if let Some(known) = self.transpositions.get(key, target) {
            return Some(known);
        }
        let nexts = self.ordered(position);
        if hands >= LOOK_AHEAD && self.is_known(&nexts, target) {
            self.transpositions.put(key, target, true);
            return Some(true);
        }
        let reached = match hands + SHARED_PLIES > 2 * self.rules.men() {
            true => self.any_shared(task, &nexts, target)?,
            false => self.any(task, &nexts, target)?,
        };
        self.transpositions.put(key, target, reached);
        Some(reached)
    }

    /// Is one of these positions, the opponent to move, known to give the target?
    fn is_known(&self, nexts: &[Position], target: Target) -> bool {
        let opposed = opposed(target);
        let known = |next| self.transpositions.get(key(self.geometry, next), opposed);
        nexts.iter().any(|next| known(next) == Some(false))
    }

    /// Does any of these positions, the opponent to move, give the target?
    fn any(&self, task: &mut Task, nexts: &[Position], target: Target) -> Option<bool> {
        for next in nexts {
            if !self.node(task, next, opposed(target))? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn any_shared(&self, task: &mut Task, nexts: &[Position], target: Target) -> Option<bool> {
        let Some((first, others)) = nexts.split_first() else { return Some(false) };
        if !self.node(task, first, opposed(target))? {
            return Some(true);
        }
        let call_off = CallOff { decided: AtomicBool::new(false), above: task.called_off };
        let is_over = others.par_iter().map(|next| {
            if call_off.is_set() {
                return None;
            }
            let reached = self.task(Some(&call_off), |task| self.node(task, next, opposed(target)));
            if reached == Some(false) {
                call_off.decided.store(true, Ordering::Relaxed);
            }
            reached
        });
        let all_answered =
            is_over.map(|reached| reached == Some(true)).reduce(|| true, |a, b| a & b);
        match (call_off.decided.into_inner(), all_answered) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    fn leaf(&self, task: &mut Task, position: &Position, target: Target) -> Option<bool> {
        let outcome = match self.ended(position) {
            Some(outcome) => outcome,
            None => {
                task.probes += 1;
                self.outcomes.of(position.own(), position.enemy())?
            }
        };
        Some(satisfies(outcome, target))
    }

    /// Endings that no table holds, or that need none.
    fn ended(&self, position: &Position) -> Option<Outcome> {
        let rules = self.rules;
        let few = |men: Mask| men.count_ones() < u32::from(rules.least_men());
        let is_odd = rules.line_wins() || few(position.own()) || few(position.enemy());
        if !is_odd && position.occupied() != rules.board().all() {
            return None;
        }
        match rules.outcome(position) {
            Some(outcome) => Some(verdict(outcome.verdict)),
            // Whatever is played now, the opponent has too few men at the next turn.
            None => few(position.enemy()).then_some(Outcome::Win),
        }
    }

    /// The positions after all turns, the most promising turn first.
    fn ordered(&self, position: &Position) -> Vec<Position> {
        let mut nexts = Vec::with_capacity(32);
        self.rules.for_each_turn(position, &mut |turn| {
            let promise = promise(self.rules.board(), position, &turn);
            nexts.push((promise, self.rules.play(position, &turn)));
        });
        nexts.sort_by_key(|(promise, _)| -promise);
        nexts.into_iter().map(|(_, next)| next).collect()
    }
}

/// How early to try a turn: closing a mill, then keeping the opponent from one, then a point
/// with many neighbours where own lines may still fill.
fn promise(board: &Board, position: &Position, turn: &Turn) -> i32 {
    let (own, enemy) = (position.own(), position.enemy());
    let neighbours = board.neighbours(turn.to).count_ones() as i32;
    let mut promise = 4 * neighbours;
    if board.mills_through(own | 1 << turn.to, turn.to) > 0 {
        promise += 1000;
    }
    if board.mills_through(enemy | 1 << turn.to, turn.to) > 0 {
        promise += 300;
    }
    let begun = |line: &&Mask| **line & own != 0 && **line & enemy == 0;
    promise += 10 * board.lines_through(turn.to).iter().filter(begun).count() as i32;
    let threats = |man| {
        let lines = board.lines_through(man).iter();
        lines.filter(|&line| (line & enemy).count_ones() == 2 && line & own == 0).count() as i32
    };
    promise + points_of(turn.removed).map(|man| 20 * threats(man)).sum::<i32>()
}

/// The mover reaches a target if the opponent then fails to reach the opposed one.
fn opposed(target: Target) -> Target {
    match target {
        Target::Draw => Target::Win,
        Target::Win => Target::Draw,
    }
}

fn satisfies(outcome: Outcome, target: Target) -> bool {
    match target {
        Target::Draw => outcome >= Outcome::Draw,
        Target::Win => outcome == Outcome::Win,
    }
}

fn verdict(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Loses => Outcome::Loss,
        Verdict::Draws => Outcome::Draw,
    }
}
