//! Database directories, unit files and working memory.
//!
//! A database keeps one directory per rule set, and in it one file per finished unit:
//! `merels-db/nine/8-7.mdb`, or `nine.dtc/8-7.mdb` where plies count to the next mill. [`Database`] finds and opens them, [`UnitWriter`] makes a file,
//! [`UnitFile`] reads one, and [`Scratch`] is the memory a solve works in. The bytes of a file are
//! described in `format.rs` and nowhere else; all `unsafe` code of the
//! crate but vector instructions is in `mmap.rs`.
//!
//! Invariant: a file that carries a unit's final name is complete, and never changes afterwards.
//! It gets that name by a rename after everything in it has reached the disk.

mod database;
mod error;
mod file;
mod format;
mod mmap;
mod scratch;
mod temporary;
mod width;
mod writer;

pub use database::{Database, DirectoryLock, StoredUnit, free_space, read_directory_name};
pub use error::{FormatError, StorageError};
pub use file::UnitFile;
pub use format::{
    COMPRESSION_LEVEL, Counts, FRAME_BYTES, Layout, Metric, PACKED_COMPRESSION_LEVEL, TableInfo,
    VERSION,
};
pub use mmap::Arena;
pub use scratch::{Placement, Scratch};
pub use width::Width;
pub use writer::{UnitPlan, UnitWriter};

// Working arrays of two-byte codes go to files as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"), "database files are little-endian");
