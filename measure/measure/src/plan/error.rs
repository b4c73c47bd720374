//! Reasons why a request cannot be measured.

/// A request cannot be measured on these servers.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No server has the named collation.
    #[error("{server} has no collation {name}; {nearest}")]
    UnknownCollation {
        /// Server names.
        server: String,
        name: String,
        /// Similar names, as the end of the message.
        nearest: String,
    },
    /// No server has the named charset, or clients may not use it.
    #[error("{server} has no charset {name} for connections; {nearest}")]
    UnknownCharset {
        /// Server names.
        server: String,
        name: String,
        /// Similar names, as the end of the message.
        nearest: String,
    },
    /// The named baseline cannot be used.
    #[error("the baseline {name} can't be used: {reason}; name another with --baseline")]
    NoBaseline { name: String, reason: String },
    /// On a server no collation of the request is left: it lacks them, or their character sets or
    /// keys can't hold the text.
    #[error(
        "none of the collations can be measured on {server} with the text `{text}`: it lacks them, or can't store the text \
         under them; name others with --collation"
    )]
    NothingToMeasure { server: String, text: String },
    /// The requested buffer pools are not possible.
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
        "--buffer-pool {requested} is of tables with one --text, as those of several differ in size: name one, or give a size such as 512M"
    )]
    SeveralTexts { requested: String },
    /// The buffer pool would be smaller than 8 MiB, which every server accepts.
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
    /// Not enough disk space.
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
    /// Not enough memory.
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
