//! From a collation to the code that is compiled for its weights: one branch for a whole operation, none for a character.

use crate::bytes::{Bytes, Itself, Ordered};
use crate::charset::{self, EucJp, Gb18030, Shape};
use crate::descriptor::{Descriptor, Kind};
use crate::encoding::{Encoding, Form, Multi, Utf8 as Utf8Encoding};
use crate::source::{CharacterWeights, Characters, Folded, General, German, Numbers, Scalars, Source, Unicode, Utf8};
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

    /// With the weights of the characters of a multi-byte character set.
    #[inline(always)]
    fn characters<T: CharacterWeights, S: Shape>(self, level: Characters<T, S>) -> Self::Output
    where
        Self: Sized,
    {
        self.levels(core::iter::once(level))
    }
}

/// Does the work with the weights of this collation.
#[inline(always)]
pub(crate) fn with<W: Work>(descriptor: &Descriptor, work: W) -> W::Output {
    dispatch(descriptor, pads(descriptor), work)
}

/// Does the work with the weights of this collation, as if it had no padding.
#[inline(always)]
pub(crate) fn unpadded<W: Work>(descriptor: &Descriptor, work: W) -> W::Output {
    dispatch(descriptor, |_| false, work)
}

/// Does the work with the weights of this collation, if tables of an 8-bit or a multi-byte character set have them; else hands it back.
#[inline(always)]
pub(crate) fn by_tables<W: Work>(descriptor: &Descriptor, work: W) -> Result<W::Output, W> {
    let pads = pads(descriptor);
    if let Kind::Order(order) = descriptor.kind {
        return Ok(work.bytes(Ordered(order), pads(0)));
    }
    Ok(of_characters!(descriptor, descriptor.characters, pads, work, else return Err(work)))
}

/// Does the work with the weights of this collation, which [`by_tables`] hands back.
#[inline(always)]
pub(crate) fn others<W: Work>(descriptor: &Descriptor, work: W) -> W::Output {
    let pads = pads(descriptor);
    match descriptor.form {
        Form::Utf8(encoding) => of_utf8(descriptor, encoding, pads, work),
        Form::Bytes => of_bytes(descriptor, pads(0), work),
        Form::Multi(encoding) => of_scalars(descriptor, encoding, pads, work),
    }
}

/// At which levels the collation pads. One closure: what is compiled for it is there once.
fn pads(descriptor: &Descriptor) -> impl Fn(usize) -> bool + Copy {
    |level| descriptor.pads(level)
}

#[inline(always)]
fn dispatch<W: Work>(descriptor: &Descriptor, pads: impl Fn(usize) -> bool + Copy, work: W) -> W::Output {
    match descriptor.form {
        Form::Utf8(encoding) => of_utf8(descriptor, encoding, pads, work),
        Form::Bytes => of_bytes(descriptor, pads(0), work),
        Form::Multi(encoding) => of_multi(descriptor, encoding, pads, work),
    }
}

/// Where each byte is a character.
#[inline(always)]
fn of_bytes<W: Work>(descriptor: &Descriptor, padded: bool, work: W) -> W::Output {
    match descriptor.kind {
        Kind::Order(order) => work.bytes(Ordered(order), padded),
        Kind::Expanding(table) => {
            let pad = padded.then_some(u16::from(table[usize::from(b' ')][0]));
            work.levels(core::iter::once(German { table, pad }))
        }
        Kind::Whole(whole) => work.whole(whole, padded),
        // No character set of one byte a character has any of the others.
        Kind::Bytes
        | Kind::CodePoints(_)
        | Kind::Simple(_)
        | Kind::Folding(..)
        | Kind::Uca(_)
        | Kind::MultiByte(_)
        | Kind::Gb18030(_) => work.bytes(Itself, padded),
    }
}

#[inline(always)]
fn of_utf8<W: Work>(
    descriptor: &Descriptor,
    encoding: Utf8Encoding,
    pads: impl Fn(usize) -> bool + Copy,
    work: W,
) -> W::Output {
    match descriptor.kind {
        // Without contractions nothing asks for them: two instances.
        Kind::Uca(table) if table.contractions().is_none() => {
            work.levels(levels::<false, _>(descriptor, table, pads, move |code_points, low, pad| Utf8 {
                code_points,
                low,
                pad,
                encoding,
            }))
        }
        Kind::Uca(table) => work.levels(levels::<true, _>(descriptor, table, pads, move |code_points, low, pad| {
            Utf8 { code_points, low, pad, encoding }
        })),
        Kind::Simple(table) => {
            let table = table.get();
            let (low, pad) = (&table.low, pad(pads(0), &table.low));
            work.levels(core::iter::once(Utf8 { code_points: General(table), low, pad, encoding }))
        }
        Kind::CodePoints(_) => work.code_points(encoding, pads(0)),
        Kind::Folding(table, _) => {
            let table = table.get();
            let (low, pad) = (&table.low, pad(pads(0), &table.low));
            work.levels(core::iter::once(Utf8 { code_points: Folded(table), low, pad, encoding }))
        }
        // No collation of UTF-8 has any of these.
        Kind::Bytes | Kind::Order(_) | Kind::Expanding(_) | Kind::MultiByte(_) | Kind::Gb18030(_) | Kind::Whole(_) => {
            work.bytes(Itself, pads(0))
        }
    }
}

/// Does the work with the weights that characters have by tables of a multi-byte character set, else what else there is to do: no function, which
/// would hand the work back through memory.
macro_rules! of_characters {
    ($descriptor:expr, $characters:expr, $pads:expr, $work:expr, else $others:expr) => {{
        let pad = |space: u8| $pads(0).then(|| u16::from_be_bytes([space, 0]));
        match ($descriptor.kind, $characters) {
            (Kind::MultiByte(table), charset::Form::Double(shape, _)) => {
                $work.characters(Characters { table, shape, pad: pad(table.single(b' ')) })
            }
            (Kind::MultiByte(table), charset::Form::EucJp(_)) => {
                $work.characters(Characters { table, shape: EucJp, pad: pad(table.single(b' ')) })
            }
            (Kind::Gb18030(table), _) => {
                $work.characters(Characters { table, shape: Gb18030, pad: pad(table.single(b' ')) })
            }
            _ => $others,
        }
    }};
}
use of_characters;

#[inline(always)]
fn of_multi<W: Work>(
    descriptor: &Descriptor,
    encoding: Multi,
    pads: impl Fn(usize) -> bool + Copy,
    work: W,
) -> W::Output {
    of_characters!(descriptor, encoding.characters(), pads, work, else of_scalars(descriptor, encoding, pads, work))
}

/// Where code points have weights, and what else there is.
///
/// By itself: the others would wait for more registers to be saved.
#[inline(never)]
fn of_scalars<W: Work>(
    descriptor: &Descriptor,
    encoding: Multi,
    pads: impl Fn(usize) -> bool + Copy,
    work: W,
) -> W::Output {
    let padded = pads(0);
    match descriptor.kind {
        Kind::Uca(table) => work.levels(levels::<true, _>(descriptor, table, pads, move |code_points, low, pad| {
            Scalars { code_points, low: Some(low), pad, encoding }
        })),
        Kind::Simple(table) => {
            let table = table.get();
            let (low, pad) = (Some(&table.low), pad(padded, &table.low));
            work.levels(core::iter::once(Scalars { code_points: General(table), low, pad, encoding }))
        }
        Kind::CodePoints(_) => {
            let pad = padded.then_some(u16::from(b' '));
            work.levels(core::iter::once(Scalars { code_points: Numbers, low: None, pad, encoding }))
        }
        Kind::Folding(table, _) => {
            let table = table.get();
            let (low, pad) = (Some(&table.low), pad(padded, &table.low));
            work.levels(core::iter::once(Scalars { code_points: Folded(table), low, pad, encoding }))
        }
        Kind::Order(order) => work.bytes(Ordered(order), padded),
        // No other collation of these character sets has any of these.
        Kind::Bytes | Kind::Expanding(_) | Kind::Whole(_) | Kind::MultiByte(_) | Kind::Gb18030(_) => {
            work.bytes(Itself, padded)
        }
    }
}

fn pad(padded: bool, low: &LowOf) -> Option<u16> {
    padded.then_some(low.low.entry(usize::from(b' ')))
}

/// Each level at which the collation compares, made of its weights, those of the first code points, and what pads it.
///
/// One closure, no adapters, which would be called: what describes a level stays in registers. Bench: `speed`, two strings that differ in
/// the last character.
#[inline(always)]
fn levels<const CONTRACTS: bool, S>(
    descriptor: &Descriptor,
    table: &'static Table,
    pads: impl Fn(usize) -> bool + Copy,
    source: impl Fn(Unicode<CONTRACTS>, &'static LowOf, Option<u16>) -> S + Copy,
) -> impl Iterator<Item = S> + Clone {
    let levels = descriptor.info.levels;
    let ends_at_errors = descriptor.traits.ends_at_errors;
    let mut next = 0;
    core::iter::from_fn(move || {
        while next < LEVELS {
            let index = next;
            next += 1;
            if levels.has(index)
                && let Some(level) = table.level(index)
            {
                let code_points = Unicode { level, ends_at_errors };
                return Some(source(code_points, &level.low, pad(pads(index), &level.low)));
            }
        }
        None
    })
}
