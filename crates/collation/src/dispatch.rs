//! From a collation to the code that is compiled for its weights: one branch for a whole operation, none for a character.

use crate::bytes::{Bytes, Itself, Ordered};
use crate::descriptor::{Descriptor, Kind};
use crate::encoding::{Encoding, Form};
use crate::source::{Characters, Folded, General, German, Numbers, Scalars, Source, Unicode, Utf8};
use crate::table::{LEVELS, LowOf, Table};
use crate::whole::Whole;

/// Something that is done with a collation's weights.
pub(crate) trait Work {
    type Output;

    /// With a weight for each byte.
    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Self::Output;

    /// With code points.
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Self::Output;

    /// With the weights of whole texts.
    fn whole(self, whole: &'static Whole, padded: bool) -> Self::Output;

    /// With the weights of each level at which the collation compares.
    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) -> Self::Output;
}

/// Does the work with the weights of this collation.
#[inline(always)]
pub(crate) fn with<W: Work>(descriptor: &Descriptor, work: W) -> W::Output {
    dispatch(descriptor, |level| descriptor.pads(level), work)
}

/// Does the work with the weights of this collation, as if it had no padding.
#[inline(always)]
pub(crate) fn unpadded<W: Work>(descriptor: &Descriptor, work: W) -> W::Output {
    dispatch(descriptor, |_| false, work)
}

#[inline(always)]
fn dispatch<W: Work>(descriptor: &Descriptor, pads: impl Fn(usize) -> bool + Copy, work: W) -> W::Output {
    let padded = pads(0);
    match (descriptor.kind, descriptor.form) {
        // No character set of one byte a character has code points for weights.
        (Kind::Bytes, _)
        | (
            Kind::CodePoints(_)
            | Kind::Simple(_)
            | Kind::Folding(..)
            | Kind::Uca(_)
            | Kind::MultiByte(_)
            | Kind::Gb18030(_),
            Form::Bytes,
        )
        | (Kind::MultiByte(_) | Kind::Gb18030(_), Form::Utf8(_)) => work.bytes(Itself, padded),
        (Kind::Whole(whole), _) => work.whole(whole, padded),
        (Kind::Order(order), _) => work.bytes(Ordered(order), padded),
        (Kind::CodePoints(_), Form::Utf8(encoding)) => work.code_points(encoding, padded),
        (Kind::CodePoints(_), Form::Multi(encoding)) => {
            let pad = padded.then_some(u16::from(b' '));
            work.levels(core::iter::once(Scalars { code_points: Numbers, low: None, pad, encoding }))
        }
        (Kind::Expanding(table), _) => {
            let pad = padded.then_some(u16::from(table[usize::from(b' ')][0]));
            work.levels(core::iter::once(German { table, pad }))
        }
        (Kind::MultiByte(table), Form::Multi(encoding)) => {
            let pad = padded.then(|| u16::from_be_bytes([table.single(b' '), 0]));
            work.levels(core::iter::once(Characters { table, encoding, pad }))
        }
        (Kind::Gb18030(table), Form::Multi(encoding)) => {
            let pad = padded.then(|| u16::from_be_bytes([table.single(b' '), 0]));
            work.levels(core::iter::once(Characters { table, encoding, pad }))
        }
        (Kind::Simple(table), Form::Utf8(encoding)) => {
            let table = table.get();
            let low = &table.low;
            work.levels(core::iter::once(Utf8 { code_points: General(table), low, pad: pad(padded, low), encoding }))
        }
        (Kind::Simple(table), Form::Multi(encoding)) => {
            let table = table.get();
            let (low, pad) = (Some(&table.low), pad(padded, &table.low));
            work.levels(core::iter::once(Scalars { code_points: General(table), low, pad, encoding }))
        }
        (Kind::Folding(table, _), Form::Utf8(encoding)) => {
            let table = table.get();
            let low = &table.low;
            work.levels(core::iter::once(Utf8 { code_points: Folded(table), low, pad: pad(padded, low), encoding }))
        }
        (Kind::Folding(table, _), Form::Multi(encoding)) => {
            let table = table.get();
            let (low, pad) = (Some(&table.low), pad(padded, &table.low));
            work.levels(core::iter::once(Scalars { code_points: Folded(table), low, pad, encoding }))
        }
        (Kind::Uca(table), Form::Utf8(encoding)) => {
            // Without contractions nothing asks for them: two instances.
            match table.contractions() {
                None => {
                    let levels = levels::<false>(descriptor, table, pads);
                    work.levels(levels.map(move |(code_points, low, pad)| Utf8 { code_points, low, pad, encoding }))
                }
                Some(_) => {
                    let levels = levels::<true>(descriptor, table, pads);
                    work.levels(levels.map(move |(code_points, low, pad)| Utf8 { code_points, low, pad, encoding }))
                }
            }
        }
        (Kind::Uca(table), Form::Multi(encoding)) => {
            work.levels(levels::<true>(descriptor, table, pads).map(move |(code_points, low, pad)| Scalars {
                code_points,
                low: Some(low),
                pad,
                encoding,
            }))
        }
    }
}

fn pad(padded: bool, low: &LowOf) -> Option<u16> {
    padded.then_some(low.low.entry(usize::from(b' ')))
}

/// The weights of each level at which the collation compares, those of the first code points, and what pads it.
#[inline(always)]
fn levels<const CONTRACTS: bool>(
    descriptor: &Descriptor,
    table: &'static Table,
    pads: impl Fn(usize) -> bool + Copy,
) -> impl Iterator<Item = (Unicode<CONTRACTS>, &'static LowOf, Option<u16>)> + Clone {
    let levels = descriptor.info.levels;
    let contractions = if CONTRACTS { table.contractions() } else { None };
    let ends_at_errors = descriptor.traits.ends_at_errors;
    (0..LEVELS).filter(move |&index| levels.has(index)).filter_map(move |index| {
        let level = table.level(index)?;
        let code_points = Unicode { level, index, contractions, ends_at_errors };
        Some((code_points, &level.low, pad(pads(index), &level.low)))
    })
}
