//! The C library: its header against its source, its whole interface under sanitizers and valgrind, and the examples.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use server::Tool;

use crate::bar::Bar;
use crate::bindings::{cargo, emptied, succeed, target};

/// What the C library is tested with, beside a C compiler.
pub struct Tools {
    go: PathBuf,
    pkg_config: PathBuf,
    valgrind: PathBuf,
}

/// Finds or installs them.
pub fn prepare() -> Result<Tools> {
    let bar = Bar::new();
    let found = |tool: Tool| tool.find_or_install(&bar);
    Ok(Tools { go: found(Tool::Go)?, pkg_config: found(Tool::PkgConfig)?, valgrind: found(Tool::Valgrind)? })
}

const WARNINGS: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"];

/// What the examples are given, and what they print.
const WORDS: [&str; 4] = ["Zug", "STRASSE", "Ähre", "Straße"];
const PRINTED: &str = "Ähre\nSTRASSE\nStraße (equals STRASSE)\nZug\n";

/// The library is installed as a user would, and everything is built against what is installed.
pub fn test(source: &Path) -> Result<()> {
    let tools = prepare()?;
    succeed(cargo(source).args(["test", "--quiet", "--locked"]))?;
    let prefix = target().join("c");
    emptied(&prefix)?;
    let mut install = Command::new(source.join("install.sh"));
    succeed(install.arg(&prefix).env("PROFILE", "dev").env("CARGO_TARGET_DIR", target()))?;

    let built = Built { source, prefix: &prefix, tools: &tools };
    let program = built.compile("tests/ctest.c", "ctest-sanitized", &built.sanitized())?;
    succeed(&mut Command::new(&program))?;
    let flags = built.flags()?;
    let program = built.compile("tests/ctest.c", "ctest", &flags)?;
    let mut valgrind = built.run(&tools.valgrind);
    valgrind.args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"]);
    succeed(valgrind.arg(&program).arg("100"))?;

    let example = built.compile("examples/words.c", "words", &flags)?;
    prints(built.run(&example).args(WORDS))?;
    let mut go = built.run(&tools.go);
    prints(go.args(["run", "."]).args(WORDS).current_dir(source.join("examples/go")))
}

/// The library as it is installed, and the programs against it.
struct Built<'a> {
    source: &'a Path,
    prefix: &'a Path,
    tools: &'a Tools,
}

impl Built<'_> {
    /// A program that finds the library, by pkg-config and when it runs.
    fn run(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig")).env("PKG_CONFIG", &self.tools.pkg_config);
        command.env("LD_LIBRARY_PATH", self.prefix.join("lib"));
        command
    }

    /// What the compiler is told for the shared library.
    fn flags(&self) -> Result<Vec<String>> {
        let output = self.run(&self.tools.pkg_config).args(["--cflags", "--libs", "mysql_collation"]).output()?;
        ensure!(output.status.success(), "pkg-config: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.split_whitespace().map(str::to_owned).collect())
    }

    /// The same for the static one, with sanitizers, which see what the library does by way of the C library.
    fn sanitized(&self) -> Vec<String> {
        let lib = self.prefix.join("lib/libmysql_collation.a");
        let include = format!("-I{}", self.prefix.join("include").display());
        let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"].map(str::to_owned);
        let libraries = ["-lpthread", "-ldl", "-lm"].map(str::to_owned);
        [include].into_iter().chain(sanitizers).chain([lib.display().to_string()]).chain(libraries).collect()
    }

    fn compile(&self, file: &str, name: &str, flags: &[String]) -> Result<PathBuf> {
        let program = self.prefix.join(name);
        let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler
            .args(WARNINGS)
            .arg("-g")
            .arg(self.source.join(file))
            .args(flags)
            .args(["-pthread", "-o"])
            .arg(&program);
        succeed(&mut compiler).context("a C compiler with its sanitizers is needed (on Debian: gcc)")?;
        Ok(program)
    }
}

/// Whether an example prints what it should.
fn prints(example: &mut Command) -> Result<()> {
    let output = example.output().with_context(|| format!("cannot run {example:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && printed == PRINTED,
        "{example:?} printed:\n{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
