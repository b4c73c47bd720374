//! What the commands share that need no server: a collation from what was typed, and input from files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};

/// `--flavour`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlavourArg {
    /// MySQL's
    Mysql,
    /// MariaDB's
    Mariadb,
}

impl From<FlavourArg> for Flavour {
    fn from(flavour: FlavourArg) -> Self {
        match flavour {
            FlavourArg::Mysql => Flavour::MySql,
            FlavourArg::Mariadb => Flavour::MariaDb,
        }
    }
}

/// A collation, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub collation: Collation,
    /// "MySQL", "MariaDB" or, where both see strings alike, "MySQL, MariaDB".
    pub servers: String,
}

/// The collation of a name. Without a flavour, it must be one flavour's alone, or the same in both.
pub fn collation(name: &str, flavour: Option<FlavourArg>) -> Result<Collation> {
    let choices = collations(name, flavour)?;
    match choices.as_slice() {
        [one] => Ok(one.collation),
        _ => bail!(
            "MySQL and MariaDB order strings in different ways under {name}; add --flavour mysql or --flavour mariadb"
        ),
    }
}

/// All that a name can mean: one collation, or two where the flavours differ.
pub fn collations(name: &str, flavour: Option<FlavourArg>) -> Result<Vec<Choice>> {
    if let Some(flavour) = flavour {
        let flavour = flavour.into();
        let collation = Collation::by_name(flavour, name).map_err(|error| failure(name, &[flavour], &error))?;
        return Ok(vec![Choice { collation, servers: flavour.to_string() }]);
    }
    Ok(match Collation::of_name(name).map_err(|error| failure(name, &Flavour::ALL, &error))? {
        Meaning::Alone(collation) => vec![of_one(collation)],
        Meaning::Same(collation) => {
            vec![Choice { collation, servers: Flavour::ALL.map(|one| one.to_string()).join(", ") }]
        }
        Meaning::Different(both) => both.map(of_one).into(),
    })
}

fn of_one(collation: Collation) -> Choice {
    Choice { collation, servers: collation.info().flavour.to_string() }
}

fn failure(name: &str, flavours: &[Flavour], error: &LookupError) -> anyhow::Error {
    match error {
        LookupError::Unknown { .. } | LookupError::UnknownToAll { .. } => {}
        LookupError::OneNotEnabled { .. } => return anyhow!("{error}; add --flavour"),
        _ => return anyhow!("{error}"),
    }
    let known = flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.is_enabled());
    let nearest = measure::nearest(name, known.map(|info| info.name));
    let who: Vec<String> = flavours.iter().map(Flavour::to_string).collect();
    match (flavours, other_flavour(name, flavours)) {
        ([_], Some(other)) => anyhow!("{} has no collation {name}, but {other} has", who.join(" and ")),
        ([_], None) => anyhow!("{} has no collation {name}; {nearest}", who.join(" and ")),
        _ => {
            anyhow!("neither {} has a collation {name}; {}", who.join(" nor "), nearest.replace("it has", "they have"))
        }
    }
}

/// The flavour that was not asked, where it has the name.
fn other_flavour(name: &str, asked: &[Flavour]) -> Option<Flavour> {
    let others = Flavour::ALL.into_iter().filter(|flavour| !asked.contains(flavour));
    others.into_iter().find(|&flavour| !matches!(Collation::by_name(flavour, name), Err(LookupError::Unknown { .. })))
}

/// What stands for standard input among files.
const STDIN: &str = "-";

/// Opens an input: a file, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// The error of an input that can't be read.
pub fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    let name = if path == Path::new(STDIN) { "standard input".into() } else { path.display().to_string() };
    anyhow!("cannot read {name}: {error}")
}

/// The inputs that were named, or standard input.
pub fn inputs(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from(STDIN)] } else { files.to_vec() }
}

/// Writes to standard output through a buffer. That nobody reads on (`… | head`) is no error.
pub fn write_out(write: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| Ok(out.flush()?)) {
        Err(WriteError::Out(error)) if error.kind() == ErrorKind::BrokenPipe => {
            // What the buffer still holds has no reader either.
            let _ = out.into_parts();
            Ok(())
        }
        Err(WriteError::Out(error)) => bail!("cannot write to standard output: {error}"),
        Err(WriteError::Other(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}

/// Why writing ended.
pub enum WriteError {
    /// The output.
    Out(io::Error),
    /// Something else, such as the input.
    Other(anyhow::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(name: &str) -> Vec<String> {
        collations(name, None).unwrap().into_iter().map(|choice| choice.servers).collect()
    }

    #[test]
    fn a_flavour_is_needed_only_where_the_two_differ() {
        assert_eq!(servers("utf8mb4_general_ci"), ["MySQL, MariaDB"]);
        assert_eq!(servers("latin1_swedish_ci"), ["MySQL, MariaDB"]);
        assert_eq!(servers("utf8mb4_0900_as_cs"), ["MySQL", "MariaDB"]);
        assert_eq!(servers("utf8mb4_uca1400_ai_ci"), ["MariaDB"]);
        let refusal = collation("utf8mb4_0900_ai_ci", None).unwrap_err().to_string();
        assert!(refusal.contains("--flavour mysql or --flavour mariadb"), "{refusal}");
        let info = collation("utf8mb4_0900_ai_ci", Some(FlavourArg::Mysql)).unwrap().info();
        assert_eq!((info.name, info.flavour), ("utf8mb4_0900_ai_ci", Flavour::MySql));
    }

    #[test]
    fn what_is_unknown_is_answered_with_what_is_near() {
        let refusal = |name, flavour| collation(name, flavour).unwrap_err().to_string();
        let neither = refusal("utf8mb4_genral_ci", None);
        assert!(neither.contains("neither MySQL nor MariaDB") && neither.contains("utf8mb4_general_ci"), "{neither}");
        let other = refusal("utf8mb4_uca1400_ai_ci", Some(FlavourArg::Mysql));
        assert_eq!(other, "MySQL has no collation utf8mb4_uca1400_ai_ci, but MariaDB has");
    }
}
