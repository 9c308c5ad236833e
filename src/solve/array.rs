//! Working arrays of codes and counts.
//!
//! Arrays are mapped memory, in huge pages where the system has them, or mapped scratch files for
//! a unit that exceeds the memory allowed; the solver does not care which. Invariant: an array is
//! zeroed when it is made unless it is asked for unset, and zero is [`Code::NONE`](crate::value::Code::NONE).

use crate::storage::{Arena, Database, Placement, Scratch, StorageError};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where working arrays are put.
#[derive(Debug, Default)]
pub struct Workspace<'a> {
    /// The database in whose directory scratch files are made; in memory without.
    files: Option<&'a Database>,
    /// Where memory comes from, if not from the system each time.
    arena: Option<Arc<Arena>>,
    made: AtomicUsize,
}

/// A working array.
#[derive(Debug)]
pub struct Array<T> {
    scratch: Scratch,
    elements: PhantomData<T>,
}

impl<'a> Workspace<'a> {
    /// Arrays in memory.
    pub fn in_memory() -> Workspace<'a> {
        Workspace::default()
    }

    /// Arrays in an arena's memory.
    pub fn in_arena(arena: &Arc<Arena>) -> Workspace<'a> {
        Workspace { arena: Some(Arc::clone(arena)), ..Workspace::default() }
    }

    /// Arrays in scratch files of a database, whose lock the caller holds.
    pub fn in_files(database: &'a Database) -> Workspace<'a> {
        Workspace { files: Some(database), ..Workspace::default() }
    }

    /// An array of zeros.
    ///
    /// # Errors
    /// As [`Scratch::zeroed`].
    pub fn array<T: Pod>(&self, length: usize) -> Result<Array<T>, StorageError> {
        let (mut array, used) = self.array_with_rests(length)?;
        array.scratch.clear(used);
        Ok(array)
    }

    /// An array of whatever was there before.
    ///
    /// # Errors
    /// As [`Scratch::zeroed`].
    pub fn unset_array<T: Pod>(&self, length: usize) -> Result<Array<T>, StorageError> {
        Ok(self.array_with_rests(length)?.0)
    }

    /// An array, and how many of its bytes, from the first on, may not be zero.
    fn array_with_rests<T: Pod>(&self, length: usize) -> Result<(Array<T>, usize), StorageError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let bytes = length * size_of::<T>();
        let (scratch, used) = match (self.files, &self.arena) {
            (Some(database), _) => (Scratch::zeroed(bytes, &database.scratch_file(number))?, 0),
            (None, Some(arena)) => Scratch::from_arena(bytes, arena)?,
            (None, None) => (Scratch::zeroed(bytes, &Placement::Memory)?, 0),
        };
        Ok((Array { scratch, elements: PhantomData }, used))
    }
}

impl<T> Array<T> {
    /// The bytes of the array, as files hold them.
    pub fn bytes(&self) -> &[u8] {
        self.scratch.bytes()
    }

    /// The same, to be filled.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.scratch.bytes_mut()
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.scratch.view()
    }
}

impl<T: Pod> DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.scratch.view_mut()
    }
}
