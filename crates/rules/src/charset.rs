//! Character sets by name: how wide their characters are, and which are dated.

/// The most bytes that a character takes; `None` for a character set that no server has. As `information_schema.CHARACTER_SETS.MAXLEN`
/// of MySQL 9.7 and MariaDB 11.8 has it.
pub fn max_bytes(charset: &str) -> Option<u8> {
    Some(match modern(charset) {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8mb3" | "ujis" | "eucjpms" => 3,
        "ucs2" | "big5" | "sjis" | "cp932" | "euckr" | "gb2312" | "gbk" => 2,
        "armscii8" | "ascii" | "binary" | "cp1250" | "cp1251" | "cp1256" | "cp1257" | "cp850" | "cp852" | "cp866"
        | "dec8" | "geostd8" | "greek" | "hebrew" | "hp8" | "keybcs2" | "koi8r" | "koi8u" | "latin1" | "latin2"
        | "latin5" | "latin7" | "macce" | "macroman" | "swe7" | "tis620" => 1,
        _ => return None,
    })
}

/// The name as newer servers write it: `utf8` is `utf8mb3`.
pub fn modern(charset: &str) -> &str {
    if charset.eq_ignore_ascii_case("utf8") { "utf8mb3" } else { charset }
}

/// A collation's name as newer servers write it: `utf8_bin` is `utf8mb3_bin`.
pub fn modern_collation(collation: &str) -> String {
    match collation.strip_prefix("utf8_") {
        Some(rest) => format!("utf8mb3_{rest}"),
        None => collation.to_owned(),
    }
}

/// The character set that a collation's name begins with; `binary` is both.
pub fn of_collation(collation: &str) -> &str {
    modern(collation.split('_').next().unwrap_or(collation))
}

/// Whether it holds Unicode characters.
pub fn is_unicode(charset: &str) -> bool {
    matches!(modern(charset), "utf8mb3" | "utf8mb4" | "ucs2" | "utf16" | "utf16le" | "utf32")
}

/// Whether it can't hold all of Unicode, so that text of some users doesn't fit. `binary` holds bytes.
pub fn is_narrow(charset: &str) -> bool {
    !matches!(modern(charset), "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" | "binary")
}
