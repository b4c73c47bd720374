//! Definitions without what reaches out of a server's data folder or into the accounts of another
//! server: for copies of schemas that others made.

use std::borrow::Cow;

use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};

/// Engines that reach nothing outside of the server's memory and its own files.
const LOCAL_ENGINES: [&str; 13] = [
    "innodb",
    "myisam",
    "aria",
    "maria",
    "memory",
    "heap",
    "archive",
    "csv",
    "rocksdb",
    "tokudb",
    "blackhole",
    "columnstore",
    "xtradb",
];

/// True for the known engines that reach nothing outside of the server's memory and its own files.
/// FEDERATED, CONNECT, SPIDER and S3 do, and MERGE reaches other tables.
pub fn is_local_engine(name: &str) -> bool {
    LOCAL_ENGINES.iter().any(|engine| name.eq_ignore_ascii_case(engine))
}

/// Statements that end the server.
pub const ENDS_SERVER: [&str; 2] = ["SHUTDOWN", "RESTART"];

/// Statement without options that reach out of the server's data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDefinition<'t> {
    pub text: Cow<'t, str>,
    /// Removed or replaced options: `DATA DIRECTORY`, `ENGINE=FEDERATED`. One of [`ENDS_SERVER`] if
    /// the statement is replaced.
    pub removed: Vec<String>,
}

/// Removes from `CREATE TABLE` and `ALTER TABLE` the options `DATA DIRECTORY`, `INDEX DIRECTORY`,
/// `CONNECTION`, `UNION` and `TABLESPACE`, also in conditional comments. Tablespaces that InnoDB
/// itself has stay. Replaces engines that aren't local by InnoDB; after `ENGINE` without `=`, only
/// those of [`is_foreign_engine`]. Replaces [`ENDS_SERVER`] by a statement that does nothing. Returns
/// other statements unchanged.
pub fn keep_local(text: &str, mode: SqlMode) -> LocalDefinition<'_> {
    let unchanged = || LocalDefinition { text: Cow::Borrowed(text), removed: Vec::new() };
    let Some(first) = first_word(text, mode) else { return unchanged() };
    if let Some(word) = ENDS_SERVER.iter().find(|word| first.is_keyword(word)) {
        return LocalDefinition { text: Cow::Borrowed("DO 0"), removed: vec![(*word).to_owned()] };
    }
    // Most statements of a dump are long INSERTs.
    if !first.is_any_keyword(&["create", "alter"]) {
        return unchanged();
    }
    let tokens: Vec<Token<'_>> = tokenize(text, mode).filter(Token::is_content).collect();
    let Some(begin) = find_options(&tokens) else { return unchanged() };
    let mut edits = Edits { text, tokens: &tokens, out: String::new(), end: 0, removed: Vec::new() };
    let (mut depth, mut at) = (0_usize, begin);
    while let Some(token) = tokens.get(at) {
        if token.is_keyword("select") {
            break;
        }
        depth = if token.is_symbol('(') {
            depth + 1
        } else if token.is_symbol(')') {
            depth.saturating_sub(1)
        } else {
            depth
        };
        at = match find_option(&tokens, at) {
            Some(found) => edits.apply(at, found, depth, begin),
            None => at + 1,
        };
    }
    edits.finish()
}

/// Returns the first token, also of a conditional comment.
fn first_word(text: &str, mode: SqlMode) -> Option<Token<'_>> {
    let is_mark = |token: &Token<'_>| matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    tokenize(text, mode).find(|token| !is_mark(token))
}

/// Returns the index of the first token that may be a table's option or an action of ALTER TABLE.
fn find_options(tokens: &[Token<'_>]) -> Option<usize> {
    let is_create = tokens.first()?.is_keyword("create");
    let mut at = tokens.iter().take(6).position(|token| token.is_keyword("table"))? + 1;
    while tokens.get(at)?.is_any_keyword(&["if", "not", "exists"]) {
        at += 1;
    }
    at += if tokens.get(at + 1).is_some_and(|token| token.is_symbol('.')) { 3 } else { 1 };
    if !is_create || !tokens.get(at).is_some_and(|token| token.is_symbol('(')) {
        return Some(at);
    }
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth -= 1;
            if depth == 0 {
                return Some(index + 1);
            }
        }
    }
    None
}

/// Option that reaches outside.
struct OutsideOption {
    name: String,
    /// Index of the token after its value.
    end: usize,
    /// Index of the token that names an engine, to be replaced.
    engine: Option<usize>,
}

fn find_option(tokens: &[Token<'_>], at: usize) -> Option<OutsideOption> {
    let token = &tokens[at];
    let next = |at: usize| tokens.get(at);
    // Index of the value after `[=]`.
    let value = |at: usize| if next(at).is_some_and(|token| token.is_symbol('=')) { at + 1 } else { at };
    let is_string = |at: usize| {
        next(at).is_some_and(|token| matches!(token.kind, TokenKind::StringLiteral | TokenKind::QuotedName))
    };
    let option = |name: &str, end: usize| Some(OutsideOption { name: name.to_owned(), end, engine: None });
    if token.is_any_keyword(&["data", "index"]) && next(at + 1).is_some_and(|next| next.is_keyword("directory")) {
        let value = value(at + 2);
        return is_string(value).then(|| option(&format!("{} DIRECTORY", token.text.to_uppercase()), value + 1))?;
    }
    if token.is_keyword("connection") {
        let value = value(at + 1);
        return is_string(value).then(|| option("CONNECTION", value + 1))?;
    }
    if token.is_keyword("union") {
        let open = value(at + 1);
        let is_list = next(open).is_some_and(|token| token.is_symbol('('))
            && !next(open + 1).is_some_and(|token| token.is_any_keyword(&["select", "with", "values", "table"]));
        let close = tokens.iter().skip(open).position(|token| token.is_symbol(')'))?;
        return is_list.then(|| option("UNION", open + close + 1))?;
    }
    if token.is_keyword("tablespace") {
        let is_action = at > 0 && tokens[at - 1].is_any_keyword(&["import", "discard"]);
        let value = value(at + 1);
        let name = next(value)?.name().filter(|name| !is_action && !name.starts_with("innodb_"))?;
        return option(&format!("TABLESPACE {name}"), value + 1);
    }
    if token.is_any_keyword(&["engine", "type"]) {
        let at_name = value(at + 1);
        let is_assigned = at_name == at + 2;
        let named = next(at_name)?;
        let name = named.name().unwrap_or_else(|| named.text.trim_matches(['\'', '"']).to_owned());
        // A column of ALTER TABLE can be named `engine` or `type`.
        let is_engine = is_assigned || token.is_keyword("engine") && is_foreign_engine(&name);
        return (is_engine && !is_local_engine(&name)).then(|| OutsideOption {
            name: format!("ENGINE={name}"),
            end: at_name + 1,
            engine: Some(at_name),
        });
    }
    None
}

/// True for the known engines that aren't local.
pub fn is_foreign_engine(name: &str) -> bool {
    [
        "merge",
        "mrg_myisam",
        "mrg_isam",
        "federated",
        "federatedx",
        "connect",
        "spider",
        "s3",
        "ndb",
        "ndbcluster",
        "sphinx",
        "oqgraph",
        "sequence",
        "mroonga",
        "vp",
        "partition",
        "performance_schema",
    ]
    .iter()
    .any(|engine| name.eq_ignore_ascii_case(engine))
}

struct Edits<'a, 't> {
    text: &'a str,
    tokens: &'t [Token<'a>],
    out: String,
    /// Offset after the text that `out` covers.
    end: usize,
    removed: Vec<String>,
}

impl<'a> Edits<'a, '_> {
    /// Removes an option that begins at a token, or replaces its engine. Returns the index of the
    /// next token. Outside of parentheses, a comma next to the option goes, too.
    fn apply(&mut self, at: usize, option: OutsideOption, depth: usize, begin: usize) -> usize {
        if !self.removed.contains(&option.name) {
            self.removed.push(option.name);
        }
        if let Some(engine) = option.engine {
            self.cut(engine, "InnoDB");
            return option.end;
        }
        let is_comma = |at: usize| self.tokens.get(at).is_some_and(|token| token.is_symbol(','));
        let (has_before, has_after) = (at > begin && is_comma(at - 1), is_comma(option.end));
        let (from, to) = match depth {
            0 if has_before => (at - 1, option.end),
            0 if has_after => (at, option.end + 1),
            _ => (at, option.end),
        };
        // Marks of conditional comments between the tokens stay.
        (from..to).for_each(|at| self.cut(at, ""));
        to
    }

    fn cut(&mut self, at: usize, instead: &str) {
        let token = &self.tokens[at];
        if token.start >= self.end {
            self.out.push_str(&self.text[self.end..token.start]);
            self.out.push_str(instead);
            self.end = token.end();
        }
    }

    fn finish(mut self) -> LocalDefinition<'a> {
        if self.removed.is_empty() {
            return LocalDefinition { text: Cow::Borrowed(self.text), removed: self.removed };
        }
        self.out.push_str(&self.text[self.end..]);
        LocalDefinition { text: Cow::Owned(self.out), removed: self.removed }
    }
}

/// Removes the definer of a view, routine, trigger or event, and turns `SQL SECURITY DEFINER` into
/// `INVOKER`, so that the object needs no account that the server may lack.
pub fn remove_definer(create: &str) -> String {
    let tokens: Vec<Token<'_>> = tokenize(create, SqlMode::default()).filter(Token::is_content).collect();
    let (mut out, mut end, mut at) = (String::new(), 0, 0);
    while at < tokens.len() {
        let token = &tokens[at];
        let next = tokens.get(at + 1);
        let mut after = at + 1;
        if token.is_keyword("definer") && next.is_some_and(|next| next.is_symbol('=')) {
            after = (at + 3 + account_rest(&tokens[(at + 3).min(tokens.len())..])).min(tokens.len());
            // Comments and marks of conditional comments between the tokens stay.
            for cut in &tokens[at..after] {
                out.push_str(&create[end..cut.start]);
                let behind = &create[cut.end()..];
                end = create.len() - behind.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']).len();
            }
        } else if let Some(definer) = next.filter(|next| token.is_keyword("security") && next.is_keyword("definer")) {
            out.push_str(&create[end..definer.start]);
            out.push_str("INVOKER");
            end = definer.end();
            after = at + 2;
        }
        at = after;
    }
    out.push_str(&create[end..]);
    out
}

/// Returns the tokens after the attributes that stand first: those between `CREATE` and `VIEW`,
/// `PROCEDURE` or another kind of program, such as `OR REPLACE` or `DEFINER=a@b`. The tokens are
/// without comments.
pub fn skip_attributes<'t, 's>(mut tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    while let Some(length) = attribute_length(tokens) {
        tokens = &tokens[length..];
    }
    tokens
}

/// True if the tokens may follow the name of a view, routine, trigger, event or package in its
/// `CREATE`. `kind` is the first word of the kind. False for `RETURNS STRING SONAME 'x.so'`, and
/// for an empty slice.
pub fn may_follow_program_name(kind: &str, behind: &[Token<'_>]) -> bool {
    let Some(next) = behind.first() else { return false };
    match kind.to_ascii_lowercase().as_str() {
        "view" => next.is_symbol('(') || next.is_keyword("as"),
        "trigger" => next.is_any_keyword(&["before", "after"]),
        "event" => next.is_keyword("on"),
        // MariaDB's mode ORACLE: `PROCEDURE p AS …`, `FUNCTION f RETURN INT …`.
        "procedure" | "function" => {
            next.is_symbol('(') || next.is_any_keyword(&["as", "is", "return", "authid", "deterministic"])
        }
        "package" => next.is_any_keyword(&["as", "is", "authid", "sql", "comment"]),
        _ => false,
    }
}

/// Returns the number of tokens of the attribute that stands first. `None` if none does.
fn attribute_length(tokens: &[Token<'_>]) -> Option<usize> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any_keyword(words));
    let is_equals = |at: usize| tokens.get(at).is_some_and(|token| token.is_symbol('='));
    if is(0, &["definer"]) && is_equals(1) {
        return Some(2 + account_length(&tokens[2..])).filter(|length| *length > 2);
    }
    let is_option = is(0, &["algorithm"]) && is_equals(1) && is(2, &["undefined", "merge", "temptable"]);
    let is_security = is(0, &["sql"]) && is(1, &["security"]) && is(2, &["definer", "invoker"]);
    if is_option || is_security {
        Some(3)
    } else if is(0, &["or"]) && is(1, &["replace"]) {
        Some(2)
    } else {
        // MySQL 9 has `JSON RELATIONAL DUALITY VIEW`.
        is(0, &["aggregate", "json", "relational", "duality"]).then_some(1)
    }
}

/// Returns the number of tokens of the account that stands first, as `root@localhost` or
/// `CURRENT_USER()`. 0 if none does. The tokens are without comments.
pub fn account_length(tokens: &[Token<'_>]) -> usize {
    match tokens {
        [user, rest @ ..]
            if matches!(user.kind, TokenKind::Word | TokenKind::QuotedName | TokenKind::StringLiteral) =>
        {
            1 + account_rest(rest)
        }
        _ => 0,
    }
}

/// Number of tokens of an account after its first: `@host`, or `()` of `CURRENT_USER()`.
fn account_rest(tokens: &[Token<'_>]) -> usize {
    match tokens {
        [host, ..] if host.kind == TokenKind::Variable => 1,
        [at, _, ..] if at.is_symbol('@') => 2,
        [open, close, ..] if open.is_symbol('(') && close.is_symbol(')') => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn local(text: &str) -> (String, String) {
        let LocalDefinition { text, removed } = keep_local(text, SqlMode::default());
        (text.split_whitespace().collect::<Vec<_>>().join(" "), removed.join(", "))
    }

    #[test]
    fn removes_options_that_reach_outside() {
        for (text, kept, removed) in [
            ("/*!50709 shutdown */", "DO 0", "SHUTDOWN"),
            (
                "CREATE TABLE `t` (`a` int) ENGINE=InnoDB DATA DIRECTORY='/x/' COMMENT='DATA DIRECTORY'",
                "CREATE TABLE `t` (`a` int) ENGINE=InnoDB COMMENT='DATA DIRECTORY'",
                "DATA DIRECTORY",
            ),
            (
                "CREATE TABLE t (a int) index directory '/x', engine = MyISAM",
                "CREATE TABLE t (a int) engine = MyISAM",
                "INDEX DIRECTORY",
            ),
            (
                "CREATE TABLE s.t (a int, data int) ENGINE=MRG_MyISAM INSERT_METHOD=LAST UNION=(`o`.`t`,`u`)",
                "CREATE TABLE s.t (a int, data int) ENGINE=InnoDB INSERT_METHOD=LAST",
                "ENGINE=MRG_MyISAM, UNION",
            ),
            (
                "CREATE TABLE t (a int) /*!50100 TABLESPACE `ts` */ ENGINE=InnoDB\n/*!50100 PARTITION BY HASH (a)\n(PARTITION p0 DATA DIRECTORY = '/y' ENGINE = InnoDB,\n PARTITION p1 ENGINE = InnoDB) */",
                "CREATE TABLE t (a int) /*!50100 */ ENGINE=InnoDB /*!50100 PARTITION BY HASH (a) (PARTITION p0 ENGINE = InnoDB, PARTITION p1 ENGINE = InnoDB) */",
                "TABLESPACE ts, DATA DIRECTORY",
            ),
            (
                "CREATE TABLE t (a int) DATA /*!50100 DIRECTORY = '/x' */ ENGINE=InnoDB",
                "CREATE TABLE t (a int) /*!50100 */ ENGINE=InnoDB",
                "DATA DIRECTORY",
            ),
            (
                "CREATE TABLE t (a int) ENGINE=FEDERATED CONNECTION='mysql://u:p@h/d/t'",
                "CREATE TABLE t (a int) ENGINE=InnoDB",
                "ENGINE=FEDERATED, CONNECTION",
            ),
            ("/*!50001 ALTER TABLE t UNION=(o), ADD b int */", "/*!50001 ALTER TABLE t ADD b int */", "UNION"),
            ("ALTER TABLE t ADD b int, ENGINE 'connect'", "ALTER TABLE t ADD b int, ENGINE InnoDB", "ENGINE=connect"),
        ] {
            assert_eq!(local(text), (kept.to_owned(), removed.to_owned()), "{text}");
        }
    }

    #[test]
    fn leaves_everything_else() {
        for text in [
            "CREATE TABLE t (data int, `index` int, connection varchar(9), type int, engine int) ENGINE=InnoDB",
            "CREATE TABLE t (a int) SELECT 1 UNION (SELECT 2)",
            "ALTER TABLE t ADD engine int, ADD type varchar(9) DEFAULT 'x', ADD connection int",
            "ALTER TABLE t IMPORT TABLESPACE",
            "CREATE TABLE t (a int) TABLESPACE = innodb_system",
            "CREATE VIEW v AS SELECT 1 UNION (SELECT 2)",
            "INSERT INTO t VALUES ('DATA DIRECTORY=''x''')",
        ] {
            assert_eq!(keep_local(text, SqlMode::default()), LocalDefinition { text: text.into(), removed: vec![] });
        }
    }

    #[test]
    fn removes_definers() {
        let create = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `definer`";
        assert_eq!(
            remove_definer(create),
            "CREATE ALGORITHM=UNDEFINED SQL SECURITY INVOKER VIEW `v` AS select 1 AS `definer`"
        );
        for (text, kept) in [
            ("CREATE DEFINER=`role` VIEW v AS select 1", "CREATE VIEW v AS select 1"),
            ("CREATE DEFINER = CURRENT_USER() PROCEDURE p() SELECT 1", "CREATE PROCEDURE p() SELECT 1"),
            ("CREATE DEFINER = a @ b PROCEDURE p() SELECT 1", "CREATE PROCEDURE p() SELECT 1"),
            (
                "/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`%`*/ /*!50003 TRIGGER t */",
                "/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER t */",
            ),
            ("CREATE VIEW v AS select 1", "CREATE VIEW v AS select 1"),
            ("CREATE DEFINER=", "CREATE "),
            (
                "CREATE DEFINER/**/=root@localhost SQL SECURITY/**/DEFINER VIEW v AS select 1",
                "CREATE /**/SQL SECURITY/**/INVOKER VIEW v AS select 1",
            ),
            ("CREATE DEFINER = /* x */ a /* y */ @b VIEW v AS select 1", "CREATE /* x */ /* y */ VIEW v AS select 1"),
            ("CREATE DEFINER /*!50000 = a */ VIEW v AS select 1", "CREATE /*!50000 */ VIEW v AS select 1"),
        ] {
            assert_eq!(remove_definer(text), kept);
        }
    }

    #[test]
    fn attributes_have_a_length() {
        for (text, length) in [
            ("OR REPLACE VIEW", Some(2)),
            ("DEFINER=view TRIGGER", Some(3)),
            ("DEFINER=`a`@`%` PROCEDURE", Some(4)),
            ("DEFINER = CURRENT_USER() EVENT", Some(5)),
            ("DEFINER=", None),
            ("DEFINER VIEW", None),
            ("SQL SECURITY INVOKER VIEW", Some(3)),
            ("ALGORITHM=MERGE VIEW", Some(3)),
            ("ALGORITHM=x VIEW", None),
            ("VIEW", None),
            ("", None),
        ] {
            let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
            assert_eq!(attribute_length(&tokens), length, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(CREATE |ALTER |TABLE |t |\\(|\\)|,|=|DATA |DIRECTORY |'x'|UNION |ENGINE |connect |/\\*!50100 |\\*/|DEFINER|@|TABLESPACE |é|`| ){0,24}") {
            keep_local(&text, SqlMode::default());
            remove_definer(&text);
        }
    }
}
