//! Working arrays of a solve, in memory or in a file.
//!
//! A unit may be larger than the memory at hand; the solver asks for zeroed bytes and does not
//! care where they are. Invariant: the array starts on a page boundary, so it can be viewed as
//! any plain integer type, and every byte of it has its place in memory or on disk from the start.

use super::error::StorageError;
use super::mmap::{Arena, WorkingMemory};
use super::temporary::{SCRATCH, TemporaryFile};
use bytemuck::Pod;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes of the smallest array that an arena is asked for.
const LEAST_IN_ARENA: usize = 1 << 20;

/// Bytes that a thread clears at once.
const CLEARED: usize = 4 << 20;

/// Where a working array lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Anonymous memory of its own.
    Memory,
    /// A memory-mapped file; see [`super::Database::scratch_file`].
    File(PathBuf),
}

/// A zeroed working array; its file, if it has one, is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    // Unmapped before the file is removed: fields are dropped in this order.
    memory: WorkingMemory,
    length: usize,
    _file: Option<TemporaryFile>,
}

impl Placement {
    /// A scratch file of that name in a directory.
    pub(super) fn file_in(directory: &std::path::Path, name: &str) -> Placement {
        Placement::File(directory.join(format!("{name}.{SCRATCH}")))
    }
}

impl Scratch {
    /// An array of `bytes` zeros.
    ///
    /// # Errors
    /// The memory is refused, the file cannot be created, or the disk has no room for all of it.
    pub fn zeroed(bytes: usize, placement: &Placement) -> Result<Scratch, StorageError> {
        match placement {
            Placement::Memory => {
                let memory = WorkingMemory::anonymous(bytes).map_err(|source| {
                    StorageError::Io { attempt: "map", path: "working memory".into(), source }
                })?;
                Ok(Scratch { memory, length: bytes, _file: None })
            }
            Placement::File(path) => {
                let (temporary, file) = TemporaryFile::create(path.clone())?;
                reserve(&file, bytes).map_err(StorageError::writing(path, bytes as u64))?;
                let memory = WorkingMemory::of_scratch_file(&file);
                let memory = memory.map_err(StorageError::io("map", path))?;
                Ok(Scratch { memory, length: bytes, _file: Some(temporary) })
            }
        }
    }

    /// An array of `bytes` from an arena, and how many of them, from the first on, may not be zero; in
    /// memory of its own if it is small or the arena has no room.
    ///
    /// # Errors
    /// The memory is refused.
    pub fn from_arena(bytes: usize, arena: &Arc<Arena>) -> Result<(Scratch, usize), StorageError> {
        // A block takes whole huge pages: too much for a small array.
        let block = if bytes < LEAST_IN_ARENA { None } else { arena.take(bytes) };
        let Some((block, used)) = block else {
            return Ok((Scratch::zeroed(bytes, &Placement::Memory)?, 0));
        };
        let memory = WorkingMemory::Block(block);
        Ok((Scratch { memory, length: bytes, _file: None }, used))
    }

    /// Clears the first `bytes`.
    pub fn clear(&mut self, bytes: usize) {
        self.memory.bytes_mut()[..bytes].par_chunks_mut(CLEARED).for_each(|piece| piece.fill(0));
    }

    /// The array as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory.bytes()[..self.length]
    }

    /// The array as bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory.bytes_mut()[..self.length]
    }

    /// The array as integers: `u8`, `u16` and the like.
    ///
    /// # Panics
    /// If the length is not a multiple of the integer's size.
    pub fn view<T: Pod>(&self) -> &[T] {
        bytemuck::cast_slice(self.bytes())
    }

    /// The array as integers, to be written.
    ///
    /// # Panics
    /// If the length is not a multiple of the integer's size.
    pub fn view_mut<T: Pod>(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.bytes_mut())
    }
}

/// Gives every byte of the file its block now: a mapped write that finds the disk full kills the
/// process.
fn reserve(file: &File, bytes: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if bytes > 0 {
        let flags = rustix::fs::FallocateFlags::empty();
        match rustix::fs::fallocate(file, flags, 0, bytes as u64) {
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
            outcome => return outcome.map_err(io::Error::from),
        }
    }
    write_zeros(file, bytes)
}

fn write_zeros(mut file: &File, bytes: usize) -> io::Result<()> {
    let zeros = vec![0; bytes.min(1 << 20)];
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(zeros.len());
        file.write_all(&zeros[..piece])?;
        left -= piece;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(placement: &Placement, bytes: usize) {
        let mut scratch = Scratch::zeroed(bytes, placement).unwrap();
        assert!(scratch.bytes().len() == bytes && scratch.bytes().iter().all(|byte| *byte == 0));
        for (value, number) in scratch.view_mut::<u16>().iter_mut().zip(1..) {
            *value = number;
        }
        assert_eq!(scratch.view::<u16>().len(), bytes / 2);
        assert!(scratch.view::<u16>().iter().zip(1..).all(|(value, number)| *value == number));
        assert_eq!(scratch.view::<u8>().first(), if bytes > 0 { Some(&1) } else { None });
    }

    #[test]
    fn test_arrays_in_memory_and_in_files() {
        let directory = tempfile::tempdir().unwrap();
        let placement = Placement::file_in(directory.path(), "8-7 white");
        for bytes in [0, 2, 4096, 10_002] {
            check(&Placement::Memory, bytes);
            check(&placement, bytes);
        }
    }

    #[test]
    fn test_a_scratch_file_lives_as_long_as_its_array() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.scratch");
        let scratch = Scratch::zeroed(100, &Placement::file_in(directory.path(), "a")).unwrap();
        assert!(path.exists());
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn test_zeros_are_written_where_blocks_cannot_be_reserved() {
        let file = tempfile::tempfile().unwrap();
        write_zeros(&file, 2_500_001).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 2_500_001);
    }

    #[test]
    fn test_more_than_the_disk_holds_is_refused_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let placement = Placement::file_in(directory.path(), "huge");
        assert!(Scratch::zeroed(1 << 60, &placement).is_err());
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    }
}
