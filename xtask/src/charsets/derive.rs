//! From a server's answers to the committed tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use mysql_collation::Charset;

use super::{ask, encode};
use crate::ask::PLANES;
use crate::servers::Source;

/// Bytes of characters and their code points.
pub type Decoded = BTreeMap<Vec<u8>, u32>;
/// Code points and their bytes.
pub type Encoded = BTreeMap<u32, Vec<u8>>;

/// What stands between characters: encoded as itself everywhere, and part of no longer character.
const SEPARATOR: u8 = b'\n';

/// The character sets that have no table: each is a rule.
const RULES: [Charset; 8] = [
    Charset::Ascii,
    Charset::Binary,
    Charset::Ucs2,
    Charset::Utf16,
    Charset::Utf16le,
    Charset::Utf32,
    Charset::Utf8mb3,
    Charset::Utf8mb4,
];

/// Derives all tables and writes them.
pub fn run(source: &mut Source) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/collation/data/charsets");
    let mut size = 0;
    let mut write = |name: &str, file: Vec<u8>| {
        println!("{name}: {} bytes", file.len());
        size += file.len();
        let path = folder.join(format!("{name}.bin"));
        fs::write(&path, file).with_context(|| format!("writing {}", path.display()))
    };
    for charset in Charset::ALL.into_iter().filter(|charset| !RULES.contains(charset)) {
        let name = charset.name();
        let decoded = decoded(source, charset)?;
        let encoded = encoded(source, charset)?;
        let file = match charset {
            _ if charset.max_bytes() == 1 => encode::single(&decoded, &encoded)?,
            Charset::Ujis | Charset::Eucjpms => encode::euc_jp(&decoded, &encoded)?,
            _ => encode::double(&decoded, &encoded)?,
        };
        write(name, file)?;
        if charset == Charset::Gb18030 {
            write("gb18030_four_bytes", encode::four_bytes(&encoded)?)?;
        }
    }
    println!("character sets: {size} bytes, from {}", source.title());
    Ok(())
}

/// The code points of all characters of one, two and three bytes.
fn decoded(source: &mut Source, charset: Charset) -> Result<Decoded> {
    let name = charset.name();
    let mut reads = ask::all(source, name, b"", 1, 1)?;
    if charset.max_bytes() > 1 {
        reads.extend(ask::all(source, name, b"", 2, 1)?);
    }
    if charset.max_bytes() == 3 {
        // EUC has characters of three bytes after this one alone.
        reads.extend(ask::all(source, name, b"\x8F", 2, 1)?);
    }
    let mut decoded = Decoded::new();
    for read in reads {
        let Ok(utf32) = <[u8; 4]>::try_from(&read.utf32[..]) else { continue };
        let code_point = u32::from_be_bytes(utf32);
        let is_assigned = code_point != u32::from(b'?') || read.given == b"?";
        // MySQL takes a last byte that is ill-formed in `eucjpms`, and converts nothing for it.
        let is_longer = (1..read.given.len()).any(|length| decoded.contains_key(&read.given[..length]));
        if read.taken == read.given && is_assigned && !is_longer {
            decoded.insert(read.given, code_point);
        }
    }
    Ok(decoded)
}

/// The bytes of all code points. What servers make of those beyond U+FFFF in a character set that has none there is no encoding
/// (`tis620` takes their last 16 bits), and is not committed.
fn encoded(source: &mut Source, charset: Charset) -> Result<Encoded> {
    let mut encoded = Encoded::new();
    let planes = if charset == Charset::Gb18030 { PLANES } else { 1 };
    for plane in 0..planes {
        let code_points = ask::plane(plane);
        let separated: Vec<u32> = code_points.iter().flat_map(|&code_point| [code_point, SEPARATOR.into()]).collect();
        let mut answer = &ask::convert(source, &ask::utf32(&separated), "utf32", charset.name())?[..];
        for code_point in code_points {
            let is_separator = code_point == u32::from(SEPARATOR);
            let length = if is_separator { Some(1) } else { answer.iter().position(|&byte| byte == SEPARATOR) };
            let length = length.with_context(|| format!("U+{code_point:04X} in {}", charset.name()))?;
            let (bytes, rest) = answer.split_at(length);
            ensure!(rest.first() == Some(&SEPARATOR), "U+{code_point:04X} in {}", charset.name());
            answer = &rest[1..];
            if bytes != b"?" || code_point == u32::from(b'?') {
                encoded.insert(code_point, bytes.to_vec());
            }
        }
    }
    Ok(encoded)
}
