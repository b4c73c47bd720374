//! Collations whose weights are of a whole text, not of one character after the other: Czech in several passes, and Thai, whose vowels and
//! tone marks change places. A text is turned into a key, and keys compare bytewise.
//!
//! What the rules below say was learnt from what MySQL 9.7.4 and MariaDB 11.8.6 answer to `WEIGHT_STRING` and `STRCMP` for every byte, every
//! pair of bytes, and random strings; both answer the same, but for `\0` in Thai.

use alloc::vec::Vec;

use crate::bytes::ITSELF;
use crate::descriptor::same;
use crate::table::ByteOrder;
use crate::{Flavour, Pad};

/// Such a collation.
pub(crate) enum Whole {
    /// `latin2_czech_cs`: four passes. A weight of 0 is none.
    Words { weights: Passes<4> },
    /// `cp1250_czech_cs`: two passes.
    Passes { weights: Passes<2> },
    /// `tis620_thai_ci`; `tis620_thai_nopad_ci`, whose keys end at the first zero.
    Thai { weights: &'static [u8; 256], like: &'static ByteOrder, ends_at_zero: bool },
}

/// The weights of bytes, and of `ch`, in each pass.
pub(crate) struct Passes<const COUNT: usize> {
    bytes: &'static [[u8; COUNT]; 256],
    sequences: &'static [[u8; COUNT]; SEQUENCES.len()],
}

/// The contractions of Czech; `cH` is none.
const SEQUENCES: [&str; 3] = ["CH", "Ch", "ch"];

static LATIN2_CZECH: Whole = Whole::Words { weights: Passes::of(include_bytes!("../data/legacy/latin2_czech_cs.bin")) };
static CP1250_CZECH: Whole =
    Whole::Passes { weights: Passes::of(include_bytes!("../data/legacy/cp1250_czech_cs.bin")) };
static TIS620_THAI: Whole = tis620_thai(false);
static TIS620_THAI_NOPAD: Whole = tis620_thai(true);

/// The weights of Thai, and what bytes are in `LIKE`.
const THAI: &[[u8; 256]] = include_bytes!("../data/legacy/tis620_thai_ci.bin").as_chunks().0;
static THAI_LIKE: ByteOrder = ByteOrder::of(&THAI[1]);

const fn tis620_thai(ends_at_zero: bool) -> Whole {
    Whole::Thai { weights: &THAI[0], like: &THAI_LIKE, ends_at_zero }
}

/// The collation of this name, without `nopad_`, and padding.
pub(crate) const fn named(name: &[u8], pad: Pad) -> Option<&'static Whole> {
    if same(name, b"latin2_czech_cs") {
        return Some(&LATIN2_CZECH);
    }
    if same(name, b"cp1250_czech_cs") {
        return Some(&CP1250_CZECH);
    }
    match pad {
        _ if !same(name, b"tis620_thai_ci") => None,
        Pad::PadSpace => Some(&TIS620_THAI),
        Pad::NoPad => Some(&TIS620_THAI_NOPAD),
    }
}

impl Whole {
    /// Whether keys count as followed by spaces under PAD SPACE; else the key itself leaves spaces at the end out.
    pub const fn pads(&self) -> bool {
        matches!(self, Self::Thai { .. })
    }

    /// The contractions.
    pub const fn contractions(&self) -> &'static [&'static str] {
        match self {
            Self::Words { .. } | Self::Passes { .. } => &SEQUENCES,
            Self::Thai { .. } => &[],
        }
    }

    /// What a byte is in `LIKE`, which knows neither passes nor places.
    pub const fn like(&self) -> &'static ByteOrder {
        match self {
            Self::Words { .. } | Self::Passes { .. } => &ITSELF,
            Self::Thai { like, .. } => like,
        }
    }

    /// Bytes that compare as texts do.
    pub fn key(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Words { weights } => words(weights, text),
            Self::Passes { weights } => {
                let text = without_spaces(text, b" ");
                let mut key = Vec::with_capacity(2 * text.len() + 1);
                key.extend(weights.pass(text, 0));
                // Less than every weight: the first pass decides before the second.
                key.push(0);
                key.extend(weights.pass(text, 1));
                key
            }
            Self::Thai { weights, ends_at_zero, .. } => {
                let mut key = thai(weights, text);
                let end = key.iter().position(|&byte| *ends_at_zero && byte == 0);
                key.truncate(end.unwrap_or(text.len()));
                key
            }
        }
    }

    /// `WEIGHT_STRING(text)`.
    pub fn weight_string(&self, flavour: Flavour, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Words { .. } => self.key(text),
            Self::Passes { weights } => (0..2).flat_map(|pass| weights.pass(text, pass)).collect(),
            // MySQL answers spaces from the first zero on, but compares what is there.
            Self::Thai { weights, .. } if flavour == Flavour::MySql => {
                let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
                let mut answer = thai(weights, &text[..end]);
                answer.resize(text.len(), b' ');
                answer
            }
            Self::Thai { weights, .. } => thai(weights, text),
        }
    }
}

impl<const COUNT: usize> Passes<COUNT> {
    const fn of(file: &'static [u8]) -> Self {
        let (weights, []) = file.as_chunks::<COUNT>() else { panic!("a weight for each pass") };
        let Some((bytes, rest)) = weights.split_first_chunk() else { panic!("256 bytes") };
        let Some((sequences, [])) = rest.split_first_chunk() else { panic!("three sequences") };
        Self { bytes, sequences }
    }

    /// The weights of a text's characters, `ch` being one, with whether each is a space or tab.
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

    fn pass<'t>(&'t self, text: &'t [u8], pass: usize) -> impl Iterator<Item = u8> + 't {
        self.all(text).map(move |(weights, _)| weights[pass])
    }
}

/// Ends a word that another one follows.
const WORD: u8 = 2;
/// Ends a pass.
const PASS: u8 = 1;
/// Ends the key.
const END: u8 = 0;

/// The key of `latin2_czech_cs`. Letters and accents are compared word by word: the first and the second pass of a word come before the next
/// word. Then come case, and last what is no letter, each over the whole text. Neighbouring spaces and tabs end one word; those at the end
/// of the text don't count. In the last pass each has a weight.
fn words(weights: &Passes<4>, text: &[u8]) -> Vec<u8> {
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
/// Marks above: `็`, the four tone marks, and `์`.
const MARKS: core::ops::RangeInclusive<u8> = 0xE7..=0xEC;
/// By so much a mark weighs less for each consonant, or byte below 80, in front of it.
const PLACE: u8 = 8;

/// The key of `tis620_thai_ci`, as long as the text. A leading vowel changes places with its consonant. A mark's weight, which tells its
/// place, goes to the end; what was behind it moves up. As the servers do it, only the last of several marks is left at the end, and as
/// many bytes of the text as there are others stay twice: `x'41E841E9'` has `x'6161E9EC'`.
fn thai(weights: &[u8; 256], text: &[u8]) -> Vec<u8> {
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
