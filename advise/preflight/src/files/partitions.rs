//! Parses the partitions of a CREATE TABLE.

use facts::{Partition, Partitioning};
use sql::{SqlMode, Token, TokenKind};

/// Returns how a table is partitioned, from the options behind its columns:
/// ``/*!50100 PARTITION BY KEY (`a`) PARTITIONS 3 */``. `None` without partitions.
pub fn parse_partitioning(options: &str) -> Option<Partitioning> {
    let is_word = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    let tokens: Vec<Token<'_>> = sql::tokenize(options, SqlMode::default()).filter(is_word).collect();
    let (method, expression) = parse_method(options, &tokens, "partition")?;
    let (sub_method, sub_expression) = parse_method(options, &tokens, "subpartition").unzip();
    let mut partitions = parse_definitions(options, &tokens);
    if partitions.is_empty() {
        let count = tokens.windows(2).find(|pair| pair[0].is_keyword("partitions"))?[1].text.parse().ok()?;
        partitions = (0..count).map(|at: usize| Partition { name: format!("p{at}"), ..Partition::default() }).collect();
    }
    let sub_expression = sub_expression.flatten();
    Some(Partitioning { method, expression, sub_method, sub_expression, partitions })
}

/// Returns method and expression of `PARTITION BY LIST COLUMNS(a)`, after the word `partition` or
/// `subpartition`. The expression is `None` if it is empty, as in `KEY ()`.
fn parse_method(options: &str, tokens: &[Token<'_>], word: &str) -> Option<(String, Option<String>)> {
    let by = 2 + tokens.windows(2).position(|pair| pair[0].is_keyword(word) && pair[1].is_keyword("by"))?;
    let methods = ["linear", "range", "list", "columns", "hash", "key", "system_time"];
    let words = tokens[by..].iter().take_while(|token| token.is_any_keyword(&methods));
    let method = words.map(|token| token.text.to_uppercase()).collect::<Vec<_>>().join(" ");
    let open = by + tokens[by..].iter().position(|token| token.is_symbol('('))?;
    let expression = inside_parentheses(options, tokens, open)?;
    Some((method, (!expression.is_empty()).then(|| expression.to_owned())))
}

/// Returns the text between the parenthesis at `open` and the one that closes it.
fn inside_parentheses<'o>(options: &'o str, tokens: &[Token<'_>], open: usize) -> Option<&'o str> {
    let inside = tokens.get(open + 1..)?;
    let close = inside[sql::closing_parenthesis(inside)?];
    Some(options[tokens[open].end()..close.start].trim())
}

/// Returns the partitions of ``PARTITION `p` VALUES IN ('a','b')``.
fn parse_definitions(options: &str, tokens: &[Token<'_>]) -> Vec<Partition> {
    let begins = |at: &usize| {
        let is_name = tokens.get(at + 1).is_some_and(|token| token.name().is_some() && !token.is_keyword("by"));
        tokens[*at].is_keyword("partition") && is_name
    };
    let starts: Vec<usize> = (0..tokens.len()).filter(begins).collect();
    let partition = |(number, start): (usize, &usize)| {
        let end = starts.get(number + 1).copied().unwrap_or(tokens.len());
        let own = &tokens[start + 2..end];
        let values = own.iter().position(|token| token.is_any_keyword(&["in", "than"]));
        let description = match values {
            Some(at) if own.get(at + 1)?.is_symbol('(') => inside_parentheses(options, tokens, start + 2 + at + 1),
            Some(at) => Some(own.get(at + 1)?.text),
            // MariaDB.
            None => own.first().filter(|token| token.is_keyword("default")).map(|token| token.text),
        };
        let name = tokens[start + 1].name()?;
        Some(Partition { name, description: description.map(str::to_owned), ..Partition::default() })
    };
    starts.iter().enumerate().filter_map(partition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_partitions_as_servers_print_them() {
        let described = |options: &str| {
            let Partitioning { method, expression, sub_expression, partitions, .. } = parse_partitioning(options)?;
            let values: Vec<String> = partitions.into_iter().map(|one| one.description.unwrap_or(one.name)).collect();
            Some((method, expression.unwrap_or_default(), sub_expression.unwrap_or_default(), values.join(";")))
        };
        let of = |a: &str, b: &str, c: &str, d: &str| Some((a.into(), b.into(), c.into(), d.into()));
        let key = " ENGINE=InnoDB\n/*!50100 PARTITION BY KEY (c)\nPARTITIONS 3 */";
        assert_eq!(described(key), of("KEY", "c", "", "p0;p1;p2"));
        let algorithm = " ENGINE=InnoDB /*!50100 PARTITION BY LINEAR KEY /*!50611 ALGORITHM = 1 */ ()\nPARTITIONS 1 */";
        assert_eq!(described(algorithm), of("LINEAR KEY", "", "", "p0"));
        let list = " ENGINE=InnoDB COMMENT='PARTITION BY'\n PARTITION BY LIST  COLUMNS(`c`)\n\
                    (PARTITION `p0` VALUES IN ('a)','b') ENGINE = InnoDB,\n PARTITION `p1` DEFAULT ENGINE = InnoDB)";
        assert_eq!(described(list), of("LIST COLUMNS", "`c`", "", "'a)','b';DEFAULT"));
        let range = " /*!50500 PARTITION BY RANGE  COLUMNS(c)\nSUBPARTITION BY KEY (d)\nSUBPARTITIONS 2\n\
                     (PARTITION p0 VALUES LESS THAN ('m') ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE) */";
        assert_eq!(described(range), of("RANGE COLUMNS", "c", "d", "'m';MAXVALUE"));
        assert_eq!(described(" ENGINE=InnoDB COMMENT='a partition'"), None);
    }
}
