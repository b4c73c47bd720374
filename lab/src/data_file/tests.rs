use mysql_collation::oracle::{WeightSource, describe};
use mysql_collation::{Charset, Collation, Flavour, Pad, catalogue};

use super::*;

fn committed() -> Vec<u8> {
    fs::read(root().join(COPIES[0])).unwrap()
}

/// A reader of the catalogue as docs/reference/data-format.md describes it.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap();
        self.0 = rest;
        first
    }

    fn word(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    fn text(&mut self) -> String {
        let length = self.byte();
        (0..length).map(|_| char::from(self.byte())).collect()
    }
}

#[test]
fn file_has_the_tables_of_the_library() {
    let file = committed();
    let (read, expected) = (read(&file).unwrap(), sections().unwrap());
    assert_eq!(read.len(), expected.len());
    for (bytes, section) in read.iter().zip(&expected) {
        assert!(*bytes == section.bytes, "run `cargo xtask data-file`: {} is not as committed", section.name);
    }
    for copy in COPIES {
        assert!(fs::read(root().join(copy)).unwrap() == file, "{copy}");
    }
}

#[test]
fn catalogue_of_the_file_is_that_of_the_library() {
    let sections = read(&committed()).unwrap();
    let mut catalogue_reader = Reader(&sections[0]);
    let tables = read_tables(&mut catalogue_reader, sections.len());
    let charsets = read_charsets(&mut catalogue_reader);
    let all: Vec<Collation> = Flavour::ALL
        .into_iter()
        .flat_map(catalogue)
        .filter_map(|info| Collation::by_id(info.flavour, info.id).ok())
        .collect();
    assert_eq!(catalogue_reader.word(), all.len());
    for collation in all {
        check_collation(collation, &mut catalogue_reader, &charsets, &tables, &sections);
    }
    assert!(catalogue_reader.0.is_empty());
}

/// Returns the name of each section. A parent exists exactly for a language's table.
fn read_tables(reader: &mut Reader<'_>, sections: usize) -> Vec<String> {
    let count = reader.word();
    assert_eq!(count + 1, sections);
    let mut names = vec!["catalogue".to_owned()];
    let mut parents = vec![0];
    for _ in 0..count {
        names.push(reader.text());
        parents.push(reader.word());
    }
    for (name, parent) in names.iter().zip(parents) {
        match parent {
            0 => assert!(!name.starts_with("uca") || !name.contains('_'), "{name}"),
            parent => assert!(name.starts_with(&format!("{}_", names[parent])), "{name}"),
        }
    }
    names
}

fn read_charsets(reader: &mut Reader<'_>) -> Vec<String> {
    let count = reader.byte();
    let charset = |_| {
        let name = reader.text();
        let charset = Charset::by_name(&name).unwrap();
        assert_eq!(
            (usize::from(reader.byte()), usize::from(reader.byte())),
            (charset.min_bytes(), charset.max_bytes())
        );
        let decoding = reader.byte();
        let sections = [reader.word(), reader.word()].iter().filter(|&&section| section != 0).count();
        assert_eq!(sections, charset_tables(charset).len(), "{name}");
        for byte in (0..=u8::MAX).filter(|_| matches!(decoding, 3 | 5)) {
            let is_character = charset.well_formed_prefix(&[byte]) == 1;
            assert_eq!(reader.byte() & 1 == 1, is_character, "{byte:02x} in {name}");
        }
        name
    };
    (0..count).map(charset).collect()
}

fn check_collation(
    collation: Collation,
    reader: &mut Reader<'_>,
    charsets: &[String],
    tables: &[String],
    sections: &[Vec<u8>],
) {
    let (info, description) = (collation.info(), describe(collation));
    let name = info.name;
    assert_eq!((reader.byte(), reader.word(), reader.text()), (info.flavour as u8, info.id.into(), name.to_owned()));
    assert_eq!(charsets[usize::from(reader.byte())], info.charset, "{name}");
    let flags = [info.is_default, info.is_binary, info.pad == Pad::PadSpace];
    assert_eq!(flags.map(u8::from), [0, 1, 2].map(|bit| reader.0[0] >> bit & 1), "{name}");
    reader.byte();
    let levels = reader.byte();
    assert!((0..4).all(|level| info.levels.has(level) == (levels >> level & 1 == 1)), "{name}");
    let pads = reader.byte();
    assert!((0..4).all(|level| description.pads[level] == (pads >> level & 1 == 1)), "{name}");
    let (kind, parameter, section) = (reader.byte(), reader.byte(), reader.word());
    assert_eq!(section != 0, description.table.is_some(), "{name}");
    if let Some(table) = &description.table {
        assert_eq!(tables[section], *table, "{name}");
    }
    match description.source {
        WeightSource::ByteTable => {
            let weights = |byte: u8| u32::from(sections[section][usize::from(byte)]);
            let of_library = |byte: u8| collation.weights(&[byte]).next().unwrap().weights[0][0];
            assert!(kind == 1 && (0..=u8::MAX).all(|byte| weights(byte) == of_library(byte)), "{name}");
        }
        WeightSource::Numbers { width } | WeightSource::Folding { width } => assert_eq!(usize::from(parameter), width),
        WeightSource::Uca => assert_eq!(kind, 11, "{name}"),
        _ => assert!(kind < 10, "{name}"),
    }
    let rules = reader.byte();
    let expected = [
        description.ends_at_errors,
        description.like_by_page_beyond_primary,
        description.is_separated,
        description.wraps_first_mark,
        description.like_sees_root,
    ];
    assert_eq!([0, 1, 2, 3, 4].map(|bit| rules >> bit & 1 == 1), expected, "{name}");
    assert_eq!(usize::from(reader.byte()), description.one_is_zero_from.unwrap_or(255), "{name}");
}

#[test]
fn damage_is_found() {
    let file = committed();
    assert!(read(b"").is_err() && read(&file[..file.len() - 1]).is_err());
    for at in [0, 8, 10, 12, 20, 40, 400, 5_000, file.len() - 1] {
        let mut damaged = file.clone();
        damaged[at] ^= 4;
        assert!(read(&damaged).is_err(), "byte {at}");
    }
}
