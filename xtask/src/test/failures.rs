//! Failed tests in the output of `cargo test`, and their second run.

use std::collections::BTreeSet;

/// Maximum number of failed tests that run again.
const MAX_TESTS: usize = 12;

/// Failed tests of one or several `cargo test --no-fail-fast`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Options of `cargo test` that select a failed target, such as `-p weigh --test e2e`.
    targets: BTreeSet<String>,
    tests: BTreeSet<String>,
    /// True after a failure that is not a test's: of the compiler, or a program that ended by a
    /// signal.
    has_others: bool,
}

impl Failures {
    /// Reads a failed command's output, standard output and standard error in one.
    pub fn parse(output: &str) -> Self {
        let mut failures = Self::default();
        let lines: Vec<&str> = output.lines().collect();
        for line in &lines {
            // `test name ... FAILED`; a test that should panic: `test name - should panic ... FAILED`.
            if let Some(test) = line.strip_prefix("test ").and_then(|test| test.strip_suffix(" ... FAILED")) {
                failures.tests.insert(test.trim_end_matches(" - should panic").to_owned());
            }
        }
        let list = lines.iter().rposition(|line| line.starts_with("error: ") && line.contains(" failed:"));
        let targets = lines[list.map_or(lines.len(), |at| at + 1)..]
            .iter()
            .map_while(|line| line.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned));
        failures.targets.extend(targets);
        failures.has_others = failures.targets.is_empty()
            || failures.tests.is_empty()
            || lines.iter().any(|line| line.contains("process didn't exit successfully"));
        failures
    }

    pub fn add(&mut self, other: Self) {
        self.targets.extend(other.targets);
        self.tests.extend(other.tests);
        self.has_others |= other.has_others;
    }

    pub fn tests(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().map(String::as_str)
    }

    /// Returns the options of `cargo test` that run the failed tests, a command for each target.
    /// `None` if a second run wouldn't show that all is well.
    pub fn second_run(&self) -> Option<Vec<Vec<String>>> {
        if self.has_others || self.tests.len() > MAX_TESTS {
            return None;
        }
        let commands = self.targets.iter().map(|target| {
            let options = target.split_whitespace().map(str::to_owned);
            let names = ["--", "--exact"].map(str::to_owned).into_iter().chain(self.tests.iter().cloned());
            options.chain(names).collect()
        });
        Some(commands.collect())
    }
}

/// Returns whether the output of a successful `cargo test` says that a test ran.
pub fn has_passed_tests(output: &str) -> bool {
    output.lines().any(|line| line.starts_with("test result: ok. ") && !line.starts_with("test result: ok. 0 passed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test a::works ... ok
test a::fails ... FAILED
test result: FAILED. 1 passed; 1 failed; 0 ignored
error: test failed, to rerun pass `-p weigh --test e2e`
     Running unittests src/lib.rs
test b - should panic ... FAILED
error: test failed, to rerun pass `-p sql --lib`
error: 2 targets failed:
    `-p weigh --test e2e`
    `-p sql --lib`
";

    #[test]
    fn failed_tests_run_again_by_target() {
        let commands = Failures::parse(OUTPUT).second_run().unwrap();
        assert_eq!(
            commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>(),
            ["-p sql --lib -- --exact a::fails b", "-p weigh --test e2e -- --exact a::fails b"]
        );
    }

    #[test]
    fn other_failures_do_not_run_again() {
        let signal = format!(
            "Caused by:\n  process didn't exit successfully: `target/debug/deps/e2e` (signal: 6, SIGABRT)\n{OUTPUT}"
        );
        let many: String = (0..=MAX_TESTS).map(|at| format!("test t{at} ... FAILED\n")).collect();
        for output in [&signal, &(many + OUTPUT), "error: could not compile `weigh`\n", ""] {
            assert_eq!(Failures::parse(output).second_run(), None, "{output}");
        }
        let mut both = Failures::parse(OUTPUT);
        both.add(Failures::parse("error: could not compile `weigh`\n"));
        assert_eq!(both.second_run(), None);
    }

    #[test]
    fn a_run_without_tests_has_not_passed() {
        assert!(!has_passed_tests("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out"));
        assert!(has_passed_tests("test result: ok. 10 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out"));
    }
}
