//! A dump for the new server: refused statements are replaced by their mends.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use files::{Access, OwnFile};
use server::Server;
use sql::{SqlMode, StatementReader, split_statements};
use why::Refusal;

use crate::Error;
use crate::load::load_target;
use crate::material::{Dump, Schema};
use crate::model::{Area, DumpChange, Mend, Rewritten};
use crate::side;

/// User variable that keeps the session's `sql_mode` during a mended statement.
const KEPT_MODE: &str = "@weigh_sql_mode";

/// First line of a rewritten dump. A file without it is not replaced.
const FIRST_LINE: &str = "-- Rewritten by weigh upgrade";

/// Opens the folder of a file for a rewritten dump. Returns an error if the path has a file that is
/// none.
pub fn open_rewrite(path: &Path) -> Result<OwnFile, Error> {
    OwnFile::open(path, FIRST_LINE).map_err(|source| Error::Write { name: path.display().to_string(), source })
}

/// Writes the dump with mends, by the numbers of the statements, and loads the file into the new
/// server, after dropping the server's schemas.
pub fn rewrite(
    server: &Server,
    dumps: &[Dump],
    mends: &BTreeMap<usize, Mend>,
    out: &Arc<OwnFile>,
    into: Option<&str>,
) -> Result<Rewritten, Error> {
    let file = out.path().display().to_string();
    let fail = |failure| match failure {
        Failure::Own(error) => *error,
        Failure::Io(source) => Error::Write { name: file.clone(), source },
    };
    // The dump may have rows, which only its owner may read.
    out.replace(Access::OwnerOnly, |out| write(dumps, mends, out)).map_err(fail)?;
    side::clear(server)?;
    let own = Arc::clone(out);
    let open = move || Ok(Box::new(BufReader::new(own.read()?)) as Box<dyn io::BufRead>);
    let schema = Schema::Dumps(vec![Dump { name: file.clone(), open: Box::new(open) }]);
    let loaded = load_target(server, &schema, into, &BTreeMap::new(), Area::Load)?;
    let left = loaded.refused.iter().map(|(place, refusal)| format!("{place}: {}", hide_password(refusal))).collect();
    Ok(Rewritten { file, statements: mends.len() as u64, changes: list_changes(mends), effects: Vec::new(), left })
}

/// Cuts an error before the part of a statement that it quotes, if this may have a password.
fn hide_password(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let cut = sql::without_quotation(&text);
    let quotation = text[cut.len()..].to_lowercase();
    let may_have_password = ["identified", "password"].iter().any(|word| quotation.contains(word));
    if may_have_password { cut.to_owned() } else { text }
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

/// Writes [`FIRST_LINE`], and copies the dumps. Only statements with mends become others.
fn write(dumps: &[Dump], mends: &BTreeMap<usize, Mend>, out: &mut impl Write) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{FIRST_LINE}")?;
    let mut number = 0;
    for (at, dump) in dumps.iter().enumerate() {
        write_dump(dump, mends, &mut number, at + 1 == dumps.len(), &mut out)?;
    }
    Ok(out.flush()?)
}

/// Copies a dump, and ends its last statement unless it is the last dump. `number` counts the
/// statements of all dumps.
fn write_dump(
    dump: &Dump,
    mends: &BTreeMap<usize, Mend>,
    number: &mut usize,
    is_last: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let fail = |source| Failure::Own(Box::new(Error::Read { name: dump.name.clone(), source }));
    let open = || (dump.open)().map_err(fail);
    let (mut reader, mut bytes) = (StatementReader::new(open()?, SqlMode::default()), open()?);
    let mut copied = 0;
    loop {
        lifecycle::interrupt::check().map_err(|stopped| Failure::Own(Box::new(stopped.into())))?;
        let Some(length) = reader.read().map_err(fail)?.map(|statement| statement.len() as u64) else { break };
        if let Some(mend) = mends.get(number) {
            let begin = reader.offset();
            io::copy(&mut bytes.by_ref().take(begin - copied), out)?;
            io::copy(&mut bytes.by_ref().take(length), &mut io::sink())?;
            copied = begin + length;
            write_mend(mend, reader.delimiter(), out)?;
        }
        *number += 1;
    }
    io::copy(&mut bytes, out)?;
    if !is_last {
        out.write_all(&[b"\n", reader.delimiter(), b"\nDELIMITER ;\n"].concat())?;
    }
    Ok(())
}

/// Writes the statements of a mend without a delimiter behind the last one. A statement that is
/// left out becomes one without effect, as an empty one would be an error.
fn write_mend(mend: &Mend, delimiter: &[u8], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "-- {}", escape::sql_comment(&mend.what))?;
    let sets_mode = mend.sql.len() > 1 && mend.sql[0].starts_with("SET SESSION sql_mode");
    let keep = sets_mode.then(|| format!("SET {KEPT_MODE} = @@SESSION.sql_mode"));
    let restore = sets_mode.then(|| format!("SET SESSION sql_mode = {KEPT_MODE}"));
    let all: Vec<&String> = keep.iter().chain(&mend.sql).chain(&restore).collect();
    let is_inside = |statement: &String| match delimiter {
        b";" => has_delimiter(statement.as_bytes()),
        other => memchr::memmem::find(statement.as_bytes(), other).is_some(),
    };
    for (at, statement) in all.iter().enumerate() {
        let is_last = at + 1 == all.len();
        if is_inside(statement) {
            let own = escape::delimiter(statement);
            writeln!(out, "DELIMITER {own}")?;
            out.write_all(&sql::write_bytes(statement))?;
            write!(out, "\n{own}\nDELIMITER ")?;
            out.write_all(&[delimiter, b"\n"].concat())?;
            out.write_all(if is_last { b"DO 0" } else { b"" })?;
        } else {
            write_statement(statement, out)?;
            out.write_all(&if is_last { Vec::new() } else { [delimiter, b"\n"].concat() })?;
        }
    }
    out.write_all(if all.is_empty() { b"DO 0" } else { b"" })
}

/// Writes a statement, so that a delimiter can follow.
fn write_statement(statement: &str, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&sql::write_bytes(statement))?;
    // On the line of a comment, the delimiter would be part of it.
    let last_line = statement.rsplit('\n').next().unwrap_or_default();
    let may_end_in_comment = last_line.contains("--") || last_line.contains('#');
    out.write_all(if may_end_in_comment { b"\n" } else { b"" })
}

/// True if a semicolon could end the statement early. With a backslash, this can't be told: under
/// `NO_BACKSLASH_ESCAPES`, strings end elsewhere.
fn has_delimiter(statement: &[u8]) -> bool {
    let has = |byte| memchr::memchr(byte, statement).is_some();
    has(b';') && (has(b'\\') || split_statements(&String::from_utf8_lossy(statement), SqlMode::default()).count() > 1)
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
            (*number, Mend { what: "mended".into(), sql, ..Mend::default() })
        };
        let mut out = Vec::new();
        let done = write(&[dump(text)], &mends.iter().map(mend).collect(), &mut out);
        assert!(done.is_ok());
        String::from_utf8(out).unwrap().strip_prefix(&format!("{FIRST_LINE}\n")).unwrap().to_owned()
    }

    #[test]
    fn statements_are_replaced_by_number() {
        assert_eq!(written("a; b;b; c;", &[(1, &["B"]), (3, &[])]), "a; -- mended\nB;b; -- mended\nDO 0;");
    }

    #[test]
    fn other_bytes_are_those_of_the_dump() {
        for text in [
            "-- head\n\nDELIMITER ;;\nCREATE TRIGGER x BEGIN SET a = ';;'; END;;\nDELIMITER ;\nSELECT ';';  -- tail",
            "DELIMITER //\nINSERT INTO t VALUES (1); DROP DATABASE victim//\n",
            "DELIMITER //\nSELECT '\\'; DROP DATABASE victim; SELECT '\\'//\n",
            "SELECT 1 -- c\n; SELECT 2 # c\n;",
        ] {
            assert_eq!(written(text, &[]), text);
        }
    }

    #[test]
    fn mended_bodies_keep_or_get_a_delimiter() {
        let body = "CREATE TRIGGER x BEGIN SET a = 1; END";
        let text = "DELIMITER ;;\nold;;\nDELIMITER ;\nlast;";
        let new =
            "DELIMITER ;;\n-- mended\nDROP TRIGGER x;;\nCREATE TRIGGER x BEGIN SET a = 1; END;;\nDELIMITER ;\nlast;";
        assert_eq!(written(text, &[(0, &["DROP TRIGGER x", body])]), new);
        let new = "-- mended\nDELIMITER $$\nCREATE TRIGGER x BEGIN SET a = 1; END\n$$\nDELIMITER ;\nDO 0;";
        assert_eq!(written("old;", &[(0, &[body])]), new);
        let new = "-- mended\nSELECT 1 -- c\n;\nSELECT 2 # c\n;";
        assert_eq!(written("old;", &[(0, &["SELECT 1 -- c", "SELECT 2 # c"])]), new);
    }

    #[test]
    fn a_dump_ends_before_the_next() {
        let mut out = Vec::new();
        let dumps = [dump("DELIMITER //\na//\nb"), dump("c;")];
        assert!(write(&dumps, &BTreeMap::new(), &mut out).is_ok());
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("{FIRST_LINE}\nDELIMITER //\na//\nb\n//\nDELIMITER ;\nc;"));
    }

    #[test]
    fn the_mode_of_the_session_comes_back() {
        let text = written("x;", &[(0, &["SET SESSION sql_mode = ''", "x"])]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "SET @weigh_sql_mode = @@SESSION.sql_mode;");
        assert_eq!(lines[4], "SET SESSION sql_mode = @weigh_sql_mode;");
    }
}
