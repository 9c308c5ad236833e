//! The symmetries of a board.
//!
//! An automorphism is a permutation of the points that keeps neighbours and lines; it keeps every
//! rule, hence every value. The group is found by search, never typed in, and applied to sets by
//! table look-up. Invariant: element 0 is the identity, and the order depends on nothing but
//! the board, since stored slots depend on it.

use crate::rules::{Board, Mask, Point, points_of};

/// Bits of a mask that one look-up maps.
const HALF: usize = 12;

/// One automorphism of a board.
#[derive(Clone, Debug)]
pub struct Symmetry {
    image: Vec<Point>,
    low: Vec<Mask>,
    high: Vec<Mask>,
}

impl Symmetry {
    fn new(image: Vec<Point>) -> Symmetry {
        let map_from = |base: usize| -> Vec<Mask> {
            let map_bit = |bit: Point| image.get(base + usize::from(bit)).map_or(0, |p| 1 << p);
            (0..1 << HALF).map(|set| points_of(set).fold(0, |all, b| all | map_bit(b))).collect()
        };
        Symmetry { low: map_from(0), high: map_from(HALF), image }
    }

    /// Where each point goes.
    pub fn image(&self) -> &[Point] {
        &self.image
    }

    /// The image of a set of points.
    #[inline]
    pub fn apply(&self, set: Mask) -> Mask {
        self.low[set as usize & ((1 << HALF) - 1)] | self.high[set as usize >> HALF]
    }

    /// The set whose image is `set`, point by point.
    pub fn inverse(&self, set: Mask) -> Mask {
        let sources = (0..).zip(&self.image).filter(|(_, image)| set >> **image & 1 == 1);
        sources.fold(0, |all, (source, _): (Point, _)| all | 1 << source)
    }
}

/// All automorphisms of a board, the identity first, in lexicographic order of their images.
pub fn symmetries(board: &Board) -> Vec<Symmetry> {
    let points = 0..board.points() as Point;
    let neighbours: Vec<Mask> = points.map(|point| board.neighbours(point)).collect();
    search(board, &neighbours)
}

/// All permutations that keep the lines of a board, whatever becomes of neighbours: where all men
/// fly, they keep every value too.
pub fn line_symmetries(board: &Board) -> Vec<Symmetry> {
    let in_line = |point: Point| {
        let union = board.lines_through(point).iter().fold(0, |all, line| all | line);
        union & !(1 << point)
    };
    let related: Vec<Mask> = (0..board.points() as Point).map(in_line).collect();
    search(board, &related)
}

/// The permutations that keep lines and who is related to whom.
fn search(board: &Board, related: &[Mask]) -> Vec<Symmetry> {
    let mut found = Vec::new();
    extend(board, related, &mut Vec::new(), &mut found);
    found.into_iter().map(Symmetry::new).collect()
}

/// Extends a partial permutation point by point; what is complete keeps lines too.
fn extend(board: &Board, related: &[Mask], image: &mut Vec<Point>, found: &mut Vec<Vec<Point>>) {
    let points = board.points() as Point;
    let next = image.len() as Point;
    if next == points {
        if keeps_lines(board, image) {
            found.push(image.clone());
        }
        return;
    }
    for candidate in (0..points).filter(|c| !image.contains(c)).collect::<Vec<_>>() {
        if keeps_related(related, image, candidate) {
            image.push(candidate);
            extend(board, related, image, found);
            image.pop();
        }
    }
}

fn keeps_related(related: &[Mask], image: &[Point], candidate: Point) -> bool {
    let next = image.len();
    (0..next).all(|earlier| {
        let before = related[next] >> earlier & 1;
        before == related[usize::from(candidate)] >> image[earlier] & 1
    })
}

fn keeps_lines(board: &Board, image: &[Point]) -> bool {
    let map = |line: Mask| points_of(line).fold(0, |all, p| all | 1 << image[usize::from(p)]);
    board.lines().iter().all(|&line| board.lines().contains(&map(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{NAMES, Rules};

    #[test]
    fn test_more_permutations_keep_the_lines_of_nine_than_its_neighbours() {
        let rules = Rules::named("nine").unwrap();
        assert_eq!(line_symmetries(rules.board()).len(), 48);
    }

    #[test]
    fn test_group_orders() {
        for name in NAMES {
            let order = symmetries(Rules::named(name).unwrap().board()).len();
            let expected = if name.starts_with("three") { 8 } else { 16 };
            assert_eq!(order, expected, "{name}");
        }
    }

    #[test]
    fn test_the_identity_is_first_and_the_group_is_closed() {
        let group = symmetries(Rules::named("nine").unwrap().board());
        assert!(group[0].image().iter().enumerate().all(|(i, &p)| i == usize::from(p)));
        for a in &group {
            for b in &group {
                let product: Vec<Point> =
                    b.image().iter().map(|&p| a.image()[usize::from(p)]).collect();
                assert!(group.iter().any(|c| c.image() == product));
            }
        }
    }

    #[test]
    fn test_sets_are_mapped_point_by_point() {
        let group = symmetries(Rules::named("twelve").unwrap().board());
        for symmetry in &group {
            for set in [0, 0x1, 0xabcdef, 0x800001, 0xffffff] {
                let slow =
                    points_of(set).fold(0, |all, p| all | 1 << symmetry.image()[usize::from(p)]);
                assert_eq!(symmetry.apply(set), slow);
                assert_eq!(symmetry.inverse(slow), set);
            }
        }
    }
}
