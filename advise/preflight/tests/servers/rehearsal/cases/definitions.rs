//! Cases about definitions: keys, programs, defaults, options of columns.

use super::*;

pub const CASES: &[Case] = &[
    Case {
        name: "view_mode",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "INSERT INTO t VALUES (1, 'a\\\\b')",
            "CREATE VIEW v AS SELECT a, a = 'a\\\\b' AS same, 'a\\\\b' AS w FROM t",
            "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
            "CREATE PROCEDURE p () SELECT a FROM t",
            "SET sql_mode = DEFAULT",
        ],
        findings: &[("programs", "")],
        after: &[("SELECT CONCAT(same, HEX(w)) FROM v", "1615C62")],
        ..CASE
    },
    Case {
        name: "returned_text",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE FUNCTION f (x VARCHAR(10)) RETURNS VARCHAR(10) DETERMINISTIC RETURN CONCAT(x, '')",
            "CREATE FUNCTION g (x VARCHAR(10)) RETURNS VARCHAR(10) CHARSET ascii DETERMINISTIC RETURN CONCAT(x, '')",
        ],
        findings: &[("programs", "")],
        after: &[("SELECT HEX(f(_utf8mb4 X'E697A5'))", "E697A5"), ("SELECT CHARSET(g('x'))", "ascii")],
        ..CASE
    },
    Case {
        name: "merge_table",
        statements: &[
            "CREATE TABLE a (k VARCHAR(10)) ENGINE=MyISAM",
            "CREATE TABLE m (k VARCHAR(10)) ENGINE=MERGE UNION=(a)",
            "INSERT INTO a VALUES ('ü')",
        ],
        findings: &[("merge-table", "a"), ("merge-table", "m")],
        after: &[("SELECT k FROM m", "ü")],
        ..CASE
    },
    Case {
        name: "grants",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE PROCEDURE p (x VARCHAR(10)) /* kept */ SELECT COUNT(*) FROM t WHERE a = x",
            "GRANT EXECUTE ON PROCEDURE p TO teller@localhost WITH GRANT OPTION",
        ],
        findings: &[("programs", "")],
        after: &[
            (
                "SELECT COUNT(*) FROM mysql.procs_priv WHERE Db = DATABASE() AND User = 'teller' AND Proc_priv LIKE 'Execute%Grant'",
                "1",
            ),
            (
                "SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() AND DATABASE_COLLATION LIKE 'utf8mb4%'",
                "1",
            ),
        ],
        ..CASE
    },
    Case {
        name: "trigger_order",
        on: is_modern,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE TRIGGER z BEFORE INSERT ON t FOR EACH ROW SET NEW.a = CONCAT(NEW.a, '1')",
            "CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET NEW.a = CONCAT(NEW.a, '2')",
            "INSERT INTO t VALUES (1, 'x')",
        ],
        findings: &[("programs", "")],
        after: &[(
            "SELECT GROUP_CONCAT(TRIGGER_NAME ORDER BY ACTION_ORDER) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()",
            "z,a",
        )],
        ..CASE
    },
    Case {
        name: "parentheses",
        statements: &[
            "CREATE TABLE `t(1` (`i)d` INT NOT NULL PRIMARY KEY, `a(b` VARCHAR(20) NOT NULL DEFAULT 'x)' COMMENT 'it''s \"(a', KEY `k(1` (`a(b`) COMMENT '(k')",
            "INSERT INTO `t(1` VALUES (1, 'é')",
        ],
        after: &[(
            "SELECT CONCAT(IS_NULLABLE, REPLACE(COLUMN_DEFAULT, '''', ''), COLUMN_COMMENT) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'a(b'",
            "NOx)it's \"(a",
        )],
        ..CASE
    },
    Case {
        name: "compressed",
        on: has_versioning,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(2000) COMPRESSED NOT NULL DEFAULT 'x', b TEXT COMPRESSED)",
            "INSERT INTO t VALUES (1, REPEAT('é', 1000), 'y')",
        ],
        after: &[(
            "SELECT GROUP_CONCAT(COLUMN_TYPE) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_TYPE LIKE '%COMPRESSED%'",
            "varchar(2000) /*M!100301 COMPRESSED*/,text /*M!100301 COMPRESSED*/",
        )],
        ..CASE
    },
    Case {
        name: "key_rules",
        statements: &[
            "CREATE TABLE p (k VARCHAR(10) PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(10), l VARCHAR(10), m VARCHAR(10), \
             CONSTRAINT f FOREIGN KEY (k) REFERENCES p (k) ON DELETE NO ACTION ON UPDATE NO ACTION, \
             CONSTRAINT g FOREIGN KEY (l) REFERENCES p (k) ON DELETE RESTRICT ON UPDATE RESTRICT, \
             CONSTRAINT h FOREIGN KEY (m) REFERENCES p (k) ON DELETE SET NULL ON UPDATE CASCADE)",
        ],
        after: &[(
            "SELECT GROUP_CONCAT(DELETE_RULE, ' ', UPDATE_RULE ORDER BY CONSTRAINT_NAME DESC) LIKE 'SET NULL CASCADE,RESTRICT RESTRICT,%' FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()",
            "1",
        )],
        ..CASE
    },
    Case {
        name: "trigger_collate",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = IF(NEW.a COLLATE latin1_bin = 'b', 'c', NEW.a)",
            "INSERT INTO t VALUES (1, 'é')",
        ],
        findings: &[("program-collate", "tr"), ("programs", "")],
        after: &[(
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'a'",
            "latin1_swedish_ci",
        )],
        ..CASE
    },
    Case {
        name: "trigger_collate_twin",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE TABLE log (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET ascii)",
            "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = IF(CONVERT(NEW.a USING latin1) COLLATE latin1_bin = _latin1'b', 'c', NEW.a)",
            "CREATE TRIGGER tl BEFORE INSERT ON log FOR EACH ROW SET NEW.a = IF(NEW.a COLLATE ascii_bin = _ascii'b', 'c', NEW.a)",
            "INSERT INTO t VALUES (1, 'é')",
        ],
        findings: &[("programs", "")],
        after: &[("SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()", "2")],
        ..CASE
    },
    Case {
        name: "routine_collate",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE PROCEDURE p (x VARCHAR(10)) SELECT id FROM t WHERE a = x COLLATE latin1_german1_ci",
            "CREATE PROCEDURE twin (x VARCHAR(10) CHARACTER SET latin1) SELECT x COLLATE latin1_german1_ci FROM t",
        ],
        findings: &[("program-collate", "p"), ("programs", "")],
        ..CASE
    },
    Case {
        name: "shortened_foreign_key",
        on: is_modern,
        statements: &[
            "CREATE TABLE p (k VARCHAR(1000) PRIMARY KEY) ROW_FORMAT=DYNAMIC",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(1000), KEY (k), CONSTRAINT f FOREIGN KEY (k) REFERENCES p (k)) ROW_FORMAT=DYNAMIC",
            "INSERT INTO p VALUES ('a')",
            "INSERT INTO c VALUES (1, 'a')",
        ],
        findings: &[("key-length", "p: PRIMARY"), ("key-length", "c: k")],
        after: &[(
            "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()",
            "1",
        )],
        ..CASE
    },
    Case {
        name: "key_index",
        statements: &[
            "CREATE TABLE p (k VARCHAR(10) PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(10), FOREIGN KEY (k) REFERENCES p (k))",
            "INSERT INTO p VALUES ('a')",
            "INSERT INTO c VALUES (1, 'a')",
        ],
        after: &[("SELECT COUNT(*) FROM c FORCE INDEX (k) WHERE k = 'a'", "1")],
        ..CASE
    },
    Case {
        name: "old_charset",
        on: is_modern,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g INT GENERATED ALWAYS AS (a COLLATE latin1_german1_ci = 'x') STORED)",
            "CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(20))",
            "INSERT INTO u VALUES (1, 'é')",
        ],
        findings: &[("rehearsal", "t")],
        after: &[
            (
                "SELECT COLLATION_NAME LIKE 'utf8mb4%' FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'u' AND COLUMN_NAME = 'a'",
                "1",
            ),
            (
                "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't' AND COLUMN_NAME = 'a'",
                "latin1_swedish_ci",
            ),
        ],
        ..CASE
    },
    Case {
        name: "text_default",
        on: is_modern,
        statements: &["CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20000) DEFAULT 'it''s' COMMENT 'DEFAULT 1')"],
        findings: &[("wide-varchar", "t.a")],
        after: &[(
            "SELECT DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'a'",
            "mediumtext",
        )],
        ..CASE
    },
    Case {
        name: "shortened_index",
        on: is_modern,
        statements: &[
            "CREATE TABLE p (n INT NOT NULL PRIMARY KEY)",
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(1000), n INT, KEY first (id, n), KEY k (a, id) COMMENT '(kept)', KEY later (n), \
             FULLTEXT KEY text (a), CONSTRAINT f FOREIGN KEY (n) REFERENCES p (n)) ROW_FORMAT=DYNAMIC",
        ],
        findings: &[("key-length", "t: k")],
        after: &[(
            "SELECT INDEX_COMMENT FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'k' AND SEQ_IN_INDEX = 1",
            "(kept)",
        )],
        ..CASE
    },
    Case {
        name: "broken_view",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "CREATE TABLE gone (a VARCHAR(20))",
            "SET NAMES latin1",
            "CREATE VIEW sound AS SELECT a FROM t",
            "CREATE VIEW broken AS SELECT a FROM gone",
            "DROP TABLE gone",
            "SET NAMES utf8mb4",
        ],
        findings: &[("programs", ""), ("unreadable", "broken")],
        after: &[("SELECT COUNT(*) FROM sound", "0")],
        ..CASE
    },
    Case {
        name: "histogram",
        on: is_mysql_8_or_later,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "INSERT INTO t VALUES (1, 'é'), (2, 'e')",
            "ANALYZE TABLE t UPDATE HISTOGRAM ON a WITH 7 BUCKETS",
        ],
        after: &[("SELECT COUNT(*) FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = DATABASE()", "1")],
        ..CASE
    },
    Case {
        name: "histogram_type",
        on: |lab| lab.server.flavour() == Flavour::MariaDb && version(lab) >= Version::new(10, 8, 0),
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20))",
            "INSERT INTO t VALUES (1, 'é', 'x'), (2, 'e', 'y'), (3, 'f', 'y')",
            "SET SESSION histogram_type = JSON_HB, histogram_size = 100",
            "ANALYZE TABLE t PERSISTENT FOR COLUMNS (a) INDEXES ()",
            "SET SESSION histogram_type = SINGLE_PREC_HB, histogram_size = 50",
            "ANALYZE TABLE t PERSISTENT FOR COLUMNS (b) INDEXES ()",
        ],
        after: &[(
            "SELECT GROUP_CONCAT(hist_type, IF(hist_type = 'JSON_HB', '', hist_size) ORDER BY column_name) FROM mysql.column_stats \
             WHERE db_name = DATABASE() AND column_name <> 'id'",
            "JSON_HB,SINGLE_PREC_HB50",
        )],
        ..CASE
    },
    Case {
        name: "histogram_updated_by_analyze",
        on: has_updated_histograms,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
            "INSERT INTO t VALUES (1, 'é'), (2, 'x')",
            "ANALYZE TABLE t UPDATE HISTOGRAM ON a WITH 7 BUCKETS AUTO UPDATE",
        ],
        after: &[(
            "SELECT JSON_EXTRACT(HISTOGRAM, '$.\"auto-update\"') FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = DATABASE()",
            "true",
        )],
        ..CASE
    },
    Case {
        name: "long_unique_key",
        on: has_hash_keys,
        statements: &[
            "CREATE TABLE h (id INT PRIMARY KEY, a TEXT, UNIQUE KEY u (a))",
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(1000), UNIQUE KEY u (a))",
            "INSERT INTO h VALUES (1, CONCAT(REPEAT('é', 900), 'x')), (2, CONCAT(REPEAT('é', 900), 'y'))",
            "INSERT INTO t SELECT id, a FROM h",
        ],
        findings: &[("key-length", "t: u")],
        after: &[
            (
                "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'u' \
                 AND INDEX_TYPE = 'HASH' AND SUB_PART IS NULL",
                "2",
            ),
            ("SELECT COUNT(*) FROM t", "2"),
        ],
        ..CASE
    },
    Case {
        name: "long_unique_key_of_a_foreign_key",
        on: has_hash_keys,
        statements: &[
            "CREATE TABLE p (k VARCHAR(1000) NOT NULL, UNIQUE KEY u (k))",
            "CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(1000), KEY (k), CONSTRAINT f FOREIGN KEY (k) REFERENCES p (k))",
            "INSERT INTO p VALUES ('a')",
            "INSERT INTO c VALUES (1, 'a')",
        ],
        findings: &[("key-length", "p: u"), ("key-length", "c: k")],
        after: &[(
            "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()",
            "1",
        )],
        ..CASE
    },
    Case {
        name: "generated_collations",
        on: takes_no_generated_collation,
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE latin1_swedish_ci, g VARCHAR(30) AS (CONCAT(a, 'x')) STORED) \
             COLLATE latin1_bin",
            "ALTER TABLE t DEFAULT CHARACTER SET latin1 COLLATE latin1_swedish_ci, ADD h VARCHAR(30) AS (CONCAT(a, 'y')) STORED",
            "CREATE TABLE twin (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(30) AS (CONCAT(a, 'x')) STORED, \
             h VARCHAR(30) AS (CONCAT(a, 'y')) STORED)",
            "INSERT INTO t (id, a) VALUES (1, 'ü')",
            "INSERT INTO twin (id, a) VALUES (1, 'ü')",
        ],
        findings: &[("server-fault", "t")],
        after: &[
            ("SELECT HEX(CONVERT(CONCAT(g, h) USING utf8mb4)) FROM twin", "C3BC78C3BC79"),
            (
                "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND CHARACTER_SET_NAME = 'latin1'",
                "3",
            ),
        ],
        ..CASE
    },
];
