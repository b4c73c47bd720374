use proptest::prelude::*;

use super::*;

const ROUTINES: [&str; 2] = ["own", "change"];

fn scope(text: &str) -> Result<(), OutOfScope> {
    check_scope(text, SqlMode::default(), &ROUTINES.map(str::to_owned).into())
}

fn definition(text: &str) -> Result<(), OutOfScope> {
    check_definition(text, &ROUTINES.map(str::to_owned).into())
}

#[test]
fn accepts_statements_of_the_schema() {
    for text in [
        "SELECT a.id, b.*, COUNT(*), IF(a.x > 1, 'y', \"z\"), CONVERT(a.x USING latin1) FROM a, b AS c JOIN (d e, f) ON a.id = f.id WHERE b.x IN (1, 2)",
        "SELECT /*!40001 SQL_NO_CACHE */ STRAIGHT_JOIN a.id FROM a FORCE INDEX FOR ORDER BY (k) LEFT JOIN b USING (id, x) ORDER BY a.id LIMIT 1, 2",
        "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT x.n + 1 FROM x), y AS (SELECT 2) SELECT x.n FROM x JOIN y ON x.n = y.n",
        "SELECT TRIM(BOTH 'x' FROM a.b), EXTRACT(YEAR FROM a.d), SUBSTRING(a.b FROM 2) FROM a FOR UPDATE",
        "SELECT COUNT(*) OVER (PARTITION BY t.a ORDER BY t.b), ROW_NUMBER() OVER w FROM t WINDOW w AS (ORDER BY t.a)",
        "SELECT d.x FROM (SELECT t.a AS x FROM t GROUP BY t.a WITH ROLLUP HAVING x > 1) AS d, LATERAL (SELECT d.x) l",
        "SELECT j.x FROM t, JSON_TABLE(t.doc, '$[*]' COLUMNS (x INT PATH '$.x')) j WHERE t.doc->>'$.y' = own(t.id)",
        "SELECT MATCH (t.a, t.b) AGAINST ('x' WITH QUERY EXPANSION), CAST(t.a AS CHAR(10)) COLLATE utf8mb4_bin FROM t",
        "(SELECT a FROM t) UNION (SELECT b FROM u LOCK IN SHARE MODE)",
        "INSERT IGNORE INTO t (a, b) VALUES (1, NOW()), (2, DEFAULT(b)) AS new (x, y) ON DUPLICATE KEY UPDATE a = VALUES(a), b = t.b + 1",
        "INSERT INTO t PARTITION (p0) SET a = 1",
        "INSERT t SELECT u.* FROM u WHERE u.a NOT BETWEEN 1 AND 2",
        "REPLACE t VALUES (REPLACE('a', 'b', 'c'))",
        "UPDATE LOW_PRIORITY t JOIN u ON t.id = u.id SET t.a = u.a, u.b = INSERT(t.a, 1, 2, 'x') WHERE u.c IS NULL",
        "DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 3",
        "DELETE t, u.* FROM t JOIN u ON t.a = u.a",
        "DELETE FROM t USING t JOIN u WHERE t.a = u.a",
        "TABLE t",
        "VALUES ROW(1, 2), ROW(3, 4)",
        "SELECT a.from, a.table FROM a",
        "SELECT 1 FROM dual WHERE EXISTS (SELECT 1 FROM t x WHERE x.a = ANY (SELECT y.b FROM u y))",
        "SELECT 'a\x7fb\x01' AS `c\x7f`\r\n\tFROM t",
        "SELECT DATE '2020-01-01' + INTERVAL 1 DAY, {d '2020-01-01'}, :p FROM t",
    ] {
        assert_eq!(scope(text), Ok(()), "{text}");
    }
}

#[test]
fn refuses_statements_that_leave_the_schema() {
    for text in [
        "SELECT 'x' INTO /*!50000 OUTFILE '/tmp/x' */ FROM t",
        "SELECT a INTO @x FROM t",
        "SELECT a FROM t INTO DUMPFILE 'x'",
        "UPDATE t JOIN (other.t o) SET o.a = 8",
        "DELETE o FROM t JOIN (other.t o)",
        "DELETE other.t FROM t JOIN other.t",
        "DELETE t.*, other.t.* FROM t JOIN u",
        "INSERT INTO t SELECT a, 1 FROM (other.t)",
        "INSERT /*!50000 INTO other.log */ SELECT 1",
        "INSERT INTO other.t VALUES (1)",
        "REPLACE other.t VALUES (1)",
        "SELECT k FROM t PARTITION (p0), other.t",
        "SELECT k FROM t a JOIN t b USING (id), other.t",
        "SELECT k FROM t a JOIN t b ON a.id = b.id, other.t",
        "SELECT k FROM t offset, other.t",
        "SELECT k FROM t window, other.t",
        "SELECT k FROM t USE INDEX FOR ORDER BY (k), other.t",
        "SELECT k FROM t FOR SYSTEM_TIME AS OF NOW(), other.t",
        "SELECT k FROM t other, other.t",
        "SELECT k FROM t AS other JOIN other.t",
        "SELECT k FROM `t` `other`, `other` . `t`",
        "SELECT k FROM other.1t",
        "SELECT k FROM t, other.1t",
        "SELECT k FROM { OJ other.t LEFT JOIN t ON 1 }",
        "SELECT (SELECT k FROM other.t) FROM t",
        "SELECT TRIM((SELECT k FROM other.t)) FROM t",
        "SELECT 1 FROM t WHERE a IN (TABLE other.t)",
        "TABLE other.t",
        "SELECT other.t.k FROM t",
        "SELECT other.k FROM t",
        "SELECT NEXTVAL(other.s) FROM t",
        "SELECT NEXT VALUE FOR other.s FROM t",
        "SELECT other.f() FROM t",
        "SELECT LOAD_FILE('/etc/passwd') FROM t",
        "SELECT `sleep`(100) FROM t",
        "SELECT sys_exec('id') FROM t",
        "SELECT BENCHMARK(1e9, 1) FROM t",
        "SELECT 1 FROM seq(1)",
        "SELECT 1; DROP TABLE t",
        "SELECT /*!50000 1 FROM other.t -- */\n*/ 2",
        "SELECT /*+ QB_NAME(`a*/`) */ 1 FROM t",
        "SELECT 1 FROM t PROCEDURE ANALYSE()",
        "WITH x AS (SELECT 1) SELECT 1 FROM other.x",
        "SELECT 1 FROM t WHERE a = (1",
        "/*!80000 SELECT 1 FROM t */ DROP DATABASE other",
        "/*!80000 SELECT a FROM t ORDER BY a, */ SET PASSWORD = 'x'",
        "(/*!80000 SELECT 1 FROM t) UNION ( */ DELETE FROM t)",
        "UPDATE t --\x7f' \n , other.t o SET o.k='owned' -- '",
        "UPDATE t --\x01' \n , other.t o SET o.k='owned' -- '",
        "SELECT 1 -- \0 FROM other.t",
        "SELECT 1 /* \x0b */",
        "SELECT\x0c1",
        "UPDATE t JOIN (SELECT 'x' /*!999999 /* */ ' */ AS k) y JOIN other.t o SET o.k='owned' -- ' AS k) y SET t.k='z'",
        "SELECT 1 /*M!999999 /* */ FROM other.t -- */",
    ] {
        assert!(scope(text).is_err(), "{text}");
    }
}

#[test]
fn accepts_definitions_of_dumps() {
    for text in [
        "CREATE TABLE `t` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `s` varchar(9) COLLATE utf8mb4_bin DEFAULT 'x' COMMENT 'a.b',\n  `c` varchar(9) /*M!100301 COMPRESSED*/ DEFAULT NULL,\n  \
         `g` int GENERATED ALWAYS AS (length(`s`)) VIRTUAL,\n  `at` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),\n  `u` binary(16) DEFAULT (uuid_to_bin(uuid())),\n  \
         PRIMARY KEY (`id`),\n  KEY `k` ((lower(`s`))) /*!80000 INVISIBLE */,\n  KEY `h` (`s`(5) DESC) USING BTREE,\n  CONSTRAINT `f` FOREIGN KEY (`id`) REFERENCES `u` (`id`) ON DELETE SET NULL ON UPDATE CASCADE,\n  \
         CONSTRAINT `c` CHECK (`id` > 0) /*!80016 NOT ENFORCED */\n) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci ROW_FORMAT=DYNAMIC COMMENT='x'\n\
         /*!50100 PARTITION BY RANGE (`id`)\n(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */",
        "create table if not exists b (id int primary key, engine text, type enum('a','b'), connection varchar(9))",
        "CREATE TABLE b LIKE a",
        "CREATE TABLE h (a int) ENGINE=InnoDB WITH SYSTEM VERSIONING",
        "CREATE UNIQUE INDEX i ON a (id)",
        "CREATE SEQUENCE s START WITH 1 INCREMENT BY 1 CACHE 10",
        "/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select `a`.`id` AS `id` from `a` where `a`.`x` = 1 WITH CASCADED CHECK OPTION */",
        "/*!50003 CREATE*/ /*!50017 DEFINER=root@localhost*/ /*!50003 TRIGGER x BEFORE UPDATE ON a FOR EACH ROW SET NEW.id = OLD.id + 1, @a = 1 */",
        "CREATE TRIGGER x AFTER INSERT ON a FOR EACH ROW FOLLOWS y BEGIN IF NEW.id > 1 THEN INSERT INTO log (a) VALUES (NEW.id); ELSE UPDATE b SET role = 1 WHERE b.id = NEW.id; END IF; CALL own(1); END",
        "CREATE PROCEDURE own(IN n INT, OUT m INT) READS SQL DATA BEGIN DECLARE done INT DEFAULT 0; DECLARE c CURSOR FOR SELECT a.id FROM a; \
         DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1; OPEN c; l: LOOP FETCH c INTO m; IF done THEN LEAVE l; END IF; \
         SELECT COUNT(*) INTO m FROM a WHERE CASE a.x WHEN 1 THEN 2 ELSE 3 END = n; END LOOP; CLOSE c; END",
        "CREATE FUNCTION f(s VARCHAR(9)) RETURNS INT DETERMINISTIC RETURN LENGTH(s)",
        "ALTER TABLE a ADD KEY k (x), ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES b (id)",
        "/*!40000 ALTER TABLE `a` DISABLE KEYS */",
        "INSERT INTO `a` VALUES (1,'x;y'),(2,NULL)",
    ] {
        assert_eq!(definition(text), Ok(()), "{text}");
    }
}

#[test]
fn refuses_definitions_that_leave_the_schema() {
    for text in [
        "ALTER DATABASE other CHARACTER SET utf8mb4",
        "ALTER TABLE t RENAME TO other.moved",
        "ALTER TABLE t ADD COLUMN q int, RENAME other.rn",
        "ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE r",
        "ALTER USER victim@localhost IDENTIFIED BY 'stolen'",
        "ALTER INSTANCE ROTATE INNODB MASTER KEY",
        "CREATE USER 'evil'@'%' /* table */",
        "CREATE /*!50000 USER evil@'%' */",
        "CREATE /*!50000 USER evil */ /*!999999 TABLE t9 (a int) */",
        "CREATE /*M!100000 USER evil */ /*!999999 TABLE t8 (a int) */",
        "CREATE USER evil, `table`",
        "CREATE OR REPLACE USER evil IDENTIFIED BY 'table x'",
        "CREATE ROLE evil, index_, `index`",
        "CREATE DATABASE x",
        "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x')",
        "CREATE DEFINER=root@localhost USER x",
        "CREATE DEFINER=sequence FUNCTION f() RETURNS INT BEGIN DELETE FROM other.t; RETURN 1; END",
        "CREATE DEFINER=event@localhost PROCEDURE p() DELETE FROM other.t",
        "CREATE DEFINER = view TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM other.t",
        "CREATE DEFINER/**/=/**/index FUNCTION f RETURNS STRING SONAME 'x.so'",
        "CREATE TABLE mg (a int) ENGINE=MERGE UNION=(other.t)",
        "CREATE TABLE mg (a int) ENGINE=MyISAM UNION=(t)",
        "CREATE TABLE f (a int) ENGINE=FEDERATED CONNECTION='mysql://x'",
        "CREATE TABLE f (a int) ENGINE FEDERATED",
        "CREATE TABLE f (a int) ENGINE='CONNECT' table_type=MYSQL",
        "CREATE TABLE d (a int) DATA DIRECTORY='/tmp'",
        "CREATE TABLE d (a int) PARTITION BY HASH(a) (PARTITION p DATA DIRECTORY '/tmp')",
        "CREATE TABLE d (a int) TABLESPACE x",
        "CREATE TABLE d (a int DEFAULT (nextval(other.s)))",
        "CREATE TABLE d (a text DEFAULT (load_file('/etc/passwd')))",
        "CREATE TABLE d (a text DEFAULT CONCAT('a', load_file('/etc/passwd')))",
        "CREATE TABLE d AS SELECT * FROM other.t",
        "CREATE TABLE d (a int) SELECT * FROM t",
        "CREATE TABLE d (a int REFERENCES other.t (a))",
        "CREATE TABLE other.d (a int)",
        "CREATE INDEX i ON other.log (a)",
        "CREATE VIEW v AS SELECT * FROM t, other.t",
        "CREATE VIEW other.v AS SELECT 1",
        "CREATE FUNCTION f RETURNS STRING SONAME 'x.so'",
        "CREATE FUNCTION f() RETURNS INT LANGUAGE JAVASCRIPT AS 'x'",
        "CREATE FUNCTION f() RETURNS INT BEGIN DELETE FROM other.t; RETURN 1; END",
        "CREATE FUNCTION f() RETURNS INT BEGIN CALL other.p(); RETURN 1; END",
        "CREATE FUNCTION f() RETURNS INT BEGIN CALL p(); RETURN 1; END",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW CALL other.p()",
        "CREATE TRIGGER g BEFORE INSERT ON other.t FOR EACH ROW SET @a = 1",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1, GLOBAL max_connections = 5",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET PASSWORD = 'x'",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @@global.x = 1",
        "CREATE PROCEDURE p() BEGIN PREPARE s FROM 'DROP DATABASE x'; EXECUTE s; END",
        "CREATE PROCEDURE p() EXECUTE IMMEDIATE 'x'",
        "CREATE PROCEDURE p() BEGIN IF 1 THEN STOP SLAVE; END IF; END",
        "CREATE PROCEDURE p() BEGIN SELECT 1 INTO OUTFILE '/tmp/x'; END",
        "CREATE PROCEDURE p() BEGIN IF 1 THEN DROP DATABASE x; END IF; END",
        "CREATE PROCEDURE p() BEGIN GRANT ALL ON *.* TO x; END",
        "INSERT INTO t SELECT * FROM (other.t)",
        "GRANT ALL ON x TO y",
        "CREATE OR REPLACE TABLE Weigh_Marker (run int)",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM `weigh_marker`",
        "/*!80000 CREATE TABLE t2 (a int) */ SET PASSWORD = 'x'",
        "/*!80000 CREATE TABLE t2 (a int) COMMENT */ DROP DATABASE other",
        "CREATE /*!80000 TABLE t2 (a int) PARTITION BY HASH (a) */ EVENT e ON SCHEDULE AT NOW() DO DROP DATABASE other",
        "CREATE PROCEDURE p() BEGIN IF 1 THEN RESTART; END IF; END",
        "CREATE TABLE u (a int, k varchar(90) DEFAULT 'x' /*!999999 /* */ ' */ ); UPDATE other.t SET k='owned' -- ' )",
        "CREATE TABLE u (a int --\x7f' \n ); UPDATE other.t SET k='owned' -- ' )",
    ] {
        assert!(definition(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_tokens_are_checked(words in prop::collection::vec(
        prop::sample::select(vec!["SELECT", "FROM", "JOIN", "t", ".", ",", "(", ")", "'x'", "1", "AS", "SET", "CREATE", "TABLE", "INTO", "/*!50100 ", "*/", "ON", ";"]), 0..25)) {
        let text = words.join(" ");
        let _ = (scope(&text), definition(&text));
    }
}

#[test]
fn columns_and_aliases_with_names_of_keywords_end_no_list_of_tables() {
    for text in [
        "SELECT s.User FROM t AS mysql JOIN t2 ON t2.all STRAIGHT_JOIN (mysql.user AS s)",
        "SELECT s.User FROM t AS mysql JOIN t2 ON sql_no_cache STRAIGHT_JOIN (mysql.user AS s)",
        "UPDATE t AS sec JOIN t2 ON t2.for JOIN (sec.s AS s) SET s.v = 7",
        "DELETE FROM t RETURNING sys_exec('id')",
        "DELETE FROM t RETURNING load_file('/etc/passwd')",
    ] {
        assert!(scope(text).is_err(), "{text}");
    }
    assert_eq!(scope("DELETE FROM t WHERE a = 1 RETURNING id, LOWER(a)"), Ok(()));
    assert_eq!(scope("SELECT 1 FROM a FORCE INDEX FOR JOIN (k) JOIN b ON a.id = b.id"), Ok(()));
}

#[test]
fn from_in_a_query_names_tables_also_behind_names_of_functions() {
    for text in [
        "INSERT INTO mid (SELECT a AS victim, 1 FROM victim.secret)",
        "INSERT INTO trim ((SELECT 1, 2) UNION SELECT a AS victim, 1 FROM victim.secret)",
        "REPLACE INTO extract (WITH x AS (SELECT 1) SELECT a AS victim FROM victim.secret)",
        "INSERT INTO t SELECT 1 FROM t AS victim WHERE a IN (SELECT MID (SELECT a FROM victim.secret))",
        "SELECT a AS victim FROM t WHERE victim.secret = 1",
    ] {
        assert!(scope(text).is_err(), "{text}");
    }
    for text in [
        "SELECT TRIM(LEADING 'x' FROM (SELECT u.a FROM u LIMIT 1)) FROM t",
        "INSERT INTO t (SELECT MID(a FROM 2 FOR 1) FROM u)",
    ] {
        assert_eq!(scope(text), Ok(()), "{text}");
    }
}

#[test]
fn only_clauses_end_a_list_of_tables() {
    for text in [
        "SELECT a FROM t AS victim JOIN t u ON VALUES(id) IS NULL, victim.secret",
        "UPDATE t AS victim JOIN t u ON VALUES(id) IS NULL, victim.secret SET a = 666",
        "DELETE s FROM t AS victim JOIN t u ON VALUES(id) IS NULL, victim.secret AS s",
        "SELECT victim.a FROM t AS victim JOIN u AS `where` ON where.id = 1, victim.secret",
        "SELECT victim.a FROM t AS victim JOIN u AS `select` ON select . id = 1, victim.secret",
        "SELECT victim.a FROM (t AS victim JOIN u AS `order` ON order.id = 1, victim.secret)",
        "SELECT a FROM t AS victim, u AS `from` WHERE from.a = 1",
        "SELECT a FROM .t",
        "SELECT a FROM t WHERE .t.a = 1",
        "SELECT a FROM t QUALIFY sleep(5)",
        "SELECT a FROM t x LOAD_FILE('/etc/passwd')",
    ] {
        assert!(scope(text).is_err(), "{text}");
    }
    for text in [
        "INSERT INTO t (a, b) SELECT u.a, u.b FROM u ON DUPLICATE KEY UPDATE a = VALUES(a), b = u.b + 1",
        "INSERT INTO t SELECT u.a FROM u JOIN v ON u.a = v.a ON DUPLICATE KEY UPDATE a = VALUES(a), b = v.b",
        "SELECT x.a FROM t FOR SYSTEM_TIME AS OF NOW() AS x",
        "SELECT a FROM t JOIN u ON t.a = u.a UNION VALUES ROW(1)",
    ] {
        assert_eq!(scope(text), Ok(()), "{text}");
    }
}

#[test]
fn numbers_that_servers_skip_or_read_as_names_are_refused() {
    let definitions = |expression: &str| {
        [
            format!("CREATE VIEW v AS SELECT {expression}"),
            format!("CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = {expression}"),
            format!("CREATE TABLE d (a INT DEFAULT ({expression}))"),
        ]
    };
    for expression in ["load_file 1.e('x')", "victim 1.e.own 1.e()", "sleep .1E+(1)", "victim.1()", "sleep 1.1e-(1)"] {
        let text = format!("SELECT {expression} FROM t e");
        assert!(check_scope(&text, SqlMode::default(), &HashSet::from(["e".to_owned()])).is_err(), "{text}");
        for text in definitions(expression) {
            assert!(check_definition(&text, &HashSet::from(["e".to_owned()])).is_err(), "{text}");
        }
    }
    assert_eq!(scope("SELECT 1., .5, 1.5e-3, 1.e5 x FROM t1 WHERE a>.5 LIMIT 1,2"), Ok(()));
}

/// Wraps a statement in every place where a statement can begin.
fn bodies(statement: &str) -> Vec<String> {
    [
        "CREATE PROCEDURE p() @",
        "CREATE PROCEDURE p(IN s VARCHAR(9) CHARACTER SET latin1) SQL SECURITY INVOKER @",
        "CREATE PROCEDURE p() COMMENT 'x' LANGUAGE SQL NOT DETERMINISTIC MODIFIES SQL DATA @",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW @",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW PRECEDES h @",
        "CREATE PROCEDURE p() BEGIN @; END",
        "CREATE PROCEDURE p() BEGIN SELECT 1; @; END",
        "CREATE PROCEDURE p() BEGIN NOT ATOMIC @; END",
        "CREATE PROCEDURE p() l: BEGIN @; END l",
        "CREATE PROCEDURE p() l:BEGIN @; END",
        "CREATE PROCEDURE p() IF 1 THEN @; END IF",
        "CREATE PROCEDURE p() IF CASE 1 WHEN 1 THEN 2 ELSE 3 END THEN @; END IF",
        "CREATE PROCEDURE p() IF 0 THEN SELECT 1; ELSE @; END IF",
        "CREATE PROCEDURE p() IF 0 THEN SELECT 1; ELSEIF 1 THEN @; END IF",
        "CREATE PROCEDURE p() CASE 1 WHEN 1 THEN @; END CASE",
        "CREATE PROCEDURE p() CASE WHEN 1 THEN SELECT 1; ELSE @; END CASE",
        "CREATE PROCEDURE p() WHILE 1 DO @; END WHILE",
        "CREATE PROCEDURE p() l:LOOP @; END LOOP l",
        "CREATE PROCEDURE p() REPEAT @; UNTIL 1 END REPEAT",
        "CREATE PROCEDURE p() FOR i IN 1..2 DO @; END FOR",
        "CREATE PROCEDURE p() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION @; END",
        "CREATE PROCEDURE p() BEGIN DECLARE EXIT HANDLER FOR NOT FOUND, SQLWARNING @; END",
        "CREATE PROCEDURE p() BEGIN DECLARE CONTINUE HANDLER FOR 1051, SQLSTATE VALUE '42000' @; END",
        "CREATE PROCEDURE p() BEGIN DECLARE after CONDITION FOR SQLSTATE '45000'; DECLARE EXIT HANDLER FOR after @; END",
        "CREATE PROCEDURE p() BEGIN DECLARE `end` CONDITION FOR 1051; DECLARE EXIT HANDLER FOR end @; END",
    ]
    .map(|body| body.replace('@', statement))
    .into()
}

#[test]
fn every_statement_of_a_program_is_checked() {
    for statement in [
        "SELECT u.a FROM t AS u",
        "BEGIN END",
        "UPDATE t JOIN u ON t.a = u.a SET t.a = 1, u.b = u.end WHERE t.a = CASE u.b WHEN 1 THEN 2 ELSE 3 END",
        "INSERT INTO t SET a = 1",
        "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x', MYSQL_ERRNO = 5",
        "SET @a = 1, @b := (SELECT COUNT(*), 2 FROM t)",
        "SET foreign_key_checks = 0",
        "DO LENGTH('x')",
        "IF 1 THEN SELECT 1; ELSE SELECT 2; END IF",
        "CALL own(1)",
        "GET DIAGNOSTICS @n = NUMBER",
    ] {
        for text in bodies(statement) {
            // Servers refuse `DO DO` of a column `do`, and so does the check.
            if !text.contains("DO DO") {
                assert_eq!(definition(&text), Ok(()), "{text}");
            }
        }
    }
    for statement in [
        "SET GLOBAL max_connections = 77",
        "SET SESSION sql_log_bin = 0",
        "SET sql_log_bin = 0",
        "SET @a = 1, GLOBAL max_connections = 77",
        "SET @@global.max_connections = 77",
        "SET PASSWORD = 'x'",
        "SET NAMES gbk",
        "SET default.key_buffer_size = 1",
        "SET STATEMENT max_statement_time = 1 FOR SELECT 1",
        "SET ROLE x",
        "SHOW GRANTS",
        "HANDLER victim.secret OPEN",
        "COMMIT",
        "EXPLAIN SELECT 1",
        "FLUSH PRIVILEGES",
        "DELETE FROM victim.secret",
        "UPDATE (u AS victim, victim.secret AS s) SET s.a = 667",
        "INSERT /*+ QB_NAME(x) */ INTO victim.secret VALUES ((SELECT 1 FROM t AS victim))",
        "SELECT 1; SET GLOBAL max_connections = 77",
        "IF 1 THEN SET GLOBAL max_connections = 77; END IF",
        "l: SET GLOBAL max_connections = 77",
        "CALL other()",
        "x",
        "",
    ] {
        for text in bodies(statement) {
            assert!(definition(&text).is_err(), "{text}");
        }
    }
}

/// A server assigns the session's setting where no variable of the name is known.
#[test]
fn variables_are_known_up_to_the_end_of_their_block() {
    let check = |body: &str| definition(&format!("CREATE PROCEDURE p(autocommit_ INT) {body}"));
    for body in [
        "BEGIN DECLARE autocommit INT; SET autocommit = 0; END",
        "BEGIN DECLARE autocommit INT; BEGIN DECLARE x INT; SET autocommit = 0; END; SET autocommit = 1; END",
        "BEGIN DECLARE autocommit INT; BEGIN DECLARE autocommit INT; END; SET autocommit = 0; END",
        "BEGIN DECLARE autocommit INT; IF 1 THEN SET autocommit = 0; END IF; SET autocommit = 1; END",
        "BEGIN FOR autocommit IN 1..2 DO SET autocommit = 0; END FOR; SET autocommit_ = 1; END",
    ] {
        assert_eq!(check(body), Ok(()), "{body}");
    }
    for body in [
        "BEGIN BEGIN DECLARE autocommit INT; END; SET autocommit = 0; END",
        "IF 1 THEN BEGIN DECLARE autocommit INT; END; ELSE SET autocommit = 0; END IF",
        "BEGIN FOR autocommit IN 1..2 DO SELECT 1; END FOR; SET autocommit = 0; END",
        "BEGIN DECLARE CONTINUE HANDLER FOR 1051 BEGIN DECLARE autocommit INT; END; SET autocommit = 0; END",
        "BEGIN DECLARE autocommit CONDITION FOR 1051; SET autocommit = 0; END",
        "BEGIN DECLARE autocommit CURSOR FOR SELECT 1; SET autocommit = 0; END",
    ] {
        assert!(check(body).is_err(), "{body}");
    }
}

#[test]
fn names_of_keywords_hide_no_statement_of_a_program() {
    for body in [
        "WHILE 1 + do DO SET GLOBAL max_connections = 7; END WHILE",
        "IF case.a THEN SET GLOBAL max_connections = 7; END IF",
        "IF then.a THEN SHOW GRANTS; END IF",
        "IF CASE WHEN end THEN (SELECT 1) ELSE (SELECT 1) END THEN SET GLOBAL max_connections = 7; END IF",
        "IF (SELECT CASE WHEN end THEN 1 END) THEN SHOW GRANTS; END IF",
        "REPEAT SELECT 1; UNTIL end END REPEAT SET GLOBAL max_connections = 7",
        "BEGIN END SET GLOBAL max_connections = 7",
        "BEGIN SELECT 1 END",
        "BEGIN SELECT 1; END; SET GLOBAL max_connections = 7",
        "BEGIN IF 1 THEN SELECT 1; END; END IF",
        "BEGIN DECLARE CONTINUE HANDLER FOR SET GLOBAL max_connections = 7; END",
        "BEGIN DECLARE x INT DEFAULT 1 SET GLOBAL max_connections = 7; END",
        "BEGIN DECLARE x CONDITION FOR 1051 SET GLOBAL max_connections = 7; END",
        "BEGIN DECLARE c CURSOR FOR SHOW GRANTS; END",
        "BEGIN DECLARE password INT; SET PASSWORD = 'x'; END",
        "SELECT 1 FROM t WHERE a = 1 THEN SET GLOBAL max_connections = 7",
        "UPDATE t SET a = 1 SET GLOBAL max_connections = 7",
        "SIGNAL x SET GLOBAL max_connections = 7",
        "SELECT ?",
    ] {
        let text = format!("CREATE PROCEDURE p() {body}");
        assert!(definition(&text).is_err(), "{text}");
    }
}

#[test]
fn says_which_word_of_a_program_is_missing() {
    for (body, reason) in [
        ("BEGIN IF a; END IF; END", "THEN is missing before ;"),
        ("WHILE a; END WHILE", "DO is missing before ;"),
        ("CASE a; END CASE", "WHEN is missing before ;"),
        ("IF (a; THEN SELECT 1; END IF", "a parenthesis is not closed"),
        ("IF a", "THEN is missing"),
        ("REPEAT SET @a = 1; END REPEAT", "REPEAT without UNTIL"),
        ("BEGIN DECLARE c CONDITION FOR ; END", "an error code, SQLSTATE or a condition's name is missing"),
        ("BEGIN ELSE SELECT 1; END", "ELSE outside of its block"),
    ] {
        assert_eq!(definition(&format!("CREATE PROCEDURE p() {body}")).unwrap_err().reason, reason, "{body}");
    }
}

#[test]
fn heads_of_programs_are_read_by_their_grammar() {
    for text in [
        "CREATE TRIGGER after BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
        "CREATE TRIGGER IF NOT EXISTS g AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW BEGIN END",
        "CREATE FUNCTION IF NOT EXISTS f(a SET('x','y'), `b c` DECIMAL(9,2)) RETURNS SET('x','y') CHARSET utf8 COLLATE utf8_bin NO SQL RETURN a",
        "CREATE FUNCTION f() RETURNS CHAR CHAR SET latin1 SQL SECURITY DEFINER RETURN 'x'",
        "CREATE FUNCTION f() RETURNS DOUBLE PRECISION UNSIGNED RETURN 1",
        "CREATE PROCEDURE p(a INT) BEGIN DECLARE b, c VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT 'x'; SET a = 1, b = CONCAT(c, a); END",
        "CREATE PROCEDURE p() FOR r IN (SELECT t.a FROM t) DO INSERT INTO u VALUES (r.a); END FOR",
    ] {
        assert_eq!(definition(text), Ok(()), "{text}");
    }
    for text in [
        "CREATE PROCEDURE p() SQL SECURITY INVOKER SET GLOBAL max_connections = 77",
        "CREATE PROCEDURE p() SHOW GRANTS",
        "CREATE FUNCTION f() RETURNS CHAR SET GLOBAL max_connections = 7",
        "CREATE FUNCTION f() RETURNS INT COMMENT SET GLOBAL max_connections = 7",
        "CREATE TRIGGER victim.g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
        "CREATE TRIGGER g BEFORE INSERT ON victim.t FOR EACH ROW SET NEW.a = 1",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW",
        "CREATE PROCEDURE victim.p() SELECT 1",
        "CREATE PROCEDURE p",
        "CREATE VIEW v AS UPDATE t SET a = 1",
        "CREATE INDEX i ON t ((load_file('/etc/passwd')))",
        "CREATE SEQUENCE s ENGINE=FEDERATED CONNECTION='mysql://x'",
    ] {
        assert!(definition(text).is_err(), "{text}");
    }
}

/// MySQL 5.6 to 9.7 or MariaDB 10.2 to 11.8 take each of these and read `victim.secret`.
#[test]
fn tables_after_any_condition_are_seen() {
    for condition in [
        "u.id = 1",
        "CONVERT(1, CHAR CHARACTER SET utf8) = 1",
        "DEFAULT(id) IS NULL",
        "VALUES(id) IS NULL",
        "VALUE(id) IS NULL",
        "MATCH (u.k) AGAINST ('x' WITH QUERY EXPANSION) OR 1",
        "(SELECT 1 FROM t WHERE 1 GROUP BY 1 ORDER BY 1 LIMIT 1)",
        "ROW(1,2) = ROW(1,2)",
        "INTERVAL 1 DAY + '2020-01-01'",
        "(u.id, 1) IN (VALUES ROW(1,1))",
        "CASE WHEN 1 THEN 2 END",
        "EXISTS (TABLE t)",
    ] {
        for text in [
            format!("SELECT s.k FROM t victim JOIN u ON {condition}, victim.secret s"),
            format!("SELECT s.k FROM (t victim JOIN u ON {condition}, victim.secret s)"),
            format!("UPDATE t victim JOIN u ON {condition}, victim.secret s SET s.k = 'x'"),
            format!("DELETE s FROM t victim JOIN u ON {condition}, victim.secret s"),
            format!("DELETE FROM s USING t victim JOIN u ON {condition}, victim.secret s"),
            format!("INSERT INTO t SELECT s.k FROM t victim JOIN u ON {condition}, victim.secret s"),
            format!("SELECT 1 FROM t WHERE t.a = (SELECT s.k FROM t victim JOIN u ON {condition}, victim.secret s)"),
        ] {
            assert!(scope(&text).is_err(), "{text}");
        }
        let text = format!("SELECT s.k FROM t AS v JOIN u ON {condition}, s");
        assert_eq!(scope(&text), Ok(()), "{text}");
    }
    for text in [
        "SELECT s.k FROM t victim USE INDEX (), victim.secret s",
        "SELECT s.k FROM t victim, LATERAL (SELECT 1) x, victim.secret s",
        "SELECT s.k FROM t victim JOIN JSON_TABLE('[1]', '$[*]' COLUMNS (c INT PATH '$' DEFAULT '1' ON EMPTY)) j, victim.secret s",
        "SELECT s.k FROM {OJ t victim LEFT JOIN u ON 1}, victim.secret s",
        "UPDATE t victim, u AS `set`, victim.secret s SET s.k = 'x'",
        "WITH x AS (TABLE victim.secret) SELECT * FROM x",
        "(TABLE victim.secret)",
        "VALUES ROW((TABLE victim.secret))",
        "SELECT * FROM ((t, victim.secret))",
        "INSERT INTO t (SELECT * FROM victim.secret) ON DUPLICATE KEY UPDATE a = 1",
        "INSERT INTO t TABLE victim.secret",
        "SELECT ascii .e('a')",
    ] {
        assert!(scope(text).is_err(), "{text}");
    }
}
