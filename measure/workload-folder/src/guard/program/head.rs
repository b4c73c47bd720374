//! Heads: of a procedure or function from its name to the characteristics, of a trigger from its
//! name to `FOLLOWS` or `PRECEDES`.

use std::collections::HashSet;

use sql::TokenKind;

use super::reader::Reader;
use crate::guard::{CheckResult, OutOfScope};

/// Reads `[IF NOT EXISTS] name (parameters) [RETURNS type] characteristic…`. Returns the
/// parameters' names in lower case.
pub(super) fn read_routine(reader: &mut Reader<'_, '_>, is_function: bool) -> Result<HashSet<String>, OutOfScope> {
    read_object_name(reader)?;
    if !reader.is_symbol('(') {
        return reader.fault("a routine without parameters in parentheses");
    }
    let parameters = read_parameters(reader)?;
    if is_function {
        reader.expect(&["returns"])?;
        skip_type(reader)?;
    }
    while skip_characteristic(reader)? {}
    Ok(parameters)
}

fn read_object_name(reader: &mut Reader<'_, '_>) -> CheckResult {
    reader.take_all(&["if", "not", "exists"]);
    if reader.take_name().is_none() {
        return reader.fault("a routine or trigger without a name");
    }
    if reader.is_symbol('.') {
        return reader.fault("a name with a schema");
    }
    Ok(())
}

/// Reads names at the beginning of the parenthesis and after its commas.
fn read_parameters(reader: &mut Reader<'_, '_>) -> Result<HashSet<String>, OutOfScope> {
    let begin = reader.mark();
    reader.skip_parenthesis()?;
    let all = reader.since(begin);
    let mut inner = Reader::new(&all[1..all.len() - 1]);
    let mut names = HashSet::new();
    while inner.peek().is_some() {
        inner.take_any(&["in", "out", "inout"]);
        names.extend(inner.take_name().map(|name| name.to_lowercase()));
        while inner.peek().is_some() && !inner.take_symbol(',') {
            if inner.is_symbol('(') {
                inner.skip_parenthesis()?;
            } else {
                inner.skip();
            }
        }
    }
    Ok(names)
}

/// Skips a type: `INT UNSIGNED`, `NATIONAL VARCHAR(9)`, `VARCHAR(9) CHARACTER SET utf8mb4`.
pub(super) fn skip_type(reader: &mut Reader<'_, '_>) -> CheckResult {
    if reader.take_name().is_none() {
        return reader.fault("a type is missing");
    }
    loop {
        if reader.is_symbol('(') {
            reader.skip_parenthesis()?;
        } else if reader.take_all(&["character", "set"])
            || reader.take_all(&["char", "set"])
            || reader.take_any(&["charset", "collate"])
        {
            if reader.peek().is_none_or(|token| token.kind == TokenKind::Symbol) {
                return reader.fault("a character set or collation is missing");
            }
            reader.skip();
        } else if !reader.take_any(&[
            "unsigned",
            "signed",
            "zerofill",
            "binary",
            "ascii",
            "unicode",
            "byte",
            "varying",
            "precision",
            "char",
            "character",
            "varchar",
            "varbinary",
        ]) {
            return Ok(());
        }
    }
}

/// Skips `DETERMINISTIC`, `READS SQL DATA`, `COMMENT '…'` and the like. Returns false if no
/// characteristic follows.
fn skip_characteristic(reader: &mut Reader<'_, '_>) -> Result<bool, OutOfScope> {
    if reader.take("comment") {
        if !reader.take_kind(TokenKind::StringLiteral) {
            return reader.fault("a comment without a string");
        }
        return Ok(true);
    }
    let known: [&[&str]; 9] = [
        &["deterministic"],
        &["not", "deterministic"],
        &["contains", "sql"],
        &["no", "sql"],
        &["reads", "sql", "data"],
        &["modifies", "sql", "data"],
        &["sql", "security", "definer"],
        &["sql", "security", "invoker"],
        &["language", "sql"],
    ];
    let is_known = known.iter().any(|words| reader.take_all(words));
    if !is_known && reader.is_keyword("language") {
        return reader.fault("a routine in another language than SQL");
    }
    Ok(is_known)
}

/// Reads `[IF NOT EXISTS] name BEFORE INSERT ON t FOR EACH ROW [FOLLOWS name]`. MariaDB
/// takes several events from 12.0 on: `INSERT OR UPDATE`.
pub(super) fn read_trigger(reader: &mut Reader<'_, '_>) -> CheckResult {
    read_object_name(reader)?;
    if !reader.take_any(&["before", "after"]) {
        return reader.fault("a trigger without BEFORE or AFTER after its name");
    }
    loop {
        if !reader.take_any(&["insert", "update", "delete"]) {
            return reader.fault("a trigger without INSERT, UPDATE or DELETE");
        }
        if !reader.take("or") {
            break;
        }
    }
    reader.expect(&["on"])?;
    if reader.take_name().is_none() {
        return reader.fault("a trigger without a table");
    }
    if reader.is_symbol('.') {
        return reader.fault("a table's name with a schema");
    }
    reader.expect(&["for", "each", "row"])?;
    if reader.take_any(&["follows", "precedes"]) && reader.take_name().is_none() {
        return reader.fault("FOLLOWS or PRECEDES without a trigger's name");
    }
    Ok(())
}
