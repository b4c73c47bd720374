//! Sort keys in memory of the caller, and bounds of their lengths.

use core::fmt;

use super::Collation;
use crate::dispatch::{self, ByteKind, CodePointKind, Kind};
use crate::operations::key_slice::{KeySlice, Slice};
use crate::tables::LONGEST;

/// An error of [`Collation::sort_key_to_slice`]: the slice is shorter than the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceTooShort {
    /// Length of the whole key in bytes.
    pub needed: usize,
}

impl fmt::Display for SliceTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the sort key takes {} bytes", self.needed)
    }
}

impl core::error::Error for SliceTooShort {}

impl Collation {
    /// Writes the sort key for `text` to the start of `out` and returns its length in bytes. The
    /// bytes are those of [`Collation::sort_key`]. After the first use of the collation's tables,
    /// allocates no memory, except under `latin2_czech_cs`, `cp1250_czech_cs`, `tis620_thai_ci`,
    /// `tis620_thai_nopad_ci` and for MySQL's Japanese texts that begin with a sound or iteration
    /// mark.
    ///
    /// # Errors
    /// [`SliceTooShort`] if the key is longer than `out`, which then holds the first bytes of the
    /// key. Two keys compare as these bytes do, if the bytes differ.
    ///
    /// ```
    /// use mysql_collation::mysql::UTF8MB4_0900_AI_CI;
    ///
    /// let mut key = [0; 16];
    /// let length = UTF8MB4_0900_AI_CI.sort_key_to_slice("Zürich".as_bytes(), &mut key)?;
    /// assert_eq!(key[..length], UTF8MB4_0900_AI_CI.sort_key(b"ZURICH"));
    ///
    /// let mut prefix = [0; 4];
    /// let error = UTF8MB4_0900_AI_CI.sort_key_to_slice("Zürich".as_bytes(), &mut prefix).unwrap_err();
    /// assert_eq!((error.needed, &prefix[..]), (length, &key[..4]));
    /// # Ok::<(), mysql_collation::SliceTooShort>(())
    /// ```
    pub fn sort_key_to_slice(&self, text: &[u8], out: &mut [u8]) -> Result<usize, SliceTooShort> {
        let room = out.len();
        let out = Slice { out, length: 0 };
        let needed = dispatch::run(self.descriptor(), KeySlice { text, out });
        if needed <= room { Ok(needed) } else { Err(SliceTooShort { needed }) }
    }

    /// Returns the length in bytes of the sort key for `text`, without building the key.
    pub fn sort_key_len(&self, text: &[u8]) -> usize {
        let out = Slice { out: &mut [], length: 0 };
        dispatch::run(self.descriptor(), KeySlice { text, out })
    }

    /// Returns an upper bound of the length in bytes of sort keys for strings of at most `bytes`
    /// bytes, well-formed or not. Most keys are much shorter: the bound assumes characters with the
    /// most weights. For a column of n characters, `bytes` is n times
    /// [`Charset::max_bytes`](crate::Charset::max_bytes).
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_BIN, UTF8MB4_GENERAL_CI};
    ///
    /// assert_eq!(UTF8MB4_0900_BIN.max_sort_key_len(40), 40);
    /// assert!(UTF8MB4_GENERAL_CI.max_sort_key_len(40) >= UTF8MB4_GENERAL_CI.sort_key(&[b' '; 40]).len());
    /// ```
    pub fn max_sort_key_len(&self, bytes: usize) -> usize {
        let descriptor = self.descriptor();
        let in_bytes = |weights: usize, level: usize| {
            if descriptor.pads(level) { padded_bytes(weights) } else { weights }
        };
        let in_pairs = |weights: usize, level: usize| {
            if descriptor.pads(level) { padded_pairs(weights) } else { weights.saturating_mul(2) }
        };
        match descriptor.kind {
            Kind::Bytes(ByteKind::Identity | ByteKind::Table(_)) => in_bytes(bytes, 0),
            Kind::Bytes(ByteKind::Expansions(_)) => in_pairs(bytes.saturating_mul(2), 0),
            // Thai keys are not longer than the text. The Czech keys have up to four passes, an end
            // of each, and three ends for each word.
            Kind::Bytes(ByteKind::Text(weights)) if weights.pads() => in_bytes(bytes, 0),
            Kind::Bytes(ByteKind::Text(_)) => bytes.saturating_mul(6).saturating_add(6),
            // An ill-formed byte takes two bytes.
            Kind::Utf8(code_points) if matches!(code_points.kind, CodePointKind::Numbers(_)) => {
                in_bytes(bytes.saturating_mul(2), 0)
            }
            // A character of several bytes, or an ill-formed byte, has up to two weights.
            Kind::Characters(_) => in_pairs(bytes.saturating_mul(2), 0),
            kind => match kind.uca() {
                // An ill-formed byte, or a code point from U+FFFF on, has up to three weights.
                None => in_pairs(bytes.saturating_mul(3), 0),
                Some(_) => {
                    let weights = bytes.saturating_mul(self.max_weights_per_byte());
                    let levels = self.info().levels.iter();
                    // Two bytes separate levels.
                    levels.fold(0, |sum: usize, level| sum.saturating_add(in_pairs(weights, level)).saturating_add(2))
                }
            },
        }
    }

    /// Returns an upper bound of the number of weights per byte of text in UCA collations, at one
    /// level.
    fn max_weights_per_byte(self) -> usize {
        match self.descriptor().charset.min_bytes() {
            1 => LONGEST.div_ceil(2),
            bytes => LONGEST.div_ceil(bytes),
        }
    }
}

/// Maximum length of a padded level of this many weights of one byte. Marks replace some weights:
/// of a space before a lesser weight, three bytes; of the weight just below a space's, two bytes. A
/// level is longest if these two alternate.
const fn padded_bytes(weights: usize) -> usize {
    weights.saturating_add(weights.saturating_mul(3).div_ceil(2)).saturating_add(2)
}

/// Maximum length of a padded level of this many weights of two bytes. As in [`padded_bytes`], with
/// marks of four and three bytes.
const fn padded_pairs(weights: usize) -> usize {
    weights.saturating_mul(7).div_ceil(2).saturating_add(3)
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::{Flavour, catalogue};
    use crate::charset::Charset;

    fn all() -> impl Iterator<Item = Collation> {
        let infos = Flavour::ALL.into_iter().flat_map(catalogue);
        infos.filter_map(|info| Collation::by_id(info.flavour, info.id).ok())
    }

    fn check(collation: Collation, text: &[u8]) {
        let key = collation.sort_key(text);
        assert_eq!(collation.sort_key_len(text), key.len(), "{collation}: {text:x?}");
        assert!(key.len() <= collation.max_sort_key_len(text.len()), "{collation}: {text:x?}");
        let mut whole = vec![0xA5; key.len() + 1];
        assert_eq!(collation.sort_key_to_slice(text, &mut whole), Ok(key.len()));
        assert_eq!(whole[..key.len()], key, "{collation}: {text:x?}");
        let mut part = vec![0xA5; key.len() / 2];
        let written = collation.sort_key_to_slice(text, &mut part);
        if part.len() < key.len() {
            assert_eq!(written, Err(SliceTooShort { needed: key.len() }));
        }
        assert_eq!(part, key[..part.len()], "{collation}: {text:x?}");
    }

    /// Characters up to U+2FFFF, each alone, in a sample of the collations: all characters under
    /// UCA collations, every 13th under others.
    #[test]
    fn characters_are_within_the_bound() {
        let is_sampled =
            |collation: &Collation| collation.charset() != Charset::Utf8mb3 && collation.id().is_multiple_of(11);
        for collation in all().filter(is_sampled) {
            let step = if collation.descriptor().kind.uca().is_some() { 1 } else { 13 };
            for character in ('\0'..=char::MAX).step_by(step).take_while(|&character| character < '\u{30000}') {
                let mut buffer = [0; 4];
                let Some(length) = collation.charset().encode(character, &mut buffer) else { continue };
                let text = &buffer[..length];
                assert!(
                    collation.sort_key_len(text) <= collation.max_sort_key_len(length),
                    "{collation} {character:?}"
                );
            }
        }
    }

    #[test]
    fn contractions_are_within_the_bound() {
        for collation in all() {
            for sequence in collation.contractions() {
                let text = Charset::Utf8mb4.convert(sequence.as_bytes(), collation.charset(), Flavour::MySql).bytes;
                assert!(collation.sort_key_len(&text) <= collation.max_sort_key_len(text.len()), "{collation}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn keys_in_slices_equal_keys(
            pieces in proptest::collection::vec(prop_oneof![
                3 => "[ -~\t\u{1f}\u{1}\0]{0,8}".prop_map(String::into_bytes),
                3 => "( |\t|\u{1f}|\u{a0}){0,6}".prop_map(String::into_bytes),
                2 => ".{0,5}".prop_map(String::into_bytes),
                1 => (200..300usize).prop_map(|count| vec![b' '; count]),
                1 => "[ーカキヽゝ]{0,3}".prop_map(String::into_bytes),
                1 => proptest::collection::vec(any::<u8>(), 0..6),
            ], 0..6),
        ) {
            let text: Vec<u8> = pieces.concat();
            all().filter(|collation| collation.id() % 3 == 0).for_each(|collation| check(collation, &text));
        }
    }
}
