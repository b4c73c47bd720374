//! `cargo xtask tables`: the weight tables of `crates/collation/data`, derived from what running servers answer.

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

use crate::ask;
use crate::servers::Source;
use contractions::{Found, Searched};
use levels::Level;
use specification::{From, ROOTS, Specification, tailorings};

/// What to derive.
#[derive(clap::Args)]
pub struct Arguments {
    /// The MySQL server that tables and catalogue come from.
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// The MariaDB server that tables and catalogue come from.
    #[arg(long, default_value = "mariadb@trixie")]
    mariadb: String,
    /// Only these tables, by file name, or `catalogue`: the collations and their constants; can be given several times.
    /// Tables that they are tailorings of have to be as they are committed.
    #[arg(long)]
    table: Vec<String>,
}

const SIMPLE: [(&str, &str); 3] = [
    ("general", "utf8mb4_general_ci"),
    ("general_mysql500", "utf8mb3_general_mysql500_ci"),
    ("tolower", "utf8mb3_tolower_ci"),
];

/// Derives tables and writes them.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = Folder::new();
    let wants = |file: &str| arguments.table.is_empty() || arguments.table.iter().any(|table| table == file);
    let mut servers = [Server::new(From::MySql, &arguments.mysql), Server::new(From::MariaDb, &arguments.mariadb)];
    if wants("catalogue") {
        for server in &mut servers {
            let source = server.open()?;
            let flavour = source.server.flavour().to_string().to_lowercase();
            folder.write_file(&format!("catalogue_{flavour}.rs"), catalogue::read(source)?.as_bytes())?;
            folder.write_file(&format!("../src/{flavour}.rs"), catalogue::constants(source)?.as_bytes())?;
        }
    }
    let [mysql, mariadb] = &mut servers;
    let german2 = "latin1_german2_ci";
    if wants(german2) {
        folder.write(german2, &byte_order(mysql.open()?, german2)?)?;
    }
    for collation in legacy::BYTE_ORDERS.into_iter().chain(legacy::MULTI_BYTE_ORDERS).chain(legacy::WHOLE_TEXTS) {
        if wants(collation) {
            folder.write(&format!("legacy/{collation}"), &legacy::file(mysql.open()?, collation)?)?;
        }
    }
    if wants(gb18030::NAME) {
        folder.write(&format!("legacy/{}", gb18030::NAME), &gb18030::file(mysql.open()?)?)?;
    }
    for (file, collation) in SIMPLE {
        if wants(file) {
            folder.write_words(file, &encode::simple(&levels::simple(mysql.open()?, collation)?))?;
        }
    }
    if wants("general1400") {
        let level = levels::folding(mariadb.open()?, "utf8mb4_general1400_as_ci")?;
        folder.write_words("general1400", &encode::folding(&level)?)?;
    }
    // The servers are asked at the same time: each has tables of its own.
    std::thread::scope(|scope| -> Result<()> {
        let threads = servers.map(|mut server| {
            let folder = &folder;
            scope.spawn(move || server.tables(folder, wants))
        });
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?)
    })?;
    println!("tables: {} bytes", folder.size()?);
    Ok(())
}

/// The weights of each byte, as wide as the widest.
fn byte_order(source: &mut Source, collation: &str) -> Result<Vec<u8>> {
    let weights = ask::byte_weights(source, collation)?;
    let width = weights.iter().map(Vec::len).max().unwrap_or(1);
    let padded = |mut weights: Vec<u8>| {
        weights.resize(width, 0);
        weights
    };
    Ok(weights.into_iter().flat_map(padded).collect())
}

/// A server that tables come from; it is started when it is first asked.
struct Server<'a> {
    from: From,
    spec: &'a str,
    source: Option<Source>,
}

/// A table and the weights that it is made of.
struct Made {
    collation: String,
    shape: levels::Shape,
    levels: Vec<Level>,
    table: encode::Table,
}

impl<'a> Server<'a> {
    fn new(from: From, spec: &'a str) -> Self {
        Self { from, spec, source: None }
    }

    fn open(&mut self) -> Result<&mut Source> {
        if self.source.is_none() {
            self.source = Some(Source::open(self.spec)?);
        }
        self.source.as_mut().context("no server")
    }

    /// Its tables: the roots, and what is a tailoring of one.
    fn tables(&mut self, folder: &Folder, wants: impl Fn(&str) -> bool) -> Result<()> {
        for root in ROOTS {
            let all: Vec<Specification> = tailorings(root.file).filter(|one| one.from == self.from).collect();
            let wanted = |one: &Specification| wants(&one.file);
            let is_wanted = wants(root.file) && root.from == self.from;
            if !is_wanted && !all.iter().any(wanted) {
                continue;
            }
            let mut made: HashMap<String, Made> = HashMap::new();
            made.insert(root.file.to_owned(), self.root(root, folder, is_wanted)?);
            for one in &all {
                let needed = |other: &Specification| other.parent == one.file && wants(&other.file);
                if wants(&one.file) || all.iter().any(needed) {
                    let derived = self.tailoring(one, &made[one.parent.as_str()], folder)?;
                    made.insert(one.file.clone(), derived);
                }
            }
        }
        Ok(())
    }

    fn root(&mut self, root: &specification::Root, folder: &Folder, is_wanted: bool) -> Result<Made> {
        let source = self.open()?;
        let levels = levels::all(source, root.collation, root.shape)?;
        let found = if is_wanted {
            let searched = Searched {
                name: root.collation,
                shape: root.shape,
                levels: &levels,
                parent: None,
                blocks: &[],
                in_front: "",
            };
            contractions::search(source, &searched)?
        } else {
            known(root.collation, root.shape.count())?
        };
        let (table, words) = encode::table(&levels, found, None, false)?;
        if is_wanted {
            folder.write_words(root.file, &words)?;
        } else {
            ensure!(
                folder.read(root.file)? == bytes(&words),
                "{} of {} is not as committed",
                root.file,
                source.title()
            );
        }
        Ok(Made { collation: root.collation.to_owned(), shape: root.shape, levels, table })
    }

    fn tailoring(&mut self, one: &Specification, parent: &Made, folder: &Folder) -> Result<Made> {
        let source = self.open()?;
        let of_parent = levels::Parent { collation: &parent.collation, shape: parent.shape, levels: &parent.levels };
        let levels = levels::tailored(source, &one.collation, one.shape, &of_parent)?;
        let searched = Searched {
            name: &one.collation,
            shape: one.shape,
            levels: &levels,
            parent: Some(parent.table.contractions()),
            blocks: &one.blocks,
            in_front: one.in_front,
        };
        let found = contractions::search(source, &searched)?;
        println!("{}: {} contractions", one.file, found.len());
        let told_from = encode::Parent { table: &parent.table, levels: &parent.levels };
        let (table, words) = encode::table(&levels, found, Some(&told_from), one.reorders)?;
        folder.write_words(&one.file, &words)?;
        Ok(Made { collation: one.collation.clone(), shape: one.shape, levels, table })
    }
}

/// The contractions that the library has for a collation.
fn known(collation: &str, levels: usize) -> Result<Found> {
    let all = oracle::known_contractions(collation).with_context(|| format!("the library lacks {collation}"))?;
    let character = |code_point: u32| char::from_u32(code_point).context("no character");
    all.into_iter()
        .map(|mut one| {
            one.weights.truncate(levels);
            Ok((one.code_points.into_iter().map(character).collect::<Result<_>>()?, one.weights))
        })
        .collect()
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
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
        self.write(table, &bytes(words))
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
