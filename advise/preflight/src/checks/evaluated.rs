//! Tests whether the query of a question is safe to run on the server.
//!
//! Questions contain expressions as servers print them, of tables that anybody may have created. A
//! printed text can have other tokens than its author's: in `swe7`, `Ö` has the byte of a
//! backslash. The check therefore tokenizes the finished query as the server does, wherever its
//! parts come from. MySQL 5.7, 8.0 and MariaDB 10.1, 11.8 refuse `LOAD_FILE`, `GET_LOCK` and
//! `SLEEP` in generated columns and defaults.

use sql::{SqlMode, Token, TokenKind};

use super::question::Question;

/// Words that are in no query of a question, unless quoted.
const REFUSED_WORDS: [&str; 11] =
    ["except", "intersect", "into", "lock", "minus", "procedure", "table", "union", "update", "values", "with"];

/// Place of the second SELECT in `SELECT COUNT(*) FROM (SELECT …`.
const INNER_SELECT: usize = 7;

/// Returns the reason why the server is not asked: the question could do more than compute values
/// of rows. The session's SQL mode is empty.
pub fn refuse_to_ask(question: &Question) -> Option<String> {
    // The server evaluates the text of the default's author, whose tokens can differ from the
    // printed ones.
    let default = question.default.as_deref().and_then(sql::find_unknown_word);
    let default = default.map(|word| format!("there is {word}, which may do more than compute a value"));
    let reason = default.or_else(|| find_suspect(&question.query))?;
    Some(format!("not asked: in the expression as the server prints it, {reason}"))
}

fn find_suspect(query: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = sql::tokenize(query, SqlMode::default()).collect();
    let reason = |token: &Token<'_>| match token.kind {
        _ if !token.is_closed => Some("a quote or comment is not closed".to_owned()),
        TokenKind::Comment | TokenKind::ConditionalComment | TokenKind::Hint => Some("there is a comment".to_owned()),
        TokenKind::Variable => Some(format!("there is the variable {}", token.text)),
        TokenKind::Symbol if token.text == ";" => Some("there is a semicolon".to_owned()),
        _ => None,
    };
    tokens
        .iter()
        .find_map(reason)
        .or_else(|| tokens.iter().enumerate().find_map(|(at, token)| refuse_clause(&tokens, at, token)))
        .or_else(|| sql::find_odd_number(&tokens).map(|number| format!("there is the number {}", number.text)))
        .or_else(|| sql::find_suspect_call(&tokens).map(|call| call.reason))
}

fn refuse_clause(tokens: &[Token<'_>], at: usize, token: &Token<'_>) -> Option<String> {
    let is_own = at == 0 || at == INNER_SELECT && tokens[at - 2].is_keyword("from") && tokens[at - 1].is_symbol('(');
    let is_refused = token.is_keyword("select") && !is_own || token.is_any_keyword(&REFUSED_WORDS);
    is_refused.then(|| format!("there is the word {}", token.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::question::tests::question;

    #[test]
    fn expressions_of_tables_are_asked() {
        for query in [
            "SELECT COUNT(*) FROM `s`.`t` USE INDEX FOR GROUP BY () WHERE NOT (((`a` in ('x;','@a /* select')) or (`b` <> 1)))",
            "SELECT COUNT(*) FROM (SELECT 1 FROM `s`.`t` WHERE lower(`update`) IS NOT NULL GROUP BY lower(`a`) \
             HAVING COUNT(*) > 1) AS g",
            "SELECT COUNT(*) FROM (SELECT DEFAULT(`a`) AS d FROM `s`.`t` LIMIT 1) AS x WHERE HEX(d) <> 'a'",
            "SELECT COUNT(*) FROM `s`.`t` WHERE NOT (CAST(CONVERT(`a` USING utf8mb4) AS BINARY) <=> _latin1'x')",
            "SELECT COUNT(*) DIV 2 FROM `s`.`t` AS a JOIN `s`.`t` AS b ON a.`x` = b.`x` AND NOT (a.`i` <=> b.`i`)",
        ] {
            assert_eq!(refuse_to_ask(&question(query)), None, "{query}");
        }
    }

    #[test]
    fn what_does_more_than_compute_is_not_asked() {
        let ask = |expression: &str| {
            refuse_to_ask(&question(&format!("SELECT COUNT(*) FROM `s`.`t` WHERE NOT ({expression} <=> `a`)")))
        };
        for (expression, word) in [
            ("concat(_armscii8'',load_file('x'),'')", "load_file"),
            ("concat('x',load_file('/etc/passwd'))", "load_file"),
            ("get_lock('a',1)", "get_lock"),
            ("`evil`.`f`(1)", "f of a schema"),
            ("sys_exec('x')", "sys_exec"),
            ("(select `a` from `mysql`.`user`)", "select"),
            ("extract(year from (select 1))", "select"),
            ("(table `s`.`u`)", "table"),
            ("1) union select (1", "union"),
            ("1) into outfile '/tmp/x' lines terminated by ('x'", "into"),
            ("@a", "@a"),
            ("sleep 1.e(1)", "the number 1."),
            ("1 /*!50000 + sleep(9)*/", "comment"),
            ("1); drop table (t", "semicolon"),
            ("'a", "not closed"),
        ] {
            let refused = ask(expression);
            assert!(refused.as_ref().is_some_and(|why| why.contains(word)), "{expression}: {refused:?}");
        }
        let of_default = Question {
            default: Some("(concat(''',load_file('x'),'''))".to_owned()),
            ..question("SELECT COUNT(*) FROM (SELECT DEFAULT(`a`) AS d FROM `s`.`t` LIMIT 1) AS x")
        };
        assert!(refuse_to_ask(&of_default).is_some_and(|why| why.contains("load_file")));
    }
}
