//! Mapping bytes, and finding the spaces that need a mark.

use super::*;

#[test]
fn bytes_of_equal_weight_are_equal() {
    let ordered: [u8; 256] = core::array::from_fn(|byte| byte as u8 / 2);
    // Equal in both cases but for one letter.
    let maps = (b'A'..=b'Z').map(|letter| {
        let mut map = without_case(ordered);
        map[usize::from(letter)] ^= 0x80;
        map
    });
    for map in maps.chain([ordered, without_case(ordered)]) {
        for (one, other) in
            (0..=u8::MAX).flat_map(|one| [one ^ 1, one ^ 0x20, one ^ 0x21, 0xC1].map(|other| (one, other)))
        {
            for before in [0, 1, 31, 33, 64] {
                let [mut a, mut b] = [[b'x'; 70]; 2];
                (a[before], b[before]) = (one, other);
                (a[before + 2], b[before + 2]) = (b'q', b'Q');
                (a[before + 4], b[before + 4]) = (other, one);
                let mapped = reference::first_mismatch(&a, &b, |x| map[usize::from(x)]);
                for_each_backend(|backend| {
                    assert_eq!(backend.mismatch_mapped(&ByteTable::new(&map), &a, &b), mapped, "{}", backend.name)
                });
            }
        }
    }
}

#[test]
fn finds_words_at_every_offset_and_length() {
    let is_words = |text: &[u8]| {
        let follows = |at: usize| text.get(at).is_some_and(|next| matches!(next, b'!'..=0x7F));
        (0..text.len()).all(|at| matches!(text[at], b'!'..=b'~') || text[at] == b' ' && follows(at + 1))
    };
    for_each_backend(|backend| {
        for n in 0..LONGEST {
            assert!(backend.is_words(&vec![b'a'; n]), "{}", backend.name);
            for at in 0..n {
                for byte in [b' ', b'~', b'!', 0x7F, 0x1F, 0, 0x80, 0xFF] {
                    for next in [b'b', b' ', 0x7F, 0xC3] {
                        let mut text = vec![b'a'; n];
                        text[at] = byte;
                        if let Some(slot) = text.get_mut(at + 1) {
                            *slot = next;
                        }
                        assert_eq!(backend.is_words(&text), is_words(&text), "{}: {text:x?}", backend.name);
                    }
                }
            }
        }
    });
}

/// Weights of a few kinds: the space, its neighbours, and others.
fn weights_with_spaces() -> impl Strategy<Value = Vec<u16>> {
    let weight = prop_oneof![8 => 0x200..0x300u16, 2 => Just(SPACE), 1 => any::<u16>(), 1 => SPACE - 2..SPACE];
    proptest::collection::vec(weight, 0..200)
}

const SPACE: u16 = 0x0209;

/// Index of the first weight that needs a mark, by a plain loop.
fn expected_mark(weights: &[u16], space: u16) -> usize {
    let is_marked = |&at: &usize| {
        weights[at] == space - 1 || weights[at] == space && weights.get(at + 1).is_none_or(|&next| next <= space)
    };
    (0..weights.len()).find(is_marked).unwrap_or(weights.len())
}

/// Weights as bytes of a key.
fn in_key(weights: &[u16]) -> Vec<u8> {
    weights.iter().flat_map(|weight| weight.to_be_bytes()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn marks_are_found((weights, offset) in (weights_with_spaces(), 0..20usize)) {
        let weights = &weights[offset.min(weights.len())..];
        let key = in_key(weights);
        let low: Vec<u8> = key.iter().copied().skip(1).step_by(2).collect();
        let of_low: Vec<u16> = low.iter().copied().map(u16::from).collect();
        for_each_backend(|backend| {
            assert_eq!(backend.find_marked_word(SPACE, &key), 2 * expected_mark(weights, SPACE), "{}", backend.name);
            assert_eq!(backend.find_marked_byte(SPACE as u8, &low), expected_mark(&of_low, SPACE & 0xFF), "{}", backend.name);
        });
    }

    #[test]
    fn bytes_are_mapped(text in "( |[a-z]{1,9} |[\u{1}-\u{FF}]){0,150}", map in proptest::collection::vec(any::<u8>(), 256)) {
        let map: [u8; 256] = core::array::from_fn(|byte| map[byte]);
        let mapped: Vec<u8> = text.bytes().map(|byte| map[usize::from(byte)]).collect();
        for_each_backend(|backend| {
            let mut key = vec![7];
            backend.append_mapped(&map, text.as_bytes(), &mut key);
            assert_eq!(&key[1..], mapped, "{}", backend.name);
        });
    }
}

#[test]
fn marks_are_found_at_every_place_and_length() {
    for n in 0..LONGEST {
        for at in 0..n {
            for (here, next) in [(SPACE, 0x1C47), (SPACE, SPACE - 3), (SPACE - 1, 0x1C47), (SPACE, SPACE)] {
                let mut weights = vec![0x1C47; n];
                weights[at] = here;
                if let Some(slot) = weights.get_mut(at + 1) {
                    *slot = next;
                }
                let key = in_key(&weights);
                let low: Vec<u8> = key.iter().copied().skip(1).step_by(2).collect();
                let expected = expected_mark(&weights, SPACE);
                for_each_backend(|backend| {
                    assert_eq!(backend.find_marked_word(SPACE, &key), 2 * expected, "{}", backend.name);
                    assert_eq!(backend.find_marked_byte(SPACE as u8, &low), expected, "{}", backend.name);
                });
            }
        }
    }
}
