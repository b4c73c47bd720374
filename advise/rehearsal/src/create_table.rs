//! Parts of a `CREATE TABLE` as the servers print it.

use std::collections::BTreeMap;

use sql::ddl;

/// Splits a definition into columns, keys, constraints, options and partitions. Character sets and
/// collations of columns and of the table are left out: [`crate::read`] takes them from
/// `information_schema`, which states defaults, too.
pub fn table_parts(create: &str) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    let mut order = Vec::new();
    for definition in ddl::split_definitions(create) {
        match quoted_name(definition) {
            Some((name, rest)) => {
                parts.insert(format!("column {name}"), ddl::without_collation(rest));
                order.push(name.to_owned());
            }
            None => {
                parts.insert(part_name(definition), definition.to_owned());
            }
        }
    }
    parts.insert("order of columns".into(), order.join(", "));
    let (options, partitions) = split_partitions(ddl::table_options(create));
    parts.insert("options".into(), without_volatile_options(options));
    if !partitions.is_empty() {
        parts.insert("partitions".into(), partitions.to_owned());
    }
    parts
}

/// Splits `` `name` rest`` into the quoted name and the rest.
fn quoted_name(definition: &str) -> Option<(&str, &str)> {
    let inner = definition.strip_prefix('`')?;
    let mut at = 0;
    loop {
        at += inner[at..].find('`')?;
        if inner[at + 1..].starts_with('`') {
            at += 2;
        } else {
            return Some((&definition[..at + 2], definition[at + 2..].trim_start()));
        }
    }
}

/// Names an index or constraint: ``key `k` ``, ``constraint `c` ``, `primary key`.
fn part_name(definition: &str) -> String {
    let name = definition.find('`').and_then(|at| quoted_name(&definition[at..])).map_or("", |(name, _)| name);
    let upper = definition.to_uppercase();
    if upper.starts_with("PRIMARY KEY") {
        "primary key".into()
    } else if upper.starts_with("CONSTRAINT") && upper.contains(" FOREIGN KEY ") {
        format!("foreign key {name}")
    } else if upper.starts_with("CONSTRAINT") {
        format!("constraint {name}")
    } else if upper.starts_with("PERIOD") || upper.starts_with("CHECK") {
        definition.to_lowercase()
    } else {
        format!("key {name}")
    }
}

/// Splits table options before `PARTITION BY`, which MySQL prints in a comment.
fn split_partitions(options: &str) -> (&str, &str) {
    let is_start = |line: &str| {
        let line = line.trim_start();
        line.starts_with("PARTITION BY") || (line.starts_with("/*!") && line.contains(" PARTITION BY"))
    };
    let mut at = 0;
    for line in options.split_inclusive('\n') {
        let inline =
            line.find(" PARTITION BY ").filter(|_| !line.trim_start().starts_with("/*!") && !line.contains('\''));
        if is_start(line) {
            return (options[..at].trim(), options[at..].trim());
        }
        if let Some(inline) = inline {
            return (options[..at + inline].trim(), options[at + inline..].trim());
        }
        at += line.len();
    }
    (options.trim(), "")
}

/// Removes the counter of AUTO_INCREMENT and the default character set and collation.
fn without_volatile_options(options: &str) -> String {
    let is_kept = |word: &&str| {
        !["AUTO_INCREMENT=", "CHARSET=", "COLLATE="].iter().any(|name| word.starts_with(name)) && *word != "DEFAULT"
    };
    // The table's comment may contain words that look like options. The comment and the options
    // after it stay.
    let (head, tail) = options.split_at(options.find("COMMENT='").unwrap_or(options.len()));
    let words: Vec<&str> = head.split_whitespace().filter(is_kept).collect();
    format!("{} {tail}", words.join(" ")).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_what_the_servers_print() {
        let create = "CREATE TABLE `t(1` (\n  `a``b` varchar(20) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'x,)' COMMENT 'a(b',\n  \
                      PRIMARY KEY (`a``b`),\n  KEY `k` (`a``b`(5)) COMMENT 'k(1)',\n  CONSTRAINT `f` FOREIGN KEY (`a``b`) REFERENCES `p` (`k`),\n  \
                      CONSTRAINT `c` CHECK (`a``b` <> 'z')\n) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=COMPACT COMMENT='t(''x'\n\
                      /*!50500 PARTITION BY LIST  COLUMNS(a)\n(PARTITION p0 VALUES IN ('a','b') ENGINE = InnoDB) */";
        let parts = table_parts(create);
        let part = |name: &str| parts.get(name).map(String::as_str);
        assert_eq!(part("column `a``b`"), Some("varchar(20) DEFAULT 'x,)' COMMENT 'a(b'"));
        assert_eq!(part("key `k`"), Some("KEY `k` (`a``b`(5)) COMMENT 'k(1)'"));
        assert!(part("primary key").is_some() && part("foreign key `f`").is_some() && part("constraint `c`").is_some());
        assert_eq!(part("options"), Some("ENGINE=InnoDB ROW_FORMAT=COMPACT COMMENT='t(''x'"));
        assert!(part("partitions").unwrap().starts_with("/*!50500 PARTITION BY LIST"));
    }
}
