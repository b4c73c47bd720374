//! `cargo xtask sizes`: what the library adds to a program, as linked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, SectionKind};

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

/// A program of `xtask/sizes`, what it has, and the most bytes of data that this may add.
const PROGRAMS: [(&str, &str, u64); 3] = [
    ("one", "utf8mb4_0900_ai_ci by its constant", 300_000),
    ("chinese", "utf8mb4_zh_0900_as_cs by its constant", 500_000),
    ("all", "every collation of both flavours, by name", 4_000_000),
];

/// A program of the same shape that has none of the library.
const NOTHING: &str = "none";

/// What a program has in memory when it starts, in bytes.
struct Size {
    /// Instructions.
    code: u64,
    /// All else: tables for the most part.
    data: u64,
}

/// Builds the programs, prints how much larger than one without the library each is, and returns whether the data of all are below their limits.
pub fn run(_: &Arguments) -> Result<bool> {
    let folder = build()?;
    let nothing = size(&folder.join(NOTHING))?;
    let mut all_below = true;
    println!("{:44} {:>9}  {:>9}  {:>9}", "adds, in bytes", "data", "at most", "code");
    for (name, what, limit) in PROGRAMS {
        let Size { code, data } = size(&folder.join(name))?;
        let data = data.saturating_sub(nothing.data);
        let is_below = data <= limit;
        all_below &= is_below;
        let verdict = if is_below { "" } else { "  TOO MUCH" };
        println!("{what:44} {data:>9}  {limit:>9}  {:>9}{verdict}", code.saturating_sub(nothing.code));
    }
    Ok(all_below)
}

fn size(program: &Path) -> Result<Size> {
    let file = fs::read(program).with_context(|| format!("reading {}", program.display()))?;
    let file = object::File::parse(&*file).with_context(|| format!("reading {}", program.display()))?;
    let mut size = Size { code: 0, data: 0 };
    for section in file.sections() {
        match section.kind() {
            SectionKind::Text => size.code += section.size(),
            kind if kind.is_bss() => size.data += section.size(),
            SectionKind::ReadOnlyData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::ReadOnlyString
            | SectionKind::Data
            | SectionKind::Tls => size.data += section.size(),
            _ => {}
        }
    }
    Ok(size)
}

/// Builds the programs, and says where they are.
fn build() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("sizes");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/sizes");
    let mut command = Command::new(crate::cargo());
    command.current_dir(&package).args(["build", "--quiet", "--locked", "--release", "--target-dir"]).arg(&target);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "the programs of {} don't build", package.display());
    Ok(target.join("release"))
}
