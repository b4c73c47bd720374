//! Archives with the same bytes for the same files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;
use tar::{Builder, EntryType, Header};

use super::payload::{File, LINK_MODE, compress};

/// Packs files below a folder as .tar.gz.
pub fn pack(folder: &str, files: &[File], time: u64) -> Result<Vec<u8>> {
    let mut archive = Tar::new(time);
    for file in files {
        let path = format!("{folder}/{}", file.path);
        match file.mode {
            LINK_MODE => archive.add_link(&path, Path::new(OsStr::from_bytes(&file.bytes)))?,
            mode => archive.add_file(&path, &file.bytes, mode)?,
        }
    }
    compress(&archive.finish()?)
}

/// A tar archive whose entries have one time.
pub struct Tar {
    builder: Builder<Vec<u8>>,
    time: u64,
}

impl Tar {
    pub fn new(time: u64) -> Self {
        Self { builder: Builder::new(Vec::new()), time }
    }

    fn header(&self, kind: EntryType, size: u64, mode: u32, owner: u64) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(mode);
        header.set_uid(owner);
        header.set_gid(owner);
        header.set_mtime(self.time);
        header
    }

    pub fn add_file(&mut self, path: &str, bytes: &[u8], mode: u32) -> Result<()> {
        let mut header = self.header(EntryType::Regular, bytes.len() as u64, mode, 0);
        Ok(self.builder.append_data(&mut header, path, bytes)?)
    }

    pub fn add_folder(&mut self, path: &str, mode: u32, owner: u64) -> Result<()> {
        let mut header = self.header(EntryType::Directory, 0, mode, owner);
        Ok(self.builder.append_data(&mut header, format!("{path}/"), std::io::empty())?)
    }

    pub fn add_link(&mut self, path: &str, target: &Path) -> Result<()> {
        let mut header = self.header(EntryType::Symlink, 0, 0o777, 0);
        Ok(self.builder.append_link(&mut header, path, target)?)
    }

    /// Adds the files of a folder, by name, with their paths below `root`.
    pub fn add_tree(&mut self, root: &Path, folder: &Path) -> Result<()> {
        let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        paths.sort();
        for path in paths {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let metadata = path.symlink_metadata()?;
            let mode = metadata.permissions().mode() & 0o7777;
            if metadata.is_symlink() {
                self.add_link(&name, &fs::read_link(&path)?)?;
            } else if metadata.is_dir() {
                self.add_folder(&name, mode, 0)?;
                self.add_tree(root, &path)?;
            } else {
                self.add_file(&name, &fs::read(&path)?, mode)?;
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        Ok(self.builder.into_inner()?)
    }
}
