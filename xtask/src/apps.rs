//! `cargo xtask apps`: `weigh audit` and `weigh preflight` on the schemas of applications, taken from Debian's packages; each plan is run by the
//! client, and preflight has to find nothing afterwards. The packages are some 80 MB, so this is no test.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use server::{Address, Options, Server, Tool, open};

use crate::bar::Bar;

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to load the schemas into.
    #[arg(long = "server", value_name = "SPEC,…", value_delimiter = ',', default_values = ["mariadb", "mysql@sid"])]
    servers: Vec<String>,

    /// Folder that keeps what audit and preflight print.
    #[arg(long, value_name = "FOLDER", default_value = "target/apps")]
    out: PathBuf,
}

/// An application's schema.
struct App {
    /// The Debian package.
    package: &'static str,
    /// The file with the statements that create it.
    file: &'static str,
    /// What its installer gives the database.
    database: &'static str,
    /// From the file's content to statements.
    sql: fn(&str) -> String,
}

const APPS: [App; 5] = [
    App {
        package: "cacti",
        file: "usr/share/cacti/conf_templates/cacti.sql",
        database: "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        sql: str::to_owned,
    },
    // Its tables hold bytes, which its options tell the server; in the file they are a comment.
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
        sql: wordpress,
    },
    App {
        package: "zabbix-server-mysql",
        file: "usr/share/zabbix-server-mysql/schema.sql.gz",
        database: "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        sql: str::to_owned,
    },
];

/// The statements in WordPress' PHP, each table once, with the values of its variables.
fn wordpress(php: &str) -> String {
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

/// Whether everything ran to its end, and nothing was left to convert.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let built = Command::new(crate::cargo()).args(["build", "--quiet", "--package", "weigh"]).status()?;
    ensure!(built.success(), "weigh can't be built");
    let weigh = std::env::current_exe()?.with_file_name("weigh");
    let client = Tool::Client.find_or_install(&Bar::new())?;
    fs::create_dir_all(&arguments.out)?;
    let scratch = tempfile::tempdir()?;
    let scripts: Vec<String> = APPS.iter().map(|app| script(app, scratch.path())).collect::<Result<_>>()?;
    for name in &arguments.servers {
        let server =
            open(&name.parse()?, &Options { buffer_pool: Some(128 << 20), ..Options::default() }, &Bar::new())?;
        let on = On { server: &server, weigh: &weigh, client: &client, out: &arguments.out };
        for (app, script) in APPS.iter().zip(&scripts) {
            let told = on.app(app, script).with_context(|| format!("{} on {name}", app.package))?;
            println!("{name} {}: {told}", app.package);
        }
        server.stop()?;
    }
    println!("what they printed is in {}", arguments.out.display());
    Ok(true)
}

/// The schema of one of the applications, named after its package.
pub fn schema(package: &str, scratch: &Path) -> Result<String> {
    script(APPS.iter().find(|app| app.package == package).context("no such application")?, scratch)
}

/// Fetches a package and makes a script of its schema.
fn script(app: &App, scratch: &Path) -> Result<String> {
    let folder = scratch.join(app.package);
    fs::create_dir(&folder)?;
    let mut download = Command::new("apt-get");
    quietly(download.args(["--quiet", "download", app.package]).current_dir(&folder))?;
    let package = fs::read_dir(&folder)?.next().context("nothing was downloaded")??.path();
    let root = folder.join("root");
    quietly(Command::new("dpkg").arg("-x").arg(package).arg(&root))?;
    let file = root.join(app.file);
    let bytes = match app.file.ends_with(".gz") {
        true => quietly(Command::new("gzip").arg("-dc").arg(&file))?,
        false => fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?,
    };
    let sql = (app.sql)(&String::from_utf8_lossy(&bytes));
    // Cacti's sets a mode that MySQL 8 doesn't know any more.
    let lines = sql.lines().filter(|line| !line.contains("@sqlmode"));
    Ok(format!("SET SESSION sql_mode = '';\n{}", lines.collect::<Vec<_>>().join("\n")))
}

/// The text that a command printed; its errors are told. It ends when we do, however that is.
pub fn printed(mut command: Command) -> Result<String> {
    let line = format!("{command:?}");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = server::start_bound(command).and_then(Child::wait_with_output);
    Ok(String::from_utf8(succeeded(&line, output)?)?)
}

/// What a command printed; its errors are told.
fn quietly(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output();
    succeeded(&format!("{command:?}"), output)
}

fn succeeded(line: &str, output: io::Result<Output>) -> Result<Vec<u8>> {
    let output = output.with_context(|| format!("cannot run {line}"))?;
    let [told, printed] = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
    ensure!(output.status.success(), "{line}, {}: {told}{printed}", output.status);
    Ok(output.stdout)
}

/// A server, and what is run on it.
struct On<'a> {
    server: &'a Server,
    weigh: &'a Path,
    client: &'a Path,
    out: &'a Path,
}

impl On<'_> {
    fn app(&self, app: &App, script: &str) -> Result<String> {
        let name = app.package.split('-').next().unwrap_or(app.package);
        self.script(&format!("CREATE DATABASE {name} {}; USE {name};\n{script}", app.database))?;
        let audit = self.printed("audit", name, &[])?;
        let target = match self.server.flavour() {
            server::Flavour::MySql => "--to=utf8mb4_0900_ai_ci",
            server::Flavour::MariaDb => "--to=utf8mb4_unicode_520_ci",
        };
        let before = self.printed("preflight", name, &[target])?;
        if let Some((_, rest)) = before.split_once("```sql\n") {
            self.script(rest.split("```").next().unwrap_or_default())?;
        }
        let after = self.printed("preflight", name, &[target])?;
        ensure!(after.contains("Nothing to convert"), "preflight after the plan: {after}");
        let line = |text: &str, at| text.lines().nth(at).unwrap_or_default().trim_start_matches("- ").to_owned();
        Ok(format!("{}; {}", line(&audit, 0).trim_start_matches("## "), line(&before, 2)))
    }

    /// Runs a script by the client, which ends at the first error.
    fn script(&self, sql: &str) -> Result<()> {
        let mut command = Command::new(self.client);
        command.args(["--no-defaults", "--default-character-set=utf8mb4", "--user=root", "--socket"]);
        command.arg(self.socket()?).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // A client that ends at an error reads no further; what it says is told below.
        let _ = child.stdin.take().context("a pipe")?.write_all(sql.as_bytes());
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// What `weigh` prints about a schema; it has to come to its end.
    fn printed(&self, task: &str, schema: &str, more: &[&str]) -> Result<String> {
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
