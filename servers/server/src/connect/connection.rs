//! Connections with limits that hold for any server, also for a program that only pretends to be
//! one.
//!
//! - A statement has a time limit as a whole, not only for each read.
//! - If a statement runs for longer than the timeout, the server must answer on another connection,
//!   or the statement fails.
//! - A packet that makes the driver panic is an error of the statement.
//! - The rows that `query` or `exec` returns have at most 16 times [`bounded::max_item_bytes`],
//!   1 GiB by default.
//! - A row that does not convert to the requested types is an error, not a panic.
//!
//! On a connection that is opened without a time limit, the first two don't hold.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use lifecycle::contain;
use mysql::prelude::{AsStatement, FromRow, Queryable};
use mysql::{Binary, FromRowError, Params, QueryResult, Result, Row, Statement, Text};

use super::watch::{self, Operation, Watch};
use super::{Endpoint, control};

/// A connection to a server. Has the query methods of the driver's connection, and their types.
pub struct Conn {
    /// `None` after a panic of the driver in [`Conn::run`].
    inner: Option<mysql::Conn>,
    /// `None` without a time limit.
    watch: Option<Arc<Watch>>,
}

impl Conn {
    /// Adds the limits to a connection. `limit` is for a statement with all its rows.
    pub(super) fn new(inner: mysql::Conn, endpoint: &Endpoint, limit: Option<Duration>) -> io::Result<Self> {
        let watch = match limit {
            Some(limit) => Some(watch::watch_socket(inner.as_raw_fd(), endpoint, limit)?),
            None => None,
        };
        Ok(Self { inner: Some(inner), watch })
    }

    /// Changes the time limit of a statement with all its rows. Has no effect on a connection
    /// without a limit.
    pub fn set_limit(&self, limit: Duration) {
        if let Some(watch) = &self.watch {
            watch.set_limit(limit);
        }
    }

    /// Id of the connection on the server.
    pub fn connection_id(&self) -> u32 {
        self.inner.as_ref().map_or(0, mysql::Conn::connection_id)
    }

    /// Runs a query and returns its rows one by one.
    pub fn rows(&mut self, query: impl AsRef<str>) -> Result<Rows<'_>> {
        let operation = self.watch.as_ref().map(Watch::begin);
        let inner = usable(&mut self.inner)?;
        let result = contain_driver(|| inner.query_iter(query));
        let result = match &self.watch {
            Some(watch) => watch.explain(result)?,
            None => result?,
        };
        Ok(Rows { result: Some(result), watch: self.watch.clone(), _operation: operation })
    }

    /// Fails if the server takes a text for several statements, which the driver would let it run.
    /// Only the server knows where its `sql_mode` and character sets end a string: it refuses to
    /// prepare several statements. Asked only for a text with a semicolon.
    pub fn check_single(&mut self, text: &str) -> Result<()> {
        if !text.contains(';') {
            return Ok(());
        }
        let statement = self.prep(text)?;
        self.close(statement)
    }

    /// Runs a statement and calls `each` for the rows of all its results, which a procedure can
    /// have many of. Returns the number of rows changed, as the first result reports it.
    pub fn for_each_row(&mut self, statement: impl AsRef<str>, mut each: impl FnMut(Row)) -> Result<u64> {
        self.run(|conn| {
            let mut result = conn.query_iter(statement)?;
            let affected = result.affected_rows();
            while let Some(rows) = result.iter() {
                for row in rows {
                    each(row?);
                }
            }
            Ok(affected)
        })
    }

    fn run<T>(&mut self, statement: impl FnOnce(&mut mysql::Conn) -> Result<T>) -> Result<T> {
        let _operation = self.watch.as_ref().map(Watch::begin);
        let inner = usable(&mut self.inner)?;
        let result = match contain(|| statement(inner)) {
            Ok(result) => result,
            Err(panic) => {
                self.abandon();
                Err(malformed(&panic.to_string()))
            }
        };
        match &self.watch {
            Some(watch) => watch.explain(result),
            None => result,
        }
    }

    /// Closes the connection without COM_QUIT, for which the driver would read and write in a
    /// broken state.
    fn abandon(&mut self) {
        if let Some(inner) = self.inner.take() {
            cut(&inner);
            let _ = contain(|| drop(inner));
        }
    }
}

impl Drop for Conn {
    fn drop(&mut self) {
        // The driver reads the rest of a result, then sends COM_QUIT.
        let _operation = self.watch.as_ref().map(Watch::begin);
        let inner = self.inner.take();
        let _ = contain(|| drop(inner));
    }
}

impl std::fmt::Debug for Conn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conn").field("id", &self.connection_id()).finish_non_exhaustive()
    }
}

/// Rows of a query.
pub struct Rows<'c> {
    /// `None` only in `drop`.
    result: Option<QueryResult<'c, 'c, 'c, Text>>,
    watch: Option<Arc<Watch>>,
    _operation: Option<Operation>,
}

impl Rows<'_> {
    /// Names of the columns.
    pub fn column_names(&self) -> Vec<String> {
        let columns = self.result.as_ref().map(QueryResult::columns);
        columns.iter().flat_map(|all| all.as_ref()).map(|column| column.name_str().into_owned()).collect()
    }

    /// Number of rows that the statement changed.
    pub fn affected_rows(&self) -> u64 {
        self.result.as_ref().map_or(0, QueryResult::affected_rows)
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        let result = self.result.as_mut()?;
        let row = contain(|| result.next()).unwrap_or_else(|panic| Some(Err(malformed(&panic.to_string()))));
        match (row?, &self.watch) {
            (Ok(row), _) => Some(Ok(row)),
            (failed, Some(watch)) => Some(watch.explain(failed)),
            (failed, None) => Some(failed),
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        // Reads the rest of the result.
        let result = self.result.take();
        let _ = contain(|| drop(result));
    }
}

impl Queryable for Conn {
    /// Starts a query, to which the time limit does not apply: use [`Conn::rows`] or
    /// [`Conn::for_each_row`].
    fn query_iter<Q: AsRef<str>>(&mut self, query: Q) -> Result<QueryResult<'_, '_, '_, Text>> {
        let inner = usable(&mut self.inner)?;
        contain_driver(|| inner.query_iter(query))
    }

    fn query<T: FromRow, Q: AsRef<str>>(&mut self, query: Q) -> Result<Vec<T>> {
        let watch = self.watch.clone();
        self.run(|conn| collect(conn.query_iter(query)?, watch.as_deref()))
    }

    fn query_first<T: FromRow, Q: AsRef<str>>(&mut self, query: Q) -> Result<Option<T>> {
        self.run(|conn| conn.query_first::<Row, _>(query)?.map(convert).transpose())
    }

    fn query_fold<T, F, Q, U>(&mut self, query: Q, init: U, mut f: F) -> Result<U>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(U, T) -> U,
    {
        self.run(|conn| conn.query_iter(query)?.try_fold(init, |all, row| Ok(f(all, convert(row?)?))))
    }

    fn query_fold_opt<T, F, Q, U>(&mut self, query: Q, init: U, f: F) -> Result<U>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(U, std::result::Result<T, FromRowError>) -> U,
    {
        self.run(|conn| conn.query_fold_opt(query, init, f))
    }

    fn query_drop<Q: AsRef<str>>(&mut self, query: Q) -> Result<()> {
        self.run(|conn| conn.query_drop(query))
    }

    fn prep<Q: AsRef<str>>(&mut self, query: Q) -> Result<Statement> {
        self.run(|conn| conn.prep(query))
    }

    fn close(&mut self, statement: Statement) -> Result<()> {
        self.run(|conn| conn.close(statement))
    }

    fn exec_iter<S, P>(&mut self, statement: S, params: P) -> Result<QueryResult<'_, '_, '_, Binary>>
    where
        S: AsStatement,
        P: Into<Params>,
    {
        let inner = usable(&mut self.inner)?;
        contain_driver(|| inner.exec_iter(statement, params))
    }

    fn exec_batch<S, P, I>(&mut self, statement: S, params: I) -> Result<()>
    where
        S: AsStatement,
        P: Into<Params>,
        I: IntoIterator<Item = P>,
    {
        self.run(|conn| conn.exec_batch(statement, params))
    }

    fn exec<T, S, P>(&mut self, statement: S, params: P) -> Result<Vec<T>>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
    {
        let watch = self.watch.clone();
        self.run(|conn| collect(conn.exec_iter(statement, params)?, watch.as_deref()))
    }

    fn exec_first<T, S, P>(&mut self, statement: S, params: P) -> Result<Option<T>>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
    {
        self.run(|conn| conn.exec_first::<Row, _, _>(statement, params)?.map(convert).transpose())
    }

    fn exec_fold<T, S, P, U, F>(&mut self, statement: S, params: P, init: U, mut f: F) -> Result<U>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
        F: FnMut(U, T) -> U,
    {
        self.run(|conn| conn.exec_iter(statement, params)?.try_fold(init, |all, row| Ok(f(all, convert(row?)?))))
    }

    fn exec_drop<S, P>(&mut self, statement: S, params: P) -> Result<()>
    where
        S: AsStatement,
        P: Into<Params>,
    {
        self.run(|conn| conn.exec_drop(statement, params))
    }
}

fn usable(inner: &mut Option<mysql::Conn>) -> Result<&mut mysql::Conn> {
    inner.as_mut().ok_or_else(|| malformed("an earlier answer was malformed"))
}

fn contain_driver<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    contain(call).unwrap_or_else(|panic| Err(malformed(&panic.to_string())))
}

/// Collects rows up to a total size. Beyond it, cuts a watched connection: the driver would read
/// the rest.
fn collect<T: FromRow>(rows: impl Iterator<Item = Result<Row>>, watch: Option<&Watch>) -> Result<Vec<T>> {
    let limit = bounded::max_item_bytes().saturating_mul(16);
    let mut size = 0_usize;
    let bounded = rows.map(|row| {
        let row = row?;
        size = size.saturating_add(row_bytes(&row));
        if size > limit {
            if let Some(watch) = watch {
                watch.cut();
            }
            let text = format!("the answer is larger than {} MiB; WEIGH_MAX_ITEM sets the limit", limit >> 20);
            return Err(mysql::Error::IoError(io::Error::new(io::ErrorKind::FileTooLarge, text)));
        }
        convert(row)
    });
    bounded.collect()
}

/// Memory that the allocator takes in addition to an allocation, about.
const ALLOCATION_BYTES: usize = 16;

/// Memory of a row, about. The list of rows grows to twice their number.
fn row_bytes(row: &Row) -> usize {
    let value_bytes = |at: usize| match row.as_ref(at) {
        Some(mysql::Value::Bytes(bytes)) => size_of::<mysql::Value>() + ALLOCATION_BYTES + bytes.len(),
        _ => size_of::<mysql::Value>(),
    };
    (0..row.len()).map(value_bytes).sum::<usize>() + ALLOCATION_BYTES + 2 * size_of::<Row>()
}

fn convert<T: FromRow>(row: Row) -> Result<T> {
    T::from_row_opt(row).map_err(|FromRowError(row)| mysql::Error::FromRowError(row))
}

fn malformed(reason: &str) -> mysql::Error {
    let text = format!("the server's answer is malformed: {reason}");
    mysql::Error::IoError(io::Error::new(io::ErrorKind::InvalidData, text))
}

fn cut(conn: &mysql::Conn) {
    let _ = watch::duplicate(conn.as_raw_fd()).and_then(|socket| socket.shutdown(Shutdown::Both));
}

/// Opens the driver's connection. A panic of the driver is an error.
pub(super) fn open(options: mysql::OptsBuilder) -> Result<mysql::Conn> {
    contain_driver(|| mysql::Conn::new(options))
}

/// True if the server answers on a new connection, or refuses it.
pub(super) fn answers(endpoint: &Endpoint) -> bool {
    control::answers(endpoint)
}
