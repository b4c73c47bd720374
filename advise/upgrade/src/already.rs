//! Statements that the old server refuses: its errors, and advice if one names a schema that is not
//! there.

use std::collections::BTreeMap;

use server::{Server, error_code};
use why::Refusal;

use crate::Error;
use crate::load::{DEFAULT_SCHEMA, Loaded};
use crate::model::{Area, Finding, Kind};
use crate::side;

const UNKNOWN_SEQUENCE: u16 = 4091;

/// Refusals of the old server.
pub struct Already {
    refused: BTreeMap<String, Refusal>,
    /// Names of the old server's schemas, in lower case.
    schemas: Vec<String>,
    /// True if the dump has no USE, and no schema was given.
    is_nameless: bool,
}

impl Already {
    /// `given` is the schema of the request.
    pub fn new(source: &Server, loaded: &Loaded, given: Option<&str>, is_dump: bool) -> Result<Self, Error> {
        Ok(Self {
            refused: loaded.refused.clone(),
            schemas: side::user_schemas(source)?.iter().map(|name| name.to_lowercase()).collect(),
            is_nameless: is_dump && given.is_none() && !loaded.has_use,
        })
    }

    /// Lists the refused statements, a sentence each.
    pub fn describe(&self) -> Vec<String> {
        let line = |(place, refusal): (&String, &Refusal)| {
            let hint = self.advise_schema(refusal).map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{place}: the old server refuses the statement: {refusal}{hint}")
        };
        self.refused.iter().map(line).collect()
    }

    /// Sets the old server's error in a finding of the kind `FailsAlready`. Leaves others as they
    /// are.
    pub fn explain(&self, finding: &mut Finding) {
        let Some(old) = self.refused.get(&finding.place).filter(|_| finding.kind == Kind::FailsAlready) else { return };
        if finding.area == Area::Load {
            finding.what = "does not load on the old server either; the upgrade is not the cause".into();
        }
        set_old_error(finding, old);
        finding.reasons.extend(self.advise_schema(old));
    }

    /// Advice to load the dump into the schema that a refusal names, if `is_nameless` and the old
    /// server lacks that schema.
    fn advise_schema(&self, refusal: &Refusal) -> Option<String> {
        let schema = named_schema(refusal).filter(|_| self.is_nameless)?;
        let is_there = self.schemas.contains(&schema.to_lowercase());
        (!is_there).then(|| {
            format!(
                "The dump has no USE and was loaded into the schema {DEFAULT_SCHEMA}; with --schema {schema} it is loaded into {schema}"
            )
        })
    }
}

/// Sets the old server's error as that of a finding. A new server's error of another text becomes a
/// reason. If its code differs, too, mends without statements are removed, and the others say that
/// they mend the new server's error.
pub fn set_old_error(finding: &mut Finding, old: &Refusal) {
    let old = old.to_string();
    let code = |error: &str| error.split(':').next().map(str::to_owned);
    let new = finding.error.replace(old.clone());
    let Some(new) = new.filter(|new| *new != old) else { return };
    if code(&new) != code(&old) {
        finding.mends.retain(|mend| !mend.sql.is_empty());
        finding.mends.iter_mut().for_each(|mend| mend.effects.push("It mends the new server's error only.".into()));
    }
    finding.reasons.insert(0, format!("That is the old server's error; the new one's is {new}"));
}

/// Schema that a refusal names: `shop` of `Table 'shop.order_no' doesn't exist`.
fn named_schema(refusal: &Refusal) -> Option<String> {
    let quotes = ['\'', '"', '`'];
    let message = &refusal.message;
    let first = match refusal.code {
        error_code::BAD_DB_ERROR => message.split(quotes).nth(1)?,
        error_code::NO_SUCH_TABLE | error_code::SP_DOES_NOT_EXIST | UNKNOWN_SEQUENCE => {
            let name = message.split_whitespace().find(|word| word.trim_matches(quotes).contains('.'))?;
            name.trim_matches(quotes).split('.').next()?
        }
        _ => return None,
    };
    let is_own = ["mysql", "sys", "information_schema", "performance_schema"].contains(&first);
    (!first.is_empty() && !is_own).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_of_refusals_are_read() {
        for (code, message, schema) in [
            (1146, "Table 'shop.order_no' doesn't exist", Some("shop")),
            (1049, "Unknown database 'shop'", Some("shop")),
            (1305, "FUNCTION shop.f does not exist", Some("shop")),
            (4091, "Unknown SEQUENCE: 'shop.order_no'", Some("shop")),
            (1146, "Table 'mysql.x' doesn't exist", None),
            (1064, "near 'shop.t' at line 1", None),
        ] {
            let refusal = Refusal { code, message: message.into() };
            assert_eq!(named_schema(&refusal).as_deref(), schema, "{message}");
        }
    }
}
