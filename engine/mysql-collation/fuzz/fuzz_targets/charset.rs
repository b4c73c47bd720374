//! Five character sets: well-formed prefixes equal the standard library's for UTF-8, and decoded
//! characters encode to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::Charset;

fuzz_target!(|input: (u8, &[u8])| {
    let (number, text) = input;
    let charsets = [Charset::Binary, Charset::Ascii, Charset::Latin1, Charset::Utf8mb3, Charset::Utf8mb4];
    let charset = charsets[usize::from(number) % charsets.len()];
    let prefix = charset.well_formed_prefix(text);
    assert_eq!(charset.validate(text), if prefix == text.len() { Ok(()) } else { Err(prefix) });
    if charset == Charset::Utf8mb4 {
        let expected = core::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
        assert_eq!(prefix, expected);
    }
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        let step = match charset.decode(&text[at..]) {
            Some((character, length)) => {
                let mut buffer = [0; 4];
                assert_eq!(charset.encode(character, &mut buffer), Some(length));
                assert_eq!(buffer[..length], text[at..at + length]);
                length
            }
            None => {
                assert!(at >= prefix);
                1
            }
        };
        at += step;
        count += 1;
    }
    assert_eq!(charset.char_len(text), count);
});
