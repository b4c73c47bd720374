//! `cargo xtask apps`: runs `weigh audit` and `weigh preflight` on schemas of applications from
//! Debian's packages. The client runs each plan; after that, preflight must find nothing left to
//! convert. Not a test, because the packages are some 80 MB.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options, Server, open};

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to load the schemas into.
    #[arg(long = "server", value_name = "SPEC,…", value_delimiter = ',', default_values = ["mariadb", "mysql@sid"])]
    servers: Vec<String>,

    /// Folder for the output of audit and preflight.
    #[arg(long, value_name = "FOLDER", default_value = "target/apps")]
    out: PathBuf,
}

struct App {
    package: &'static str,
    /// File in the package that creates the schema.
    file: &'static str,
    /// Options of `CREATE DATABASE`, as the application's installer sets them.
    database: &'static str,
    /// Converts the file's content to statements.
    sql: fn(&str) -> String,
}

const APPS: [App; 5] = [
    App {
        package: "cacti",
        file: "usr/share/cacti/conf_templates/cacti.sql",
        database: "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        sql: str::to_owned,
    },
    // MediaWiki stores text as bytes. The file has a comment as a placeholder for the table
    // options.
    App {
        package: "mediawiki",
        file: "usr/share/mediawiki/maintenance/tables-generated.sql",
        database: "CHARACTER SET latin1",
        sql: |text| text.replace("/*$wgDBTableOptions*/", "ENGINE=InnoDB, DEFAULT CHARSET=binary"),
    },
    App {
        package: "roundcube-core",
        file: "usr/share/roundcube/SQL/mysql.initial.sql",
        database: "CHARACTER SET utf8mb4",
        sql: str::to_owned,
    },
    App {
        package: "wordpress",
        file: "usr/share/wordpress/wp-admin/includes/schema.php",
        database: "CHARACTER SET utf8mb4",
        sql: extract_wordpress_sql,
    },
    App {
        package: "zabbix-server-mysql",
        file: "usr/share/zabbix-server-mysql/schema.sql.gz",
        database: "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        sql: str::to_owned,
    },
];

/// Extracts the statements from WordPress' PHP, each table once, and fills in its variables.
fn extract_wordpress_sql(php: &str) -> String {
    let filled = php
        .replace("$wpdb->", "wp_")
        .replace("$charset_collate", "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
        .replace("$max_index_length", "191");
    let mut tables: Vec<&str> = Vec::new();
    let mut sql = String::new();
    for statement in
        filled.split("CREATE TABLE wp_").skip(1).filter_map(|rest| rest.split_once(';')).map(|(one, _)| one)
    {
        let name = statement.split_whitespace().next().unwrap_or_default();
        if !tables.contains(&name) {
            tables.push(name);
            sql.push_str(&format!("CREATE TABLE wp_{statement};\n"));
        }
    }
    sql
}

/// Returns `true`, or an error if a command fails or anything is left to convert.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let weigh = crate::build_weigh()?;
    let client = Tool::Client.find_or_install(&Bar::with_steps_printed())?;
    fs::create_dir_all(&arguments.out)?;
    let scratch = tempfile::tempdir()?;
    let scripts: Vec<String> = APPS.iter().map(|app| fetch_script(app, scratch.path())).collect::<Result<_>>()?;
    for name in &arguments.servers {
        let server = open(
            &name.parse()?,
            &Options { buffer_pool: Some(128 << 20), ..Options::default() },
            &Bar::with_steps_printed(),
        )?;
        let runner = Runner { server: &server, weigh: &weigh, client: &client, out: &arguments.out };
        for (app, script) in APPS.iter().zip(&scripts) {
            let summary = runner.check_app(app, script).with_context(|| format!("{} on {name}", app.package))?;
            println!("{name} {}: {summary}", app.package);
        }
        server.stop()?;
    }
    println!("the output of audit and preflight is in {}", arguments.out.display());
    Ok(true)
}

pub fn fetch_schema(package: &str, scratch: &Path) -> Result<String> {
    fetch_script(APPS.iter().find(|app| app.package == package).context("no such application")?, scratch)
}

fn fetch_script(app: &App, scratch: &Path) -> Result<String> {
    let folder = scratch.join(app.package);
    fs::create_dir(&folder)?;
    let mut download = Command::new("apt-get");
    capture_bytes(download.args(["--quiet", "download", app.package]).current_dir(&folder))?;
    let package = fs::read_dir(&folder)?.next().context("nothing was downloaded")??.path();
    let root = folder.join("root");
    capture_bytes(Command::new("dpkg").arg("-x").arg(package).arg(&root))?;
    let file = root.join(app.file);
    let bytes = match app.file.ends_with(".gz") {
        true => capture_bytes(Command::new("gzip").arg("-dc").arg(&file))?,
        false => fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?,
    };
    let sql = (app.sql)(&String::from_utf8_lossy(&bytes));
    // Cacti's schema sets an SQL mode that MySQL 8 doesn't have.
    let lines = sql.lines().filter(|line| !line.contains("@sqlmode"));
    Ok(format!("SET SESSION sql_mode = '';\n{}", lines.collect::<Vec<_>>().join("\n")))
}

/// Returns the output of a command, or an error with its messages. The command is ended when this
/// process ends.
pub fn capture_output(mut command: Command) -> Result<String> {
    let line = format!("{command:?}");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = lifecycle::spawn_with_environment(command).and_then(Child::wait_with_output);
    Ok(String::from_utf8(check_output(&line, output)?)?)
}

fn capture_bytes(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output();
    check_output(&format!("{command:?}"), output)
}

fn check_output(line: &str, output: io::Result<Output>) -> Result<Vec<u8>> {
    let output = output.with_context(|| format!("cannot run {line}"))?;
    let [summary, printed] = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
    ensure!(output.status.success(), "{line}, {}: {summary}{printed}", output.status);
    Ok(output.stdout)
}

/// A server and the programs that run against it.
struct Runner<'a> {
    server: &'a Server,
    weigh: &'a Path,
    client: &'a Path,
    out: &'a Path,
}

impl Runner<'_> {
    fn check_app(&self, app: &App, script: &str) -> Result<String> {
        let name = app.package.split('-').next().unwrap_or(app.package);
        self.run_script(&format!("CREATE DATABASE {name} {}; USE {name};\n{script}", app.database))?;
        let audit = self.run_weigh("audit", name, &[])?;
        let target = match self.server.flavour() {
            server::Flavour::MySql => "--to=utf8mb4_0900_ai_ci",
            server::Flavour::MariaDb => "--to=utf8mb4_unicode_520_ci",
        };
        let before = self.run_weigh("preflight", name, &[target])?;
        if let Some((_, rest)) = before.split_once("```sql\n") {
            self.run_script(rest.split("```").next().unwrap_or_default())?;
        }
        let after = self.run_weigh("preflight", name, &[target])?;
        ensure!(after.contains("Nothing to convert"), "preflight after the plan: {after}");
        let line = |text: &str, at| text.lines().nth(at).unwrap_or_default().trim_start_matches("- ").to_owned();
        Ok(format!("{}; {}", line(&audit, 0).trim_start_matches("## "), line(&before, 2)))
    }

    /// Runs a script with the client, which stops at the first error.
    fn run_script(&self, sql: &str) -> Result<()> {
        let mut command = Command::new(self.client);
        command.args(["--no-defaults", "--default-character-set=utf8mb4", "--user=root", "--socket"]);
        command.arg(self.socket()?).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // A client that stopped at an error reads no further; its messages are reported below.
        let _ = child.stdin.take().context("a pipe")?.write_all(sql.as_bytes());
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    fn run_weigh(&self, task: &str, schema: &str, more: &[&str]) -> Result<String> {
        let mut command = Command::new(self.weigh);
        command.args([task, "--no-defaults", "--user=root", "--format=markdown", "--schema", schema, "--socket"]);
        let output = command.arg(self.socket()?).args(more).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(self.out.join(format!("{}-{schema}-{task}.md", self.server.label().replace('@', "-"))), &text)?;
        Ok(text)
    }

    fn socket(&self) -> Result<&Path> {
        match &self.server.endpoint().address {
            Address::Socket(socket) => Ok(socket),
            other => bail!("{other:?} is no socket"),
        }
    }
}
