//! Published numbers: rows of a file in `data/`, by column name.
//!
//! The files are plain tables (quotes only around a field with a comma, read by nobody here), with
//! comment lines that name their source.

use std::collections::HashMap;

/// One row, column name to text.
pub type Row = HashMap<&'static str, &'static str>;

/// The rows of a table without quoted commas; comment lines are skipped.
pub fn rows(table: &'static str) -> Vec<Row> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines.map(|line| header.iter().copied().zip(line.split(',')).collect()).collect()
}

/// A numeric field.
pub fn number<T: std::str::FromStr>(row: &Row, column: &str) -> T {
    row[column].parse().ok().unwrap_or_else(|| panic!("{column}: not a number in {row:?}"))
}
