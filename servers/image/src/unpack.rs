//! Unpacking the layers of an image into a folder, from the lowest to the highest, and archives of
//! server binaries.

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

use crate::Error;
use crate::contents::{Image, Layer};
use crate::digest::{self, HashingReader};
use crate::layer::{self, ArchiveKind};
use crate::monitor::Monitor;

/// Maximum memory for decompressing xz, in KiB. Level 9 takes 65 MiB.
const MAX_XZ_KIBIBYTES: u32 = 256 << 10;

/// Storage of an image's layers: a registry or a folder.
pub(crate) trait LayerSource {
    /// Opens a layer as stored, compressed or not. Verifies its digest if the storage has one.
    fn open_layer(&self, layer: &Layer, monitor: &dyn Monitor) -> Result<File, Error>;
}

/// Unpacks an image into `root`, which is created. `title` names the image for `monitor`.
pub(crate) fn unpack(
    image: &Image,
    source: &dyn LayerSource,
    root: &Path,
    title: &str,
    monitor: &dyn Monitor,
) -> Result<(), Error> {
    create_root(root)?;
    for layer in &image.layers {
        let mut file = source.open_layer(layer, monitor)?;
        monitor.step(&format!("unpacking {title}"));
        unpack_layer(layer, &mut file, root, monitor)?;
    }
    Ok(())
}

/// Unpacks a tar archive, compressed by gzip, xz or zstd or not, into `root`, which is created. The
/// rules are those of an image's layer: no file outside `root`, no device, no set-user-id program.
/// `name` is for messages.
pub fn unpack_archive(archive: impl Read, name: &str, root: &Path, monitor: &dyn Monitor) -> Result<(), Error> {
    create_root(root)?;
    let stored = BufReader::with_capacity(1 << 18, archive);
    let decompressed = decompress(stored).map_err(Error::io("decompress", name))?;
    layer::apply(root, ArchiveKind::Archive(name), decompressed, monitor)
}

fn create_root(root: &Path) -> Result<(), Error> {
    fs::create_dir_all(root).map_err(Error::io("create", root))?;
    // A server may run as another account.
    fs::set_permissions(root, Permissions::from_mode(0o755)).map_err(Error::io("set the mode of", root))
}

fn unpack_layer(layer: &Layer, file: &mut File, root: &Path, monitor: &dyn Monitor) -> Result<(), Error> {
    let name = layer.name();
    file.rewind().map_err(Error::io("read", &name))?;
    let size = file.metadata().map_err(Error::io("read", &name))?.len();
    let stored = BufReader::with_capacity(1 << 18, ProgressReader { file, read: 0, size, monitor });
    let decompressed = decompress(stored).map_err(Error::io("decompress", &name))?;
    let mut archive = HashingReader::new(decompressed);
    let kind = ArchiveKind::Layer(&name);
    layer::apply(root, kind, &mut archive, monitor)?;
    // The digest also covers the bytes after the end of the archive.
    layer::skip_padding(kind, &mut archive, monitor)?;
    digest::check(&format!("the layer {name}, decompressed,"), layer.diff_id.as_ref(), archive.finish())
}

/// First bytes of compressed files.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const XZ: &[u8] = b"\xfd7zXZ\0";

/// Returns true for what [`decompress`] decompresses.
pub(crate) fn is_compressed(stored: impl Read) -> io::Result<bool> {
    let mut magic = Vec::new();
    stored.take(XZ.len() as u64).read_to_end(&mut magic)?;
    Ok([GZIP, ZSTD, XZ].iter().any(|kind| magic.starts_with(kind)))
}

/// Decompresses gzip, xz or zstd, recognised by the first bytes. Other data is not decompressed.
pub fn decompress<'a>(mut stored: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let magic = stored.fill_buf()?;
    if magic.starts_with(GZIP) {
        return Ok(Box::new(MultiGzDecoder::new(stored)));
    }
    if magic.starts_with(ZSTD) {
        return Ok(Box::new(ZstdFrames { decoder: None, stored: Some(stored) }));
    }
    if magic.starts_with(XZ) {
        return Ok(Box::new(XzReader::new_mem_limit(stored, true, MAX_XZ_KIBIBYTES)));
    }
    Ok(Box::new(stored))
}

/// Reader of a sequence of zstd frames. Ignores skippable frames, with magic numbers 0x184D2A50 to
/// 0x184D2A5F (RFC 8878, 3.1).
struct ZstdFrames<R: BufRead> {
    decoder: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
    /// The underlying reader, while no frame is being decoded.
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

/// Reports the share of the file that has been read.
struct ProgressReader<'a> {
    file: &'a mut File,
    read: u64,
    size: u64,
    monitor: &'a dyn Monitor,
}

impl Read for ProgressReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read += length as u64;
        self.monitor.fraction(self.read as f64 / self.size.max(1) as f64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_compressed_and_uncompressed_layers() {
        let text = b"weigh ".repeat(100_000);
        let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
        let skippable = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], &b"abc"[..]].concat();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, &text).unwrap();
        let gzip = gzip.finish().unwrap();
        let twice = text.repeat(2);
        for (stored, expected) in [
            (text.clone(), &text),
            (gzip.clone(), &text),
            (gzip.repeat(2), &twice),
            (zstd.clone(), &text),
            ([&zstd[..], &skippable, &zstd, &skippable].concat(), &twice),
        ] {
            let mut read = Vec::new();
            decompress(&stored[..]).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == *expected);
        }
        let truncated = &zstd[..zstd.len() / 2];
        assert!(decompress(truncated).unwrap().read_to_end(&mut Vec::new()).is_err());
    }
}
