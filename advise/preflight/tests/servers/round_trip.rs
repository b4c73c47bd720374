//! Converts generated schemas by their plans and checks that a last preflight finds nothing.
//!
//! `WEIGH_ROUND_TRIP=10x10000` runs ten schemas with 10,000 rows per table instead of two with 60.

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::lab::{Lab, describe_report};

/// Returns the numbers of schemas and of rows per table.
fn size() -> (u64, u32) {
    let Ok(given) = std::env::var("WEIGH_ROUND_TRIP") else { return (2, 60) };
    let (schemas, rows) = given.split_once('x').expect("the argument is SCHEMASxROWS");
    (schemas.parse().unwrap(), rows.parse().unwrap())
}

struct Generator(Xoshiro256StarStar);

impl Generator {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// Returns a random text type with character set and collation.
    fn text_type(&mut self) -> String {
        let of = self.choose(&[
            "VARCHAR(30)",
            "VARCHAR(190)",
            "CHAR(12)",
            "TINYTEXT",
            "TEXT",
            "ENUM('red','green','blue')",
            "SET('x','y')",
        ]);
        let charset = self.choose(&[
            "latin1",
            "utf8mb3",
            "utf8mb4",
            "ascii",
            "latin1 COLLATE latin1_bin",
            "utf8mb4 COLLATE utf8mb4_bin",
            "utf8mb4 COLLATE utf8mb4_general_ci",
        ]);
        format!("{of} CHARACTER SET {charset}")
    }

    /// Returns a random literal for a column of type `of`.
    fn value(&mut self, of: &str, number: u32) -> String {
        if of.starts_with("ENUM") {
            return self.choose(&["'red'", "'green'", "'blue'"]).into();
        }
        if of.starts_with("SET") {
            return self.choose(&["'x'", "'x,y'", "''"]).into();
        }
        if self.below(10) == 0 {
            return "NULL".into();
        }
        let wide = !of.contains("ascii");
        let word = match self.below(6) {
            0 if wide => "é",
            1 if wide => "Straße",
            2 if wide => "ñandú",
            3 => "Plain",
            _ => "word",
        };
        if self.below(3) == 0 { format!("'{word}'") } else { format!("'{word}{number}'") }
    }

    fn statements(&mut self, rows: u32) -> Vec<String> {
        let mut statements = vec![
            "CREATE TABLE parent (code VARCHAR(20) CHARACTER SET latin1 NOT NULL PRIMARY KEY, label VARCHAR(40) CHARACTER SET utf8mb3 DEFAULT 'a, (b)' COMMENT 'it''s')".to_owned(),
            "INSERT INTO parent (code) VALUES ('c0'), ('c1'), ('c2'), ('c3'), ('é4')".to_owned(),
        ];
        for table in 0..3 {
            let types: Vec<String> = (0..2 + self.below(4)).map(|_| self.text_type()).collect();
            let mut parts = vec!["id INT NOT NULL AUTO_INCREMENT PRIMARY KEY".to_owned()];
            parts.extend(types.iter().enumerate().map(|(at, of)| format!("c{at} {of} NULL COMMENT 'column, {at}'")));
            parts.push("code VARCHAR(20) CHARACTER SET latin1".into());
            parts.push("s VARCHAR(20) CHARACTER SET latin1 DEFAULT 'é'".into());
            parts.push("g VARCHAR(50) CHARACTER SET utf8mb4 GENERATED ALWAYS AS (CONCAT(s, '!')) STORED".into());
            for (at, of) in types.iter().enumerate().filter(|(_, of)| of.contains("CHAR(")) {
                match self.below(3) {
                    0 => parts.push(format!("UNIQUE KEY u{at} (c{at}, id)")),
                    1 => parts.push(format!("KEY k{at} (c{at})")),
                    _ if of.starts_with("VARCHAR") => parts.push(format!("KEY p{at} (c{at}(10))")),
                    _ => {}
                }
            }
            if self.below(2) == 0 {
                parts.push(
                    "CONSTRAINT fk".to_owned()
                        + &table.to_string()
                        + " FOREIGN KEY (code) REFERENCES parent (code) ON UPDATE CASCADE",
                );
            }
            // Some rows collide in this key under a coarser collation.
            if self.below(2) == 0 {
                parts.push(
                    "w VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, UNIQUE KEY w (w)".into(),
                );
            }
            let has_w = parts.last().is_some_and(|part| part.starts_with("w "));
            statements.push(format!(
                "CREATE TABLE t{table} ({}) CHARACTER SET {}",
                parts.join(", "),
                self.choose(&["latin1", "utf8mb4"])
            ));
            let names: Vec<String> = (0..types.len())
                .map(|at| format!("c{at}"))
                .chain(["code".to_owned()])
                .chain(has_w.then(|| "w".to_owned()))
                .collect();
            let all: Vec<String> = (0..rows)
                .map(|number| {
                    let mut values: Vec<String> = types.iter().map(|of| self.value(of, number)).collect();
                    values.push(self.choose(&["'c0'", "'c1'", "'c2'", "NULL", "'é4'"]).into());
                    if has_w {
                        let word = self.choose(&["ss", "ß", "e", "x"]);
                        values.push(format!(
                            "'{word}{}'",
                            number / 2 * 2 + u32::from(word != "ß") * 1_000_000 * (number % 2)
                        ));
                    }
                    format!("({})", values.join(", "))
                })
                .collect();
            for chunk in all.chunks(1_000) {
                statements.push(format!(
                    "INSERT IGNORE INTO t{table} ({}) VALUES {}",
                    names.join(", "),
                    chunk.join(", ")
                ));
            }
            if self.below(2) == 0 {
                statements.push(format!("CREATE TRIGGER tr{table} BEFORE INSERT ON t{table} FOR EACH ROW BEGIN SET NEW.c0 = NEW.c0; SET NEW.code = NEW.code; END"));
            }
        }
        statements
    }
}

fn round_trip(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    let (schemas, rows) = size();
    for seed in 0..schemas {
        let schema = format!("fx_round_{seed}");
        let statements = Generator(Xoshiro256StarStar::seed_from_u64(seed)).statements(rows);
        lab.schema(&schema, "latin1", &statements);
        let report = lab.report(&schema, target);
        let blocked = report.plan.as_ref().unwrap().blocked.clone();
        let refused: std::collections::BTreeSet<String> =
            lab.run_plan(&report).into_iter().map(|(object, _)| object).collect();
        assert_eq!(refused.into_iter().collect::<Vec<_>>(), blocked, "seed {seed}: {}", describe_report(&report));
        // Keeps one row of each collision group.
        for finding in report.findings.iter().filter(|finding| finding.check == "unique-key") {
            let table = finding.details.table.as_ref().unwrap();
            for group in &finding.details.groups {
                let others: Vec<&str> = group.rows[1..].iter().map(|row| row.key[0].as_str()).collect();
                mysql::prelude::Queryable::query_drop(
                    &mut lab.conn,
                    format!("DELETE FROM {schema}.{table} WHERE id IN ({})", others.join(", ")),
                )
                .unwrap();
            }
        }
        let again = lab.report(&schema, target);
        if again.plan.is_some() {
            assert_eq!(lab.run_plan(&again), [], "seed {seed}: {}", describe_report(&again));
        }
        let last = lab.report(&schema, target);
        assert!(last.findings.is_empty() && last.plan.is_none(), "seed {seed}: {}", describe_report(&last));
    }
}

#[test]
fn mariadb() {
    round_trip("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_trixie() {
    round_trip("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
}

#[test]
fn mysql() {
    round_trip("mysql@sid", "utf8mb4_0900_ai_ci");
}
