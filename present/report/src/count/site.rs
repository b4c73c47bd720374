//! A static site of instruction counts: a page for each server, collation and statement. A server's
//! page also compares the server with the one before it.

use askama::Template;
use count::{Cell, Results};

use super::findings::findings;
use super::sentence::{difference, difference_from, explain_method};
use super::table::{format_difference, format_thousands};
use crate::format::number::{DASH, count_noun};
use crate::frame::Frame;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// File name, without folders.
    pub file: String,
    pub html: String,
}

#[derive(Template)]
#[template(path = "count_site.html")]
struct Page {
    frame: Frame,
    /// Last part of the breadcrumb. Empty for the first page.
    breadcrumb: String,
    sentences: Vec<String>,
    matrices: Vec<Matrix>,
    lists: Vec<LinkList>,
}

#[derive(Clone)]
struct Link {
    name: String,
    /// File name. Empty for no link.
    file: String,
}

struct Matrix {
    title: String,
    caption: String,
    /// Heading of the column of row names.
    corner: &'static str,
    columns: Vec<Link>,
    rows: Vec<(Link, Vec<MatrixCell>)>,
}

struct LinkList {
    title: &'static str,
    links: Vec<Link>,
}

struct MatrixCell {
    text: String,
    class: &'static str,
}

/// Names that the pages are about, in the order of the results.
struct Index<'a> {
    results: &'a Results,
    collations: Vec<&'a str>,
    statements: Vec<&'a str>,
}

/// Returns all pages, `index.html` first.
pub fn site(results: &Results) -> Vec<SitePage> {
    let index = Index::new(results);
    let mut pages = vec![index.first_page()];
    pages.extend((0..results.servers.len()).map(|server| index.server_page(server)));
    pages.extend(index.collations.iter().map(|collation| index.collation_page(collation)));
    pages.extend(index.statements.iter().map(|statement| index.statement_page(statement)));
    pages
}

impl<'a> Index<'a> {
    fn new(results: &'a Results) -> Self {
        let distinct = |name: fn(&Cell) -> &str| {
            let mut names: Vec<&str> = Vec::new();
            for cell in &results.cells {
                if !names.contains(&name(cell)) {
                    names.push(name(cell));
                }
            }
            names
        };
        let (collations, statements) = (distinct(|cell| &cell.collation), distinct(|cell| &cell.workload));
        Self { results, collations, statements }
    }

    fn find(&self, server: usize, statement: &str, collation: &str) -> Option<&Cell> {
        self.results
            .cells
            .iter()
            .find(|cell| cell.server == server && cell.workload == statement && cell.collation == collation)
    }

    fn label(&self, server: usize) -> &str {
        &self.results.servers[server].label
    }

    fn server_link(&self, server: usize) -> Link {
        Link { name: self.label(server).to_owned(), file: file("server", self.label(server)) }
    }

    fn server_links(&self) -> Vec<Link> {
        (0..self.results.servers.len()).map(|server| self.server_link(server)).collect()
    }

    fn statement_rows(&self, fields: impl Fn(&str) -> Vec<MatrixCell>) -> Vec<(Link, Vec<MatrixCell>)> {
        self.statements.iter().map(|name| (link("statement", name), fields(name))).collect()
    }

    fn first_page(&self) -> SitePage {
        let baseline = &self.results.options.baseline;
        let fields = |statement: &str| {
            (0..self.results.servers.len()).map(|server| thousands(self.find(server, statement, baseline))).collect()
        };
        let matrix = Matrix {
            title: format!("Thousand instructions per statement under {baseline}"),
            caption: format!("Statements in rows, servers in columns. Text: {}.", self.results.options.rows.text),
            corner: "statement",
            columns: self.server_links(),
            rows: self.statement_rows(fields),
        };
        let collations = self.collations.iter().map(|name| link("collation", name)).collect();
        let findings = findings(self.results).into_iter().map(|name| Link { name, file: String::new() }).collect();
        let lists = vec![
            LinkList { title: "Findings", links: findings },
            LinkList { title: "Collations compared with the baseline", links: collations },
        ];
        let title = format!(
            "Instructions of {} on {}",
            count_noun(self.statements.len() as u64, "statement"),
            count_noun(self.results.servers.len() as u64, "server")
        );
        self.page("index.html".into(), title, "", explain_method(self.results), vec![matrix], lists)
    }

    fn server_page(&self, server: usize) -> SitePage {
        let fields = |statement: &str| {
            self.collations.iter().map(|name| self.format_compared(self.find(server, statement, name))).collect()
        };
        let mut matrices = vec![Matrix {
            title: "Collations".into(),
            caption: format!(
                "Thousand instructions per statement under {}; other collations compared with it.",
                self.results.options.baseline
            ),
            corner: "statement",
            columns: self.collations.iter().map(|name| link("collation", name)).collect(),
            rows: self.statement_rows(fields),
        }];
        matrices.extend(self.changes(server));
        let label = self.label(server);
        self.page(file("server", label), label.to_owned(), label, Vec::new(), matrices, Vec::new())
    }

    /// Compares a server with the server before it, if both are MySQL or both MariaDB.
    fn changes(&self, server: usize) -> Option<Matrix> {
        let before = server.checked_sub(1)?;
        let is_same = self.results.servers[before].flavour == self.results.servers[server].flavour;
        let fields = |statement: &str| {
            let change = |collation: &&str| {
                let (old, new) = (self.find(before, statement, collation), self.find(server, statement, collation));
                match (old, new) {
                    (Some(old), Some(new)) => percent(difference_from(new, old)),
                    _ => missing(),
                }
            };
            self.collations.iter().map(change).collect()
        };
        is_same.then(|| Matrix {
            title: format!("Changes since {}", self.label(before)),
            caption: "Instructions per statement compared with the older server.".into(),
            corner: "statement",
            columns: self.collations.iter().map(|name| link("collation", name)).collect(),
            rows: self.statement_rows(fields),
        })
    }

    fn collation_page(&self, collation: &str) -> SitePage {
        let fields = |statement: &str| {
            (0..self.results.servers.len())
                .map(|server| self.format_compared(self.find(server, statement, collation)))
                .collect()
        };
        let matrix = Matrix {
            title: "Servers".into(),
            caption: format!("Instructions per statement compared with {}.", self.results.options.baseline),
            corner: "statement",
            columns: self.server_links(),
            rows: self.statement_rows(fields),
        };
        self.page(file("collation", collation), collation.to_owned(), collation, Vec::new(), vec![matrix], Vec::new())
    }

    fn statement_page(&self, statement: &str) -> SitePage {
        let fields = |server: usize| {
            self.collations.iter().map(|name| self.format_compared(self.find(server, statement, name))).collect()
        };
        let matrix = Matrix {
            title: "Servers and collations".into(),
            caption: format!(
                "Thousand instructions per statement under {}; other collations compared with it.",
                self.results.options.baseline
            ),
            corner: "server",
            columns: self.collations.iter().map(|name| link("collation", name)).collect(),
            rows: (0..self.results.servers.len()).map(|server| (self.server_link(server), fields(server))).collect(),
        };
        self.page(file("statement", statement), statement.to_owned(), statement, Vec::new(), vec![matrix], Vec::new())
    }

    fn format_compared(&self, cell: Option<&Cell>) -> MatrixCell {
        match cell.map(|cell| (cell, difference(self.results, cell))) {
            None => missing(),
            Some((cell, None)) => thousands(Some(cell)),
            Some((_, Some(difference))) => percent(difference),
        }
    }

    fn page(
        &self,
        file: String,
        title: String,
        breadcrumb: &str,
        sentences: Vec<String>,
        matrices: Vec<Matrix>,
        lists: Vec<LinkList>,
    ) -> SitePage {
        let page = Page { frame: Frame::plain(title), breadcrumb: breadcrumb.to_owned(), sentences, matrices, lists };
        SitePage { file, html: crate::frame::render(&page) }
    }
}

fn link(kind: &str, name: &str) -> Link {
    Link { name: name.to_owned(), file: file(kind, name) }
}

/// Returns the file name of a page, such as `server-mysql-9-7-4.html`.
fn file(kind: &str, name: &str) -> String {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter.to_ascii_lowercase() } else { '-' };
    format!("{kind}-{}.html", name.chars().map(plain).collect::<String>())
}

fn thousands(cell: Option<&Cell>) -> MatrixCell {
    cell.map_or_else(missing, |cell| MatrixCell { text: format_thousands(cell), class: "" })
}

fn missing() -> MatrixCell {
    MatrixCell { text: DASH.into(), class: "none" }
}

/// Formats a relative difference, with a colour by its size.
fn percent(difference: f64) -> MatrixCell {
    let class = match difference {
        less if less < -0.01 => "less",
        more if more >= 1.0 => "more-3",
        more if more >= 0.25 => "more-2",
        more if more >= 0.05 => "more-1",
        _ => "",
    };
    MatrixCell { text: format_difference(difference), class }
}
