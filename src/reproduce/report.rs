//! Rows of a report: what was published, what we found, and whether they are equal.
//!
//! Invariant: a row is equal only if every published figure has one of ours by the same name with
//! the same content; figures of ours alone decide nothing.

use crate::rules::Rules;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value as Json;
use std::fmt;

/// Named figures, in order: numbers, words, or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(pub Vec<(&'static str, Json)>);

/// How ours and the published figures compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All published figures came out.
    Equal,
    /// At least one did not.
    Differs,
    /// The published figure is known to differ from what can be computed, by just so much.
    KnownDifference,
    /// Nothing was published to compare with.
    OursAlone,
    /// A table that the row needs is not solved.
    NotSolved,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Values of the moving phase per subspace.
    Values,
    /// Numbers of classes per subspace.
    Classes,
    /// Sums over subspaces.
    Totals,
    /// Single positions.
    Positions,
    /// The same with the distance to the next mill.
    Conversion,
    /// The game from the empty board on.
    Opening,
    /// All positions that a game leads to.
    WholeGame,
    /// The opening searched anew.
    Search,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What kind of thing is compared.
    pub subject: Subject,
    /// The thing.
    pub what: String,
    /// The published figures; none if there are none.
    pub published: Option<Figures>,
    /// Who published them.
    pub source: String,
    /// Our figures; none where tables are missing.
    pub ours: Option<Figures>,
    /// How they compare.
    pub status: Status,
    /// What else is to be said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// All rows for one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the rules.
    pub rules: String,
    /// Rows equal.
    pub equal: usize,
    /// Rows that differ.
    pub differing: usize,
    /// Rows whose tables are not solved.
    pub not_solved: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Figures {
    /// Does every figure here have an equal one there?
    fn are_in(&self, ours: &Figures) -> bool {
        self.0.iter().all(|figure| ours.0.contains(figure))
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, figure) in &self.0 {
            map.serialize_entry(name, figure)?;
        }
        map.end()
    }
}

impl fmt::Display for Figures {
    /// The figures without their names, which stand above the column.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |figure: &Json| match figure {
            Json::Null => "-".to_string(),
            Json::String(word) => word.clone(),
            other => other.to_string(),
        };
        let texts: Vec<String> = self.0.iter().map(|(_, figure)| text(figure)).collect();
        f.write_str(&texts.join(" / "))
    }
}

impl Row {
    /// A comparison with what `source` published; no figures of ours where a table is missing.
    pub fn compare(
        subject: Subject,
        what: impl Into<String>,
        published: Figures,
        source: impl Into<String>,
        ours: Option<Figures>,
    ) -> Row {
        let status = match &ours {
            None => Status::NotSolved,
            Some(ours) if published.are_in(ours) => Status::Equal,
            Some(_) => Status::Differs,
        };
        let (what, source, note) = (what.into(), source.into(), String::new());
        Row { subject, what, published: Some(published), source, ours, status, note }
    }

    /// A figure of ours that nobody published.
    pub fn alone(subject: Subject, what: impl Into<String>, ours: Option<Figures>) -> Row {
        let status = if ours.is_some() { Status::OursAlone } else { Status::NotSolved };
        let (source, note) = (String::new(), String::new());
        Row { subject, what: what.into(), published: None, source, ours, status, note }
    }

    /// The same with something to say beside it.
    pub fn with_note(mut self, note: impl Into<String>) -> Row {
        self.note = note.into();
        self
    }
}

impl Report {
    /// The report of these rows.
    pub fn new(rules: &Rules, rows: Vec<Row>) -> Report {
        let number = |status| rows.iter().filter(|row| row.status == status).count();
        Report {
            rules: rules.name().to_string(),
            equal: number(Status::Equal),
            differing: number(Status::Differs),
            not_solved: number(Status::NotSolved),
            rows,
        }
    }

    /// Was anything compared?
    pub fn compared(&self) -> bool {
        self.equal + self.differing > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_only_published_figures_decide() {
        let figures = |wins: u64| Figures(vec![("wins", wins.into()), ("won", 0.5.into())]);
        let published = || Figures(vec![("wins", 3.into())]);
        let row = |ours| Row::compare(Subject::Values, "3-3", published(), "someone", ours).status;
        assert_eq!(row(Some(figures(3))), Status::Equal);
        assert_eq!(row(Some(figures(4))), Status::Differs);
        assert_eq!(row(Some(Figures::default())), Status::Differs);
        assert_eq!(row(None), Status::NotSolved);
        assert_eq!(figures(3).to_string(), "3 / 0.5");
    }
}
