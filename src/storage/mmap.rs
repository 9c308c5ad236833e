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

use super::error::StorageError;
use memmap2::{Mmap, MmapMut, MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

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

/// Bytes to be read and written.
#[derive(Debug)]
pub(super) enum WorkingMemory {
    /// A mapping of its own.
    Mapped(MmapMut),
    /// A part of an arena.
    Block(Block),
}

impl WorkingMemory {
    /// Anonymous memory, zeroed, in huge pages where the system has them: a solve's scattered reads
    /// miss the page tables less.
    pub(super) fn anonymous(bytes: usize) -> io::Result<WorkingMemory> {
        let memory = MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        if bytes > 0 {
            // Advice only; a kernel without huge pages refuses it and works all the same.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Ok(WorkingMemory::Mapped(memory))
    }

    /// A scratch file just created, zeroed, all blocks reserved.
    pub(super) fn of_scratch_file(file: &File) -> io::Result<WorkingMemory> {
        // SAFETY: nobody else maps or writes the file (second point of the contract).
        unsafe { MmapMut::map_mut(file) }.map(WorkingMemory::Mapped)
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            WorkingMemory::Mapped(memory) => memory,
            WorkingMemory::Block(block) => block.bytes(),
        }
    }

    /// The bytes, to be written.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            WorkingMemory::Mapped(memory) => memory,
            WorkingMemory::Block(block) => block.bytes_mut(),
        }
    }
}

/// Blocks begin at multiples of a huge page.
const ALIGNMENT: usize = 2 << 20;

/// One mapping that working memory is cut from, again and again. What a process gives back to the
/// system it may get again only page by page, which on a virtual machine can take ten times longer
/// than to clear the page; so the arena keeps what was once used.
///
/// Invariant: no two blocks overlap, and no block overlaps a free part.
#[derive(Debug)]
pub struct Arena {
    memory: MmapRaw,
    parts: Mutex<Parts>,
}

/// Which parts of an arena are free.
#[derive(Debug)]
struct Parts {
    /// In order, none touching another.
    free: Vec<Range<usize>>,
    /// Bytes from here on are zero: nobody has had them.
    unused: usize,
}

/// A part of an arena that one owner has; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Block {
    arena: Arc<Arena>,
    range: Range<usize>,
    length: usize,
}

impl Arena {
    /// Address space for so many bytes; memory is taken as blocks are used.
    ///
    /// # Errors
    /// The system refuses the mapping.
    pub fn reserve(bytes: u64) -> Result<Arc<Arena>, StorageError> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX) / ALIGNMENT * ALIGNMENT;
        let memory = MmapOptions::new().len(bytes.max(ALIGNMENT)).no_reserve_swap().map_anon();
        let memory = memory.map_err(StorageError::io("map", "working memory".as_ref()))?;
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let all = 0..memory.len();
        let parts = Mutex::new(Parts { free: vec![all], unused: 0 });
        Ok(Arc::new(Arena { memory: memory.into(), parts }))
    }

    /// The smallest free part with room for so many bytes (so that large ones stay whole), and how many
    /// of them, from the first on, may not be zero; `None` if there is none.
    pub(super) fn take(self: &Arc<Arena>, bytes: usize) -> Option<(Block, usize)> {
        let size = bytes.max(1).next_multiple_of(ALIGNMENT);
        let mut parts = self.parts.lock().expect("no thread panics with the lock");
        let fitting = parts.free.iter().enumerate().filter(|(_, part)| part.len() >= size);
        let (place, _) = fitting.min_by_key(|(_, part)| part.len())?;
        let start = parts.free[place].start;
        parts.free[place].start += size;
        if parts.free[place].is_empty() {
            parts.free.remove(place);
        }
        let used = parts.unused.saturating_sub(start).min(bytes);
        parts.unused = parts.unused.max(start + size);
        let block = Block { arena: Arc::clone(self), range: start..start + size, length: bytes };
        Some((block, used))
    }

    /// Gives memory of free parts back to the system, until the arena holds about `bytes` or nothing
    /// is free.
    pub fn trim(&self, bytes: u64) {
        let parts = self.parts.lock().expect("no thread panics with the lock");
        let used = |part: &Range<usize>| part.start.min(parts.unused)..part.end.min(parts.unused);
        let free: usize = parts.free.iter().map(|part| used(part).len()).sum();
        let held = (parts.unused - free) as u64;
        let kept = usize::try_from(bytes.saturating_sub(held)).unwrap_or(usize::MAX);
        let mut excess = free.saturating_sub(kept);
        for part in parts.free.iter().rev().map(used) {
            let length = part.len().min(excess.next_multiple_of(ALIGNMENT));
            excess = excess.saturating_sub(length);
            self.forget(part.end - length..part.end);
        }
    }

    /// Lets go of a free part's memory: what is there afterwards may be zeros or what was there.
    fn forget(&self, range: Range<usize>) {
        #[cfg(target_os = "linux")]
        if !range.is_empty() {
            // SAFETY: the range is a free part, so that nothing borrows its bytes, and the mapping is
            // anonymous: they turn to zeros, which `take` allows for.
            let _ = unsafe {
                let forget = memmap2::UncheckedAdvice::DontNeed;
                self.memory.unchecked_advise_range(forget, range.start, range.len())
            };
        }
    }

    fn give_back(&self, range: Range<usize>) {
        let mut parts = self.parts.lock().expect("no thread panics with the lock");
        let place = parts.free.partition_point(|part| part.start < range.start);
        parts.free.insert(place, range);
        parts.free.dedup_by(|later, earlier| {
            let touching = earlier.end == later.start;
            if touching {
                earlier.end = later.end;
            }
            touching
        });
    }
}

impl Block {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the range lies in the mapping, which the `Arc` keeps, and by the arena's
        // invariant belongs to this block alone; `take` cuts `length` to fit it.
        unsafe {
            std::slice::from_raw_parts(
                self.arena.memory.as_ptr().add(self.range.start),
                self.length,
            )
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the block itself is borrowed mutably.
        unsafe {
            let start = self.arena.memory.as_mut_ptr().add(self.range.start);
            std::slice::from_raw_parts_mut(start, self.length)
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.arena.give_back(self.range.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_blocks_do_not_overlap_and_come_back() {
        let arena = Arena::reserve(5 * ALIGNMENT as u64).unwrap();
        let take = |bytes| arena.take(bytes);
        let (mut first, used) = take(ALIGNMENT + 1).unwrap();
        assert_eq!((first.range.clone(), used), (0..2 * ALIGNMENT, 0));
        first.bytes_mut().fill(7);
        let (second, _) = take(10).unwrap();
        let (third, _) = take(2 * ALIGNMENT).unwrap();
        assert!(take(1).is_none());
        assert!(second.bytes().iter().all(|byte| *byte == 0) && second.bytes().len() == 10);
        drop(first);
        let (again, used) = take(ALIGNMENT).unwrap();
        assert_eq!((again.range.start, used), (0, ALIGNMENT));
        drop((second, third, again));
        let whole = 0..5 * ALIGNMENT;
        assert_eq!(arena.parts.lock().unwrap().free, std::slice::from_ref(&whole));
        assert_eq!(take(5 * ALIGNMENT).unwrap().1, 5 * ALIGNMENT);
    }

    #[test]
    fn test_trimming_takes_memory_of_free_parts_only() {
        let arena = Arena::reserve(4 * ALIGNMENT as u64).unwrap();
        let mut blocks: Vec<Block> = (0..4).map(|_| arena.take(ALIGNMENT).unwrap().0).collect();
        blocks.iter_mut().for_each(|block| block.bytes_mut().fill(7));
        let last = blocks.pop();
        drop(blocks.remove(1));
        drop(last);
        arena.trim(3 * ALIGNMENT as u64);
        assert!(blocks.iter().all(|block| block.bytes().iter().all(|byte| *byte == 7)));
        let (second, used) = arena.take(ALIGNMENT).unwrap();
        // One part was to go: the last.
        assert_eq!((second.range.start, used, second.bytes()[0]), (ALIGNMENT, ALIGNMENT, 7));
        let (last, used) = arena.take(ALIGNMENT).unwrap();
        assert_eq!((last.range.start, used), (3 * ALIGNMENT, ALIGNMENT));
        #[cfg(target_os = "linux")]
        assert!(last.bytes().iter().all(|byte| *byte == 0));
        drop((second, last));
        arena.trim(0);
        assert!(blocks.iter().all(|block| block.bytes().iter().all(|byte| *byte == 7)));
    }
}
