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
