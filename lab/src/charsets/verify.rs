//! Verifies the library's charsets against a server: well-formedness, code points in both
//! directions, and conversions.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use mysql_collation::{Charset, Content, Flavour};

use super::query::{self, ConvertedSequence};
use crate::query::PLANES;
use crate::servers::Source;
use crate::verify::{Outcome, Random, hex};

struct Amount {
    planes: u32,
    /// Step between pairs of bytes.
    pairs: usize,
    /// Random byte sequences per multi-byte charset.
    random: usize,
    /// Step between characters of a charset that are converted into every other charset.
    characters: usize,
}

const DEFAULT_AMOUNT: Amount = Amount { planes: 3, pairs: 61, random: 500, characters: 97 };
const FULL_AMOUNT: Amount = Amount { planes: PLANES, pairs: 1, random: 20_000, characters: 1 };

/// Verifies against one server, and returns the number of differences.
pub fn verify_server(spec: &str, full: bool, seed: u64, out: &mut dyn Write) -> Result<usize> {
    let amount = if full { FULL_AMOUNT } else { DEFAULT_AMOUNT };
    let mut source = Source::open(spec)?;
    writeln!(out, "{}", source.title())?;
    writeln!(
        out,
        "{:10} {:>14} {:>11} {:>12} {:>11}",
        "charset", "byte sequences", "code points", "conversions", "differences"
    )?;
    let has_gb18030 = source.flavour() == Flavour::MySql && !is_mysql_5(&source);
    let charsets: Vec<Charset> =
        Charset::ALL.into_iter().filter(|&charset| charset != Charset::Gb18030 || has_gb18030).collect();
    let mut random = Random::new(seed);
    let mut wrong = 0;
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    for &charset in charsets.iter().filter(|&&charset| charset != Charset::Binary) {
        progress.set_message(charset.name());
        let all = [
            compare_byte_sequences(&mut source, charset, &amount, &mut random)?,
            compare_code_points(&mut source, charset, amount.planes)?,
            compare_conversions(&mut source, charset, &charsets, amount.characters)?,
        ];
        wrong += progress.suspend(|| write_line(out, charset, &all))?;
    }
    progress.finish_and_clear();
    Ok(wrong)
}

fn is_mysql_5(source: &Source) -> bool {
    source.server.version().starts_with("5.")
}

/// Writes a charset's line and its differences; returns the number of differences.
fn write_line(out: &mut dyn Write, charset: Charset, all: &[Outcome; 3]) -> Result<usize> {
    let wrong = all.iter().map(|outcome| outcome.wrong).sum();
    let [sequences, code_points, conversions] = all.each_ref().map(|outcome| outcome.compared);
    writeln!(out, "{:10} {sequences:>14} {code_points:>11} {conversions:>12} {wrong:>11}", charset.name())?;
    for example in all.iter().flat_map(|outcome| &outcome.examples) {
        writeln!(out, "    {example}")?;
    }
    out.flush()?;
    Ok(wrong)
}

/// Compares which byte sequences a charset accepts, and their code points.
fn compare_byte_sequences(
    source: &mut Source,
    charset: Charset,
    amount: &Amount,
    random: &mut Random,
) -> Result<Outcome> {
    let name = charset.name();
    let mut reads = query::read_pairs(source, name, b"", 1, 1)?;
    if charset.max_bytes() > 1 {
        reads.extend(query::read_pairs(source, name, b"", 2, amount.pairs)?);
        if matches!(charset, Charset::Ujis | Charset::Eucjpms) {
            reads.extend(query::read_pairs(source, name, b"\x8F", 2, amount.pairs)?);
        }
        reads.extend(query::read_sequences(
            source,
            name,
            (0..amount.random).map(|_| random_sequence(random)).collect(),
        )?);
    }
    let (flavour, is_mysql_5) = (source.flavour(), is_mysql_5(source));
    let mut outcome = Outcome::default();
    for ConvertedSequence { given, accepted, utf32 } in reads {
        if flavour == Flavour::MySql && is_documented_exception(charset, &given, is_mysql_5) {
            continue;
        }
        let ours = Charset::Binary.convert(&given, charset, flavour).bytes;
        let code_points = charset.convert(&ours, Charset::Utf32, flavour).bytes;
        outcome.count(ours == accepted && code_points == utf32, || {
            format!(
                "{} is {}, {} in UTF-32, here; {}, {} there",
                hex(&given),
                hex(&ours),
                hex(&code_points),
                hex(&accepted),
                hex(&utf32)
            )
        });
    }
    Ok(outcome)
}

/// Returns one to nine bytes. About half of the bytes are bounds of a charset's byte ranges, such
/// as 81 and FE.
fn random_sequence(random: &mut Random) -> Vec<u8> {
    const BYTE_RANGE_BOUNDS: [u8; 24] = [
        0x00, 0x30, 0x39, 0x40, 0x41, 0x5C, 0x7E, 0x80, 0x81, 0x8E, 0x8F, 0x9F, 0xA0, 0xA1, 0xBF, 0xC2, 0xD8, 0xDC,
        0xDF, 0xE0, 0xED, 0xF0, 0xF4, 0xFE,
    ];
    let length = 1 + random.below(9);
    (0..length)
        .map(|_| if random.chance(50) { random.below(256) as u8 } else { *random.pick(&BYTE_RANGE_BOUNDS) })
        .collect()
}

/// Returns `true` for the exceptions in docs/explanation/character-sets.md. In `ujis` and
/// `eucjpms`: `8EA0`. In MySQL 5: surrogates, which are characters there. In `eucjpms` of later
/// versions: an ill-formed last byte, which MySQL accepts and reads as no character.
fn is_documented_exception(charset: Charset, given: &[u8], is_mysql_5: bool) -> bool {
    if matches!(charset, Charset::Ujis | Charset::Eucjpms) && given.windows(2).any(|pair| pair == b"\x8E\xA0") {
        return true;
    }
    if is_mysql_5 {
        let zeros = given.len().next_multiple_of(charset.min_bytes()) - given.len();
        let aligned = [&[0; 4][..zeros], given].concat();
        let mut contents = charset.characters(Flavour::MariaDb, &aligned).map(|character| character.content);
        return contents.any(|content| matches!(content, Content::CodePoint(0xD800..0xE000)));
    }
    let mut all = charset.characters(Flavour::MySql, given);
    let first = all.find(|character| character.content == Content::IllFormed);
    charset == Charset::Eucjpms && first.is_some_and(|character| character.bytes.end == given.len())
}

fn compare_code_points(source: &mut Source, charset: Charset, planes: u32) -> Result<Outcome> {
    let flavour = source.flavour();
    let mut outcome = Outcome::default();
    for plane in 0..planes {
        let mut code_points = query::plane_code_points(plane);
        if is_mysql_5(source) && charset == Charset::Armscii8 {
            // armscii8 has two bytes for each of these characters, and MySQL 5 picks the second.
            code_points.retain(|&code_point| !matches!(code_point, 0x27..=0x2E));
        }
        let text = query::encode_utf32(&code_points);
        compare_text(source, &mut outcome, &text, Charset::Utf32, charset, flavour)?;
    }
    Ok(outcome)
}

/// Compares the conversion of every `step`th character into every other charset, of single-byte
/// charsets every character. Leaves out armscii8 as the target on MySQL 5.
fn compare_conversions(source: &mut Source, from: Charset, all: &[Charset], step: usize) -> Result<Outcome> {
    let flavour = source.flavour();
    let mut outcome = Outcome::default();
    let step = if from.max_bytes() == 1 { 1 } else { step };
    let text: Vec<u8> = characters(from).into_iter().step_by(step).flatten().collect();
    for &to in all.iter().filter(|&&to| to != from) {
        if is_mysql_5(source) && to == Charset::Armscii8 {
            continue;
        }
        compare_text(source, &mut outcome, &text, from, to, flavour)?;
    }
    Ok(outcome)
}

/// Returns the characters to convert. For Unicode charsets and gb18030: the Basic Multilingual
/// Plane. For others: every well-formed character.
fn characters(charset: Charset) -> Vec<Vec<u8>> {
    let has_all = matches!(charset, Charset::Gb18030 | Charset::Utf8mb4) || charset.name().starts_with("utf");
    if has_all || charset == Charset::Ucs2 {
        let text = query::encode_utf32(&query::plane_code_points(0));
        let encoded = Charset::Utf32.convert(&text, charset, Flavour::MySql).bytes;
        return charset
            .characters(Flavour::MySql, &encoded)
            .map(|character| encoded[character.bytes].to_vec())
            .collect();
    }
    let is_one = |bytes: &Vec<u8>| charset.validate(bytes).is_ok() && charset.char_len(bytes) == 1;
    let pairs = || (0..=0xFFFF_u16).map(u16::to_be_bytes);
    let singles = (0..=255_u8).map(|byte| vec![byte]);
    let longer = pairs().map(Vec::from).chain(pairs().map(|[second, third]| vec![0x8F, second, third]));
    singles.chain(longer.filter(|_| charset.max_bytes() > 1)).filter(is_one).collect()
}

/// Compares the conversion of a text, character by character.
fn compare_text(
    source: &mut Source,
    outcome: &mut Outcome,
    text: &[u8],
    from: Charset,
    to: Charset,
    flavour: Flavour,
) -> Result<()> {
    let theirs = query::convert(source, text, from.name(), to.name())?;
    let ours = from.convert(text, to, flavour).bytes;
    let characters = from.characters(flavour, text);
    if ours == theirs {
        outcome.compared += characters.count();
        return Ok(());
    }
    let mut rest = &theirs[..];
    for character in characters {
        let character = &text[character.bytes];
        let ours = from.convert(character, to, flavour).bytes;
        let agrees = rest.starts_with(&ours);
        outcome.count(agrees, || {
            let theirs = &rest[..rest.len().min(8)];
            format!("{} {} is {} {} here, {}… there", from.name(), hex(character), to.name(), hex(&ours), hex(theirs))
        });
        if !agrees {
            // Later characters can't be aligned.
            break;
        }
        rest = &rest[ours.len()..];
    }
    Ok(())
}
