//! Reasons why a request cannot be measured.

/// A request cannot be measured on these servers.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No server has the named collation.
    #[error("{} {name}; {suggestion}", lack(servers, "collation"))]
    UnknownCollation {
        servers: Vec<String>,
        name: String,
        /// Similar names, as the end of the message.
        suggestion: String,
    },
    /// No server has the named charset, or clients may not use it.
    #[error("{} {name} for connections; {suggestion}", lack(servers, "charset"))]
    UnknownCharset {
        servers: Vec<String>,
        name: String,
        /// Similar names, as the end of the message.
        suggestion: String,
    },
    /// The named baseline cannot be used.
    #[error("the baseline {name} can't be used: {reason}; name another with --baseline")]
    UnusableBaseline { name: String, reason: String },
    /// No variant is left on a server: it lacks the collations, their character sets or keys can't
    /// hold the text, or the connections can't carry it.
    #[error(
        "nothing can be measured on {server} with the text `{text}`: it lacks the collations, can't store the text under them, or \
         the connections can't carry it; name others with --collation or --connection-charset"
    )]
    NothingToMeasure { server: String, text: String },
    #[error(transparent)]
    BufferPool(#[from] BufferPoolError),
    #[error(transparent)]
    Server(#[from] server::Error),
}

/// The requested buffer pools are not possible.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferPoolError {
    /// A server is not private.
    #[error(
        "--buffer-pool is for servers that weigh starts for itself, an instance for each variant; {server} runs already"
    )]
    Attached { server: String },
    /// A share of the tables' size needs a single text, since tables of several texts differ in
    /// size.
    #[error(
        "--buffer-pool {requested} is a share of the tables' size, which differs between several --text: name one text, or give a size such as 512M"
    )]
    SeveralTexts { requested: String },
    /// The buffer pool would be smaller than 8 MiB, the minimum that suits every server.
    #[error(
        "{requested} of the baseline's tables ({tables}) is {pool}, and servers start with 8.0 MiB or more: raise --table-size to {rows}"
    )]
    TooSmall {
        requested: String,
        /// Size of the tables.
        tables: String,
        /// Resulting size of the buffer pool.
        pool: String,
        /// Sufficient number of rows per table.
        rows: u64,
    },
    /// The folder of private instances is in memory, so nothing would be read from disk.
    #[error("{folder} is in memory, so nothing there is read from a disk: set TMPDIR to a folder on one")]
    InMemory { folder: String },
    #[error(
        "{instances} instances with tables of {tables} take {needed} of the disk of {folder}, which has {free} free: take fewer rows or \
         collations, or set TMPDIR to a folder on another disk"
    )]
    NoDisk {
        instances: usize,
        /// Size of all tables.
        tables: String,
        needed: String,
        folder: String,
        free: String,
    },
    #[error(
        "{instances} instances with a buffer pool of {pool} each take {needed} of memory, and {free} is free: take a smaller buffer pool or \
         fewer collations"
    )]
    NoMemory {
        instances: usize,
        /// Size of each buffer pool.
        pool: String,
        needed: String,
        free: String,
    },
}

/// Begins a message: `A has no collation`, `neither A nor B has a collation`.
fn lack(servers: &[String], what: &str) -> String {
    match servers {
        [server] => format!("{server} has no {what}"),
        servers => format!("neither {} has a {what}", servers.join(" nor ")),
    }
}
