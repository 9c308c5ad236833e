//! Our position text, `ROWS SIDE WHITE_HAND BLACK_HAND`, and a drawing of the board.
//!
//! The rows look like the board, so that a position can be typed and read without a tool. The order
//! of points is the board's own ([`Board::rows`]). A fifth field, `x` or `xx`, says that the side to
//! move has closed a mill and still owes one removal or two: players ask about such moments on every
//! board, and the notations of other programs know one board only. Invariant: writing and reading
//! are inverse on every position that passes [`Position::check`].
//!
//! [`Board::rows`]: crate::rules::Board::rows

use super::{NotationError, Reading, checked, number, owed_removals, quoted, side};
use crate::rules::{Board, BoardKind, Color, Mask, Point, Position, Rules, points_of};

const FORMAT: &str = "position";
const LETTERS: &str = "W, B or .";
const HANDS: [&str; 2] = ["white hand", "black hand"];
const OWED: &str = "removals owed";

/// Reads our position text.
///
/// # Errors
/// Names the field and the reason: rows that do not fit the board, an unknown letter with its
/// column, men or hands that the rules do not allow. Rows of another board are recognised.
///
/// # Examples
/// ```
/// use merels::notation::parse_position;
/// let rules = merels::rules::Rules::named("nine").unwrap();
/// let error = parse_position(&rules, ".../.../.../W.BBB./.../..../... w 9 9").unwrap_err();
/// assert_eq!(error.to_string(), "row 6 has 4 points, expected 3");
/// ```
pub fn parse_position(rules: &Rules, text: &str) -> Result<Position, NotationError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [rows, to_move, white, black] = fields[..] else {
        return Err(NotationError::FieldCount {
            format: FORMAT,
            found: fields.len(),
            expected: "4 fields (ROWS SIDE WHITE_HAND BLACK_HAND)",
        });
    };
    let men = parse_rows(rules, rows)?;
    let most = i128::from(rules.men());
    let hand = [number(HANDS[0], white, 0..=most)?, number(HANDS[1], black, 0..=most)?];
    let position = Position { men, hand, side: side(to_move)? };
    checked(rules, position, ["rows"; 2], HANDS)
}

/// Reads our position text, in the middle of a turn too.
///
/// # Errors
/// As [`parse_position`]; and more removals than a turn of the rules can owe.
///
/// # Examples
/// ```
/// use merels::notation::parse_reading;
/// let six = merels::rules::Rules::named("six").unwrap();
/// assert_eq!(parse_reading(&six, "WWW/B../B.../.../... w 3 4 x")?.owed, 1);
/// # Ok::<(), merels::notation::NotationError>(())
/// ```
pub fn parse_reading(rules: &Rules, text: &str) -> Result<Reading, NotationError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [rows, side, white, black, owed] = fields[..] else {
        return parse_position(rules, text).map(Reading::from);
    };
    let position = parse_position(rules, &[rows, side, white, black].join(" "))?;
    if owed.bytes().any(|letter| letter != b'x') {
        let expected = "x for each removal owed".to_string();
        return Err(NotationError::Field { field: OWED, found: quoted(owed), expected });
    }
    Ok(Reading { position, owed: owed_removals(rules, OWED, owed.len())? })
}

/// Writes our position text.
pub fn format_position(rules: &Rules, position: &Position) -> String {
    let row_text = |row: &Vec<Point>| row.iter().map(|&p| letter(position, p)).collect::<String>();
    let rows: Vec<String> = rules.board().rows().iter().map(row_text).collect();
    let side = match position.side {
        Color::White => 'w',
        Color::Black => 'b',
    };
    format!("{} {side} {} {}", rows.join("/"), position.hand[0], position.hand[1])
}

/// Writes our position text with the removals that are owed in the middle of a turn.
pub fn format_reading(rules: &Rules, reading: &Reading) -> String {
    let owed = "x".repeat(usize::from(reading.owed));
    let text = format_position(rules, &reading.position);
    if owed.is_empty() { text } else { format!("{text} {owed}") }
}

fn letter(position: &Position, point: Point) -> char {
    match [0, 1].map(|color| position.men[color] >> point & 1 == 1) {
        [true, _] => 'W',
        [_, true] => 'B',
        _ => '.',
    }
}

fn parse_rows(rules: &Rules, text: &str) -> Result<[Mask; 2], NotationError> {
    let board = rules.board();
    let rows: Vec<&str> = text.split('/').collect();
    refuse_other_boards(rules, &rows)?;
    let (found, expected) = (rows.len(), board.rows().len());
    if found != expected {
        return Err(NotationError::RowCount { what: "rows", found, expected });
    }
    let mut men = [0, 0];
    for (index, (letters, points)) in rows.iter().zip(board.rows()).enumerate() {
        parse_row(index + 1, letters, points, &mut men)?;
    }
    Ok(men)
}

fn parse_row(
    row: usize,
    letters: &str,
    points: &[Point],
    men: &mut [Mask; 2],
) -> Result<(), NotationError> {
    let (found, expected) = (letters.chars().count(), points.len());
    if found != expected {
        return Err(NotationError::RowLength { what: "row", row, found, expected });
    }
    for (index, (letter, &point)) in letters.chars().zip(points).enumerate() {
        match letter {
            'W' => men[0] |= 1 << point,
            'B' => men[1] |= 1 << point,
            '.' => {}
            _ => {
                let (what, column, expected) = ("row", index + 1, LETTERS);
                return Err(NotationError::Letter { what, row, column, letter, expected });
            }
        }
    }
    Ok(())
}

/// Rows with exactly the shape of another board are a wrong choice of rules, not a slip of typing.
fn refuse_other_boards(rules: &Rules, rows: &[&str]) -> Result<(), NotationError> {
    let has_shape = |board: &Board| {
        let lengths = board.rows().iter().map(Vec::len);
        lengths.eq(rows.iter().map(|row| row.chars().count()))
    };
    let kinds = [BoardKind::Nine, BoardKind::Sixteen, BoardKind::TwentyFour];
    let others = kinds.into_iter().filter(|&kind| kind != rules.board().kind());
    match others.map(|kind| Board::new(kind, false)).find(has_shape) {
        Some(other) => Err(NotationError::OtherBoard {
            looks_like: other.points(),
            points: rules.board().points(),
            rules: rules.name().to_string(),
        }),
        None => Ok(()),
    }
}

/// Draws the board for a terminal: men as `W` and `B`, empty points as `.`, lines between
/// neighbours, ranks at the left and files below. Lines end without spaces.
///
/// # Examples
/// ```
/// use merels::notation::draw_board;
/// use merels::rules::{Position, Rules};
/// let rules = Rules::named("three").unwrap();
/// let drawing = draw_board(&rules, &Position::start(&rules));
/// assert_eq!(drawing.lines().next(), Some("3  .---.---."));
/// assert_eq!(drawing.lines().nth(1), Some("   | \\ | / |"));
/// ```
pub fn draw_board(rules: &Rules, position: &Position) -> String {
    let board = rules.board();
    let ranks = 1 + (0..board.points() as Point).map(|p| grid(board, p).1).max().unwrap_or(0);
    let mut canvas = Canvas::new(ranks);
    for from in 0..board.points() as Point {
        for to in points_of(board.neighbours(from)).filter(|&to| to > from) {
            canvas.segment(grid(board, from), grid(board, to));
        }
    }
    for point in 0..board.points() as Point {
        canvas.point(grid(board, point), letter(position, point));
    }
    canvas.finish()
}

/// File and rank of a point, from 0, as its name says.
fn grid(board: &Board, point: Point) -> (usize, usize) {
    let name = board.name(point).as_bytes();
    (usize::from(name[0] - b'a'), usize::from(name[1] - b'1'))
}

/// Characters of a drawing, top line first. The grids of all boards are square.
struct Canvas {
    ranks: usize,
    lines: Vec<Vec<char>>,
}

impl Canvas {
    const MARGIN: usize = 3;
    const FILE_STEP: usize = 4;
    const RANK_STEP: usize = 2;

    fn new(ranks: usize) -> Canvas {
        let width = Self::MARGIN + Self::FILE_STEP * (ranks - 1) + 1;
        let mut lines = vec![vec![' '; width]; Self::RANK_STEP * (ranks - 1) + 1];
        for rank in 0..ranks {
            lines[Self::RANK_STEP * rank][0] = char::from(b'0' + (ranks - rank) as u8);
        }
        let mut files = vec![' '; width];
        for file in 0..ranks {
            files[Self::MARGIN + Self::FILE_STEP * file] = char::from(b'a' + file as u8);
        }
        lines.extend([vec![], files]);
        Canvas { ranks, lines }
    }

    /// Column and line of a grid point.
    fn place(&self, (file, rank): (usize, usize)) -> (usize, usize) {
        (Self::MARGIN + Self::FILE_STEP * file, Self::RANK_STEP * (self.ranks - 1 - rank))
    }

    fn point(&mut self, at: (usize, usize), letter: char) {
        let (x, y) = self.place(at);
        self.lines[y][x] = letter;
    }

    fn segment(&mut self, a: (usize, usize), b: (usize, usize)) {
        let [(left, first), (right, last)] = {
            let mut ends = [self.place(a), self.place(b)];
            ends.sort_unstable();
            ends
        };
        if first == last {
            self.lines[first][left + 1..right].fill('-');
            return;
        }
        let stroke = match (left == right, first < last) {
            (true, _) => '|',
            (false, true) => '\\',
            (false, false) => '/',
        };
        let height = first.abs_diff(last);
        for step in 1..height {
            let y = if first < last { first + step } else { first - step };
            self.lines[y][left + (right - left) * step / height] = stroke;
        }
    }

    fn finish(self) -> String {
        let text = |line: Vec<char>| line.into_iter().collect::<String>().trim_end().to_string();
        self.lines.into_iter().map(|line| text(line) + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str) -> Rules {
        Rules::named(name).unwrap()
    }

    fn message(name: &str, text: &str) -> String {
        parse_position(&rules(name), text).unwrap_err().to_string()
    }

    #[test]
    fn test_start_of_every_board() {
        let cases = [
            ("nine", ".../.../.../....../.../.../... w 9 9"),
            ("six", ".../.../..../.../... w 6 6"),
            ("three", ".../.../... w 3 3"),
        ];
        for (name, text) in cases {
            let start = Position::start(&rules(name));
            assert_eq!(format_position(&rules(name), &start), text);
            assert_eq!(parse_position(&rules(name), text), Ok(start));
        }
    }

    #[test]
    fn test_letters_stand_where_the_names_say() {
        let nine = rules("nine");
        let text = "W../.B./.../....BW/.../.../..B b 0 3";
        let position = parse_position(&nine, text).unwrap();
        let mask = |names: &[&str]| {
            names.iter().fold(0, |mask, name| mask | 1 << nine.board().point(name).unwrap())
        };
        assert_eq!(position.men, [mask(&["a7", "g4"]), mask(&["d6", "f4", "g1"])]);
        assert_eq!((position.hand, position.side), ([0, 3], Color::Black));
        assert_eq!(format_position(&nine, &position), text);
    }

    #[test]
    fn test_wrong_rows_are_named() {
        let tail = " w 9 9";
        let nine = |rows: &str| message("nine", &format!("{rows}{tail}"));
        assert_eq!(nine(".../.../.../W.BBB./.../..../..."), "row 6 has 4 points, expected 3");
        assert_eq!(nine(".../.../.../....../.../..."), "6 rows, expected 7");
        assert_eq!(nine(".../.../.../....../.../.../.../..."), "8 rows, expected 7");
        assert_eq!(
            nine(".../.x./.../....../.../.../..."),
            "row 2, column 2: unknown letter 'x', expected W, B or ."
        );
        assert_eq!(
            nine(".../.../.../....../.../.../..é"),
            "row 7, column 3: unknown letter 'é', expected W, B or ."
        );
    }

    #[test]
    fn test_rows_of_another_board_are_recognised() {
        assert_eq!(
            message("nine", ".../.../..../.../... w 6 6"),
            "the rows look like the 16-point board, but nine is played on 24 points: --rules chooses the board"
        );
        assert!(message("six", ".../.../... w 3 3").contains("9-point board"));
        assert!(
            message("three", ".../.../.../....../.../.../... w 3 3").contains("24-point board")
        );
    }

    #[test]
    fn test_wrong_fields_are_named() {
        let rows = ".../.../.../....../.../.../...";
        let nine = |tail: &str| message("nine", &format!("{rows} {tail}"));
        assert!(nine("w 9").ends_with("BLACK_HAND), found 3"));
        assert!(nine("w 9 9 9").ends_with("BLACK_HAND), found 5"));
        assert_eq!(nine("W 9 9"), "side: 'W' is not w or b");
        assert_eq!(nine("w 10 9"), "white hand: '10' is not a number from 0 to 9");
        assert_eq!(nine("w 9 nine"), "black hand: 'nine' is not a number from 0 to 9");
        assert_eq!(nine("w +9 9"), "white hand: '+9' is not a number from 0 to 9");
    }

    #[test]
    fn test_a_fifth_field_says_what_is_owed() {
        let read = |name: &str, tail: &str| {
            let text = format!("WWW/B../B.../.../... w 3 4{tail}");
            parse_reading(&rules(name), &text).map(|reading| reading.owed)
        };
        let message = |name: &str, tail: &str| read(name, tail).unwrap_err().to_string();
        assert_eq!(["", " x"].map(|tail| read("six", tail)), [Ok(0), Ok(1)]);
        assert_eq!(
            message("six", " xx"),
            "removals owed: 2 owed, but a turn of six removes at most 1"
        );
        assert_eq!(message("six", " X"), "removals owed: 'X' is not x for each removal owed");
        assert!(message("six", " x x").ends_with("found 6"));
        let double = Rules::with_options("six", &["double-mill=two"]).unwrap();
        let text = "WWW/B../B.../.../... w 3 4 xx";
        let reading = parse_reading(&double, text).unwrap();
        assert_eq!((reading.owed, format_reading(&double, &reading)), (2, text.to_string()));
        let long = format!("{text}{}", "x".repeat(300));
        assert!(parse_reading(&double, &long).unwrap_err().to_string().contains("302 owed"));
    }

    #[test]
    fn test_more_men_than_the_rules_have() {
        assert_eq!(
            message("nine", "WWW/WWW/WWW/W...../.../.../... w 0 9"),
            "rows: white has 10 men (10 on the board, 0 in hand): this rule set gives each player 9"
        );
        assert_eq!(
            message("nine", "BB./.../.../....../.../.../... w 9 8"),
            "black hand: black has 10 men (2 on the board, 8 in hand): this rule set gives each player 9"
        );
    }

    #[test]
    fn test_drawing_of_24_points() {
        let nine = rules("nine");
        let position = parse_position(&nine, "W../.B./.../....../.../.../..B w 8 7").unwrap();
        let expected = "\
7  W-----------.-----------.
   |           |           |
6  |   .-------B-------.   |
   |   |       |       |   |
5  |   |   .---.---.   |   |
   |   |   |       |   |   |
4  .---.---.       .---.---.
   |   |   |       |   |   |
3  |   |   .---.---.   |   |
   |   |       |       |   |
2  |   .-------.-------.   |
   |           |           |
1  .-----------.-----------B

   a   b   c   d   e   f   g
";
        assert_eq!(draw_board(&nine, &position), expected);
    }

    #[test]
    fn test_drawings_of_diagonals_and_of_the_smaller_boards() {
        let drawing = |name: &str| draw_board(&rules(name), &Position::start(&rules(name)));
        assert_eq!(drawing("twelve").lines().nth(1), Some("   | \\         |         / |"));
        assert_eq!(drawing("twelve").lines().nth(11), Some("   | /         |         \\ |"));
        let six = "\
5  .-------.-------.
   |       |       |
4  |   .---.---.   |
   |   |       |   |
3  .---.       .---.
   |   |       |   |
2  |   .---.---.   |
   |       |       |
1  .-------.-------.

   a   b   c   d   e
";
        assert_eq!(drawing("six"), six);
        assert_eq!(drawing("three-orthogonal").lines().nth(1), Some("   |   |   |"));
    }
}
