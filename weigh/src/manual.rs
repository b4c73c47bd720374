//! Manual pages, from the definition of the command line: the sections of clap_mangen, then
//! EXAMPLES, EXIT STATUS, FILES, ENVIRONMENT and SEE ALSO.

use std::io::{self, Write};

use clap::Command;
use clap::builder::StyledStr;
use clap_mangen::Man;
use files::{Access, HeldFolder};

const FILES: [(&str, &str); 4] = [
    (
        "~/.my.cnf, /etc/my.cnf, /etc/mysql/my.cnf",
        "option files: groups [client], [client-server], [client-mariadb] and [weigh]",
    ),
    ("weigh-results/TIME", "results, if --out names no other folder"),
    ("~/.cache/weigh, /var/cache/weigh for root", "installed servers and tools"),
    ("/usr/share/doc/weighbridge", "licences, README and changelog, where a package installed them"),
];

const ENVIRONMENT: [(&str, &str); 6] = [
    ("MYSQL_PWD", "password"),
    ("MYSQL_HOST", "host to attach to"),
    ("WEIGH_CACHE", "folder of installed servers and tools"),
    ("WEIGH_MAX_ITEM", "largest statement, field, line or page that is read, in MiB; 64"),
    ("NO_COLOR", "no colours, if set and not empty"),
    ("TMPDIR", "folder of private servers and temporary files"),
];

/// Renders the page of a built command. `path` is its name with its parents', such as
/// `weigh-bench`.
fn render(command: &Command, path: &str, siblings: &[String]) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let tail = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let mut text = String::new();
    push_examples(&tail, &mut text);
    if let Some((_, status)) = tail.split_once("Exit status:") {
        text += &format!(".SH \"EXIT STATUS\"\n{}\n", escape(status.trim()));
    }
    push_list("FILES", &FILES, &mut text);
    push_list("ENVIRONMENT", &ENVIRONMENT, &mut text);
    let others: Vec<String> =
        siblings.iter().filter(|name| *name != path).map(|name| format!(".BR {name} (1)")).collect();
    text += &format!(".SH \"SEE ALSO\"\n{}\n", others.join(" ,\n"));
    page.extend(text.into_bytes());
    Ok(page)
}

/// Writes the examples of a help text: a command line, indented by two blanks, and its explanation,
/// indented further.
fn push_examples(tail: &str, text: &mut String) {
    let Some((_, examples)) = tail.split_once("Examples:\n") else { return };
    *text += ".SH EXAMPLES\n";
    for line in examples.lines().take_while(|line| line.is_empty() || line.starts_with(' ')) {
        if line.starts_with("      ") {
            *text += &format!("{}\n", escape(line.trim()));
        } else if !line.is_empty() {
            *text += &format!(".TP\n.B {}\n", escape(line.trim()));
        }
    }
}

fn push_list(title: &str, items: &[(&str, &str)], text: &mut String) {
    *text += &format!(".SH {title}\n");
    for (name, meaning) in items {
        *text += &format!(".TP\n.B {}\n{}\n", escape(name), escape(meaning));
    }
}

/// Escapes what roff would read as a request or an escape sequence.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines =
        text.lines().map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// Renders the page of `weigh` itself.
pub fn render_top(mut command: Command) -> io::Result<Vec<u8>> {
    command.build();
    render(&command, "weigh", &names(&command, "weigh"))
}

/// Writes the pages of a command and all of its subcommands into a folder.
pub fn write_all(mut command: Command, folder: &HeldFolder) -> io::Result<()> {
    command.build();
    let mut siblings = names(&command, "weigh");
    siblings.insert(0, "weigh".into());
    write(&command, "weigh", folder, &siblings)
}

fn write(command: &Command, path: &str, folder: &HeldFolder, siblings: &[String]) -> io::Result<()> {
    let page = render(command, path, siblings)?;
    folder.replace(format!("{path}.1"), Access::Umask, |file| file.write_all(&page))?;
    // Clap adds a command `help` to commands with subcommands.
    let is_own = |inner: &&Command| !inner.is_hide_set() && (path == "weigh" || inner.get_name() != "help");
    for inner in command.get_subcommands().filter(is_own) {
        write(inner, &format!("{path}-{}", inner.get_name()), folder, siblings)?;
    }
    Ok(())
}

fn names(command: &Command, path: &str) -> Vec<String> {
    command.get_subcommands().map(|inner| format!("{path}-{}", inner.get_name())).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn pages_have_examples_and_exit_status() {
        let mut command = crate::Cli::command();
        command.build();
        let bench = command.find_subcommand("bench").unwrap();
        let page = String::from_utf8(render(bench, "weigh-bench", &["weigh".into()]).unwrap()).unwrap();
        for section in [".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH FILES", ".SH ENVIRONMENT", ".SH \"SEE ALSO\""] {
            assert_eq!(page.matches(section).count(), 1, "{section}: {page}");
        }
        assert!(page.contains(".B weigh bench \\-\\-quick") && !page.contains(".SH EXTRA"), "{page}");
    }
}
