//! Checks whose findings come from reading definitions, from the plan's statements and from the
//! rehearsal, and the check of the binary log.

use super::{Check, CheckFunction};
use check::Reading;

pub static UNREADABLE: Check = Check {
    name: "unreadable",
    title: "tables and views that the server can't open, and tables that the account may not read",
    reads: &[Reading::Schemas],
    doc: "A crashed MyISAM table, a table of a missing engine, a MERGE table whose parts differ, a view of a dropped table (error 1356). \
              They are left out, and everything else is checked. So are tables of which the account may read some columns only.",
    run: CheckFunction::Elsewhere,
};

pub static REHEARSAL: Check = Check {
    name: "rehearsal",
    title: "statements of the plan that a server of this version refuses, and what they change besides collations",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "The plan runs statement by statement on a private server that has the same tables, a sample of rows, and all programs. What is \
              refused blocks its table. Afterwards every definition is read back and compared, tables are checked, loaded again from their \
              definition, and generated columns, indexes and texts are compared. --trial none skips it.",
    run: CheckFunction::Elsewhere,
};

pub static CLIENT: Check = Check {
    name: "client",
    title: "definitions in which a command-line client sees commands of its own, or the end of the statement",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "The clients mysql and mariadb look for commands such as \\! COMMAND, which runs a program on the machine of the client. Where \
              quotes and comments end for them differs from where they end for the server. Such a statement is left out of the plan, with \
              its text: --format json has it.",
    run: CheckFunction::Elsewhere,
};

pub static BINARY_LOG: Check = Check {
    name: "binary-log",
    title: "functions that a server with a binary log refuses to create again",
    reads: &[Reading::Settings, Reading::Programs],
    doc: "With log_bin on and log_bin_trust_function_creators off, CREATE FUNCTION ends with error 1418 unless the function says \
              DETERMINISTIC, NO SQL or READS SQL DATA. A plan that has dropped it by then has lost it.",
    run: CheckFunction::Facts(super::binary_log::run),
};
