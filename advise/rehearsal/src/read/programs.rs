//! Reads routines, views, triggers and events, and who may use routines.

use mysql::prelude::Queryable;
use server::Flavour;
use sql::{SqlMode, Token, TokenKind, quote_string, quote_table, tokenize};

use super::encoding::explain_misreading;
use super::{Reader, column};
use crate::definitions::{CreationSession, Kind, Object};
use crate::error::{Error, refusal};

/// Columns of `SHOW CREATE` with the statement.
const CREATE_COLUMNS: [&str; 7] = [
    "Create Procedure",
    "Create Function",
    "Create View",
    "Create Event",
    "SQL Original Statement",
    "Create Package",
    "Create Package Body",
];

impl Reader<'_> {
    pub(super) fn read_programs(&mut self, schema: &str) -> Result<(), Error> {
        let name = quote_string(schema);
        let routines = format!(
            "SELECT ROUTINE_TYPE, ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = {name} ORDER BY 2, 1"
        );
        for (kind, routine) in self.query::<(String, String)>("list the routines", &routines)? {
            let kind = match kind.as_str() {
                "FUNCTION" => Kind::Function,
                "PACKAGE" => Kind::Package,
                "PACKAGE BODY" => Kind::PackageBody,
                _ => Kind::Procedure,
            };
            self.read_program(kind, schema, &routine)?;
        }
        let views = format!("SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = {name} ORDER BY 1");
        for view in self.query::<String>("list the views", &views)? {
            self.read_view(schema, &view)?;
        }
        self.read_triggers(schema)?;
        self.read_events(schema)
    }

    /// Reads events. `EXECUTE_AT` and `ENDS` are in the event's time zone, at most 14 hours from
    /// UTC.
    fn read_events(&mut self, schema: &str) -> Result<(), Error> {
        let query = format!(
            "SELECT EVENT_NAME, COALESCE(COALESCE(EXECUTE_AT, ENDS) < UTC_TIMESTAMP() + INTERVAL 1 DAY \
             AND (ON_COMPLETION <> 'PRESERVE' OR STATUS = 'ENABLED'), 0) \
             FROM information_schema.EVENTS WHERE EVENT_SCHEMA = {} ORDER BY 1",
            quote_string(schema)
        );
        for (event, ends_soon) in self.query::<(String, bool)>("list the events", &query)? {
            if let Some(object) = self.read_program(Kind::Event, schema, &event)? {
                object.ends_soon = ends_soon;
            }
        }
        Ok(())
    }

    /// Reads a view. A view that must not be opened is unread, and one that doesn't open, such as a
    /// view of a dropped table (error 1356), although `SHOW CREATE VIEW` prints it.
    fn read_view(&mut self, schema: &str, name: &str) -> Result<(), Error> {
        if let Some(reason) = self.unopened_views.refuse_to_open(schema, name) {
            self.add_unread(Kind::View, schema, name, (0, reason));
            return Ok(());
        }
        let view = quote_table(schema, name);
        let fields: Result<Vec<mysql::Row>, mysql::Error> = self.conn.query(format!("SHOW FIELDS FROM {view}"));
        let opened = fields.and_then(|_| if self.prepares_views { self.prepare(&view) } else { Ok(()) });
        match opened {
            Err(error @ mysql::Error::MySqlError(_)) => self.add_unread(Kind::View, schema, name, refusal(&error)),
            Err(source) => return Err(self.failed(format!("read the columns of {schema}.{name}"), source)),
            Ok(()) => {
                self.read_program(Kind::View, schema, name)?;
            }
        }
        Ok(())
    }

    /// Prepares a query of a view, which opens it and reads no row.
    fn prepare(&mut self, view: &str) -> Result<(), mysql::Error> {
        let statement = self.conn.prep(format!("SELECT * FROM {view}"))?;
        self.conn.close(statement)
    }

    /// Reads triggers in the order in which they run. Before MySQL 5.7 and MariaDB 10.2 a table has
    /// one trigger for a time and event, and `ACTION_ORDER` is 0.
    fn read_triggers(&mut self, schema: &str) -> Result<(), Error> {
        let query = format!(
            "SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER \
             FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = {} ORDER BY 2, 3, 4, 5, 1",
            quote_string(schema)
        );
        let triggers: Vec<(String, String, String, String, u64)> = self.query("list the triggers", &query)?;
        for (trigger, table, timing, event, order) in triggers {
            if let Some(object) = self.read_program(Kind::Trigger, schema, &trigger)? {
                object.parts.insert("place".into(), format!("{timing} {event} on {table}, number {order}"));
                object.table = Some(table);
            }
        }
        Ok(())
    }

    /// Reads a program or view. It is unread if the server returns another statement than its
    /// `CREATE`, or one that it would read otherwise, since plans quote what it returns.
    fn read_program(&mut self, kind: Kind, schema: &str, name: &str) -> Result<Option<&mut Object>, Error> {
        let Some((row, create)) = self.show_create(kind, schema, name, &CREATE_COLUMNS)? else { return Ok(None) };
        let sql_mode = column(&row, &["sql_mode"]);
        let mode = SqlMode::parse(sql_mode.as_deref().unwrap_or_default());
        if !is_definition(&create, mode, kind, schema, name) {
            let why = format!("SHOW CREATE returns another statement than its CREATE {}", kind.keyword());
            self.add_unread(kind, schema, name, (0, why));
            return Ok(None);
        }
        let client = column(&row, &["character_set_client"]);
        if let Some(why) = explain_misreading(&create, mode, client.as_deref().unwrap_or_default()) {
            self.add_unread(kind, schema, name, (0, why));
            return Ok(None);
        }
        let mut object = Object::new(kind, schema, name, create);
        object.session = CreationSession {
            sql_mode,
            character_set_client: client,
            collation_connection: column(&row, &["collation_connection"]),
            schema_collation: column(&row, &["Database Collation"]),
            time_zone: column(&row, &["time_zone"]),
        };
        let session = object.session.clone();
        let parts = [
            ("definition", Some(object.create.clone())),
            ("sql_mode", session.sql_mode),
            ("time zone", session.time_zone),
            ("character set of its client", session.character_set_client),
            ("collation of its connection", session.collation_connection),
            ("collation of its schema", session.schema_collation),
        ];
        object.parts.extend(parts.into_iter().filter_map(|(part, value)| Some((part.to_owned(), value?))));
        self.found.objects.push(object);
        Ok(self.found.objects.last_mut())
    }

    /// Reads the grants on routines. Reads none if the account may not read `mysql.procs_priv`.
    pub(super) fn read_grants(&mut self, schema: &str) -> Result<(), Error> {
        let query = format!(
            "SELECT Host, User, Routine_name, Routine_type, Proc_priv FROM mysql.procs_priv WHERE Db = {} ORDER BY 1, 2",
            quote_string(schema)
        );
        let rows: Vec<(String, String, String, String, String)> = self.query_optional(&query)?;
        for (host, user, routine, routine_type, privileges) in rows {
            let kind = match routine_type.as_str() {
                "FUNCTION" => Kind::Function,
                "PACKAGE" => Kind::Package,
                "PACKAGE BODY" => Kind::PackageBody,
                _ => Kind::Procedure,
            };
            let is_mariadb = self.flavour == Flavour::MariaDb;
            let account = match host.as_str() {
                // A role of MariaDB has no host.
                "" if is_mariadb => quote_string(&user),
                _ => format!("{}@{}", quote_string(&user), quote_string(&host)),
            };
            let (with_grant, privileges): (Vec<&str>, Vec<&str>) =
                privileges.split(',').map(str::trim).partition(|name| name.eq_ignore_ascii_case("grant"));
            let privileges = match privileges.as_slice() {
                [] | [""] => vec!["USAGE"],
                named if named.iter().all(|name| is_routine_privilege(name)) => privileges,
                // No server prints other names.
                _ => continue,
            };
            // MySQL keeps the names of `procs_priv` in lower case.
            let objects = self.found.objects.iter_mut().filter(|object| {
                object.name.kind == kind
                    && object.name.schema == schema
                    && object.name.name.to_lowercase() == routine.to_lowercase()
            });
            for object in objects {
                let grant = format!(
                    "GRANT {} ON {} {} TO {account}{}",
                    privileges.join(", ").to_uppercase(),
                    kind.keyword(),
                    quote_table(schema, &object.name.name),
                    if with_grant.is_empty() { "" } else { " WITH GRANT OPTION" }
                );
                object.grants.push(grant);
                object.parts.insert("grants".into(), object.grants.join("; "));
            }
        }
        Ok(())
    }
}

fn is_routine_privilege(name: &str) -> bool {
    ["EXECUTE", "ALTER ROUTINE"].iter().any(|privilege| name.eq_ignore_ascii_case(privilege))
}

/// True if every supported server reads the text as `CREATE` of this program or view.
fn is_definition(create: &str, mode: SqlMode, kind: Kind, schema: &str, name: &str) -> bool {
    sql::definition_readings(create, mode).iter().all(|reading| {
        let is_content = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::Hint);
        let tokens: Vec<Token<'_>> = tokenize(reading, mode).filter(is_content).take(40).collect();
        creates(&tokens, kind, schema, name)
    })
}

/// True for `CREATE`, attributes, the kind and the name.
fn creates(tokens: &[Token<'_>], kind: Kind, schema: &str, name: &str) -> bool {
    let Some((_, rest)) = tokens.split_first().filter(|(first, _)| first.is_keyword("create")) else {
        return false;
    };
    let mut rest = sql::skip_attributes(rest);
    for word in kind.keyword().split(' ') {
        match rest {
            [first, others @ ..] if first.is_keyword(word) => rest = others,
            _ => return false,
        }
    }
    // The text of a trigger is as its author wrote it.
    if let [a, b, c, others @ ..] = rest
        && a.is_keyword("if")
        && b.is_keyword("not")
        && c.is_keyword("exists")
    {
        rest = others;
    }
    let is_named = |token: &Token<'_>, name: &str| {
        token.is_closed && token.name().is_some_and(|own| own.to_lowercase() == name.to_lowercase())
    };
    let behind = match rest {
        [own_schema, dot, own, behind @ ..]
            if dot.is_symbol('.') && is_named(own_schema, schema) && is_named(own, name) =>
        {
            behind
        }
        [own, behind @ ..] if is_named(own, name) => behind,
        _ => return false,
    };
    let first_word = kind.keyword().split(' ').next().unwrap_or_default();
    sql::may_follow_program_name(first_word, behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(kind: Kind, create: &str) -> bool {
        is_definition(create, SqlMode::default(), kind, "shop", "pr")
    }

    #[test]
    fn definitions_that_servers_print_are_taken() {
        for (kind, create) in [
            (Kind::Procedure, "CREATE DEFINER=`root`@`localhost` PROCEDURE `pr`()\nselect 1"),
            (Kind::Procedure, "CREATE PROCEDURE `pr`() begin /*!50100 select 'a -- */' */; end"),
            (Kind::Function, "CREATE DEFINER=`root`@`%` AGGREGATE FUNCTION `pr`(a int) RETURNS int return 1"),
            (Kind::View, "CREATE ALGORITHM=MERGE DEFINER=`view`@`%` SQL SECURITY DEFINER VIEW `shop`.`pr` AS select 1"),
            (
                Kind::Trigger,
                "CREATE OR REPLACE DEFINER=`role` TRIGGER /* x */ if not exists PR before insert on t for each row set @a = 1",
            ),
            (Kind::Event, "CREATE DEFINER=`root`@`%` EVENT `pr` ON SCHEDULE EVERY 1 DAY DO select 1"),
            (Kind::PackageBody, "CREATE PACKAGE BODY `pr` AS END"),
        ] {
            assert!(is(kind, create), "{create}");
        }
        let oracle = "CREATE DEFINER=\"root\"@\"%\" PROCEDURE \"pr\"() AS BEGIN NULL; END";
        assert!(!is(Kind::Procedure, oracle));
        assert!(is_definition(oracle, SqlMode::parse("ORACLE"), Kind::Procedure, "shop", "pr"));
    }

    #[test]
    fn other_statements_are_no_definitions() {
        for create in [
            "",
            "DROP DATABASE victim",
            "DROP /*M!100100 VIEW shop.pr AS */ DATABASE victim",
            "CREATE /*M!100100 VIEW shop.pr AS */ USER evil@'%'",
            "CREATE /*!80000 PROCEDURE pr() */ VIEW pr AS select 1",
            "CREATE /*!50100 PROCEDURE pr() ' */ ' */ USER evil",
            "SET NAMES utf8mb4, @@global.max_connections = 77",
            "CREATE PROCEDURE other.pr() select 1",
            "CREATE PROCEDURE pr2() select 1",
            "CREATE PROCEDURE pr.1x() select 1",
            "CREATE FUNCTION pr() RETURNS int return 1",
            "CREATE EVENT pr ON SCHEDULE AT CURRENT_TIMESTAMP DO DROP DATABASE victim",
            "CREATE DEFINER=procedure USER pr",
        ] {
            assert!(!is(Kind::Procedure, create), "{create}");
        }
        assert!(!is(Kind::Function, "CREATE FUNCTION pr RETURNS STRING SONAME 'x.so'"));
    }
}
