//! Derives the weights of a collation from its name, by the servers' naming rules.

use Flavour::{MariaDb, MySql};

use super::{ByteKind, CharacterKind, CodePointKind, CodePoints, Descriptor, Kind};
use crate::catalogue::{Flavour, Info};
use crate::charset::{Charset, Codec, TextEncoding};
use crate::const_bytes::{equal, strip_prefix, strip_suffix};
use crate::tables::MultiByte;
use crate::weights::{UcaTable, files, legacy, whole_text};

/// The kind of a collation; `None` if the library lacks its weights.
pub(super) const fn kind_by_name(info: &Info, charset: Charset) -> Option<Kind> {
    let name = &NameWithoutNopad::new(info.name.as_bytes());
    if equal(name.bytes(), b"binary") {
        return Some(Kind::Bytes(ByteKind::Identity));
    }
    let Some(rest) = strip_prefix(name.bytes(), charset.name().as_bytes()) else { return None };
    let Some(rest) = strip_prefix(rest, b"_") else { return None };
    match charset {
        Charset::Utf8mb3 | Charset::Utf8mb4 | Charset::Ucs2 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => {
            if matches!((rest, info.flavour), (b"0900_bin", MySql)) {
                return Some(Kind::Bytes(ByteKind::Identity));
            }
            match unicode_kind(info.flavour, charset, rest) {
                Some(kind) => kind_weighing_code_points(info, charset, kind),
                None => None,
            }
        }
        Charset::Gb18030 if equal(rest, b"unicode_520_ci") => {
            kind_weighing_code_points(info, charset, CodePointKind::Uca(&files::UCA520))
        }
        Charset::Gb18030 if equal(rest, b"chinese_ci") => {
            Some(Kind::Characters(CharacterKind::Gb18030(&legacy::GB18030_CHINESE)))
        }
        _ if equal(rest, b"bin") => Some(Kind::Bytes(ByteKind::Identity)),
        Charset::Euckr if matches!(info.flavour, MySql) && equal(rest, b"korean_ci") => {
            kind_weighing_characters(charset, &legacy::MYSQL_EUCKR_KOREAN)
        }
        Charset::Latin1 if equal(rest, b"german2_ci") => {
            Some(Kind::Bytes(ByteKind::Expansions(&files::LATIN1_GERMAN2)))
        }
        _ => {
            if let Some(table) = legacy::byte_table(name.bytes()) {
                return Some(Kind::Bytes(ByteKind::Table(table)));
            }
            if let Some(table) = legacy::multi_byte(name.bytes()) {
                return kind_weighing_characters(charset, table);
            }
            match whole_text::by_name(name.bytes(), info.pad) {
                Some(weights) => Some(Kind::Bytes(ByteKind::Text(weights))),
                None => None,
            }
        }
    }
}

/// The kind of a collation that weighs code points; `None` for a character set of one byte.
const fn kind_weighing_code_points(info: &Info, charset: Charset, kind: CodePointKind) -> Option<Kind> {
    match TextEncoding::new(info.flavour, charset) {
        TextEncoding::Utf8(encoding) => Some(Kind::Utf8(CodePoints::new(info, encoding, kind))),
        TextEncoding::MultiByte(encoding) => Some(Kind::Scalars(CodePoints::new(info, encoding, kind))),
        TextEncoding::Bytes => None,
    }
}

/// The kind of a collation that weighs the characters of a double-byte character set or of EUC for
/// Japanese; `None` for any other character set.
const fn kind_weighing_characters(charset: Charset, table: &'static MultiByte) -> Option<Kind> {
    match Codec::new(charset) {
        Codec::Double(shape, _) => Some(Kind::Characters(CharacterKind::Double(table, shape))),
        Codec::EucJp(_) => Some(Kind::Characters(CharacterKind::EucJp(table))),
        _ => None,
    }
}

/// Whether the enabled features include a collation. Applies to lookups: constants are always
/// available, and link only their own tables.
pub(super) const fn is_enabled(collation: &Descriptor) -> bool {
    let has_charset = match collation.charset {
        Charset::Ascii | Charset::Binary | Charset::Latin1 | Charset::Utf8mb3 | Charset::Utf8mb4 => true,
        Charset::Ucs2 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => cfg!(feature = "utf16-32"),
        charset if charset.max_bytes() == 1 => cfg!(feature = "legacy-8bit"),
        _ => cfg!(feature = "cjk"),
    };
    let has_weights = match collation.kind.uca() {
        Some(table) if table.is_tailoring() => cfg!(feature = "languages"),
        Some(_) => cfg!(feature = "uca"),
        None => true,
    };
    has_charset && has_weights
}

/// Weights of a collation of a Unicode character set; `None` if the library lacks them. `rest` is
/// the name after the character set: `general_ci`.
const fn unicode_kind(flavour: Flavour, charset: Charset, rest: &[u8]) -> Option<CodePointKind> {
    match (rest, flavour) {
        (b"bin", _) => return Some(CodePointKind::Numbers(code_point_bytes(charset))),
        (b"0900_bin", MariaDb) => return Some(CodePointKind::Numbers(3)),
        (b"general_ci", _) => return Some(CodePointKind::Simple(&files::GENERAL)),
        (b"general_mysql500_ci", _) => return Some(CodePointKind::Simple(&files::GENERAL_MYSQL500)),
        (b"general1400_as_ci", _) => {
            return Some(CodePointKind::Folding(&files::GENERAL1400, code_point_bytes(charset)));
        }
        (b"tolower_ci", _) => return Some(CodePointKind::Simple(&files::TOLOWER)),
        _ => {}
    }
    match uca_table(flavour, rest) {
        Some(table) => Some(CodePointKind::Uca(table)),
        None => None,
    }
}

/// Whether a collation is `utf8mb4_ja_0900_as_cs` or `utf8mb4_ja_0900_as_cs_ks`.
pub(super) const fn is_japanese_0900(info: &Info) -> bool {
    strip_prefix(info.name.as_bytes(), b"utf8mb4_ja_0900_").is_some()
}

/// Number of bytes of a code point in WEIGHT_STRING.
const fn code_point_bytes(charset: Charset) -> usize {
    if matches!(charset, Charset::Utf8mb3 | Charset::Ucs2) { 2 } else { 3 }
}

/// The table of a collation of the Unicode Collation Algorithm; `None` if there is no such table.
/// `rest` is the name after the character set: `cs_0900_ai_ci`.
const fn uca_table(flavour: Flavour, rest: &[u8]) -> Option<&'static UcaTable> {
    match (rest, flavour) {
        (b"unicode_ci", _) => return Some(&files::UCA400),
        (b"unicode_520_ci", _) => return Some(&files::UCA520),
        (b"myanmar_ci", _) => return files::tailoring(b"uca520", b"myanmar"),
        (b"thai_520_w2", _) => return files::tailoring(b"uca520", b"thai"),
        // In MariaDB, the name means MariaDB's own order. MySQL's is `croatian_mysql561_ci` there.
        (b"croatian_ci", MariaDb) => return files::tailoring(b"uca400", b"croatian_mariadb"),
        (b"croatian_mysql561_ci", _) => return files::tailoring(b"uca400", b"croatian"),
        _ => {}
    }
    if let Some(rest) = strip_prefix(rest, b"uca1400_") {
        return match language(rest, b"") {
            Some(b"") => Some(&files::UCA1400),
            Some(language) => files::tailoring(b"uca1400", language),
            None => None,
        };
    }
    if let Some(language) = language(rest, b"0900_") {
        return match (flavour, language) {
            (MySql, b"") => Some(&files::UCA900),
            (MySql, _) => files::tailoring(b"uca900", language),
            (MariaDb, b"") => Some(&files::UCA1400),
            (MariaDb, _) => files::tailoring(b"uca1400", mariadb_language(language)),
        };
    }
    match strip_suffix(rest, b"_ci") {
        Some(language) => files::tailoring(b"uca400", language),
        None => None,
    }
}

/// The language before `version` and the levels: `cs` in `cs_0900_ai_ci` with version `0900_`.
/// Empty if the name has no language (`0900_ai_ci`); `None` if it doesn't end with version and
/// levels.
const fn language<'a>(name: &'a [u8], version: &[u8]) -> Option<&'a [u8]> {
    let levels: [&[u8]; 5] = [b"ai_ci", b"ai_cs", b"as_ci", b"as_cs", b"as_cs_ks"];
    let mut i = 0;
    while i < levels.len() {
        if let Some(rest) = strip_suffix(name, levels[i])
            && let Some(rest) = strip_suffix(rest, version)
        {
            return match strip_suffix(rest, b"_") {
                Some(language) => Some(language),
                None if rest.is_empty() => Some(rest),
                None => None,
            };
        }
        i += 1;
    }
    None
}

/// MariaDB's name for a language of MySQL's `0900` collations. MariaDB's UCA collations with `0900`
/// in the name have the weights of its `uca1400` collations.
pub(crate) const fn mariadb_language(language: &[u8]) -> &[u8] {
    match language {
        b"cs" => b"czech",
        b"da" => b"danish",
        b"de_pb" => b"german2",
        b"eo" => b"esperanto",
        b"es" => b"spanish",
        b"es_trad" => b"spanish2",
        b"et" => b"estonian",
        b"hr" => b"croatian",
        b"hu" => b"hungarian",
        b"is" => b"icelandic",
        b"la" => b"roman",
        b"lt" => b"lithuanian",
        b"lv" => b"latvian",
        b"pl" => b"polish",
        b"ro" => b"romanian",
        b"sk" => b"slovak",
        b"sl" => b"slovenian",
        b"sv" => b"swedish",
        b"tr" => b"turkish",
        b"vi" => b"vietnamese",
        other => other,
    }
}

/// A collation's name without `nopad_`, which changes the padding but not the weights.
struct NameWithoutNopad {
    bytes: [u8; 64],
    length: usize,
}

impl NameWithoutNopad {
    const fn new(name: &[u8]) -> Self {
        let (mut bytes, mut length, mut at) = ([0; 64], 0, 0);
        while at < name.len() {
            if name[at] == b'n' && strip_prefix(name.split_at(at).1, b"nopad_").is_some() {
                at += b"nopad_".len();
                continue;
            }
            bytes[length] = name[at];
            length += 1;
            at += 1;
        }
        Self { bytes, length }
    }

    const fn bytes(&self) -> &[u8] {
        self.bytes.split_at(self.length).0
    }
}
