//! Computing and verifying SHA-256 digests.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read, Seek};

use oci_spec::image::{Digest, DigestAlgorithm};
use sha2::{Digest as _, Sha256};

use crate::Error;

/// Returns the digest of a hasher's input, such as `sha256:2cf2…`.
pub(crate) fn finish(hasher: Sha256) -> String {
    let mut text = String::from("sha256:");
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Fails if the digests differ. `what` names the data for the error message.
pub(crate) fn check(what: &str, expected: &str, actual: String) -> Result<(), Error> {
    if expected == actual {
        return Ok(());
    }
    Err(Error::Digest { what: what.to_owned(), expected: expected.to_owned(), actual })
}

/// Fails unless the digest is SHA-256.
pub(crate) fn check_algorithm(what: &str, digest: &Digest) -> Result<(), Error> {
    if *digest.algorithm() == DigestAlgorithm::Sha256 {
        return Ok(());
    }
    Err(Error::DigestAlgorithm { what: what.to_owned(), digest: digest.to_string() })
}

/// Returns the SHA-256 of `bytes`, such as `sha256:2cf2…`.
pub fn sha256(bytes: &[u8]) -> String {
    finish(Sha256::new_with_prefix(bytes))
}

/// Fails unless the file has the digest. Leaves the file at its beginning.
pub(crate) fn check_file(what: &str, expected: &str, file: &mut File) -> Result<(), Error> {
    let read = |file: &mut File| -> io::Result<String> {
        let mut reader = HashingReader::new(&mut *file);
        io::copy(&mut reader, &mut io::sink())?;
        let digest = reader.finish();
        file.rewind()?;
        Ok(digest)
    };
    let actual = read(file).map_err(Error::io("read", what))?;
    check(what, expected, actual)
}

pub(crate) struct HashingReader<R> {
    reader: R,
    hasher: Sha256,
}

impl<R: Read> HashingReader<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, hasher: Sha256::new() }
    }

    pub fn finish(self) -> String {
        finish(self.hasher)
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..length]);
        Ok(length)
    }
}
