//! Slots whose best known turn may decide them, by the depth of that turn.
//!
//! Removals and placements have worths of many depths; each waits for the wave of its depth. Looking
//! for them in the values would read all values once per depth, so they are sorted beforehand, by
//! bucket. Invariant: the slots of a depth are in increasing order.

use super::counts::count_codes;
use crate::value::{Code, Value};

/// The waiting slots of one bucket, counted from its first slot.
#[derive(Debug)]
pub struct Waiting {
    slots: Vec<u32>,
    /// The depths in increasing order, each with the end of its slots.
    ends: Vec<(u32, usize)>,
}

impl Waiting {
    /// Sorts the slots of a bucket by the depth of their codes; draws and unknowns do not wait.
    pub fn new<C: Code>(values: &[C]) -> Waiting {
        let number = count_codes(values);
        let codes = number.iter().enumerate().filter(|(_, number)| **number > 0);
        let plies = |code: usize| C::of(code as u32).value().and_then(Value::plies);
        let mut depths: Vec<_> = codes.filter_map(|(code, _)| Some((plies(code)?, code))).collect();
        depths.sort_unstable();
        // From here on, where the next slot of a code goes; codes that do not wait go past the end.
        let mut end = 0;
        let mut ends = Vec::with_capacity(depths.len());
        let mut next = vec![usize::MAX; number.len()];
        for (depth, code) in depths {
            next[code] = end;
            end += number[code] as usize;
            ends.push((depth, end));
        }
        let mut slots = vec![0; end];
        for (slot, code) in values.iter().enumerate() {
            let next = &mut next[code.number() as usize];
            if *next != usize::MAX {
                slots[*next] = slot as u32;
                *next += 1;
            }
        }
        Waiting { slots, ends }
    }

    /// The slots that wait for `depth`.
    pub fn at(&self, depth: u32) -> &[u32] {
        match self.ends.binary_search_by_key(&depth, |&(depth, _)| depth) {
            Ok(0) => &self.slots[..self.ends[0].1],
            Ok(run) => &self.slots[self.ends[run - 1].1..self.ends[run].1],
            Err(_) => &[],
        }
    }

    /// The greatest depth waited for.
    pub fn last(&self) -> u32 {
        self.ends.last().map_or(0, |&(depth, _)| depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_slots_are_found_by_depth_in_order() {
        let values: Vec<u8> = [5, 1, 4, 5, 0, 2, 1]
            .map(|plies| match plies {
                0 => u8::DRAW,
                1 => u8::NONE,
                plies => u8::decided(plies),
            })
            .to_vec();
        let waiting = Waiting::new(&values);
        assert_eq!(waiting.at(5), [0, 3]);
        assert_eq!((waiting.at(2), waiting.at(4)), (&[5][..], &[2][..]));
        assert!(waiting.at(3).is_empty() && waiting.at(6).is_empty());
        assert_eq!((waiting.last(), Waiting::new(&[u8::DRAW]).last()), (5, 0));
    }
}
