//! One turn as text: `d2`, `a1-a4`, either followed by `xa1` for each man removed.
//!
//! A turn is atomic in the rules and therefore one word here. Invariant: the removed men are a set;
//! writing lists them in bit order, reading takes any order, so equal turns have equal text. Whether
//! the turn is legal is for the rules to say.

use super::quoted;
use crate::rules::{Board, Mask, Point, Rules, Turn, points_of};

/// Stands for the removal owed where no man may be removed.
const NO_REMOVAL: &str = "none";

/// How a text names points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PointNames {
    /// Algebraic names, `a1` to `g7`.
    #[default]
    Algebraic,
    /// Numbers from 1, row by row from the top left, as the site PlayOK writes them. Algebraic names
    /// are understood too: they cannot be taken for numbers.
    PlayOk,
}

/// Why a text is no turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The text has not the form of a turn.
    #[error(
        "{0} is not a turn: expected a placement (d2) or a move (a1-a4), with xd7 for a man removed"
    )]
    Shape(String),
    /// A removal without the placement or move that it belongs to.
    #[error("{0} is a removal without the placement or move it belongs to")]
    LoneRemoval(String),
    /// The text is no removal, and the turn's placement or move has been made already.
    #[error("{0} is not a removal: expected xd7 for each man removed, or none")]
    NoRemoval(String),
    /// No point of that name.
    #[error("no point {name} on the {points}-point board")]
    UnknownPoint {
        /// The name as given, quoted.
        name: String,
        /// Points of the board.
        points: usize,
    },
    /// The same man removed twice.
    #[error("the man on {0} is removed twice")]
    Duplicate(&'static str),
    /// More removals than any turn has.
    #[error("{0} men removed: a turn removes at most two")]
    TooManyRemovals(usize),
}

/// Reads a turn with algebraic point names; upper case and surrounding space are taken, nothing else.
///
/// # Errors
/// Says what is wrong with the form, or names the point that the board does not have.
///
/// # Examples
/// ```
/// use merels::notation::{format_turn, parse_turn};
/// let rules = merels::rules::Rules::named("nine").unwrap();
/// let turn = parse_turn(&rules, " D7-G7xA1 ")?;
/// assert_eq!(format_turn(&rules, &turn), "d7-g7xa1");
/// # Ok::<(), merels::notation::TurnError>(())
/// ```
pub fn parse_turn(rules: &Rules, text: &str) -> Result<Turn, TurnError> {
    parse_turn_as(rules, text, PointNames::Algebraic)
}

/// Reads a turn whose points are named as `names` says.
///
/// # Errors
/// As [`parse_turn`].
pub fn parse_turn_as(rules: &Rules, text: &str, names: PointNames) -> Result<Turn, TurnError> {
    let text = text.trim();
    let mut parts = text.split(['x', 'X']);
    let movement: Vec<&str> = parts.next().unwrap_or_default().split('-').collect();
    let removals: Vec<&str> = parts.collect();
    let is_whole = removals.iter().all(|part| !part.is_empty());
    if movement == [""] && is_whole && !removals.is_empty() {
        return Err(TurnError::LoneRemoval(quoted(text)));
    }
    if !is_whole || movement.iter().any(|part| part.is_empty()) {
        return Err(TurnError::Shape(quoted(text)));
    }
    let find = |name: &str| point(rules.board(), name, names);
    let (from, to) = match movement[..] {
        [to] => (None, find(to)?),
        [from, to] => (Some(find(from)?), find(to)?),
        _ => return Err(TurnError::Shape(quoted(text))),
    };
    let removed = removed_men(rules.board(), &removals, find)?;
    Ok(Turn { from, to, removed })
}

/// Reads the removals alone, `xa1` or `xa1xb2`, that complete a turn already half played; `none`
/// where nothing may be removed.
///
/// # Errors
/// As [`parse_turn`].
pub fn parse_removals(rules: &Rules, text: &str) -> Result<Mask, TurnError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case(NO_REMOVAL) {
        return Ok(0);
    }
    let mut parts = text.split(['x', 'X']);
    let before = parts.next().unwrap_or_default();
    let removals: Vec<&str> = parts.collect();
    if !before.is_empty() || removals.is_empty() || removals.iter().any(|part| part.is_empty()) {
        return Err(TurnError::NoRemoval(quoted(text)));
    }
    let find = |name: &str| point(rules.board(), name, PointNames::Algebraic);
    removed_men(rules.board(), &removals, find)
}

fn removed_men(
    board: &Board,
    names: &[&str],
    find: impl Fn(&str) -> Result<Point, TurnError>,
) -> Result<Mask, TurnError> {
    if names.len() > 2 {
        return Err(TurnError::TooManyRemovals(names.len()));
    }
    let mut removed: Mask = 0;
    for name in names {
        let man = find(name)?;
        if removed >> man & 1 == 1 {
            return Err(TurnError::Duplicate(board.name(man)));
        }
        removed |= 1 << man;
    }
    Ok(removed)
}

/// Writes a turn: lower case, removed men in bit order.
pub fn format_turn(rules: &Rules, turn: &Turn) -> String {
    let board = rules.board();
    let from = turn.from.map_or(String::new(), |from| format!("{}-", board.name(from)));
    format!("{from}{}{}", board.name(turn.to), with_removals(board, turn.removed))
}

/// Removals alone: `xa1xb2` for the men of a mask, in bit order, or `none`.
pub fn format_removals(board: &Board, removed: Mask) -> String {
    if removed == 0 { NO_REMOVAL.to_string() } else { with_removals(board, removed) }
}

fn with_removals(board: &Board, removed: Mask) -> String {
    points_of(removed).map(|man| format!("x{}", board.name(man))).collect()
}

fn point(board: &Board, name: &str, names: PointNames) -> Result<Point, TurnError> {
    let numbered = match names {
        PointNames::Algebraic => None,
        PointNames::PlayOk => numbered_point(board, name),
    };
    numbered
        .or_else(|| board.point(name))
        .ok_or_else(|| TurnError::UnknownPoint { name: quoted(name), points: board.points() })
}

fn numbered_point(board: &Board, name: &str) -> Option<Point> {
    let digits = name.bytes().all(|byte| byte.is_ascii_digit());
    let number: usize = if digits { name.parse().ok()? } else { return None };
    board.rows().iter().flatten().copied().nth(number.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nine() -> Rules {
        Rules::named("nine").unwrap()
    }

    fn mask(names: &[&str]) -> Mask {
        let rules = nine();
        names.iter().fold(0, |mask, name| mask | 1 << rules.board().point(name).unwrap())
    }

    fn message(text: &str) -> String {
        parse_turn(&nine(), text).unwrap_err().to_string()
    }

    #[test]
    fn test_every_form_of_turn_is_read_and_written() {
        for text in ["d2", "a1-a4", "d7-g7xa1", "g1xd2", "g1xa4xd2", "a1-g7xa4xb6"] {
            assert_eq!(format_turn(&nine(), &parse_turn(&nine(), text).unwrap()), text);
        }
        let turn = parse_turn(&nine(), "\tG1XD2xA4 ").unwrap();
        let to = nine().board().point("g1").unwrap();
        assert_eq!(turn, Turn { from: None, to, removed: mask(&["a4", "d2"]) });
    }

    #[test]
    fn test_removals_are_a_set() {
        let [a, b] = ["g1xd2xa4", "g1xa4xd2"].map(|text| parse_turn(&nine(), text).unwrap());
        assert_eq!(a, b);
        assert_eq!(message("g1xd2xD2"), "the man on d2 is removed twice");
        assert_eq!(message("g1xd2xa4xa1"), "3 men removed: a turn removes at most two");
    }

    #[test]
    fn test_removals_alone_complete_a_half_played_turn() {
        let read = |text| parse_removals(&nine(), text);
        assert_eq!(read(" xA4xd2"), Ok(mask(&["a4", "d2"])));
        assert_eq!(format_removals(nine().board(), read("xd2xa4").unwrap()), "xa4xd2");
        assert_eq!(
            (read(" None"), format_removals(nine().board(), 0)),
            (Ok(0), "none".to_string())
        );
        for text in ["", "d2", "a1-a4xd2", "x", "xd2x", "xnone"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn test_unknown_points_name_the_board() {
        assert_eq!(message("h9"), "no point 'h9' on the 24-point board");
        assert_eq!(message("d4"), "no point 'd4' on the 24-point board");
        assert_eq!(message("a1 -a4"), "no point 'a1 ' on the 24-point board");
        assert_eq!(message("a1xé"), "no point 'é' on the 24-point board");
        assert_eq!(message("12"), "no point '12' on the 24-point board");
        let six = Rules::named("six").unwrap();
        let error = parse_turn(&six, "a7").unwrap_err().to_string();
        assert_eq!(error, "no point 'a7' on the 16-point board");
    }

    #[test]
    fn test_other_forms_are_refused() {
        for text in ["", "  ", "-", "a1-", "-a1", "a1-a4-a7", "a1x", "a1xx", "a1--a4", "x", "xa1x"]
        {
            assert!(matches!(parse_turn(&nine(), text), Err(TurnError::Shape(_))), "{text}");
        }
        assert!(message("xa1").contains("a removal without the placement or move"));
    }

    #[test]
    fn test_numbers_of_playok_run_row_by_row() {
        let read = |text| parse_turn_as(&nine(), text, PointNames::PlayOk);
        let written = |text| read(text).map(|turn| format_turn(&nine(), &turn));
        assert_eq!(written("1").unwrap(), "a7");
        assert_eq!(written("12-13").unwrap(), "c4-e4");
        assert_eq!(written("3x4x24").unwrap(), "g7xg1xb6");
        assert_eq!(written("d2").unwrap(), "d2");
        for text in ["0", "25", "+1", "99999999999999999999999", "1.5"] {
            assert!(matches!(read(text), Err(TurnError::UnknownPoint { .. })), "{text}");
        }
    }
}
