//! The codec of each character set: length, code point and bytes of one character.

use super::data::{self, DoubleByte, EucJp};
use super::gb18030::FourBytes;
use super::shape::{self, CharacterShape, DoubleByteShape};
use super::single_byte::SingleByte;
use super::{Charset, utf8};
use crate::catalogue::Flavour;

/// The encoding of code points in a character set.
#[derive(Clone, Copy)]
pub(crate) enum Codec {
    /// Each byte is the code point with its number.
    Binary,
    /// Each byte below 0x80 is the code point with its number.
    Ascii,
    Single(&'static SingleByte),
    Double(&'static DoubleByteShape, &'static DoubleByte),
    EucJp(&'static EucJp),
    Gb18030(&'static DoubleByte, &'static FourBytes),
    /// UTF-8, with the maximum length of a character in bytes.
    Utf8(usize),
    Ucs2,
    Utf16,
    Utf16le,
    Utf32,
}

/// The bytes of an encoded character.
#[derive(Clone, Copy)]
pub(crate) struct Encoded {
    bytes: [u8; 4],
    length: usize,
}

impl Encoded {
    fn new<const N: usize>(bytes: [u8; N]) -> Self {
        const { assert!(N <= 4) }
        let mut all = [0; 4];
        all[..N].copy_from_slice(&bytes);
        Self { bytes: all, length: N }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Codec {
    pub(crate) const fn new(charset: Charset) -> Self {
        match charset {
            Charset::Armscii8 => Codec::Single(&data::ARMSCII8),
            Charset::Ascii => Codec::Ascii,
            Charset::Big5 => Codec::Double(&shape::BIG5, &data::BIG5),
            Charset::Binary => Codec::Binary,
            Charset::Cp1250 => Codec::Single(&data::CP1250),
            Charset::Cp1251 => Codec::Single(&data::CP1251),
            Charset::Cp1256 => Codec::Single(&data::CP1256),
            Charset::Cp1257 => Codec::Single(&data::CP1257),
            Charset::Cp850 => Codec::Single(&data::CP850),
            Charset::Cp852 => Codec::Single(&data::CP852),
            Charset::Cp866 => Codec::Single(&data::CP866),
            Charset::Cp932 => Codec::Double(&shape::SHIFT_JIS, &data::CP932),
            Charset::Dec8 => Codec::Single(&data::DEC8),
            Charset::Eucjpms => Codec::EucJp(&data::EUCJPMS),
            Charset::Euckr => Codec::Double(&shape::EUCKR, &data::EUCKR),
            Charset::Gb18030 => Codec::Gb18030(&data::GB18030, &data::GB18030_FOUR_BYTES),
            Charset::Gb2312 => Codec::Double(&shape::GB2312, &data::GB2312),
            Charset::Gbk => Codec::Double(&shape::GBK, &data::GBK),
            Charset::Geostd8 => Codec::Single(&data::GEOSTD8),
            Charset::Greek => Codec::Single(&data::GREEK),
            Charset::Hebrew => Codec::Single(&data::HEBREW),
            Charset::Hp8 => Codec::Single(&data::HP8),
            Charset::Keybcs2 => Codec::Single(&data::KEYBCS2),
            Charset::Koi8r => Codec::Single(&data::KOI8R),
            Charset::Koi8u => Codec::Single(&data::KOI8U),
            Charset::Latin1 => Codec::Single(&data::LATIN1),
            Charset::Latin2 => Codec::Single(&data::LATIN2),
            Charset::Latin5 => Codec::Single(&data::LATIN5),
            Charset::Latin7 => Codec::Single(&data::LATIN7),
            Charset::Macce => Codec::Single(&data::MACCE),
            Charset::Macroman => Codec::Single(&data::MACROMAN),
            Charset::Sjis => Codec::Double(&shape::SHIFT_JIS, &data::SJIS),
            Charset::Swe7 => Codec::Single(&data::SWE7),
            Charset::Tis620 => Codec::Single(&data::TIS620),
            Charset::Ucs2 => Codec::Ucs2,
            Charset::Ujis => Codec::EucJp(&data::UJIS),
            Charset::Utf16 => Codec::Utf16,
            Charset::Utf16le => Codec::Utf16le,
            Charset::Utf32 => Codec::Utf32,
            Charset::Utf8mb3 => Codec::Utf8(3),
            Charset::Utf8mb4 => Codec::Utf8(4),
        }
    }

    /// Returns the length in bytes of the character at the start of `bytes`; `None` at the end and
    /// if the bytes are ill-formed. The character need not be assigned a code point.
    ///
    /// Surrogates are ill-formed in UTF-8 and UTF-32 of MySQL, and well-formed in those of MariaDB.
    /// In `ucs2` they are well-formed in both.
    pub(crate) fn length(self, flavour: Flavour, bytes: &[u8]) -> Option<usize> {
        let may_be_surrogate = flavour == Flavour::MariaDb;
        match self {
            Codec::Binary | Codec::Ascii | Codec::Single(_) => (!bytes.is_empty()).then_some(1),
            Codec::Double(shape, _) => shape.well_formed_length(bytes),
            Codec::EucJp(_) => shape::EucJp.well_formed_length(bytes),
            Codec::Gb18030(..) => shape::Gb18030.well_formed_length(bytes),
            Codec::Utf8(longest) => utf8::decode(bytes)
                .filter(|&(code_point, length)| length <= longest && (may_be_surrogate || !is_surrogate(code_point)))
                .map(|(_, length)| length),
            Codec::Ucs2 => (bytes.len() >= 2).then_some(2),
            Codec::Utf16 => utf16_length(u16::from_be_bytes, bytes),
            Codec::Utf16le => utf16_length(u16::from_le_bytes, bytes),
            Codec::Utf32 => bytes
                .first_chunk()
                .map(|&bytes| u32::from_be_bytes(bytes))
                .filter(|&number| number <= 0x10_FFFF && (may_be_surrogate || !is_surrogate(number)))
                .map(|_| 4),
        }
    }

    /// As [`CharacterShape::boundary_near`].
    #[inline]
    pub(crate) fn boundary_near(self, text: &[u8], end: usize) -> usize {
        match self {
            Codec::Binary | Codec::Ascii | Codec::Single(_) => end,
            Codec::Double(shape, _) => shape.boundary_near(text, end),
            Codec::EucJp(_) => shape::EucJp.boundary_near(text, end),
            Codec::Gb18030(..) => shape::Gb18030.boundary_near(text, end),
            Codec::Ucs2 => end & !1,
            // In UTF-16 and UTF-32 an ill-formed byte counts as a character, and shifts all later
            // boundaries. UTF-8 has its own implementation.
            Codec::Utf8(_) | Codec::Utf16 | Codec::Utf16le | Codec::Utf32 => 0,
        }
    }

    /// Returns the code point of a well-formed character; `None` if the character is unassigned.
    pub(crate) fn code_point(self, character: &[u8]) -> Option<u32> {
        match (self, character) {
            (Codec::Binary, &[byte]) => Some(byte.into()),
            (Codec::Ascii, &[byte]) => byte.is_ascii().then_some(byte.into()),
            (Codec::Single(table), &[byte]) => table.decode(byte),
            (Codec::Double(_, table), _) => table.decode(character),
            (Codec::EucJp(table), &[_, second, third]) => assigned_code_point(table.third.get(second, third)),
            (Codec::EucJp(table), _) => table.double.decode(character),
            (Codec::Gb18030(_, table), &[a, b, c, d]) => table.decode([a, b, c, d]),
            (Codec::Gb18030(table, _), _) => table.decode(character),
            (Codec::Utf8(_), _) => utf8::decode(character).map(|(code_point, _)| code_point),
            (Codec::Ucs2, &[a, b]) => Some(u16::from_be_bytes([a, b]).into()),
            (Codec::Utf16, _) => decode_utf16(u16::from_be_bytes, character),
            (Codec::Utf16le, _) => decode_utf16(u16::from_le_bytes, character),
            (Codec::Utf32, &[a, b, c, d]) => Some(u32::from_be_bytes([a, b, c, d])),
            // No character of these encodings has this length.
            (Codec::Binary | Codec::Ascii | Codec::Single(_) | Codec::Ucs2 | Codec::Utf32, _) => None,
        }
    }

    /// Encodes a code point; `None` if the character set lacks it.
    pub(crate) fn encode(self, flavour: Flavour, code_point: u32) -> Option<Encoded> {
        let byte = u8::try_from(code_point).ok();
        let unit = u16::try_from(code_point).ok();
        if is_surrogate(code_point) && flavour == Flavour::MySql && !matches!(self, Codec::Ucs2) {
            return None;
        }
        match self {
            Codec::Binary => byte.map(|byte| Encoded::new([byte])),
            Codec::Ascii => byte.filter(u8::is_ascii).map(|byte| Encoded::new([byte])),
            Codec::Single(table) => table.encode(code_point).map(|byte| Encoded::new([byte])),
            Codec::Double(_, table) => table.encode(code_point),
            Codec::EucJp(table) => table.encode(code_point),
            Codec::Gb18030(table, four) => {
                table.encode(code_point).or_else(|| four.encode(code_point).map(Encoded::new))
            }
            Codec::Utf8(longest) => utf8_bytes(code_point).filter(|encoded| encoded.length <= longest),
            Codec::Ucs2 => unit.map(|unit| Encoded::new(unit.to_be_bytes())),
            Codec::Utf16 => utf16_bytes(code_point, u16::to_be_bytes),
            Codec::Utf16le => utf16_bytes(code_point, u16::to_le_bytes),
            Codec::Utf32 => (code_point <= 0x10_FFFF).then(|| Encoded::new(code_point.to_be_bytes())),
        }
    }
}

impl DoubleByte {
    fn decode(&self, character: &[u8]) -> Option<u32> {
        match *character {
            [0] => Some(0),
            [byte] => assigned_code_point(self.decode.get(0, byte)),
            [first, second] => assigned_code_point(self.decode.get(first, second)),
            _ => None,
        }
    }

    fn character_code(&self, code_point: u32) -> Option<u16> {
        let [high, low] = u16::try_from(code_point).ok()?.to_be_bytes();
        let code = self.encode.get(high, low);
        (code != 0 || code_point == 0).then_some(code)
    }

    fn encode(&self, code_point: u32) -> Option<Encoded> {
        Some(match self.character_code(code_point)?.to_be_bytes() {
            [0, byte] => Encoded::new([byte]),
            two => Encoded::new(two),
        })
    }
}

impl EucJp {
    /// Encodes a code point; `None` if the character set lacks it. A second byte below 0x80 in the
    /// table marks a character of three bytes.
    fn encode(&self, code_point: u32) -> Option<Encoded> {
        Some(match self.double.character_code(code_point)?.to_be_bytes() {
            [0, byte] => Encoded::new([byte]),
            [first, second @ ..0x80] => Encoded::new([0x8F, first, second | 0x80]),
            two => Encoded::new(two),
        })
    }
}

/// Returns the code point of a table entry; `None` for 0, an unassigned character.
fn assigned_code_point(entry: u16) -> Option<u32> {
    (entry != 0).then_some(entry.into())
}

pub(crate) const fn is_surrogate(code_point: u32) -> bool {
    matches!(code_point, 0xD800..0xE000)
}

fn utf16_length(unit: fn([u8; 2]) -> u16, bytes: &[u8]) -> Option<usize> {
    match unit(*bytes.first_chunk()?) {
        0xD800..0xDC00 => {
            let second = unit(*bytes.get(2..)?.first_chunk()?);
            (0xDC00..0xE000).contains(&second).then_some(4)
        }
        0xDC00..0xE000 => None,
        _ => Some(2),
    }
}

/// Decodes a well-formed character of UTF-16.
fn decode_utf16(unit: fn([u8; 2]) -> u16, character: &[u8]) -> Option<u32> {
    match *character {
        [a, b] => Some(unit([a, b]).into()),
        [a, b, c, d] => {
            let (high, low) = (u32::from(unit([a, b])) & 0x3FF, u32::from(unit([c, d])) & 0x3FF);
            Some(0x1_0000 + (high << 10 | low))
        }
        _ => None,
    }
}

fn utf16_bytes(code_point: u32, bytes: fn(u16) -> [u8; 2]) -> Option<Encoded> {
    if let Ok(unit) = u16::try_from(code_point) {
        return (!is_surrogate(code_point)).then(|| Encoded::new(bytes(unit)));
    }
    let mut units = [0; 2];
    char::from_u32(code_point)?.encode_utf16(&mut units);
    let ([a, b], [c, d]) = (bytes(units[0]), bytes(units[1]));
    Some(Encoded::new([a, b, c, d]))
}

/// Encodes a code point in UTF-8. Surrogates are encoded as well.
fn utf8_bytes(code_point: u32) -> Option<Encoded> {
    let last = |shift: u32| (code_point >> shift & 0x3F) as u8 | 0x80;
    let lead = |shift: u32, mark: u8| (code_point >> shift) as u8 | mark;
    match code_point {
        0..0x80 => Some(Encoded::new([code_point as u8])),
        0x80..0x800 => Some(Encoded::new([lead(6, 0xC0), last(0)])),
        0x800..0x1_0000 => Some(Encoded::new([lead(12, 0xE0), last(6), last(0)])),
        0x1_0000..=0x10_FFFF => Some(Encoded::new([lead(18, 0xF0), last(12), last(6), last(0)])),
        _ => None,
    }
}
