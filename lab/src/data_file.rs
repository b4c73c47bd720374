//! `cargo xtask data-file`: writes the library's tables and catalogue as one file, which the ports
//! to other languages read. docs/reference/data-format.md describes the file to the byte.

mod catalogue;
mod container;
mod operations;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub use catalogue::{CatalogueWriter, charset_tables};
pub use container::{Section, read, write};

/// Copies of the file. The Java port embeds the Go port's.
const COPIES: [&str; 1] = ["engine/ports/go/collations.dat"];

#[derive(clap::Args)]
pub struct Arguments {}

pub fn run(_: &Arguments) -> Result<()> {
    let bytes = write(&sections()?);
    for copy in COPIES {
        let path = root().join(copy);
        fs::write(&path, &bytes).with_context(|| format!("writing {}", path.display()))?;
        println!("{copy}: {} bytes", bytes.len());
    }
    Ok(())
}

/// Returns the sections of the file: the catalogue, then the tables.
pub fn sections() -> Result<Vec<Section>> {
    let catalogue = CatalogueWriter::new();
    let mut sections = vec![Section { name: "catalogue".into(), bytes: catalogue.encode()? }];
    let (operations, tables) = catalogue.section_names().split_last().context("the catalogue has no sections")?;
    for name in tables {
        let path = root().join("engine/mysql-collation/data").join(format!("{name}.bin"));
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        sections.push(Section { name: name.clone(), bytes });
    }
    sections.push(Section { name: operations.clone(), bytes: operations::encode(catalogue.collations())? });
    Ok(sections)
}

/// Returns the project's folder.
pub fn root() -> PathBuf {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    lab.parent().unwrap_or(lab).to_owned()
}

#[cfg(test)]
mod tests;
