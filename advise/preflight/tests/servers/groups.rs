//! Compares groups of colliding rows with the server's `GROUP BY … HAVING COUNT(*) > 1`.

use mysql::prelude::Queryable;
use preflight::Checkpoint;
use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::lab::{Lab, describe_report, find_finding, options};

/// Letters of eleven scripts: cases, accents, expansions and ignorable characters.
const SYLLABLES: &[&str] = &[
    "str", "aß", "ss", "é", "e\u{301}", "É", "ä", "æ", "ae", "ij", "ﬁ", "fi", "Я", "я", "ё", "е", "αθ", "ή", "η", "ς",
    "σ", "א", "בּ", "ب", "اَ", "ا", "क", "क़", "ก", "เก", "カ", "か", "ガ", "が", "日", "本", "한", "ㄱ", "\u{200d}", " ",
    "-",
];

fn words(count: usize, seed: u64) -> Vec<String> {
    let mut random = Xoshiro256StarStar::seed_from_u64(seed);
    let mut words = std::collections::BTreeSet::new();
    while words.len() < count {
        let length = 1 + random.next_u32() as usize % 4;
        let word: String = (0..length).map(|_| SYLLABLES[random.next_u32() as usize % SYLLABLES.len()]).collect();
        // The column's own collation ignores trailing spaces.
        words.insert(format!("{}.", word));
    }
    words.into_iter().collect()
}

fn compare_groups(server: &str, targets: &[&str]) {
    let mut lab = Lab::new(server);
    let create = "CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, UNIQUE KEY (w))".to_owned();
    lab.schema("fx_groups", "utf8mb4", &[create]);
    let words = words(6_000, 1);
    for (batch, chunk) in words.chunks(1000).enumerate() {
        let rows = chunk.iter().enumerate().map(|(at, word)| format!("({}, '{word}')", batch * 1000 + at));
        lab.conn.query_drop(format!("INSERT INTO fx_groups.t VALUES {}", rows.collect::<Vec<_>>().join(","))).unwrap();
    }
    for target in targets {
        let mut options = options(target);
        options.request.all_columns = true;
        options.request.examples = usize::MAX;
        // The sort gets its least memory, 1 MiB.
        options.memory = 1;
        let report = lab.report_with("fx_groups", &options, &Default::default(), &Checkpoint::disabled()).unwrap();
        let finding = find_finding(&report, "unique-key", "fx_groups.t: w");
        let id_and_count =
            |group: &preflight::CollisionGroup| (group.rows[0].key[0].parse::<u32>().unwrap(), group.count);
        let mut ours: Vec<(u32, u64)> = finding.details.groups.iter().map(id_and_count).collect();
        ours.sort_unstable();
        let query = format!(
            "SELECT MIN(id), COUNT(*) FROM fx_groups.t GROUP BY w COLLATE {target} HAVING COUNT(*) > 1 ORDER BY 1"
        );
        let theirs: Vec<(u32, u64)> = lab.conn.query(query).unwrap();
        assert!(theirs.len() > 50 && ours == theirs, "{target}: {} and {}", ours.len(), theirs.len());
        assert!(finding.details.groups.iter().all(|group| !group.why.is_empty()), "{}", describe_report(&report));
        let printed: Vec<(String, u64)> = lab.conn.query(&finding.details.statements[0]).unwrap();
        assert_eq!(printed.len(), theirs.len());
    }
}

#[test]
fn mariadb_trixie() {
    compare_groups("mariadb@trixie", &["utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci"]);
}

#[test]
fn mysql() {
    compare_groups("mysql@sid", &["utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci"]);
}
