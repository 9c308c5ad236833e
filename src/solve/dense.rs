//! A wave in a row with much frontier: moves are taken back for 512 sets at a time.
//!
//! Followed one by one, a move costs a rank and a scattered count. Where much of a row is in the frontier
//! (a twentieth or so in the large tables), it is cheaper to keep the frontier as one bit for each way to
//! hold the free points: see `blocks`. How many moves lead from a set to the frontier is then added up for
//! a whole block, in binary, one bit vector (*plane*) per digit.
//! Invariant: the planes count, by rank, the quiet moves that lead to the frontier; as many as are taken
//! back one by one.

use super::bits::Bits;
use super::blocks::{BLOCK_POINTS, BlockMoves, MOST_LINES, PLANES, WORDS};
use super::cube::LOW_POINTS;
use super::row::Row;
use crate::index::{Layout, subsets};
use crate::rules::Mask;

/// Slots of the frontier, followed one by one, that cost as much as to describe a row's moves.
const DESCRIBED: usize = 128;

/// Words that cost as much as a slot of the frontier, followed one by one.
const WORDS_PER_SLOT: usize = 2;

/// What rows of a table have in common.
#[derive(Debug)]
pub struct Dense {
    points: usize,
    men: usize,
    /// By number of men on the points from the seventh on: the bits of a word that are sets.
    entries: Vec<u64>,
}

/// Working memory, kept from row to row.
#[derive(Default)]
pub struct DenseRoom {
    /// The frontier by men on the points, an empty block before and after it.
    frontier: Vec<u64>,
    /// The moves by men on the points.
    planes: [Vec<u64>; PLANES],
    /// The moves by rank.
    ranked: [Vec<u64>; PLANES],
    /// Digits there are by rank.
    digits: usize,
}

/// What is to be known of the moves that lead to the frontier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Is there one?
    Any,
    /// Their number.
    Number,
}

impl Dense {
    /// The treatment of rows of `layout`, if they have enough points for it.
    pub fn new(layout: &Layout) -> Option<Dense> {
        let table = layout.table();
        let points = layout.geometry().points() - usize::from(table.enemy);
        let men = usize::from(table.own);
        let entries = |high_men: usize| {
            let low = men.checked_sub(high_men).filter(|&low| low <= LOW_POINTS);
            low.map_or(0, |low| subsets(LOW_POINTS, low).iter().fold(0, |all, set| all | 1 << set))
        };
        (points >= BLOCK_POINTS).then(|| {
            let entries = (0..=points - LOW_POINTS).map(entries).collect();
            Dense { points, men, entries }
        })
    }

    /// Is a row with so many slots in the frontier worth it?
    pub fn is_worthwhile(&self, frontier: usize) -> bool {
        frontier >= DESCRIBED + self.words() / WORDS_PER_SLOT
    }

    fn words(&self) -> usize {
        1 << (self.points - LOW_POINTS)
    }

    /// Takes back the quiet moves to `frontier`, bits by rank and a word more, in a row whose mills
    /// close `lines`. Their number; none if there are too many pairs or lines for this.
    #[inline(always)]
    pub fn take_back<B: Bits>(
        &self,
        bits: B,
        shape: &Row,
        lines: &[Mask],
        frontier: &[u64],
        wanted: Wanted,
        room: &mut DenseRoom,
    ) -> Option<u64> {
        let moves = BlockMoves::new(&shape.pairs, lines)?;
        room.resize(self.words());
        self.arrange(bits, frontier, &mut room.frontier[WORDS..]);
        let digits = match moves.lines {
            0 => self.count::<B, 0>(bits, &moves, room),
            1 => self.count::<B, 1>(bits, &moves, room),
            _ => self.count::<B, MOST_LINES>(bits, &moves, room),
        };
        let edges = room.edges(digits);
        match (wanted, digits) {
            (_, 0) => room.digits = 0,
            (Wanted::Any, _) => {
                room.unite(digits);
                self.rank::<B, 1>(bits, room);
            }
            (_, 1) => self.rank::<B, 1>(bits, room),
            (_, 2) => self.rank::<B, 2>(bits, room),
            (_, 3) => self.rank::<B, 3>(bits, room),
            _ => self.rank::<B, PLANES>(bits, room),
        }
        Some(edges)
    }

    /// From bits by rank to bits by men on the points.
    #[inline(always)]
    fn arrange<B: Bits>(&self, bits: B, ranked: &[u64], words: &mut [u64]) {
        let mut at = 0;
        for (high, word) in (0..self.words()).zip(words) {
            let entries = self.entries[high.count_ones() as usize];
            let (first, shift) = (at / 64, at % 64);
            let sets = ranked[first] >> shift | ranked[first + 1] << 1 << (63 - shift);
            *word = bits.spread_entries(sets, entries);
            at += entries.count_ones() as usize;
        }
    }

    /// From bits by men on the points to bits by rank.
    #[inline(always)]
    fn rank<B: Bits, const DIGITS: usize>(&self, bits: B, room: &mut DenseRoom) {
        let DenseRoom { planes, ranked, digits, .. } = room;
        *digits = DIGITS;
        ranked.iter_mut().for_each(|ranked| ranked.clear());
        let (mut words, mut filled) = ([0; DIGITS], 0);
        let planes: [&[u64]; DIGITS] = std::array::from_fn(|digit| &planes[digit][..]);
        for high in 0..self.words() {
            let entries = self.entries[high.count_ones() as usize];
            let number = entries.count_ones();
            let packed = planes.map(|plane| bits.squeeze_entries(plane[high], entries));
            words.iter_mut().zip(packed).for_each(|(word, packed)| *word |= packed << filled);
            filled += number;
            if filled >= 64 {
                filled -= 64;
                for digit in 0..DIGITS {
                    ranked[digit].push(words[digit]);
                    // The bits that had no room.
                    words[digit] = packed[digit] >> (number - filled);
                }
            }
        }
        ranked.iter_mut().zip(words).for_each(|(ranked, word)| ranked.push(word));
    }

    /// Adds the moves up, block by block, and tells how many digits that takes.
    #[inline(always)]
    fn count<B: Bits, const LINES: usize>(
        &self,
        bits: B,
        moves: &BlockMoves,
        room: &mut DenseRoom,
    ) -> usize {
        let high_points = self.points - BLOCK_POINTS;
        let mut any = [0; PLANES];
        for high in 0..1 << high_points {
            let high_men = (high as Mask).count_ones() as usize;
            let there = high_men <= self.men && self.men <= high_men + BLOCK_POINTS;
            let chosen = if there { moves.allowed(high as Mask) } else { 0 };
            let sums = bits.sum_moves::<LINES>(&room.frontier, &moves.moves, chosen, high);
            for ((sum, plane), any) in sums.iter().zip(&mut room.planes).zip(&mut any) {
                plane[high * WORDS..][..WORDS].copy_from_slice(sum);
                *any |= sum.iter().fold(0, |any, word| any | word);
            }
        }
        any.iter().rposition(|&any| any != 0).map_or(0, |last| last + 1)
    }
}

impl DenseRoom {
    fn resize(&mut self, words: usize) {
        self.frontier.resize(words + 2 * WORDS, 0);
        self.planes.iter_mut().for_each(|plane| plane.resize(words, 0));
    }

    /// The moves by rank: bit by bit, the digits of their numbers.
    pub fn digits(&self) -> &[Vec<u64>] {
        &self.ranked[..self.digits]
    }

    /// Moves taken back, which take so many digits.
    #[inline(always)]
    fn edges(&self, digits: usize) -> u64 {
        let mut edges = 0;
        for (digit, plane) in self.planes[..digits].iter().enumerate() {
            edges += plane.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() << digit;
        }
        edges
    }

    /// Makes the first digit tell whether there are moves.
    #[inline(always)]
    fn unite(&mut self, digits: usize) {
        let (any, others) = self.planes.split_at_mut(1);
        for plane in &others[..digits - 1] {
            any[0].iter_mut().zip(plane).for_each(|(any, word)| *any |= word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Job, Portable, run, run_middle};
    use super::*;
    use crate::index::{Geometry, Subspace};
    use crate::rules::{Color, Rules};

    /// The digits by rank and the edges of a row, for both that is wanted.
    struct TakeBack<'a> {
        dense: &'a Dense,
        shape: &'a Row,
        lines: &'a [Mask],
        frontier: &'a [u64],
    }

    type Taken = Vec<(Vec<Vec<u64>>, Option<u64>)>;

    impl Job for TakeBack<'_> {
        type Output = Taken;

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Taken {
            let TakeBack { dense, shape, lines, frontier } = self;
            let mut room = DenseRoom::default();
            let mut take_back = |wanted| {
                let edges = dense.take_back(bits, shape, lines, frontier, wanted, &mut room);
                (room.digits().to_vec(), edges)
            };
            vec![take_back(Wanted::Number), take_back(Wanted::Any), take_back(Wanted::Number)]
        }
    }

    /// Compares some rows, a frontier of every `step`-th slot or so, with moves taken back one by one.
    fn check(rules: &str, subspace: &str, step: u32) {
        let rules = Rules::parse(rules).unwrap();
        let geometry = Geometry::new(&rules);
        let table = subspace.parse::<Subspace>().unwrap().table(Color::White);
        let layout = Layout::new(&geometry, table);
        let dense = Dense::new(&layout).unwrap();
        let mut state = step;
        for row in (0..layout.rows()).step_by(layout.rows() / 7 + 1) {
            let shape = Row::new(&rules, &layout, row);
            for lines in [&shape.lines[..], &[]] {
                let mut frontier = vec![0; layout.row_len() / 64 + 2];
                let mut afters = Vec::new();
                for (rank, &own) in layout.ranked_sets().iter().enumerate() {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if state >> 8 & 0xffff < 0x1_0000 / step {
                        frontier[rank / 64] |= 1 << (rank % 64);
                        afters.push(own);
                    }
                }
                let mut befores = Vec::new();
                Portable.take_back(&afters, &shape.pairs, lines, &mut befores);
                let mut expected = vec![0u64; layout.row_len()];
                befores.iter().for_each(|&own| expected[layout.ranks().rank(own) as usize] += 1);
                let taken =
                    || TakeBack { dense: &dense, shape: &shape, lines, frontier: &frontier };
                let plain = taken().run(Portable);
                assert!(run(taken()) == plain);
                assert!(run_middle(taken()).is_none_or(|taken| taken == plain));
                for (digits, edges) in [&plain[0], &plain[2]] {
                    assert_eq!(*edges, Some(befores.len() as u64));
                    let bit = |plane: &Vec<u64>, rank: usize| plane[rank / 64] >> (rank % 64) & 1;
                    let number = |rank: usize| {
                        let bits = digits.iter().enumerate();
                        bits.map(|(digit, plane)| bit(plane, rank) << digit).sum::<u64>()
                    };
                    assert!(expected.iter().enumerate().all(|(rank, &n)| number(rank) == n));
                    let any = |rank: usize| plain[1].0.iter().any(|plane| bit(plane, rank) == 1);
                    assert!(expected.iter().enumerate().all(|(rank, &n)| any(rank) == (n > 0)));
                }
            }
        }
    }

    #[test]
    fn test_moves_are_those_taken_back_one_by_one() {
        for step in [1, 3, 30] {
            check("nine", "4-9", step);
            check("nine", "9-4", step);
            check("six+men=7", "7-7", step);
            check("nine", "7-6", step);
            check("nine", "9-9", step);
            check("six", "6-6", step);
            check("twelve", "8-7", step);
        }
        check("nine", "9-9", 0x1_0000);
        check("nine+place-or-move=yes", "5-4+1+1", 5);
    }

    #[test]
    fn test_too_many_moves_or_too_few_points_are_left_to_others() {
        let rules = Rules::named("twelve").unwrap();
        let geometry = Geometry::new(&rules);
        let layout =
            |name: &str| Layout::new(&geometry, name.parse::<Subspace>().unwrap().unit().first());
        let crowded = Row { pairs: vec![0b11; 1 << PLANES], ..Row::new(&rules, &layout("6-6"), 0) };
        let dense = Dense::new(&layout("6-6")).unwrap();
        let mut room = DenseRoom::default();
        let frontier = vec![0; 1 << 15];
        assert!(
            dense.take_back(Portable, &crowded, &[], &frontier, Wanted::Any, &mut room).is_none()
        );
        let three = Rules::named("three").unwrap();
        let geometry = Geometry::new(&three);
        let table = "3-3".parse::<Subspace>().unwrap().unit().first();
        assert!(Dense::new(&Layout::new(&geometry, table)).is_none());
    }
}
