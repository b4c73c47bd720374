//! Statements of schema.sql.

use sql::{SqlMode, Token, TokenKind};

use super::clauses::{Names, Walker};
use super::{CheckResult, OutOfScope, content, for_each_reading, program};

/// Words of the options of a table, and of their values.
const TABLE_OPTIONS: [&str; 66] = [
    "engine",
    "storage",
    "type",
    "default",
    "character",
    "set",
    "charset",
    "collate",
    "comment",
    "row_format",
    "auto_increment",
    "key_block_size",
    "stats_persistent",
    "stats_auto_recalc",
    "stats_sample_pages",
    "checksum",
    "table_checksum",
    "page_checksum",
    "pack_keys",
    "max_rows",
    "min_rows",
    "avg_row_length",
    "delay_key_write",
    "transactional",
    "with",
    "system",
    "versioning",
    "compression",
    "page_compressed",
    "page_compression_level",
    "insert_method",
    "encryption",
    "encrypted",
    "encryption_key_id",
    "no",
    "first",
    "last",
    "dynamic",
    "fixed",
    "compressed",
    "redundant",
    "compact",
    "page",
    "yes",
    "on",
    "off",
    "partition",
    "by",
    "hash",
    "key",
    "range",
    "list",
    "linear",
    "columns",
    "partitions",
    "subpartition",
    "subpartitions",
    "algorithm",
    "system_time",
    "interval",
    "starts",
    "auto",
    "limit",
    "autoextend_size",
    "secondary_engine_attribute",
    "engine_attribute",
];

/// Words that lead out of the schema or the data folder. Refused after the columns of `CREATE
/// TABLE`, and anywhere in `ALTER TABLE`, `CREATE INDEX` and `CREATE SEQUENCE`.
const REFUSED_OPTIONS: [&str; 10] = [
    "directory",
    "connection",
    "union",
    "tablespace",
    "secondary_engine",
    "secondary_load",
    "rename",
    "exchange",
    "import",
    "discard",
];

/// First words of the actions of `ALTER TABLE`.
const ALTER_ACTIONS: [&str; 22] = [
    "add",
    "modify",
    "change",
    "drop",
    "alter",
    "disable",
    "enable",
    "auto_increment",
    "convert",
    "default",
    "character",
    "charset",
    "collate",
    "comment",
    "row_format",
    "engine",
    "force",
    "order",
    "algorithm",
    "lock",
    "key_block_size",
    "partition",
];

/// Checks a statement of schema.sql, as every supported server reads it. `routines` are the
/// routines of schema.sql.
pub(crate) fn check_definition(text: &str, routines: &std::collections::HashSet<String>) -> CheckResult {
    let names = Names { routines: routines.clone(), ..Names::default() };
    let object = created_object(&content(text, SqlMode::default()));
    for_each_reading(text, SqlMode::default(), |tokens| match tokens.first() {
        // The caller runs or omits a statement by the kind of its object.
        Some(first) if created_object(tokens) != object => {
            fault(first, "servers that skip a conditional comment create another kind of object")
        }
        Some(first) if first.is_keyword("create") => check_create(tokens, &names),
        Some(first) if first.is_keyword("alter") => check_alter(tokens, &names),
        Some(first) if first.is_any_keyword(&["insert", "replace"]) => Walker::new(tokens, &names).check(),
        // The caller doesn't run these statements.
        Some(first) if first.is_any_keyword(&["set", "drop", "lock", "unlock"]) => Ok(()),
        Some(first) => fault(first, format!("{} creates no table, view or routine", first.text)),
        None => Ok(()),
    })
}

/// Returns the kind of object that `CREATE` creates: `table`.
fn created_object(tokens: &[Token<'_>]) -> Option<String> {
    tokens.first().filter(|first| first.is_keyword("create"))?;
    find_object(tokens).ok().map(|at| tokens[at].text.to_ascii_lowercase())
}

fn fault(token: &Token<'_>, reason: impl Into<String>) -> CheckResult {
    Err(OutOfScope { offset: token.start, reason: reason.into() })
}

fn check_create(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let at = find_object(tokens)?;
    let (object, rest) = (&tokens[at], &tokens[at + 1..]);
    match object.text.to_ascii_lowercase().as_str() {
        "table" => check_table(rest, names),
        "index" | "sequence" => {
            refuse_dots(rest)?;
            check_engines(rest)?;
            check_expressions(rest, names)?;
            refuse_options(rest)
        }
        "view" => check_view(rest, names),
        "event" => Ok(()),
        "procedure" => program::check_routine(rest, names, false),
        "function" => program::check_routine(rest, names, true),
        "trigger" => program::check_trigger(rest, names),
        _ => fault(object, format!("CREATE {} creates no table, view or routine", object.text)),
    }
}

/// Returns the index of the word that names the kind of object. Before it, only the modifiers of
/// tables, views, routines and indexes can stand. The definer's account is skipped: it can be named
/// `view`. The tokens begin with `CREATE` and are without comments.
pub(crate) fn find_object(tokens: &[Token<'_>]) -> Result<usize, OutOfScope> {
    let objects =
        ["table", "index", "sequence", "view", "event", "procedure", "function", "trigger", "database", "schema"];
    let modifiers = [
        "or",
        "replace",
        "temporary",
        "unique",
        "fulltext",
        "spatial",
        "online",
        "offline",
        "algorithm",
        "definer",
        "sql",
        "security",
        "invoker",
        "merge",
        "temptable",
        "undefined",
    ];
    let mut at = 1;
    while let Some(token) = tokens.get(at) {
        if token.is_any_keyword(&objects) {
            return Ok(at);
        }
        if token.is_keyword("definer") && tokens.get(at + 1).is_some_and(|next| next.is_symbol('=')) {
            at += 2 + sql::account_length(&tokens[at + 2..]);
            continue;
        }
        if !token.is_any_keyword(&modifiers) && !token.is_symbol('=') {
            return fault(token, format!("CREATE {} creates no table, view or routine", token.text)).map(|()| 0);
        }
        at += 1;
    }
    fault(&tokens[0], "CREATE of an unknown kind of object").map(|()| 0)
}

fn refuse_dots(tokens: &[Token<'_>]) -> CheckResult {
    match tokens.iter().find(|token| token.is_symbol('.') || token.text.starts_with('.')) {
        Some(dot) => fault(dot, "a name with a schema"),
        None => Ok(()),
    }
}

fn check_view(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let Some(begin) = tokens.iter().position(|token| token.is_keyword("as")) else {
        return tokens.first().map_or(Ok(()), |token| fault(token, "a view without AS"));
    };
    refuse_dots(&tokens[..begin])?;
    match tokens[begin..].get(1) {
        Some(first) if first.is_symbol('(') || first.is_any_keyword(&["select", "with", "values", "table"]) => {}
        _ => return fault(&tokens[begin], "a view without a query after AS"),
    }
    Walker::new(&tokens[begin + 1..], names).check()
}

fn check_table(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    if let Some(query) =
        tokens.iter().find(|token| token.is_any_keyword(&["select", "with"]) && is_query(tokens, token))
    {
        return fault(query, "CREATE TABLE … SELECT; write the rows to rows/");
    }
    refuse_dots(tokens)?;
    check_engines(tokens)?;
    check_expressions(tokens, names)?;
    let (mut depth, mut is_after_columns, mut is_partitioned) = (0_usize, false, false);
    for (at, token) in tokens.iter().enumerate() {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            is_after_columns |= depth == 0;
        }
        if !is_after_columns {
            continue;
        }
        is_partitioned |= depth == 0 && token.is_keyword("partition");
        let is_option = depth == 0 && token.kind == TokenKind::Word;
        let is_value = at > 0
            && (tokens[at - 1].is_symbol('=')
                || tokens[at - 1].is_any_keyword(&["set", "charset", "collate", "engine"]));
        if is_option && !is_value && !is_partitioned && !token.is_any_keyword(&TABLE_OPTIONS) {
            return fault(token, format!("{} is no option that a workload's table may have", token.text));
        }
        if token.is_any_keyword(&REFUSED_OPTIONS) {
            return fault(token, format!("{} leads out of the schema", token.text.to_uppercase()));
        }
    }
    Ok(())
}

/// `WITH SYSTEM VERSIONING` and `WITH PARSER` are no queries.
fn is_query(tokens: &[Token<'_>], token: &Token<'_>) -> bool {
    let next = tokens.get(tokens.partition_point(|other| other.start <= token.start));
    token.is_keyword("select")
        || !next.is_some_and(|next| next.is_any_keyword(&["system", "parser", "versioning", "without"]))
}

fn check_engines(tokens: &[Token<'_>]) -> CheckResult {
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_any_keyword(&["engine", "type"])) {
        let value = tokens.get(at + 1).filter(|next| next.is_symbol('=')).map_or(at + 1, |_| at + 2);
        let is_assigned = value == at + 2;
        let Some(name) = tokens
            .get(value)
            .map(|token| token.name().unwrap_or_else(|| token.text.trim_matches(['\'', '"']).to_owned()))
        else {
            continue;
        };
        // A column can be named `type` or `engine`.
        if is_assigned && !sql::is_local_engine(&name) {
            return fault(&tokens[value], format!("the engine {name} may keep rows elsewhere"));
        }
        if !is_assigned && token.is_keyword("engine") && sql::is_foreign_engine(&name) {
            return fault(&tokens[value], format!("the engine {name} keeps rows elsewhere"));
        }
    }
    Ok(())
}

fn refuse_options(tokens: &[Token<'_>]) -> CheckResult {
    match tokens.iter().find(|token| token.is_any_keyword(&REFUSED_OPTIONS)) {
        Some(word) => fault(word, format!("{} leads out of the schema", word.text.to_uppercase())),
        None => Ok(()),
    }
}

/// Checks the functions of defaults, generated columns, checks and functional indexes.
fn check_expressions(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let mut frames: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let is_in = frames.last().copied().unwrap_or(false);
        if token.is_symbol('(') {
            let begins = before.is_some_and(|token| {
                token.is_any_keyword(&["default", "as", "check", "update"]) || token.is_symbol('(')
            });
            // `DEFAULT CONCAT('a', UUID())`.
            let is_default = at.checked_sub(2).is_some_and(|at| tokens[at].is_any_keyword(&["default", "update"]));
            frames.push(is_in || begins || is_default);
        } else if token.is_symbol(')') {
            frames.pop();
        }
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is_symbol('('));
        let is_value = is_in || before.is_some_and(|token| token.is_any_keyword(&["default", "update"]));
        if is_call && is_value && token.name().is_some() {
            names.check_call(token)?;
        }
    }
    Ok(())
}

fn check_alter(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let Some(table) = tokens.get(1).filter(|token| token.is_keyword("table")) else {
        return fault(&tokens[0], "ALTER of something else than a table");
    };
    let Some(body) = tokens.get(3..).filter(|_| tokens[2].name().is_some()) else {
        return fault(table, "ALTER TABLE without a table's name and an action");
    };
    refuse_dots(&tokens[2..])?;
    check_engines(body)?;
    check_expressions(body, names)?;
    refuse_options(body)?;
    let (mut depth, mut begins) = (0_usize, true);
    for token in body {
        if begins && !token.is_any_keyword(&ALTER_ACTIONS) {
            return fault(token, format!("ALTER TABLE … {} is not known", token.text));
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        begins = depth == 0 && token.is_symbol(',');
    }
    Ok(())
}
