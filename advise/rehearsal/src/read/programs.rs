//! Reads routines, views, triggers and events, and who may use routines.

use mysql::prelude::Queryable;
use server::Flavour;
use sql::{quote_string, quote_table};

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
        let events = format!("SELECT EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = {name} ORDER BY 1");
        for event in self.query::<String>("list the events", &events)? {
            self.read_program(Kind::Event, schema, &event)?;
        }
        Ok(())
    }

    /// Reads a view. A view that doesn't open, such as a view of a dropped table (error 1356), is
    /// unread, although `SHOW CREATE VIEW` prints it.
    fn read_view(&mut self, schema: &str, name: &str) -> Result<(), Error> {
        let fields: Result<Vec<mysql::Row>, mysql::Error> =
            self.conn.query(format!("SHOW FIELDS FROM {}", quote_table(schema, name)));
        match fields {
            Err(error @ mysql::Error::MySqlError(_)) => self.add_unread(Kind::View, schema, name, refusal(&error)),
            Err(source) => return Err(self.failed(format!("read the columns of {schema}.{name}"), source)),
            Ok(_) => {
                self.read_program(Kind::View, schema, name)?;
            }
        }
        Ok(())
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

    fn read_program(&mut self, kind: Kind, schema: &str, name: &str) -> Result<Option<&mut Object>, Error> {
        let Some((row, create)) = self.show_create(kind, schema, name, &CREATE_COLUMNS)? else { return Ok(None) };
        let mut object = Object::new(kind, schema, name, create);
        object.session = CreationSession {
            sql_mode: column(&row, &["sql_mode"]),
            character_set_client: column(&row, &["character_set_client"]),
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
            let privileges = if privileges.iter().all(|name| name.is_empty()) { vec!["USAGE"] } else { privileges };
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
