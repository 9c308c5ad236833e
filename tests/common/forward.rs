//! A naive solver: the whole graph of positions, forward, and one retrograde iteration over it.
//!
//! It exists to disagree with the engine if either is wrong, so it knows nothing of indices,
//! symmetries, subspaces or unmoves: only [`Rules::turns`], [`Rules::play`] and
//! [`Rules::outcome`]. Where a game would not fit in memory, classes may stand for positions, by
//! symmetries found by brute force; colours are then merged, or kept apart where positions are counted.
//!
//! Distances to the next mill come from a second iteration, once it is known who wins: along turns that
//! remove nothing, from the winner's removals on. Invariant: after wave `d` exactly the positions with depth `d` or less are
//! decided; what no wave decides is a draw.

use super::automorphisms::{automorphisms, image_of};
use super::facts::{Row, number};
use merels::rules::{Board, Color, Mask, Point, Position, Rules, Verdict, points_of};
use merels::storage::Counts;
use merels::value::{Distance, Value};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// The value of a position for the side to move, with its depth in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardValue {
    /// Won in that many plies (odd).
    Win(u16),
    /// Lost in that many plies (even, 0 = lost on the spot).
    Loss(u16),
    /// Neither side can force a win.
    Draw,
}

/// A value as the naive solver writes it.
pub fn plain_value(value: Value) -> ForwardValue {
    match value {
        Value::Win(plies) => ForwardValue::Win(plies as u16),
        Value::Loss(plies) => ForwardValue::Loss(plies as u16),
        Value::Draw => ForwardValue::Draw,
    }
}

/// How many positions of each value, and the longest depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Won positions.
    pub wins: u64,
    /// Lost positions.
    pub losses: u64,
    /// Drawn positions.
    pub draws: u64,
    /// The longest win in plies.
    pub max_win: u16,
    /// The longest loss in plies.
    pub max_loss: u16,
}

impl From<&Counts> for Tally {
    fn from(counts: &Counts) -> Tally {
        let depth = |plies: Option<u32>| plies.unwrap_or(0) as u16;
        Tally {
            wins: counts.wins,
            losses: counts.losses,
            draws: counts.draws,
            max_win: depth(counts.max_win_plies),
            max_loss: depth(counts.max_loss_plies),
        }
    }
}

impl Tally {
    /// What a published row says.
    pub fn published(row: &Row) -> Tally {
        Tally {
            wins: number(row, "wins"),
            losses: number(row, "losses"),
            draws: number(row, "draws"),
            max_win: number(row, "max_win_plies"),
            max_loss: number(row, "max_loss_plies"),
        }
    }

    /// Counts one position.
    pub fn add(&mut self, value: ForwardValue) {
        self.add_all(value, 1);
    }

    /// Counts so many positions of one value.
    pub fn add_all(&mut self, value: ForwardValue, positions: u64) {
        match value {
            ForwardValue::Win(plies) => {
                self.wins += positions;
                self.max_win = self.max_win.max(plies);
            }
            ForwardValue::Loss(plies) => {
                self.losses += positions;
                self.max_loss = self.max_loss.max(plies);
            }
            ForwardValue::Draw => self.draws += positions,
        }
    }

    /// Positions of any value.
    pub fn positions(&self) -> u64 {
        self.wins + self.losses + self.draws
    }
}

/// Which positions share an entry?
enum View {
    /// None.
    Apart,
    /// A position and its colour swap.
    Mover,
    /// A position and its images.
    Classes(Vec<Images>),
    /// All of these.
    MoverClasses(Vec<Images>),
}

/// By byte of a set, its image under one symmetry.
type Images = [[Mask; 256]; 3];

/// Every position reachable from some starts, with its value.
pub struct ForwardSolution {
    view: View,
    positions: Vec<Position>,
    ids: Ids,
    depths: Vec<u16>,
}

/// No depth: undecided, in the end a draw.
const OPEN: u16 = u16::MAX;

/// The number of each position, in two steps: by everything but the men of the player who has
/// just moved, then by those. Successors of a position share the first step, so that most
/// look-ups stay in the cache; with one large table nearly all the time is spent waiting for it.
#[derive(Default)]
struct Ids {
    groups: HashMap<u64, HashMap<Mask, u32, FastHash>, FastHash>,
}

/// Hashes numbers.
pub type FastHash = BuildHasherDefault<NumberHasher>;

impl Ids {
    fn get(&self, position: &Position) -> Option<u32> {
        self.groups.get(&Ids::group(position))?.get(&position.enemy()).copied()
    }

    fn get_or_insert(&mut self, position: &Position, fresh: u32) -> u32 {
        let group = self.groups.entry(Ids::group(position)).or_default();
        *group.entry(position.enemy()).or_insert(fresh)
    }

    /// 24 points, 4 + 4 bits of hands, the side.
    fn group(position: &Position) -> u64 {
        let [white_hand, black_hand] = position.hand.map(u64::from);
        let hands = white_hand << 24 | black_hand << 28;
        u64::from(position.own()) | hands | (position.side as u64) << 32
    }
}

impl ForwardSolution {
    /// Solves everything reachable from `starts`, colours kept apart.
    pub fn solve(rules: &Rules, starts: impl IntoIterator<Item = Position>) -> ForwardSolution {
        ForwardSolution::solve_in(View::Apart, Distance::Win, rules, starts)
    }

    /// The same with a position and its colour swap merged: half the memory.
    pub fn solve_merged(
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> ForwardSolution {
        ForwardSolution::solve_in(View::Mover, Distance::Win, rules, starts)
    }

    /// The same with one entry for a class of positions, colours merged.
    pub fn solve_classes(
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> ForwardSolution {
        let view = View::MoverClasses(symmetries_of(rules.board()));
        ForwardSolution::solve_in(view, Distance::Win, rules, starts)
    }

    /// The same with one entry for a class of positions, colours kept apart.
    pub fn solve_classes_apart(
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> ForwardSolution {
        let view = View::Classes(symmetries_of(rules.board()));
        ForwardSolution::solve_in(view, Distance::Win, rules, starts)
    }

    /// The same as [`ForwardSolution::solve`] with depths to the next mill.
    pub fn convert(rules: &Rules, starts: impl IntoIterator<Item = Position>) -> ForwardSolution {
        ForwardSolution::solve_in(View::Apart, Distance::Conversion, rules, starts)
    }

    /// The same with one entry for a class of positions, colours merged.
    pub fn convert_classes(
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> ForwardSolution {
        let view = View::MoverClasses(symmetries_of(rules.board()));
        ForwardSolution::solve_in(view, Distance::Conversion, rules, starts)
    }

    fn solve_in(
        view: View,
        distance: Distance,
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> ForwardSolution {
        let graph = Graph::explore(view, distance, rules, starts);
        let mut depths = decide(&graph.reversed(|_| true), graph.turn_counts(), graph.ended(rules));
        if distance == Distance::Conversion {
            depths = graph.convert(&depths);
        }
        let Graph { view, positions, ids, .. } = graph;
        ForwardSolution { view, positions, ids, depths }
    }

    /// The value of a position; `None` if the starts do not reach it.
    pub fn value(&self, position: &Position) -> Option<ForwardValue> {
        let id = self.ids.get(&self.view.of(*position))?;
        Some(self.value_of(id as usize))
    }

    /// All positions with their values (merged: the one with White to move stands for both).
    pub fn iter(&self) -> impl Iterator<Item = (Position, ForwardValue)> {
        (0..self.positions.len()).map(|id| (self.positions[id], self.value_of(id)))
    }

    /// Counts of the positions that `wanted` picks.
    pub fn tally(&self, wanted: impl Fn(&Position) -> bool) -> Tally {
        let mut tally = Tally::default();
        self.iter().filter(|(position, _)| wanted(position)).for_each(|(_, v)| tally.add(v));
        tally
    }

    /// Calls `count` with each position, its value, and how many positions it stands for, itself and its
    /// images.
    pub fn for_each_class(&self, mut count: impl FnMut(&Position, ForwardValue, u64)) {
        for (position, value) in self.iter() {
            count(&position, value, self.view.images(&position));
        }
    }

    /// How many positions of both have another value here than there.
    pub fn differing(&self, other: &ForwardSolution) -> usize {
        let differs =
            |(position, value)| other.value(&position).is_some_and(|there| there != value);
        self.iter().filter(|&entry| differs(entry)).count()
    }

    fn value_of(&self, id: usize) -> ForwardValue {
        match self.depths[id] {
            OPEN => ForwardValue::Draw,
            plies if plies % 2 == 0 => ForwardValue::Loss(plies),
            plies => ForwardValue::Win(plies),
        }
    }
}

/// The symmetries of a board, found by brute force.
fn symmetries_of(board: &Board) -> Vec<Images> {
    let byte = |images: &[u8], at: usize| {
        std::array::from_fn(|bits| image_of(images, (bits << (8 * at)) as Mask & board.all()))
    };
    let tables = automorphisms(board).into_iter();
    tables.map(|images| [0, 1, 2].map(|at| byte(&images, at))).collect()
}

impl View {
    fn of(&self, position: Position) -> Position {
        let merged = if position.side == Color::Black { position.swapped() } else { position };
        match self {
            View::Apart => position,
            View::Mover => merged,
            View::Classes(symmetries) => least_image(symmetries, position),
            View::MoverClasses(symmetries) => least_image(symmetries, merged),
        }
    }

    /// How many positions, without a change of colours, share the entry of this one.
    fn images(&self, position: &Position) -> u64 {
        match self {
            View::Apart | View::Mover => 1,
            View::Classes(symmetries) | View::MoverClasses(symmetries) => {
                let keeps = |images: &&Images| image_of_men(images, position) == position.men;
                (symmetries.len() / symmetries.iter().filter(keeps).count()) as u64
            }
        }
    }
}

fn least_image(symmetries: &[Images], position: Position) -> Position {
    let images = symmetries.iter().map(|images| image_of_men(images, &position));
    Position { men: images.min().expect("the identity at least"), ..position }
}

fn image_of_men(images: &Images, position: &Position) -> [Mask; 2] {
    position.men.map(|men| image_by_bytes(images, men))
}

fn image_by_bytes(images: &Images, men: Mask) -> Mask {
    let byte = |at: usize| images[at][(men >> (8 * at)) as usize & 0xff];
    byte(0) | byte(1) | byte(2)
}

/// Lists of numbers, one after the other: list `i` is `items[ends[i]..ends[i + 1]]`.
struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn list(&self, index: usize) -> &[u32] {
        &self.items[self.places(index)]
    }

    /// The places of a list among all items.
    fn places(&self, index: usize) -> Range<usize> {
        self.ends[index]..self.ends[index + 1]
    }
}

/// Positions by number and the numbers of their successors.
struct Graph {
    view: View,
    positions: Vec<Position>,
    ids: Ids,
    successors: Lists,
    /// Which turns remove men, in the order of the successors' items; left out where nobody asks.
    removes: Vec<bool>,
}

impl Graph {
    /// Breadth first: a position's successors are listed in the order of its number.
    fn explore(
        view: View,
        distance: Distance,
        rules: &Rules,
        starts: impl IntoIterator<Item = Position>,
    ) -> Graph {
        let successors = Lists { ends: vec![0], items: Vec::new() };
        let (positions, ids, removes) = (Vec::new(), Ids::default(), Vec::new());
        let mut graph = Graph { view, positions, ids, successors, removes };
        starts.into_iter().for_each(|start| {
            graph.id(start);
        });
        let mut next = 0;
        while next < graph.positions.len() {
            let position = graph.positions[next];
            for turn in rules.turns(&position) {
                let successor = graph.id(rules.play(&position, &turn));
                graph.successors.items.push(successor);
                if distance == Distance::Conversion {
                    graph.removes.push(turn.removed != 0);
                }
            }
            graph.successors.ends.push(graph.successors.items.len());
            next += 1;
        }
        graph
    }

    /// The number of a position, a new one if it is new.
    fn id(&mut self, position: Position) -> u32 {
        let position = self.view.of(position);
        let fresh = self.positions.len() as u32;
        let id = self.ids.get_or_insert(&position, fresh);
        if id == fresh {
            self.positions.push(position);
        }
        id
    }

    fn turn_counts(&self) -> Vec<u32> {
        (0..self.positions.len()).map(|id| self.successors.list(id).len() as u32).collect()
    }

    /// Depth 0 for what is lost on the spot, open for the rest.
    fn ended(&self, rules: &Rules) -> Vec<u16> {
        let lost = |position| rules.outcome(position).is_some_and(|o| o.verdict == Verdict::Loses);
        self.positions.iter().map(|position| if lost(position) { 0 } else { OPEN }).collect()
    }

    /// Predecessor lists, by counting; of the turns wanted, by their place among all items.
    fn reversed(&self, wanted: impl Fn(usize) -> bool) -> Lists {
        let mut ends = vec![0; self.positions.len() + 1];
        for (place, &successor) in self.successors.items.iter().enumerate() {
            ends[successor as usize + 1] += usize::from(wanted(place));
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut place = ends.clone();
        let mut items = vec![0; ends[self.positions.len()]];
        for id in 0..self.positions.len() {
            for turn in self.successors.places(id).filter(|&turn| wanted(turn)) {
                let successor = self.successors.items[turn] as usize;
                items[place[successor]] = id as u32;
                place[successor] += 1;
            }
        }
        Lists { ends, items }
    }

    /// Depths to the next mill, from depths to win, which tell who wins. A winner who can remove a man
    /// and leave a loss is at 1. A loser's removals put nothing off: who has no other turn is at 0. All
    /// else goes along the other turns, wave after wave, between positions won and lost.
    fn convert(&self, to_win: &[u16]) -> Vec<u16> {
        let is_lost = |id: usize| to_win[id] != OPEN && to_win[id].is_multiple_of(2);
        let mut depths = vec![OPEN; to_win.len()];
        let mut quiet_turns = vec![0; to_win.len()];
        for id in (0..to_win.len()).filter(|&id| to_win[id] != OPEN) {
            let (removals, quiet): (Vec<_>, Vec<_>) =
                self.successors.places(id).partition(|&turn| self.removes[turn]);
            quiet_turns[id] = quiet.len();
            let lost_after = |turn: usize| is_lost(self.successors.items[turn] as usize);
            match is_lost(id) {
                true if quiet.is_empty() => depths[id] = 0,
                false if removals.into_iter().any(lost_after) => depths[id] = 1,
                _ => {}
            }
        }
        let predecessors = self.reversed(|turn| !self.removes[turn]);
        for depth in 0.. {
            let wave: Vec<usize> = (0..depths.len()).filter(|&id| depths[id] == depth).collect();
            if wave.is_empty() && depth > 1 {
                break;
            }
            for before in wave.into_iter().flat_map(|id| predecessors.list(id)) {
                let before = *before as usize;
                quiet_turns[before] = quiet_turns[before].saturating_sub(1);
                let decided = match depth % 2 {
                    0 => true,
                    _ => is_lost(before) && quiet_turns[before] == 0,
                };
                if decided && depths[before] == OPEN {
                    depths[before] = depth + 1;
                }
            }
        }
        let same = |(&plies, &to_win): (&u16, &u16)| match to_win {
            OPEN => plies == OPEN,
            _ => plies <= to_win && plies % 2 == to_win % 2,
        };
        assert!(depths.iter().zip(to_win).all(same), "the same player wins, no later");
        depths
    }
}

/// Wave after wave: a predecessor of a loss wins; one whose every turn leads to a win has lost,
/// in one ply more than the longest of them, which is the last to arrive.
fn decide(predecessors: &Lists, mut open_turns: Vec<u32>, mut depths: Vec<u16>) -> Vec<u16> {
    let mut wave: Vec<u32> =
        (0..depths.len() as u32).filter(|&i| depths[i as usize] == 0).collect();
    let mut depth = 0;
    while !wave.is_empty() {
        let mut next = Vec::new();
        for &position in &wave {
            for &before in predecessors.list(position as usize) {
                let index = before as usize;
                open_turns[index] -= 1;
                let decided = depth % 2 == 0 || open_turns[index] == 0;
                if depths[index] == OPEN && decided {
                    depths[index] = depth + 1;
                    next.push(before);
                }
            }
        }
        wave = next;
        depth += 1;
    }
    depths
}

/// A multiplicative hash of one number: the standard one is safe against opponents we lack.
#[derive(Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers");
    }

    fn write_u32(&mut self, key: u32) {
        self.write_u64(u64::from(key));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Every position with that many men on the board and in hand, both sides to move, whether or
/// not a game reaches it.
pub fn all_positions_of(
    rules: &Rules,
    white: u8,
    black: u8,
    white_hand: u8,
    black_hand: u8,
) -> impl Iterator<Item = Position> {
    let whites = sets_of(rules.board().points(), white);
    let blacks = sets_of(rules.board().points(), black);
    // White's men change fastest: with White to move, successors then share a group of `Ids`.
    blacks.into_iter().flat_map(move |black| {
        let disjoint: Vec<Mask> = whites.iter().copied().filter(|w| w & black == 0).collect();
        disjoint.into_iter().flat_map(move |white| {
            [Color::White, Color::Black].map(|side| Position {
                men: [white, black],
                hand: [white_hand, black_hand],
                side,
            })
        })
    })
}

/// At least one position of every class with that many men of the mover, who is White, and of his
/// opponent: all those in which Black's men are the least of their images.
pub fn class_positions_of(
    rules: &Rules,
    own: u8,
    enemy: u8,
    own_hand: u8,
    enemy_hand: u8,
) -> impl Iterator<Item = Position> + use<> {
    let (points, all) = (rules.board().points(), rules.board().all());
    let group = automorphisms(rules.board());
    let least = |set: &Mask| group.iter().all(|images| image_of(images, *set) >= *set);
    let enemies: Vec<Mask> = sets_of(points, enemy).into_iter().filter(least).collect();
    let owns = sets_of(points - usize::from(enemy), own);
    enemies.into_iter().flat_map(move |enemy| {
        let free: Vec<Point> = points_of(all & !enemy).collect();
        let hand = [own_hand, enemy_hand];
        let spread: Vec<Mask> = owns.iter().map(|&own| image_of(&free, own)).collect();
        spread.into_iter().map(move |own| Position { men: [own, enemy], hand, side: Color::White })
    })
}

/// All sets of `size` of the first `points` points.
fn sets_of(points: usize, size: u8) -> Vec<Mask> {
    let sets = 0..1 << points;
    sets.filter(|set: &Mask| set.count_ones() == u32::from(size)).collect()
}
