//! Files of packages and archives of `weigh`: program, manual pages, completions, README, change
//! log, licences.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};

use super::dependencies::Dependencies;
use super::program::{self, Target};
use super::{Release, notices};
use crate::bindings::root;

/// Mode of a symbolic link, whose content is the path that it names.
pub const LINK_MODE: u32 = 0o120_777;

/// A file of a package, by its path in the package.
pub struct File {
    pub path: String,
    pub bytes: Vec<u8>,
    pub mode: u32,
}

impl File {
    pub fn new(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes, mode: 0o644 }
    }
}

pub struct Payload {
    pub program: Vec<u8>,
    /// By shell.
    completions: Vec<(&'static str, Vec<u8>)>,
    /// By file name, such as `weigh-bench.1`.
    pages: Vec<(String, Vec<u8>)>,
    notices: String,
}

impl Payload {
    pub fn build(release: &Release, target: Target, dependencies: &Dependencies) -> Result<Self> {
        let program = program::build(release, target)?;
        // Completions and pages are the same for all targets.
        let runnable = program::build(release, program::AMD64)?;
        Self::with_program(&program, &runnable, notices::render(dependencies)?)
    }

    /// Collects the files of a built program. `runnable` is the same program for this machine.
    pub fn with_program(program: &Path, runnable: &Path, notices: String) -> Result<Self> {
        let completions = ["bash", "zsh", "fish"]
            .into_iter()
            .map(|shell| Ok((shell, run_for_output(Command::new(runnable).args(["completions", shell]))?)))
            .collect::<Result<_>>()?;
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        run_for_output(Command::new(runnable).args(["man", "--out"]).arg(folder.path()))?;
        let mut pages = Vec::new();
        for page in fs::read_dir(folder.path())? {
            let page = page?;
            pages.push((page.file_name().to_string_lossy().into_owned(), fs::read(page.path())?));
        }
        pages.sort();
        let program = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        Ok(Self { program, completions, pages, notices })
    }

    /// Returns the files of an archive that is unpacked anywhere.
    pub fn archive_files(&self) -> Result<Vec<File>> {
        let mut files = vec![File { mode: 0o755, ..File::new("weigh", self.program.clone()) }];
        for (shell, script) in &self.completions {
            let name = match *shell {
                "zsh" => "_weigh".to_owned(),
                shell => format!("weigh.{shell}"),
            };
            files.push(File::new(format!("completions/{name}"), script.clone()));
        }
        files.extend(self.pages.iter().map(|(name, page)| File::new(format!("man/{name}"), page.clone())));
        for name in ["README.md", "CHANGELOG.md"] {
            files.push(File::new(name, read_source(name)?));
        }
        files.extend(documentation("")?);
        files.extend(self.licence_files()?);
        Ok(files)
    }

    /// Returns the licences of the project and of the packages in the program.
    pub fn licence_files(&self) -> Result<[File; 3]> {
        Ok([
            File::new("LICENSE-MIT", read_source("LICENSE-MIT")?),
            File::new("LICENSE-APACHE", read_source("LICENSE-APACHE")?),
            File::new("THIRD-PARTY-LICENSES.txt", self.notices.clone().into_bytes()),
        ])
    }

    /// Returns the files of a package of Debian or an RPM system, by their paths below `/`.
    /// `zsh_folder` has that system's completions for zsh.
    pub fn system_files(&self, zsh_folder: &str) -> Result<Vec<File>> {
        let mut files = vec![File { mode: 0o755, ..File::new("usr/bin/weigh", self.program.clone()) }];
        for (shell, script) in &self.completions {
            let path = match *shell {
                "bash" => "usr/share/bash-completion/completions/weigh".to_owned(),
                "zsh" => format!("{zsh_folder}/_weigh"),
                _ => "usr/share/fish/vendor_completions.d/weigh.fish".to_owned(),
            };
            files.push(File::new(path, script.clone()));
        }
        for (name, page) in &self.pages {
            files.push(File::new(format!("usr/share/man/man1/{name}.gz"), compress(page)?));
        }
        let docs = "usr/share/doc/weighbridge";
        files.push(File::new(format!("{docs}/README.md"), read_source("README.md")?));
        files.extend(documentation("usr/share/doc/weighbridge/")?);
        files.push(File::new(format!("{docs}/CHANGELOG.md.gz"), compress(&read_source("CHANGELOG.md")?)?));
        let licences = self.licence_files()?.map(|file| file.bytes).join(&b"\n---\n\n"[..]);
        files.push(File::new(format!("{docs}/copyright"), licences));
        Ok(files)
    }
}

/// Returns the pages below `docs`, which help and messages name. `folder` comes before their paths.
fn documentation(folder: &str) -> Result<Vec<File>> {
    let (mut pages, mut folders) = (Vec::new(), vec!["docs".to_owned()]);
    while let Some(name) = folders.pop() {
        for entry in fs::read_dir(root().join(&name)).with_context(|| format!("cannot read {name}"))? {
            let entry = entry?;
            let path = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                pages.push(File::new(format!("{folder}{path}"), read_source(&path)?));
            }
        }
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(pages)
}

/// Compresses with gzip, without a file name and a time: equal bytes have equal results.
pub fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn read_source(name: &str) -> Result<Vec<u8>> {
    fs::read(root().join(name)).with_context(|| format!("cannot read {name}"))
}

fn run_for_output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    ensure!(
        output.status.success(),
        "{command:?} failed ({}): {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
