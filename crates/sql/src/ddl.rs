//! `SHOW CREATE TABLE`, taken apart: its columns' definitions are the only ones that lack nothing.

/// The members of `enum('a','b')` or `set(…)`.
pub fn members(column_type: &str) -> Vec<String> {
    let Some((_, list)) = column_type.split_once('(') else { return Vec::new() };
    let mut members = Vec::new();
    let mut rest = list;
    while let Some((_, from)) = rest.split_once('\'') {
        let mut member = String::new();
        let mut characters = from.char_indices().peekable();
        let mut end = from.len();
        while let Some((at, character)) = characters.next() {
            if character != '\'' {
                member.push(character);
            } else if characters.next_if(|(_, next)| *next == '\'').is_some() {
                member.push('\'');
            } else {
                end = at + 1;
                break;
            }
        }
        members.push(member);
        rest = &from[end..];
    }
    members
}

/// The definitions between the outermost parentheses of `CREATE TABLE`: columns, indexes, constraints.
pub fn definitions(create: &str) -> Vec<&str> {
    let Some(open) = create.find('(') else { return Vec::new() };
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0_usize, open + 1);
    let mut scanner = Scanner::new(create, open);
    while let Some((at, byte)) = scanner.next_outside_quotes() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(create[begin..at].trim());
                    break;
                }
            }
            b',' if depth == 1 => {
                found.push(create[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// Walks over SQL, past what is quoted.
struct Scanner<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl<'s> Scanner<'s> {
    fn new(text: &'s str, at: usize) -> Self {
        Self { bytes: text.as_bytes(), at }
    }

    fn next_outside_quotes(&mut self) -> Option<(usize, u8)> {
        loop {
            let at = self.at;
            let byte = *self.bytes.get(at)?;
            self.at += 1;
            if !matches!(byte, b'\'' | b'"' | b'`') {
                return Some((at, byte));
            }
            // A doubled quote ends one string and begins another: the same to us.
            while let Some(&inner) = self.bytes.get(self.at) {
                self.at += 1;
                if inner == b'\\' && byte != b'`' {
                    self.at += 1;
                } else if inner == byte {
                    break;
                }
            }
        }
    }
}

/// A column's definition: what stands behind its name.
pub fn column<'c>(create: &'c str, name: &str) -> Option<&'c str> {
    let quoted = crate::identifier(name);
    definitions(create).into_iter().find_map(|definition| definition.strip_prefix(quoted.as_str())?.strip_prefix(' '))
}

/// A column's definition with another character set and collation, and another type where one is given.
pub fn with_collation(definition: &str, charset: &str, collation: &str, new_type: Option<&str>) -> String {
    let (own_type, mut rest) = split_type(definition);
    loop {
        let trimmed = rest.trim_start();
        let clause =
            ["CHARACTER SET ", "CHARSET ", "COLLATE "].into_iter().find_map(|clause| trimmed.strip_prefix(clause));
        match clause {
            Some(value) => rest = &value[value.find(' ').unwrap_or(value.len())..],
            None => {
                let rest = if trimmed.is_empty() { String::new() } else { format!(" {trimmed}") };
                return format!("{} CHARACTER SET {charset} COLLATE {collation}{rest}", new_type.unwrap_or(own_type));
            }
        }
    }
}

/// The type, with its length or members, and what follows it.
fn split_type(definition: &str) -> (&str, &str) {
    let mut scanner = Scanner::new(definition, 0);
    let mut depth = 0_usize;
    while let Some((at, byte)) = scanner.next_outside_quotes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => return definition.split_at(at),
            _ => {}
        }
    }
    (definition, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  `a,b` varchar(20) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'x,)''(' COMMENT 'it\\'s',\n  \
                          `e` enum('a','b)','it''s') NOT NULL,\n  `g` varchar(9) COLLATE utf8mb4_bin GENERATED ALWAYS AS (concat(`e`,_utf8mb4')')) VIRTUAL,\n  \
                          PRIMARY KEY (`id`),\n  KEY `k` (`a,b`(5))\n) ENGINE=InnoDB";

    #[test]
    fn definitions_are_found_whatever_is_quoted_in_them() {
        assert_eq!(definitions(CREATE).len(), 6);
        assert_eq!(column(CREATE, "id"), Some("int(11) NOT NULL"));
        assert_eq!(column(CREATE, "none"), None);
        let defined = column(CREATE, "a,b").unwrap();
        assert_eq!(
            with_collation(defined, "utf8mb4", "utf8mb4_bin", None),
            "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'x,)''(' COMMENT 'it\\'s'"
        );
        assert_eq!(
            with_collation(column(CREATE, "e").unwrap(), "utf8mb4", "utf8mb4_bin", None),
            "enum('a','b)','it''s') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
        );
        assert_eq!(
            with_collation(column(CREATE, "g").unwrap(), "utf8mb4", "utf8mb4_general_ci", Some("text")),
            "text CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci GENERATED ALWAYS AS (concat(`e`,_utf8mb4')')) VIRTUAL"
        );
    }

    #[test]
    fn members_are_read_with_their_quotes() {
        assert_eq!(members("enum('a','b)','it''s','')"), ["a", "b)", "it's", ""]);
        assert_eq!(members("int"), [""; 0]);
    }
}
