//! The library's character sets held against a server: which bytes are well-formed, code points both ways, and conversions.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use mysql_collation::{Charset, Content, Flavour};

use super::ask::{self, Read};
use crate::ask::PLANES;
use crate::servers::Source;
use crate::verify::{Outcome, Random, hex};

/// How much is compared.
struct Amount {
    planes: u32,
    /// Every so many pairs of bytes.
    pairs: usize,
    /// Random byte sequences a character set.
    random: usize,
    /// Every so many characters of a character set, into every other one.
    characters: usize,
}

const SOME: Amount = Amount { planes: 3, pairs: 61, random: 500, characters: 97 };
const FULL: Amount = Amount { planes: PLANES, pairs: 1, random: 20_000, characters: 1 };

/// Verifies against one server, and returns the number of differences.
pub fn server(spec: &str, full: bool, seed: u64, out: &mut dyn Write) -> Result<usize> {
    let amount = if full { FULL } else { SOME };
    let mut source = Source::open(spec)?;
    writeln!(out, "{}", source.title())?;
    writeln!(
        out,
        "{:10} {:>14} {:>11} {:>12} {:>11}",
        "charset", "byte sequences", "code points", "conversions", "differences"
    )?;
    let has_gb18030 = source.flavour() == Flavour::MySql && !is_5(&source);
    let charsets: Vec<Charset> =
        Charset::ALL.into_iter().filter(|&charset| charset != Charset::Gb18030 || has_gb18030).collect();
    let mut random = Random::new(seed);
    let mut wrong = 0;
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    for &charset in charsets.iter().filter(|&&charset| charset != Charset::Binary) {
        progress.set_message(charset.name());
        let all = [
            byte_sequences(&mut source, charset, &amount, &mut random)?,
            code_points(&mut source, charset, amount.planes)?,
            conversions(&mut source, charset, &charsets, amount.characters)?,
        ];
        wrong += progress.suspend(|| line(out, charset, &all))?;
    }
    progress.finish_and_clear();
    Ok(wrong)
}

fn is_5(source: &Source) -> bool {
    source.server.version().starts_with("5.")
}

/// Writes a character set's line and what differed; returns how much did.
fn line(out: &mut dyn Write, charset: Charset, all: &[Outcome; 3]) -> Result<usize> {
    let wrong = all.iter().map(|outcome| outcome.wrong).sum();
    let [sequences, code_points, conversions] = all.each_ref().map(|outcome| outcome.compared);
    writeln!(out, "{:10} {sequences:>14} {code_points:>11} {conversions:>12} {wrong:>11}", charset.name())?;
    for example in all.iter().flat_map(|outcome| &outcome.examples) {
        writeln!(out, "    {example}")?;
    }
    out.flush()?;
    Ok(wrong)
}

/// What becomes of bytes on their way into a character set, and which code points they are.
fn byte_sequences(source: &mut Source, charset: Charset, amount: &Amount, random: &mut Random) -> Result<Outcome> {
    let name = charset.name();
    let mut reads = ask::all(source, name, b"", 1, 1)?;
    if charset.max_bytes() > 1 {
        reads.extend(ask::all(source, name, b"", 2, amount.pairs)?);
        if matches!(charset, Charset::Ujis | Charset::Eucjpms) {
            reads.extend(ask::all(source, name, b"\x8F", 2, amount.pairs)?);
        }
        reads.extend(ask::these(source, name, (0..amount.random).map(|_| sequence(random)).collect())?);
    }
    let (flavour, is_5) = (source.flavour(), is_5(source));
    let mut outcome = Outcome::default();
    for Read { given, taken, utf32 } in reads {
        if flavour == Flavour::MySql && is_named(charset, &given, is_5) {
            continue;
        }
        let ours = Charset::Binary.convert(&given, charset, flavour).bytes;
        let code_points = charset.convert(&ours, Charset::Utf32, flavour).bytes;
        outcome.note(ours == taken && code_points == utf32, || {
            format!(
                "{} is {}, {} in UTF-32, here; {}, {} there",
                hex(&given),
                hex(&ours),
                hex(&code_points),
                hex(&taken),
                hex(&utf32)
            )
        });
    }
    Ok(outcome)
}

/// Bytes that are mostly near to being well-formed.
fn sequence(random: &mut Random) -> Vec<u8> {
    const TELLING: [u8; 24] = [
        0x00, 0x30, 0x39, 0x40, 0x41, 0x5C, 0x7E, 0x80, 0x81, 0x8E, 0x8F, 0x9F, 0xA0, 0xA1, 0xBF, 0xC2, 0xD8, 0xDC,
        0xDF, 0xE0, 0xED, 0xF0, 0xF4, 0xFE,
    ];
    let length = 1 + random.below(9);
    (0..length).map(|_| if random.chance(50) { random.below(256) as u8 } else { *random.pick(&TELLING) }).collect()
}

/// What docs/collation.md names: `8EA0` in EUC for Japanese, and a last byte of `eucjpms` from 80 on, which MySQL takes and then reads
/// as no character; and, to MySQL 5.6, surrogates are characters.
fn is_named(charset: Charset, given: &[u8], is_5: bool) -> bool {
    if matches!(charset, Charset::Ujis | Charset::Eucjpms) && given.windows(2).any(|pair| pair == b"\x8E\xA0") {
        return true;
    }
    if is_5 {
        let zeros = given.len().next_multiple_of(charset.min_bytes()) - given.len();
        let aligned = [&[0; 4][..zeros], given].concat();
        let mut contents = charset.characters(Flavour::MariaDb, &aligned).map(|character| character.content);
        return contents.any(|content| matches!(content, Content::CodePoint(0xD800..0xE000)));
    }
    let mut all = charset.characters(Flavour::MySql, given);
    let first = all.find(|character| character.content == Content::IllFormed);
    charset == Charset::Eucjpms && first.is_some_and(|character| character.bytes.end == given.len())
}

/// What every code point becomes.
fn code_points(source: &mut Source, charset: Charset, planes: u32) -> Result<Outcome> {
    let flavour = source.flavour();
    let mut outcome = Outcome::default();
    for plane in 0..planes {
        let mut code_points = ask::plane(plane);
        if is_5(source) && charset == Charset::Armscii8 {
            // It has each of these twice, and MySQL 5.6 takes the other one.
            code_points.retain(|&code_point| !matches!(code_point, 0x27..=0x2E));
        }
        let text = ask::utf32(&code_points);
        compare(source, &mut outcome, &text, Charset::Utf32, charset, flavour)?;
    }
    Ok(outcome)
}

/// Every `step`th character in every other character set.
fn conversions(source: &mut Source, from: Charset, all: &[Charset], step: usize) -> Result<Outcome> {
    let flavour = source.flavour();
    let mut outcome = Outcome::default();
    let step = if from.max_bytes() == 1 { 1 } else { step };
    let text: Vec<u8> = characters(from).into_iter().step_by(step).flatten().collect();
    for &to in all.iter().filter(|&&to| to != from) {
        if is_5(source) && to == Charset::Armscii8 {
            continue;
        }
        compare(source, &mut outcome, &text, from, to, flavour)?;
    }
    Ok(outcome)
}

/// Every character of one, two or three bytes that is well-formed; of those that have all of Unicode, the Basic Multilingual Plane.
fn characters(charset: Charset) -> Vec<Vec<u8>> {
    let has_all = matches!(charset, Charset::Gb18030 | Charset::Utf8mb4) || charset.name().starts_with("utf");
    if has_all || charset == Charset::Ucs2 {
        let text = ask::utf32(&ask::plane(0));
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

/// A text in another character set, character by character.
fn compare(
    source: &mut Source,
    outcome: &mut Outcome,
    text: &[u8],
    from: Charset,
    to: Charset,
    flavour: Flavour,
) -> Result<()> {
    let theirs = ask::convert(source, text, from.name(), to.name())?;
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
        outcome.note(agrees, || {
            let theirs = &rest[..rest.len().min(8)];
            format!("{} {} is {} {} here, {}… there", from.name(), hex(character), to.name(), hex(&ours), hex(theirs))
        });
        if !agrees {
            // What comes after it can't be told apart.
            break;
        }
        rest = &rest[ours.len()..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(spec: &str) {
        let mut log = Vec::new();
        let wrong = server(spec, false, 20_261_121, &mut log).unwrap();
        assert_eq!(wrong, 0, "{}", String::from_utf8_lossy(&log));
    }

    #[test]
    fn mariadb_agrees() {
        agrees("mariadb@trixie");
    }

    #[test]
    fn mysql_agrees() {
        agrees("mysql@sid");
    }
}
