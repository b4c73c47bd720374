//! Views of running servers that must not be opened.

use facts::{Facts, Limits, Scope};
use mysql::prelude::Queryable;
use server::{Address, Conn, Login, NoProgress, Options, Server, Spec, open};

fn private(name: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Attaches to a private server, as to one that `weigh` did not start.
fn attach(server: &Server) -> Server {
    let Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let mut login = Login { no_defaults: true, ..Login::default() };
    login.options.socket = Some(socket.clone());
    login.options.user = Some("root".into());
    open(&Spec::Attach(Box::default()), &Options { login, ..Options::default() }, &NoProgress).unwrap()
}

fn read(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["shop".into()], programs: true, activity: false };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

fn run(conn: &mut Conn, statements: &[&str]) {
    for statement in statements {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

fn count_queries(conn: &mut Conn) -> u64 {
    let (_, count): (String, u64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Com_select'").unwrap().unwrap();
    count
}

#[test]
fn views_without_functions_of_strangers_cost_no_query_each() {
    let private = private("mariadb");
    let mut conn = private.connect().unwrap();
    run(
        &mut conn,
        &[
            "CREATE DATABASE shop",
            "CREATE TABLE shop.t (a INT)",
            "CREATE VIEW shop.v0 AS SELECT a FROM shop.t",
            // For a function that the account itself defined, no view stays unopened.
            "CREATE FUNCTION shop.f() RETURNS INT DETERMINISTIC SQL SECURITY DEFINER RETURN 1",
        ],
    );
    let server = attach(&private);
    let mut queries_to_read = |views: usize| {
        let before = count_queries(&mut conn);
        let facts = read(&server);
        assert!(
            facts.schemas[0].views.len() == views && facts.schemas[0].views.iter().all(|view| view.columns.len() == 1)
        );
        count_queries(&mut conn) - before
    };
    let of_one = queries_to_read(1);
    let mut other = private.connect().unwrap();
    for number in 1..300 {
        run(&mut other, &[&format!("CREATE VIEW shop.v{number} AS SELECT a FROM shop.t")]);
    }
    assert_eq!(queries_to_read(300), of_one);
}

#[test]
fn views_that_name_no_function_are_read_next_to_those_that_do() {
    for name in ["mariadb@11.4", "mariadb@10.1"] {
        let private = private(name);
        let mut conn = private.connect().unwrap();
        run(
            &mut conn,
            &[
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (a INT PRIMARY KEY, s VARCHAR(9))",
                "CREATE TABLE shop.u (b INT)",
                "CREATE USER low@localhost",
                "GRANT ALL ON shop.* TO low@localhost",
                "CREATE FUNCTION shop.own() RETURNS INT DETERMINISTIC SQL SECURITY INVOKER RETURN 1",
                "USE shop",
                "CREATE VIEW shop.harmless AS SELECT SUBSTR(s, shop.own()) AS x, own() AS y FROM shop.t",
            ],
        );
        let server = attach(&private);
        let before = read(&server);
        assert_eq!(before.schemas[0].views[0].columns.len(), 2, "{name}");
        run(
            &mut conn,
            &[
                "CREATE DEFINER=low@localhost FUNCTION shop.i() RETURNS INT DETERMINISTIC SQL SECURITY INVOKER RETURN 1",
                "CREATE VIEW shop.closed AS SELECT SUBSTR(s, shop.i()) AS x FROM shop.t",
                "CREATE VIEW shop.after AS SELECT x FROM shop.closed",
                "CREATE DEFINER=low@localhost FUNCTION shop.d() RETURNS INT DETERMINISTIC SQL SECURITY DEFINER RETURN 1",
                "CREATE VIEW shop.definer AS SELECT SUBSTR(s, shop.d()) AS x FROM shop.t",
            ],
        );
        let facts = read(&server);
        assert_eq!(facts.schemas[0].tables, before.schemas[0].tables, "{name}");
        let columns: Vec<(&str, usize)> =
            facts.schemas[0].views.iter().map(|view| (view.program.name.as_str(), view.columns.len())).collect();
        assert_eq!(columns, [("after", 0), ("closed", 0), ("definer", 0), ("harmless", 2)], "{name}");
        assert!(facts.schemas[0].views.iter().all(|view| view.program.body.is_some()), "{name}");
        let unseen: Vec<&str> = facts.unseen.iter().map(|unseen| unseen.what.as_str()).collect();
        assert_eq!(unseen, ["columns of views: shop.after, shop.closed, shop.definer"], "{name}");
    }
}

/// Query of the functions that a server's help describes.
const DESCRIBED: &str = "SELECT DISTINCT topic.name FROM mysql.help_topic AS topic \
    JOIN mysql.help_category AS category USING (help_category_id) \
    WHERE category.name LIKE '%function%' OR category.name IN ('MBR', 'WKB', 'WKT') OR category.name LIKE '%properties'";

/// Beginnings of names of functions that only the server's own views may call, and of loadable
/// ones.
const NOT_OF_USERS: [&str; 6] = ["internal_", "can_access_", "get_dd_", "is_visible_dd_", "asymmetric_", "create_"];

#[test]
fn functions_of_the_manuals_are_known() {
    for name in ["mysql@5.6", "mysql@5.7", "mysql@8.0", "mysql@sid", "mariadb@10.1", "mariadb@11.4", "mariadb@trixie"] {
        let server = private(name);
        let mut conn = server.connect().unwrap();
        // Private instances of MariaDB and MySQL 5.6 have no help.
        let described: Vec<String> = conn.query(DESCRIBED).unwrap();
        assert!(described.len() > 200 || !["mysql@5.7", "mysql@8.0"].contains(&name), "{name}: {described:?}");
        let names = described.iter().map(|topic| topic.strip_suffix(" FUNCTION").unwrap_or(topic).to_lowercase());
        let is_name = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_known = |name: &String| {
            let is_other = NOT_OF_USERS.iter().any(|begin| name.starts_with(begin));
            is_other || sql::is_server_function(name) || sql::may_precede_parenthesis(name)
        };
        let unknown: Vec<String> = names.filter(|name| is_name(name) && !is_known(name)).collect();
        assert_eq!(unknown, [""; 0], "{name}");

        let stored = "SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'sys'";
        let functions: Vec<String> = conn.query(stored).unwrap();
        let own = "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'sys'";
        for (view, text) in conn.query::<(String, String), _>(own).unwrap() {
            let is_stored = |name: &str| functions.iter().any(|stored| stored == name);
            let unknown = sql::find_unknown_function(&text, "utf8", sql::SqlMode::default(), is_stored);
            assert_eq!(unknown, None, "{name}: sys.{view}");
        }
    }
}
