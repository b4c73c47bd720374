//! Connections with limits that hold for any server, also for a program that only pretends to be
//! one.
//!
//! - A statement has a time limit as a whole, not only for each read.
//! - If a statement runs for longer than the timeout, the server must answer on another connection,
//!   or the statement fails.
//! - A packet that makes the driver panic is an error of the statement, and ends the connection.
//! - The rows that `query`, `query_map`, `exec` or `exec_map` returns have at most 16 times
//!   [`bounded::max_item_bytes`], 1 GiB by default.
//! - A row that does not convert to the requested types is an error, not a panic.
//! - A text that the server reads as several statements fails, as in [`single_statement`].
//!
//! On a connection that is opened without a time limit, the first two don't hold, nor do they for
//! [`query_iter`](Queryable::query_iter) and [`exec_iter`](Queryable::exec_iter).

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lifecycle::contain;
use mysql::prelude::{AsStatement, FromRow, Protocol, Queryable};
use mysql::{Binary, FromRowError, Params, QueryResult, Result, Row, Statement, Text};

use super::load_limits::Load;
use super::watch::{self, Operation, Watch};
use super::{Endpoint, control, single_statement};
use crate::error_code::UNSUPPORTED_PS;

/// A connection to a server. Has the query methods of the driver's connection, and their types.
pub struct Conn {
    /// `None` after a statement that follows a panic of the driver.
    inner: Option<mysql::Conn>,
    /// True after a panic of the driver.
    is_broken: AtomicBool,
    /// `None` without a time limit.
    watch: Option<Arc<Watch>>,
    /// Whether the server would run several statements of one text.
    allows_several: bool,
}

impl Conn {
    /// Sets the session variables that every statement of weigh depends on. Control connections
    /// have them from the start, except those of [`Server::log_in`](crate::Server::log_in).
    pub fn prepare_session(&mut self) -> mysql::Result<()> {
        super::session::prepare(self)
    }

    /// Adds the limits to a connection. `limit` is for a statement with all its rows.
    pub(super) fn new(inner: mysql::Conn, endpoint: &Endpoint, limit: Option<Duration>) -> io::Result<Self> {
        let watch = match limit {
            Some(limit) => Some(watch::watch_socket(inner.as_raw_fd(), endpoint, limit)?),
            None => None,
        };
        Ok(Self { inner: Some(inner), is_broken: AtomicBool::new(false), watch, allows_several: true })
    }

    /// Forbids several statements per text on the server, unless the connection has TLS.
    pub(super) fn forbid_several(&mut self, has_tls: bool) -> Result<()> {
        if has_tls {
            return Ok(());
        }
        let is_forbidden = self.run(|conn| {
            let mut socket = watch::duplicate(conn.as_raw_fd())?;
            Ok(single_statement::forbid_multi_statements(&mut socket)?)
        })?;
        self.allows_several = !is_forbidden;
        Ok(())
    }

    /// Changes the time limit of a statement with all its rows. Has no effect on a connection
    /// without a limit.
    pub fn set_limit(&self, limit: Duration) {
        if let Some(watch) = &self.watch {
            watch.set_limit(limit);
        }
    }

    /// Limits the total cost of all later statements.
    pub(crate) fn limit_load(&self, load: Load) {
        if let Some(watch) = &self.watch {
            watch.limit_load(load);
        }
    }

    /// Counts the length of a statement, with which the limits of [`Server::limit_load`] grow. Has
    /// no effect without them.
    ///
    /// [`Server::limit_load`]: crate::Server::limit_load
    pub fn add_load(&self, bytes: usize) {
        if let Some(watch) = &self.watch {
            watch.add_load(bytes as u64);
        }
    }

    /// Id of the connection on the server.
    pub fn connection_id(&self) -> u32 {
        self.inner.as_ref().map_or(0, mysql::Conn::connection_id)
    }

    /// Runs a query and returns its rows one by one.
    pub fn rows(&mut self, query: impl AsRef<str>) -> Result<Rows<'_>> {
        self.check_single(query.as_ref())?;
        let (operation, watch) = (self.watch.as_ref().map(Watch::begin), self.watch.clone());
        let (conn, guard) = self.driver()?;
        let result = guard.contain(|| conn.query_iter(query));
        let result = match &watch {
            Some(watch) => watch.explain(result)?,
            None => result?,
        };
        Ok(Rows { result: Some(result), guard, watch, _operation: operation })
    }

    /// Fails if the server reads a text as several statements, which it refuses to prepare. It
    /// parses a text before it finds that the kind of statement cannot be prepared.
    fn check_single(&mut self, text: &str) -> Result<()> {
        if !self.allows_several || !text.contains(';') {
            return Ok(());
        }
        match self.prep(text) {
            Ok(statement) => self.close(statement),
            Err(mysql::Error::MySqlError(error)) if error.code == UNSUPPORTED_PS => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Runs a statement and calls `each` for the rows of all its results, which a procedure can
    /// have many of. Returns the number of rows changed, as the first result reports it.
    pub fn for_each_row(&mut self, statement: impl AsRef<str>, mut each: impl FnMut(Row)) -> Result<u64> {
        self.check_single(statement.as_ref())?;
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
        let (conn, guard) = self.driver()?;
        let result = guard.contain(|| statement(conn));
        match &self.watch {
            Some(watch) => watch.explain(result),
            None => result,
        }
    }

    /// Runs a query and returns what `map` makes of its rows, up to their total size.
    fn collect<P: Protocol, U>(
        &mut self,
        start: impl FnOnce(&mut mysql::Conn) -> Result<QueryResult<'_, '_, '_, P>>,
        map: impl FnMut(Row) -> Result<U>,
    ) -> Result<Vec<U>> {
        let watch = self.watch.clone();
        self.run(|conn| collect(start(conn)?, watch.as_deref(), map))
    }

    /// Returns the driver's connection, and the guard of calls to it. Fails after a panic.
    fn driver(&mut self) -> Result<(&mut mysql::Conn, Guard<'_>)> {
        if *self.is_broken.get_mut()
            && let Some(inner) = self.inner.take()
        {
            let _ = contain(|| drop(inner));
        }
        let conn = self.inner.as_mut().ok_or_else(|| malformed("an earlier answer was malformed"))?;
        let guard = Guard { socket: conn.as_raw_fd(), is_broken: &self.is_broken };
        Ok((conn, guard))
    }
}

/// Contains panics of the driver while its connection is borrowed.
#[derive(Clone, Copy)]
struct Guard<'c> {
    socket: RawFd,
    is_broken: &'c AtomicBool,
}

impl Guard<'_> {
    /// Runs a call of the driver. A panic is an error and ends the connection: in its broken state,
    /// the driver must read and write no more, not even COM_QUIT.
    fn contain<T>(self, call: impl FnOnce() -> Result<T>) -> Result<T> {
        contain(call).unwrap_or_else(|panic| {
            self.is_broken.store(true, Ordering::Relaxed);
            // Fails if the server has closed it.
            let _ = watch::duplicate(self.socket).and_then(|socket| socket.shutdown(Shutdown::Both));
            Err(malformed(&panic.to_string()))
        })
    }

    fn is_broken(self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
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
    guard: Guard<'c>,
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
        if self.guard.is_broken() {
            return None;
        }
        let result = self.result.as_mut()?;
        match (self.guard.contain(|| result.next().transpose()).transpose()?, &self.watch) {
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
        self.check_single(query.as_ref())?;
        let (conn, guard) = self.driver()?;
        guard.contain(|| conn.query_iter(query))
    }

    fn query<T: FromRow, Q: AsRef<str>>(&mut self, query: Q) -> Result<Vec<T>> {
        self.query_map(query, |row| row)
    }

    fn query_map<T, F, Q, U>(&mut self, query: Q, mut f: F) -> Result<Vec<U>>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(T) -> U,
    {
        self.check_single(query.as_ref())?;
        self.collect(|conn| conn.query_iter(query), |row| Ok(f(convert(row)?)))
    }

    fn query_map_opt<T, F, Q, U>(&mut self, query: Q, mut f: F) -> Result<Vec<U>>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(std::result::Result<T, FromRowError>) -> U,
    {
        self.check_single(query.as_ref())?;
        self.collect(|conn| conn.query_iter(query), |row| Ok(f(T::from_row_opt(row))))
    }

    fn query_first<T: FromRow, Q: AsRef<str>>(&mut self, query: Q) -> Result<Option<T>> {
        self.check_single(query.as_ref())?;
        self.run(|conn| conn.query_first::<Row, _>(query)?.map(convert).transpose())
    }

    fn query_fold<T, F, Q, U>(&mut self, query: Q, init: U, mut f: F) -> Result<U>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(U, T) -> U,
    {
        self.check_single(query.as_ref())?;
        self.run(|conn| conn.query_iter(query)?.try_fold(init, |all, row| Ok(f(all, convert(row?)?))))
    }

    fn query_fold_opt<T, F, Q, U>(&mut self, query: Q, init: U, f: F) -> Result<U>
    where
        Q: AsRef<str>,
        T: FromRow,
        F: FnMut(U, std::result::Result<T, FromRowError>) -> U,
    {
        self.check_single(query.as_ref())?;
        self.run(|conn| conn.query_fold_opt(query, init, f))
    }

    fn query_drop<Q: AsRef<str>>(&mut self, query: Q) -> Result<()> {
        self.check_single(query.as_ref())?;
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
        let (conn, guard) = self.driver()?;
        guard.contain(|| conn.exec_iter(statement, params))
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
        self.exec_map(statement, params, |row| row)
    }

    fn exec_map<T, S, P, F, U>(&mut self, statement: S, params: P, mut f: F) -> Result<Vec<U>>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
        F: FnMut(T) -> U,
    {
        self.collect(|conn| conn.exec_iter(statement, params), |row| Ok(f(convert(row)?)))
    }

    fn exec_map_opt<T, S, P, F, U>(&mut self, statement: S, params: P, mut f: F) -> Result<Vec<U>>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
        F: FnMut(std::result::Result<T, FromRowError>) -> U,
    {
        self.collect(|conn| conn.exec_iter(statement, params), |row| Ok(f(T::from_row_opt(row))))
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

    fn exec_fold_opt<T, S, P, U, F>(&mut self, statement: S, params: P, init: U, f: F) -> Result<U>
    where
        S: AsStatement,
        P: Into<Params>,
        T: FromRow,
        F: FnMut(U, std::result::Result<T, FromRowError>) -> U,
    {
        self.run(|conn| conn.exec_fold_opt(statement, params, init, f))
    }

    fn exec_drop<S, P>(&mut self, statement: S, params: P) -> Result<()>
    where
        S: AsStatement,
        P: Into<Params>,
    {
        self.run(|conn| conn.exec_drop(statement, params))
    }
}

/// Collects what `map` makes of rows, up to their total size. Beyond it, cuts a watched connection:
/// the driver would read the rest.
fn collect<U>(
    rows: impl Iterator<Item = Result<Row>>,
    watch: Option<&Watch>,
    mut map: impl FnMut(Row) -> Result<U>,
) -> Result<Vec<U>> {
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
        map(row)
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

/// Opens the driver's connection. A panic of the driver is an error.
pub(super) fn open(options: mysql::OptsBuilder) -> Result<mysql::Conn> {
    contain(|| mysql::Conn::new(options)).unwrap_or_else(|panic| Err(malformed(&panic.to_string())))
}

/// True if the server answers on a new connection, or refuses it.
pub(super) fn answers(endpoint: &Endpoint) -> bool {
    control::answers(endpoint)
}
