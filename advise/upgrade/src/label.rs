//! Names of result columns. MySQL 8.0 and later return those of information_schema in upper case, in
//! whatever letters the query writes them.

use server::Server;
use sql::{SqlMode, Token, tokenize};
use why::splice;

use crate::Error;
use crate::material::Given;
use crate::model::{Finding, Kind, Mend};
use crate::script::{Done, is_query};
use crate::side::{Rows, Session};

/// Reports a query that names its result's columns in other letters on the new server.
pub fn judge(target: &Server, given: &Given, after: &Done, one: &Rows, other: &Rows) -> Result<Option<Finding>, Error> {
    let is_same_but_for_case = one.labels.len() == other.labels.len()
        && one.labels != other.labels
        && one.labels.iter().zip(&other.labels).all(|(old, new)| old.eq_ignore_ascii_case(new));
    if !is_same_but_for_case || !is_query(&given.text) {
        return Ok(None);
    }
    let changed = one.labels.iter().zip(&other.labels).find(|(old, new)| old != new);
    let (old, new) = changed.map_or(("", ""), |(old, new)| (old, new));
    let what = format!("names the columns of its result in other letters: {new} instead of {old}");
    let mut finding = given.finding(Kind::Differs, what);
    finding.reasons.push(
        "MySQL 8.0 and later return the columns of information_schema under their own names, in upper case. A program that \
         looks for the name as the query writes it finds nothing"
            .into(),
    );
    if let Some(text) = with_aliases(&given.text, &one.labels) {
        let mut session = Session::open(target, after.setup.schema.as_deref(), &after.setup.prelude)?;
        if session.run(&text)?.is_ok_and(|rows| rows.labels == one.labels) {
            let what = "Give each column an alias".to_owned();
            finding.mends.push(Mend { what, sql: vec![text], ..Mend::default() });
        }
    }
    Ok(Some(finding))
}

/// Gives the plain columns of the first SELECT's list their names as aliases. `None` if the list is
/// not one of as many expressions as labels.
fn with_aliases(text: &str, labels: &[String]) -> Option<String> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    tokens.first().filter(|token| token.is_keyword("select"))?;
    let begin = 1 + tokens[1..].iter().take_while(|token| token.is_any_keyword(&["distinct", "all"])).count();
    let mut depth = 0_usize;
    let (mut items, mut first): (Vec<&[Token<'_>]>, usize) = (Vec::new(), begin);
    for (at, token) in tokens.iter().enumerate().skip(begin) {
        let ends = depth == 0 && (token.is_symbol(',') || token.is_keyword("from"));
        if ends {
            items.push(&tokens[first..at]);
            first = at + 1;
        }
        if ends && token.is_keyword("from") {
            break;
        }
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if items.len() != labels.len() {
        return None;
    }
    let is_plain = |item: &[Token<'_>]| {
        item.len() % 2 == 1
            && item
                .iter()
                .enumerate()
                .all(|(at, token)| if at % 2 == 0 { token.name().is_some() } else { token.is_symbol('.') })
    };
    let edits: Vec<_> = items
        .iter()
        .zip(labels)
        .filter(|(item, _)| is_plain(item))
        .filter_map(|(item, label)| {
            let end = item.last()?.end();
            Some((end..end, format!(" AS {}", sql::quote_identifier(label))))
        })
        .collect();
    Some(splice(text, &edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_their_names_as_aliases() {
        let labels = ["table_name".to_owned(), "n".to_owned()];
        assert_eq!(
            with_aliases("SELECT DISTINCT t.table_name, COUNT(a, b) AS n FROM t", &labels).as_deref(),
            Some("SELECT DISTINCT t.table_name AS `table_name`, COUNT(a, b) AS n FROM t")
        );
        assert_eq!(with_aliases("SELECT * FROM t", &labels), None);
    }
}
