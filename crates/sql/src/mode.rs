//! What of `sql_mode` decides how a text is read.

/// The members of `sql_mode` that change where literals and names end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// `ANSI_QUOTES`: double quotes are around names, not around text.
    pub ansi_quotes: bool,
    /// `NO_BACKSLASH_ESCAPES`: a backslash is a character as any other.
    pub no_backslash_escapes: bool,
}

impl Mode {
    /// What a value of `sql_mode` says. `ANSI` and the modes of other products contain `ANSI_QUOTES` (MySQL manual, "Combination SQL
    /// Modes").
    pub fn of(sql_mode: &str) -> Self {
        let has = |names: &[&str]| {
            sql_mode.split(',').any(|member| names.iter().any(|name| member.trim().eq_ignore_ascii_case(name)))
        };
        Self {
            ansi_quotes: has(&["ANSI_QUOTES", "ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"]),
            no_backslash_escapes: has(&["NO_BACKSLASH_ESCAPES"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_found_in_a_list() {
        assert_eq!(Mode::of("STRICT_TRANS_TABLES,NO_ZERO_DATE"), Mode::default());
        assert!(Mode::of("strict_trans_tables, ansi_quotes").ansi_quotes);
        assert!(Mode::of("ANSI").ansi_quotes && Mode::of("NO_BACKSLASH_ESCAPES").no_backslash_escapes);
    }
}
