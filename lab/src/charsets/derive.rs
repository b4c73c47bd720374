//! Derives the committed charset tables from a server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use mysql_collation::Charset;

use super::{encode, query};
use crate::query::PLANES;
use crate::servers::Source;

/// Code points by the bytes of their characters.
pub type Decoding = BTreeMap<Vec<u8>, u32>;
/// Bytes of each code point.
pub type Encoding = BTreeMap<u32, Vec<u8>>;

/// Separator between characters. All charsets with a table encode it as itself, and none has it in
/// a multi-byte character.
const SEPARATOR: u8 = b'\n';

/// Charsets without a table, each computed by a rule.
const CHARSETS_WITHOUT_TABLE: [Charset; 8] = [
    Charset::Ascii,
    Charset::Binary,
    Charset::Ucs2,
    Charset::Utf16,
    Charset::Utf16le,
    Charset::Utf32,
    Charset::Utf8mb3,
    Charset::Utf8mb4,
];

pub fn run(source: &mut Source) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/mysql-collation/data/charsets");
    let mut size = 0;
    let mut write = |name: &str, file: Vec<u8>| {
        println!("{name}: {} bytes", file.len());
        size += file.len();
        let path = folder.join(format!("{name}.bin"));
        fs::write(&path, file).with_context(|| format!("writing {}", path.display()))
    };
    for charset in Charset::ALL.into_iter().filter(|charset| !CHARSETS_WITHOUT_TABLE.contains(charset)) {
        let name = charset.name();
        let decoded = decode_all(source, charset)?;
        let encoded = encode_all(source, charset)?;
        let file = match charset {
            _ if charset.max_bytes() == 1 => encode::encode_single_byte(&decoded, &encoded)?,
            Charset::Ujis | Charset::Eucjpms => encode::encode_euc_jp(&decoded, &encoded)?,
            _ => encode::encode_double_byte(&decoded, &encoded)?,
        };
        write(name, file)?;
        if charset == Charset::Gb18030 {
            write("gb18030_four_bytes", encode::encode_four_byte_runs(&encoded)?)?;
        }
    }
    println!("character sets: {size} bytes, from {}", source.title());
    Ok(())
}

/// Decodes all characters of up to three bytes.
fn decode_all(source: &mut Source, charset: Charset) -> Result<Decoding> {
    let name = charset.name();
    let mut reads = query::read_pairs(source, name, b"", 1, 1)?;
    if charset.max_bytes() > 1 {
        reads.extend(query::read_pairs(source, name, b"", 2, 1)?);
    }
    if charset.max_bytes() == 3 {
        // Characters of three bytes in EUC begin with this byte.
        reads.extend(query::read_pairs(source, name, b"\x8F", 2, 1)?);
    }
    let mut decoded = Decoding::new();
    for read in reads {
        let Ok(utf32) = <[u8; 4]>::try_from(&read.utf32[..]) else { continue };
        let code_point = u32::from_be_bytes(utf32);
        let is_assigned = code_point != u32::from(b'?') || read.given == b"?";
        // MySQL accepts an ill-formed last byte in `eucjpms`, and drops it in conversions.
        let is_longer = (1..read.given.len()).any(|length| decoded.contains_key(&read.given[..length]));
        if read.accepted == read.given && is_assigned && !is_longer {
            decoded.insert(read.given, code_point);
        }
    }
    Ok(decoded)
}

/// Encodes all code points for `gb18030`, and those up to U+FFFF for other charsets. For code
/// points beyond, servers return wrong bytes: `tis620` takes the last 16 bits.
fn encode_all(source: &mut Source, charset: Charset) -> Result<Encoding> {
    let mut encoded = Encoding::new();
    let planes = if charset == Charset::Gb18030 { PLANES } else { 1 };
    for plane in 0..planes {
        let code_points = query::plane_code_points(plane);
        let separated: Vec<u32> = code_points.iter().flat_map(|&code_point| [code_point, SEPARATOR.into()]).collect();
        let mut answer = &query::convert(source, &query::encode_utf32(&separated), "utf32", charset.name())?[..];
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
