//! The bytes of a unit file.
//!
//! This is the only place that describes them. Everything is little-endian and packed. Readers
//! here take plain slices, trust nothing in them, and allocate no more than the bytes at hand can
//! call for. Invariant: [`Header::decode`] of any bytes returns, and what it accepts agrees with
//! itself: every frame lies in the file, behind the one before it, and the frames hold exactly
//! the tables' codes.
//!
//! ```text
//! file    prefix, frames end to end, header
//!
//! prefix  offset  bytes
//!              0      8  magic, "MERELS\r\n": shows when a transfer changed line ends
//!              8      4  format version
//!             12      4  zero
//!             16      8  offset of the header; the frames end there
//!             24      8  length of the header; the file ends there
//!             32      8  checksum of the prefix's first 32 bytes and the header
//!
//! header          bytes
//!                     8  fingerprint of the rules (`Rules::fingerprint`)
//!                     1  length of the rules' name, then the name, printable ASCII
//!                     1  metric: 0 depth to win, 1 win, draw or loss only,
//!                        2 depth to conversion
//!                     1  bytes of a code, 1 or 2; 0 for three codes to a byte (version 2,
//!                        outcomes only); codes are those of `value.rs`
//!                     1  number of tables, 1 or 2
//!                     4  bytes of codes in a frame (but a table's last), a multiple of the code's
//!                        - one record per table, the unit's first table first -
//!                     4  the mover's men, the opponent's men, both players' men in hand
//!                     1  whose sets name the rows: 0 the opponent's, 1 the mover's (version 3
//!                        only; before, the opponent's)
//!                     8  rows: one per canonical set of that player's men
//!                     8  row length: sets of the other player's men on the other points;
//!                        slot = row * row length + rank of that set
//!                    32  classes, and how many of them are wins, draws, losses
//!                     4  greatest depth of a win in plies, 2^32 - 1 for none
//!                     4  greatest depth of a loss in plies, 2^32 - 1 for none
//!                     8  length of the histogram, 0 when only outcomes are stored or all is drawn
//!                  8 * n  classes decided in 0, 1, 2... plies: even losses, odd wins
//!                        - one record per frame, as many as the tables need -
//!                     8  offset in the file
//!                     4  length in the file
//!                     8  checksum of these bytes
//!
//! frame   a zstd frame of consecutive codes of one table; each table begins a new one
//! ```
//!
//! Checksums are XXH3 with 64 bits. Where only outcomes are stored, a loss has the code of a loss
//! in 0 and a win that of a win in 1. With three codes to a byte it is 0 for a loss, 1 for a draw
//! and 2 for a win; a byte is the first of them, plus 3 times the second, plus 9 times the third.
//! Slots that a table's last byte lacks count as 0, and bytes from 27 on stand for nothing.
//!
//! Versions: 1, codes of one or two bytes; 2, three codes to a byte as well; 3, rows named by either
//! player. A file carries the lowest version that can hold it.

use super::error::FormatError;
use super::width::Width;
use crate::index::{self, Table, Unit};
use std::cell::RefCell;
use std::ops::Range;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zstd::bulk::Decompressor;

/// The newest format this program writes; it reads all before. It grows with every change of the
/// bytes or of what they mean.
pub const VERSION: u32 = 3;
/// The first version in which the mover may name the rows.
const ROW_NAMES_VERSION: u32 = 3;
/// Bytes of codes in a frame: a probe decompresses so many. Smaller ones compress worse.
pub const FRAME_BYTES: usize = 32 * 1024;
/// Level of zstd. Higher ones take several times longer for a few percent.
pub const COMPRESSION_LEVEL: i32 = 1;
/// The same for packed outcomes, which are made once to be handed on: 7 % smaller than level 12 in
/// two and a half times its time; level 19 takes as much again for half a percent.
pub const PACKED_COMPRESSION_LEVEL: i32 = 16;

const MAGIC: [u8; 8] = *b"MERELS\r\n";
pub(super) const PREFIX_BYTES: usize = 40;
/// What the checksum in the prefix covers of it.
const PREFIX_SUMMED: usize = 32;
const FRAME_RECORD_BYTES: usize = 20;
/// A bound for readers, so that a damaged field cannot ask for gigabytes.
const MOST_FRAME_BYTES: usize = 1 << 20;
/// Points of the largest board.
const MOST_MEN: u8 = 24;
const NO_DEPTH: u32 = u32::MAX;

/// What a stored value tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Win, draw or loss with its depth in plies.
    Depth,
    /// Win, draw or loss only.
    Outcome,
    /// Win, draw or loss with the plies to the next mill; see `value.rs`.
    Conversion,
}

/// How a table's slots are arranged; see the format above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Do the mover's sets name the rows? Else the opponent's do.
    pub rows_by_own: bool,
    /// Canonical sets of that player's men.
    pub rows: u64,
    /// Slots of each.
    pub row_length: u64,
}

/// Position classes of a table, by value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub classes: u64,
    /// Won for the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost for the side to move.
    pub losses: u64,
    /// Greatest depth of a win.
    pub max_win_plies: Option<u32>,
    /// Greatest depth of a loss.
    pub max_loss_plies: Option<u32>,
    /// Classes decided in 0, 1, 2... plies, even losses and odd wins; empty without depths.
    pub histogram: Vec<u64>,
}

/// One table of a unit file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Whose positions, in the mover's view.
    pub table: Table,
    /// How its slots are arranged.
    pub layout: Layout,
    /// Its classes.
    pub counts: Counts,
}

/// Everything a unit file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub fingerprint: u64,
    pub rules: String,
    pub metric: Metric,
    pub width: Width,
    pub frame_bytes: usize,
    pub tables: Vec<TableInfo>,
    /// Of all tables, one after the other.
    pub frames: Vec<Frame>,
}

/// Where a frame lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub offset: u64,
    pub length: u32,
    pub checksum: u64,
}

impl Layout {
    /// As the index arranges a table.
    pub fn of(layout: &index::Layout) -> Layout {
        Layout {
            rows_by_own: layout.rows_by_own(),
            rows: layout.rows() as u64,
            row_length: layout.row_len() as u64,
        }
    }

    /// Slots of the table.
    ///
    /// # Panics
    /// If they exceed 64 bits, which no layout read from a file does.
    pub fn slots(self) -> u64 {
        self.checked_slots().expect("slots fit in 64 bits")
    }

    fn checked_slots(self) -> Option<u64> {
        self.rows.checked_mul(self.row_length)
    }
}

impl Counts {
    /// From the classes decided in 0, 1, 2... plies and the draws; the histogram loses zeros at
    /// its end, so that equal counts are equal bytes.
    pub fn of_histogram(mut histogram: Vec<u64>, draws: u64) -> Counts {
        while histogram.last() == Some(&0) {
            histogram.pop();
        }
        let sum = |odd: usize| histogram.iter().skip(odd).step_by(2).sum();
        let (losses, wins): (u64, u64) = (sum(0), sum(1));
        Counts {
            classes: wins + draws + losses,
            wins,
            draws,
            losses,
            max_win_plies: deepest(&histogram, 1),
            max_loss_plies: deepest(&histogram, 0),
            histogram,
        }
    }

    /// Where depths are not known.
    pub fn of_outcomes(wins: u64, draws: u64, losses: u64) -> Counts {
        Counts { classes: wins + draws + losses, wins, draws, losses, ..Counts::default() }
    }

    fn agree(&self) -> bool {
        let sum = self.wins.checked_add(self.draws).and_then(|sum| sum.checked_add(self.losses));
        let parity = |odd: usize| {
            let mut classes = self.histogram.iter().skip(odd).step_by(2);
            classes.try_fold(0u64, |sum, more| sum.checked_add(*more))
        };
        let decided = self.histogram.is_empty()
            || (parity(0) == Some(self.losses) && parity(1) == Some(self.wins));
        let depths = self.max_win_plies == deepest(&self.histogram, 1)
            && self.max_loss_plies == deepest(&self.histogram, 0);
        sum == Some(self.classes) && decided && depths
    }
}

/// The greatest depth of this parity.
fn deepest(histogram: &[u64], odd: usize) -> Option<u32> {
    let mut depths = (0..histogram.len()).rev().filter(|plies| plies % 2 == odd);
    depths.find(|plies| histogram[*plies] > 0).map(|plies| plies as u32)
}

impl Header {
    /// Reads the header of a whole file.
    pub fn decode(file: &[u8]) -> Result<Header, FormatError> {
        let (version, range) = decode_prefix(file)?;
        let header = &file[range.clone()];
        let mut fields = Fields { bytes: header, at: 0 };
        let mut decoded = decode_fixed(&mut fields, version)?;
        decoded.check_tables()?;
        decoded.frames = decoded.decode_frames(&header[fields.at..], range.start as u64)?;
        Ok(decoded)
    }

    /// The prefix and the header of a file whose frames end at `end`.
    pub fn encode(&self, end: u64) -> ([u8; PREFIX_BYTES], Vec<u8>) {
        let mut header = Vec::new();
        header.extend(self.fingerprint.to_le_bytes());
        header.push(u8::try_from(self.rules.len()).expect("a rule set's name is short"));
        header.extend(self.rules.as_bytes());
        header.extend([self.metric.number(), self.width.number(), self.tables.len() as u8]);
        header.extend((self.frame_bytes as u32).to_le_bytes());
        for info in &self.tables {
            encode_table(info, self.version(), &mut header);
        }
        for frame in &self.frames {
            header.extend(frame.offset.to_le_bytes());
            header.extend(frame.length.to_le_bytes());
            header.extend(frame.checksum.to_le_bytes());
        }
        (encode_prefix(self.version(), end, &header), header)
    }

    /// The lowest version that can hold it.
    fn version(&self) -> u32 {
        match self.tables.iter().any(|info| info.layout.rows_by_own) {
            true => ROW_NAMES_VERSION,
            false => self.width.version(),
        }
    }

    /// The unit all tables belong to.
    pub fn unit(&self) -> Unit {
        self.tables[0].table.unit()
    }

    /// The number of a table here, if it is stored.
    pub fn position(&self, table: Table) -> Option<usize> {
        self.tables.iter().position(|info| info.table == table)
    }

    /// Bytes of a table's codes as they are stored, before compression.
    pub fn raw_bytes(&self, table: usize) -> u64 {
        let bytes = self.width.stored_bytes(self.tables[table].layout.slots());
        bytes.expect("as many as the reader or the writer could count")
    }

    /// Bytes of a table's codes outside of files.
    pub fn code_bytes(&self, table: usize) -> u64 {
        self.tables[table].layout.slots() * self.width.code_bytes() as u64
    }

    /// Codes in a frame, but a table's last.
    pub fn frame_codes(&self) -> usize {
        self.width.codes_in(self.frame_bytes)
    }

    /// The frames of a table, as numbers in the file.
    pub fn frames_of(&self, table: usize) -> Range<usize> {
        let count = |table| self.raw_bytes(table).div_ceil(self.frame_bytes as u64) as usize;
        let first = (0..table).map(count).sum();
        first..first + count(table)
    }

    fn check_tables(&self) -> Result<(), FormatError> {
        let unit = self.unit();
        let stored: Vec<Table> = self.tables.iter().map(|info| info.table).collect();
        let in_order = unit.tables().filter(|table| stored.contains(table));
        if in_order.eq(stored.iter().copied()) {
            return Ok(());
        }
        let names: Vec<String> = stored.iter().map(Table::to_string).collect();
        Err(field("tables", "different tables of one unit, the first one first", names.join(", ")))
    }

    /// Frames of all tables, unless they are too many to be true.
    fn checked_frames(&self) -> Option<u64> {
        let counts = self.tables.iter().map(|info| {
            let slots = info.layout.checked_slots()?;
            // What memory could not hold is more than there is.
            usize::try_from(slots.checked_mul(self.width.code_bytes() as u64)?).ok()?;
            let raw = self.width.stored_bytes(slots)?;
            Some(raw.div_ceil(self.frame_bytes as u64))
        });
        counts.sum()
    }

    fn decode_frames(&self, bytes: &[u8], end: u64) -> Result<Vec<Frame>, FormatError> {
        let frames = self.checked_frames().unwrap_or(u64::MAX);
        let expected = frames.saturating_mul(FRAME_RECORD_BYTES as u64);
        let found = bytes.len() as u64;
        if expected != found {
            return Err(FormatError::FrameTable { expected, found });
        }
        let mut fields = Fields { bytes, at: 0 };
        let mut frames = Vec::with_capacity(bytes.len() / FRAME_RECORD_BYTES);
        let mut next = PREFIX_BYTES as u64;
        while fields.at < bytes.len() {
            let frame =
                Frame { offset: fields.u64()?, length: fields.u32()?, checksum: fields.u64()? };
            let place = FormatError::FramePlace { frame: frames.len(), expected: next };
            if frame.offset != next {
                return Err(place);
            }
            next = next.checked_add(u64::from(frame.length)).filter(|n| *n <= end).ok_or(place)?;
            frames.push(frame);
        }
        if next != end {
            return Err(FormatError::FramePlace { frame: frames.len(), expected: next });
        }
        Ok(frames)
    }
}

thread_local! {
    /// Each thread's own: to make one for every frame costs a third of the time of reading it.
    static DECOMPRESSOR: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("memory for a decompressor"));
}

/// Decompresses a frame of a file into exactly the codes it should hold.
pub(super) fn read_frame(
    file: &[u8],
    header: &Header,
    number: usize,
    codes: &mut [u8],
) -> Result<(), FormatError> {
    let frame = header.frames[number];
    let stored = &file[frame.offset as usize..][..frame.length as usize];
    let found = xxh3_64(stored);
    if found != frame.checksum {
        return Err(FormatError::FrameChecksum { frame: number, expected: frame.checksum, found });
    }
    let expected = codes.len();
    match DECOMPRESSOR.with_borrow_mut(|zstd| zstd.decompress_to_buffer(stored, codes)) {
        Ok(bytes) if bytes == expected => Ok(()),
        _ => Err(FormatError::FrameContent { frame: number, expected }),
    }
}

/// The version and the header's place in a file whose prefix and header are whole.
fn decode_prefix(file: &[u8]) -> Result<(u32, Range<usize>), FormatError> {
    if !file.starts_with(&MAGIC) {
        let found = file[..file.len().min(MAGIC.len())].to_vec();
        return Err(FormatError::Magic { expected: MAGIC, found });
    }
    let length = file.len() as u64;
    let short = FormatError::Length { expected: PREFIX_BYTES as u64, found: length };
    let prefix = file.get(..PREFIX_BYTES).ok_or(short)?;
    let mut fields = Fields { bytes: prefix, at: MAGIC.len() };
    let version = fields.u32()?;
    if !(1..=VERSION).contains(&version) {
        return Err(FormatError::Version { newest: VERSION, found: version });
    }
    fields.u32()?;
    let (start, size, checksum) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let end = start.saturating_add(size);
    if end != length || start < PREFIX_BYTES as u64 {
        return Err(FormatError::Length { expected: end, found: length });
    }
    let range = start as usize..end as usize;
    let found = header_checksum(prefix, &file[range.clone()]);
    if found != checksum {
        return Err(FormatError::HeaderChecksum { expected: checksum, found });
    }
    Ok((version, range))
}

fn encode_prefix(version: u32, end: u64, header: &[u8]) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..8].copy_from_slice(&MAGIC);
    prefix[8..12].copy_from_slice(&version.to_le_bytes());
    prefix[16..24].copy_from_slice(&end.to_le_bytes());
    prefix[24..32].copy_from_slice(&(header.len() as u64).to_le_bytes());
    let checksum = header_checksum(&prefix, header);
    prefix[PREFIX_SUMMED..].copy_from_slice(&checksum.to_le_bytes());
    prefix
}

fn header_checksum(prefix: &[u8], header: &[u8]) -> u64 {
    let mut state = Xxh3::new();
    state.update(&prefix[..PREFIX_SUMMED]);
    state.update(header);
    state.digest()
}

/// Everything before the frame table.
fn decode_fixed(fields: &mut Fields, version: u32) -> Result<Header, FormatError> {
    let fingerprint = fields.u64()?;
    let name_length = fields.u8()?;
    let name = fields.take(usize::from(name_length))?;
    let rules = String::from_utf8_lossy(name).escape_default().to_string();
    let metric = Metric::of(fields.u8()?)?;
    let width = Width::decode(fields.u8()?, version, metric)?;
    let tables = fields.u8()?;
    if !(1..=2).contains(&tables) {
        return Err(field("number of tables", "1 or 2", tables));
    }
    let frame_bytes = fields.u32()? as usize;
    if frame_bytes == 0 || frame_bytes > MOST_FRAME_BYTES || !width.divides(frame_bytes) {
        return Err(field("frame length", "whole codes, at most 1 MiB", frame_bytes));
    }
    let tables = (0..tables).map(|_| decode_table(fields, version)).collect::<Result<_, _>>()?;
    Ok(Header { fingerprint, rules, metric, width, frame_bytes, tables, frames: Vec::new() })
}

fn decode_table(fields: &mut Fields, version: u32) -> Result<TableInfo, FormatError> {
    let table = Table {
        own: fields.u8()?,
        enemy: fields.u8()?,
        own_hand: fields.u8()?,
        enemy_hand: fields.u8()?,
    };
    let Table { own, enemy, own_hand, enemy_hand } = table;
    if [own, enemy, own_hand, enemy_hand].iter().any(|men| *men > MOST_MEN) {
        return Err(field("table", "at most 24 men of a kind", format!("{table:?}")));
    }
    let rows_by_own = match version {
        ROW_NAMES_VERSION.. => match fields.u8()? {
            0 => false,
            1 => true,
            found => {
                return Err(field("whose rows", "0 (the opponent's) or 1 (the mover's)", found));
            }
        },
        _ => false,
    };
    let layout = Layout { rows_by_own, rows: fields.u64()?, row_length: fields.u64()? };
    let (classes, wins, draws, losses) =
        (fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?);
    let depth = |plies| (plies != NO_DEPTH).then_some(plies);
    let (max_win_plies, max_loss_plies) = (depth(fields.u32()?), depth(fields.u32()?));
    let length = fields.u64()?;
    let histogram = fields.u64s(length)?;
    let counts = Counts { classes, wins, draws, losses, max_win_plies, max_loss_plies, histogram };
    if !counts.agree() {
        return Err(field("class counts", "wins, draws and losses that add up", classes));
    }
    Ok(TableInfo { table, layout, counts })
}

fn encode_table(info: &TableInfo, version: u32, header: &mut Vec<u8>) {
    let Table { own, enemy, own_hand, enemy_hand } = info.table;
    let counts = &info.counts;
    assert!(counts.agree(), "class counts of {} add up", info.table);
    header.extend([own, enemy, own_hand, enemy_hand]);
    let Layout { rows_by_own, rows, row_length } = info.layout;
    if version >= ROW_NAMES_VERSION {
        header.push(u8::from(rows_by_own));
    }
    let classes = [counts.classes, counts.wins, counts.draws, counts.losses];
    for number in [rows, row_length].into_iter().chain(classes) {
        header.extend(number.to_le_bytes());
    }
    for plies in [counts.max_win_plies, counts.max_loss_plies] {
        header.extend(plies.unwrap_or(NO_DEPTH).to_le_bytes());
    }
    header.extend((counts.histogram.len() as u64).to_le_bytes());
    for classes in &counts.histogram {
        header.extend(classes.to_le_bytes());
    }
}

impl Metric {
    fn number(self) -> u8 {
        match self {
            Metric::Depth => 0,
            Metric::Outcome => 1,
            Metric::Conversion => 2,
        }
    }

    fn of(number: u8) -> Result<Metric, FormatError> {
        match number {
            0 => Ok(Metric::Depth),
            1 => Ok(Metric::Outcome),
            2 => Ok(Metric::Conversion),
            other => Err(field(
                "metric",
                "0 (depth to win), 1 (outcome) or 2 (depth to conversion)",
                other,
            )),
        }
    }
}

impl Width {
    fn number(self) -> u8 {
        match self {
            Width::Packed => 0,
            Width::One => 1,
            Width::Two => 2,
        }
    }

    /// The first format version that knows of it.
    fn version(self) -> u32 {
        match self {
            Width::Packed => 2,
            Width::One | Width::Two => 1,
        }
    }

    fn decode(number: u8, version: u32, metric: Metric) -> Result<Width, FormatError> {
        match (number, version, metric) {
            (1, _, _) => Ok(Width::One),
            (2, _, _) => Ok(Width::Two),
            (0, 2.., Metric::Outcome) => Ok(Width::Packed),
            (0, 2.., Metric::Depth) => Err(field("code width", "1 or 2 with depths", number)),
            (_, 2.., _) => Err(field("code width", "0, 1 or 2", number)),
            _ => Err(field("code width", "1 or 2 in version 1", number)),
        }
    }
}

fn field(name: &'static str, expected: &'static str, found: impl ToString) -> FormatError {
    FormatError::Field { field: name, expected, found: found.to_string() }
}

/// Takes fields off the front of some bytes.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], FormatError> {
        let cut_short = FormatError::HeaderCutShort { length: self.bytes.len() };
        let taken = self.bytes[self.at..].get(..length).ok_or(cut_short)?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        Ok(self.take(N)?.try_into().expect("as many bytes as asked for"))
    }

    fn u8(&mut self) -> Result<u8, FormatError> {
        self.array().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, FormatError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, FormatError> {
        self.array().map(u64::from_le_bytes)
    }

    fn u64s(&mut self, count: u64) -> Result<Vec<u64>, FormatError> {
        let bytes = count.checked_mul(8).and_then(|bytes| usize::try_from(bytes).ok());
        // More than memory could hold is more than there is.
        let bytes = self.take(bytes.unwrap_or(usize::MAX))?;
        let number = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        Ok(bytes.chunks_exact(8).map(number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(own: u8, enemy: u8) -> Table {
        Table { own, enemy, own_hand: 0, enemy_hand: 1 }
    }

    fn example() -> Header {
        let counts = Counts::of_histogram(vec![3, 5, 0, 2, 1, 0], 4);
        let info = |table| TableInfo {
            table,
            layout: Layout { rows_by_own: false, rows: 3, row_length: 5 },
            counts: counts.clone(),
        };
        let frame = |offset, length| Frame { offset, length, checksum: xxh3_64(b"") };
        Header {
            fingerprint: 7,
            rules: "six+men=4".to_string(),
            metric: Metric::Depth,
            width: Width::Two,
            frame_bytes: 20,
            tables: vec![info(table(3, 2)), info(table(3, 2).twin())],
            frames: vec![frame(40, 3), frame(43, 4), frame(47, 0), frame(47, 2)],
        }
    }

    fn file_of(header: &Header) -> Vec<u8> {
        let (prefix, body) = header.encode(49);
        [&prefix[..], &[9; 9], &body].concat()
    }

    /// Decodes and, where that succeeds, reads every frame: must return for any bytes.
    fn read_everything(file: &[u8]) {
        let Ok(header) = Header::decode(file) else { return };
        for table in 0..header.tables.len() {
            for number in header.frames_of(table) {
                let _ = read_frame(file, &header, number, &mut vec![0; header.frame_bytes]);
            }
        }
    }

    /// Makes a changed file's checksum right, so that the checks behind it are reached.
    fn mend_checksum(file: &mut [u8]) {
        let body = file[49..].to_vec();
        let sum = header_checksum(file, &body);
        file[PREFIX_SUMMED..PREFIX_BYTES].copy_from_slice(&sum.to_le_bytes());
    }

    #[test]
    fn test_a_header_is_read_as_written() {
        let header = example();
        assert_eq!(Header::decode(&file_of(&header)), Ok(header.clone()));
        assert_eq!((header.frames_of(0), header.frames_of(1)), (0..2, 2..4));
        assert_eq!(header.raw_bytes(1), 30);
    }

    #[test]
    fn test_counts_follow_from_the_histogram() {
        let counts = Counts::of_histogram(vec![3, 5, 0, 2, 1, 0], 4);
        assert_eq!((counts.classes, counts.wins, counts.losses), (15, 7, 4));
        assert_eq!((counts.max_win_plies, counts.max_loss_plies), (Some(3), Some(4)));
        assert_eq!(counts.histogram.len(), 5);
        let none = Counts::of_histogram(Vec::new(), 4);
        assert_eq!(none, Counts::of_outcomes(0, 4, 0));
    }

    #[test]
    fn test_every_truncation_and_every_changed_header_byte_is_refused() {
        let file = file_of(&example());
        for length in 0..file.len() {
            assert!(Header::decode(&file[..length]).is_err(), "{length}");
        }
        for at in (0..PREFIX_BYTES).chain(49..file.len()) {
            let mut changed = file.clone();
            changed[at] ^= 0x40;
            assert!(Header::decode(&changed).is_err(), "{at}");
        }
        assert!(Header::decode(&[file, vec![0]].concat()).is_err());
    }

    #[test]
    fn test_foreign_files_and_versions_are_named() {
        let magic = |bytes: &[u8]| matches!(Header::decode(bytes), Err(FormatError::Magic { .. }));
        assert!(magic(b"") && magic(b"MEREL") && magic(&[0; 64]) && magic(b"MERELS\n\n1234567890"));
        let mut newer = file_of(&example());
        for found in [0, 4] {
            newer[8] = found;
            let version = FormatError::Version { newest: 3, found: u32::from(found) };
            assert_eq!(Header::decode(&newer), Err(version));
        }
    }

    /// The example as packed outcomes: 15 slots in 5 bytes, at 3 bytes a frame.
    fn packed_example() -> Header {
        let mut header = example();
        (header.metric, header.width, header.frame_bytes) = (Metric::Outcome, Width::Packed, 3);
        for info in &mut header.tables {
            info.counts = Counts::of_outcomes(7, 4, 4);
        }
        header
    }

    #[test]
    fn test_packed_outcomes_are_of_version_2_and_the_rest_of_version_1() {
        let header = packed_example();
        let file = file_of(&header);
        assert_eq!(Header::decode(&file), Ok(header.clone()));
        assert_eq!((header.raw_bytes(1), header.code_bytes(1), header.frame_codes()), (5, 15, 9));
        assert_eq!((file[8], file_of(&example())[8]), (2, 1));
    }

    #[test]
    fn test_rows_named_by_the_mover_are_of_version_3() {
        for mut header in [example(), packed_example()] {
            header.tables[1].layout.rows_by_own = true;
            let mut file = file_of(&header);
            assert_eq!(file[8], 3);
            assert_eq!(Header::decode(&file), Ok(header.clone()));
            // The player is behind the numbers of men.
            file[49 + 9 + 9 + 3 + 4 + 4] = 2;
            mend_checksum(&mut file);
            let text = Header::decode(&file).unwrap_err().to_string();
            let expected = "0 (the opponent's) or 1 (the mover's)";
            assert_eq!(text, format!("header field whose rows is 2, expected {expected}"));
        }
    }

    #[test]
    fn test_packed_codes_need_version_2_and_outcomes() {
        let refusal = |header: &Header, at: usize, byte: u8| {
            let mut file = file_of(header);
            file[at] = byte;
            mend_checksum(&mut file);
            Header::decode(&file).unwrap_err().to_string()
        };
        // The metric and the width stand behind the fingerprint and the name.
        let (metric, width) = (49 + 9 + 9, 49 + 9 + 9 + 1);
        let packed = packed_example();
        let text = refusal(&packed, 8, 1);
        assert_eq!(text, "header field code width is 0, expected 1 or 2 in version 1");
        let text = refusal(&packed, metric, 0);
        assert_eq!(text, "header field code width is 0, expected 1 or 2 with depths");
        let text = refusal(&packed, width, 3);
        assert_eq!(text, "header field code width is 3, expected 0, 1 or 2");
    }

    #[test]
    fn test_huge_declared_sizes_are_refused_without_allocating() {
        let file = file_of(&example());
        // The name's length is followed by 9 + 3 + 4 bytes, then the first table's record.
        let record = 49 + 9 + 9 + 3 + 4;
        for (at, name) in [(4, "rows"), (12, "row length"), (60, "histogram")] {
            for huge in [u64::MAX, u64::MAX / 8, 1 << 61, 1 << 40] {
                let mut changed = file.clone();
                changed[record + at..][..8].copy_from_slice(&huge.to_le_bytes());
                mend_checksum(&mut changed);
                assert!(Header::decode(&changed).is_err(), "{name} {huge}");
            }
        }
    }

    proptest! {
        #[test]
        fn test_any_bytes_are_read_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            read_everything(&bytes);
            let mut file = [&MAGIC[..], &bytes].concat();
            read_everything(&file);
            file.resize(file.len().max(60), 0);
            let (prefix, _) = example().encode(49);
            file[..PREFIX_SUMMED].copy_from_slice(&prefix[..PREFIX_SUMMED]);
            let length = file.len() as u64 - 49;
            file[24..32].copy_from_slice(&length.to_le_bytes());
            mend_checksum(&mut file);
            read_everything(&file);
        }

        #[test]
        fn test_changed_headers_with_right_checksums_are_read_without_panic(
            changes in proptest::collection::vec((49usize..400, any::<u8>()), 1..6),
        ) {
            let mut by_own = example();
            by_own.tables[0].layout.rows_by_own = true;
            for header in [example(), packed_example(), by_own] {
                let mut file = file_of(&header);
                for &(at, byte) in &changes {
                    let at = 49 + (at - 49) % (file.len() - 49);
                    file[at] = byte;
                }
                mend_checksum(&mut file);
                read_everything(&file);
            }
        }
    }
}
