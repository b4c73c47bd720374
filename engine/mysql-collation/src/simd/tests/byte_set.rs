//! Ranges of bytes, and the runs of such bytes at the ends of texts.

use super::*;
use crate::simd::{ByteRange, ByteSet};

/// First bytes of multi-byte character sets, Shift JIS as one flipped range, and ranges at the ends
/// of both halves.
fn ranges() -> [(ByteRange, Vec<u8>); 7] {
    [
        (ByteRange::new(0x81, 0xFE), (0x81..=0xFE).collect()),
        (ByteRange::new(0xA1, 0xF7), (0xA1..=0xF7).collect()),
        (ByteRange::flipped(0x20, 0xA1, 0xDC), (0x81..=0x9F).chain(0xE0..=0xFC).collect()),
        (ByteRange::new(0x80, 0xFF), (0x80..=0xFF).collect()),
        (ByteRange::new(0x00, 0x7F), (0x00..=0x7F).collect()),
        (ByteRange::new(b'0', b'9'), (b'0'..=b'9').collect()),
        (ByteRange::new(0x7F, 0x7F), vec![0x7F]),
    ]
}

#[test]
fn classifies_each_byte_in_any_context() {
    for (range, bytes) in ranges() {
        for byte in 0..=255u8 {
            let is_in = bytes.contains(&byte);
            assert_eq!(range.contains(byte), is_in, "{byte:#x} among {bytes:x?}");
            for beside in [0x00, 0x30, 0x7F, 0x80, 0xA1, 0xFF] {
                for at in 0..8 {
                    let mut word = [beside; 8];
                    word[at] = byte;
                    let expected = word.map(|byte| if bytes.contains(&byte) { 0x80 } else { 0 });
                    let which = (&range).members(u64::from_ne_bytes(word)).to_ne_bytes();
                    assert_eq!(which, expected, "{word:x?} among {bytes:x?}");
                }
            }
        }
    }
}

#[test]
fn finds_trailing_run_at_every_offset_and_length() {
    for (range, bytes) in ranges() {
        let others: Vec<u8> = (0..=255).filter(|byte| !bytes.contains(byte)).collect();
        let text: Vec<u8> = bytes.iter().copied().cycle().take(OFFSETS + LONGEST).collect();
        for_each_backend(|backend| {
            for offset in 0..OFFSETS {
                for n in 0..LONGEST {
                    // The bytes beyond both ends are in the range, too.
                    assert_eq!(backend.trailing_run(&range, &text[offset..offset + n]), n, "{}", backend.name);
                }
            }
            for (at, &other) in (0..LONGEST).zip(others.iter().cycle()) {
                let mut text = text[..LONGEST].to_vec();
                text[at] = other;
                let run = LONGEST - at - 1;
                assert_eq!(backend.trailing_run(&range, &text), run, "{other:#x} at {at}, {}", backend.name);
                // Bytes before the run must not count.
                text[..at].fill(other);
                assert_eq!(backend.trailing_run(&range, &text), run, "{other:#x} up to {at}, {}", backend.name);
            }
        });
    }
}

#[test]
fn each_byte_ends_or_extends_a_run() {
    for (range, bytes) in ranges() {
        for_each_backend(|backend| {
            for byte in 0..=255u8 {
                // The length of two vectors.
                let run = if bytes.contains(&byte) { 128 } else { 0 };
                assert_eq!(backend.trailing_run(&range, &[byte; 128]), run, "{byte:#x}, {}", backend.name);
            }
        });
    }
}
