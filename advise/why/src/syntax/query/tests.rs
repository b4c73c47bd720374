use super::super::ExprKind;
use super::*;

fn shown(text: &str) -> Vec<String> {
    let parsed = parse_statement(text);
    let mut found = Vec::new();
    for block in &parsed.blocks {
        for top in block.items.iter().map(|item| &item.expression).chain(&block.conditions) {
            top.walk(&mut |expression| {
                if matches!(
                    expression.kind,
                    ExprKind::Compare { .. }
                        | ExprKind::Among { .. }
                        | ExprKind::AmongRows { .. }
                        | ExprKind::Call { .. }
                ) {
                    found.push(text[expression.span.clone()].to_owned());
                }
            });
        }
    }
    found
}

#[test]
fn finds_comparisons_in_every_clause() {
    assert_eq!(
        shown(
            "SELECT CONCAT(a, 'x') AS y FROM t JOIN u ON t.a = u.a AND t.b <=> u.b WHERE NOT a LIKE 'x%' AND c IN (1, 'z') ORDER BY a"
        ),
        ["CONCAT(a, 'x')", "t.a = u.a", "t.b <=> u.b", "a LIKE 'x%'", "c IN (1, 'z')"]
    );
    assert_eq!(
        shown("UPDATE t JOIN u USING (a) SET t.b = REPLACE(b, 'x', '') WHERE u.c > 'a' COLLATE utf8_bin"),
        ["REPLACE(b, 'x', '')", "u.c > 'a' COLLATE utf8_bin"]
    );
}

/// The expected trees are those of MySQL 9.7 and MariaDB 11.8.
#[test]
fn operators_bind_as_on_servers() {
    assert_eq!(shown("SELECT 1 FROM t WHERE a = b && c = d || e = f"), ["a = b", "c = d", "e = f"]);
    assert_eq!(shown("SELECT 1 FROM t WHERE ! a = b"), ["! a = b"]);
    assert_eq!(shown("SELECT 1 FROM t WHERE d->>'$.a' COLLATE utf8mb4_bin = k")[0], "d->>'$.a'");
}

#[test]
fn operands_end_where_servers_end_them() {
    let last = |text: &str| shown(text).pop();
    assert_eq!(last("SELECT 1 FROM t WHERE a > NOW() - INTERVAL (n) DAY AND k = 'x'").unwrap(), "k = 'x'");
    assert_eq!(shown("SELECT 1 FROM t WHERE INTERVAL(a, 1, 2) AND k = 'x'"), ["INTERVAL(a, 1, 2)", "k = 'x'"]);
    assert_eq!(last("SELECT 1 FROM t WHERE k = DEFAULT(k) AND n = m").unwrap(), "n = m");
    assert_eq!(last("SELECT 1 FROM t WHERE a = _utf8mb4 0x41 AND b = c").unwrap(), "b = c");
    let parsed = parse_statement("SELECT n 'x', N'y' FROM t");
    let kinds: Vec<&ExprKind> = parsed.blocks[0].items.iter().map(|item| &item.expression.kind).collect();
    assert_eq!(kinds, [&ExprKind::Name(vec!["n".into()]), &ExprKind::Text { introduced: true }]);
}

#[test]
fn on_duplicate_key_belongs_to_the_insert() {
    let text = "INSERT INTO a (x) SELECT b.x FROM b ON DUPLICATE KEY UPDATE a.x = IF(a.k = b.k, 1, b.x)";
    let parsed = parse_statement(text);
    let aliases: Vec<&str> = parsed.blocks[0].tables.iter().map(|table| table.alias.as_str()).collect();
    assert_eq!((aliases, parsed.blocks[0].conditions.len()), (vec!["a", "b"], 1));
    assert_eq!(
        (parsed.blocks[1].conditions.len(), shown(text)),
        (0, vec!["a.k = b.k".into(), "IF(a.k = b.k, 1, b.x)".into()])
    );
}

#[test]
fn keeps_tables_with_aliases() {
    let text = "WITH w AS (SELECT 1 x) SELECT * FROM shop.t AS a LEFT JOIN (SELECT b FROM u) d ON a.b = d.b, JSON_TABLE('[]', '$[*]' COLUMNS (c INT PATH '$')) j, w";
    let parsed = parse_statement(text);
    let outer = parsed.blocks.iter().find(|block| block.tables.len() == 4).unwrap();
    let aliases: Vec<&str> = outer.tables.iter().map(|table| table.alias.as_str()).collect();
    assert_eq!(aliases, ["a", "d", "j", "w"]);
    assert_eq!(&text[outer.with.clone().unwrap()], "WITH w AS (SELECT 1 x)");
    assert!(matches!(outer.tables[1].kind, TableKind::Derived(ref blocks) if blocks.len() == 1));
}

#[test]
fn changed_tables_are_named() {
    let block = |text: &str| parse_statement(text).blocks.swap_remove(0);
    let joined = |names: &[Vec<String>]| names.iter().map(|one| one.join(".")).collect::<Vec<_>>().join(" ");
    let update = block("UPDATE t a JOIN s.u b USING (id) SET a.x = b.x, `s`.u.y = 'z', w = x = y WHERE a.q = 1");
    assert_eq!(joined(&update.assigned), "a.x s.u.y w");
    let cases = [
        ("DELETE a, s.b FROM t a JOIN s.b USING (id) WHERE a.x = 1", "a s.b", 2),
        ("DELETE QUICK a.* FROM t AS a, u", "a", 2),
        ("DELETE FROM a, b USING a JOIN b ON a.x = b.x", "a b", 2),
        ("DELETE FROM t WHERE x = 1", "", 1),
    ];
    for (text, deleted, tables) in cases {
        assert_eq!((joined(&block(text).deleted), block(text).tables.len()), (deleted.to_owned(), tables), "{text}");
    }
}

#[test]
fn unions_list_their_branches() {
    let parsed = parse_statement("(SELECT a FROM t) UNION ALL SELECT b FROM u WHERE b = 'x' LIMIT 2");
    assert_eq!(parsed.unions, [vec![0, 1]]);
    assert_eq!(parsed.blocks[1].conditions.len(), 1);
}

#[test]
fn long_chains_keep_all_their_comparisons() {
    let or = vec!["a = 'x'"; 20_000].join(" OR ");
    let parsed = parse_statement(&format!("SELECT 1 FROM t WHERE {or} ORDER BY b"));
    assert_eq!(parsed.blocks[0].conditions[0].children().len(), 20_000);
    assert_eq!(parsed.blocks[0].orders.len(), 1);
}

/// Every rule that calls itself, and every loop that makes an expression deeper.
#[test]
fn depth_exhausts_no_stack() {
    let cases = [
        ("SELECT * FROM ", "(", "t", ")", " WHERE s = 'b'"),
        ("SELECT * FROM t JOIN ", "(u JOIN ", "v", ")", ""),
        ("SELECT * FROM ", "LATERAL (", "t", ")", ""),
        ("SELECT * FROM ", "(SELECT * FROM ", "t", ") x", ""),
        ("SELECT ", "(SELECT ", "1", ")", ""),
        ("SELECT ", "(", "s", ")", " FROM t"),
        ("", "(", "SELECT 1", ")", ""),
        ("", "(SELECT 1 UNION ", "SELECT 1", ")", ""),
        ("", "WITH x AS (", "SELECT 1", ") SELECT 1", ""),
        ("SELECT s", " COLLATE utf8mb4_bin", "", "", " FROM t"),
        ("SELECT s", "->'$.a'", "", "", " FROM t"),
        ("SELECT s", " = 'a'", "", "", " FROM t"),
        ("SELECT s", " IS NULL", "", "", " FROM t"),
        ("SELECT s", " LIKE 'a'", "", "", " FROM t"),
        ("SELECT s", " IN (1)", "", "", " FROM t"),
        ("SELECT s", " MEMBER OF (1)", "", "", " FROM t"),
        ("SELECT s", " BETWEEN 1 AND 2", "", "", " FROM t"),
        ("SELECT s", " + 1", "", "", " FROM t"),
        ("SELECT s", " + 1 * 2 || 3 AND 4", "", "", " FROM t"),
        ("SELECT s", " SOUNDS LIKE 'a' COLLATE b", "", "", " FROM t"),
        ("SELECT ", "((", "s", ") COLLATE a COLLATE b = 'a' = 'b')", " FROM t"),
        ("SELECT ", "- ", "1", "", ""),
        ("SELECT ", "NOT ", "1", "", ""),
        ("SELECT ", "BINARY ", "1", "", ""),
        ("SELECT ", "EXISTS (", "SELECT 1", ")", ""),
        ("SELECT ", "EXISTS ", "(SELECT 1)", "", ""),
        ("SELECT ", "INTERVAL ", "1", " DAY", ""),
        ("SELECT ", "f(", "1", ")", ""),
        ("SELECT ", "CONVERT(", "1", " USING utf8)", ""),
        ("SELECT ", "POSITION(", "1", " IN 'a')", ""),
        ("SELECT ", "CASE WHEN s = 'a' THEN ", "1", " END", ""),
        ("SELECT 1 WHERE a", " AND NOT b", "", "", ""),
        ("INSERT INTO t VALUES ", "(", "1", ")", ""),
        ("UPDATE ", "(", "t", ")", " SET a = 1"),
        ("DELETE t FROM ", "(", "t", ")", ""),
        ("CREATE VIEW v AS ", "(", "SELECT 1", ")", ""),
    ];
    for (begin, open, inner, close, end) in cases {
        for count in [120, 20_000] {
            let text = format!("{begin}{}{inner}{}{end}", open.repeat(count), close.repeat(count));
            let mut expressions = 0_usize;
            for block in parse_statement(&text).blocks {
                for top in block.items.iter().map(|item| &item.expression).chain(&block.conditions) {
                    top.walk(&mut |_| expressions += 1);
                }
                drop(block.clone());
            }
        }
    }
    for (open, close) in [("BEGIN ", " END;"), ("IF 1 THEN ", " END IF;"), ("l: LOOP ", " END LOOP;"), ("IF (", ")")] {
        let text = format!("CREATE PROCEDURE p() {}SELECT 1;{}", open.repeat(20_000), close.repeat(20_000));
        assert!(super::super::parse_program(&text).is_some());
    }
}

#[test]
fn survives_any_prefix_of_a_statement() {
    let text = "SELECT a, CASE WHEN b = 'x' THEN (SELECT 1 FROM (t)) ELSE c END FROM t JOIN (u) USING (a) WHERE x BETWEEN 'a' AND 'b' GROUP BY 1";
    for end in 0..=text.len() {
        parse_statement(&text[..end]);
    }
}

#[test]
fn long_statements_are_not_parsed() {
    let list = |literals: usize| format!("SELECT a FROM t WHERE a IN ({}'')", "'',".repeat(literals));
    assert_eq!(parse_statement(&list(100)).blocks.len(), 1);
    assert_eq!(parse_statement(&list(MAX_PARSED_BYTES / 3)), Statement::default());
    let program = format!("CREATE PROCEDURE p() BEGIN {} END", list(MAX_PARSED_BYTES / 3));
    assert!(crate::syntax::parse_program(&program).is_none());
}
