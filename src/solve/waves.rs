//! The retrograde iteration: waves of rising depth through the one or two tables of a unit.
//!
//! In wave `d` a table learns which positions its twin decided in depth `d - 1`, one quiet move
//! away. Where `d - 1` is even they are lost: whoever can move there wins in `d`. Where it is odd they
//! are won: a quiet move less for those who could move there, and whoever has none left, and no
//! better known turn, loses in `d`. Known turns (removals, placements) decide their slots when the
//! wave of their depth comes. What no wave decides is a draw.
//!
//! A table pulls: its rows are dealt out in *buckets*; one task owns a bucket, sets the bits its
//! twin has sent, updates the bucket's rows, and sends on what it decided. No atomics, and as
//! only sets are passed on, nothing depends on the number of threads. Trap: a position with several
//! slots is sent once for each, and received in each; the bits make one of it.
//! Invariant: a slot is decided once, in the wave of its depth.

use super::address::{Address, images};
use super::array::{Array, Workspace};
use super::bits::{Bits, Job, run};
use super::dense::{Dense, DenseRoom, Wanted};
use super::first_pass::DECIDED;
use super::row::Row;
use super::unit::Step;
use super::update::UpdateRow;
use super::waiting::Waiting;
use crate::index::{Layout, Ranks, Reduction};
use crate::rules::{Mask, Rules, points_of};
use crate::storage::StorageError;
use crate::value::Code;
use rayon::prelude::*;
use std::iter::Sum;
use std::mem;
use std::sync::Mutex;

/// Slots of a bucket, about: its frontier bits stay in the second-level cache.
const BUCKET_SLOTS: usize = 1 << 20;

/// Slots looked up together when they are sent.
const AHEAD: usize = 256;

/// Fewest buckets of a table with enough rows, so that threads find work.
const LEAST_BUCKETS: usize = 32;

/// One table while its unit is solved.
pub struct Side<'a, C> {
    /// Its layout.
    pub layout: Layout<'a>,
    /// Whether its moves may go to any empty point; `None` when it has no moves.
    pub flying: Option<bool>,
    /// Best known worth, in the end the value.
    pub values: Array<C>,
    /// Open quiet moves, or [`DECIDED`].
    pub counts: Array<u8>,
    /// What waits for its wave.
    waiting: Waiting,
    rows_per_bucket: usize,
    /// For rows with much frontier.
    dense: Option<Dense>,
    /// Slots decided by the twin in the last wave, as seen from this table.
    inbox: Inbox,
}

/// By bucket: lists of messages, each a row of the bucket and a rank in it; see [`rank_bits`].
type Inbox = Vec<Vec<Vec<u32>>>;

/// What a thread sends on: messages by bucket of the receiver.
type Outbox = Vec<Vec<u32>>;

/// The low bits of a message that hold the rank; the others hold the row.
fn rank_bits(row_len: usize) -> u32 {
    row_len.next_power_of_two().ilog2()
}

/// Work done by the waves.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaveWork {
    /// Waves, empty ones included, until nothing waits or changes.
    pub waves: u32,
    /// Moves taken back.
    pub edges: u64,
}

/// The depths of a table do not fit its code.
#[derive(Clone, Copy, Debug)]
pub struct Overflow;

impl<'a, C: Code> Side<'a, C> {
    /// A table after its first pass.
    ///
    /// # Errors
    /// As [`Workspace::array`].
    pub fn new(
        layout: Layout<'a>,
        flying: Option<bool>,
        values: Array<C>,
        counts: Array<u8>,
        workspace: &Workspace,
    ) -> Result<Side<'a, C>, StorageError> {
        let by_size = BUCKET_SLOTS / layout.row_len();
        let by_number = layout.rows() / LEAST_BUCKETS;
        // A power of two, like the room for ranks in messages: addresses are split by shifts.
        let rows_per_bucket = 1 << by_size.min(by_number).max(1).ilog2();
        let buckets = layout.rows().div_ceil(rows_per_bucket);
        let waiting = Waiting::new(&values, rows_per_bucket * layout.row_len(), workspace)?;
        let inbox = vec![Vec::new(); buckets];
        let dense = if flying == Some(false) { Dense::new(&layout) } else { None };
        Ok(Side { layout, flying, values, counts, waiting, rows_per_bucket, dense, inbox })
    }
}

/// Runs the waves of a unit of one or two tables to the end, and makes draws of what is left.
///
/// # Errors
/// [`Overflow`] when a depth comes up that the code cannot hold.
pub fn run_waves<C: Code>(
    rules: &Rules,
    sides: &mut [Side<C>],
    progress: &dyn Fn(Step),
) -> Result<WaveWork, Overflow> {
    let last_waiting = sides.iter().map(|side| side.waiting.last()).max().unwrap_or(0);
    let mut work = WaveWork::default();
    for depth in 0.. {
        let (mut outboxes, mut decided) = (Vec::new(), 0);
        for i in 0..sides.len() {
            let twin = sides.len() - 1 - i;
            let receiver = Receiver::new(&sides[i].layout, &sides[twin]);
            let (sent, done) = wave(rules, &mut sides[i], &receiver, depth);
            outboxes.push(sent);
            work.edges += done.edges;
            decided += done.decided;
        }
        work.waves += 1;
        let mut quiet = true;
        for (i, sent) in outboxes.into_iter().enumerate() {
            quiet &= sent.iter().flatten().all(Vec::is_empty);
            let twin = sides.len() - 1 - i;
            sides[twin].receive(sent);
        }
        progress(Step::Wave { depth, decided });
        if quiet && depth >= last_waiting {
            break;
        }
        if depth > C::MOST_PLIES {
            return Err(Overflow);
        }
    }
    for side in sides {
        let pieces = side.values.par_chunks_mut(PIECE).zip(side.counts.par_chunks(PIECE));
        if !pieces.map(|(values, counts)| draw_what_is_open(values, counts)).all(|fits| fits) {
            return Err(Overflow);
        }
    }
    Ok(work)
}

/// Slots that a thread finishes together.
const PIECE: usize = 1 << 16;

/// Makes draws of what no wave has decided; false if one of them is no draw: all quiet moves refuted,
/// and the best known turn a loss deeper than a code can say.
fn draw_what_is_open<C: Code>(values: &mut [C], counts: &[u8]) -> bool {
    let mut fits = true;
    for (value, &count) in values.iter_mut().zip(counts) {
        fits &= (count != 0) | value.is_value();
        *value = if count == DECIDED { *value } else { C::DRAW };
    }
    fits
}

impl<C> Side<'_, C> {
    /// Sorts what threads have sent by bucket.
    fn receive(&mut self, sent: Vec<Outbox>) {
        self.inbox = vec![Vec::new(); self.inbox.len()];
        for outbox in sent {
            for (bucket, slots) in outbox.into_iter().enumerate().filter(|(_, s)| !s.is_empty()) {
                self.inbox[bucket].push(slots);
            }
        }
    }
}

/// How slots decided here are addressed in the table that hears of them.
struct Receiver<'a> {
    address: Address<'a>,
    /// Its rows are the sender's: the same player names them.
    same_rows: bool,
    /// It has moves, hence wants to hear.
    listens: bool,
    /// Logarithm of the rows of a bucket.
    row_bits: u32,
    rank_bits: u32,
    buckets: usize,
}

impl<'a> Receiver<'a> {
    fn new<C>(sender: &Layout, side: &Side<'a, C>) -> Receiver<'a> {
        Receiver {
            address: Address::new(&side.layout),
            same_rows: sender.rows_by_own() != side.layout.rows_by_own(),
            listens: side.flying.is_some(),
            row_bits: side.rows_per_bucket.ilog2(),
            rank_bits: rank_bits(side.layout.row_len()),
            buckets: side.inbox.len(),
        }
    }

    #[inline(always)]
    fn message(&self, row: usize, rank: u32) -> Message {
        let bucket = (row >> self.row_bits) as u32;
        let row = row & ((1 << self.row_bits) - 1);
        Message { bucket, slot: (row as u32) << self.rank_bits | rank }
    }
}

/// A slot as its receiver knows it.
#[derive(Clone, Copy, Default)]
struct Message {
    bucket: u32,
    /// Row of the bucket and rank in it; see [`rank_bits`].
    slot: u32,
}

/// What a wave did in a bucket or a table.
#[derive(Clone, Copy, Default)]
struct Done {
    /// Moves taken back.
    edges: u64,
    /// Slots decided.
    decided: u64,
}

impl Sum for Done {
    fn sum<I: Iterator<Item = Done>>(parts: I) -> Done {
        parts.fold(Done::default(), |a, b| Done {
            edges: a.edges + b.edges,
            decided: a.decided + b.decided,
        })
    }
}

/// One wave through one table: what was decided, as the receiver addresses it.
fn wave<C: Code>(
    rules: &Rules,
    side: &mut Side<C>,
    receiver: &Receiver,
    depth: u32,
) -> (Vec<Outbox>, Done) {
    let Side { layout, flying, values, counts, waiting, rows_per_bucket, dense, inbox } = side;
    let threads = rayon::current_num_threads();
    let outboxes: Vec<Mutex<Outbox>> =
        (0..threads).map(|_| Mutex::new(vec![Vec::new(); receiver.buckets])).collect();
    let per_bucket = *rows_per_bucket * layout.row_len();
    let buckets = (values.par_chunks_mut(per_bucket), counts.par_chunks_mut(per_bucket));
    let tasks = buckets.into_par_iter().zip(inbox.par_iter_mut()).enumerate();
    let done = tasks.map(|(bucket, ((values, counts), received))| {
        // Taken and freed with the bucket: what is sent grows as what was received goes.
        let received = mem::take(received);
        let waiting = waiting.at(bucket, depth);
        if received.is_empty() && waiting.is_empty() {
            return Done::default();
        }
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut outbox = outboxes[thread].lock().expect("no task panicked");
        run(UpdateBucket {
            rules,
            layout,
            flying: *flying,
            dense: dense.as_ref(),
            receiver,
            depth,
            first_row: bucket * *rows_per_bucket,
            values,
            counts,
            waiting,
            received: &received,
            outbox: &mut outbox,
        })
    });
    let done = done.sum();
    let sent = outboxes.into_iter().map(|outbox| outbox.into_inner().expect("no task panicked"));
    (sent.collect(), done)
}

struct UpdateBucket<'a, C> {
    rules: &'a Rules,
    layout: &'a Layout<'a>,
    flying: Option<bool>,
    dense: Option<&'a Dense>,
    receiver: &'a Receiver<'a>,
    depth: u32,
    first_row: usize,
    values: &'a mut [C],
    counts: &'a mut [u8],
    /// Slots that wait for this depth, counted from the bucket's first.
    waiting: &'a [u32],
    received: &'a [Vec<u32>],
    outbox: &'a mut Outbox,
}

impl<C: Code> Job for UpdateBucket<'_, C> {
    type Output = Done;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Done {
        let UpdateBucket { layout, depth, first_row, values, counts, receiver, .. } = self;
        let row_len = layout.row_len();
        let frontier = Frontier::new(values.len() / row_len, row_len, self.received);
        let (flying, dense) = (self.flying, self.dense);
        let mut hearing = Hearing { layout, flying, dense, frontier, room: Room::default() };
        let (mut waiting, mut decided) = (self.waiting, Vec::new());
        let mut done = Done::default();
        let rows = values.chunks_mut(row_len).zip(counts.chunks_mut(row_len));
        for (i, (values, counts)) in rows.enumerate() {
            let first = (i * row_len) as u32;
            let here = waiting.iter().take_while(|&&slot| slot - first < row_len as u32).count();
            let (waiting_here, later) = waiting.split_at(here);
            waiting = later;
            if here == 0 && !hearing.frontier.touched(i) {
                continue;
            }
            let shape = Row::new(self.rules, layout, first_row + i);
            decided.clear();
            let mut row = UpdateRow { depth, values, counts, decided: &mut decided };
            done.edges += hearing.update(bits, i, &shape, &mut row);
            row.decide_waiting(waiting_here.iter().map(|slot| slot - first));
            done.decided += decided.len() as u64;
            if receiver.listens {
                send(bits, layout, first_row + i, &shape, &decided, receiver, self.outbox);
            }
        }
        done
    }
}

/// What a bucket has heard, and how its rows learn of it.
struct Hearing<'a> {
    layout: &'a Layout<'a>,
    flying: Option<bool>,
    dense: Option<&'a Dense>,
    frontier: Frontier,
    room: Room,
}

/// Working memory, kept from row to row.
#[derive(Default)]
struct Room {
    lists: Lists,
    dense: DenseRoom,
}

impl Hearing<'_> {
    /// Takes back the quiet moves to the frontier of the bucket's row number `number`, and tells the row.
    /// Their number.
    #[inline(always)]
    fn update<B: Bits, C: Code>(
        &mut self,
        bits: B,
        number: usize,
        shape: &Row,
        row: &mut UpdateRow<C>,
    ) -> u64 {
        let Hearing { frontier, room: Room { lists, dense: room }, .. } = self;
        if !frontier.touched(number) {
            return 0;
        }
        let wins = row.depth % 2 == 1;
        // Where mills remove nothing, moves that close them are quiet too.
        let lines = if shape.harmless { &[][..] } else { &shape.lines };
        let many = |dense: &&Dense| dense.is_worthwhile(frontier.received(number));
        if let Some(dense) = self.dense.filter(|_| B::BLOCKS_PAY).filter(many) {
            let wanted = if wins { Wanted::Any } else { Wanted::Number };
            let frontier = frontier.row_and_more(number);
            if let Some(edges) = dense.take_back(bits, shape, lines, frontier, wanted, room) {
                match wins {
                    true => row.win_many(bits, room.digits()),
                    false => row.refute_many(bits, room.digits()),
                }
                return edges;
            }
        }
        let owns = self.layout.ranked_sets();
        let flying = self.flying.expect("only a table with moves listens");
        lists.clear();
        frontier.for_row(number, |rank| lists.after.push(owns[rank]));
        lists.take_back(bits, shape, lines, flying);
        lists.rank(bits, self.layout.ranks(), row.counts);
        match wins {
            true => row.win(&lists.ranks),
            false => row.refute(&lists.ranks),
        }
        lists.before.len() as u64
    }
}

/// The slots a bucket has received, as bits by row.
struct Frontier {
    words: Vec<u64>,
    words_per_row: usize,
    /// By row, slots received; some may be the same.
    received: Vec<u32>,
}

impl Frontier {
    fn new(rows: usize, row_len: usize, received: &[Vec<u32>]) -> Frontier {
        let rank_bits = rank_bits(row_len);
        let words_per_row = (1 << rank_bits as usize) / 64 + usize::from(rank_bits < 6);
        let all_words = if received.is_empty() { 0 } else { rows * words_per_row + 1 };
        let mut words = vec![0u64; all_words];
        let mut slots = vec![0; rows];
        for &message in received.iter().flatten() {
            let (row, rank) =
                ((message >> rank_bits) as usize, message as usize & ((1 << rank_bits) - 1));
            words[row * words_per_row + rank / 64] |= 1 << (rank % 64);
            slots[row] += 1;
        }
        Frontier { words, words_per_row, received: slots }
    }

    fn touched(&self, row: usize) -> bool {
        self.received[row] > 0
    }

    fn received(&self, row: usize) -> usize {
        self.received[row] as usize
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.row_and_more(row)[..self.words_per_row]
    }

    /// The bits of a row and one word more. (No row is a power of two long, so the last of its words, of
    /// which there are a power of two, is not full.)
    fn row_and_more(&self, row: usize) -> &[u64] {
        &self.words[row * self.words_per_row..][..self.words_per_row + 1]
    }

    #[inline(always)]
    fn for_row(&self, row: usize, mut visit: impl FnMut(usize)) {
        for (i, &word) in self.row(row).iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(64 * i + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// Lists of a row in one wave; kept from row to row for their memory.
#[derive(Default)]
struct Lists {
    /// Own sets after quiet moves: those of the frontier.
    after: Vec<Mask>,
    /// Own sets from which a quiet move leads to a position decided in the last wave: one per
    /// move.
    before: Vec<Mask>,
    /// Their ranks.
    ranks: Vec<u32>,
}

impl Lists {
    fn clear(&mut self) {
        self.after.clear();
        self.before.clear();
        self.ranks.clear();
    }

    /// Takes back every quiet move that leads to the frontier.
    #[inline(always)]
    fn take_back<B: Bits>(&mut self, bits: B, shape: &Row, lines: &[Mask], flying: bool) {
        if !flying {
            return bits.take_back(&self.after, &shape.pairs, lines, &mut self.before);
        }
        for &after in &self.after {
            let closed = if lines.is_empty() { 0 } else { shape.in_mills(after) };
            for to in points_of(after & !closed) {
                let empty = points_of(shape.all() & !after);
                self.before.extend(empty.map(|from| after ^ (1 << to | 1 << from)));
            }
        }
    }

    /// Ranks the sets before, and has their counts fetched for the update to come.
    #[inline(always)]
    fn rank<B: Bits>(&mut self, bits: B, ranks: &Ranks, counts: &[u8]) {
        self.ranks.resize(self.before.len(), 0);
        for (rank, &own) in self.ranks.iter_mut().zip(&self.before) {
            *rank = ranks.rank(own);
            bits.prefetch(counts, *rank as usize);
        }
    }
}

/// Sends the slots decided in a row to the table whose moves lead there.
///
/// Where a slot goes takes two scattered look-ups, one after the other. Each loop does one of them
/// only, for many slots, so that the look-ups of different slots overlap.
#[inline(always)]
fn send<B: Bits>(
    bits: B,
    layout: &Layout,
    row: usize,
    shape: &Row,
    decided: &[u32],
    receiver: &Receiver,
    outbox: &mut Outbox,
) {
    if receiver.same_rows {
        for &rank in decided {
            let message = receiver.message(row, rank);
            outbox[message.bucket as usize].push(message.slot);
        }
        return;
    }
    let symmetries = layout.geometry().symmetries();
    let images = images(symmetries, shape.set);
    let address = &receiver.address;
    let mut reductions = [Reduction::default(); AHEAD];
    let mut messages = [Message::default(); AHEAD];
    for decided in decided.chunks(AHEAD) {
        for (reduction, &rank) in reductions.iter_mut().zip(decided) {
            let own = bits.spread(layout.ranked_sets()[rank as usize], shape.free);
            *reduction = address.sets().reduce(own);
        }
        for (message, reduction) in messages.iter_mut().zip(&reductions[..decided.len()]) {
            let row = reduction.row();
            let rank = address.rank(bits, row, images[reduction.symmetry()]);
            *message = receiver.message(row, rank);
        }
        for message in &messages[..decided.len()] {
            outbox[message.bucket as usize].push(message.slot);
        }
        for reduction in reductions[..decided.len()].iter().filter(|r| r.is_symmetric()) {
            let (row, enemy) = (reduction.row(), images[reduction.symmetry()]);
            for &symmetry in address.sets().stabiliser(row) {
                let enemy = symmetries[usize::from(symmetry)].apply(enemy);
                let message = receiver.message(row, address.rank(bits, row, enemy));
                outbox[message.bucket as usize].push(message.slot);
            }
        }
    }
}
