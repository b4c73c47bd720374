//! The outer layer of `collations.dat` (docs/reference/data-format.md): header, directory and
//! compressed sections.

use std::io::{Read, Write};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

const MAGIC: &[u8; 8] = b"MYCOLLAT";
const FORMAT_VERSION: u16 = 1;
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 20;
/// Section bytes are compressed as they are.
const PLAIN: u32 = 0;
/// The low bytes of all 16-bit words are compressed before the high bytes.
const SPLIT: u32 = 1;

/// A part of the file that is read on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name for messages. Not written: section 0, the catalogue, has the names of tables.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns the file with these sections.
///
/// # Panics
/// With more than 65,535 sections, or in a file of 4 GiB.
pub fn write(sections: &[Section]) -> Vec<u8> {
    let mut directory = Vec::new();
    let mut body = Vec::new();
    let start = HEADER_BYTES + ENTRY_BYTES * sections.len();
    for Section { bytes, .. } in sections {
        let plain = deflate(bytes);
        let split = deflate(&split_words(bytes));
        let (encoding, packed) = if split.len() < plain.len() { (SPLIT, split) } else { (PLAIN, plain) };
        let number = |size: usize| u32::try_from(size).expect("the format has 32 bits for sizes");
        let entry =
            [number(start + body.len()), number(packed.len()), number(bytes.len()), crc32fast::hash(bytes), encoding];
        directory.extend(entry.iter().flat_map(|number| number.to_le_bytes()));
        body.extend(packed);
    }
    let mut file = MAGIC.to_vec();
    file.extend(FORMAT_VERSION.to_le_bytes());
    file.extend(
        u16::try_from(sections.len()).expect("the format has 16 bits for the number of sections").to_le_bytes(),
    );
    file.extend(crc32fast::hash(&directory).to_le_bytes());
    file.extend(directory);
    file.extend(body);
    file
}

/// Returns the bytes of each section of a file.
///
/// # Errors
/// If the file is of another format or damaged.
pub fn read(file: &[u8]) -> Result<Vec<Vec<u8>>> {
    let header = file.first_chunk::<HEADER_BYTES>().context("the file is too short")?;
    ensure!(header.starts_with(MAGIC), "the file does not begin with MYCOLLAT");
    ensure!(header[8..10] == FORMAT_VERSION.to_le_bytes(), "the file is not of format {FORMAT_VERSION}");
    let count = usize::from(u16::from_le_bytes([header[10], header[11]]));
    let directory =
        file.get(HEADER_BYTES..HEADER_BYTES + ENTRY_BYTES * count).context("the directory is incomplete")?;
    ensure!(header[12..] == crc32fast::hash(directory).to_le_bytes(), "the directory is damaged");
    directory.chunks_exact(ENTRY_BYTES).enumerate().map(|(index, entry)| read_section(file, index, entry)).collect()
}

fn read_section(file: &[u8], index: usize, entry: &[u8]) -> Result<Vec<u8>> {
    let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
    let (start, length, unpacked) = (number(0) as usize, number(4) as usize, number(8) as usize);
    let packed = file.get(start..start + length).with_context(|| format!("section {index} is incomplete"))?;
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).take(unpacked as u64 + 1).read_to_end(&mut bytes)?;
    match number(16) {
        PLAIN => {}
        SPLIT => bytes = join_words(&bytes),
        encoding => bail!("section {index} has the unknown encoding {encoding}"),
    }
    ensure!(bytes.len() == unpacked && crc32fast::hash(&bytes) == number(12), "section {index} is damaged");
    Ok(bytes)
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Returns the low bytes of all words, then their high bytes, then the last byte if the number of
/// bytes is odd.
fn split_words(bytes: &[u8]) -> Vec<u8> {
    let (words, last) = bytes.as_chunks::<2>();
    words.iter().map(|word| word[0]).chain(words.iter().map(|word| word[1])).chain(last.iter().copied()).collect()
}

fn join_words(bytes: &[u8]) -> Vec<u8> {
    let (low, rest) = bytes.split_at(bytes.len() / 2);
    let (high, last) = rest.split_at(low.len());
    low.iter().zip(high).flat_map(|(low, high)| [*low, *high]).chain(last.iter().copied()).collect()
}
