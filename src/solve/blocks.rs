//! The moves of a row for 512 sets at a time.
//!
//! A set of the free points is a bit among as many as there are ways to hold them: in *blocks* of 512 for
//! the first nine points, one block for every way to hold the others. A move leads from all sets of a
//! block that allow it to bits a fixed distance further on, in a block that the high points name.
//! Invariant: the moves of [`BlockMoves`] are all of a row's, each in one direction, but for those that
//! close a line.

use super::cube::LOW_POINTS;
use super::steps::Allowed;
use crate::rules::{Mask, points_of};

/// Points that number the bits of a block.
pub const BLOCK_POINTS: usize = LOW_POINTS + 3;

/// Words of a block.
pub const WORDS: usize = 1 << (BLOCK_POINTS - LOW_POINTS);

/// One bit for each way to hold the first nine points.
pub type Block = [u64; WORDS];

/// Digits of a number of moves: a row has fewer pairs than they can say.
pub const PLANES: usize = 5;

/// Most lines that a move may close beside the one it goes along.
pub const MOST_LINES: usize = 2;

/// The moves of a row.
pub struct BlockMoves {
    /// Them, and one more that never applies.
    pub moves: Vec<BlockMove>,
    /// Most lines that a move looks at block by block.
    pub lines: usize,
    /// By high points, the moves they allow.
    allowed: Allowed<BLOCK_POINTS>,
}

/// One man's move in one direction.
#[derive(Clone, Copy, Default)]
pub struct BlockMove {
    /// The sets of a block that allow it and, as far as the first nine points tell, close no line by it.
    pub before: Block,
    /// Lines that it closes where their other men stand.
    pub lines: [Line; MOST_LINES],
    /// Where the block after it is, by exclusive or with the number of the block before.
    pub flipped: usize,
    /// How many words further on the set after it is.
    pub words: isize,
    /// And how many bits.
    pub bits: u32,
}

/// The other men of a line.
#[derive(Clone, Copy, Default)]
pub struct Line {
    /// The sets of a block with those on the first nine points.
    pub low: Block,
    /// Those on the others.
    pub high: usize,
}

/// Numbers of moves are bits of a word.
const _: () = assert!(2 * ((1 << PLANES) - 1) < u64::BITS);

impl BlockMoves {
    /// The moves along local `pairs` where the local `lines` are mills; none if they are too many.
    pub fn new(pairs: &[Mask], lines: &[Mask]) -> Option<BlockMoves> {
        if pairs.len() >= 1 << PLANES {
            return None;
        }
        let mut moves = Vec::with_capacity(2 * pairs.len() + 1);
        let (mut held, mut empty, mut most) = (Vec::new(), Vec::new(), 0);
        for &pair in pairs {
            let one = pair & pair.wrapping_neg();
            for (from, to) in [(one, pair ^ one), (pair ^ one, one)] {
                let (one_way, lines) = BlockMove::new(from, to, lines)?;
                most = most.max(lines);
                moves.push(one_way);
                held.push(from);
                empty.push(to);
            }
        }
        moves.push(BlockMove::default());
        Some(BlockMoves { moves, lines: most, allowed: Allowed::new(&held, &empty) })
    }

    /// The moves that the men on high points allow, by number.
    #[inline(always)]
    pub fn allowed(&self, high: Mask) -> u64 {
        self.allowed.of(high) as u64
    }
}

impl BlockMove {
    /// A move and the number of its lines, unless there are too many.
    fn new(from: Mask, to: Mask, lines: &[Mask]) -> Option<(BlockMove, usize)> {
        let low = |men: Mask| men & ((1 << BLOCK_POINTS) - 1);
        let mut one_way = BlockMove {
            before: with_all(low(from)),
            flipped: ((from | to) >> BLOCK_POINTS) as usize,
            words: (low(to) >> LOW_POINTS) as isize - (low(from) >> LOW_POINTS) as isize,
            bits: (to % 64).wrapping_sub(from % 64) % 64,
            ..BlockMove::default()
        };
        if low(to) != 0 {
            exclude(&mut one_way.before, &with_all(low(to)));
        }
        let mut number = 0;
        for line in lines.iter().filter(|&&line| line & to != 0 && line & from == 0) {
            let others = line & !to;
            if others >> BLOCK_POINTS == 0 {
                exclude(&mut one_way.before, &with_all(others));
                continue;
            }
            let high = (others >> BLOCK_POINTS) as usize;
            *one_way.lines.get_mut(number)? = Line { low: with_all(low(others)), high };
            number += 1;
        }
        Some((one_way, number))
    }

    /// Where in the frontier the block is that the move leads to from block number `high`.
    #[inline(always)]
    pub fn after(&self, high: usize) -> usize {
        (WORDS * ((high ^ self.flipped) + 1)).wrapping_add_signed(self.words)
    }
}

/// The sets of a block that hold each of its points.
const WITH: [Block; BLOCK_POINTS] = {
    let mut with = [[0; WORDS]; BLOCK_POINTS];
    let mut set = 0;
    while set < 64 * WORDS {
        let mut point = 0;
        while point < BLOCK_POINTS {
            with[point][set / 64] |= (set as u64 >> point & 1) << (set % 64);
            point += 1;
        }
        set += 1;
    }
    with
};

/// The sets of a block that hold all of these points.
fn with_all(points: Mask) -> Block {
    let mut all = [u64::MAX; WORDS];
    for point in points_of(points) {
        all.iter_mut().zip(&WITH[usize::from(point)]).for_each(|(all, with)| *all &= with);
    }
    all
}

fn exclude(block: &mut Block, excluded: &Block) {
    block.iter_mut().zip(excluded).for_each(|(word, excluded)| *word &= !excluded);
}
