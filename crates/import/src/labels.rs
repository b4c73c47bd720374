//! What a log doesn't tell: collation, server, workload. Given in words, in which what a pattern found may stand: `distinct_ranges:{range}`.

use server::Flavour;
use workload::{Text, Workload};

use crate::pattern::Values;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// Collation, or whatever tells the tables apart.
    pub collation: String,
    /// Its charset.
    pub charset: String,
    /// Charset of the connections.
    pub connection_charset: String,
    /// The server's name.
    pub server: String,
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// The workload.
    pub workload: Workload,
    /// Text of the rows.
    pub text: Text,
    /// Connections, where the path tells them.
    pub threads: Option<u32>,
}

/// What was given in words; where something was not, what a pattern found under its name.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// `--collation`
    pub collation: Option<String>,
    /// `--charset`; the collation's, by its name, where absent.
    pub charset: Option<String>,
    /// `--connection-charset`; the tables' where absent.
    pub connection_charset: Option<String>,
    /// `--server`
    pub server: Option<String>,
    /// `--workload`
    pub workload: Option<String>,
    /// Text of the rows.
    pub text: Text,
}

/// Why labels can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// Neither option nor pattern.
    #[error("nothing tells its {what}: give --{what}, or a --pattern with {{{what}}}")]
    Missing {
        /// Which label.
        what: &'static str,
    },
    /// A name that the pattern has not.
    #[error("`{template}` speaks of {{{name}}}, which the pattern did not find")]
    Unknown {
        /// What was given.
        template: String,
        /// The name in it.
        name: String,
    },
    /// A workload that there is not, or a number that is none.
    #[error("{0}")]
    Bad(String),
}

impl Templates {
    /// The labels of a log in whose path these values were found.
    pub fn fill(&self, values: &Values) -> Result<Labels, LabelError> {
        let collation = self.label("collation", self.collation.as_ref(), values)?;
        let given = |what, template: &Option<String>| match self.label(what, template.as_ref(), values) {
            Err(LabelError::Missing { .. }) => Ok(None),
            label => label.map(Some),
        };
        // A collation's name begins with its charset's.
        let own = collation.split(['_', '-']).next().unwrap_or(&collation).to_owned();
        let charset = given("charset", &self.charset)?.unwrap_or(own);
        let connection_charset =
            given("connection_charset", &self.connection_charset)?.unwrap_or_else(|| charset.clone());
        let server = self.label("server", self.server.as_ref(), values)?;
        let workload = self.label("workload", self.workload.as_ref(), values)?;
        let bad_threads =
            |threads: &String| LabelError::Bad(format!("`{threads}`, found for {{threads}}, is no number"));
        Ok(Labels {
            flavour: Flavour::of(&server),
            workload: workload.parse().map_err(|error: workload::WorkloadError| LabelError::Bad(error.to_string()))?,
            text: self.text,
            threads: values.get("threads").map(|text| text.parse().map_err(|_| bad_threads(text))).transpose()?,
            collation,
            charset,
            connection_charset,
            server,
        })
    }

    fn label(&self, what: &'static str, template: Option<&String>, values: &Values) -> Result<String, LabelError> {
        match template {
            Some(template) => expand(template, values),
            None => values.get(what).cloned().ok_or(LabelError::Missing { what }),
        }
    }
}

/// A template with the values in place of their names.
fn expand(template: &str, values: &Values) -> Result<String, LabelError> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        let unknown = || LabelError::Unknown { template: template.into(), name: name.into() };
        out.push_str(before);
        out.push_str(values.get(name).ok_or_else(unknown)?);
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    fn templates() -> Templates {
        let given = |text: &str| Some(text.to_string());
        Templates { server: given("mariadb {run}"), workload: given("distinct_ranges:{range}"), ..Templates::default() }
    }

    #[test]
    fn options_take_what_the_pattern_found() {
        let found = values(&[("collation", "utf8mb4_bin"), ("run", "05"), ("range", "10"), ("threads", "4")]);
        let labels = templates().fill(&found).unwrap();
        assert_eq!(
            (labels.server.as_str(), labels.workload.to_string().as_str()),
            ("mariadb 05", "distinct_ranges:10")
        );
        assert_eq!((labels.charset.as_str(), labels.connection_charset.as_str()), ("utf8mb4", "utf8mb4"));
        assert_eq!((labels.flavour, labels.threads), (Flavour::MariaDb, Some(4)));
    }

    #[test]
    fn what_is_missing_is_said_with_what_to_give() {
        let found = values(&[("collation", "utf8mb4_bin"), ("run", "05"), ("range", "ten")]);
        assert!(templates().fill(&found).unwrap_err().to_string().contains("`ten` is no range size"));
        let error = templates().fill(&values(&[("run", "05"), ("range", "10")])).unwrap_err().to_string();
        assert_eq!(error, "nothing tells its collation: give --collation, or a --pattern with {collation}");
        let error = templates().fill(&values(&[("collation", "x"), ("run", "05")])).unwrap_err().to_string();
        assert_eq!(error, "`distinct_ranges:{range}` speaks of {range}, which the pattern did not find");
    }
}
