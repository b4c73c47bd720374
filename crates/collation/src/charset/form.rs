//! What each character set is made of: the length, the code point and the bytes of one character.

use super::data::{self, DoubleByte, EucJp};
use super::gb18030::FourBytes;
use super::shape::{self, Double, Shape};
use super::single::SingleByte;
use super::{Charset, utf8};
use crate::Flavour;

/// How a character set encodes code points.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Bytes are code points.
    Binary,
    /// Bytes below 0x80 are code points.
    Ascii,
    Single(&'static SingleByte),
    Double(&'static Double, &'static DoubleByte),
    EucJp(&'static EucJp),
    Gb18030(&'static DoubleByte, &'static FourBytes),
    /// The length of the longest character.
    Utf8(usize),
    Ucs2,
    Utf16,
    Utf16le,
    Utf32,
}

/// The bytes of a character.
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

impl Form {
    pub(crate) const fn of(charset: Charset) -> Self {
        match charset {
            Charset::Armscii8 => Form::Single(&data::ARMSCII8),
            Charset::Ascii => Form::Ascii,
            Charset::Big5 => Form::Double(&shape::BIG5, &data::BIG5),
            Charset::Binary => Form::Binary,
            Charset::Cp1250 => Form::Single(&data::CP1250),
            Charset::Cp1251 => Form::Single(&data::CP1251),
            Charset::Cp1256 => Form::Single(&data::CP1256),
            Charset::Cp1257 => Form::Single(&data::CP1257),
            Charset::Cp850 => Form::Single(&data::CP850),
            Charset::Cp852 => Form::Single(&data::CP852),
            Charset::Cp866 => Form::Single(&data::CP866),
            Charset::Cp932 => Form::Double(&shape::SHIFT_JIS, &data::CP932),
            Charset::Dec8 => Form::Single(&data::DEC8),
            Charset::Eucjpms => Form::EucJp(&data::EUCJPMS),
            Charset::Euckr => Form::Double(&shape::EUCKR, &data::EUCKR),
            Charset::Gb18030 => Form::Gb18030(&data::GB18030, &data::GB18030_FOUR_BYTES),
            Charset::Gb2312 => Form::Double(&shape::GB2312, &data::GB2312),
            Charset::Gbk => Form::Double(&shape::GBK, &data::GBK),
            Charset::Geostd8 => Form::Single(&data::GEOSTD8),
            Charset::Greek => Form::Single(&data::GREEK),
            Charset::Hebrew => Form::Single(&data::HEBREW),
            Charset::Hp8 => Form::Single(&data::HP8),
            Charset::Keybcs2 => Form::Single(&data::KEYBCS2),
            Charset::Koi8r => Form::Single(&data::KOI8R),
            Charset::Koi8u => Form::Single(&data::KOI8U),
            Charset::Latin1 => Form::Single(&data::LATIN1),
            Charset::Latin2 => Form::Single(&data::LATIN2),
            Charset::Latin5 => Form::Single(&data::LATIN5),
            Charset::Latin7 => Form::Single(&data::LATIN7),
            Charset::Macce => Form::Single(&data::MACCE),
            Charset::Macroman => Form::Single(&data::MACROMAN),
            Charset::Sjis => Form::Double(&shape::SHIFT_JIS, &data::SJIS),
            Charset::Swe7 => Form::Single(&data::SWE7),
            Charset::Tis620 => Form::Single(&data::TIS620),
            Charset::Ucs2 => Form::Ucs2,
            Charset::Ujis => Form::EucJp(&data::UJIS),
            Charset::Utf16 => Form::Utf16,
            Charset::Utf16le => Form::Utf16le,
            Charset::Utf32 => Form::Utf32,
            Charset::Utf8mb3 => Form::Utf8(3),
            Charset::Utf8mb4 => Form::Utf8(4),
        }
    }

    /// The length in bytes of the character that `bytes` begin with, whether or not a code point is assigned to it; `None` at the
    /// end and where they are ill-formed. Surrogates are ill-formed in UTF-8 and UTF-32 to MySQL, characters to MariaDB, and
    /// characters of `ucs2` to both.
    pub(crate) fn length(self, flavour: Flavour, bytes: &[u8]) -> Option<usize> {
        let may_be_surrogate = flavour == Flavour::MariaDb;
        match self {
            Form::Binary | Form::Ascii | Form::Single(_) => (!bytes.is_empty()).then_some(1),
            Form::Double(shape, _) => shape.well_formed_length(bytes),
            Form::EucJp(_) => shape::EucJp.well_formed_length(bytes),
            Form::Gb18030(..) => shape::Gb18030.well_formed_length(bytes),
            Form::Utf8(longest) => utf8::decode(bytes)
                .filter(|&(code_point, length)| length <= longest && (may_be_surrogate || !is_surrogate(code_point)))
                .map(|(_, length)| length),
            Form::Ucs2 => (bytes.len() >= 2).then_some(2),
            Form::Utf16 => utf16_length(u16::from_be_bytes, bytes),
            Form::Utf16le => utf16_length(u16::from_le_bytes, bytes),
            Form::Utf32 => bytes
                .first_chunk()
                .map(|&bytes| u32::from_be_bytes(bytes))
                .filter(|&number| number <= 0x10_FFFF && (may_be_surrogate || !is_surrogate(number)))
                .map(|_| 4),
        }
    }

    /// As [`Shape::boundary_near`].
    #[inline]
    pub(crate) fn boundary_near(self, text: &[u8], end: usize) -> usize {
        match self {
            Form::Binary | Form::Ascii | Form::Single(_) => end,
            Form::Double(shape, _) => shape.boundary_near(text, end),
            Form::EucJp(_) => shape::EucJp.boundary_near(text, end),
            Form::Gb18030(..) => shape::Gb18030.boundary_near(text, end),
            Form::Ucs2 => end & !1,
            // An ill-formed byte counts as a character: those after it may begin anywhere.
            Form::Utf8(_) | Form::Utf16 | Form::Utf16le | Form::Utf32 => 0,
        }
    }

    /// The code point of a well-formed character; `None` if none is assigned to it.
    pub(crate) fn code_point(self, character: &[u8]) -> Option<u32> {
        match (self, character) {
            (Form::Binary, &[byte]) => Some(byte.into()),
            (Form::Ascii, &[byte]) => byte.is_ascii().then_some(byte.into()),
            (Form::Single(table), &[byte]) => table.decode(byte),
            (Form::Double(_, table), _) => table.decode(character),
            (Form::EucJp(table), &[_, second, third]) => assigned(table.third.get(second, third)),
            (Form::EucJp(table), _) => table.double.decode(character),
            (Form::Gb18030(_, table), &[a, b, c, d]) => table.decode([a, b, c, d]),
            (Form::Gb18030(table, _), _) => table.decode(character),
            (Form::Utf8(_), _) => utf8::decode(character).map(|(code_point, _)| code_point),
            (Form::Ucs2, &[a, b]) => Some(u16::from_be_bytes([a, b]).into()),
            (Form::Utf16, _) => utf16(u16::from_be_bytes, character),
            (Form::Utf16le, _) => utf16(u16::from_le_bytes, character),
            (Form::Utf32, &[a, b, c, d]) => Some(u32::from_be_bytes([a, b, c, d])),
            // Of no length that a character has.
            (Form::Binary | Form::Ascii | Form::Single(_) | Form::Ucs2 | Form::Utf32, _) => None,
        }
    }

    /// The bytes of a code point; `None` if the character set lacks it.
    pub(crate) fn encode(self, flavour: Flavour, code_point: u32) -> Option<Encoded> {
        let byte = u8::try_from(code_point).ok();
        let unit = u16::try_from(code_point).ok();
        if is_surrogate(code_point) && flavour == Flavour::MySql && !matches!(self, Form::Ucs2) {
            return None;
        }
        match self {
            Form::Binary => byte.map(|byte| Encoded::new([byte])),
            Form::Ascii => byte.filter(u8::is_ascii).map(|byte| Encoded::new([byte])),
            Form::Single(table) => table.encode(code_point).map(|byte| Encoded::new([byte])),
            Form::Double(_, table) => table.encode(code_point),
            Form::EucJp(table) => table.encode(code_point),
            Form::Gb18030(table, four) => {
                table.encode(code_point).or_else(|| four.encode(code_point).map(Encoded::new))
            }
            Form::Utf8(longest) => utf8_bytes(code_point).filter(|encoded| encoded.length <= longest),
            Form::Ucs2 => unit.map(|unit| Encoded::new(unit.to_be_bytes())),
            Form::Utf16 => utf16_bytes(code_point, u16::to_be_bytes),
            Form::Utf16le => utf16_bytes(code_point, u16::to_le_bytes),
            Form::Utf32 => (code_point <= 0x10_FFFF).then(|| Encoded::new(code_point.to_be_bytes())),
        }
    }
}

impl DoubleByte {
    fn decode(&self, character: &[u8]) -> Option<u32> {
        match *character {
            [0] => Some(0),
            [byte] => assigned(self.decode.get(0, byte)),
            [first, second] => assigned(self.decode.get(first, second)),
            _ => None,
        }
    }

    fn code(&self, code_point: u32) -> Option<u16> {
        let [high, low] = u16::try_from(code_point).ok()?.to_be_bytes();
        let code = self.encode.get(high, low);
        (code != 0 || code_point == 0).then_some(code)
    }

    fn encode(&self, code_point: u32) -> Option<Encoded> {
        Some(match self.code(code_point)?.to_be_bytes() {
            [0, byte] => Encoded::new([byte]),
            two => Encoded::new(two),
        })
    }
}

impl EucJp {
    /// As of two bytes; the second one is below 0x80 for a character of three.
    fn encode(&self, code_point: u32) -> Option<Encoded> {
        Some(match self.double.code(code_point)?.to_be_bytes() {
            [0, byte] => Encoded::new([byte]),
            [first, second @ ..0x80] => Encoded::new([0x8F, first, second | 0x80]),
            two => Encoded::new(two),
        })
    }
}

/// The code point of an entry.
fn assigned(entry: u16) -> Option<u32> {
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

/// The code point of a well-formed character of UTF-16.
fn utf16(unit: fn([u8; 2]) -> u16, character: &[u8]) -> Option<u32> {
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

/// UTF-8, of surrogates too.
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
