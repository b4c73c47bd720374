//! Answers that make the driver panic, and answers that are too large.

mod common;
#[allow(dead_code, reason = "the tests of attacks use all of it")]
#[path = "../../../weigh/tests/e2e/attacks/rogue.rs"]
mod rogue;

use common::{open_folder, options, private, socket};
use mysql::prelude::Queryable;
use rogue::{Answer, Moment, Rogue};
use server::{Conn, Login, NoProgress, Options, Server, open};

const TEXT: &str = "SELECT 'answered by the rogue'";

/// 100 MB of rows.
const LARGE: &str = "SELECT REPEAT('x', 1000000) FROM mysql.seq_1_to_100";

/// Sends a statement and reads its rows.
type Send = fn(&mut Conn) -> mysql::Result<()>;

const SENDERS: [(&str, Send); 6] = [
    ("rows", |conn| conn.rows(TEXT)?.try_for_each(|row| row.map(drop))),
    ("query_iter", |conn| conn.query_iter(TEXT).map(drop)),
    ("query", |conn| conn.query::<mysql::Row, _>(TEXT).map(drop)),
    ("query_map", |conn| conn.query_map(TEXT, |row: mysql::Row| drop(row)).map(drop)),
    ("exec_iter", |conn| conn.exec_iter("SELECT ?", (TEXT,)).map(drop)),
    ("exec_map", |conn| conn.exec_map("SELECT ?", (TEXT,), |row: mysql::Row| drop(row)).map(drop)),
];

/// Connects through a rogue that answers [`TEXT`].
fn with_rogue(server: &Server, answer: Answer, check: impl FnOnce(&mut Conn)) {
    let folder = open_folder();
    let rogue = Rogue::start(folder.path(), &socket(server), Moment::Text(TEXT), answer);
    let url = format!("mysql://root@localhost/?socket={}", rogue.socket.display());
    let login = Login { no_defaults: true, ..Login::default() };
    let through = open(&url.parse().unwrap(), &Options { login, ..options() }, &NoProgress).unwrap();
    let mut conn = through.connect().unwrap();
    check(&mut conn);
    assert!(rogue.has_answered());
}

#[test]
fn connection_ends_with_a_panic_of_the_driver() {
    let server = private("mariadb");
    for (name, send) in SENDERS {
        with_rogue(&server, rogue::empty_packet, |conn| {
            let error = send(conn).unwrap_err().to_string();
            assert!(error.contains("malformed"), "{name}: {error}");
            for _ in 0..2 {
                let error = conn.query_drop("SELECT 1").unwrap_err().to_string();
                assert!(error.contains("an earlier answer was malformed"), "{name}: {error}");
            }
        });
    }
}

#[test]
fn collected_rows_have_a_bound_however_they_are_mapped() {
    bounded::set_max_item_bytes(1 << 20);
    let server = private("mariadb");
    let collectors: [(&str, Send); 4] = [
        ("query", |conn| conn.query::<mysql::Row, _>(LARGE).map(drop)),
        ("query_map", |conn| conn.query_map(LARGE, |row: mysql::Row| drop(row)).map(drop)),
        ("exec", |conn| conn.exec::<mysql::Row, _, _>(LARGE, ()).map(drop)),
        ("exec_map", |conn| conn.exec_map(LARGE, (), |row: mysql::Row| drop(row)).map(drop)),
    ];
    for (name, collect) in collectors {
        let error = collect(&mut server.connect().unwrap()).unwrap_err().to_string();
        assert!(error.contains("larger than 16 MiB"), "{name}: {error}");
    }
}
