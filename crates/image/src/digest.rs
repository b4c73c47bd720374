//! SHA-256 digests: nothing is used before it is known to be what it should be.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read, Seek};

use oci_spec::image::{Digest, DigestAlgorithm};
use sha2::{Digest as _, Sha256};

use crate::Error;

/// The digest of what has been fed to a hasher, such as `sha256:2cf2…`.
pub(crate) fn finish(hasher: Sha256) -> String {
    let mut text = String::from("sha256:");
    for byte in hasher.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// An error unless `actual` is the digest that `what` should have.
pub(crate) fn check(what: &str, expected: &str, actual: String) -> Result<(), Error> {
    if expected == actual {
        return Ok(());
    }
    Err(Error::Digest { what: what.to_owned(), expected: expected.to_owned(), actual })
}

/// An error unless the digest is one that can be verified.
pub(crate) fn check_algorithm(what: &str, digest: &Digest) -> Result<(), Error> {
    if *digest.algorithm() == DigestAlgorithm::Sha256 {
        return Ok(());
    }
    Err(Error::DigestAlgorithm { what: what.to_owned(), digest: digest.to_string() })
}

/// The SHA-256 of some bytes, such as `sha256:2cf2…`.
pub fn of(bytes: &[u8]) -> String {
    finish(Sha256::new_with_prefix(bytes))
}

/// An error unless the file has the digest. Reads it from its beginning and returns there.
pub(crate) fn check_file(what: &str, expected: &str, file: &mut File) -> Result<(), Error> {
    let read = |file: &mut File| -> io::Result<String> {
        let mut reader = Hashing::new(&mut *file);
        io::copy(&mut reader, &mut io::sink())?;
        let digest = reader.finish();
        file.rewind()?;
        Ok(digest)
    };
    let actual = read(file).map_err(Error::io("read", what))?;
    check(what, expected, actual)
}

/// A reader that hashes all that passes.
pub(crate) struct Hashing<R> {
    reader: R,
    hasher: Sha256,
}

impl<R: Read> Hashing<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, hasher: Sha256::new() }
    }

    pub fn finish(self) -> String {
        finish(self.hasher)
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..length]);
        Ok(length)
    }
}
