//! `cargo xtask sizes`: measures what the library adds to a linked program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, SectionKind};

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

/// Programs of `xtask/sizes`: name, content, and the maximum of data that the library may add, in
/// bytes.
const PROGRAMS: [(&str, &str, u64); 3] = [
    ("one", "utf8mb4_0900_ai_ci by its constant", 300_000),
    ("chinese", "utf8mb4_zh_0900_as_cs by its constant", 500_000),
    ("all", "every collation of both flavours, by name", 4_000_000),
];

/// A program of the same shape without the library.
const BASELINE_PROGRAM: &str = "none";

/// Sizes in memory when a program starts, in bytes.
struct Size {
    /// Instructions.
    code: u64,
    /// Everything else, mostly tables.
    data: u64,
}

/// Builds the programs, prints how much larger than one without the library each is, and returns
/// `true` if none exceeds its limit.
pub fn run(_: &Arguments) -> Result<bool> {
    let folder = build()?;
    let baseline = size(&folder.join(BASELINE_PROGRAM))?;
    let mut all_below = true;
    println!("{:44} {:>9}  {:>9}  {:>9}", "adds, in bytes", "data", "at most", "code");
    for (name, what, limit) in PROGRAMS {
        let Size { code, data } = size(&folder.join(name))?;
        let data = data.saturating_sub(baseline.data);
        let is_below = data <= limit;
        all_below &= is_below;
        let verdict = if is_below { "" } else { "  TOO MUCH" };
        println!("{what:44} {data:>9}  {limit:>9}  {:>9}{verdict}", code.saturating_sub(baseline.code));
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

fn build() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("sizes");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/sizes");
    let mut command = Command::new(crate::cargo());
    command.current_dir(&package).args(["build", "--quiet", "--locked", "--release", "--target-dir"]).arg(&target);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "the programs of {} don't build", package.display());
    Ok(target.join("release"))
}
