//! Servers that the rules are compared with.

/// A server of each series with limits of its own.
pub const SERVERS: [&str; 10] = [
    "mysql@5.6",
    "mysql@5.7",
    "mysql@8.0",
    "mysql@sid",
    "mariadb@10.1",
    "mariadb@10.2",
    "mariadb@bullseye",
    "mariadb@bookworm",
    "mariadb@11.4",
    "mariadb@trixie",
];
