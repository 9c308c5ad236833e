//! Published distances to the next mill, beside those of the database that counts so.
//!
//! It is another database than the one asked about, in the directory beside it, and few will have
//! solved it. Invariant: without it a row says how to make it, and counts for nothing.

use super::facts::{Fact, FactTable};
use super::positions::{figures, is_of, position_of, what};
use super::report::{Row, Subject};
use super::{Means, if_solved, value_figures};
use crate::index::Table;
use crate::query::{Query, QueryError};
use crate::storage::{Database, StorageError};
use crate::value::{Distance, Value};

/// A row for every published position of the rules.
///
/// # Errors
/// A file cannot be read.
pub(super) fn rows(means: &Means) -> Result<Vec<Row>, QueryError> {
    let mut rows = Vec::new();
    let facts = FactTable::read(&means.facts.conversion);
    for fact in facts.facts().filter(|fact| is_of(means.rules(), fact)) {
        let value = value(means, &fact)?;
        let note = match value {
            Some(_) => fact.text("note").to_string(),
            None => format!("run `{}`", command(means, &fact)),
        };
        let (published, source) = (figures(&fact), fact.text("source"));
        let ours = value.map(value_figures);
        let row = Row::compare(Subject::Conversion, what(&fact), published, source, ours);
        rows.push(row.with_note(note));
    }
    Ok(rows)
}

/// The value of a position; none if its table is not solved.
fn value(means: &Means, fact: &Fact) -> Result<Option<Value>, QueryError> {
    let database = means.database;
    match Database::open_with(database.root(), database.rules(), Distance::Conversion) {
        Ok(database) => if_solved(Query::new(database).value(&position_of(means.rules(), fact))),
        Err(StorageError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The command that solves a position's table.
fn command(means: &Means, fact: &Fact) -> String {
    let unit = Table::of(&position_of(means.rules(), fact)).unit();
    let (rules, root) = (means.rules().name(), means.database.root().display());
    format!("merels solve {unit} --rules {rules}{} --db {root}", Distance::Conversion.option())
}
