//! Memory-mapped files and anonymous memory; all `unsafe` code of the crate but vector instructions.
//!
//! Mapping a file is unsafe because its bytes may change or vanish under the slice. The contract
//! that every caller in this module's parent keeps:
//!
//! * a mapped file is not changed or cut short while it is mapped: unit files are written once
//!   and replaced only by a rename, which leaves the mapped bytes alone;
//! * a scratch file is mapped once, by the one process that created it and holds the directory's
//!   lock, and all its blocks are reserved beforehand, so that no write finds the disk full.
//!
//! Whoever cuts a database file short from outside while it is in use gets a crash (SIGBUS), as
//! with any mapped file; values are never wrong for it, since each frame's checksum is compared
//! before its use.

#![allow(unsafe_code)]

use memmap2::{Mmap, MmapMut};
use std::fs::File;
use std::io;

/// A whole file, to be read.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps a file that the contract above covers.
    pub(super) fn of_file(file: &File) -> io::Result<Mapping> {
        // SAFETY: unit files are never modified in place (first point of the contract).
        unsafe { Mmap::map(file) }.map(Mapping)
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Zeroed bytes, to be read and written.
#[derive(Debug)]
pub(super) struct WorkingMemory(MmapMut);

impl WorkingMemory {
    /// Anonymous memory, in huge pages where the system has them: a solve's scattered reads miss
    /// the page tables less.
    pub(super) fn anonymous(bytes: usize) -> io::Result<WorkingMemory> {
        let memory = MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        if bytes > 0 {
            // Advice only; a kernel without huge pages refuses it and works all the same.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Ok(WorkingMemory(memory))
    }

    /// A scratch file just created, all blocks reserved.
    pub(super) fn of_scratch_file(file: &File) -> io::Result<WorkingMemory> {
        // SAFETY: nobody else maps or writes the file (second point of the contract).
        unsafe { MmapMut::map_mut(file) }.map(WorkingMemory)
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, to be written.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
