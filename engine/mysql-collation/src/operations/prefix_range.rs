//! The range of sort keys of the strings that begin with given characters, as `LIKE 'prefix%'`
//! selects them.
//!
//! The key of a prefix is not a prefix of the keys: under PAD SPACE, it ends with a mark; with
//! several levels, the weights of the second level follow; and the last characters can contract
//! with the characters after them. Only the weights of the primary level bound a range, up to the
//! first character that may begin a contraction:
//!
//! ```text
//! prefix       weights of the range
//! hra%         h r a, and anything after them
//! hrac% Czech  h r a, and from c to ch after them
//! a   % PAD    a, and a run of spaces: a mark (the weight below a space), or a space
//! ```

use alloc::vec;
use alloc::vec::Vec;

use super::padding::{Marker, Weight};
use crate::charset::Encoding;
use crate::dispatch::{CharacterKind, Descriptor, Kind, Operation};
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, LevelWeights, TextWeights};

/// First key of a range, and the first key after it; `None` if the range has no end.
pub(crate) type Bounds = (Vec<u8>, Option<Vec<u8>>);

/// Finds the bounds of the keys of strings whose first characters match `characters` in `LIKE`.
pub(crate) struct PrefixRange<'t> {
    pub descriptor: &'static Descriptor,
    pub characters: &'t [&'t [u8]],
}

impl Operation for PrefixRange<'_> {
    type Output = Bounds;

    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) -> Bounds {
        let all = self.characters.iter().copied().flatten().map(|&byte| weights.weight(byte)).collect();
        bounds(padded.then(|| weights.weight(b' ')), all, None)
    }

    fn code_points<E: Encoding>(self, _: E, padded: bool) -> Bounds {
        let well_formed = self.characters.iter().take_while(|character| self.is_well_formed(character));
        let all = well_formed.copied().flatten().copied().collect();
        bounds(padded.then_some(b' '), all, None)
    }

    /// Returns the range of all keys: keys in several passes, or with moved characters, have no
    /// common beginning.
    fn text_weights(self, _: &'static TextWeights, _: bool) -> Bounds {
        (Vec::new(), None)
    }

    fn levels<L: LevelWeights>(self, mut levels: impl Iterator<Item = L> + Clone) -> Bounds {
        let Some(level) = levels.next() else { return (Vec::new(), None) };
        let mut weights = Vec::new();
        for (index, character) in self.characters.iter().enumerate() {
            if !self.is_well_formed(character) {
                break;
            }
            let own = primary(level, character);
            let others = self.other_weights(level, index, &own);
            if !others.is_empty() {
                let all = others.into_iter().chain([own.first().copied()]).collect();
                return bounds(level.pad(), weights, Some(all));
            }
            weights.extend(own);
        }
        bounds(level.pad(), weights, None)
    }
}

/// Returns the weights of one character at a level.
fn primary<L: LevelWeights>(level: L, character: &[u8]) -> Vec<u16> {
    let mut out = [0; LONGEST];
    let next = level.next(character, 0, &mut out);
    out[..next.weights].to_vec()
}

impl PrefixRange<'_> {
    fn is_well_formed(&self, character: &[u8]) -> bool {
        self.descriptor.codec.length(self.descriptor.info.flavour, character) == Some(character.len())
    }

    /// Returns the first weights that a string can have, instead of `own`, where it matches the
    /// character at `index`. An item is `None` for a contraction without weights.
    fn other_weights<L: LevelWeights>(&self, level: L, index: usize, own: &[u16]) -> Vec<Option<u16>> {
        if let Kind::Characters(CharacterKind::Gb18030(table)) = self.descriptor.kind {
            return match *self.characters[index] {
                [byte] if table.has_longer_match(table.single_byte_weight(byte)) => {
                    vec![Some(0x8000 | u16::from(table.single_byte_weight(byte)))]
                }
                ref longer if longer.len() > 1 && table.weight(longer) < 0x100 => {
                    vec![Some((table.weight(longer) as u16) << 8)]
                }
                _ => Vec::new(),
            };
        }
        let contractions = self.descriptor.kind.uca().and_then(|table| Some((table.level(0)?, table.contractions()?)));
        let Some((uca, contractions)) = contractions else { return Vec::new() };
        let weights_of = |code_point: u32| {
            let mut out = [0; LONGEST];
            let count = uca.level.weights(code_point, &mut out);
            out[..count].to_vec()
        };
        let mut last = (0, false);
        let mut all = Vec::new();
        for contraction in contractions.all.all() {
            let [first, rest @ ..] = contraction.code_points() else { continue };
            if last.0 != *first {
                last = (*first, weights_of(*first) == own);
            }
            // Characters of the prefix after this one must match those of the contraction.
            let mut next = self.characters[index + 1..].iter().map(|character| primary(level, character));
            let matches = last.1 && rest.iter().all(|&other| next.next().is_none_or(|next| next == weights_of(other)));
            if matches {
                let mut out = [0; LONGEST];
                let count = contraction.weights(&uca.level, 0, &mut out);
                all.push(out[..count].first().copied());
            }
        }
        all
    }
}

/// Returns the bounds of keys that begin with these weights. `next` are the possible weights after
/// them, if not all are possible.
fn bounds<W: Weight>(pad: Option<W>, mut weights: Vec<W>, next: Option<Vec<Option<W>>>) -> Bounds {
    let mut key = Vec::new();
    let mut put = |bytes: &[u8]| key.extend_from_slice(bytes);
    let mut next: Option<Vec<W>> = next.and_then(|all| all.into_iter().collect());
    let Some(space) = pad else {
        weights.iter().for_each(|weight| weight.put_to(&mut put));
        return between(key, next.map(|all| (all.iter().min().copied(), all.iter().max().copied())));
    };
    // How spaces at the end are written depends on the weight after them.
    let kept = weights.iter().rposition(|&weight| weight != space).map_or(0, |last| last + 1);
    if kept < weights.len() {
        weights.truncate(kept);
        next = Some(vec![space]);
    }
    let mut marker = Marker::new(space);
    weights.iter().for_each(|&weight| marker.put(weight, &mut put));
    let least = |weight: W| if weight == space { space.below() } else { weight };
    between(key, next.map(|all| (all.iter().copied().map(least).min(), all.iter().max().copied())))
}

/// Returns the bounds of keys that begin with `key` and a weight from the first of `next` to the
/// second.
fn between<W: Weight>(key: Vec<u8>, next: Option<(Option<W>, Option<W>)>) -> Bounds {
    let (mut start, mut last) = (key.clone(), key);
    if let Some((Some(least), Some(greatest))) = next {
        least.put_to(&mut |bytes| start.extend_from_slice(bytes));
        greatest.put_to(&mut |bytes| last.extend_from_slice(bytes));
    }
    (start, after_all(last))
}

/// Returns the least byte string that is greater than all with the prefix `bytes`; `None` if
/// `bytes` has only FF.
fn after_all(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if let Some(next) = last.checked_add(1) {
            bytes.push(next);
            return Some(bytes);
        }
    }
    None
}
