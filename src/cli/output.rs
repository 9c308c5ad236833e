//! Where answers and messages go: answers to stdout, all else to stderr.
//!
//! Nothing here panics when a reader goes away, as `println!` would. Invariant: what is said on
//! stderr is one line, whatever bytes a path or an argument brought into it.

use super::error::CliError;
use serde::Serialize;
use std::io::{self, Write};

/// Stdout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output;

impl Output {
    /// Prints a text as it is.
    ///
    /// # Errors
    /// Stdout cannot be written to.
    pub fn print(&self, text: &str) -> Result<(), CliError> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(CliError::Output)
    }

    /// Prints a value as JSON on one line.
    ///
    /// # Errors
    /// Stdout cannot be written to.
    pub fn json(&self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string(value).expect("our values have string keys only");
        self.print(&(text + "\n"))
    }
}

/// Prints an error on stderr.
pub fn complain(message: &str) {
    note(&format!("merels: {message}"));
}

/// Prints a line on stderr; whoever closed stderr does not want it.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(message));
}

fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_messages_are_one_line() {
        assert_eq!(one_line("cannot open a\nb\u{1b}[1m: ä"), "cannot open a\\nb\\u{1b}[1m: ä");
    }
}
