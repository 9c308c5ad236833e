//! Splits a game record into tags and words, each with its line.
//!
//! Reading a record has two halves: what the words are, here, and what they mean, in
//! [`game`](super::game). Invariant: comments are left out and every token knows where it stood, so
//! that errors of either half can say it.

use super::quoted;
use super::{GameError, GameProblem};

/// A tag or a word, and where it stood.
pub(super) struct Token<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
    pub(super) kind: Kind,
}

/// What a token is; a tag with its name and value.
pub(super) enum Kind {
    Tag(String, String),
    Word,
}

impl Token<'_> {
    pub(super) fn is_word(&self) -> bool {
        matches!(self.kind, Kind::Word)
    }

    /// The error that blames this token.
    pub(super) fn error(&self, problem: GameProblem) -> GameError {
        GameError { line: self.line, token: quoted(self.text), problem }
    }
}

/// All tags and words of a text, in order.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, GameError> {
    // Some programs write a byte order mark before the first tag.
    Scanner { rest: text.trim_start_matches('\u{feff}'), line: 1 }.tokens()
}

/// What is left of a text, and the line it begins on.
struct Scanner<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Scanner<'a> {
    fn tokens(mut self) -> Result<Vec<Token<'a>>, GameError> {
        let mut tokens = Vec::new();
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            let line = self.line;
            match self.rest.chars().next() {
                None => return Ok(tokens),
                Some('{') => self.comment()?,
                Some('[') => tokens.push(self.tag()?),
                Some(_) => {
                    let end = self.rest.find(|c: char| c.is_whitespace() || c == '{');
                    let text = self.take(end.unwrap_or(self.rest.len()));
                    tokens.push(Token { line, text, kind: Kind::Word });
                }
            }
        }
    }

    /// Moves past `length` bytes and counts their lines.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn comment(&mut self) -> Result<(), GameError> {
        let Some(end) = self.rest.find('}') else {
            let text = self.rest.lines().next().unwrap_or_default();
            let open = Token { line: self.line, text, kind: Kind::Word };
            return Err(open.error(GameProblem::OpenComment));
        };
        self.take(end + 1);
        Ok(())
    }

    fn tag(&mut self) -> Result<Token<'a>, GameError> {
        let (line, text) = (self.line, self.rest.lines().next().unwrap_or_default());
        match split_tag(text) {
            Some((name, value, length)) => {
                let text = self.take(length);
                Ok(Token { line, text, kind: Kind::Tag(name, value) })
            }
            None => Err(Token { line, text, kind: Kind::Word }.error(GameProblem::BadTag)),
        }
    }
}

/// Name, value and length of the tag that `line` begins with.
fn split_tag(line: &str) -> Option<(String, String, usize)> {
    let inside = line.strip_prefix('[')?.trim_start();
    let name_end = inside.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, rest) = inside.split_at(name_end);
    let mut letters = rest.trim_start().strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => value.push(letters.next()?),
            letter => value.push(letter),
        }
    }
    let rest = letters.as_str().trim_start().strip_prefix(']')?;
    (!name.is_empty()).then(|| (name.to_string(), value, line.len() - rest.len()))
}
