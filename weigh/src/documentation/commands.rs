//! Tests that command lines of `weigh` in README and docs parse.

use clap::error::ErrorKind;

use super::{find_pages, read};
use crate::{Cli, argv};

/// How README starts `weigh` from a clone.
const CARGO_RUN: [&str; 5] = ["cargo", "run", "--release", "--locked", "--"];

/// Returns the lines of indented and fenced code blocks. Joins lines that end in a backslash.
fn code_block_lines(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut code = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            code.push(line.trim());
        }
    }
    let joined = code.join("\n").replace("\\\n", " ");
    joined.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line).to_owned()).collect()
}

fn code_spans(page: &str) -> Vec<String> {
    let text: Vec<&str> = page.split("```").step_by(2).collect();
    let text = text.join("\n");
    let outside = text.lines().filter(|line| !line.starts_with("    ")).collect::<Vec<_>>().join(" ");
    outside.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Splits a line into commands as a shell would, without quotes, redirections and comments.
fn split_commands(line: &str) -> Vec<Vec<String>> {
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

/// Returns the arguments after `weigh`. `None` for other commands.
fn weigh_arguments(words: &[String]) -> Option<&[String]> {
    let words = &words[words.iter().take_while(|word| word.contains('=')).count()..];
    let starts = |with: &[&str]| words.len() >= with.len() && words.iter().zip(with).all(|(word, with)| word == with);
    if starts(&CARGO_RUN) {
        return Some(&words[CARGO_RUN.len()..]);
    }
    // Tables of results have the text "weigh sort, from a file to a file", output has "weigh
    // 0.1.0".
    let is_text =
        words.get(1).is_some_and(|word| word.ends_with(',') || word.starts_with(|c: char| c.is_ascii_digit()));
    (starts(&["weigh"]) && !is_text).then(|| &words[1..])
}

/// Parses a command line. `avx512` and `avx2` are replaced by `scalar`, because this machine may
/// lack them.
fn parse(arguments: &[String]) -> Result<(), clap::Error> {
    let arguments = arguments.iter().map(|word| match word.as_str() {
        "avx512" | "avx2" | "avx512,avx2" => "scalar".into(),
        word => word.into(),
    });
    let words: Vec<_> = ["weigh".into()].into_iter().chain(arguments).collect();
    match argv::try_parse::<Cli>(&words) {
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(()),
        parsed => parsed.map(drop),
    }
}

#[test]
fn documented_command_lines_parse() {
    let mut seen = 0;
    for path in find_pages() {
        let page = read(&path);
        for line in code_block_lines(&page) {
            for words in split_commands(&line) {
                let Some(arguments) = weigh_arguments(&words) else { continue };
                seen += 1;
                parse(arguments).unwrap_or_else(|error| panic!("{}: {line}\n{error}", path.display()));
            }
        }
    }
    assert!(seen > 50, "only {seen} command lines were found");
}

/// Commands in running text can lack required arguments, but must name what exists.
#[test]
fn commands_in_running_text_exist() {
    let mut seen = 0;
    for path in find_pages() {
        let page = read(&path);
        for span in code_spans(&page) {
            for words in split_commands(&span) {
                let Some(arguments) = weigh_arguments(&words).filter(|arguments| !arguments.is_empty()) else {
                    continue;
                };
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
fn splits_lines_as_a_shell() {
    let split = split_commands("printf 'a b' | weigh sort -c x <(weigh weights y) > out  # why; not");
    assert_eq!(split[0], ["printf", "a b"]);
    assert_eq!(split[1], ["weigh", "sort", "-c", "x"]);
    assert!(split.iter().any(|words| words == &["weigh", "weights", "y"]), "{split:?}");
    assert!(!split.concat().iter().any(|word| word == "out" || word == "why"), "{split:?}");
}
