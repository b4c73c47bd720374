//! Arguments of `weigh upgrade`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use server::Setting;

use crate::options::connect::SpecText;
use crate::options::pipeline::BaselineArgs;

const EXAMPLES: &str = "\
Examples:
  weigh upgrade --dump schema.sql --from mysql@5.7 --to mysql@9
      What of a dump does not load, what changes, and which settings keep it as it was.
  weigh upgrade --dump schema.sql --from mariadb@10.11 --to mariadb@11.8 --migrations next/*.sql
      With the migrations that run after the upgrade.
  weigh upgrade --dump schema.sql --from mysql@8.0 --to mysql@9 --sql app.sql --slow-log slow.log
      With the application's statements, which are run on both.
  weigh upgrade --from h=db1.example,u=me --schema shop --to mysql@9
      Definitions of a running server, which is only read from; S=/run/mysqld/mysqld.sock,u=me names one by its socket.
  weigh upgrade --dump schema.sql --from mysql@8.0 --to mariadb@10.11 --rewrite new.sql
      The dump as the new server takes it.
  weigh upgrade --live --from h=db1,u=me --to h=db2,u=me --schema shop --sql app.sql
      After the move: two running servers, which are only read from.

Exit status: 0 nothing found, 1 findings, 2 could not do it or see all of it; 130 and 143 after ctrl-C and SIGTERM.";

/// Find what an upgrade breaks, rehearsed on private servers
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct UpgradeArgs {
    /// Server before: a version that is started privately (mysql@5.7, mariadb@10.11, an image, a
    /// folder), or with --schema a running one (mysql://me@host; h=HOST,P=PORT,u=USER; or
    /// S=SOCKET,u=USER), which is only read from
    #[arg(long, value_name = "SPEC", help_heading = "Servers")]
    pub from: SpecText,

    /// Server after, started privately; with --live a running one
    #[arg(long, value_name = "SPEC", help_heading = "Servers")]
    pub to: SpecText,

    /// Private server in place of a running --from [default: the installed version nearest to it]
    #[arg(long, value_name = "SPEC", help_heading = "Servers")]
    pub trial: Option<String>,

    /// Option file of the servers ([mysqld]); options with which the new server does not start are
    /// findings, and are left out there
    #[arg(long, value_name = "FILE", help_heading = "Servers")]
    pub my_cnf: Option<PathBuf>,

    /// Setting of both servers, such as lower_case_table_names=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Servers")]
    pub settings: Vec<Setting>,

    /// Setting of the new server only, to try one; may be repeated
    #[arg(long = "set-to", value_name = "NAME=VALUE", help_heading = "Servers")]
    pub settings_to: Vec<Setting>,

    /// Dump of the schema (.sql, .sql.gz), with rows or without; may be repeated
    #[arg(long = "dump", value_name = "FILE", help_heading = "What to rehearse")]
    pub dumps: Vec<PathBuf>,

    /// Schema: of the statements [default: the dump's last], or of a running --from; may be
    /// repeated
    #[arg(long = "schema", value_name = "NAME", help_heading = "What to rehearse")]
    pub schemas: Vec<String>,

    /// Migrations that run after the upgrade, in this order
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What to rehearse")]
    pub migrations: Vec<PathBuf>,

    /// SQL script of the application, run on both servers; may be repeated
    #[arg(long = "sql", value_name = "FILE", help_heading = "What to rehearse")]
    pub scripts: Vec<PathBuf>,

    /// Slow query log, also packed (.gz), whose slowest classes are run; may be repeated
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "What to rehearse")]
    pub slow_logs: Vec<PathBuf>,

    /// Number of classes of each slow log to run, by their total time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to rehearse")]
    pub worst: u32,

    /// Compare two running servers after a move, without writing to either: definitions, defaults,
    /// and what the queries of --sql and --slow-log return
    #[arg(long, conflicts_with_all = ["dumps", "migrations", "trial", "rewrite"], help_heading = "What to rehearse")]
    pub live: bool,

    /// Collation of the application's connection: SET NAMES … COLLATE NAME comes before the
    /// statements [default: that of SET NAMES utf8mb4]
    #[arg(long, value_name = "NAME", value_parser = crate::options::values::parse_collation_name, help_heading = "What to rehearse")]
    pub connection_collation: Option<String>,

    /// Longest time to wait for a reply of a server, such as 20s or 2m
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "20s", help_heading = "Servers")]
    pub timeout: Option<Duration>,

    /// Write the dump as the new server takes it; the file is loaded there
    #[arg(long, value_name = "FILE", requires = "dumps", help_heading = "Output")]
    pub rewrite: Option<PathBuf>,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Output format: text, json (schemas/upgrade.schema.json), html, sarif or junit
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
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
