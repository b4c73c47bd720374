//! Tests of the Java library: its Maven build, random strings compared with the library, a program
//! that uses the jar, and a connector that copies a table of a real server.

use std::io;
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};
use fetch::Tool;
use progress::Bar;
use server::{Address, Options};

use crate::bindings::ports::{check_output, compare_with_library};
use crate::bindings::{spark, succeed};

const JAR: &str = "target/mysql-collation-0.1.0.jar";
const SPARK_JAR: &str = "spark/target/mysql-collation-spark-0.1.0.jar";

/// Maven, the Java that it runs with, and the JDBC drivers of MySQL and MariaDB.
pub struct Maven {
    program: PathBuf,
    java: PathBuf,
    drivers: [PathBuf; 2],
}

/// Finds or installs Maven with a JDK, and downloads the drivers.
pub fn prepare() -> Result<Maven> {
    let program = Tool::Maven.find_or_install(&Bar::with_steps_printed())?;
    let output = Command::new(&program).arg("--version").output().context("cannot run mvn --version")?;
    let version = String::from_utf8_lossy(&output.stdout);
    // Prints `Java version: 17.0.15, vendor: Debian, runtime: /usr/lib/jvm/java-17-openjdk-amd64`.
    let runtime = version.lines().find_map(|line| line.split_once("runtime: ")).map(|(_, runtime)| runtime.trim());
    let java = Path::new(runtime.context("mvn --version names no Java runtime")?).join("bin/java");
    let interpreter = Tool::Python.find_or_install(&Bar::with_steps_printed())?;
    Ok(Maven { program, java, drivers: spark::download_drivers(&interpreter)? })
}

impl Maven {
    fn build(&self, folder: &Path, arguments: &[&str]) -> Result<()> {
        let mut maven = Command::new(&self.program);
        succeed(maven.args(["--quiet", "--batch-mode"]).args(arguments).current_dir(folder))
    }

    /// Builds the jars of the library and of its functions for Spark, which depend on the installed
    /// library.
    pub fn build_spark_jars(&self, source: &Path) -> Result<[PathBuf; 2]> {
        self.build(source, &["install", "-DskipTests"])?;
        self.build(&source.join("spark"), &["package", "-DskipTests"])?;
        Ok([source.join(JAR), source.join(SPARK_JAR)])
    }
}

pub fn test(source: &Path) -> Result<()> {
    let maven = prepare()?;
    maven.build(source, &["install"])?;
    maven.build(&source.join("spark"), &["verify"])?;
    let java = |arguments: &[&str]| {
        let mut command = Command::new(&maven.java);
        command.args(arguments).current_dir(source);
        command
    };
    compare_with_library(&mut java(&[
        "-cp",
        "target/classes:target/test-classes",
        "weighbridge.mysqlcollation.Differential",
    ]))?;
    let mut example = java(&["-Dfile.encoding=UTF-8", "-Dsun.jnu.encoding=UTF-8", "-cp", JAR, "examples/Words.java"]);
    example.env("LC_ALL", "C.UTF-8").args(["Zug", "STRASSE", "Ähre", "Straße"]);
    check_output(&mut example, |printed| printed == "Ähre\nSTRASSE\nStraße (equals STRASSE)\nZug\n")?;
    let [mysql, mariadb] = &maven.drivers;
    for (driver, server, scheme, collation) in [
        (mysql, "mysql@sid", "mysql", "utf8mb4_0900_ai_ci"),
        (mariadb, "mysql@sid", "mariadb", "utf8mb4_0900_ai_ci"),
        (mariadb, "mariadb@11.4", "mariadb", "utf8mb4_uca1400_ai_ci"),
    ] {
        let class_path = format!("{JAR}:{}", driver.display());
        let mut example = java(&["-Dfile.encoding=UTF-8", "-cp", &class_path, "examples/ReadInChunks.java"]);
        read_in_chunks(&mut example, server, scheme, collation)
            .with_context(|| format!("{} on {server}", driver.display()))?;
    }
    Ok(())
}

/// Runs the connector of docs/how-to/cdc.md, which loses and doubles rows only if it compares keys
/// with `compareTo`.
fn read_in_chunks(example: &mut Command, server: &str, scheme: &str, collation: &str) -> Result<()> {
    let server = server::open(&server.parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let Address::Socket(socket) = &server.endpoint().address else { bail!("a private server has a socket") };
    let port = relay(socket.clone())?;
    // The drivers write the mode without TLS differently.
    let url = format!("jdbc:{scheme}://127.0.0.1:{port}/?user=root&sslMode=disable&allowPublicKeyRetrieval=true");
    let url = if scheme == "mysql" { url.replace("=disable", "=DISABLED") } else { url };
    example.args([&url, collation]);
    check_output(example, |printed| {
        let lines: Vec<&str> = printed.lines().collect();
        matches!(lines[..], [wrong, right]
            if !wrong.contains(" 0 lost") && !wrong.contains(" 0 doubled") && right.ends_with(" 0 lost, 0 doubled"))
    })?;
    Ok(server.stop()?)
}

/// Forwards a TCP port to a server's Unix socket until this process ends, and returns the port:
/// JDBC drivers need TCP.
fn relay(socket: PathBuf) -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on a port")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = UnixStream::connect(&socket) else { continue };
            let (Ok(mut from_client), Ok(mut to_server)) = (client.try_clone(), server.try_clone()) else { continue };
            let (mut from_server, mut to_client) = (server, client);
            thread::spawn(move || {
                let _ = io::copy(&mut from_client, &mut to_server);
                let _ = to_server.shutdown(Shutdown::Both);
            });
            thread::spawn(move || {
                let _ = io::copy(&mut from_server, &mut to_client);
                let _ = to_client.shutdown(Shutdown::Both);
            });
        }
    });
    Ok(port)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::bindings::root;

    /// Programs that the tests run, by the language of a code block.
    const PROGRAMS: [(&str, &str); 4] = [
        ("rust", "lab/tests/cdc.rs"),
        ("java", "engine/ports/java/examples/ReadInChunks.java"),
        ("go", "engine/ports/go/examples/chunks/main.go"),
        ("python", "engine/bindings/python/tests/test_cdc.py"),
    ];

    #[test]
    fn tests_run_the_code_of_the_page() {
        let page = fs::read_to_string(root().join("docs/how-to/cdc.md")).unwrap();
        let lines = |text: &str| text.lines().map(|line| line.trim().to_owned() + "\n").collect::<String>();
        for (language, path) in PROGRAMS {
            let program = lines(&fs::read_to_string(root().join(path)).unwrap());
            let blocks: Vec<&str> = page.split(&format!("```{language}\n")).skip(1).collect();
            assert!(!blocks.is_empty(), "{language}");
            for block in blocks {
                let code = lines(block.split("```").next().unwrap());
                assert!(program.contains(&code), "{path} lacks:\n{code}");
            }
        }
    }
}
