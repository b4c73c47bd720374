//! Arguments of `weigh why`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use server::collation_charset;
use why::Request;

use crate::options::connect::{ConnectArgs, DEFAULT_RUNNING_OR_DUMP, with_default_server};
use crate::options::pipeline::BaselineArgs;

const EXAMPLES: &str = "\
Examples:
  weigh why --dump schema.sql --server mysql@8.0 \"SELECT … WHERE u.mail = 'x'\"
      No server of yours: a private one is started and filled from the dump.
  weigh why --dump schema.sql --sql app.sql --connection-collation utf8mb4_unicode_ci
      Every statement of a script, as the application's connection runs it.
  weigh why mysql://me@db1.example --schema shop \"CALL totals('x')\"
      A running server: statements are only explained there; remedies are tried on a copy.
  weigh why mysql://me@db1.example --schema shop --slow-log slow.log
      The classes of a slow log that took most time.

Exit status: 0 nothing found, 1 findings, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Find why a statement fails or is slow, and remedies that work
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true, mut_arg("servers", |arg| with_default_server(arg, DEFAULT_RUNNING_OR_DUMP)))]
pub struct WhyArgs {
    /// Statement to judge; several are separated by semicolons, and SET applies to later ones. A
    /// server may come before or after it
    pub statement: Option<String>,

    /// SQL script whose statements are judged; may be repeated
    #[arg(long = "sql", value_name = "FILE", help_heading = "What to judge")]
    pub scripts: Vec<PathBuf>,

    /// Slow query log, also packed (.gz), whose slowest classes are judged; may be repeated
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "What to judge")]
    pub slow_logs: Vec<PathBuf>,

    /// Number of classes of each slow log to judge, by their total time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to judge")]
    pub worst: u32,

    /// Dump of the schema (.sql, .sql.gz), loaded into a private server; may be repeated
    #[arg(long = "dump", value_name = "FILE", help_heading = "What to judge")]
    pub dumps: Vec<PathBuf>,

    /// Schema of the statements [default: the dump's last, or the server's only one]
    #[arg(long, value_name = "NAME", help_heading = "What to judge")]
    pub schema: Option<String>,

    /// Collation of the application's connection: SET NAMES … COLLATE NAME comes before the
    /// statements [default: that of SET NAMES utf8mb4]
    #[arg(long, value_name = "NAME", value_parser = crate::options::values::parse_collation_name, help_heading = "What to judge")]
    pub connection_collation: Option<String>,

    /// Private server for the copy of a running one's schemas [default: the installed version
    /// nearest to it]
    #[arg(long, value_name = "SPEC", conflicts_with = "dumps", help_heading = "Servers")]
    pub trial: Option<String>,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Output format: text, json (schemas/why.schema.json), html, sarif or junit
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Html,
    Sarif,
    Junit,
}

impl WhyArgs {
    /// Exchanges the first two arguments if a server comes before the statement, as in the other
    /// commands. A statement has blanks, the name of a server has none.
    pub fn place_server_first(&mut self) {
        let Some(first) = &self.statement else { return };
        let is_server = !first.contains(char::is_whitespace) && first.parse::<server::Spec>().is_ok();
        if is_server {
            self.statement = self.connect.replace_first_server(first.clone().into());
        }
    }

    /// Statements that the application's connection begins with.
    pub fn first_statements(&self) -> Vec<String> {
        let names = |collation: &String| format!("SET NAMES {} COLLATE {collation}", collation_charset(collation));
        self.connection_collation.iter().map(names).collect()
    }

    /// Schemas of a running server that the copy needs.
    pub fn copied_schemas(&self, request: &Request) -> Vec<String> {
        let mut schemas: Vec<String> = Vec::new();
        let given = request.given.iter().filter_map(|given| given.schema.clone());
        for schema in request.schema.iter().cloned().chain(given) {
            if !schemas.contains(&schema) {
                schemas.push(schema);
            }
        }
        schemas
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        why: WhyArgs,
    }

    #[test]
    fn a_server_may_come_before_the_statement() {
        for words in [["mysql://me@db", "SELECT 1"], ["SELECT 1", "mysql://me@db"]] {
            let mut line = Line::try_parse_from([&["why"], &words[..]].concat()).unwrap();
            line.why.place_server_first();
            assert_eq!(line.why.statement.as_deref(), Some("SELECT 1"));
            let targets = line.why.connect.resolve(1).unwrap();
            assert!(targets.specs.len() == 1 && targets.specs[0].is_running());
        }
    }
}
