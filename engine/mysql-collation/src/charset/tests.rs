use super::*;
extern crate std;
use alloc::vec::Vec;

#[test]
fn utf8mb4_is_unicodes_utf8() {
    for character in '\0'..=char::MAX {
        let mut buffer = [0; 4];
        let length = Charset::Utf8mb4.encode(character, &mut buffer).unwrap();
        assert_eq!(&buffer[..length], character.encode_utf8(&mut [0; 4]).as_bytes());
        assert_eq!(Charset::Utf8mb4.decode(&buffer), Some((character, length)));
        assert_eq!(Charset::Utf8mb3.decode(&buffer).is_some(), length <= 3);
    }
}

#[test]
fn well_formed_utf8_is_what_std_accepts() {
    // Every pair of bytes, followed by bytes around the bounds of continuation bytes.
    let bounds = [0x41, 0x80, 0xbf, 0xc2];
    for first in 0..=255_u8 {
        for second in 0..=255_u8 {
            for third in bounds {
                for fourth in bounds {
                    let bytes = [first, second, third, fourth];
                    let expected = core::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), |_| 4);
                    assert_eq!(Charset::Utf8mb4.well_formed_prefix(&bytes), expected, "{bytes:x?}");
                }
            }
        }
    }
}

#[test]
fn latin1_round_trips() {
    for byte in 0..=255_u8 {
        let (character, _) = Charset::Latin1.decode(&[byte]).unwrap();
        let mut buffer = [0];
        assert_eq!(Charset::Latin1.encode(character, &mut buffer), Some(1));
        assert_eq!(buffer, [byte]);
    }
    assert_eq!(Charset::Latin1.decode(b"\x80"), Some(('€', 1)));
    assert_eq!(Charset::Latin1.encode('Ж', &mut [0]), None);
}

#[test]
fn lengths_are_in_characters() {
    assert_eq!(Charset::Utf8mb4.char_len("aé漢😀".as_bytes()), 4);
    assert_eq!(Charset::Utf8mb3.char_len("aé漢😀".as_bytes()), 3 + 4);
    assert_eq!(Charset::Utf8mb4.char_len(b"a\xff\xc3"), 3);
    assert_eq!(Charset::Latin1.char_len("é".as_bytes()), 2);
    assert_eq!(Charset::Gb18030.char_len(b"a\xB0\xA1\x81\x30\x81\x30\xff"), 4);
    assert_eq!(Charset::Utf16.char_len(b"\0a\xd8\x3d\xde\x00"), 2);
}

#[test]
fn names_are_in_order_and_found() {
    assert!(Charset::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name() && pair[0] < pair[1]));
    for charset in Charset::ALL {
        assert_eq!(Charset::by_name(&charset.name().to_uppercase()), Some(charset));
        assert!(1 <= charset.min_bytes() && charset.min_bytes() <= charset.max_bytes());
    }
    assert_eq!(Charset::by_name("UTF8"), Some(Charset::Utf8mb3));
    assert_eq!(Charset::by_name(""), None);
}

#[test]
fn encoded_text_decodes_to_itself() {
    for charset in Charset::ALL {
        let mut buffer = [0; 4];
        for character in '\0'..=char::MAX {
            let Some(length) = charset.encode(character, &mut buffer) else { continue };
            assert!((charset.min_bytes()..=charset.max_bytes()).contains(&length));
            let decoded = charset.decode(&buffer[..length]);
            let expected = match (charset, character) {
                // cp932 encodes U+6661 as FAD7, which decodes as U+6659.
                (Charset::Cp932, '\u{6661}') => '\u{6659}',
                _ => character,
            };
            assert_eq!(decoded, Some((expected, length)), "{} {character:?}", charset.name());
        }
    }
}

#[test]
fn copies_ascii_only_between_ascii_compatible_charsets() {
    for charset in Charset::ALL {
        let bytes = |byte: u8| {
            let mut buffer = [0; 4];
            charset.encode(byte.into(), &mut buffer).map(|length| buffer[..length].to_vec())
        };
        let reads = (0..0x80).all(|byte| charset.decode(&[byte]) == Some((byte.into(), 1)));
        let writes = (0..0x80).all(|byte| bytes(byte) == Some([byte].into()));
        assert_eq!((charset.reads_ascii(), charset.writes_ascii()), (reads, writes), "{}", charset.name());
    }
}

#[test]
fn counts_lost_characters_and_does_not_panic() {
    let texts: Vec<Vec<u8>> = (0..=0xFFFF_u16)
        .step_by(97)
        .map(|n| {
            let [a, b] = n.to_be_bytes();
            [a, b, b ^ 0x55, b'a', a, 0x30, b, 0x39, 0xD8].into()
        })
        .collect();
    for from in Charset::ALL {
        for to in [Charset::Utf8mb4, Charset::Utf16, Charset::Gbk, Charset::Cp1251, Charset::Sjis] {
            for flavour in Flavour::ALL {
                for text in &texts {
                    let converted = from.convert(text, to, flavour);
                    assert!(converted.taken <= text.len());
                    if from != Charset::Binary && from != to {
                        let lost =
                            from.unconvertible(text, to, flavour).take_while(|lost| lost.bytes.start < converted.taken);
                        let cut = from.characters(flavour, &text[converted.taken..]).count();
                        assert_eq!(converted.lost, lost.count() + cut, "{} {} {text:x?}", from.name(), to.name());
                    }
                }
            }
        }
    }
}

#[test]
fn finds_boundaries_backwards() {
    use super::shape::{BIG5, EUCKR, GB2312, GBK, SHIFT_JIS};
    fn check<S: CharacterShape>(shape: S, farthest: usize, seed: &mut u32) {
        const BYTES: &[u8] = b"aZ@09 \x7F\x80\x81\x8E\x8F\xA0\xA1\xB0\xDF\xE0\xF7\xFE\xFF";
        let mut random = |count: usize| {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*seed >> 16) as usize % count
        };
        for _ in 0..20_000 {
            // Bytes of all roles in short texts, or mostly lead bytes in texts that can be longer
            // than `NEAR`.
            let (from, length) = if random(4) == 0 { (11, 90) } else { (0, 12) };
            let text: Vec<u8> = (0..random(length)).map(|_| BYTES[from + random(BYTES.len() - from)]).collect();
            let near = shape.boundary_near(&text, text.len());
            assert!(text.len() - near <= farthest, "{text:x?} {near}");
            for (after, also) in BYTES.iter().zip(BYTES.iter().rev()) {
                let all = [&text[..], &[*after, *also, b'0', 0xA1]].concat();
                let mut at = 0;
                while at < near {
                    at += shape.length(&all[at..]);
                }
                assert_eq!(at, near, "{text:x?} and {after:x}");
            }
        }
    }
    let mut seed = 1;
    for shape in [&BIG5, &GBK, &GB2312, &EUCKR, &SHIFT_JIS] {
        check(shape, 1, &mut seed);
    }
    check(EucJp, 2, &mut seed);
    check(Gb18030, usize::MAX, &mut seed);
}
