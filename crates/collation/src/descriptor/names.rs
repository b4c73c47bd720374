//! Where a collation's weights come from, told by its name: servers name collations by rules.

use Flavour::{MariaDb, MySql};

use super::{Descriptor, Kind};
use crate::table::{data, legacy};
use crate::{Charset, Flavour, Info, whole};

/// The kind of a collation; `None` where the library lacks its weights.
pub(super) const fn kind(info: &Info, charset: Charset) -> Option<Kind> {
    let name = &PaddedName::of(info.name.as_bytes());
    if same(name.bytes(), b"binary") {
        return Some(Kind::Bytes);
    }
    let Some(rest) = strip_prefix(name.bytes(), charset.name().as_bytes()) else { return None };
    let Some(rest) = strip_prefix(rest, b"_") else { return None };
    match charset {
        Charset::Utf8mb3 | Charset::Utf8mb4 | Charset::Ucs2 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => {
            unicode(info.flavour, charset, rest)
        }
        Charset::Gb18030 if same(rest, b"unicode_520_ci") => Some(Kind::Uca(&data::UCA520)),
        Charset::Gb18030 if same(rest, b"chinese_ci") => Some(Kind::Gb18030(&legacy::GB18030_CHINESE)),
        _ if same(rest, b"bin") => Some(Kind::Bytes),
        Charset::Euckr if matches!(info.flavour, MySql) && same(rest, b"korean_ci") => {
            Some(Kind::MultiByte(&legacy::MYSQL_EUCKR_KOREAN))
        }
        Charset::Latin1 if same(rest, b"german2_ci") => Some(Kind::Expanding(&data::LATIN1_GERMAN2)),
        _ => {
            if let Some(order) = legacy::byte_order(name.bytes()) {
                return Some(Kind::Order(order));
            }
            if let Some(table) = legacy::multi_byte(name.bytes()) {
                return Some(Kind::MultiByte(table));
            }
            match whole::named(name.bytes(), info.pad) {
                Some(whole) => Some(Kind::Whole(whole)),
                None => None,
            }
        }
    }
}

/// Whether the features that are on have a collation found by name. A constant is always there: it links its own tables alone.
pub(super) const fn is_enabled(collation: &Descriptor) -> bool {
    let of_charset = match collation.charset {
        Charset::Ascii | Charset::Binary | Charset::Latin1 | Charset::Utf8mb3 | Charset::Utf8mb4 => true,
        Charset::Ucs2 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => cfg!(feature = "utf16-32"),
        charset if charset.max_bytes() == 1 => cfg!(feature = "legacy-8bit"),
        _ => cfg!(feature = "cjk"),
    };
    let of_weights = match collation.kind {
        Kind::Uca(table) if table.is_tailoring() => cfg!(feature = "languages"),
        Kind::Uca(_) => cfg!(feature = "uca"),
        _ => true,
    };
    of_charset && of_weights
}

/// That of a collation of a character set that has all of Unicode; `rest` is its name after the character set.
const fn unicode(flavour: Flavour, charset: Charset, rest: &[u8]) -> Option<Kind> {
    match (rest, flavour) {
        (b"bin", _) => {
            return Some(Kind::CodePoints(code_point_bytes(charset)));
        }
        (b"0900_bin", MySql) => return Some(Kind::Bytes),
        (b"0900_bin", MariaDb) => return Some(Kind::CodePoints(3)),
        (b"general_ci", _) => return Some(Kind::Simple(&data::GENERAL)),
        (b"general_mysql500_ci", _) => return Some(Kind::Simple(&data::GENERAL_MYSQL500)),
        (b"general1400_as_ci", _) => {
            return Some(Kind::Folding(&data::GENERAL1400, code_point_bytes(charset)));
        }
        (b"tolower_ci", _) => return Some(Kind::Simple(&data::TOLOWER)),
        _ => {}
    }
    match table(flavour, rest) {
        Some(table) => Some(Kind::Uca(table)),
        None => None,
    }
}

/// Whether a collation of the Unicode Collation Algorithm is for Japanese.
pub(super) const fn is_japanese(info: &Info) -> bool {
    strip_prefix(info.name.as_bytes(), b"utf8mb4_ja_0900_").is_some()
}

/// How many bytes WEIGHT_STRING has for a code point.
const fn code_point_bytes(charset: Charset) -> usize {
    if matches!(charset, Charset::Utf8mb3 | Charset::Ucs2) { 2 } else { 3 }
}

/// The table of a collation of the Unicode Collation Algorithm.
const fn table(flavour: Flavour, rest: &[u8]) -> Option<&'static crate::table::Table> {
    match (rest, flavour) {
        (b"unicode_ci", _) => return Some(&data::UCA400),
        (b"unicode_520_ci", _) => return Some(&data::UCA520),
        (b"myanmar_ci", _) => return data::tailoring(b"uca520", b"myanmar"),
        (b"thai_520_w2", _) => return data::tailoring(b"uca520", b"thai"),
        // MariaDB had another order of this name before it took MySQL's.
        (b"croatian_ci", MariaDb) => return data::tailoring(b"uca400", b"croatian_mariadb"),
        (b"croatian_mysql561_ci", _) => return data::tailoring(b"uca400", b"croatian"),
        _ => {}
    }
    if let Some(rest) = strip_prefix(rest, b"uca1400_") {
        return match language(rest, b"") {
            Some(b"") => Some(&data::UCA1400),
            Some(language) => data::tailoring(b"uca1400", language),
            None => None,
        };
    }
    if let Some(language) = language(rest, b"0900_") {
        return match (flavour, language) {
            (MySql, b"") => Some(&data::UCA900),
            (MySql, _) => data::tailoring(b"uca900", language),
            (MariaDb, b"") => Some(&data::UCA1400),
            (MariaDb, _) => data::tailoring(b"uca1400", mariadb_language(language)),
        };
    }
    match strip_suffix(rest, b"_ci") {
        Some(language) => data::tailoring(b"uca400", language),
        None => None,
    }
}

/// The language in a name that ends in `version` and the levels, as `cs_0900_ai_ci`; empty where none is named.
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

/// What MariaDB calls a language that MySQL's `0900` names: its collations of these names are others of `uca1400`.
const fn mariadb_language(language: &[u8]) -> &[u8] {
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

/// A name without `nopad_`: padding is no part of the weights.
struct PaddedName {
    bytes: [u8; 64],
    length: usize,
}

impl PaddedName {
    const fn of(name: &[u8]) -> Self {
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

const fn strip_prefix<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    match text.split_at_checked(prefix.len()) {
        Some((start, rest)) if same(start, prefix) => Some(rest),
        _ => None,
    }
}

const fn strip_suffix<'a>(text: &'a [u8], suffix: &[u8]) -> Option<&'a [u8]> {
    let Some(length) = text.len().checked_sub(suffix.len()) else { return None };
    let (rest, end) = text.split_at(length);
    if same(end, suffix) { Some(rest) } else { None }
}

/// Whether two byte strings are the same, when the library is compiled.
pub(crate) const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
