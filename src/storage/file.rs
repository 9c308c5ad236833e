//! Reads a finished unit file.
//!
//! Opening maps the file and checks its header; the codes are not touched. A probe decompresses
//! the one frame that holds its slot and keeps the last few, as they are stored. Codes are handed
//! out in whole bytes, packed or not. [`UnitFile::verify_frames`] is the
//! slow, complete check. Invariant: no code is handed out from a frame whose checksum is wrong.

use super::error::{FormatError, StorageError};
use super::format::{self, Header, Layout, Metric, TableInfo};
use super::mmap::Mapping;
use super::width::Width;
use super::writer::file_name;
use crate::index::{Subspace, Table, Unit};
use crate::rules::Rules;
use crate::value::{Code, Value};
use rayon::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Frames a file keeps decompressed: a position's successors lie in a few.
const CACHED_FRAMES: usize = 8;

/// A finished unit file, open for reading; may be shared by threads.
#[derive(Debug)]
pub struct UnitFile {
    path: PathBuf,
    header: Header,
    mapping: Mapping,
    /// The most recently used frame last.
    cache: Mutex<Vec<(usize, Arc<[u8]>)>>,
}

/// A run of codes inside one frame.
struct Run {
    frame: usize,
    /// The place of its first code in the frame.
    start: usize,
    codes: usize,
}

impl UnitFile {
    /// Opens the file of a unit under these rules; its name says which unit to expect.
    ///
    /// # Errors
    /// The file cannot be read, is no whole unit file of this format version, or belongs to
    /// other rules or another unit. Damage inside frames is not looked for.
    pub fn open(path: &Path, rules: &Rules) -> Result<UnitFile, StorageError> {
        StorageError::check_regular(path)?;
        let file = File::open(path).map_err(StorageError::io("open", path))?;
        let mapping = Mapping::of_file(&file).map_err(StorageError::io("map", path))?;
        let header = Header::decode(mapping.bytes()).map_err(StorageError::format(path))?;
        let cache = Mutex::new(Vec::with_capacity(CACHED_FRAMES));
        let unit_file = UnitFile { path: path.to_path_buf(), header, mapping, cache };
        unit_file.check_rules(rules)?;
        unit_file.check_name()?;
        Ok(unit_file)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The unit.
    pub fn unit(&self) -> Unit {
        self.header.unit()
    }

    /// What its values tell.
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// How its codes lie in the file. Handed out they have [`Width::code_bytes`] each.
    pub fn width(&self) -> Width {
        self.header.width
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.mapping.bytes().len() as u64
    }

    /// The stored tables with their layouts and counts, the unit's first one first.
    pub fn tables(&self) -> &[TableInfo] {
        &self.header.tables
    }

    /// One of them.
    ///
    /// # Errors
    /// The file does not hold it.
    pub fn table(&self, table: Table) -> Result<&TableInfo, StorageError> {
        Ok(&self.header.tables[self.number(table)?])
    }

    /// Makes sure that slots mean here what they mean to the index.
    ///
    /// # Errors
    /// The table is missing or has another layout.
    pub fn check_layout(&self, table: Table, expected: Layout) -> Result<(), StorageError> {
        let found = self.table(table)?.layout;
        if found == expected {
            return Ok(());
        }
        let (path, metric) = (self.path.clone(), self.metric());
        Err(StorageError::WrongLayout { path, table, expected, found, metric })
    }

    /// The code of a slot, of either width as a number.
    ///
    /// # Errors
    /// There is no such table or slot, or the frame that holds it is damaged.
    pub fn code(&self, table: Table, slot: u64) -> Result<u32, StorageError> {
        let number = self.number(table)?;
        self.check_slots(number, slot, 1)?;
        let run = self.run(number, slot, 1);
        let frame = self.frame(number, run.frame)?;
        Ok(self.header.width.code(&frame, run.start))
    }

    /// The value of a slot.
    ///
    /// # Errors
    /// As [`UnitFile::code`], or the code stands for no value.
    pub fn value(&self, table: Table, slot: u64) -> Result<Value, StorageError> {
        let code = self.code(table, slot)?;
        let value = value_of(code, self.header.width.code_bytes());
        value.ok_or_else(|| StorageError::format(&self.path)(FormatError::Code { slot, code }))
    }

    /// Reads the codes from slot `first` on, little-endian, until `codes` is full. Works on
    /// the calling thread, for callers that share out rows themselves; whole frames go past the
    /// cache.
    ///
    /// # Errors
    /// The table ends before, or a frame is damaged.
    ///
    /// # Panics
    /// If the length is not a number of whole codes.
    pub fn read_range(
        &self,
        table: Table,
        first: u64,
        codes: &mut [u8],
    ) -> Result<(), StorageError> {
        let width = self.header.width.code_bytes();
        assert!(codes.len().is_multiple_of(width), "whole codes");
        let number = self.number(table)?;
        self.check_slots(number, first, (codes.len() / width) as u64)?;
        let mut slot = first;
        let mut rest = codes;
        while !rest.is_empty() {
            let run = self.run(number, slot, rest.len() / width);
            let (piece, behind) = rest.split_at_mut(run.codes * width);
            self.read_run(number, &run, piece)?;
            slot += run.codes as u64;
            rest = behind;
        }
        Ok(())
    }

    /// Reads all codes of a table, little-endian, with all threads.
    ///
    /// # Errors
    /// A frame is damaged.
    ///
    /// # Panics
    /// If `codes` is not exactly as long as the table.
    pub fn read_all(&self, table: Table, codes: &mut [u8]) -> Result<(), StorageError> {
        let number = self.number(table)?;
        assert_eq!(codes.len() as u64, self.header.code_bytes(number), "room for all codes");
        let frames = self.header.frames_of(number).into_par_iter();
        let pieces = codes.par_chunks_mut(self.header.frame_codes() * self.width().code_bytes());
        frames.zip(pieces).try_for_each(|(frame, piece)| self.read_frame(number, frame, piece))
    }

    /// Decompresses every frame and looks at every code; returns the number of frames.
    ///
    /// # Errors
    /// The first damaged frame, or code that stands for no value.
    pub fn verify_frames(&self) -> Result<usize, StorageError> {
        let width = self.header.width.code_bytes();
        let codes = 0..1 << (8 * width);
        let known: Vec<bool> = codes.map(|code| value_of(code, width).is_some()).collect();
        for table in 0..self.header.tables.len() {
            let frames = self.header.frames_of(table).into_par_iter();
            let damage = frames.map_init(Vec::new, |codes, frame| {
                self.verify_frame(table, frame, &known, codes).err()
            });
            // The first in the file, not in time: the report is the same for any threads.
            if let Some(error) = damage.find_map_first(|error| error) {
                return Err(error);
            }
        }
        Ok(self.header.frames.len())
    }

    /// `known` tells for every code whether it stands for a value.
    fn verify_frame(
        &self,
        table: usize,
        frame: usize,
        known: &[bool],
        codes: &mut Vec<u8>,
    ) -> Result<(), StorageError> {
        let width = self.header.width.code_bytes();
        codes.resize(self.codes_in(table, frame) * width, 0);
        self.read_frame(table, frame, codes)?;
        let mut numbers = codes.chunks_exact(width).map(number_of);
        let Some(at) = numbers.position(|code| !known[code as usize]) else { return Ok(()) };
        let code = number_of(&codes[at * width..][..width]);
        let slot = self.slots_before(table, frame) + at as u64;
        Err(StorageError::format(&self.path)(FormatError::Code { slot, code }))
    }

    fn check_rules(&self, rules: &Rules) -> Result<(), StorageError> {
        if self.header.fingerprint == rules.fingerprint() {
            return Ok(());
        }
        Err(StorageError::WrongRules {
            path: self.path.clone(),
            expected: rules.name().to_string(),
            expected_print: rules.fingerprint(),
            found: self.header.rules.clone(),
            found_print: self.header.fingerprint,
        })
    }

    fn check_name(&self) -> Result<(), StorageError> {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let found = self.unit();
        if name.parse::<Subspace>().is_ok_and(|subspace| subspace.unit() == found) {
            return Ok(());
        }
        let taken = self.path.with_file_name(file_name(found)).exists();
        Err(StorageError::WrongUnit { path: self.path.clone(), expected: name, found, taken })
    }

    fn number(&self, table: Table) -> Result<usize, StorageError> {
        let number = self.header.position(table);
        number.ok_or_else(|| StorageError::NoTable { path: self.path.clone(), table })
    }

    fn check_slots(&self, number: usize, first: u64, count: u64) -> Result<(), StorageError> {
        let TableInfo { table, layout, .. } = self.header.tables[number];
        let slots = layout.slots();
        if first.checked_add(count).is_some_and(|end| end <= slots) {
            return Ok(());
        }
        // The first slot asked for that is not there.
        let slot = first.max(slots);
        Err(StorageError::NoSlot { path: self.path.clone(), table, slot, slots })
    }

    /// The part in one frame of so many codes of a table, from a slot on.
    fn run(&self, table: usize, slot: u64, codes: usize) -> Run {
        let frame_codes = self.header.frame_codes();
        let start = (slot % frame_codes as u64) as usize;
        let frame = self.header.frames_of(table).start + (slot / frame_codes as u64) as usize;
        Run { frame, start, codes: codes.min(frame_codes - start) }
    }

    fn read_run(&self, table: usize, run: &Run, codes: &mut [u8]) -> Result<(), StorageError> {
        if run.codes == self.codes_in(table, run.frame) {
            return self.read_frame(table, run.frame, codes);
        }
        let frame = self.frame(table, run.frame)?;
        self.header.width.expand(&frame, run.start, codes);
        Ok(())
    }

    /// Reads all codes of a frame, past the cache.
    fn read_frame(&self, table: usize, frame: usize, codes: &mut [u8]) -> Result<(), StorageError> {
        let width = self.header.width;
        if width != Width::Packed {
            return self.decompress(frame, codes);
        }
        let mut stored = vec![0; self.stored_in(table, frame)];
        self.decompress(frame, &mut stored)?;
        width.expand(&stored, 0, codes);
        Ok(())
    }

    /// Slots of a table in the frames before this one.
    fn slots_before(&self, table: usize, frame: usize) -> u64 {
        let frames = frame - self.header.frames_of(table).start;
        frames as u64 * self.header.frame_codes() as u64
    }

    /// Codes in a frame of a table; the last one may be shorter.
    fn codes_in(&self, table: usize, frame: usize) -> usize {
        let slots = self.header.tables[table].layout.slots();
        let left = slots - self.slots_before(table, frame);
        left.min(self.header.frame_codes() as u64) as usize
    }

    /// Bytes in which they are stored.
    fn stored_in(&self, table: usize, frame: usize) -> usize {
        let bytes = self.header.width.stored_bytes(self.codes_in(table, frame) as u64);
        bytes.expect("a frame is small") as usize
    }

    /// A frame as it is stored, from the cache if it is there. The lock is not held while a frame
    /// is decompressed; two threads may do the same one, to the same end.
    fn frame(&self, table: usize, number: usize) -> Result<Arc<[u8]>, StorageError> {
        if let Some(codes) = self.cached(number) {
            return Ok(codes);
        }
        let mut stored = vec![0; self.stored_in(table, number)];
        self.decompress(number, &mut stored)?;
        let stored: Arc<[u8]> = stored.into();
        let mut cache = self.cache.lock().expect("no thread panics with the lock");
        if cache.len() == CACHED_FRAMES {
            cache.remove(0);
        }
        cache.push((number, Arc::clone(&stored)));
        Ok(stored)
    }

    fn cached(&self, number: usize) -> Option<Arc<[u8]>> {
        let mut cache = self.cache.lock().expect("no thread panics with the lock");
        let place = cache.iter().rposition(|(frame, _)| *frame == number)?;
        let entry = cache.remove(place);
        let codes = Arc::clone(&entry.1);
        cache.push(entry);
        Some(codes)
    }

    /// Decompresses a frame into as many bytes as are stored in it.
    fn decompress(&self, frame: usize, stored: &mut [u8]) -> Result<(), StorageError> {
        let outcome = format::read_frame(self.mapping.bytes(), &self.header, frame, stored);
        outcome.map_err(StorageError::format(&self.path))
    }
}

/// A little-endian code as a number.
fn number_of(code: &[u8]) -> u32 {
    code.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn value_of(code: u32, width: usize) -> Option<Value> {
    if width == u8::WIDTH { u8::of(code).value() } else { u16::of(code).value() }
}
