//! Tests of the C library: the generated header, the whole interface under sanitizers and valgrind,
//! and the examples.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use fetch::Tool;
use progress::Bar;

use crate::bindings::{cargo, create_empty_folder, succeed, target};

/// Programs that the tests run, besides a C compiler.
pub struct Tools {
    cmake: PathBuf,
    go: PathBuf,
    pkg_config: PathBuf,
    valgrind: PathBuf,
}

pub fn prepare() -> Result<Tools> {
    let bar = Bar::with_steps_printed();
    let find = |tool: Tool| tool.find_or_install(&bar);
    Ok(Tools {
        cmake: find(Tool::Cmake)?,
        go: find(Tool::Go)?,
        pkg_config: find(Tool::PkgConfig)?,
        valgrind: find(Tool::Valgrind)?,
    })
}

const WARNINGS: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"];

/// Arguments of the examples, and the expected output.
pub const EXAMPLE_ARGUMENTS: [&str; 4] = ["Zug", "STRASSE", "Ähre", "Straße"];
pub const EXAMPLE_OUTPUT: &str = "Ähre\nSTRASSE\nStraße (equals STRASSE)\nZug\n";

/// Installs the library as a user would, and tests programs that are built against the installed
/// files.
pub fn test(source: &Path) -> Result<()> {
    let tools = prepare()?;
    succeed(cargo(source).args(["test", "--quiet", "--locked"]))?;
    let prefix = target().join("c");
    create_empty_folder(&prefix)?;
    let mut install = Command::new(source.join("install.sh"));
    succeed(install.arg(&prefix).env("PROFILE", "dev").env("CARGO_TARGET_DIR", target()))?;

    let installation = Installation { source, prefix: &prefix, tools: &tools };
    let program = installation.compile("tests/ctest.c", "ctest-sanitized", &installation.sanitizer_flags())?;
    succeed(&mut Command::new(&program))?;
    let flags = installation.shared_flags()?;
    let program = installation.compile("tests/ctest.c", "ctest", &flags)?;
    let mut valgrind = installation.command(&tools.valgrind);
    valgrind.args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"]);
    succeed(valgrind.arg(&program).arg("100"))?;

    installation.run_examples()
}

/// Runs the examples against installed files: with pkg-config, with CMake, and in Go.
pub fn run_examples(source: &Path, prefix: &Path) -> Result<()> {
    Installation { source, prefix, tools: &prepare()? }.run_examples()
}

/// The installed library, and programs that are built against it.
struct Installation<'a> {
    source: &'a Path,
    prefix: &'a Path,
    tools: &'a Tools,
}

impl Installation<'_> {
    /// Returns a command with the environment in which pkg-config and the loader find the library.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig")).env("PKG_CONFIG", &self.tools.pkg_config);
        command.env("LD_LIBRARY_PATH", self.prefix.join("lib"));
        command
    }

    fn run_examples(&self) -> Result<()> {
        let example = self.compile("examples/words.c", "words", &self.shared_flags()?)?;
        check_output(self.command(&example).args(EXAMPLE_ARGUMENTS))?;
        self.run_cmake_example()?;
        let mut go = self.command(&self.tools.go);
        check_output(go.args(["run", "."]).args(EXAMPLE_ARGUMENTS).current_dir(self.source.join("examples/go")))
    }

    /// Builds the example with CMake, against the shared and the static library.
    fn run_cmake_example(&self) -> Result<()> {
        let build = self.prefix.join("cmake-build");
        let mut configure = self.command(&self.tools.cmake);
        configure.arg("-S").arg(self.source.join("examples/cmake")).arg("-B").arg(&build);
        succeed(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", self.prefix.display())).stdout(Stdio::null()))?;
        succeed(self.command(&self.tools.cmake).arg("--build").arg(&build).stdout(Stdio::null()))?;
        for program in ["words", "words-static"] {
            check_output(self.command(&build.join(program)).args(EXAMPLE_ARGUMENTS))?;
        }
        Ok(())
    }

    /// Returns compiler flags for the shared library, from pkg-config.
    fn shared_flags(&self) -> Result<Vec<String>> {
        let output = self.command(&self.tools.pkg_config).args(["--cflags", "--libs", "mysql_collation"]).output()?;
        ensure!(output.status.success(), "pkg-config: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.split_whitespace().map(str::to_owned).collect())
    }

    /// Returns compiler flags for the static library with sanitizers, which see the library's calls
    /// of malloc and free.
    fn sanitizer_flags(&self) -> Vec<String> {
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

/// Checks that an example prints `EXAMPLE_OUTPUT`.
fn check_output(example: &mut Command) -> Result<()> {
    let output = example.output().with_context(|| format!("cannot run {example:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && printed == EXAMPLE_OUTPUT,
        "{example:?} printed:\n{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
