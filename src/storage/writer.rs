//! Makes a unit file.
//!
//! Codes arrive in pieces of any size and leave as compressed frames: a batch of frames is
//! compressed by all threads, then written in order, so the file's bytes depend neither on the
//! number of threads nor on the pieces. Lengths here are of codes as callers have them; only
//! [`Framer`] knows how they lie in the file. Invariant: a file appears under its final name only
//! complete and synced; until then it is a `.part` file, which goes away with its writer.

use super::error::StorageError;
use super::format::{
    COMPRESSION_LEVEL, Counts, FRAME_BYTES, Frame, Header, Layout, Metric,
    PACKED_COMPRESSION_LEVEL, PREFIX_BYTES, TableInfo,
};
use super::temporary::{PART, TemporaryFile};
use super::width::{Width, pack};
use crate::index::{Table, Unit};
use crate::rules::Rules;
use rayon::prelude::*;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;

/// Extension of unit files.
pub(super) const EXTENSION: &str = "mdb";
/// Frames compressed before any of them is written: 8 MiB of stored codes, enough work to share out.
const BATCH_FRAMES: usize = 256;

/// What a unit file is going to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitPlan {
    /// Its unit.
    pub unit: Unit,
    /// What its values tell.
    pub metric: Metric,
    /// How its codes lie in the file; only outcomes can be packed.
    pub width: Width,
    /// The tables in file order, the unit's first one first; one may be left out.
    pub tables: Vec<(Table, Layout)>,
}

/// A unit file being written.
#[derive(Debug)]
pub struct UnitWriter {
    header: Header,
    destination: PathBuf,
    part: TemporaryFile,
    file: File,
    /// Bytes of the file so far.
    end: u64,
    /// The table being written, or the number of tables.
    current: usize,
    /// Bytes of its codes that have arrived.
    arrived: u64,
    /// Bytes of codes that make a frame.
    frame_codes: usize,
    /// Codes that do not fill a frame yet.
    pending: Vec<u8>,
    /// A write has failed: what is in the file no longer fits the frame table.
    broken: bool,
}

impl UnitPlan {
    fn header(&self, rules: &Rules) -> Header {
        let packs_depths = self.width == Width::Packed && self.metric == Metric::Depth;
        assert!(!packs_depths, "only outcomes are packed");
        let stored: Vec<Table> = self.tables.iter().map(|(table, _)| *table).collect();
        let in_order = self.unit.tables().filter(|table| stored.contains(table));
        assert!(!stored.is_empty() && in_order.eq(stored.iter().copied()), "tables in file order");
        let info = |(table, layout): &(Table, Layout)| TableInfo {
            table: *table,
            layout: *layout,
            counts: Counts::default(),
        };
        Header {
            fingerprint: rules.fingerprint(),
            rules: rules.name().to_string(),
            metric: self.metric,
            width: self.width,
            frame_bytes: FRAME_BYTES,
            tables: self.tables.iter().map(info).collect(),
            frames: Vec::new(),
        }
    }
}

impl UnitWriter {
    /// Begins the file of a unit in a rule directory.
    ///
    /// # Errors
    /// The directory cannot be written to.
    ///
    /// # Panics
    /// If the plan's tables are not the unit's, in order, or depths are to be packed.
    pub fn create(
        directory: &Path,
        rules: &Rules,
        plan: &UnitPlan,
    ) -> Result<UnitWriter, StorageError> {
        let header = plan.header(rules);
        let destination = directory.join(file_name(plan.unit));
        let (part, file) = TemporaryFile::create(destination.with_added_extension(PART))?;
        let frame_codes = header.frame_codes() * header.width.code_bytes();
        let mut writer = UnitWriter {
            header,
            destination,
            part,
            file,
            end: 0,
            current: 0,
            arrived: 0,
            frame_codes,
            pending: Vec::with_capacity(frame_codes),
            broken: false,
        };
        // Zeros are no magic: should the file get its name too early, it is refused.
        writer.append(&[0; PREFIX_BYTES])?;
        writer.close_full_tables()?;
        Ok(writer)
    }

    /// Takes the next codes of a table, little-endian. Tables come in the plan's order, each from
    /// its first slot to its last, in pieces of any size.
    ///
    /// # Errors
    /// The file cannot be written; a full disk has its own error.
    ///
    /// # Panics
    /// If it is another table's turn, the table has fewer codes left, a code to be packed is no
    /// outcome, or a write has failed.
    pub fn write(&mut self, table: Table, codes: &[u8]) -> Result<(), StorageError> {
        if codes.is_empty() {
            return Ok(());
        }
        assert!(!self.broken, "no writing after an error");
        let turn = self.header.tables.get(self.current).map(|info| info.table);
        assert_eq!(turn, Some(table), "tables are written in order");
        self.arrived += codes.len() as u64;
        assert!(self.arrived <= self.header.code_bytes(self.current), "too many codes of {table}");

        let frame = self.frame_codes;
        let missing = (frame - self.pending.len()) % frame;
        let (first, rest) = codes.split_at(missing.min(codes.len()));
        self.pending.extend_from_slice(first);
        if self.pending.len() == frame {
            self.flush_pending()?;
        }
        let (frames, last) = rest.split_at(rest.len() - rest.len() % frame);
        for batch in frames.chunks(BATCH_FRAMES * frame) {
            self.write_frames(batch)?;
        }
        self.pending.extend_from_slice(last);
        self.close_full_tables()
    }

    /// Completes the file and gives it its name. `counts` are the tables', in the plan's order.
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// The file cannot be written, synced or renamed.
    ///
    /// # Panics
    /// If codes are missing, counts do not add up, or a write has failed.
    pub fn finish(mut self, counts: Vec<Counts>) -> Result<u64, StorageError> {
        assert!(!self.broken, "no writing after an error");
        assert_eq!(self.current, self.header.tables.len(), "every table is written");
        assert_eq!(counts.len(), self.header.tables.len(), "counts for every table");
        for (info, counts) in self.header.tables.iter_mut().zip(counts) {
            info.counts = counts;
        }
        let (prefix, header) = self.header.encode(self.end);
        self.append(&header)?;
        let bytes = self.end;
        self.write_prefix(&prefix)?;
        self.part.keep_as(&self.destination)?;
        sync_directory(self.destination.parent().expect("a file in a directory"))?;
        Ok(bytes)
    }

    fn write_prefix(&mut self, prefix: &[u8]) -> Result<(), StorageError> {
        let at_start = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(prefix));
        let synced = at_start.and_then(|()| self.file.sync_all());
        synced.map_err(StorageError::writing(self.part.path(), 0))
    }

    /// Ends the current table, and empty ones behind it, when all of its codes have arrived.
    fn close_full_tables(&mut self) -> Result<(), StorageError> {
        while self.current < self.header.tables.len()
            && self.arrived == self.header.code_bytes(self.current)
        {
            self.flush_pending()?;
            self.current += 1;
            self.arrived = 0;
        }
        Ok(())
    }

    fn flush_pending(&mut self) -> Result<(), StorageError> {
        let mut codes = std::mem::take(&mut self.pending);
        let outcome = self.write_frames(&codes);
        codes.clear();
        self.pending = codes;
        outcome
    }

    fn write_frames(&mut self, codes: &[u8]) -> Result<(), StorageError> {
        let compressed: Vec<(Vec<u8>, u64)> = codes
            .par_chunks(self.frame_codes)
            .map_init(|| Framer::new(self.header.width), Framer::frame)
            .collect();
        let mut bytes = Vec::with_capacity(compressed.iter().map(|(frame, _)| frame.len()).sum());
        for (frame, checksum) in compressed {
            let offset = self.end + bytes.len() as u64;
            self.header.frames.push(Frame { offset, length: frame.len() as u32, checksum });
            bytes.extend(frame);
        }
        self.append(&bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        let outcome = self.file.write_all(bytes);
        self.broken |= outcome.is_err();
        let path = self.part.path();
        outcome.map_err(|error| StorageError::writing(path, self.bytes_to_come())(error))?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// An estimate for the error message: what is to come compresses like what came.
    fn bytes_to_come(&self) -> u64 {
        let frames = &self.header.frames;
        let total: u64 = (0..self.header.tables.len()).map(|t| self.header.raw_bytes(t)).sum();
        let compressed: u64 = frames.iter().map(|frame| u64::from(frame.length)).sum();
        let codes = (frames.len() * FRAME_BYTES).max(1);
        let ratio = if frames.is_empty() { 1.0 } else { compressed as f64 / codes as f64 };
        ((total as f64 * ratio) as u64).saturating_sub(self.end)
    }
}

/// The file name of a unit.
pub(super) fn file_name(unit: Unit) -> String {
    format!("{unit}.{EXTENSION}")
}

/// Makes frames, one after the other.
struct Framer {
    width: Width,
    compressor: Compressor<'static>,
    packed: Vec<u8>,
}

impl Framer {
    fn new(width: Width) -> Framer {
        let level = match width {
            Width::Packed => PACKED_COMPRESSION_LEVEL,
            Width::One | Width::Two => COMPRESSION_LEVEL,
        };
        let compressor = Compressor::new(level).expect("memory for a compressor");
        Framer { width, compressor, packed: Vec::new() }
    }

    /// A frame and its checksum; the same for the same codes, whatever was compressed before.
    fn frame(&mut self, codes: &[u8]) -> (Vec<u8>, u64) {
        let stored = match self.width {
            Width::Packed => {
                pack(codes, &mut self.packed);
                &self.packed
            }
            Width::One | Width::Two => codes,
        };
        let frame = self.compressor.compress(stored).expect("any bytes can be compressed");
        let checksum = xxh3_64(&frame);
        (frame, checksum)
    }
}

/// Makes the rename last through a power failure.
fn sync_directory(directory: &Path) -> Result<(), StorageError> {
    // Only Unix lets a directory be opened as a file.
    if cfg!(unix) {
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        synced.map_err(StorageError::io("sync", directory))?;
    }
    Ok(())
}
