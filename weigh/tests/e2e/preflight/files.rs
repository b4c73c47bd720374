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

/// A plan from files is not rehearsed, so `--trial none` asks for what is done anyway.
#[test]
fn trial_of_files_is_none() {
    let workspace = Workspace::new();
    let dump = "CREATE DATABASE `shop`;\nUSE `shop`;\nCREATE TABLE `t` (\n  `id` int NOT NULL,\n  `name` varchar(9) DEFAULT NULL,\n  \
                PRIMARY KEY (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\nINSERT INTO `t` VALUES (1,'a');\n";
    fs::write(workspace.root().join("shop.sql"), dump).unwrap();
    let check = |more: &[&str]| {
        let words = ["preflight", "--dump=shop.sql", "--to=utf8mb4_unicode_ci", "--flavour=mysql", "--format=sql"];
        workspace.wait_for_end(workspace.weigh(&[&words[..], more].concat()).spawn().unwrap())
    };
    let (plain, none) = (check(&[]), check(&["--trial=none"]));
    assert_eq!((none.code, none.stderr.as_str()), (Some(0), ""), "{none}");
    assert!(none.stdout.contains("1 column can be converted") && none.stdout == plain.stdout, "{none}");
    check(&["--trial=mysql@9"]).refuses_with(&["--trial mysql@9 is for a server"]);
}

/// Values that the collation of --from can't hold, keys that are not unique now, and groups.
#[test]
fn tells_what_a_csv_file_is_now_from_what_a_conversion_does() {
    let workspace = Workspace::new();
    let check = |name: &str, rows: &str, from: &str, more: &[&str]| {
        fs::write(workspace.root().join(name), format!("id,name\n{rows}")).unwrap();
        let csv = format!("--csv={name}");
        let from = format!("--from={from}");
        let common = ["preflight", &csv, &from, "--to=utf8mb4_0900_ai_ci", "--flavour=mysql"];
        workspace.wait_for_end(workspace.weigh(&[&common, more].concat()).spawn().unwrap())
    };
    let foreign = check("foreign.csv", "1,Łukasz\n2,Müller\n", "latin1_swedish_ci", &[]);
    assert!(foreign.stdout.contains("1 value can't be held in latin1 now"), "{foreign}");
    assert!(foreign.stdout.contains("'Łukasz' (key 1): Ł (U+0141)"), "{foreign}");
    assert!(!foreign.stdout.contains("double-encoded"), "{foreign}");

    let twice = check("twice.csv", "1,a\n2,a\n3,b\n4,B\n5,B\n", "utf8mb4_bin", &["--key=name"]);
    for part in ["4 rows in 2 groups are equal already", "2 rows become equal", "'b' (key 3) = 'B' (key 4)"] {
        assert!(twice.stdout.contains(part), "{part}: {twice}");
    }
    let equal = check("equal.csv", "1,'Doe'\n2,'doe'\n", "utf8mb4_general_ci", &["--key=name"]);
    assert!(equal.stdout.contains("2 rows are equal already"), "{equal}");
    assert!(!equal.stdout.contains("become equal"), "{equal}");

    let letters: String = ('a'..='e').map(|letter| format!("1,{letter}\n2,{}\n", letter.to_uppercase())).collect();
    let few = check("many.csv", &letters, "utf8mb4_bin", &["--key=name"]);
    assert!(few.stdout.contains("'b' (key 1)") && few.stdout.contains("and 3 more (--examples"), "{few}");
    assert!(!few.stdout.contains("'e' (key 1)"), "{few}");
    for more in [&["--examples=20"][..], &["--format=markdown"]] {
        let all = check("many.csv", &letters, "utf8mb4_bin", &[&["--key=name"], more].concat());
        assert!(all.stdout.contains("'e' (key 1) = 'E' (key 2)") && !all.stdout.contains("more (--examples"), "{all}");
    }
    let sharp = check("sharp.csv", "1,ß\n2,ẞ\n3,ss\n", "utf8mb4_bin", &["--key=name"]);
    for reason in ["(key 3): ß = ẞ (weight ", ", ß = ss (weight "] {
        assert!(sharp.stdout.contains(reason), "{reason}: {sharp}");
    }
    let merged = check("merged.csv", "1,か\n2,が\n3,カ\n", "utf8mb4_bin", &[]);
    for reason in [": か = が (weight ", ", か = カ (weight "] {
        assert!(merged.stdout.contains(reason), "{reason}: {merged}");
    }
    fs::write(workspace.root().join("empty.csv"), "").unwrap();
    let words = ["preflight", "--csv=empty.csv", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci", "--key=id"];
    workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap()).refuses_with(&["empty.csv", "it is empty"]);
    let charset = ["preflight", "--csv=many.csv", "--from=latin1", "--to=utf8mb4_unicode_ci"];
    workspace
        .wait_for_end(workspace.weigh(&charset).spawn().unwrap())
        .refuses_with(&["latin1 is a character set", "such as latin1_swedish_ci (the default)"]);
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
