//! `cargo xtask tables`: the weight tables of `crates/collation/data`, derived from what running servers answer.

mod catalogue;
mod contractions;
mod encode;
mod levels;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::ask;
use crate::servers::Source;
use contractions::Collation as Searched;

/// What to derive.
#[derive(clap::Args)]
pub struct Arguments {
    /// The MySQL server that tables and catalogue come from.
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// The MariaDB server that tables and catalogue come from.
    #[arg(long, default_value = "mariadb@trixie")]
    mariadb: String,
}

const BYTE_ORDERS: [&str; 8] = [
    "ascii_general_ci",
    "latin1_swedish_ci",
    "latin1_general_ci",
    "latin1_general_cs",
    "latin1_german1_ci",
    "latin1_german2_ci",
    "latin1_danish_ci",
    "latin1_spanish_ci",
];

/// Derives all tables and writes them.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut mysql = Source::open(&arguments.mysql)?;
    let mut mariadb = Source::open(&arguments.mariadb)?;
    let folder = Folder::new();
    for collation in BYTE_ORDERS {
        let weights = ask::byte_weights(&mut mysql, collation)?;
        let width = weights.iter().map(Vec::len).max().unwrap_or(1);
        let padded = |mut weights: Vec<u8>| {
            weights.resize(width, 0);
            weights
        };
        folder.write(collation, &weights.into_iter().flat_map(padded).collect::<Vec<u8>>())?;
    }
    for (file, collation) in [("general", "utf8mb4_general_ci"), ("general_mysql500", "utf8mb3_general_mysql500_ci")] {
        folder.write_words(file, &encode::simple(&levels::simple(&mut mysql, collation)?))?;
    }
    let mut lacking = Vec::new();
    for (file, collation) in [("uca400", "utf8mb4_unicode_ci"), ("uca520", "utf8mb4_unicode_520_ci")] {
        let primary = levels::primary(&mut mysql, collation)?;
        folder.write_words(&format!("{file}_primary"), &encode::level(&primary)?)?;
        lacking.push((collation, primary));
    }
    let uca900 = levels::separated(&mut mysql, "utf8mb4_0900_as_cs")?;
    folder.write_levels("uca900", &uca900)?;
    let uca1400 = levels::each(&mut mariadb, "utf8mb4_uca1400_as_cs")?;
    folder.write_levels("uca1400", &uca1400)?;
    for source in [&mut mysql, &mut mariadb] {
        let catalogue = catalogue::read(source)?;
        let file = format!("catalogue_{}.rs", source.server.flavour().to_string().to_lowercase());
        folder.write_file(&file, catalogue.as_bytes())?;
    }
    let searched =
        Searched { primary: "utf8mb4_uca1400_ai_ci", full: Some("utf8mb4_uca1400_as_cs"), weights: &uca1400[0] };
    let found = contractions::search(&mut mariadb, &searched)?;
    println!("{} contractions", found.len());
    folder.write_words("uca1400_contractions", &encode::contractions(&found)?)?;
    for (collation, primary) in lacking {
        let searched = Searched { primary: collation, full: None, weights: &primary };
        lacks_contractions(&mut mysql, &searched)?;
        lacks_contractions(&mut mariadb, &searched)?;
    }
    lacks_contractions(&mut mysql, &Searched { primary: "utf8mb4_0900_ai_ci", full: None, weights: &uca900[0] })?;
    println!("tables: {} bytes, from {} and {}", folder.size()?, mysql.title(), mariadb.title());
    Ok(())
}

/// A table without contractions is committed without; that there are none is asked for, too.
fn lacks_contractions(source: &mut Source, collation: &Searched<'_>) -> Result<()> {
    let found = contractions::search(source, collation)?;
    ensure!(found.is_empty(), "{} has {} contractions in {}", source.title(), found.len(), collation.primary);
    Ok(())
}

/// Where the tables are committed.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/collation/data"))
    }

    fn write_file(&self, file: &str, bytes: &[u8]) -> Result<()> {
        let path = self.0.join(file);
        println!("{file}: {} bytes", bytes.len());
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    }

    fn write(&self, table: &str, bytes: &[u8]) -> Result<()> {
        self.write_file(&format!("{table}.bin"), bytes)
    }

    fn write_words(&self, table: &str, words: &[u16]) -> Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(table, &bytes)
    }

    fn write_levels(&self, table: &str, levels: &[levels::Level; 3]) -> Result<()> {
        for (level, name) in levels.iter().zip(["primary", "secondary", "tertiary"]) {
            self.write_words(&format!("{table}_{name}"), &encode::level(level)?)?;
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        let mut size = 0;
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "bin") {
                size += entry.metadata()?.len();
            }
        }
        ensure!(size < 1 << 20, "the tables take {size} bytes, a mebibyte or more");
        Ok(size)
    }
}
