//! Files that exist only until their owner is done.
//!
//! An unfinished unit file and a scratch file must not outlive what they are for, on any path of
//! return. Invariant: a guard that was not told to keep its file removes it when dropped. What
//! survives a kill carries one of the two extensions here and a name that only a solve gives, so the
//! next solve can clear it away; see [`super::Database::clean_leftovers`].

use super::error::StorageError;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Added to the final name of a unit file that is being written.
pub(super) const PART: &str = "part";
/// Extension of working arrays on disk.
pub(super) const SCRATCH: &str = "scratch";

/// Removes its file when dropped.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    path: PathBuf,
    remove: bool,
}

impl TemporaryFile {
    /// An empty file, open for reading and writing; a leftover of the same name is overwritten.
    pub(super) fn create(path: PathBuf) -> Result<(TemporaryFile, File), StorageError> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(StorageError::io("create", &path))?;
        Ok((TemporaryFile { path, remove: true }, file))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its lasting name, replacing what carries that name.
    pub(super) fn keep_as(mut self, destination: &Path) -> Result<(), StorageError> {
        fs::rename(&self.path, destination).map_err(StorageError::io("rename", &self.path))?;
        self.remove = false;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if self.remove {
            // A failure leaves a leftover, which the next solve clears.
            let _ = fs::remove_file(&self.path);
        }
    }
}
