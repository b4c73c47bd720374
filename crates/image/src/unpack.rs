//! An image's layers, one upon the other, into a folder.

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::contents::{Image, Layer};
use crate::digest::{self, Hashing};
use crate::watch::{self, Watch};
use crate::{Error, layer};

/// Where the pieces of an image are.
pub(crate) trait Source {
    /// The bytes of a layer, as they are stored, verified against its digest where it has one.
    fn layer(&self, layer: &Layer, watch: &dyn Watch) -> Result<File, Error>;
}

/// Unpacks an image into `root`, which is made. `title` is for the watcher.
pub(crate) fn unpack(
    image: &Image,
    source: &dyn Source,
    root: &Path,
    title: &str,
    watch: &dyn Watch,
) -> Result<(), Error> {
    fs::create_dir_all(root).map_err(Error::io("create", root))?;
    // A server may run as another account than ours.
    fs::set_permissions(root, Permissions::from_mode(0o755)).map_err(Error::io("set the mode of", root))?;
    for layer in &image.layers {
        let mut file = source.layer(layer, watch)?;
        watch.step(&format!("unpacking {title}"));
        unpack_layer(layer, &mut file, root, watch)?;
    }
    Ok(())
}

fn unpack_layer(layer: &Layer, file: &mut File, root: &Path, watch: &dyn Watch) -> Result<(), Error> {
    let name = layer.name();
    file.rewind().map_err(Error::io("read", &name))?;
    let size = file.metadata().map_err(Error::io("read", &name))?.len();
    let stored = BufReader::with_capacity(1 << 18, Counted { file, read: 0, size, watch });
    let plain = decompressed(stored).map_err(Error::io("decompress", &name))?;
    let mut archive = Hashing::new(plain);
    layer::apply(root, &name, &mut archive, watch)?;
    // What follows the archive's end is part of what the digest is of.
    io::copy(&mut archive, &mut io::sink()).map_err(Error::io("decompress", &name))?;
    watch::check(watch)?;
    digest::check(&format!("the layer {name}, decompressed,"), layer.diff_id.as_ref(), archive.finish())
}

/// A layer may be packed by gzip or zstd, or not at all; its first bytes tell.
fn decompressed<'a>(mut stored: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let magic = stored.fill_buf()?;
    if magic.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(MultiGzDecoder::new(stored)));
    }
    if magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Ok(Box::new(ZstdFrames { decoder: None, stored: Some(stored) }));
    }
    Ok(Box::new(stored))
}

/// A zstd file: frames one after the other, some of them (0x184D2A50 to 0x184D2A5F) to be skipped (RFC 8878, 3.1).
struct ZstdFrames<R: BufRead> {
    decoder: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
    /// The reader between frames.
    stored: Option<R>,
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(decoder) = &mut self.decoder {
                let length = decoder.read(buffer)?;
                if length > 0 || buffer.is_empty() {
                    return Ok(length);
                }
                self.stored = self.decoder.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut stored) = self.stored.take() else { return Ok(0) };
            let start = stored.fill_buf()?;
            if start.is_empty() {
                return Ok(0);
            }
            if matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) {
                skip_frame(&mut stored)?;
                self.stored = Some(stored);
                continue;
            }
            self.decoder = Some(StreamingDecoder::new(stored).map_err(io::Error::other)?);
        }
    }
}

fn skip_frame(stored: &mut impl Read) -> io::Result<()> {
    let mut header = [0; 8];
    stored.read_exact(&mut header)?;
    let [_, _, _, _, a, b, c, d] = header;
    io::copy(&mut stored.take(u32::from_le_bytes([a, b, c, d]).into()), &mut io::sink())?;
    Ok(())
}

/// Tells the watcher how much of the file is read.
struct Counted<'a> {
    file: &'a mut File,
    read: u64,
    size: u64,
    watch: &'a dyn Watch,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read += length as u64;
        self.watch.fraction(self.read as f64 / self.size.max(1) as f64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_plain_layers_read_the_same() {
        let text = b"weigh ".repeat(100_000);
        let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
        let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], &b"abc"[..]].concat();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, &text).unwrap();
        let gzip = gzip.finish().unwrap();
        let twice = text.repeat(2);
        for (stored, expected) in [
            (text.clone(), &text),
            (gzip.clone(), &text),
            (gzip.repeat(2), &twice),
            (zstd.clone(), &text),
            ([&zstd[..], &skipped, &zstd, &skipped].concat(), &twice),
        ] {
            let mut read = Vec::new();
            decompressed(&stored[..]).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == *expected);
        }
        let cut = &zstd[..zstd.len() / 2];
        assert!(decompressed(cut).unwrap().read_to_end(&mut Vec::new()).is_err());
    }
}
