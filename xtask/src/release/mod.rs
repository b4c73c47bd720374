//! `cargo xtask release`: builds what users install, each file with its SHA-256, and says what is
//! in it.

mod archive;
mod c_library;
mod crates;
pub mod debian;
pub mod dependencies;
mod image;
mod manifest;
pub mod notices;
mod npm;
pub mod payload;
mod program;
mod rpm;
mod sbom;
mod standalone;
mod tools;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use sha2::{Digest, Sha256};

use crate::bindings::root;
use debian::Control;
use dependencies::Dependencies;
use payload::{File, Payload};
use program::Target;
use tools::Tools;
pub use trial::run_trials;

#[derive(clap::Args)]
#[command(
    after_help = "The compilers and linkers are installed to target/release-tools. Builds of the program are in target/TRIPLE/dist."
)]
pub struct Arguments {
    /// Files to build [default: all].
    #[arg(value_enum)]
    parts: Vec<Part>,

    /// Folder of the files.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    out: PathBuf,

    /// Build for arm64, too.
    #[arg(long)]
    arm64: bool,
}

const DEFAULT_OUT: &str = "target/release-files";

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The program with manual pages and completions, as .tar.gz, and its SBOM.
    Archive,
    /// Debian packages.
    Deb,
    /// RPM packages.
    Rpm,
    /// The command for pip, pipx and uv.
    Command,
    /// The container image, as an OCI archive.
    Image,
    /// The C library.
    C,
    /// The npm package.
    Npm,
    /// The Python module mysql-collation: wheels and source archive.
    Python,
    /// Source packages for crates.io: the library, its functions for DataFusion, and the command.
    Crates,
}

impl Part {
    fn contains_program(self) -> bool {
        !matches!(self, Self::C | Self::Npm | Self::Python | Self::Crates)
    }
}

const ALL: [Part; 9] =
    [Part::Archive, Part::Deb, Part::Rpm, Part::Command, Part::Image, Part::C, Part::Npm, Part::Python, Part::Crates];

/// Input of all parts of a release.
pub struct Release {
    pub version: &'static str,
    /// `WEIGH_COMMIT`, or the commit of git, with `+changes` if files differ from it.
    pub commit: String,
    /// Time of the commit in seconds since 1970: that of files in tar archives and packages.
    pub time: u64,
    pub tools: Tools,
    pub out: PathBuf,
}

impl Release {
    fn prepare(out: &Path) -> Result<Self> {
        fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        let out = out.canonicalize()?;
        let time = tools::git(&["log", "-1", "--format=%ct"])?.parse()?;
        Ok(Self { version: env!("CARGO_PKG_VERSION"), commit: tools::commit()?, time, tools: Tools::install()?, out })
    }

    /// Writes a Debian package and prints its path.
    fn write_deb(&self, package: &debian::Package, target: Target, depends: &str, files: &[File]) -> Result<()> {
        let (version, architecture) = (self.version, target.debian);
        let path = self.out.join(format!("{}_{version}_{architecture}.deb", package.name));
        debian::pack(&Control { package, version, architecture, depends, time: self.time }, files, &path)?;
        println!("{}", path.display());
        Ok(())
    }

    /// Writes a file of the release and prints its path.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.out.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    }
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let release = Release::prepare(&arguments.out)?;
    let parts: Vec<Part> = if arguments.parts.is_empty() { ALL.to_vec() } else { arguments.parts.clone() };
    let targets = if arguments.arm64 { &program::TARGETS[..] } else { &program::TARGETS[..1] };
    if parts.iter().any(|part| part.contains_program()) {
        for &target in targets {
            build_program_files(&release, target, &parts)?;
        }
    }
    if parts.contains(&Part::C) {
        for &target in targets {
            c_library::write(&release, target).context("cannot build the C library")?;
        }
    }
    if parts.contains(&Part::Npm) {
        npm::write(&release).context("cannot build the npm package")?;
    }
    if parts.contains(&Part::Python) {
        wheel::build_module(&release, targets).context("cannot build the wheel mysql-collation")?;
    }
    if parts.contains(&Part::Crates) {
        crates::write(&release).context("cannot package the crates")?;
    }
    write_sums(&release.out)
}

/// Writes the requested files that contain the program of a target.
fn build_program_files(release: &Release, target: Target, parts: &[Part]) -> Result<()> {
    let dependencies = Dependencies::read(&root(), sbom::COMMAND.package, target.triple)?;
    let payload = Payload::build(release, target, &dependencies)?;
    let version = release.version;
    for part in parts {
        match part {
            Part::Archive => {
                let name = format!("weighbridge-{version}-{}", target.triple);
                let files = payload.archive_files()?;
                release.write(&format!("{name}.tar.gz"), &archive::pack(&name, &files, release.time)?)?;
                let sbom = sbom::render(release, &sbom::COMMAND, target.triple, &root(), &dependencies)?;
                release.write(&format!("{name}.cdx.json"), sbom.as_bytes())?;
            }
            Part::Deb => {
                let depends = format!("libc6 (>= {})", program::C_LIBRARY);
                let files = payload.system_files("usr/share/zsh/vendor-completions")?;
                release.write_deb(&debian::COMMAND, target, &depends, &files)?;
            }
            Part::Rpm => {
                let files = payload.system_files("usr/share/zsh/site-functions")?;
                let name = format!("weighbridge-{version}-1.{}.rpm", target.architecture());
                release.write(&name, &rpm::pack(release, target, &files)?)?;
            }
            Part::Command => wheel::write_command(release, target, &payload)?,
            Part::Image => image::write(release, target, &payload)?,
            Part::C | Part::Npm | Part::Python | Part::Crates => {}
        }
    }
    Ok(())
}

/// Writes `SHA256SUMS`, which `sha256sum --check` reads.
fn write_sums(folder: &Path) -> Result<()> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name != "SHA256SUMS" {
            lines.push(format!("{:x}  {name}\n", Sha256::digest(fs::read(&path)?)));
        }
    }
    ensure!(!lines.is_empty(), "the release is empty");
    lines.sort_by(|one, other| one[66..].cmp(&other[66..]));
    fs::write(folder.join("SHA256SUMS"), lines.concat())?;
    println!("{}", folder.join("SHA256SUMS").display());
    Ok(())
}
