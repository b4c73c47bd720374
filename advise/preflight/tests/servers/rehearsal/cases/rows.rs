//! Cases about values: generated ones, partitions, history, foreign keys, repairs.

use super::*;

pub const CASES: &[Case] = &[
    Case {
        name: "generated",
        on: is_modern,
        charset: "utf8mb4 COLLATE utf8mb4_general_ci",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), n INT GENERATED ALWAYS AS (a = 'STRASSE') STORED, m INT GENERATED ALWAYS AS (n + 1) STORED, KEY (n), KEY (m))",
            "INSERT INTO t (id, a) VALUES (1, 'straße'), (2, 'weg')",
        ],
        findings: &[("generated-collation", "t.n"), ("generated-collation", "t.m")],
        after: &[
            ("SELECT GROUP_CONCAT(n, m ORDER BY id) FROM t", "12,01"),
            ("SELECT COUNT(*) FROM t FORCE INDEX (m) WHERE m = 2", "1"),
        ],
        ..CASE
    },
    Case {
        name: "introducers",
        on: is_modern,
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(30) GENERATED ALWAYS AS (CONCAT(a, _latin1'(')) STORED, \
             n INT GENERATED ALWAYS AS (CHAR_LENGTH(_latin1'ab')) STORED, c VARCHAR(9) CHECK (c <> _latin1')'))",
            "INSERT INTO t (id, a, c) VALUES (1, 'ü', 'x')",
        ],
        after: &[("SELECT CONCAT(HEX(CONVERT(g USING utf8mb4)), n) FROM t", "C3BC282")],
        ..CASE
    },
    Case {
        name: "functional_index",
        on: has_functional_indexes,
        charset: "utf8mb3",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), KEY f ((lower(a))) COMMENT 'by (lower)')",
            "INSERT INTO t (id, a) VALUES (1, 'straße'), (2, 'weg')",
        ],
        after: &[
            ("SELECT COUNT(*) FROM t FORCE INDEX (f) WHERE lower(a) = 'strasse'", "1"),
            (
                "SELECT INDEX_COMMENT FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'f'",
                "by (lower)",
            ),
        ],
        ..CASE
    },
    Case {
        name: "functional_index_duplicates",
        on: has_functional_indexes,
        charset: "utf8mb3",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), UNIQUE KEY f ((lower(a))))",
            "INSERT INTO t (id, a) VALUES (1, 'straße'), (2, 'strasse')",
        ],
        findings: &[("expression-key", "t: f"), ("merges", "t.a")],
        ..CASE
    },
    Case {
        name: "check_constraint",
        on: checks_constraints,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE latin1_swedish_ci, CHECK (a IN ('Müller', 'Strasse')))",
            "INSERT INTO t VALUES (1, 'Müller'), (2, 'Myller'), (3, NULL)",
        ],
        findings: &[("check-constraint", "t"), ("separates", "t.a")],
        after: &[("SELECT COUNT(*) FROM t WHERE a = 'müller'", "2")],
        ..CASE
    },
    Case {
        name: "time_zone",
        on: is_modern,
        statements: &[
            "SET time_zone = '+09:00'",
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), ts TIMESTAMP NULL, d DATE GENERATED ALWAYS AS (DATE(ts)) STORED, \
             n INT GENERATED ALWAYS AS (id / 3) STORED, c CHAR(9) GENERATED ALWAYS AS (CONCAT(a, ' ')) STORED)",
            "INSERT INTO t (id, a, ts) VALUES (1, 'müller', '2025-01-01 05:00:00'), (2, 'x', '2025-01-01 15:00:00')",
            "SET time_zone = 'SYSTEM'",
        ],
        findings: &[("generated-values", "t.d")],
        after: &[("SELECT GROUP_CONCAT(d ORDER BY id) FROM t", "2024-12-31,2025-01-01")],
        ..CASE
    },
    Case {
        name: "zone_index",
        on: has_functional_indexes,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), ts TIMESTAMP NULL, h INT AS (HOUR(ts)) VIRTUAL, KEY (h))",
            "INSERT INTO t (id, a, ts) VALUES (1, 'müller', '2025-01-01 05:00:00')",
        ],
        findings: &[("zone-index", "t: h")],
        after: &[("SELECT COUNT(*) FROM t FORCE INDEX (h) WHERE h = 5", "1")],
        ..CASE
    },
    Case {
        name: "float_key",
        statements: &[
            "CREATE TABLE t (f FLOAT PRIMARY KEY, a VARCHAR(20))",
            "INSERT INTO t VALUES (0.1, X'4DC3BC6C6C6572')",
        ],
        findings: &[("double-encoding", "t.a")],
        after: &[("SELECT COUNT(*) FROM t WHERE a LIKE BINARY _utf8mb4 X'4DC383C2BC25'", "1")],
        ..CASE
    },
    Case {
        name: "byte_functions",
        on: is_modern,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), h CHAR(64) CHARACTER SET ascii AS (SHA2(a, 256)) STORED, \
             n INT AS (CHAR_LENGTH(a)) STORED, k TINYINT UNSIGNED AS (ASCII(a)) STORED)",
            "INSERT INTO t (id, a) VALUES (1, 'ü')",
        ],
        findings: &[("byte-functions", "t.h"), ("byte-functions", "t.k")],
        after: &[("SELECT h = SHA2(_utf8mb4 X'C3BC', 256) FROM t", "1")],
        ..CASE
    },
    Case {
        name: "list_with_null",
        on: is_modern,
        statements: &[
            "CREATE TABLE t (a VARCHAR(20) COLLATE latin1_swedish_ci, n INT) PARTITION BY LIST COLUMNS (a) \
             (PARTITION p0 VALUES IN (NULL, 'müller', 'b'), PARTITION p1 VALUES IN ('c'))",
            "INSERT INTO t VALUES (NULL, 1), ('müller', 2), ('myller', 3)",
        ],
        findings: &[("partition-key", "t"), ("partition-rows", "t.a"), ("separates", "t.a")],
        after: &[("SELECT COUNT(*) FROM t WHERE a = 'müller'", "2")],
        ..CASE
    },
    Case {
        name: "emoji_of_definitions",
        on: has_functional_indexes,
        charset: "utf8mb4 COLLATE utf8mb4_general_ci",
        statements: &[
            "CREATE TABLE e (id INT PRIMARY KEY, a ENUM('😀', 'b'))",
            "CREATE TABLE g (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT ('😀x'), b VARCHAR(20) AS (CONCAT(id, '😀')) STORED)",
            "INSERT INTO e VALUES (1, '😀')",
            "INSERT INTO g (id) VALUES (1)",
        ],
        findings: &[
            // The expression of `g.b` is evaluated as the server prints it.
            ("generated-values", "g.b"),
            ("lost-character", "e.a"),
            ("lost-character", "g.a"),
            ("lost-character", "g.b"),
            ("lost-character-rows", "e.a"),
        ],
        after: &[("SELECT HEX(CONCAT(a, b)) FROM g", "F09F98807831F09F9880")],
        ..CASE
    },
    Case {
        name: "emoji_of_a_default",
        on: |lab| lab.server.flavour() == Flavour::MariaDb,
        charset: "utf8mb4 COLLATE utf8mb4_general_ci",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT '😀')",
            "CREATE TABLE meant (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT '?')",
            "INSERT INTO t (id) VALUES (1)",
            "INSERT INTO meant (id) VALUES (1)",
        ],
        findings: &[("lost-character", "meant.a"), ("lost-character", "t.a"), ("lost-character-rows", "t.a")],
        after: &[("SELECT HEX(DEFAULT(a)) FROM t", "F09F9880"), ("SELECT DEFAULT(a) FROM meant", "?")],
        ..CASE
    },
    Case {
        name: "versioned",
        on: has_versioning,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20)) WITH SYSTEM VERSIONING",
            "INSERT INTO t VALUES (1, 'é')",
            "UPDATE t SET a = 'ü'",
        ],
        findings: &[("versioned", "t")],
        after: &[("SELECT GROUP_CONCAT(a ORDER BY a) FROM t FOR SYSTEM_TIME ALL", "é,ü")],
        ..CASE
    },
    Case {
        name: "history_in_partitions",
        on: has_versioning,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20)) WITH SYSTEM VERSIONING PARTITION BY SYSTEM_TIME LIMIT 2 PARTITIONS 4",
            "INSERT INTO t VALUES (1, 'a')",
            "UPDATE t SET a = 'b'",
            "UPDATE t SET a = 'c'",
            "UPDATE t SET a = 'd'",
        ],
        findings: &[("versioned", "t")],
        after: &[("SELECT COUNT(*) FROM t PARTITION (p0)", "3")],
        ..CASE
    },
    Case {
        name: "history_collides",
        on: has_versioning,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(60) COLLATE latin1_general_cs, UNIQUE (a)) WITH SYSTEM VERSIONING",
            "INSERT INTO t VALUES (1, 'é'), (2, 'e'), (3, 'z')",
            "DELETE FROM t WHERE id < 3",
        ],
        findings: &[("versioned", "t"), ("unique-key", "t: a")],
        after: &[("SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL", "3")],
        ..CASE
    },
    Case {
        name: "history_too_long",
        on: has_versioning,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a TEXT, since TIMESTAMP(6) GENERATED ALWAYS AS ROW START, \
             till TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (since, till)) WITH SYSTEM VERSIONING",
            "INSERT INTO t (id, a) VALUES (1, REPEAT('é', 40000))",
            "UPDATE t SET a = 'x'",
            "UPDATE t SET a = 'é'",
        ],
        findings: &[("versioned", "t"), ("text-length", "t.a")],
        after: &[("SELECT MAX(LENGTH(a)) FROM t FOR SYSTEM_TIME ALL", "80000")],
        ..CASE
    },
    Case {
        name: "orphans",
        statements: &[
            "CREATE TABLE p (k VARCHAR(10) PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(10), CONSTRAINT f FOREIGN KEY (k) REFERENCES p (k))",
            "INSERT INTO p VALUES ('a')",
            "SET foreign_key_checks = 0",
            "INSERT INTO c VALUES (1, 'a'), (2, 'gone')",
            "SET foreign_key_checks = 1",
        ],
        findings: &[("orphans", "c: f")],
        after: &[(
            "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()",
            "1",
        )],
        ..CASE
    },
    // The plan does not touch the key.
    Case {
        name: "orphans_of_a_key_that_stays",
        on: checks_keys_of_copied_rows,
        statements: &[
            "CREATE TABLE p (id INT PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, p INT, a VARCHAR(10), CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id))",
            "SET foreign_key_checks = 0",
            "INSERT INTO c VALUES (1, 7, 'a')",
            "SET foreign_key_checks = 1",
        ],
        findings: &[("rehearsal", "c")],
        ..CASE
    },
    Case {
        name: "partition_lost",
        statements: &[
            "CREATE TABLE t (a VARCHAR(10), n INT) PARTITION BY RANGE COLUMNS (a) (PARTITION p0 VALUES LESS THAN ('n'), PARTITION p1 VALUES LESS THAN ('ö'))",
            "INSERT INTO t VALUES ('a', 1), ('zebra', 2)",
        ],
        findings: &[("partition-key", "t"), ("partition-rows", "t.a")],
        after: &[("SELECT COUNT(*) FROM t", "2")],
        ..CASE
    },
    Case {
        name: "list_constants",
        charset: "utf8mb4 COLLATE utf8mb4_general_ci",
        statements: &[
            "CREATE TABLE t (a VARCHAR(10), n INT) PARTITION BY LIST COLUMNS (a) (PARTITION p0 VALUES IN ('ß'), PARTITION p1 VALUES IN ('ss'))",
        ],
        findings: &[("partition-key", "t")],
        ..CASE
    },
    Case {
        name: "list_constants_twin",
        charset: "utf8mb4 COLLATE utf8mb4_general_ci",
        statements: &[
            "CREATE TABLE t (a VARCHAR(10), n INT) PARTITION BY LIST COLUMNS (a) (PARTITION p0 VALUES IN ('a'), PARTITION p1 VALUES IN ('ss'))",
            "INSERT INTO t VALUES ('a', 1), ('ss', 2)",
        ],
        findings: &[("partition-key", "t")],
        after: &[("SELECT COUNT(*) FROM t PARTITION (p1) WHERE a = 'ss'", "1")],
        ..CASE
    },
    Case {
        name: "list_constants_backslash",
        statements: &[
            r"CREATE TABLE t (a VARCHAR(10), n INT) PARTITION BY LIST COLUMNS (a) (PARTITION p0 VALUES IN ('a\\b', '\\'), PARTITION p1 VALUES IN ('it\'s', 'l\nm'))",
            r"INSERT INTO t VALUES ('a\\b', 1), ('\\', 2), ('it\'s', 3), ('l\nm', 4)",
        ],
        findings: &[("partition-key", "t")],
        after: &[("SELECT COUNT(*) FROM t", "4")],
        ..CASE
    },
    Case {
        name: "invalid_dates",
        statements: &[
            "SET sql_mode = 'ALLOW_INVALID_DATES'",
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), d DATE DEFAULT '0000-00-00')",
            "INSERT INTO t VALUES (1, 'é', '2020-02-31'), (2, 'é', DEFAULT)",
            "SET sql_mode = DEFAULT",
        ],
        after: &[("SELECT GROUP_CONCAT(d + 0 ORDER BY id) FROM t", "20200231,0")],
        ..CASE
    },
    Case {
        name: "nopad_bin",
        on: has_0900_bin,
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (a VARCHAR(20) COLLATE utf8mb4_0900_bin PRIMARY KEY, b VARCHAR(20) COLLATE utf8mb4_general_ci)",
            "INSERT INTO t VALUES ('a', 'x'), ('a ', 'y')",
        ],
        after: &[(
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'a'",
            "utf8mb4_0900_bin",
        )],
        ..CASE
    },
    Case {
        name: "nopad_bin_mariadb",
        on: has_nopad_collations,
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (a VARCHAR(20) COLLATE utf8mb4_nopad_bin PRIMARY KEY, b VARCHAR(20) COLLATE utf8mb4_general_ci, c VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_nopad_bin UNIQUE)",
            "INSERT INTO t VALUES ('a', 'x', 'c'), ('a ', 'y', 'c ')",
        ],
        after: &[(
            "SELECT GROUP_CONCAT(COLLATION_NAME ORDER BY COLUMN_NAME) LIKE 'utf8mb4_nopad_bin,utf8mb4_%,utf8mb4_nopad_bin' FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()",
            "1",
        )],
        ..CASE
    },
    Case {
        name: "repairs_collide",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), UNIQUE KEY u (v))",
            "INSERT INTO t VALUES (1, _latin1 X'4DC3BC6C6C6572'), (2, 'Müller')",
        ],
        findings: &[("double-encoding", "t.v"), ("double-encoding", "t: u")],
        ..CASE
    },
    Case {
        name: "repairs",
        statements: &[
            "CREATE TABLE p (k VARCHAR(20) PRIMARY KEY, t TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP)",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(20), CONSTRAINT f FOREIGN KEY (k) REFERENCES p (k))",
            "INSERT INTO p (k) VALUES (_latin1 X'4DC3BC6C6C6572'), ('x')",
            "INSERT INTO c VALUES (1, _latin1 X'4DC3BC6C6C6572')",
            "CREATE TRIGGER up BEFORE UPDATE ON p FOR EACH ROW SET NEW.t = '2030-01-01 00:00:00'",
        ],
        findings: &[("double-encoding", "p.k"), ("double-encoding", "c.k"), ("programs", "")],
        repairs: true,
        after: &[
            ("SELECT COUNT(*) FROM p JOIN c ON c.k = p.k WHERE p.k = 'Müller' AND p.t = '2020-01-01 00:00:00'", "1"),
            ("SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()", "1"),
        ],
        ..CASE
    },
    Case {
        name: "repair_by_time",
        statements: &[
            "CREATE TABLE t (at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP PRIMARY KEY, v VARCHAR(20))",
            "SET time_zone = '+05:00'",
            "INSERT INTO t VALUES ('2025-10-26 02:30:00', _latin1 X'4DC3BC6C6C6572')",
        ],
        findings: &[("double-encoding", "t.v")],
        repairs: true,
        after: &[("SELECT COUNT(*) FROM t WHERE v = 'Müller'", "1")],
        ..CASE
    },
];
