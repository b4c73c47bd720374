/// Members of `sql_mode` that decide where literals and names end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SqlMode {
    /// `ANSI_QUOTES`: double quotes enclose names instead of strings.
    pub ansi_quotes: bool,
    /// `NO_BACKSLASH_ESCAPES`: a backslash is an ordinary character.
    pub no_backslash_escapes: bool,
}

impl SqlMode {
    /// Reads a value of `sql_mode`, such as `STRICT_TRANS_TABLES,ANSI_QUOTES`. `ANSI` and the modes
    /// named after other products include `ANSI_QUOTES` (MySQL manual, "Combination SQL Modes").
    pub fn parse(sql_mode: &str) -> Self {
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
        assert_eq!(SqlMode::parse("STRICT_TRANS_TABLES,NO_ZERO_DATE"), SqlMode::default());
        assert!(SqlMode::parse("strict_trans_tables, ansi_quotes").ansi_quotes);
        assert!(SqlMode::parse("ANSI").ansi_quotes && SqlMode::parse("NO_BACKSLASH_ESCAPES").no_backslash_escapes);
    }
}
