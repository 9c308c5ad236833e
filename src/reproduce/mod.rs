//! Our results beside the published ones, row by row.
//!
//! A database that agrees with itself may still be wrong; this compares it with figures that
//! other people got by other programs, embedded from `data/` with their sources. [`OpeningSearch`]
//! goes further and finds the value of the game a second time, from the moving phase alone.
//! Invariant: nothing is compared with a table that is not there; such a row says so instead.

mod classes;
mod conversion;
mod facts;
mod moving;
mod opening;
mod outcomes;
mod positions;
mod report;
mod search;
mod transposition;
mod walk;

pub use facts::Facts;
pub use opening::{OpeningError, OpeningReport, OpeningSearch, Question};
pub use report::{Figures, Report, Row, Status, Subject};

use crate::index::Geometry;
use crate::query::{Query, QueryError};
use crate::rules::Rules;
use crate::storage::{Database, Metric};
use crate::value::Value;
use std::sync::Arc;

/// What rows are made from.
struct Means<'a> {
    database: &'a Database,
    query: &'a Query,
    geometry: &'a Geometry,
    facts: &'a Facts,
}

impl Means<'_> {
    fn rules(&self) -> &Rules {
        self.database.rules()
    }
}

/// Compares all that is known of the database's rules; with `search`, the opening search too.
///
/// # Errors
/// A file is damaged or foreign, or tells outcomes only: half of what was published is depths.
/// Missing files make rows that say so.
pub fn reproduce(
    database: &Arc<Database>,
    facts: &Facts,
    search: Option<&OpeningReport>,
) -> Result<Report, QueryError> {
    if let Some(path) = database.first_with(Metric::Outcome)? {
        return Err(QueryError::OutcomesOnly { path });
    }
    let query = Query::new(Arc::clone(database));
    let geometry = Geometry::new(database.rules());
    let means = Means { database, query: &query, geometry: &geometry, facts };
    let mut rows = moving::rows(&means)?;
    rows.extend(positions::published(&means)?);
    rows.extend(conversion::rows(&means)?);
    rows.extend(walk::rows(&means)?);
    rows.extend(positions::opening(&means)?);
    if let Some(search) = search {
        rows.extend(positions::searched(&means, search)?);
    }
    Ok(Report::new(database.rules(), rows))
}

/// A value, or none if its table is not solved.
fn if_solved<T>(value: Result<T, QueryError>) -> Result<Option<T>, QueryError> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Do these published words (`six`, `men=4 flying=at-three`) name the rules?
fn names(rules: &Rules, name: &str, options: &str) -> bool {
    let options: Vec<&str> = options.split_whitespace().collect();
    Rules::with_options(name, &options).is_ok_and(|named| named.name() == rules.name())
}

/// A value as figures.
fn value_figures(value: Value) -> Figures {
    Figures(vec![("value", value.name().into()), ("plies", value.plies().into())])
}
