//! Slots whose best known turn may decide them, by the depth of that turn.
//!
//! Removals and placements have worths of many depths; each waits for the wave of its depth. Looking
//! for them in the values would read all values once per depth, so they are sorted beforehand, by
//! bucket, into one working array per table.
//! Invariant: the slots of a bucket and depth are in increasing order.

use super::array::{Array, Workspace};
use super::counts::count_codes;
use crate::storage::StorageError;
use crate::value::{Code, Value};
use rayon::prelude::*;

/// The waiting slots of a table.
#[derive(Debug)]
pub struct Waiting {
    /// Bucket by bucket, each counted from its bucket's first slot.
    slots: Array<u32>,
    buckets: Vec<Bucket>,
}

/// Where the waiting slots of a bucket are.
#[derive(Debug)]
struct Bucket {
    /// Its first place.
    start: usize,
    /// The depths in increasing order, each with the end of its slots, counted from `start`.
    ends: Vec<(u32, usize)>,
    /// By code, where its first slot goes; codes that do not wait go past the end.
    places: Vec<usize>,
}

impl Waiting {
    /// Sorts the slots of each bucket by the depth of their codes; draws and unknowns do not wait.
    ///
    /// # Errors
    /// As [`Workspace::array`].
    pub fn new<C: Code>(
        values: &[C],
        bucket_slots: usize,
        workspace: &Workspace,
    ) -> Result<Waiting, StorageError> {
        let mut buckets: Vec<Bucket> = values.par_chunks(bucket_slots).map(Bucket::new).collect();
        let mut total = 0;
        for bucket in &mut buckets {
            bucket.start = total;
            total += bucket.len();
        }
        let mut slots = workspace.unset_array::<u32>(total)?;
        let mut parts = Vec::with_capacity(buckets.len());
        let mut rest = &mut slots[..];
        for bucket in &buckets {
            let part;
            (part, rest) = rest.split_at_mut(bucket.len());
            parts.push(part);
        }
        let tasks = buckets.par_iter().zip(values.par_chunks(bucket_slots)).zip(parts);
        tasks.for_each(|((bucket, values), part)| bucket.sort(values, part));
        Ok(Waiting { slots, buckets })
    }

    /// The slots of a bucket that wait for `depth`.
    pub fn at(&self, bucket: usize, depth: u32) -> &[u32] {
        let Bucket { start, ends, .. } = &self.buckets[bucket];
        let slots = &self.slots[*start..];
        match ends.binary_search_by_key(&depth, |&(depth, _)| depth) {
            Ok(0) => &slots[..ends[0].1],
            Ok(run) => &slots[ends[run - 1].1..ends[run].1],
            Err(_) => &[],
        }
    }

    /// The greatest depth waited for.
    pub fn last(&self) -> u32 {
        let last = |bucket: &Bucket| bucket.ends.last().map_or(0, |&(depth, _)| depth);
        self.buckets.iter().map(last).max().unwrap_or(0)
    }
}

impl Bucket {
    /// Counts the slots of a bucket; where they start is not known yet.
    fn new<C: Code>(values: &[C]) -> Bucket {
        let number = count_codes(values);
        let codes = number.iter().enumerate().filter(|(_, number)| **number > 0);
        let plies = |code: usize| C::of(code as u32).value().and_then(Value::plies);
        let mut depths: Vec<_> = codes.filter_map(|(code, _)| Some((plies(code)?, code))).collect();
        depths.sort_unstable();
        let mut end = 0;
        let mut ends = Vec::with_capacity(depths.len());
        let mut places = vec![usize::MAX; number.len()];
        for (depth, code) in depths {
            places[code] = end;
            end += number[code] as usize;
            ends.push((depth, end));
        }
        Bucket { start: 0, ends, places }
    }

    /// Number of waiting slots.
    fn len(&self) -> usize {
        self.ends.last().map_or(0, |&(_, end)| end)
    }

    /// Sorts the slots of the bucket, whose codes are `values`.
    fn sort<C: Code>(&self, values: &[C], slots: &mut [u32]) {
        let mut next = self.places.clone();
        for (slot, code) in values.iter().enumerate() {
            let next = &mut next[code.number() as usize];
            if *next != usize::MAX {
                slots[*next] = slot as u32;
                *next += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_slots_are_found_by_bucket_and_depth_in_order() {
        let values: Vec<u8> = [5, 1, 4, 5, 0, 2, 1]
            .map(|plies| match plies {
                0 => u8::DRAW,
                1 => u8::NONE,
                plies => u8::decided(plies),
            })
            .to_vec();
        let waiting = |values: &[u8]| Waiting::new(values, 4, &Workspace::in_memory()).unwrap();
        let both = waiting(&values);
        assert_eq!((both.at(0, 5), both.at(1, 5)), (&[0, 3][..], &[][..]));
        assert_eq!((both.at(0, 4), both.at(1, 2)), (&[2][..], &[1][..]));
        assert!(both.at(0, 2).is_empty() && both.at(1, 6).is_empty());
        assert_eq!((both.last(), waiting(&[u8::DRAW]).last()), (5, 0));
    }
}
