//! Every command line that README and docs show is one that `weigh` takes.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;

use crate::{Cli, argv};

/// README's first command, before the arguments.
const CARGO_RUN: [&str; 5] = ["cargo", "run", "--release", "--locked", "--"];

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.chain(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    pages
}

/// Command lines of code blocks, indented or fenced, with lines that end in a backslash joined to the next.
fn blocks(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut code = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            code.push(line.trim());
        }
    }
    let joined = code.join("\n").replace("\\\n", " ");
    joined.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line).to_owned()).collect()
}

/// Code spans of running text.
fn spans(page: &str) -> Vec<String> {
    let text: Vec<&str> = page.split("```").step_by(2).collect();
    let text = text.join("\n");
    let outside = text.lines().filter(|line| !line.starts_with("    ")).collect::<Vec<_>>().join(" ");
    outside.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The commands of a line as a shell would split them: words between operators, without quotes, redirections and comments.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut chars = line.chars().peekable();
    let mut word: Option<String> = None;
    let mut redirected = false;
    loop {
        let next = chars.next();
        let goes_on = next.is_some_and(|char| !char.is_whitespace() && !"|;&()<>".contains(char));
        if let Some(word) = word.take_if(|_| !goes_on)
            && !std::mem::take(&mut redirected)
        {
            commands.last_mut().unwrap().push(word);
        }
        match next {
            None => break,
            Some('#') if word.is_none() => break,
            Some(quote @ ('\'' | '"')) => {
                word.get_or_insert_default().extend(chars.by_ref().take_while(|char| *char != quote));
            }
            Some('$') if chars.peek() == Some(&'(') => {
                word.get_or_insert_default().push('x');
                chars.by_ref().find(|char| *char == ')');
            }
            Some('<' | '>') if chars.peek() != Some(&'(') => redirected = true,
            Some('|' | ';' | '&' | '(' | ')' | '<' | '>') => commands.push(Vec::new()),
            Some(space) if space.is_whitespace() => {}
            Some(char) => word.get_or_insert_default().push(char),
        }
    }
    commands
}

/// The arguments behind `weigh`, where the words are such a command.
fn arguments(words: &[String]) -> Option<&[String]> {
    let words = &words[words.iter().take_while(|word| word.contains('=')).count()..];
    let starts = |with: &[&str]| words.len() >= with.len() && words.iter().zip(with).all(|(word, with)| word == with);
    if starts(&CARGO_RUN) {
        return Some(&words[CARGO_RUN.len()..]);
    }
    // A printed table has "weigh sort, from a file to a file".
    let is_text = words.get(1).is_some_and(|word| word.ends_with(','));
    (starts(&["weigh"]) && !is_text).then(|| &words[1..])
}

fn parse(arguments: &[String]) -> Result<(), clap::Error> {
    let words: Vec<_> = ["weigh".into()].into_iter().chain(arguments.iter().map(Into::into)).collect();
    Cli::try_parse_from(argv::with_long_passwords(&words)).map(drop)
}

#[test]
fn conversions_names_checks_that_exist() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conversions.md")).unwrap();
    let checks: Vec<&str> = audit::CHECKS.iter().map(|check| check.name).chain(preflight::check_names()).collect();
    let rows: Vec<Vec<&str>> =
        page.lines().filter(|line| line.starts_with("| ")).map(|line| line.split(" | ").collect()).collect();
    assert_eq!(rows.iter().filter(|row| row[0].trim_start_matches("| ").parse::<u32>().is_ok()).count(), 31);
    for found_by in rows.iter().map(|row| row[3]) {
        for name in found_by.split('`').skip(1).step_by(2).filter(|name| !name.starts_with("--") && !name.contains(' '))
        {
            assert!(checks.contains(&name), "no check is named {name}");
        }
    }
}

#[test]
fn every_command_line_of_the_documentation_is_taken() {
    let mut seen = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for line in blocks(&page) {
            for words in commands(&line) {
                let Some(arguments) = arguments(&words) else { continue };
                seen += 1;
                parse(arguments).unwrap_or_else(|error| panic!("{}: {line}\n{error}", path.display()));
            }
        }
    }
    assert!(seen > 50, "only {seen} command lines were found");
}

/// In running text a command may stand without what it needs; what stands there must exist.
#[test]
fn commands_in_running_text_exist() {
    let mut seen = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for span in spans(&page) {
            for words in commands(&span) {
                let Some(arguments) = arguments(&words).filter(|arguments| !arguments.is_empty()) else { continue };
                seen += 1;
                let incomplete = [
                    ErrorKind::MissingRequiredArgument,
                    ErrorKind::MissingSubcommand,
                    // `weigh servers install NAME`
                    ErrorKind::ValueValidation,
                    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                ];
                if let Err(error) = parse(arguments)
                    && !incomplete.contains(&error.kind())
                {
                    panic!("{}: `{span}`\n{error}", path.display());
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} commands were found");
}

#[test]
fn lines_are_split_as_a_shell_does() {
    let split = commands("printf 'a b' | weigh sort -c x <(weigh weights y) > out  # why; not");
    assert_eq!(split[0], ["printf", "a b"]);
    assert_eq!(split[1], ["weigh", "sort", "-c", "x"]);
    assert!(split.iter().any(|words| words == &["weigh", "weights", "y"]), "{split:?}");
    assert!(!split.concat().iter().any(|word| word == "out" || word == "why"), "{split:?}");
}
