//! What a command says when it cannot do its work: the thing, the reason and the way out.
//!
//! The library's errors name thing and reason; what only the command line knows, which option or
//! command helps, is added here. Invariant: every variant but [`CliError::Output`] stands for bad
//! input or files, found before anything was changed.

use super::options::Phase;
use super::text::bytes;
use crate::bench::BenchError;
use crate::export::{ExportError, is_derivable};
use crate::index::{ParseSubspaceError, Subspace};
use crate::notation::{NotationError, TurnError};
use crate::query::QueryError;
use crate::reproduce::OpeningError;
use crate::rules::{Rules, RulesError};
use crate::solve::{SolveError, SubspaceError, check_subspace};
use crate::storage::{StorageError, read_directory_name};
use crate::value::Distance;
use crate::verify::VerifyError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Arguments that do not fit the command.
    #[error("{0}")]
    Usage(String),
    /// The rules.
    #[error("{0}; see --rules and --rule in `merels --help`")]
    Rules(#[from] RulesError),
    /// The text of a position.
    #[error("cannot read the position under rules '{rules}': {source}; their start is '{example}'")]
    Position {
        /// What is wrong.
        source: NotationError,
        /// The rules it was read under.
        rules: String,
        /// A position that would be understood.
        example: String,
    },
    /// The text of a turn.
    #[error("cannot read the turn: {0}; `merels inspect` lists the legal ones")]
    Turn(#[from] TurnError),
    /// A position in the middle of a turn, for a command that needs whole turns.
    #[error("the position is in the middle of a turn, a removal is owed: {0} starts between turns")]
    Owed(&'static str),
    /// Text that names no subspace.
    #[error(transparent)]
    ParseSubspace(#[from] ParseSubspaceError),
    /// A subspace that does not exist.
    #[error("{0}; `merels plan` lists the subspaces there are")]
    Subspace(#[from] SubspaceError),
    /// Men in hand where the moving phase was asked for.
    #[error("subspace {0} has men in hand, which --phase moving leaves out: leave out --phase")]
    NotMoving(Subspace),
    /// More men in hand than the rules give, or so few that the game is over.
    #[error(
        "--extended={asked}: under rules '{rules}' a game begins with {least} to {most} men in hand; leave out the number for all of them"
    )]
    StartingMen {
        /// Men asked for.
        asked: u8,
        /// Name of the rules.
        rules: String,
        /// With fewer a player has lost.
        least: u8,
        /// What the rules give.
        most: u8,
    },
    /// More memory than there is.
    #[error(
        "--memory {}: this machine has {}; allow less, and what needs more works in scratch files",
        bytes(*asked), bytes(*there)
    )]
    Memory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes there are.
        there: u64,
    },
    /// A database or a file of it.
    #[error("{0}{help}", help = way_out(.0))]
    Storage(#[from] StorageError),
    /// A solve.
    #[error("{0}")]
    Solve(SolveError),
    /// A question to a database.
    #[error("{0}; `merels inspect` lists the legal turns")]
    Query(QueryError),
    /// A question about a table that solving the whole game leaves out.
    #[error(
        "{0}; no game from the empty board comes to such numbers of men with this side to move, so solving the game leaves them out"
    )]
    OutsideGame(QueryError),
    /// A question about depths to a database without them.
    #[error("{0}: choose the database it was exported from with --db")]
    OutcomesOnly(QueryError),
    /// A line of play from a database without depths.
    #[error(
        "{0}, and only depths tell how a game goes on: leave out --line, or choose the database it was exported from with --db"
    )]
    NoLine(QueryError),
    /// An export.
    #[error("{0}")]
    Export(ExportError),
    /// A check of values.
    #[error("{0}{help}", help = verify_way_out(.0))]
    Verify(VerifyError),
    /// A benchmark.
    #[error("{0}")]
    Bench(BenchError),
    /// A search of the opening.
    #[error("{0}")]
    Opening(OpeningError),
    /// No published figure has its tables.
    #[error("nothing could be compared: no table of rules '{rules}' in {} has published figures; run `merels solve --rules {rules} --db {}`", root.display(), root.display())]
    NothingCompared {
        /// The rules.
        rules: String,
        /// The directory of the databases.
        root: PathBuf,
    },
    /// No figure is published.
    #[error(
        "nothing could be compared: no figures of rules '{0}' are published; `merels verify --rules {0}` checks values by themselves"
    )]
    NothingPublished(String),
    /// A database without a finished unit of that part of the game.
    #[error("no unit of {}rules '{rules}' is solved in {}: run `merels solve --rules {rules}{}{} --db {}`", phase.words(), root.display(), phase.option(), distance.option(), root.display())]
    Empty {
        /// The part of the game.
        phase: Phase,
        /// The rules.
        rules: String,
        /// What plies are to count to.
        distance: Distance,
        /// The directory of the databases.
        root: PathBuf,
    },
    /// A file the user asked for.
    #[error("cannot write {}: {source}; choose another file", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file that a picture must not replace.
    #[error("cannot draw into {}: {reason}; choose another name", path.display())]
    Plot {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// The threads cannot be had.
    #[error("cannot start {threads} threads: {source}; choose fewer with --threads")]
    Threads {
        /// How many.
        threads: u16,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
    /// Stdout.
    #[error("cannot write the answer to stdout: {0}")]
    Output(io::Error),
}

impl CliError {
    /// Has the reader of stdout seen enough?
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<SolveError> for CliError {
    fn from(error: SolveError) -> CliError {
        match error {
            SolveError::Storage(error) => CliError::Storage(error),
            other => CliError::Solve(other),
        }
    }
}

impl From<QueryError> for CliError {
    fn from(error: QueryError) -> CliError {
        match error {
            QueryError::Storage(error) => CliError::Storage(error),
            error @ QueryError::OutcomesOnly { .. } => CliError::OutcomesOnly(error),
            other => CliError::Query(other),
        }
    }
}

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> CliError {
        match error {
            ExportError::Storage(error) => CliError::Storage(error),
            other => CliError::Export(other),
        }
    }
}

impl From<VerifyError> for CliError {
    fn from(error: VerifyError) -> CliError {
        match error {
            VerifyError::Storage(error) => CliError::Storage(error),
            other => CliError::Verify(other),
        }
    }
}

impl From<OpeningError> for CliError {
    fn from(error: OpeningError) -> CliError {
        match error {
            OpeningError::Storage(error) => CliError::Storage(error),
            other => CliError::Opening(other),
        }
    }
}

impl From<BenchError> for CliError {
    fn from(error: BenchError) -> CliError {
        match error {
            BenchError::Storage(error) => CliError::Storage(error),
            BenchError::Solve(error) => error.into(),
            other => CliError::Bench(other),
        }
    }
}

fn verify_way_out(error: &VerifyError) -> String {
    match error {
        VerifyError::Successor {
            needed,
            source: StorageError::NotSolved { rules, outcomes: true, .. },
            ..
        } if Rules::parse(rules).is_ok_and(|rules| is_derivable(&rules, *needed)) => {
            "; an export with --thin leaves such tables out: check it with --phase moving and with --files"
                .to_string()
        }
        VerifyError::Successor { source, .. } => way_out(source),
        _ => String::new(),
    }
}

/// What to do about a damaged file; other storage errors say it themselves.
fn way_out(error: &StorageError) -> String {
    let StorageError::Format { path, .. } = error else { return String::new() };
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_stem).map(|name| name.to_string_lossy().into_owned())
    };
    let (unit, directory) = (name(Some(path)), path.parent());
    let directory_name = directory.and_then(Path::file_name).map(|name| name.to_string_lossy());
    let rules = directory_name.as_ref().map(|name| read_directory_name(name));
    let root = directory.and_then(Path::parent);
    match (unit, rules, root) {
        (Some(unit), Some((rules, _)), Some(_)) if !is_unit(&unit, rules) => {
            "; move it away".to_string()
        }
        (Some(unit), Some((rules, distance)), Some(root)) => format!(
            "; move it away and run `merels solve {unit} --rules {rules}{} --db {}`",
            distance.option(),
            root.display()
        ),
        _ => String::new(),
    }
}

/// Is there a unit of that name to solve under these rules?
fn is_unit(name: &str, rules: &str) -> bool {
    let (subspace, rules) = (name.parse::<Subspace>(), Rules::parse(rules));
    subspace.is_ok_and(|subspace| rules.is_ok_and(|rules| check_subspace(&rules, subspace).is_ok()))
}
