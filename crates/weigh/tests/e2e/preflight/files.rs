//! Files instead of a server.

use std::fs;

use crate::place::Place;

#[test]
fn a_csv_file_is_checked_without_a_server() {
    let place = Place::new();
    fs::write(place.root().join("people.csv"), "id,name\n1,Straße\n2,STRASSE\n3,Weg\n4,\\N\n5,\\N\n").unwrap();
    let words = |more: &[&str]| {
        let common = ["preflight", "--csv=people.csv", "--from=utf8mb4_bin", "--key=name", "--to=utf8mb4_unicode_ci"];
        let all = ["--all-columns"].iter().chain(more).copied().collect::<Vec<_>>();
        place.end(place.weigh(&[&common, all.as_slice()].concat()).spawn().unwrap())
    };
    let text = words(&[]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in ["2 rows become equal", "'Straße'", "'STRASSE'", "ß = SS"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    let none = words(&["--check=unholdable"]);
    assert_eq!(none.code, Some(0), "{none}");
    place
        .end(
            place
                .weigh(&["preflight", "--csv=none.csv", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci"])
                .spawn()
                .unwrap(),
        )
        .refuses_with(&["none.csv"]);
}

/// Files that pyarrow wrote (see crates/preflight/tests/fixtures/README.md): one, and a folder of two with a marker beside them.
#[test]
fn parquet_files_are_checked_without_a_server() {
    let place = Place::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../preflight/tests/fixtures");
    let told = |file: &str, more: &[&str]| {
        let path = format!("--parquet={fixtures}/{file}");
        let common = ["preflight", &path, "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci", "--all-columns"];
        place.end(place.weigh(&[&common, more].concat()).spawn().unwrap())
    };
    let one = told("people.parquet", &["--key=town+name"]);
    assert_eq!((one.code, one.stderr.as_str()), (Some(1), ""), "{one}");
    for part in ["6 rows read", "2 rows become equal", "'Straße'", "'STRASSE'", "key 1", "key 2"] {
        assert!(one.stdout.contains(part), "{part}: {one}");
    }
    let folder = told("people", &["--key=name", "--format=json"]);
    let report: serde_json::Value = serde_json::from_str(&folder.stdout).unwrap();
    assert_eq!((folder.code, &report["tables"][0]["reading"]["rows"]), (Some(1), &serde_json::json!(4)), "{folder}");
    told("people.parquet", &["--key=street"]).refuses_with(&["no column street", "id, town, name"]);
    told("README.md", &["--key=name"]).refuses_with(&["README.md"]);
    let server_only = place.weigh(&["preflight", "--from=utf8mb4_bin", "--to=utf8mb4_unicode_ci"]).spawn().unwrap();
    place.end(server_only).refuses_with(&["--csv", "--parquet"]);
}

#[test]
fn a_dump_is_checked_without_a_server() {
    let place = Place::new();
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
    fs::write(place.root().join("dump.sql"), dump).unwrap();
    let words = ["preflight", "--dump=dump.sql", "--flavour=mysql", "--to=utf8mb4_0900_ai_ci"];
    let text = place.end(place.weigh(&words).spawn().unwrap());
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in ["4 rows read", "2 rows become equal", "'Straße' (key 1)", "'STRASSE' (key 2)"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    assert!(!text.stdout.contains("ALTER TABLE `"), "a file has no plan: {text}");
}
