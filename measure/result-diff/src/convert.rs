//! `ALTER TABLE` statements that convert or rebuild tables.

use rules::conversion::{converted_collation, keep_reason};
use sql::{SqlMode, Token, TokenKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    pub name: String,
    pub charset: String,
    pub collation: String,
}

/// A table as the server defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDefinition {
    pub name: String,
    /// Output of `SHOW CREATE TABLE`.
    pub create: String,
    pub collation: String,
    pub charset: String,
    pub engine: String,
    pub columns: Vec<TextColumn>,
}

/// Collation that columns are converted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionTarget {
    pub charset: String,
    /// Collation of the character set `charset`.
    pub collation: String,
    /// True if columns whose collation differs from their table's are converted, too, and those
    /// that would stay ascii or `_bin`.
    pub all_columns: bool,
    /// The server's `_bin` collations.
    pub binary_collations: Vec<String>,
}

impl ConversionTarget {
    /// Target of a side that keeps its collations.
    pub fn unchanged(all_columns: bool) -> Self {
        Self { charset: String::new(), collation: String::new(), all_columns, binary_collations: Vec::new() }
    }

    /// Returns character set and collation of a column or table after the conversion.
    fn convert(&self, charset: &str, collation: &str) -> (String, String) {
        let server_has = |name: &str| self.binary_collations.iter().any(|own| own == name);
        let new = match self.all_columns {
            true => self.collation.clone(),
            false => converted_collation(collation, &self.collation, &self.charset, server_has),
        };
        let stays = !self.all_columns && keep_reason(charset).is_some() || new == collation;
        if stays { (charset.to_owned(), collation.to_owned()) } else { (self.charset.clone(), new) }
    }

    /// Returns the collation of a column that [`TableDefinition::converted_columns`] returns.
    pub fn new_collation(&self, column: &TextColumn) -> String {
        self.convert(&column.charset, &column.collation).1
    }

    /// True if a conversion leaves the column as it is, although its collation is not the target's:
    /// `_bin` columns of the target's character set, and ascii columns.
    pub fn keeps(&self, column: &TextColumn) -> bool {
        column.collation != self.collation && self.new_collation(column) == column.collation
    }
}

impl TableDefinition {
    /// Returns the columns to convert: those with the table's default collation, except ascii ones.
    /// With [`ConversionTarget::all_columns`], returns all.
    pub fn converted_columns<'d>(&'d self, target: &'d ConversionTarget) -> impl Iterator<Item = &'d TextColumn> {
        let follows =
            |column: &TextColumn| column.collation == self.collation && keep_reason(&column.charset).is_none();
        self.columns.iter().filter(move |column| target.all_columns || follows(column))
    }

    /// Returns the `ALTER TABLE` that rebuilds the table and redefines every column that a
    /// conversion to `target` converts. With `keep_collations` the columns keep their collations.
    pub fn alter_statement(&self, target: &ConversionTarget, keep_collations: bool) -> String {
        let after = |charset: &str, collation: &str| match keep_collations {
            true => (charset.to_owned(), collation.to_owned()),
            false => target.convert(charset, collation),
        };
        let mut actions = Vec::new();
        for column in self.converted_columns(target) {
            let Some(definition) = sql::ddl::find_column(&self.create, &column.name) else { continue };
            let (charset, collation) = after(&column.charset, &column.collation);
            let definition = sql::ddl::with_collation(definition, &charset, &collation, None);
            actions.push(format!("MODIFY {} {definition}", sql::quote_identifier(&column.name)));
        }
        for (name, definition) in find_expression_indexes(&self.create) {
            actions.push(format!("DROP INDEX {name}, ADD {definition}"));
        }
        let (charset, collation) = after(&self.charset, &self.collation);
        actions.push(format!("DEFAULT CHARACTER SET {charset} COLLATE {collation}"));
        actions.push(format!("ENGINE={}", self.engine));
        format!("ALTER TABLE {} {}", sql::quote_identifier(&self.name), actions.join(", "))
    }

    /// Returns the statements that drop the table's foreign keys, and those that add them again as
    /// the server wrote them.
    pub fn foreign_key_statements(&self) -> (Vec<String>, Vec<String>) {
        let alter = |action: String| format!("ALTER TABLE {} {action}", sql::quote_identifier(&self.name));
        sql::ddl::find_foreign_keys(&self.create)
            .into_iter()
            .map(|(name, definition)| (alter(format!("DROP FOREIGN KEY {name}")), alter(format!("ADD {definition}"))))
            .unzip()
    }
}

/// Returns the indexes of expressions, each with its quoted name and its definition: ``KEY `k`
/// ((lower(`name`)))``. MySQL 9.7 keeps the old collation in them if only a column is modified:
/// queries don't use them any more.
fn find_expression_indexes(create: &str) -> Vec<(&str, &str)> {
    let name_of = |definition| {
        let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
        let key = tokens.iter().take(2).position(|token| token.is_keyword("key"))?;
        let name = tokens.get(key + 1).filter(|token| token.kind == TokenKind::QuotedName)?;
        let mut items = sql::list_items(&tokens, key + 2).into_iter();
        items.any(|item| tokens[item].is_symbol('(')).then_some(name.text)
    };
    sql::ddl::split_definitions(create).into_iter().filter_map(|one| Some((name_of(one)?, one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, charset: &str, collation: &str) -> TextColumn {
        TextColumn { name: name.to_owned(), charset: charset.to_owned(), collation: collation.to_owned() }
    }

    fn definition() -> TableDefinition {
        TableDefinition {
            name: "t".to_owned(),
            create: "CREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  `a` varchar(20) NOT NULL DEFAULT 'x',\n  `b` varchar(9) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL,\n  \
                     PRIMARY KEY (`id`)\n) ENGINE=InnoDB"
                .to_owned(),
            collation: "utf8mb4_general_ci".to_owned(),
            charset: "utf8mb4".to_owned(),
            engine: "InnoDB".to_owned(),
            columns: vec![column("a", "utf8mb4", "utf8mb4_general_ci"), column("b", "latin1", "latin1_bin")],
        }
    }

    fn target(collation: &str) -> ConversionTarget {
        let binary_collations = vec!["utf8mb4_bin".to_owned(), "utf8mb4_0900_bin".to_owned()];
        let collation = collation.to_owned();
        ConversionTarget { charset: "utf8mb4".to_owned(), collation, all_columns: false, binary_collations }
    }

    /// The collations are those that preflight plans.
    #[test]
    fn codes_stay_codes() {
        let of_bin = |charset: &str, collation: &str| {
            let columns = vec![column("a", charset, collation)];
            TableDefinition { charset: charset.into(), collation: collation.into(), columns, ..definition() }
        };
        let new = target("utf8mb4_0900_ai_ci");
        for (table, expected) in [
            (of_bin("latin1", "latin1_bin"), "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"),
            (of_bin("utf8mb4", "utf8mb4_bin"), "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"),
            (
                of_bin("ascii", "ascii_general_ci"),
                "ALTER TABLE `t` DEFAULT CHARACTER SET ascii COLLATE ascii_general_ci",
            ),
        ] {
            let statement = table.alter_statement(&new, false);
            assert!(statement.contains(expected), "{statement}");
        }
        assert!(new.keeps(&column("a", "utf8mb4", "utf8mb4_bin")) && !new.keeps(&column("a", "latin1", "latin1_bin")));
        let all = ConversionTarget { all_columns: true, ..new };
        let statement = of_bin("latin1", "latin1_bin").alter_statement(&all, false);
        assert!(statement.contains("CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci NOT NULL"), "{statement}");
    }

    #[test]
    fn converts_columns_that_follow_the_table() {
        let target = target("utf8mb4_bin");
        assert_eq!(
            definition().alter_statement(&target, false),
            "ALTER TABLE `t` MODIFY `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x', \
             DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ENGINE=InnoDB"
        );
        assert_eq!(
            definition().alter_statement(&target, true),
            "ALTER TABLE `t` MODIFY `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'x', \
             DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, ENGINE=InnoDB"
        );
        let all = definition().alter_statement(&ConversionTarget { all_columns: true, ..target }, false);
        assert!(all.contains("MODIFY `b` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL"), "{all}");
    }

    #[test]
    fn foreign_keys_come_back_as_they_were() {
        let key = "CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`k`) ON UPDATE CASCADE";
        let create = definition().create.replace("PRIMARY KEY (`id`)", &format!("PRIMARY KEY (`id`),\n  {key}"));
        let (drops, adds) = TableDefinition { create, ..definition() }.foreign_key_statements();
        assert_eq!(drops, ["ALTER TABLE `t` DROP FOREIGN KEY `f`"]);
        assert_eq!(adds, [format!("ALTER TABLE `t` ADD {key}")]);
    }

    #[test]
    fn indexes_of_expressions_are_built_again() {
        let keys = "PRIMARY KEY (`id`),\n  UNIQUE KEY `u` (`id`,(lower(`a`)) DESC) COMMENT 'x',\n  KEY `k` (`a`(5))";
        let create = definition().create.replace("PRIMARY KEY (`id`)", keys);
        let alter = TableDefinition { create, ..definition() }.alter_statement(&target("utf8mb4_bin"), false);
        let rebuilt = ", DROP INDEX `u`, ADD UNIQUE KEY `u` (`id`,(lower(`a`)) DESC) COMMENT 'x', DEFAULT";
        assert!(alter.contains(rebuilt) && alter.matches("DROP").count() == 1, "{alter}");
    }
}
