//! `cargo xtask tables`: derives the weight tables in `engine/mysql-collation/data` from running
//! servers.

mod catalogue;
mod contractions;
mod encode;
mod gb18030;
mod legacy;
mod levels;
mod reordering;
mod specification;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use mysql_collation::oracle;

use crate::query;
use crate::servers::Source;
use contractions::{Contractions, SearchedCollation};
use levels::Level;
use specification::{Origin, ROOTS, Tailoring, tailorings};

#[derive(clap::Args)]
pub struct Arguments {
    /// MySQL server that tables and catalogue come from.
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// MariaDB server that tables and catalogue come from.
    #[arg(long, default_value = "mariadb@trixie")]
    mariadb: String,
    /// Derive only these tables, by file name, or `catalogue`, the collations and their constants;
    /// may be repeated. The tables between them and their root are derived, too; the root must be
    /// as committed.
    #[arg(long)]
    table: Vec<String>,
}

const SIMPLE_TABLES: [(&str, &str); 3] = [
    ("general", "utf8mb4_general_ci"),
    ("general_mysql500", "utf8mb3_general_mysql500_ci"),
    ("tolower", "utf8mb3_tolower_ci"),
];

pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = TableFolder::new();
    let wants = |file: &str| arguments.table.is_empty() || arguments.table.iter().any(|table| table == file);
    let mut servers = [Server::new(Origin::MySql, &arguments.mysql), Server::new(Origin::MariaDb, &arguments.mariadb)];
    if wants("catalogue") {
        for server in &mut servers {
            let source = server.open()?;
            let flavour = source.server.flavour().to_string().to_lowercase();
            let (catalogue, constants) = (catalogue::write_catalogue(source)?, catalogue::write_constants(source)?);
            folder.write_file(&format!("../src/catalogue/generated/{flavour}.rs"), catalogue.as_bytes())?;
            folder.write_file(&format!("../src/api/generated/{flavour}.rs"), constants.as_bytes())?;
        }
    }
    let [mysql, mariadb] = &mut servers;
    let german2 = "latin1_german2_ci";
    if wants(german2) {
        folder.write(german2, &derive_byte_order(mysql.open()?, german2)?)?;
    }
    for collation in legacy::BYTE_ORDERS.into_iter().chain(legacy::MULTI_BYTE_ORDERS).chain(legacy::WHOLE_TEXTS) {
        if wants(collation) {
            folder.write(&format!("legacy/{collation}"), &legacy::derive_file(mysql.open()?, collation)?)?;
        }
    }
    if wants(gb18030::NAME) {
        folder.write(&format!("legacy/{}", gb18030::NAME), &gb18030::derive_file(mysql.open()?)?)?;
    }
    for (file, collation) in SIMPLE_TABLES {
        if wants(file) {
            folder.write_words(file, &encode::encode_simple(&levels::query_simple(mysql.open()?, collation)?))?;
        }
    }
    if wants("general1400") {
        let level = levels::query_folding(mariadb.open()?, "utf8mb4_general1400_as_ci")?;
        folder.write_words("general1400", &encode::encode_folding(&level)?)?;
    }
    // One thread per server; the servers share no tables.
    std::thread::scope(|scope| -> Result<()> {
        let threads = servers.map(|mut server| {
            let folder = &folder;
            scope.spawn(move || server.derive_tables(folder, wants))
        });
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?)
    })?;
    println!("tables: {} bytes", folder.size()?);
    Ok(())
}

/// Returns the weights of each byte, padded to the longest.
fn derive_byte_order(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let weights = query::query_byte_weights(source, collation)?;
    let width = weights.iter().map(Vec::len).max().unwrap_or(1);
    let padded = |mut weights: Vec<u8>| {
        weights.resize(width, 0);
        weights
    };
    Ok(weights.into_iter().flat_map(padded).collect())
}

/// A server that tables come from, started when it is first needed.
struct Server<'a> {
    from: Origin,
    spec: &'a str,
    source: Option<Source>,
}

struct DerivedTable {
    collation: String,
    shape: levels::LevelFormat,
    levels: Vec<Level>,
    table: encode::EncodedTable,
}

impl<'a> Server<'a> {
    fn new(from: Origin, spec: &'a str) -> Self {
        Self { from, spec, source: None }
    }

    fn open(&mut self) -> Result<&mut Source> {
        if self.source.is_none() {
            self.source = Some(Source::open(self.spec)?);
        }
        self.source.as_mut().context("no server")
    }

    fn derive_tables(&mut self, folder: &TableFolder, wants: impl Fn(&str) -> bool) -> Result<()> {
        for root in ROOTS {
            let all: Vec<Tailoring> = tailorings(root.file).filter(|table| table.from == self.from).collect();
            let wanted = |table: &Tailoring| wants(&table.file);
            let is_wanted = wants(root.file) && root.from == self.from;
            if !is_wanted && !all.iter().any(wanted) {
                continue;
            }
            let mut made: HashMap<String, DerivedTable> = HashMap::new();
            made.insert(root.file.to_owned(), self.derive_root(root, folder, is_wanted)?);
            for table in &all {
                let needed = |other: &Tailoring| other.parent == table.file && wants(&other.file);
                if wants(&table.file) || all.iter().any(needed) {
                    let derived = self.derive_tailoring(table, &made[table.parent.as_str()], folder)?;
                    made.insert(table.file.clone(), derived);
                }
            }
        }
        Ok(())
    }

    fn derive_root(
        &mut self,
        root: &specification::RootTable,
        folder: &TableFolder,
        is_wanted: bool,
    ) -> Result<DerivedTable> {
        let source = self.open()?;
        let levels = levels::query_levels(source, root.collation, root.shape)?;
        let contractions = if is_wanted {
            let searched = SearchedCollation {
                name: root.collation,
                shape: root.shape,
                levels: &levels,
                parent: None,
                blocks: &[],
                prefix: "",
            };
            contractions::find_contractions(source, &searched)?
        } else {
            load_contractions(root.collation, root.shape.count())?
        };
        let (table, words) = encode::encode_table(&levels, contractions, None, false)?;
        if is_wanted {
            folder.write_words(root.file, &words)?;
        } else {
            ensure!(
                folder.read(root.file)? == to_bytes(&words),
                "{} of {} is not as committed",
                root.file,
                source.title()
            );
        }
        Ok(DerivedTable { collation: root.collation.to_owned(), shape: root.shape, levels, table })
    }

    fn derive_tailoring(
        &mut self,
        specification: &Tailoring,
        parent: &DerivedTable,
        folder: &TableFolder,
    ) -> Result<DerivedTable> {
        let source = self.open()?;
        let parent_levels =
            levels::Parent { collation: &parent.collation, shape: parent.shape, levels: &parent.levels };
        let levels = levels::query_tailoring(source, &specification.collation, specification.shape, &parent_levels)?;
        let searched = SearchedCollation {
            name: &specification.collation,
            shape: specification.shape,
            levels: &levels,
            parent: Some(parent.table.contractions()),
            blocks: &specification.blocks,
            prefix: specification.prefix,
        };
        let contractions = contractions::find_contractions(source, &searched)?;
        println!("{}: {} contractions", specification.file, contractions.len());
        let encoded_parent = encode::Parent { table: &parent.table, levels: &parent.levels };
        let (table, words) =
            encode::encode_table(&levels, contractions, Some(&encoded_parent), specification.reorders)?;
        folder.write_words(&specification.file, &words)?;
        Ok(DerivedTable { collation: specification.collation.clone(), shape: specification.shape, levels, table })
    }
}

fn load_contractions(collation: &str, levels: usize) -> Result<Contractions> {
    let all = oracle::known_contractions(collation).with_context(|| format!("the library lacks {collation}"))?;
    let character = |code_point: u32| char::from_u32(code_point).context("no character");
    all.into_iter()
        .map(|mut contraction| {
            contraction.weights.truncate(levels);
            let text = contraction.code_points.into_iter().map(character).collect::<Result<_>>()?;
            Ok((text, contraction.weights))
        })
        .collect()
}

fn to_bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

struct TableFolder(PathBuf);

impl TableFolder {
    fn new() -> Self {
        Self(Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/mysql-collation/data"))
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
        self.write(table, &to_bytes(words))
    }

    fn read(&self, table: &str) -> Result<Vec<u8>> {
        let path = self.0.join(format!("{table}.bin"));
        fs::read(&path).with_context(|| format!("reading {}", path.display()))
    }

    fn size(&self) -> Result<u64> {
        let mut size = 0;
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "bin") {
                size += entry.metadata()?.len();
            }
        }
        ensure!(size < 4 << 20, "the tables take {size} bytes, four mebibytes or more");
        Ok(size)
    }
}
