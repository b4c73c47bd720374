//! Collations that weigh a whole text instead of single characters. Czech compares in several
//! passes; Thai moves vowels and tone marks. A text is converted into a key, and keys compare
//! bytewise.
//!
//! The rules come from what MySQL 9.7.4 and MariaDB 11.8.6 return for `WEIGHT_STRING` and `STRCMP`
//! of every byte, every pair of bytes, and random strings. Both servers return the same, except for
//! `\0` in Thai.

use alloc::vec::Vec;

use super::bytes::IDENTITY;
use crate::catalogue::{Flavour, Pad};
use crate::const_bytes::equal;
use crate::simd::ByteTable;

/// The weights of a collation that weighs whole texts.
pub(crate) enum TextWeights {
    /// `latin2_czech_cs`: four passes. A weight of 0 means no weight.
    Words { weights: Passes<4> },
    /// `cp1250_czech_cs`: two passes.
    Passes { weights: Passes<2> },
    /// `tis620_thai_ci` and `tis620_thai_nopad_ci`. Under NO PAD, a key ends at the first zero.
    Thai { weights: &'static [u8; 256], like: &'static ByteTable, ends_at_zero: bool },
}

/// The weights of bytes and contractions in each pass.
pub(crate) struct Passes<const COUNT: usize> {
    bytes: &'static [[u8; COUNT]; 256],
    sequences: &'static [[u8; COUNT]; SEQUENCES.len()],
}

/// The contractions of Czech. `cH` is not a contraction.
const SEQUENCES: [&str; 3] = ["CH", "Ch", "ch"];

static LATIN2_CZECH: TextWeights =
    TextWeights::Words { weights: Passes::new(include_bytes!("../../data/legacy/latin2_czech_cs.bin")) };
/// The weights of `latin2_czech_cs` in `LOCATE`: for each byte, the first byte that it matches. The
/// same on MySQL 5.6.24, 5.7.22, 8.0.12 and 9.7.4, and on MariaDB 10.11.18 and 11.8.9.
static LATIN2_CZECH_LOCATE: ByteTable = ByteTable::new(
    b"\
      \x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14\x15\
      \x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2A\x2B\
      \x2C\x2D\x2E\x2F\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3A\x3B\x3C\x3D\x3E\x3F\x40\x41\
      \x42\x43\x44\x45\x46\x47\x48\x49\x4A\x4B\x4C\x4D\x4E\x4F\x50\x51\x52\x53\x54\x55\x56\x57\
      \x58\x59\x5A\x5B\x5C\x5D\x5E\x5F\x60\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4A\x4B\x4C\x4D\
      \x4E\x4F\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5A\x7B\x7C\x7D\x7E\x00\x01\x02\x03\x04\
      \x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\
      \x1B\x1C\x1D\x1E\x1F\x9F\xA0\x9F\xA2\x9F\xA4\xA5\x9F\x9F\x9F\xA9\xAA\xAB\xAC\x9F\xAE\xAF\
      \x9F\xA0\x9F\xA2\x9F\xA4\xA5\x9F\x9F\xA9\xAA\xAB\xAC\x9F\xAE\xAF\xC0\xC1\xC2\xC3\xC4\xC5\
      \xC6\xC7\xC8\xC9\xCA\xCB\xCC\xCD\xCE\xCF\x9F\xD1\xD2\xD3\xD4\xD5\xD6\x9F\xD8\xD9\xDA\xDB\
      \xDC\xDD\xDE\x9F\xC0\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\xCA\xCB\xCC\xCD\xEE\xCF\x9F\xD1\
      \xD2\xD3\xD4\xD5\xD6\x9F\xD8\xD9\xDA\xDB\xDC\xDD\xDE\x9F",
);
static CP1250_CZECH: TextWeights =
    TextWeights::Passes { weights: Passes::new(include_bytes!("../../data/legacy/cp1250_czech_cs.bin")) };
static TIS620_THAI: TextWeights = tis620_thai(false);
static TIS620_THAI_NOPAD: TextWeights = tis620_thai(true);

/// The weights of Thai, then the weights of bytes in `LIKE`.
const THAI: &[[u8; 256]] = include_bytes!("../../data/legacy/tis620_thai_ci.bin").as_chunks().0;
static THAI_LIKE: ByteTable = ByteTable::new(&THAI[1]);

const fn tis620_thai(ends_at_zero: bool) -> TextWeights {
    TextWeights::Thai { weights: &THAI[0], like: &THAI_LIKE, ends_at_zero }
}

/// Finds the weights by a collation's padding and its name without `nopad_`; `None` for any other
/// collation.
pub(crate) const fn by_name(name: &[u8], pad: Pad) -> Option<&'static TextWeights> {
    if equal(name, b"latin2_czech_cs") {
        return Some(&LATIN2_CZECH);
    }
    if equal(name, b"cp1250_czech_cs") {
        return Some(&CP1250_CZECH);
    }
    match pad {
        _ if !equal(name, b"tis620_thai_ci") => None,
        Pad::PadSpace => Some(&TIS620_THAI),
        Pad::NoPad => Some(&TIS620_THAI_NOPAD),
    }
}

impl TextWeights {
    /// Returns `true` if keys compare as if followed by spaces under PAD SPACE. Otherwise the key
    /// omits trailing spaces.
    pub const fn pads(&self) -> bool {
        matches!(self, Self::Thai { .. })
    }

    pub const fn contractions(&self) -> &'static [&'static str] {
        match self {
            Self::Words { .. } | Self::Passes { .. } => &SEQUENCES,
            Self::Thai { .. } => &[],
        }
    }

    /// Returns the weights of bytes in `LIKE`, which knows neither passes nor moved characters.
    pub const fn like(&self) -> &'static ByteTable {
        match self {
            Self::Words { .. } | Self::Passes { .. } => &IDENTITY,
            Self::Thai { like, .. } => like,
        }
    }

    /// Returns the weights of bytes in `LOCATE`.
    pub const fn locate(&self) -> &'static ByteTable {
        match self {
            Self::Words { .. } => &LATIN2_CZECH_LOCATE,
            Self::Passes { .. } | Self::Thai { .. } => self.like(),
        }
    }

    /// Returns a key. Keys compare bytewise as texts compare (those of Thai as if followed by
    /// spaces under PAD SPACE).
    pub fn key(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Words { weights } => key_with_words(weights, text),
            Self::Passes { weights } => {
                let text = without_spaces(text, b" ");
                let mut key = Vec::with_capacity(2 * text.len() + 1);
                key.extend(weights.of_pass(text, 0));
                // 0 is less than every weight, so the first pass decides before the second.
                key.push(0);
                key.extend(weights.of_pass(text, 1));
                key
            }
            Self::Thai { weights, ends_at_zero, .. } => {
                let mut key = thai_weights(weights, text);
                let end = key.iter().position(|&byte| *ends_at_zero && byte == 0);
                key.truncate(end.unwrap_or(text.len()));
                key
            }
        }
    }

    pub fn weight_string(&self, flavour: Flavour, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Words { .. } => self.key(text),
            Self::Passes { weights } => (0..2).flat_map(|pass| weights.of_pass(text, pass)).collect(),
            // MySQL's WEIGHT_STRING has spaces from the first zero on, but comparisons use the text
            // after the zero.
            Self::Thai { weights, .. } if flavour == Flavour::MySql => {
                let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
                let mut answer = thai_weights(weights, &text[..end]);
                answer.resize(text.len(), b' ');
                answer
            }
            Self::Thai { weights, .. } => thai_weights(weights, text),
        }
    }
}

impl<const COUNT: usize> Passes<COUNT> {
    const fn new(file: &'static [u8]) -> Self {
        let (weights, []) = file.as_chunks::<COUNT>() else { panic!("a weight for each pass") };
        let Some((bytes, rest)) = weights.split_first_chunk() else { panic!("256 bytes") };
        let Some((sequences, [])) = rest.split_first_chunk() else { panic!("three sequences") };
        Self { bytes, sequences }
    }

    /// Iterates over the weights of a text's characters and contractions, each with `true` if it is
    /// a space or tab.
    fn all<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (&'static [u8; COUNT], bool)> + 't {
        let mut rest = text;
        core::iter::from_fn(move || {
            let (&first, after) = rest.split_first()?;
            let sequence = SEQUENCES.iter().position(|sequence| rest.starts_with(sequence.as_bytes()));
            if let Some(index) = sequence {
                rest = rest.get(2..).unwrap_or_default();
                return Some((&self.sequences[index], false));
            }
            rest = after;
            Some((&self.bytes[usize::from(first)], matches!(first, b' ' | b'\t')))
        })
    }

    fn of_pass<'t>(&'t self, text: &'t [u8], pass: usize) -> impl Iterator<Item = u8> + 't {
        self.all(text).map(move |(weights, _)| weights[pass])
    }
}

/// Ends a word, except the last, in passes 1 to 3. Represents a space or tab in pass 4.
const WORD: u8 = 2;
const PASS: u8 = 1;
const END: u8 = 0;

/// Returns the key of `latin2_czech_cs`.
///
/// ```text
/// words but the last:   pass 1 (letters) · WORD · pass 2 (accents) · WORD
/// last word:            pass 1 · PASS · pass 2 · PASS
/// whole text:           pass 3 (case), WORD between words · PASS
///                       pass 4 (non-letters), WORD for each space or tab · END
/// ```
///
/// Adjacent spaces and tabs end a single word. Trailing spaces and tabs are ignored.
fn key_with_words(weights: &Passes<4>, text: &[u8]) -> Vec<u8> {
    let text = without_spaces(text, b" \t");
    let mut key = Vec::with_capacity(4 * text.len() + 6);
    let mut second = Vec::new();
    let mut in_spaces = false;
    for (weights, is_space) in weights.all(text) {
        if is_space && !in_spaces {
            key.push(WORD);
            key.append(&mut second);
            key.push(WORD);
        }
        in_spaces = is_space;
        put(weights[0], &mut key);
        put(weights[1], &mut second);
    }
    key.push(PASS);
    key.append(&mut second);
    key.push(PASS);
    let mut in_spaces = false;
    for (weights, is_space) in weights.all(text) {
        if is_space && !in_spaces {
            key.push(WORD);
        }
        in_spaces = is_space;
        put(weights[2], &mut key);
    }
    key.push(PASS);
    for (weights, is_space) in weights.all(text) {
        put(if is_space { WORD } else { weights[3] }, &mut key);
    }
    key.push(END);
    key
}

fn put(weight: u8, key: &mut Vec<u8>) {
    key.extend((weight != 0).then_some(weight));
}

fn without_spaces<'t>(text: &'t [u8], spaces: &[u8]) -> &'t [u8] {
    let end = text.iter().rposition(|byte| !spaces.contains(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// Thai consonants, `ก` to `ฮ`.
const CONSONANTS: core::ops::RangeInclusive<u8> = 0xA1..=0xCE;
/// Vowels that are written before their consonant, `เ` to `ไ`.
const LEADING_VOWELS: core::ops::RangeInclusive<u8> = 0xE0..=0xE4;
/// Marks above a consonant: `็`, the four tone marks, and `์`.
const MARKS: core::ops::RangeInclusive<u8> = 0xE7..=0xEC;
/// Amount by which each preceding consonant, or byte below 0x80, reduces the weight of a mark. The
/// consonant of a leading vowel does not.
const PLACE: u8 = 8;

/// Returns the key of `tis620_thai_ci`, as long as the text.
///
/// A leading vowel changes places with its consonant. A mark is removed, the bytes after the mark
/// move up, and the weight of the mark replaces the last byte of the key. Each consonant or byte
/// below 0x80 before the mark reduces the weight by [`PLACE`], except the consonant of a leading
/// vowel.
///
/// As in the servers, only the weight of the last mark remains, and the bytes at the end are not
/// cleared. The key of `x'41E841E9'` is `x'6161E9EC'`: `E9` is a leftover, `EC` the weight of the
/// last mark.
fn thai_weights(weights: &[u8; 256], text: &[u8]) -> Vec<u8> {
    let mut key = text.to_vec();
    let (mut at, mut rest, mut place) = (0, text.len(), 0_u8);
    while rest > 0 {
        let byte = key[at];
        match byte {
            0..0x80 => {
                place = place.wrapping_add(PLACE);
                key[at] = weights[usize::from(byte)];
            }
            _ if CONSONANTS.contains(&byte) => place = place.wrapping_add(PLACE),
            _ if LEADING_VOWELS.contains(&byte) && rest > 1 && CONSONANTS.contains(&key[at + 1]) => {
                key.swap(at, at + 1);
                at += 1;
                rest -= 1;
            }
            _ if MARKS.contains(&byte) => {
                key.copy_within(at + 1..at + rest, at);
                if let Some(last) = key.last_mut() {
                    *last = weights[usize::from(byte)].wrapping_sub(place);
                }
                rest -= 1;
                continue;
            }
            _ => {}
        }
        at += 1;
        rest -= 1;
    }
    key
}
