//! Packed files.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// Returns the content of the file at `path`: unpacked if its name ends in `.gz`.
pub fn unpack(path: &Path, file: impl Read + 'static) -> Box<dyn Read> {
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_packed_files() {
        let read = |name: &str, bytes: &'static [u8]| {
            let mut text = String::new();
            unpack(Path::new(name), bytes).read_to_string(&mut text).map(|_| text)
        };
        // Two members, `a` and `b`, as `gzip` writes them.
        let packed: Vec<u8> = ["a", "b"].iter().flat_map(|text| gzip(text)).collect();
        let packed: &'static [u8] = Box::leak(packed.into_boxed_slice());
        assert_eq!(read("x.sql.gz", packed).unwrap(), "ab");
        assert_eq!(read("x.sql", b"text").unwrap(), "text");
        assert!(read("x.gz", b"text").is_err());
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::GzEncoder::new(text.as_bytes(), flate2::Compression::fast()).read_to_end(&mut bytes).unwrap();
        bytes
    }
}
