//! Files instead of a server.

use std::fs;

use crate::workspace::Workspace;

#[test]
fn checks_a_csv_file() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("people.csv"), "id,name\n1,Straße\n2,STRASSE\n3,Weg\n4,\\N\n5,\\N\n").unwrap();
    let words = |more: &[&str]| {
        let common = ["preflight", "--csv=people.csv", "--from=utf8mb4_bin", "--key=name", "--to=utf8mb4_unicode_ci"];
        let all = ["--all-columns"].iter().chain(more).copied().collect::<Vec<_>>();
        workspace.wait_for_end(workspace.weigh(&[&common, all.as_slice()].concat()).spawn().unwrap())
    };
    let text = words(&[]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in ["2 rows become equal", "'Straße'", "'STRASSE'", "ß = SS"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    let none = words(&["--check=unholdable"]);
    assert_eq!(none.code, Some(0), "{none}");
    workspace
        .wait_for_end(
            workspace
                .weigh(&["preflight", "--csv=none.csv", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci"])
                .spawn()
                .unwrap(),
        )
        .refuses_with(&["none.csv"]);
    fs::write(workspace.root().join("people.csv"), "id,name,name\n1,Straße,Gasse\n").unwrap();
    words(&[]).refuses_with(&["people.csv", "the header has name twice"]);
}

/// Files by pyarrow (see advise/preflight/tests/fixtures/README.md): one file, and a folder of two
/// with a marker file.
#[test]
fn checks_parquet_files() {
    let workspace = Workspace::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../advise/preflight/tests/fixtures");
    let check = |file: &str, more: &[&str]| {
        let path = format!("--parquet={fixtures}/{file}");
        let common = ["preflight", &path, "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci", "--all-columns"];
        workspace.wait_for_end(workspace.weigh(&[&common, more].concat()).spawn().unwrap())
    };
    let one = check("people.parquet", &["--key=town+name"]);
    assert_eq!((one.code, one.stderr.as_str()), (Some(1), ""), "{one}");
    for part in ["6 rows of 1 table read", "2 rows become equal", "'Straße'", "'STRASSE'", "key 1", "key 2"] {
        assert!(one.stdout.contains(part), "{part}: {one}");
    }
    let folder = check("people", &["--key=name", "--format=json"]);
    let report: serde_json::Value = serde_json::from_str(&folder.stdout).unwrap();
    assert_eq!((folder.code, &report["tables"][0]["reading"]["rows"]), (Some(1), &serde_json::json!(4)), "{folder}");
    check("people.parquet", &["--key=street"]).refuses_with(&["no column street", "id, town, name"]);
    check("README.md", &["--key=name"]).refuses_with(&["README.md"]);
    let server_only = workspace.weigh(&["preflight", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci"]).spawn().unwrap();
    workspace.wait_for_end(server_only).refuses_with(&["--csv", "--parquet"]);
}

#[test]
fn checks_a_dump() {
    let workspace = Workspace::new();
    let dump = "\
-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `people`;
CREATE TABLE `people` (
  `id` int NOT NULL,
  `name` varchar(40) NOT NULL DEFAULT 'it''s; (none)',
  `note` text,
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1;
LOCK TABLES `people` WRITE;
INSERT INTO `people` VALUES (1,'Straße','a\\'b;c'),(2,'STRASSE',NULL),(3,'Müller','x');
INSERT INTO `people` VALUES (4,'Weg','');
UNLOCK TABLES;
";
    fs::write(workspace.root().join("dump.sql"), dump).unwrap();
    let words = ["preflight", "--dump=dump.sql", "--flavour=mysql", "--to=utf8mb4_0900_ai_ci"];
    let text = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in ["4 rows of 1 table read", "2 rows become equal", "'Straße' (key 1)", "'STRASSE' (key 2)"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    assert!(!text.stdout.contains("ALTER TABLE `"), "a file has no plan: {text}");
    for server in ["--server=mysql@8.0", "--host=db1", "--set=max_connections=5", "mysql://me@db1"] {
        workspace
            .wait_for_end(workspace.weigh(&[&words[..], &[server]].concat()).spawn().unwrap())
            .refuses_with(&["--dump is read without a server"]);
    }

    fs::write(workspace.root().join("dump.sql"), "CREATE TABLE t (a VARCHAR(9));").unwrap();
    workspace
        .wait_for_end(workspace.weigh(&words).spawn().unwrap())
        .refuses_with(&["dump.sql has no CREATE TABLE in the form that mysqldump writes"]);
}
