//! Boards: points, their names, neighbours and lines.
//!
//! A board is data derived from a drawing: rings of eight points and the segments between them.
//! Everything else in the crate speaks of points as bit numbers of a [`Mask`]; this file owns
//! the meaning of those bits. Invariant: bit `8 r + i` is the `i`-th point of ring `r`, counted
//! clockwise from the top left corner, outermost ring first; the 9-point board is one ring
//! and its centre (bit 8). Rotations and reflections therefore act alike on every ring.

/// A set of points, one bit each.
pub type Mask = u32;

/// A point, as the number of its bit in a [`Mask`].
pub type Point = u8;

/// The three drawings the rules know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardKind {
    /// Nine points, a1 to c3: three men's morris.
    Nine,
    /// Sixteen points, two squares: six men's morris.
    Sixteen,
    /// Twenty-four points, three squares: nine men's morris and its relatives.
    TwentyFour,
}

/// A board with its neighbours and lines.
#[derive(Clone, Debug)]
pub struct Board {
    kind: BoardKind,
    names: Vec<&'static str>,
    rows: Vec<Vec<Point>>,
    neighbours: Vec<Mask>,
    lines: Vec<Mask>,
    lines_through: Vec<Vec<Mask>>,
}

const RING_24: [[&str; 8]; 3] = [
    ["a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"],
    ["b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4"],
    ["c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4"],
];
const RING_16: [[&str; 8]; 2] = [
    ["a5", "c5", "e5", "e3", "e1", "c1", "a1", "a3"],
    ["b4", "c4", "d4", "d3", "d2", "c2", "b2", "b3"],
];
const RING_9: [&str; 8] = ["a3", "b3", "c3", "c2", "c1", "b1", "a1", "a2"];
const CENTRE_9: &str = "b2";

impl Board {
    /// Builds the board of `kind`; `diagonals` adds the diagonal lines (24 and 9 points only, the
    /// caller has refused the rest).
    pub fn new(kind: BoardKind, diagonals: bool) -> Board {
        let mut draft = Draft::default();
        match kind {
            BoardKind::TwentyFour => {
                draft.rings(&RING_24);
                draft.ring_sides(3);
                for i in (0..8).filter(|i| i % 2 == 1 || diagonals) {
                    draft.line([i, 8 + i, 16 + i]);
                }
            }
            BoardKind::Sixteen => {
                draft.rings(&RING_16);
                draft.ring_sides(2);
                for i in [1, 3, 5, 7] {
                    draft.segment(i, 8 + i);
                }
            }
            BoardKind::Nine => {
                draft.rings(&[RING_9]);
                draft.names.push(CENTRE_9);
                draft.ring_sides(1);
                for i in (0..4).filter(|i| i % 2 == 1 || diagonals) {
                    draft.line([i, 8, i + 4]);
                }
            }
        }
        draft.finish(kind)
    }

    /// Which drawing this is.
    pub fn kind(&self) -> BoardKind {
        self.kind
    }

    /// Number of points: 24, 16 or 9.
    pub fn points(&self) -> usize {
        self.names.len()
    }

    /// The set of all points.
    pub fn all(&self) -> Mask {
        (1 << self.points()) - 1
    }

    /// Algebraic name of a point, lower case.
    pub fn name(&self, point: Point) -> &'static str {
        self.names[usize::from(point)]
    }

    /// The point of that algebraic name; letters of either case.
    pub fn point(&self, name: &str) -> Option<Point> {
        let index = self.names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
        Some(index as Point)
    }

    /// Points row by row from the top, each row from the left: the order of position text.
    pub fn rows(&self) -> &[Vec<Point>] {
        &self.rows
    }

    /// Points one step away along a line.
    pub fn neighbours(&self, point: Point) -> Mask {
        self.neighbours[usize::from(point)]
    }

    /// All lines, three points each.
    pub fn lines(&self) -> &[Mask] {
        &self.lines
    }

    /// The lines that contain `point`.
    pub fn lines_through(&self, point: Point) -> &[Mask] {
        &self.lines_through[usize::from(point)]
    }

    /// Number of lines through `point` that lie wholly in `men`.
    pub fn mills_through(&self, men: Mask, point: Point) -> usize {
        let full = |line: &&Mask| men & **line == **line;
        self.lines_through(point).iter().filter(full).count()
    }

    /// The men of `men` that stand in a full line.
    pub fn in_mills(&self, men: Mask) -> Mask {
        let full = self.lines.iter().filter(|&&line| men & line == line);
        full.fold(0, |all, line| all | line)
    }
}

/// The points of a mask, lowest bit first.
pub fn points_of(mask: Mask) -> impl Iterator<Item = Point> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let point = rest.trailing_zeros() as Point;
        rest &= rest - 1;
        Some(point)
    })
}

/// A board under construction: names, segments between neighbours, lines.
#[derive(Default)]
struct Draft {
    names: Vec<&'static str>,
    segments: Vec<(usize, usize)>,
    lines: Vec<Mask>,
}

impl Draft {
    fn rings(&mut self, rings: &[[&'static str; 8]]) {
        self.names.extend(rings.iter().flatten());
    }

    /// The four sides of each square are lines.
    fn ring_sides(&mut self, rings: usize) {
        for ring in 0..rings {
            for corner in [0, 2, 4, 6] {
                self.line([corner, corner + 1, (corner + 2) % 8].map(|i| 8 * ring + i));
            }
        }
    }

    fn line(&mut self, points: [usize; 3]) {
        self.lines.push(points.iter().fold(0, |mask, p| mask | 1 << p));
        self.segment(points[0], points[1]);
        self.segment(points[1], points[2]);
    }

    fn segment(&mut self, a: usize, b: usize) {
        self.segments.push((a, b));
    }

    fn finish(self, kind: BoardKind) -> Board {
        let points = self.names.len();
        let mut neighbours = vec![0; points];
        for &(a, b) in &self.segments {
            neighbours[a] |= 1 << b;
            neighbours[b] |= 1 << a;
        }
        let through = |p: usize| self.lines.iter().copied().filter(|l| l >> p & 1 == 1).collect();
        Board {
            kind,
            rows: rows(&self.names),
            neighbours,
            lines_through: (0..points).map(through).collect(),
            lines: self.lines,
            names: self.names,
        }
    }
}

/// Groups points by rank (top first) and orders each row by file, from the names alone.
fn rows(names: &[&str]) -> Vec<Vec<Point>> {
    let rank = |p: &Point| names[usize::from(*p)].as_bytes()[1];
    let file = |p: &Point| names[usize::from(*p)].as_bytes()[0];
    let mut order: Vec<Point> = (0..names.len() as Point).collect();
    order.sort_by_key(|p| (std::cmp::Reverse(rank(p)), file(p)));
    // On the 24-point board the fourth rank is one row of six points, as notation writes it.
    order.chunk_by(|a, b| rank(a) == rank(b)).map(<[Point]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degree(board: &Board, name: &str) -> u32 {
        board.neighbours(board.point(name).unwrap()).count_ones()
    }

    #[test]
    fn test_counts_follow_the_drawings() {
        let cases = [
            (BoardKind::TwentyFour, false, 24, 16, 32),
            (BoardKind::TwentyFour, true, 24, 20, 40),
            (BoardKind::Sixteen, false, 16, 8, 20),
            (BoardKind::Nine, false, 9, 6, 12),
            (BoardKind::Nine, true, 9, 8, 16),
        ];
        for (kind, diagonals, points, lines, edges) in cases {
            let board = Board::new(kind, diagonals);
            let ends: u32 = (0..points).map(|p| board.neighbours(p as Point).count_ones()).sum();
            assert_eq!((board.points(), board.lines().len()), (points, lines));
            assert_eq!(ends, 2 * edges, "{kind:?}");
        }
    }

    #[test]
    fn test_nine_degrees_and_lines_through_points() {
        let board = Board::new(BoardKind::TwentyFour, false);
        assert_eq!(degree(&board, "a7"), 2);
        assert_eq!(degree(&board, "d7"), 3);
        assert_eq!(degree(&board, "d6"), 4);
        assert_eq!(degree(&board, "d5"), 3);
        assert!((0..24).all(|p| board.lines_through(p).len() == 2));
    }

    #[test]
    fn test_rows_read_from_the_top_left() {
        let board = Board::new(BoardKind::TwentyFour, false);
        let text: Vec<Vec<&str>> =
            board.rows().iter().map(|row| row.iter().map(|&p| board.name(p)).collect()).collect();
        assert_eq!(text[0], ["a7", "d7", "g7"]);
        assert_eq!(text[3], ["a4", "b4", "c4", "e4", "f4", "g4"]);
        assert_eq!(text[6], ["a1", "d1", "g1"]);
        assert_eq!(text.len(), 7);
    }
}
