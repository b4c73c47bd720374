//! Parses PARTITION BY of CREATE TABLE statements.

use facts::{Partition, Partitioning};
use sql::{Token, closing_parenthesis, ddl};

use super::column::content_tokens;

/// Parses the partitions in the text behind a table's definitions, as the servers print it. `None`
/// without partitions.
///
/// # Errors
///
/// Returns PARTITION BY and what follows, if it was not understood.
pub fn parse_partitioning(options: &str) -> Result<Option<Partitioning>, String> {
    let tokens = content_tokens(options);
    let is_begin = |pair: &[Token<'_>]| pair[0].is_keyword("PARTITION") && pair[1].is_keyword("BY");
    let Some(at) = tokens.windows(2).position(is_begin) else { return Ok(None) };
    let mut clause = Clause { text: options, tokens: &tokens[at + 2..] };
    clause.read().map(Some).ok_or_else(|| options[tokens[at].start..].to_owned())
}

/// Text that is read token by token.
struct Clause<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
}

impl<'t> Clause<'t> {
    fn next(&mut self) -> Option<Token<'t>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// Skips a word. False if another token follows.
    fn skip(&mut self, word: &str) -> bool {
        let is_next = self.tokens.first().is_some_and(|token| token.is_keyword(word));
        self.tokens = &self.tokens[usize::from(is_next)..];
        is_next
    }

    /// Skips a word and its number, such as PARTITIONS 4, and returns the number.
    fn skip_number(&mut self, word: &str) -> Option<usize> {
        self.skip(word).then_some(())?;
        let number = self.next().and_then(|token| if token.is_symbol('=') { self.next() } else { Some(token) });
        number?.text.parse().ok()
    }

    /// Returns the text in the parentheses that follow.
    fn parentheses(&mut self) -> Option<&'t str> {
        let open = self.next().filter(|token| token.is_symbol('('))?;
        let close = closing_parenthesis(self.tokens)?;
        let end = self.tokens[close].start;
        self.tokens = &self.tokens[close + 1..];
        Some(&self.text[open.end()..end])
    }

    fn read(&mut self) -> Option<Partitioning> {
        let (method, expression) = self.read_method()?;
        let count = self.skip_number("PARTITIONS");
        let (mut sub_method, mut sub_expression) = (None, None);
        if self.skip("SUBPARTITION") {
            let (method, expression) = self.skip("BY").then(|| self.read_method())??;
            (sub_method, sub_expression) = (Some(method), expression);
            self.skip_number("SUBPARTITIONS");
        }
        let partitions = match self.tokens.first() {
            Some(token) if token.is_symbol('(') => read_partitions(self.parentheses()?)?,
            _ => {
                (0..count.unwrap_or(1)).map(|at| Partition { name: format!("p{at}"), ..Partition::default() }).collect()
            }
        };
        Some(Partitioning { method, expression, sub_method, sub_expression, partitions })
    }

    /// Reads the method, such as RANGE COLUMNS, and its expression or columns, which `KEY ()` and
    /// SYSTEM_TIME lack.
    fn read_method(&mut self) -> Option<(String, Option<String>)> {
        let linear = if self.skip("LINEAR") { "LINEAR " } else { "" };
        let method = self.next()?.text.to_uppercase();
        let columns = match method.as_str() {
            "RANGE" | "LIST" if self.skip("COLUMNS") => " COLUMNS",
            "RANGE" | "LIST" | "HASH" => "",
            "KEY" => {
                self.skip_number("ALGORITHM");
                ""
            }
            // `INTERVAL 1 MONTH STARTS …` or `LIMIT 100`.
            "SYSTEM_TIME" => {
                let begin = self.tokens.iter().position(|token| token.is_symbol('('));
                self.tokens = &self.tokens[begin.unwrap_or(self.tokens.len())..];
                return Some((method, None));
            }
            _ => return None,
        };
        let expression = self.parentheses()?.trim().to_owned();
        Some((format!("{linear}{method}{columns}"), Some(expression).filter(|text| !text.is_empty())))
    }
}

/// Reads a list of partitions. `None` if one was not understood.
fn read_partitions(list: &str) -> Option<Vec<Partition>> {
    let in_parentheses = format!("({list})");
    let mut partitions = Vec::new();
    for definition in ddl::split_definitions(&in_parentheses) {
        let tokens = content_tokens(definition);
        let mut clause = Clause { text: definition, tokens: &tokens };
        let name = clause.skip("PARTITION").then(|| clause.next())??.name()?;
        let description = if clause.skip("VALUES") {
            Some(read_values(&mut clause)?)
        } else {
            clause.skip("DEFAULT").then(|| "DEFAULT".to_owned())
        };
        let partition = Partition { name, description, ..Partition::default() };
        let subpartitions = clause.tokens.iter().position(|token| token.is_symbol('('));
        match subpartitions {
            Some(at) => {
                clause.tokens = &clause.tokens[at..];
                let in_parentheses = format!("({})", clause.parentheses()?);
                for sub in ddl::split_definitions(&in_parentheses) {
                    let sub_name = content_tokens(sub).get(1)?.name();
                    partitions.push(Partition { sub_name, ..partition.clone() });
                }
            }
            None => partitions.push(partition),
        }
    }
    Some(partitions)
}

/// Reads the bound or the values: `'n'` of `LESS THAN ('n')`, `MAXVALUE`, `'a','b'` of `IN
/// ('a','b')`, `DEFAULT`.
fn read_values(clause: &mut Clause<'_>) -> Option<String> {
    let is_range = clause.skip("LESS") && clause.skip("THAN");
    if !is_range && !clause.skip("IN") {
        return None;
    }
    for word in ["MAXVALUE", "DEFAULT"] {
        if clause.skip(word) {
            return Some(word.to_owned());
        }
    }
    Some(clause.parentheses()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(options: &str) -> Partitioning {
        parse_partitioning(options).unwrap().unwrap()
    }

    fn descriptions(partitioning: &Partitioning) -> Vec<(&str, Option<&str>)> {
        partitioning.partitions.iter().map(|one| (one.name.as_str(), one.description.as_deref())).collect()
    }

    #[test]
    fn partitions_of_mariadb_are_read() {
        let range = parse(
            " ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci\n PARTITION BY RANGE  COLUMNS(`a`)\n\
             (PARTITION `p0` VALUES LESS THAN ('n') ENGINE = InnoDB,\n PARTITION `p1` VALUES LESS THAN ('ö') ENGINE = InnoDB)",
        );
        assert_eq!((range.method.as_str(), range.expression.as_deref()), ("RANGE COLUMNS", Some("`a`")));
        assert_eq!(descriptions(&range), [("p0", Some("'n'")), ("p1", Some("'ö'"))]);
        let list = parse(
            " PARTITION BY LIST  COLUMNS(`a`)\n(PARTITION `p0` VALUES IN ('a','b,)') ENGINE = InnoDB,\n PARTITION `pd` DEFAULT ENGINE = InnoDB)",
        );
        assert_eq!(descriptions(&list), [("p0", Some("'a','b,)'")), ("pd", Some("DEFAULT"))]);
        let history = parse(
            " WITH SYSTEM VERSIONING\n PARTITION BY SYSTEM_TIME LIMIT 2\n(PARTITION `p0` HISTORY ENGINE = InnoDB,\n PARTITION `pn` CURRENT ENGINE = InnoDB)",
        );
        assert_eq!((history.method.as_str(), history.partitions.len()), ("SYSTEM_TIME", 2));
    }

    #[test]
    fn partitions_of_mysql_are_read() {
        let range = parse(
            " ENGINE=InnoDB DEFAULT CHARSET=latin1\n/*!50500 PARTITION BY RANGE  COLUMNS(a,n)\n\
             (PARTITION p0 VALUES LESS THAN ('n',5) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN (MAXVALUE,MAXVALUE) ENGINE = InnoDB) */",
        );
        assert_eq!(range.expression.as_deref(), Some("a,n"));
        assert_eq!(descriptions(&range), [("p0", Some("'n',5")), ("p1", Some("MAXVALUE,MAXVALUE"))]);
        let key = parse(" ENGINE=InnoDB\n/*!50100 PARTITION BY LINEAR KEY (a)\nPARTITIONS 4 */");
        assert_eq!(
            (key.method.as_str(), key.expression.as_deref(), key.partitions.len()),
            ("LINEAR KEY", Some("a"), 4)
        );
        let sub = parse(
            "/*!50100 PARTITION BY RANGE (`n`)\nSUBPARTITION BY KEY (a)\n\
             (PARTITION p0 VALUES LESS THAN (10)\n (SUBPARTITION s0 ENGINE = InnoDB,\n  SUBPARTITION s1 ENGINE = InnoDB),\n \
             PARTITION p1 VALUES LESS THAN MAXVALUE\n (SUBPARTITION s2 ENGINE = InnoDB,\n  SUBPARTITION s3 ENGINE = InnoDB)) */",
        );
        assert_eq!((sub.sub_method.as_deref(), sub.sub_expression.as_deref()), (Some("KEY"), Some("a")));
        assert_eq!(descriptions(&sub).last(), Some(&("p1", Some("MAXVALUE"))));
        assert_eq!((sub.partitions.len(), sub.partitions[3].sub_name.as_deref()), (4, Some("s3")));
    }

    #[test]
    fn other_partitions_are_not_understood() {
        assert_eq!(parse_partitioning(" ENGINE=InnoDB COMMENT='PARTITION BY KEY'"), Ok(None));
        let error = parse_partitioning(" ENGINE=InnoDB PARTITION BY NEW (`a`)").unwrap_err();
        assert_eq!(error, "PARTITION BY NEW (`a`)");
    }

    #[test]
    fn parses_partitions_as_servers_print_them() {
        let described = |options: &str| {
            let Partitioning { method, expression, sub_expression, partitions, .. } =
                parse_partitioning(options).unwrap()?;
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
