//! Working arrays of codes and counts.
//!
//! Arrays are mapped memory, in huge pages where the system has them, or mapped scratch files for
//! a unit that exceeds the memory allowed; the solver does not care which. Invariant: an array is
//! zeroed when it is made, and zero is [`Code::NONE`](crate::value::Code::NONE).

use crate::storage::{Database, Placement, Scratch, StorageError};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where working arrays are put.
#[derive(Debug, Default)]
pub struct Workspace<'a> {
    /// The database in whose directory scratch files are made; in memory without.
    files: Option<&'a Database>,
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

    /// Arrays in scratch files of a database, whose lock the caller holds.
    pub fn in_files(database: &'a Database) -> Workspace<'a> {
        Workspace { files: Some(database), made: AtomicUsize::new(0) }
    }

    /// An array of zeros.
    ///
    /// # Errors
    /// As [`Scratch::zeroed`].
    pub fn array<T: Pod>(&self, length: usize) -> Result<Array<T>, StorageError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let placement = match self.files {
            Some(database) => database.scratch_file(number),
            None => Placement::Memory,
        };
        let scratch = Scratch::zeroed(length * size_of::<T>(), &placement)?;
        Ok(Array { scratch, elements: PhantomData })
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
