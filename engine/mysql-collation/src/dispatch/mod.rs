//! Selects the code that is compiled for the weights of a collation. The kind of weights is
//! branched on once per operation, not once per character.
//!
//! Steps of a comparison:
//! 1. `Collation::compare` (api/collation.rs) finds the first differing byte and calls [`run`].
//! 2. [`run`] selects the weights of each level by the collation's [`Kind`].
//! 3. `Compare::levels` (operations/compare.rs) compares level by level.
//! 4. A [`LevelWeights`] has the weights of a level: `Utf8Level` (weights/utf8.rs) for UTF-8.

mod descriptor;
mod handle;
mod names;

pub(crate) use descriptor::{
    ByteKind, CharacterKind, CodePointKind, CodePoints, Descriptor, Kind, QUATERNARY, constant_by_id, find,
};
pub(crate) use handle::Handle;
pub(crate) use names::mariadb_language;

use core::iter::once;

use crate::charset::{CharacterShape, Encoding, EucJp, Gb18030, MultiByteEncoding, Utf8};
use crate::simd::ShortWeights;
use crate::tables::LEVELS;
use crate::weights::{
    ByteWeights, CharacterLevel, CharacterWeights, CodePointNumbers, ExpandedBytes, FoldedCodePoints, Identity,
    LevelWeights, Mapped, ScalarLevel, SimpleCodePoints, TextWeights, UcaCodePoints, UcaTable, Utf8Level,
};

/// An operation on texts, compiled for each kind of weights. [`run`] calls `bytes`, `code_points`,
/// `text_weights`, `characters` or `levels` once, unless `wrapped_mark` returns a result.
pub(crate) trait Operation: Sized {
    type Output;

    /// Whether texts compare as if followed by spaces under PAD SPACE.
    const PADS: bool = true;

    /// Runs the operation with one weight for each byte. If `padded`, a text compares as if
    /// followed by spaces.
    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) -> Self::Output;

    /// Runs the operation with code points as weights.
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Self::Output;

    /// Runs the operation with weights that depend on the whole text.
    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> Self::Output;

    /// Runs the operation with the weights of each level at which the collation compares.
    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> Self::Output;

    /// Runs the operation with the weights of the characters of a multi-byte character set.
    #[inline(always)]
    fn characters<T: CharacterWeights, S: CharacterShape>(self, level: CharacterLevel<T, S>) -> Self::Output {
        self.levels(once(level))
    }

    /// Runs the operation if a text begins with a mark that is weighed with the text's last
    /// character, such as `ーカ` in MySQL's Japanese collations. Otherwise returns the operation as
    /// `Err`.
    #[inline(always)]
    fn wrapped_mark(self, _descriptor: &'static Descriptor) -> Result<Self::Output, Self> {
        Err(self)
    }

    /// Runs the operation on code points of UTF-8. An implementation can override this method to
    /// move the code into a separate function.
    #[inline(always)]
    fn run_utf8(self, code_points: &'static CodePoints<Utf8>) -> Self::Output {
        run_utf8(code_points, self)
    }

    /// Runs the operation on a collation that [`run`] doesn't pass to [`Operation::run_utf8`]. An
    /// implementation can override this method to move the code into a separate function.
    #[inline(always)]
    fn run_others(self, descriptor: &'static Descriptor) -> Self::Output {
        run_others(descriptor, self)
    }
}

/// Runs an operation with the weights of a collation.
///
/// Code points of UTF-8 have a separate path. On a common path, each call would save the registers
/// that other collations need, and check each text for a wrapped mark (operations/wrapped_mark.rs).
#[inline(always)]
pub(crate) fn run<O: Operation>(descriptor: &'static Descriptor, operation: O) -> O::Output {
    match &descriptor.kind {
        Kind::Utf8(code_points) if !code_points.wraps_first_mark => operation.run_utf8(code_points),
        _ => operation.run_others(descriptor),
    }
}

/// Runs an operation on a collation that weighs bytes, characters, or code points of encodings
/// other than UTF-8, or that wraps the first mark.
#[inline(always)]
pub(crate) fn run_others<O: Operation>(descriptor: &'static Descriptor, operation: O) -> O::Output {
    let padded = O::PADS && descriptor.pads(0);
    let pad = |space: u8| padded.then(|| u16::from_be_bytes([space, 0]));
    match &descriptor.kind {
        Kind::Bytes(ByteKind::Identity) => operation.bytes(Identity, padded),
        Kind::Bytes(ByteKind::Table(table)) => operation.bytes(Mapped(table), padded),
        Kind::Bytes(ByteKind::Expansions(table)) => {
            let pad = padded.then_some(u16::from(table[usize::from(b' ')][0]));
            operation.levels(once(ExpandedBytes { table, pad }))
        }
        Kind::Bytes(ByteKind::Text(weights)) => operation.text_weights(weights, padded),
        Kind::Characters(CharacterKind::Double(table, shape)) => operation.characters(CharacterLevel {
            table: *table,
            shape: *shape,
            pad: pad(table.single_byte_weight(b' ')),
        }),
        Kind::Characters(CharacterKind::EucJp(table)) => operation.characters(CharacterLevel {
            table: *table,
            shape: EucJp,
            pad: pad(table.single_byte_weight(b' ')),
        }),
        Kind::Characters(CharacterKind::Gb18030(table)) => operation.characters(CharacterLevel {
            table: *table,
            shape: Gb18030,
            pad: pad(table.single_byte_weight(b' ')),
        }),
        Kind::Scalars(code_points) => run_other_encodings(code_points, operation),
        Kind::Utf8(code_points) => match operation.wrapped_mark(descriptor) {
            Ok(output) => output,
            Err(operation) => operation.run_utf8(code_points),
        },
    }
}

/// Runs an operation on code points of UTF-8.
#[inline(always)]
pub(crate) fn run_utf8<O: Operation>(code_points: &'static CodePoints<Utf8>, operation: O) -> O::Output {
    let encoding = code_points.encoding;
    let padded = O::PADS && code_points.pads[0];
    match code_points.kind {
        // Compiled separately, without the search for contractions.
        CodePointKind::Uca(table) if table.contractions().is_none() => {
            operation.levels(levels::<O, _, false, _>(code_points, table, move |code_points, short, pad| Utf8Level {
                code_points,
                short,
                pad,
                encoding,
            }))
        }
        CodePointKind::Uca(table) => {
            operation.levels(levels::<O, _, true, _>(code_points, table, move |code_points, short, pad| Utf8Level {
                code_points,
                short,
                pad,
                encoding,
            }))
        }
        CodePointKind::Simple(weights) => {
            let prepared = weights.get();
            let (short, pad) = (&prepared.short, pad(padded, &prepared.short));
            operation.levels(once(Utf8Level { code_points: SimpleCodePoints(prepared), short, pad, encoding }))
        }
        CodePointKind::Folding(weights, _) => {
            let prepared = weights.get();
            let (short, pad) = (&prepared.short, pad(padded, &prepared.short));
            operation.levels(once(Utf8Level { code_points: FoldedCodePoints(prepared), short, pad, encoding }))
        }
        CodePointKind::Numbers(_) => operation.code_points(encoding, padded),
    }
}

/// Runs an operation on code points of UTF-16, UTF-32, UCS-2 and GB 18030.
///
/// Not inlined: [`run_others`] would save the registers of this code for all other kinds, too.
#[inline(never)]
fn run_other_encodings<O: Operation>(code_points: &'static CodePoints<MultiByteEncoding>, operation: O) -> O::Output {
    let encoding = code_points.encoding;
    let padded = O::PADS && code_points.pads[0];
    match code_points.kind {
        CodePointKind::Uca(table) => {
            operation.levels(levels::<O, _, true, _>(code_points, table, move |code_points, short, pad| ScalarLevel {
                code_points,
                short: Some(short),
                pad,
                encoding,
            }))
        }
        CodePointKind::Simple(weights) => {
            let prepared = weights.get();
            let (short, pad) = (Some(&prepared.short), pad(padded, &prepared.short));
            operation.levels(once(ScalarLevel { code_points: SimpleCodePoints(prepared), short, pad, encoding }))
        }
        CodePointKind::Folding(weights, _) => {
            let prepared = weights.get();
            let (short, pad) = (Some(&prepared.short), pad(padded, &prepared.short));
            operation.levels(once(ScalarLevel { code_points: FoldedCodePoints(prepared), short, pad, encoding }))
        }
        CodePointKind::Numbers(_) => {
            let pad = padded.then_some(u16::from(b' '));
            operation.levels(once(ScalarLevel { code_points: CodePointNumbers, short: None, pad, encoding }))
        }
    }
}

/// The weight of a space; `None` if texts are not padded.
fn pad(padded: bool, short: &ShortWeights) -> Option<u16> {
    padded.then_some(short.entry(usize::from(b' ')))
}

/// The levels at which a collation compares, in order. `level` creates each from all weights of the
/// level, the weights below U+0800, and the weight of a space (`None` without padding).
///
/// A single closure keeps a level in registers. Iterator adapters would not be inlined. Bench:
/// `speed`, the last character differs.
#[inline(always)]
fn levels<O: Operation, E, const CONTRACTS: bool, L>(
    code_points: &'static CodePoints<E>,
    table: &'static UcaTable,
    level: impl Fn(UcaCodePoints<CONTRACTS>, &'static ShortWeights, Option<u16>) -> L + Copy,
) -> impl Iterator<Item = L> + Clone {
    let CodePoints { levels, pads, ends_at_errors, .. } = code_points;
    let mut next = 0;
    core::iter::from_fn(move || {
        while next < LEVELS {
            let index = next;
            next += 1;
            if levels.has(index)
                && let Some(weights) = table.level(index)
            {
                let pad = pad(O::PADS && pads[index], &weights.short);
                return Some(level(
                    UcaCodePoints { level: weights, ends_at_errors: *ends_at_errors },
                    &weights.short,
                    pad,
                ));
            }
        }
        None
    })
}
