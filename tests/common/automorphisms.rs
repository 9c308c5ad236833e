//! The symmetries of a board by backtracking, from neighbours and lines alone.
//!
//! Slower and plainer than anything the engine does: assigns images point by point, keeps what
//! preserves neighbours, and at the end what preserves the set of lines.

use merels::rules::{Board, Mask, Point, Position, points_of};

/// Every permutation of points (image of each point) that keeps neighbours and lines.
pub fn automorphisms(board: &Board) -> Vec<Vec<Point>> {
    let mut found = Vec::new();
    extend(board, &mut Vec::new(), &mut found);
    found.retain(|images| keeps_lines(board, images));
    found
}

fn extend(board: &Board, images: &mut Vec<Point>, found: &mut Vec<Vec<Point>>) {
    if images.len() == board.points() {
        return found.push(images.clone());
    }
    let point = images.len() as Point;
    for image in 0..board.points() as Point {
        if !images.contains(&image) && keeps_neighbours(board, images, point, image) {
            images.push(image);
            extend(board, images, found);
            images.pop();
        }
    }
}

fn keeps_neighbours(board: &Board, images: &[Point], point: Point, image: Point) -> bool {
    let adjacent = |a: Point, b: Point| board.neighbours(a) >> b & 1;
    let mut earlier = images.iter().zip(0..);
    earlier.all(|(&other_image, other)| adjacent(point, other) == adjacent(image, other_image))
}

fn keeps_lines(board: &Board, images: &[Point]) -> bool {
    board.lines().iter().all(|&line| board.lines().contains(&image_of(images, line)))
}

/// The image of a set of points.
pub fn image_of(images: &[Point], mask: Mask) -> Mask {
    points_of(mask).fold(0, |image, point| image | 1 << images[usize::from(point)])
}

/// The image of a position: men move, hands and side stay.
pub fn image_of_position(images: &[Point], position: &Position) -> Position {
    Position { men: position.men.map(|men| image_of(images, men)), ..*position }
}

/// Is this the least of its images, so that it may stand for its class?
pub fn is_least(group: &[Vec<Point>], position: &Position) -> bool {
    group.iter().all(|images| image_of_position(images, position) >= *position)
}
