//! The published figures, embedded from `data/`, and a reader of such tables.
//!
//! They are part of the program, so that a report needs no files but the database. The reader
//! understands quoted fields and skips comment lines, which name the sources.
//! Invariant: facts are well-formed; a column that is missing is a mistake of ours and panics.

use std::str::FromStr;

/// Tables of published figures as text.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Values of nine's moving phase per subspace.
    pub nine_moving: String,
    /// Sizes of the same.
    pub nine_counts: String,
    /// Single positions of several games.
    pub positions: String,
    /// Single positions with the distance to the next mill.
    pub conversion: String,
    /// Whole small games.
    pub small_games: String,
}

impl Facts {
    /// The figures as published.
    pub fn published() -> Facts {
        Facts {
            nine_moving: include_str!("../../data/nine_moving.csv").to_string(),
            nine_counts: include_str!("../../data/nine_counts.csv").to_string(),
            positions: include_str!("../../data/positions.csv").to_string(),
            conversion: include_str!("../../data/conversion.csv").to_string(),
            small_games: include_str!("../../data/small_games.csv").to_string(),
        }
    }
}

/// One line of a table, its fields found by the names of the columns.
#[derive(Clone, Debug)]
pub(super) struct Fact<'h> {
    header: &'h [String],
    fields: Vec<String>,
}

/// A table read: the names of its columns, and its lines.
pub(super) struct FactTable {
    header: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl FactTable {
    /// Reads a table; comment lines begin with `#`.
    pub fn read(text: &str) -> FactTable {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let mut lines = lines.map(fields);
        FactTable { header: lines.next().expect("a header"), lines: lines.collect() }
    }

    /// The lines in order.
    pub fn facts(&self) -> impl Iterator<Item = Fact<'_>> {
        let fact = |fields: &Vec<String>| Fact { header: &self.header, fields: fields.clone() };
        self.lines.iter().map(fact)
    }
}

impl Fact<'_> {
    /// A field as text.
    pub fn text(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        &self.fields[place.unwrap_or_else(|| panic!("no column {column}"))]
    }

    /// A field as a number; none if it is empty.
    pub fn number_if_any<N: FromStr>(&self, column: &str) -> Option<N> {
        let text = self.text(column);
        let number = || text.parse().ok().unwrap_or_else(|| panic!("{column}: not a number"));
        (!text.is_empty()).then(number)
    }

    /// A field as a number.
    pub fn number<N: FromStr>(&self, column: &str) -> N {
        self.number_if_any(column).unwrap_or_else(|| panic!("{column} is empty"))
    }
}

/// The fields of a line. Inside quotes a comma is a character and two quotes stand for one.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.last_mut().expect("one field at least");
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

/// Numbers written `4-5`.
pub(super) fn pair(text: &str) -> [u8; 2] {
    let (first, second) = text.split_once('-').expect("two numbers");
    [first, second].map(|number| number.parse().expect("a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_quotes_hold_commas_and_quotes() {
        assert_eq!(fields("a,\"b, c\",,\"say \"\"d\"\"\""), ["a", "b, c", "", "say \"d\""]);
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn test_the_embedded_tables_are_whole() {
        let Facts { nine_moving, nine_counts, positions, conversion, small_games } =
            Facts::published();
        for (text, expected) in [
            (nine_moving, 49),
            (nine_counts, 49),
            (positions, 12),
            (conversion, 1),
            (small_games, 9),
        ] {
            let table = FactTable::read(&text);
            assert_eq!(table.lines.len(), expected);
            assert!(table.lines.iter().all(|line| line.len() == table.header.len()));
        }
        assert_eq!(pair("10-9"), [10, 9]);
    }
}
