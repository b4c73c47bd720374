//! The statement that rebuilds a table, in its own collations or in another. Pure.

/// A column that holds text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    /// Name.
    pub name: String,
    /// Its character set.
    pub charset: String,
    /// Its collation.
    pub collation: String,
}

/// A table as the server defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name.
    pub name: String,
    /// `SHOW CREATE TABLE`.
    pub create: String,
    /// Its default collation.
    pub collation: String,
    /// Character set of that.
    pub charset: String,
    /// Storage engine.
    pub engine: String,
    /// Columns that hold text.
    pub columns: Vec<TextColumn>,
}

/// What columns are converted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Character set.
    pub charset: String,
    /// Collation, one of the character set's.
    pub collation: String,
    /// Whether columns with a collation of their own are converted as well.
    pub all: bool,
}

impl Definition {
    /// The columns that are converted: those that follow the table's default, or all.
    pub fn converted<'d>(&'d self, target: &'d Target) -> impl Iterator<Item = &'d TextColumn> {
        self.columns.iter().filter(|column| target.all || column.collation == self.collation)
    }

    /// `ALTER TABLE` that rebuilds the table and defines every column that a conversion to `target` would define, `as_is` with the
    /// collation that it has.
    pub fn alter(&self, target: &Target, as_is: bool) -> String {
        let mut actions = Vec::new();
        for column in self.converted(target) {
            let Some(definition) = sql::ddl::column(&self.create, &column.name) else { continue };
            let (charset, collation) =
                if as_is { (&column.charset, &column.collation) } else { (&target.charset, &target.collation) };
            let definition = sql::ddl::with_collation(definition, charset, collation, None);
            actions.push(format!("MODIFY {} {definition}", sql::identifier(&column.name)));
        }
        let (charset, collation) =
            if as_is { (&self.charset, &self.collation) } else { (&target.charset, &target.collation) };
        actions.push(format!("DEFAULT CHARACTER SET {charset} COLLATE {collation}"));
        actions.push(format!("ENGINE={}", self.engine));
        format!("ALTER TABLE {} {}", sql::identifier(&self.name), actions.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, charset: &str, collation: &str) -> TextColumn {
        TextColumn { name: name.to_owned(), charset: charset.to_owned(), collation: collation.to_owned() }
    }

    fn definition() -> Definition {
        Definition {
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

    #[test]
    fn columns_that_follow_the_table_are_converted() {
        let target = Target { charset: "utf8mb4".to_owned(), collation: "utf8mb4_bin".to_owned(), all: false };
        assert_eq!(
            definition().alter(&target, false),
            "ALTER TABLE `t` MODIFY `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x', \
             DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ENGINE=InnoDB"
        );
        assert_eq!(
            definition().alter(&target, true),
            "ALTER TABLE `t` MODIFY `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'x', \
             DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, ENGINE=InnoDB"
        );
        let all = definition().alter(&Target { all: true, ..target }, false);
        assert!(all.contains("MODIFY `b` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL"), "{all}");
    }
}
