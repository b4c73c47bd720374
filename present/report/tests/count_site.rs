//! The static site of `weigh count`, from counts of two servers.

use std::collections::BTreeSet;

use count::Results;
use parquetfile::{Table, Value};
use report::count::{SitePage, csv, parquet, site};

fn results() -> Results {
    let read = |name: &str| -> Results {
        let path = format!("{}/tests/fixtures/count/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut results = read("mysql-5.6");
    results.merge(read("mysql-5.7"));
    results
}

fn pages() -> Vec<SitePage> {
    site(&results())
}

fn page(name: &str) -> String {
    pages().into_iter().find(|page| page.file == name).unwrap_or_else(|| panic!("no page {name}")).html
}

#[test]
fn links_lead_to_pages_of_the_site() {
    let pages = pages();
    let files: BTreeSet<&str> = pages.iter().map(|page| page.file.as_str()).collect();
    assert_eq!(files.len(), pages.len(), "each page has a file of its own");
    assert_eq!(pages[0].file, "index.html");
    let mut links = 0;
    for page in &pages {
        for link in page.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(files.contains(link) || link == "#main", "{}: {link}", page.file);
            links += 1;
        }
    }
    assert!(links > pages.len(), "{links} links");
}

#[test]
fn pages_show_instructions_and_differences() {
    let index = page("index.html");
    assert!(index.contains("Instructions of 4 statements on 2 servers") && index.contains(">534.1<"), "{index}");
    assert!(index.contains("mysql@5.7: utf8mb4_unicode_ci costs at most 2.0 % more in 1 of 4 statements"), "{index}");
    let newer = page("server-mysql-5-7.html");
    assert!(newer.contains("Changes since mysql@5.6") && newer.contains(">+389 %<"), "{newer}");
    assert!(!page("server-mysql-5-6.html").contains("Changes since"));
    assert!(page("statement-group_by.html").contains("class=\"more-3\">+444 %<"));
}

#[test]
fn parquet_has_the_lines_of_the_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts.parquet");
    std::fs::write(&path, parquet(&results()).unwrap()).unwrap();
    let table = Table::from_path(&path).unwrap();
    let columns: Vec<String> = table.columns().unwrap().into_iter().map(|column| column.name).collect();
    let mut rows = table.rows(columns.iter().map(String::as_str));
    let csv = csv(&results());
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), columns);
    let mut row = Vec::new();
    while rows.read(&mut row).unwrap() {
        let line = lines.next().unwrap();
        assert_eq!(line.len(), row.len());
        for (text, value) in line.into_iter().zip(&row) {
            match value {
                None => assert_eq!(text, ""),
                Some(Value::Text(value)) => assert_eq!(text, value),
                Some(Value::Int(number)) => assert_eq!(text.parse(), Ok(*number)),
                Some(Value::Float(number)) => assert_eq!(text.parse(), Ok(*number)),
                Some(other) => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(lines.next(), None);
}
