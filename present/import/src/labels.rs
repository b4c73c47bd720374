//! Labels that a log does not contain: collation, server, workload. They are given as templates,
//! which may use values of the path's pattern: `distinct_ranges:{range}`.

use server::Flavour;
use workload::{Text, Workload};

use crate::pattern::Values;

#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// Collation of the tables. The label may be any other name, for example `control`.
    pub collation: String,
    pub charset: String,
    pub connection_charset: String,
    pub server: String,
    pub flavour: Flavour,
    pub workload: Workload,
    /// Kind of text in the rows.
    pub text: Text,
    /// Number of connections, if the path contains it.
    pub threads: Option<u32>,
}

/// Options of the command. `None`: the value that the pattern reads under the field's name.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// `--collation`
    pub collation: Option<String>,
    /// `--charset`. `None` in option and path: the first part of the collation's name.
    pub charset: Option<String>,
    /// `--connection-charset`. `None` in option and path: the tables' charset.
    pub connection_charset: Option<String>,
    /// `--server`
    pub server: Option<String>,
    /// `--workload`
    pub workload: Option<String>,
    pub text: Text,
}

/// Reason why the labels of a log can't be determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// Neither the option nor the pattern has the value.
    #[error("its {what} is unknown: give --{what}, or a --pattern with {{{what}}}")]
    Missing {
        /// Name of the label and of its option.
        what: &'static str,
    },
    /// A template uses a name that the pattern does not have.
    #[error("`{template}` uses {{{name}}}, which the pattern does not have")]
    Unknown { template: String, name: String },
    /// An unknown workload, or a number of threads that is not a number.
    #[error("{0}")]
    Invalid(String),
}

impl Templates {
    /// Returns the labels of a log whose path has these values.
    pub fn fill(&self, values: &Values) -> Result<Labels, LabelError> {
        let collation = self.resolve_label("collation", self.collation.as_ref(), values)?;
        let given = |what, template: &Option<String>| match self.resolve_label(what, template.as_ref(), values) {
            Err(LabelError::Missing { .. }) => Ok(None),
            label => label.map(Some),
        };
        // In MySQL, a collation's name begins with the name of its charset: `latin1_swedish_ci`.
        let charset_of_collation = collation.split(['_', '-']).next().unwrap_or(&collation).to_owned();
        let charset = given("charset", &self.charset)?.unwrap_or(charset_of_collation);
        let connection_charset =
            given("connection_charset", &self.connection_charset)?.unwrap_or_else(|| charset.clone());
        let server = self.resolve_label("server", self.server.as_ref(), values)?;
        let workload = self.resolve_label("workload", self.workload.as_ref(), values)?;
        let invalid_threads =
            |threads: &String| LabelError::Invalid(format!("`{threads}`, found for {{threads}}, is not a number"));
        Ok(Labels {
            flavour: Flavour::from_version(&server),
            workload: workload
                .parse()
                .map_err(|error: workload::WorkloadError| LabelError::Invalid(error.to_string()))?,
            text: self.text,
            threads: values.get("threads").map(|text| text.parse().map_err(|_| invalid_threads(text))).transpose()?,
            collation,
            charset,
            connection_charset,
            server,
        })
    }

    fn resolve_label(
        &self,
        what: &'static str,
        template: Option<&String>,
        values: &Values,
    ) -> Result<String, LabelError> {
        match template {
            Some(template) => expand_template(template, values),
            None => values.get(what).cloned().ok_or(LabelError::Missing { what }),
        }
    }
}

/// Replaces names in braces by their values: `distinct_ranges:{range}` becomes
/// `distinct_ranges:10`.
fn expand_template(template: &str, values: &Values) -> Result<String, LabelError> {
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
    fn templates_use_values_of_the_path() {
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
    fn reports_missing_labels_with_their_option() {
        let found = values(&[("collation", "utf8mb4_bin"), ("run", "05"), ("range", "ten")]);
        assert!(templates().fill(&found).unwrap_err().to_string().contains("`ten` is not a range size"));
        let error = templates().fill(&values(&[("run", "05"), ("range", "10")])).unwrap_err().to_string();
        assert_eq!(error, "its collation is unknown: give --collation, or a --pattern with {collation}");
        let error = templates().fill(&values(&[("collation", "x"), ("run", "05")])).unwrap_err().to_string();
        assert_eq!(error, "`distinct_ranges:{range}` uses {range}, which the pattern does not have");
    }
}
