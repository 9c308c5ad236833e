//! Numbers, names and columns for people.
//!
//! Invariant: nothing here is read back by a program; programs use `--json`.

use crate::index::Table;

/// Columns of text, some flush left, the others flush right.
pub struct Columns {
    left: usize,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Columns under `titles`, the first `left` of them flush left.
    pub fn new(titles: &[&str], left: usize) -> Columns {
        Columns { left, rows: vec![titles.iter().map(|title| title.to_string()).collect()] }
    }

    /// Adds a row of as many cells as there are titles.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.rows[0].len());
        self.rows.push(cells);
    }

    /// The whole, a line a row.
    pub fn text(&self) -> String {
        let count = self.rows[0].len();
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
        let pad = |(column, cell): (usize, &String)| match column < self.left {
            true => format!("{cell:<0$}", widths[column]),
            false => format!("{cell:>0$}", widths[column]),
        };
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().enumerate().map(pad).collect();
            cells.join("  ").trim_end().to_string() + "\n"
        };
        self.rows.iter().map(line).collect()
    }
}

/// 10310496 as `10,310,496`.
pub fn grouped<N: Into<u128>>(number: N) -> String {
    let digits = number.into().to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let place = |(at, digit): (usize, char)| [comma(at).then_some(','), Some(digit)];
    digits.chars().enumerate().flat_map(place).flatten().collect()
}

/// Bytes in the unit that suits them.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let power = (count.ilog10() / 3).min(UNITS.len() as u32);
    let value = count as f64 / 1000f64.powi(power as i32);
    format!("{value:.1} {}", UNITS[power as usize - 1])
}

/// A duration in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.0095 => format!("{:.1} ms", s * 1e3),
        s if s < 0.95 => format!("{s:.2} s"),
        s if s < 600.0 => format!("{s:.1} s"),
        s if s < 36_000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A rate: `21.8 million`, `940,000`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e6 => format!("{:.1} million", r / 1e6),
        r => grouped(r as u64),
    }
}

/// Whose turn it is in a table, White being the mover of its unit's first table.
pub fn to_move(table: Table) -> &'static str {
    if table == table.unit().first() { "white" } else { "black" }
}

/// `1 unit`, `3 units`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_numbers() {
        let groups = [0u64, 12, 123, 1234, 123_456, 10_310_496].map(grouped);
        assert_eq!(groups, ["0", "12", "123", "1,234", "123,456", "10,310,496"]);
        let sizes = [0, 999, 1000, 3_700_000_000, u64::MAX].map(bytes);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "3.7 GB", "18446744.1 TB"]);
        let times = [0.0012, 0.3, 25.0, 900.0, 40_000.0].map(seconds);
        assert_eq!(times, ["1.2 ms", "0.30 s", "25.0 s", "15 min", "11.1 h"]);
        assert_eq!([21.83e6, 940_000.0].map(rate), ["21.8 million", "940,000"]);
        assert_eq!([counted(1, "unit"), counted(3, "unit")], ["1 unit", "3 units"]);
    }

    #[test]
    fn test_columns_are_aligned() {
        let mut columns = Columns::new(&["unit", "slots"], 1);
        columns.row(vec!["10-9".to_string(), "7".to_string()]);
        assert_eq!(columns.text(), "unit  slots\n10-9      7\n");
    }
}
