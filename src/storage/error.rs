//! What can go wrong with files, and the way out of it.
//!
//! Two layers: [`FormatError`] says what is wrong inside some bytes, [`StorageError`] adds the
//! path, the unit and what to do. The policy of the module: whatever comes from outside (files,
//! directories, a full disk) is an error; a caller that breaks a contract stated under `# Panics`
//! panics.

use super::format::{Layout, Metric};
use super::writer::file_name;
use crate::index::{Subspace, Table, Unit};
use crate::value::Distance;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why bytes are not a unit file this program can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The first bytes are others than ours.
    #[error("not a database file: it begins with {found:02x?}, expected {expected:02x?}")]
    Magic {
        /// The bytes every unit file begins with.
        expected: [u8; 8],
        /// What is there, as far as the file goes.
        found: Vec<u8>,
    },
    /// A format this program does not know.
    #[error(
        "format version {found}, this program reads versions 1 to {newest}: use the program that wrote it, or solve the unit again"
    )]
    Version {
        /// The newest we know.
        newest: u32,
        /// The file's.
        found: u32,
    },
    /// The file is shorter or longer than it says.
    #[error("the file has {found} bytes, expected {expected}: it was cut off or added to")]
    Length {
        /// Bytes according to the file itself.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The header's bytes have changed.
    #[error("header checksum {found:016x}, expected {expected:016x}: the file is damaged")]
    HeaderChecksum {
        /// As stored.
        expected: u64,
        /// As computed.
        found: u64,
    },
    /// A header field ends after the header.
    #[error("the header ends at byte {length}, inside a field")]
    HeaderCutShort {
        /// Bytes of the header.
        length: usize,
    },
    /// A field has a value it cannot have.
    #[error("header field {field} is {found}, expected {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What it may be, in words.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The frame table does not fit the number of slots.
    #[error("the frame table has {found} bytes, expected {expected}")]
    FrameTable {
        /// Bytes that the slots call for.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// Frames overlap, leave holes, or lie outside their part of the file.
    #[error("frame {frame} does not begin where the one before it ends, at byte {expected}")]
    FramePlace {
        /// Number of the frame in the file.
        frame: usize,
        /// Where it should begin.
        expected: u64,
    },
    /// A frame's bytes have changed.
    #[error("frame {frame} has checksum {found:016x}, expected {expected:016x}")]
    FrameChecksum {
        /// Number of the frame in the file.
        frame: usize,
        /// As stored.
        expected: u64,
        /// As computed.
        found: u64,
    },
    /// A frame whose checksum is right does not decompress to its codes.
    #[error("frame {frame} does not decompress to {expected} bytes of codes")]
    FrameContent {
        /// Number of the frame in the file.
        frame: usize,
        /// Bytes of codes it should hold.
        expected: usize,
    },
    /// A code that stands for no value.
    #[error("slot {slot} holds code {code}, which is no value")]
    Code {
        /// The slot in its table.
        slot: u64,
        /// The code.
        code: u32,
    },
}

/// Why a database, a unit file or a working array cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The system refused; the path and the attempt are named.
    #[error("cannot {attempt} {}: {source}{help}", path.display(), help = permission(source))]
    Io {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No space left.
    #[error(
        "the disk is full: {} needs about {} MB more; make room, or choose another --db", path.display(), needed.div_ceil(1_000_000)
    )]
    DiskFull {
        /// The file being written.
        path: PathBuf,
        /// Bytes still to be written, estimated.
        needed: u64,
    },
    /// The root has no directory for the rules.
    #[error(
        "no database of rules '{rules}'{kind} in {root}: run `merels solve --rules {rules}{option} --db {root}`{hint}",
        kind = of_metric(*distance), option = distance.option(), root = root.display(), hint = held(holds)
    )]
    NoDatabase {
        /// The directory asked.
        root: PathBuf,
        /// The rules asked for.
        rules: String,
        /// What plies are to count to.
        distance: Distance,
        /// Rules it has directories for.
        holds: Vec<String>,
    },
    /// A file where a directory should be.
    #[error("{} is not a directory: --db names the directory that holds the database", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A file where the directory of the rules should be.
    #[error("{} is not a directory: move it away, or choose another --db", path.display())]
    InTheWay {
        /// The path.
        path: PathBuf,
    },
    /// A directory, pipe or device where a file should be.
    #[error("{} is not a regular file: move it away", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The directory of one rule set was given instead of the one above it.
    #[error(
        "{} is the directory of one rule set: give the directory above it, --db {}", path.display(), above.display()
    )]
    RuleDirectory {
        /// The path.
        path: PathBuf,
        /// Its parent.
        above: PathBuf,
    },
    /// Somebody else solves in this directory.
    #[error(
        "another solve is at work in {}: wait for its end, or choose another --db", directory.display()
    )]
    Locked {
        /// The rule directory.
        directory: PathBuf,
    },
    /// The file's bytes are wrong.
    #[error("{}: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: FormatError,
    },
    /// The file belongs to other rules.
    #[error(
        "{} holds rules '{found}' (fingerprint {found_print:016x}), expected '{expected}' ({expected_print:016x}): choose the rules with --rules, or move the file away", path.display()
    )]
    WrongRules {
        /// The file.
        path: PathBuf,
        /// Name of the rules asked for.
        expected: String,
        /// Their fingerprint.
        expected_print: u64,
        /// Name of the file's rules.
        found: String,
        /// Their fingerprint.
        found_print: u64,
    },
    /// The file's plies count to something else.
    #[error(
        "{} holds {}, expected {}: choose with --metric, or move the file away", path.display(), metric_words(*found), metric_words(*expected)
    )]
    WrongMetric {
        /// The file.
        path: PathBuf,
        /// The metric asked for.
        expected: Metric,
        /// The file's.
        found: Metric,
    },
    /// The file's name is not what its header says.
    #[error("{} holds unit {found}, expected '{expected}' from its name: {help}", path.display(), help = rename(*found, *taken))]
    WrongUnit {
        /// The file.
        path: PathBuf,
        /// The name, without its extension.
        expected: String,
        /// The unit in the header.
        found: Unit,
        /// Is there a file of that unit's name already?
        taken: bool,
    },
    /// A table's slots are numbered in another way than the index numbers them.
    #[error(
        "{}: table {table} has {}, expected {}: an older version wrote it; {}",
        path.display(), arrangement(found), arrangement(expected), making_anew(*.metric)
    )]
    WrongLayout {
        /// The file.
        path: PathBuf,
        /// The table.
        table: Table,
        /// The index's layout.
        expected: Layout,
        /// The file's layout.
        found: Layout,
        /// What the file tells.
        metric: Metric,
    },
    /// The file does not store this table of its unit.
    #[error("{} does not hold table {table}: the game cannot reach it from its start", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// The table.
        table: Table,
    },
    /// A slot the table does not have.
    #[error("{}: table {table} has {slots} slots, asked for slot {slot}", path.display())]
    NoSlot {
        /// The file.
        path: PathBuf,
        /// The table.
        table: Table,
        /// The slot asked for.
        slot: u64,
        /// Slots there are.
        slots: u64,
    },
    /// The subspace has no file yet.
    #[error("subspace {subspace} is not {}", making(*subspace, rules, *distance, root, *outcomes))]
    NotSolved {
        /// The subspace asked for.
        subspace: Subspace,
        /// The rules.
        rules: String,
        /// What its plies are to count to.
        distance: Distance,
        /// The database directory.
        root: PathBuf,
        /// Does it hold outcomes, which are exported and not solved?
        outcomes: bool,
    },
}

fn making(
    subspace: Subspace,
    rules: &str,
    distance: Distance,
    root: &Path,
    outcomes: bool,
) -> String {
    let root = root.display();
    match outcomes {
        false => format!(
            "solved yet{}: run `merels solve {subspace} --rules {rules}{} --db {root}`",
            of_metric(distance),
            distance.option()
        ),
        true => format!(
            "among the outcomes exported: run `merels export {subspace} --wdl {root} --rules {rules}` \
             with the --db that holds its depths"
        ),
    }
}

/// Says which of a rule set's databases is meant, where that is not the usual one.
fn of_metric(distance: Distance) -> String {
    match distance {
        Distance::Win => String::new(),
        Distance::Conversion => format!(" with metric {}", distance.name()),
    }
}

fn metric_words(metric: Metric) -> &'static str {
    match metric {
        Metric::Depth => "metric dtw (depth to win)",
        Metric::Outcome => "win, draw or loss only",
        Metric::Conversion => "metric dtc (depth to conversion)",
    }
}

fn held(holds: &[String]) -> String {
    if holds.is_empty() {
        return String::new();
    }
    format!(" (it holds rules {})", holds.join(", "))
}

fn permission(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "; choose another --db, or change its permissions",
        _ => "",
    }
}

/// How to have files as this version arranges them.
fn making_anew(metric: Metric) -> &'static str {
    match metric {
        Metric::Outcome => {
            "export it again, from depths that `merels solve` has brought up to date"
        }
        Metric::Depth | Metric::Conversion => {
            "`merels solve`, with the options and subspaces it was run with, makes such files anew"
        }
    }
}

/// How a table's slots are arranged, in words.
fn arrangement(layout: &Layout) -> String {
    let player = if layout.rows_by_own { "mover" } else { "opponent" };
    format!("{} rows of {} by sets of the {player}", layout.rows, layout.row_length)
}

fn rename(found: Unit, taken: bool) -> String {
    if taken { "move it away".to_string() } else { format!("rename it {}", file_name(found)) }
}

impl StorageError {
    /// Adds the path and what was tried to a system error.
    pub(super) fn io(attempt: &'static str, path: &Path) -> impl Fn(io::Error) -> StorageError {
        move |source| StorageError::Io { attempt, path: path.to_path_buf(), source }
    }

    /// The same for writing, where the likeliest reason, a full disk, has its own error.
    pub(super) fn writing(path: &Path, needed: u64) -> impl Fn(io::Error) -> StorageError {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StorageError::DiskFull { path: path.to_path_buf(), needed }
            }
            _ => StorageError::io("write", path)(source),
        }
    }

    /// Refuses what is there but is no regular file: to open a pipe is to wait for its other end.
    pub(super) fn check_regular(path: &Path) -> Result<(), StorageError> {
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                Err(StorageError::NotAFile { path: path.to_path_buf() })
            }
            _ => Ok(()),
        }
    }

    /// Adds the path to a format error.
    pub(super) fn format(path: &Path) -> impl Fn(FormatError) -> StorageError {
        move |source| StorageError::Format { path: path.to_path_buf(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_a_full_disk_is_named_with_the_space_needed() {
        let error = StorageError::writing(Path::new("db/six/4-3.mdb.part"), 2_500_000);
        let text = error(io::ErrorKind::StorageFull.into()).to_string();
        assert!(text.contains("db/six/4-3.mdb.part needs about 3 MB more"), "{text}");
        let other = error(io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(other.starts_with("cannot write db/six/4-3.mdb.part: "), "{other}");
        assert!(other.ends_with("; choose another --db, or change its permissions"), "{other}");
    }

    #[test]
    fn test_a_missing_database_names_the_command_and_what_is_there() {
        let root = PathBuf::from("db");
        let missing = |holds| StorageError::NoDatabase {
            root: root.clone(),
            rules: "six".to_string(),
            distance: Distance::Win,
            holds,
        };
        assert_eq!(
            missing(Vec::new()).to_string(),
            "no database of rules 'six' in db: run `merels solve --rules six --db db`"
        );
        let text = missing(vec!["nine".to_string(), "three".to_string()]).to_string();
        assert!(text.ends_with(" (it holds rules nine, three)"), "{text}");
    }
}
