//! Properties of character sets by name.

/// Returns the maximum bytes of a character, as in `information_schema.CHARACTER_SETS.MAXLEN` of
/// MySQL 9.7 and MariaDB 11.8. `None` for an unknown character set.
pub fn max_bytes(charset: &str) -> Option<u8> {
    Some(match current_name(charset) {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8mb3" | "ujis" | "eucjpms" => 3,
        "ucs2" | "big5" | "sjis" | "cp932" | "euckr" | "gb2312" | "gbk" => 2,
        "armscii8" | "ascii" | "binary" | "cp1250" | "cp1251" | "cp1256" | "cp1257" | "cp850" | "cp852" | "cp866"
        | "dec8" | "geostd8" | "greek" | "hebrew" | "hp8" | "keybcs2" | "koi8r" | "koi8u" | "latin1" | "latin2"
        | "latin5" | "latin7" | "macce" | "macroman" | "swe7" | "tis620" => 1,
        _ => return None,
    })
}

/// Returns the name that newer servers use: `utf8` → `utf8mb3`.
pub fn current_name(charset: &str) -> &str {
    server::current_charset_name(charset)
}

/// Returns the collation name that newer servers use: `utf8_bin` → `utf8mb3_bin`.
pub fn current_collation_name(collation: &str) -> String {
    server::current_collation_name(collation).into_owned()
}

/// Returns the current name of a collation's character set: `utf8_bin` → `utf8mb3`.
pub fn collation_charset(collation: &str) -> &str {
    current_name(server::collation_charset(collation))
}

/// True for Unicode character sets. False for `gb18030`, which is not one in the servers' rules.
pub fn is_unicode(charset: &str) -> bool {
    matches!(current_name(charset), "utf8mb3" | "utf8mb4" | "ucs2" | "utf16" | "utf16le" | "utf32")
}

/// True if the character set lacks Unicode characters. False for `binary`, which holds any bytes.
pub fn lacks_unicode_characters(charset: &str) -> bool {
    !matches!(current_name(charset), "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" | "binary")
}
