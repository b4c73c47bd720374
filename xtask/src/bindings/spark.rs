//! Java for the tests of the Python module's Spark functions, and the JDBC drivers of both servers.
//!
//! MySQL Connector/J is GPL with the Universal FOSS Exception, MariaDB Connector/J is LGPL: neither
//! is linked or distributed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use fetch::Tool;
use progress::Bar;

use crate::bindings::{root, succeed, target};

/// Installed files that Spark needs.
pub struct Spark {
    java: PathBuf,
    drivers: [PathBuf; 2],
}

/// A jar, by its path in a Maven repository.
struct Jar {
    path: &'static str,
    sha256: &'static str,
}

const DRIVERS: [Jar; 2] = [
    Jar {
        path: "com/mysql/mysql-connector-j/26.10.0/mysql-connector-j-26.10.0.jar",
        sha256: "cef70caf532833c9ab8f41f74773ce22c08bf503fad215c9c2ee1e9db87e759e",
    },
    Jar {
        path: "org/mariadb/jdbc/mariadb-java-client/4.0.0/mariadb-java-client-4.0.0.jar",
        sha256: "bb1211dac59ef4c54b7a8ad4755a913d36d2e81b34ca1d4cb9ffa9d5633df01f",
    },
];

/// Maven's default repository.
const REPOSITORY: &str = "https://repo1.maven.org/maven2";

/// Finds or installs Java, and downloads the drivers that are missing.
pub fn prepare(interpreter: &Path) -> Result<Spark> {
    let java = Tool::Java.find_or_install(&Bar::with_steps_printed())?;
    Ok(Spark { java, drivers: download_drivers(interpreter)? })
}

/// Downloads the drivers that are missing, with a Python interpreter: MySQL's, MariaDB's.
pub fn download_drivers(interpreter: &Path) -> Result<[PathBuf; 2]> {
    let folder = target().join("drivers");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let repository = env::var("MAVEN_REPOSITORY").unwrap_or_else(|_| REPOSITORY.into());
    let file = |jar: &Jar| folder.join(Path::new(jar.path).file_name().unwrap_or_default());
    for jar in &DRIVERS {
        let url = format!("{}/{}", repository.trim_end_matches('/'), jar.path);
        let mut download = Command::new(interpreter);
        download.arg(root().join("engine/bindings/python/tests/download.py")).args([&url, jar.sha256]).arg(file(jar));
        succeed(&mut download)
            .context("the JDBC drivers come from Maven's central repository, or from $MAVEN_REPOSITORY")?;
    }
    Ok([file(&DRIVERS[0]), file(&DRIVERS[1])])
}

impl Spark {
    /// Passes Java and the drivers to the tests in environment variables. Spark finds Java on the
    /// PATH.
    pub fn set_environment(&self, tests: &mut Command) -> Result<()> {
        let before = env::var_os("PATH").unwrap_or_default();
        let folders = self.java.parent().map(Path::to_owned).into_iter().chain(env::split_paths(&before));
        tests.env("PATH", env::join_paths(folders)?).env_remove("JAVA_HOME");
        let drivers: Vec<String> = self.drivers.iter().map(|driver| driver.display().to_string()).collect();
        tests.env("MYSQL_COLLATION_TEST_DRIVERS", drivers.join(","));
        Ok(())
    }
}
