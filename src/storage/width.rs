//! How codes lie in a frame: one or two bytes each, or three outcomes to a byte.
//!
//! Outside of files every code has whole bytes. What is packed is expanded on its way out, so that
//! nobody but the reader and the writer of frames knows of it.
//! Invariant: packed outcomes expand to the codes they were; a byte that stands for no three
//! outcomes expands to codes that are no values.

use crate::value::Code;

/// How codes lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Three outcomes to a byte; outside of files a byte each.
    Packed,
    /// A byte each.
    One,
    /// Two bytes each.
    Two,
}

/// Outcomes in a byte. Four would fit, but of three zstd makes 7 % less on nine's large tables: a
/// repetition is found more often where it may begin at every third slot.
const PER_BYTE: usize = 3;
/// Ways to fill a byte: three to the power of [`PER_BYTE`].
const FILLINGS: usize = 27;
/// The codes of the digits: loss, draw, win.
const OUTCOMES: [u8; 3] = [1, 128, 255];
/// By byte: the codes in it.
const EXPANDED: [[u8; PER_BYTE]; 256] = expanded();

const fn expanded() -> [[u8; PER_BYTE]; 256] {
    let mut table = [[0; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < FILLINGS {
        table[byte] = [OUTCOMES[byte % 3], OUTCOMES[byte / 3 % 3], OUTCOMES[byte / 9]];
        byte += 1;
    }
    table
}

impl Width {
    /// The width of codes of a type.
    pub fn of<C: Code>() -> Width {
        if C::WIDTH == u8::WIDTH { Width::One } else { Width::Two }
    }

    /// Bytes of a code outside of files.
    pub fn code_bytes(self) -> usize {
        match self {
            Width::Packed | Width::One => 1,
            Width::Two => 2,
        }
    }

    /// Bytes in a file for so many codes of one table, unless they exceed 64 bits.
    pub(super) fn stored_bytes(self, codes: u64) -> Option<u64> {
        match self {
            Width::Packed => Some(codes.div_ceil(PER_BYTE as u64)),
            Width::One | Width::Two => codes.checked_mul(self.code_bytes() as u64),
        }
    }

    /// Codes in so many bytes of a file.
    pub(super) fn codes_in(self, stored_bytes: usize) -> usize {
        match self {
            Width::Packed => PER_BYTE * stored_bytes,
            Width::One | Width::Two => stored_bytes / self.code_bytes(),
        }
    }

    /// Do so many bytes of a file hold whole codes?
    pub(super) fn divides(self, stored_bytes: usize) -> bool {
        self == Width::Packed || stored_bytes.is_multiple_of(self.code_bytes())
    }

    /// One code of a frame.
    pub(super) fn code(self, stored: &[u8], place: usize) -> u32 {
        let mut code = [0; 2];
        self.expand(stored, place, &mut code[..self.code_bytes()]);
        u32::from(u16::from_le_bytes(code))
    }

    /// Takes codes out of a frame, from a place on, until `codes` is full.
    pub(super) fn expand(self, stored: &[u8], place: usize, codes: &mut [u8]) {
        match self {
            Width::Packed => expand_packed(stored, place, codes),
            Width::One | Width::Two => {
                let first = place * self.code_bytes();
                codes.copy_from_slice(&stored[first..first + codes.len()]);
            }
        }
    }
}

fn expand_packed(stored: &[u8], place: usize, codes: &mut [u8]) {
    let (first, within) = (place / PER_BYTE, place % PER_BYTE);
    let head = ((PER_BYTE - within) % PER_BYTE).min(codes.len());
    let (head, codes) = codes.split_at_mut(head);
    if !head.is_empty() {
        head.copy_from_slice(&EXPANDED[usize::from(stored[first])][within..][..head.len()]);
    }
    let mut bytes = stored[first + usize::from(within > 0)..].iter();
    let mut groups = codes.chunks_exact_mut(PER_BYTE);
    for (group, byte) in groups.by_ref().zip(bytes.by_ref()) {
        group.copy_from_slice(&EXPANDED[usize::from(*byte)]);
    }
    let tail = groups.into_remainder();
    if let Some(byte) = bytes.next() {
        tail.copy_from_slice(&EXPANDED[usize::from(*byte)][..tail.len()]);
    }
}

/// Packs codes, the first one in the lowest digit; digits left over at the end are those of losses.
///
/// # Panics
/// If a code is that of no outcome.
pub(super) fn pack(codes: &[u8], packed: &mut Vec<u8>) {
    let is_outcome =
        |code: &u8| (*code == OUTCOMES[0]) | (*code == OUTCOMES[1]) | (*code == OUTCOMES[2]);
    // Without a way out early this is vector code.
    let are_outcomes = codes.iter().fold(true, |all, code| all & is_outcome(code));
    assert!(are_outcomes, "only outcomes are packed");
    let digit = |code: u8| u8::from(code >= OUTCOMES[1]) + u8::from(code > OUTCOMES[1]);
    let byte = |group: &[u8]| group.iter().rev().fold(0, |byte, &code| 3 * byte + digit(code));
    packed.clear();
    let mut groups = codes.chunks_exact(PER_BYTE);
    packed.extend(groups.by_ref().map(byte));
    packed.extend(codes[codes.len() - groups.remainder().len()..].chunks(PER_BYTE).map(byte));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn test_the_outcomes_are_those_of_the_codes() {
        assert_eq!(OUTCOMES, [u8::loss(0), u8::DRAW, u8::win(1)]);
        let mut packed = Vec::new();
        pack(&[255, 128, 1, 128], &mut packed);
        assert_eq!(packed, [2 + 3, 1]);
    }

    #[test]
    fn test_bytes_that_pack_nothing_are_no_values() {
        for byte in 0..=255 {
            let mut codes = [7; 3];
            Width::Packed.expand(&[byte], 0, &mut codes);
            let values = codes.map(|code| code.value().is_some());
            assert_eq!(values, [usize::from(byte) < FILLINGS; 3], "{byte}");
        }
    }

    #[test]
    #[should_panic(expected = "only outcomes are packed")]
    fn test_depths_are_not_packed() {
        pack(&[u8::DRAW, u8::win(3)], &mut Vec::new());
    }

    proptest! {
        #[test]
        fn test_what_is_packed_expands_to_the_same(
            digits in proptest::collection::vec(0usize..3, 0..40),
            cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        ) {
            let codes: Vec<u8> = digits.iter().map(|&digit| OUTCOMES[digit]).collect();
            let mut packed = Vec::new();
            pack(&codes, &mut packed);
            let stored = Width::Packed.stored_bytes(codes.len() as u64);
            prop_assert_eq!(stored, Some(packed.len() as u64));
            let ends = [cut.0, cut.1].map(|end| end.index(codes.len() + 1));
            let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let mut part = vec![0; to - from];
            Width::Packed.expand(&packed, from, &mut part);
            prop_assert_eq!(&part, &codes[from..to]);
            for (place, &code) in codes.iter().enumerate() {
                prop_assert_eq!(Width::Packed.code(&packed, place), u32::from(code));
            }
        }
    }
}
