//! The library compared with the vectors of the ports, which hold what servers returned.

use std::cmp::Ordering;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use lab::data_file::root;
use lab::verify::vectors::FOLDER;
use mysql_collation::{Collation, Flavour};

/// The lines of a file, read as docs/reference/vectors.md describes.
#[derive(Default)]
struct Checked {
    collations: Vec<Collation>,
    strings: usize,
    weights: usize,
    orders: usize,
    wrong: Vec<String>,
}

impl Checked {
    fn check_file(&mut self, flavour: Flavour, text: &str) {
        let mut strings: Vec<Vec<u8>> = Vec::new();
        let mut orders: Vec<&str> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            match words[0] {
                "collation" => self.collations.push(Collation::by_name(flavour, words[1]).unwrap()),
                "string" => strings.push(bytes(words[1])),
                "weight" => self.check_weight(&words, strings.last().unwrap()),
                "order" => orders.push(words[1]),
                "ill-formed" => self.check_order(&bytes(words[1]), &bytes(words[2]), words[3]),
                word => panic!("a line begins with {word}"),
            }
        }
        for (index, signs) in orders.into_iter().enumerate() {
            self.check_order(&strings[index], &strings[(index + 1) % strings.len()], signs);
        }
        self.strings = self.strings.max(strings.len());
    }

    fn check_weight(&mut self, words: &[&str], string: &[u8]) {
        let expected = bytes(words[2]);
        for number in words[1].split(',').flat_map(range) {
            let collation = self.collations[number];
            self.weights += 1;
            if collation.weight_string(string) != expected {
                self.wrong.push(format!("{collation}: WEIGHT_STRING of x'{string:02x?}'"));
            }
        }
    }

    fn check_order(&mut self, a: &[u8], b: &[u8], signs: &str) {
        assert_eq!(signs.len(), self.collations.len());
        for (collation, sign) in self.collations.iter().zip(signs.chars()) {
            let expected = match sign {
                '<' => Ordering::Less,
                '=' => Ordering::Equal,
                '>' => Ordering::Greater,
                _ => continue,
            };
            self.orders += 1;
            let keys = collation.sort_key(a).cmp(&collation.sort_key(b));
            let hashes_agree = expected.is_ne() || collation.hash_one(a) == collation.hash_one(b);
            if collation.compare(a, b) != expected || keys != expected || !hashes_agree {
                self.wrong.push(format!("{collation}: {a:02x?} {sign} {b:02x?}"));
            }
        }
    }
}

fn range(text: &str) -> impl Iterator<Item = usize> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    first.parse().unwrap()..=last.parse().unwrap()
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Checks all files of a flavour and returns the number of collations.
fn check(flavour: Flavour) -> usize {
    let mut collations = 0;
    for path in files(&root().join(FOLDER).join(flavour.to_string().to_lowercase())) {
        let mut text = String::new();
        GzDecoder::new(fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
        let mut checked = Checked::default();
        checked.check_file(flavour, &text);
        let (count, wrong) = (checked.collations.len(), &checked.wrong);
        assert!(
            wrong.is_empty(),
            "{}: {} differ, first {:?}",
            path.display(),
            wrong.len(),
            &wrong[..wrong.len().min(5)]
        );
        assert!(checked.strings >= 500, "{}", path.display());
        assert!(
            checked.weights * 100 >= count * checked.strings * 99,
            "{}: {} weights",
            path.display(),
            checked.weights
        );
        assert!(checked.orders * 100 >= count * checked.strings * 95, "{}: {} orders", path.display(), checked.orders);
        collations += count;
    }
    collations
}

#[test]
fn library_agrees_with_the_vectors_of_mysql() {
    assert_eq!(check(Flavour::MySql), 286);
}

#[test]
fn library_agrees_with_the_vectors_of_mariadb() {
    assert_eq!(check(Flavour::MariaDb), 1288);
}
