//! A dump as the new server takes it: refused statements replaced by those that were seen to work.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use files::Access;
use server::Server;
use sql::{SqlMode, split_statements};
use why::Refusal;

use crate::Error;
use crate::load::load_target;
use crate::material::{Dump, Schema, each_of_dumps};
use crate::model::{Area, DumpChange, Mend, Rewritten, cut_quotation};
use crate::side;

/// User variable that keeps the session's `sql_mode` during a mended statement.
const KEPT_MODE: &str = "@weigh_sql_mode";

/// First line of a rewritten dump. A file without it is not replaced.
const FIRST_LINE: &str = "-- Rewritten by weigh upgrade";

/// Returns an error if the path has a file that is no rewritten dump.
pub fn check_rewrite(path: &Path) -> Result<(), Error> {
    files::check_own(path, FIRST_LINE).map_err(|source| Error::Write { name: path.display().to_string(), source })
}

/// Writes the dump with mends, by the numbers of the statements, and loads the file into the new
/// server, after dropping the server's schemas.
pub fn rewrite(
    server: &Server,
    dumps: &[Dump],
    mends: &BTreeMap<usize, Mend>,
    path: &Path,
    into: Option<&str>,
) -> Result<Rewritten, Error> {
    let file = path.display().to_string();
    let fail = |failure| match failure {
        Failure::Own(error) => *error,
        Failure::Io(source) => Error::Write { name: file.clone(), source },
    };
    // The dump may have rows, which only its owner may read.
    files::replace_own(path, Access::OwnerOnly, FIRST_LINE, |out| write(dumps, mends, out)).map_err(fail)?;
    side::clear(server)?;
    let own = path.to_owned();
    let open = move || Ok(Box::new(BufReader::new(std::fs::File::open(&own)?)) as Box<dyn io::BufRead>);
    let schema = Schema::Dumps(vec![Dump { name: file.clone(), open: Box::new(open) }]);
    let loaded = load_target(server, &schema, into, &BTreeMap::new(), Area::Load)?;
    let left = loaded.refused.iter().map(|(place, refusal)| format!("{place}: {}", hide_password(refusal))).collect();
    Ok(Rewritten { file, statements: mends.len() as u64, changes: list_changes(mends), effects: Vec::new(), left })
}

/// Cuts an error before the part of a statement that it quotes, if this may have a password.
fn hide_password(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut cut = text.clone();
    cut_quotation(&mut cut);
    let quotation = text[cut.len()..].to_lowercase();
    let may_have_password = ["identified", "password"].iter().any(|word| quotation.contains(word));
    if may_have_password { cut } else { text }
}

enum Failure {
    Own(Box<Error>),
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn write(dumps: &[Dump], mends: &BTreeMap<usize, Mend>, out: &mut impl Write) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{FIRST_LINE}")?;
    let (mut number, mut failed) = (0, None);
    let each = &mut |_: &Dump, _, statement: &[u8]| {
        let written = match mends.get(&number) {
            Some(mend) => write_mend(mend, &mut out),
            None => write_statement(statement, &mut out),
        };
        number += 1;
        written.map_err(|source| {
            failed = Some(source);
            Error::Write { name: String::new(), source: io::ErrorKind::Other.into() }
        })
    };
    let read = each_of_dumps(dumps, each);
    if let Some(source) = failed {
        return Err(Failure::Io(source));
    }
    read.map_err(|error| Failure::Own(Box::new(error)))?;
    Ok(out.flush()?)
}

fn write_mend(mend: &Mend, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "-- {}", escape::sql_comment(&mend.what))?;
    let sets_mode = mend.sql.len() > 1 && mend.sql[0].starts_with("SET SESSION sql_mode");
    if sets_mode {
        writeln!(out, "SET {KEPT_MODE} = @@SESSION.sql_mode;")?;
    }
    mend.sql.iter().try_for_each(|statement| write_statement(statement.as_bytes(), out))?;
    if sets_mode {
        writeln!(out, "SET SESSION sql_mode = {KEPT_MODE};")?;
    }
    Ok(())
}

/// Writes a statement with a delimiter: `;`, or another one around a body with semicolons.
fn write_statement(statement: &[u8], out: &mut impl Write) -> io::Result<()> {
    if !has_delimiter(statement) {
        out.write_all(statement)?;
        // On the line of a comment, the delimiter would be part of it.
        let last_line = &statement[memchr::memrchr(b'\n', statement).unwrap_or(0)..];
        let may_end_in_comment = memchr::memmem::find(last_line, b"--").is_some() || last_line.contains(&b'#');
        return out.write_all(if may_end_in_comment { b"\n;\n" } else { b";\n" });
    }
    let delimiter = escape::delimiter(&String::from_utf8_lossy(statement));
    writeln!(out, "DELIMITER {delimiter}")?;
    out.write_all(statement)?;
    writeln!(out, "\n{delimiter}\nDELIMITER ;")
}

/// True if a semicolon could end the statement early. With `NO_BACKSLASH_ESCAPES`, it may stand in
/// a string or behind one.
fn has_delimiter(statement: &[u8]) -> bool {
    let has = |byte| memchr::memchr(byte, statement).is_some();
    has(b';') && (has(b'\\') || split_statements(&String::from_utf8_lossy(statement), SqlMode::default()).len() > 1)
}

/// Lists what the mends change without repetition, each with the number of its statements.
fn list_changes(mends: &BTreeMap<usize, Mend>) -> Vec<DumpChange> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for what in mends.values().flat_map(|mend| mend.what.split("; ")) {
        *counts.entry(what).or_default() += 1;
    }
    counts.into_iter().map(|(what, statements)| DumpChange { what: what.to_owned(), statements }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(text: &'static str) -> Dump {
        Dump { name: "dump".into(), open: Box::new(move || Ok(Box::new(text.as_bytes()))) }
    }

    fn written(text: &'static str, mends: &[(usize, &[&str])]) -> String {
        let mend = |(number, sql): &(usize, &[&str])| {
            let sql = sql.iter().map(|one| (*one).to_owned()).collect();
            (*number, Mend { what: "mended".into(), sql, effects: Vec::new() })
        };
        let mut out = Vec::new();
        let done = write(&[dump(text)], &mends.iter().map(mend).collect(), &mut out);
        assert!(done.is_ok());
        String::from_utf8(out).unwrap().strip_prefix(&format!("{FIRST_LINE}\n")).unwrap().to_owned()
    }

    #[test]
    fn statements_are_replaced_by_number() {
        assert_eq!(written("a; b;b; c;", &[(1, &["B"]), (3, &[])]), "a;\n-- mended\nB;\nb;\n-- mended\n");
    }

    #[test]
    fn bodies_get_a_delimiter() {
        let text = "DELIMITER ;;\nCREATE TRIGGER x BEGIN SET a = ';;'; END;;\nDELIMITER ;\nSELECT ';';";
        assert_eq!(
            written(text, &[]),
            "DELIMITER $$\nCREATE TRIGGER x BEGIN SET a = ';;'; END\n$$\nDELIMITER ;\nSELECT ';';\n"
        );
    }

    #[test]
    fn no_statement_becomes_two_or_joins_the_next() {
        let insert = "INSERT INTO t VALUES (1); DROP DATABASE victim";
        let text: &'static str = Box::leak(format!("DELIMITER //\n{insert}//\n").into_boxed_str());
        assert_eq!(written(text, &[]), format!("DELIMITER $$\n{insert}\n$$\nDELIMITER ;\n"));
        let text = "DELIMITER //\nSELECT '\\'; DROP DATABASE victim; SELECT '\\'//\n";
        assert!(written(text, &[]).starts_with("DELIMITER $$\nSELECT '\\'; DROP"));
        for end in ["-- c", "# c"] {
            let text: &'static str = Box::leak(format!("SELECT 1 {end}\n; SELECT 2;").into_boxed_str());
            assert_eq!(written(text, &[]), format!("SELECT 1 {end}\n;\nSELECT 2;\n"));
        }
    }

    #[test]
    fn the_mode_of_the_session_comes_back() {
        let text = written("x;", &[(0, &["SET SESSION sql_mode = ''", "x"])]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "SET @weigh_sql_mode = @@SESSION.sql_mode;");
        assert_eq!(lines[4], "SET SESSION sql_mode = @weigh_sql_mode;");
    }
}
