//! Error codes of MySQL and MariaDB, with the names of the servers' manuals without `ER_` ("Server
//! Error Message Reference", "MariaDB Error Codes"). A comment names the product if only one has
//! the code. From 4000 on, the products use the same numbers for different errors.

/// "Can't create table": MariaDB's code for an incorrect foreign key.
pub const CANT_CREATE_TABLE: u16 = 1005;
/// `CREATE DATABASE` of an existing schema.
pub const DB_CREATE_EXISTS: u16 = 1007;
pub const DISK_FULL: u16 = 1021;
pub const ERROR_ON_WRITE: u16 = 1026;
/// "Sort aborted": the code of a time-out in a sort.
pub const FILSORT_ABORT: u16 = 1028;
/// "Got error … from storage engine".
pub const GET_ERRNO: u16 = 1030;
/// "Too many connections", the limit `max_connections`.
pub const CON_COUNT_ERROR: u16 = 1040;
/// Access denied to a schema.
pub const DBACCESS_DENIED_ERROR: u16 = 1044;
/// Wrong account or password.
pub const ACCESS_DENIED_ERROR: u16 = 1045;
/// No schema is selected.
pub const NO_DB_ERROR: u16 = 1046;
/// Unknown schema.
pub const BAD_DB_ERROR: u16 = 1049;
pub const SERVER_SHUTDOWN: u16 = 1053;
/// Unknown column.
pub const BAD_FIELD_ERROR: u16 = 1054;
pub const DUP_ENTRY: u16 = 1062;
pub const PARSE_ERROR: u16 = 1064;
/// "Specified key was too long".
pub const TOO_LONG_KEY: u16 = 1071;
/// Code of several notes of MariaDB, among them "Cannot use key parts with … in the rowid range".
pub const UNKNOWN_ERROR: u16 = 1105;
/// "The table is full".
pub const RECORD_FILE_FULL: u16 = 1114;
pub const UNKNOWN_CHARACTER_SET: u16 = 1115;
/// "Row size too large".
pub const TOO_BIG_ROWSIZE: u16 = 1118;
pub const TABLEACCESS_DENIED_ERROR: u16 = 1142;
pub const COLUMNACCESS_DENIED_ERROR: u16 = 1143;
pub const NO_SUCH_TABLE: u16 = 1146;
pub const NET_READ_ERROR: u16 = 1158;
pub const NET_READ_INTERRUPTED: u16 = 1159;
pub const NET_ERROR_ON_WRITE: u16 = 1160;
pub const NET_WRITE_INTERRUPTED: u16 = 1161;
pub const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
/// The limit `max_user_connections`.
pub const TOO_MANY_USER_CONNECTIONS: u16 = 1203;
pub const LOCK_WAIT_TIMEOUT: u16 = 1205;
/// "The total number of locks exceeds the lock table size".
pub const LOCK_TABLE_FULL: u16 = 1206;
pub const LOCK_DEADLOCK: u16 = 1213;
/// "Cannot add foreign key constraint": MySQL 5.6's code for columns of different collations.
pub const CANNOT_ADD_FOREIGN: u16 = 1215;
/// A global privilege is missing.
pub const SPECIFIC_ACCESS_DENIED_ERROR: u16 = 1227;
pub const COLLATION_CHARSET_MISMATCH: u16 = 1253;
/// "Illegal mix of collations".
pub const CANT_AGGREGATE_2COLLATIONS: u16 = 1267;
/// Like [`CANT_AGGREGATE_2COLLATIONS`], of three operands.
pub const CANT_AGGREGATE_3COLLATIONS: u16 = 1270;
/// Like [`CANT_AGGREGATE_2COLLATIONS`], of more operands, or of the branches of a `UNION`.
pub const CANT_AGGREGATE_NCOLLATIONS: u16 = 1271;
pub const UNKNOWN_COLLATION: u16 = 1273;
/// "Column cannot be part of FULLTEXT index".
pub const BAD_FT_COLUMN: u16 = 1283;
/// The server runs with an option that prevents the statement, such as `--read-only`.
pub const OPTION_PREVENTS_STATEMENT: u16 = 1290;
/// "Column has duplicated value in ENUM", or in SET.
pub const DUPLICATED_VALUE_IN_TYPE: u16 = 1291;
/// "This command is not supported in the prepared statement protocol yet".
pub const UNSUPPORTED_PS: u16 = 1295;
/// Also for a named time zone on a server whose time zone tables are empty.
pub const UNKNOWN_TIME_ZONE: u16 = 1298;
pub const INVALID_CHARACTER_STRING: u16 = 1300;
/// "FUNCTION … does not exist", or PROCEDURE.
pub const SP_DOES_NOT_EXIST: u16 = 1305;
/// The statement was killed.
pub const QUERY_INTERRUPTED: u16 = 1317;
/// "EXPLAIN/SHOW can not be issued; lacking privileges for underlying table".
pub const VIEW_NO_EXPLAIN: u16 = 1345;
/// A view of something that is gone, or whose definer or invoker lacks rights.
pub const VIEW_INVALID: u16 = 1356;
/// "Incorrect string value".
pub const TRUNCATED_WRONG_VALUE_FOR_FIELD: u16 = 1366;
/// EXECUTE on a routine is missing. MariaDB opens no view of such a function.
pub const PROCACCESS_DENIED_ERROR: u16 = 1370;
pub const DATA_TOO_LONG: u16 = 1406;
/// "Cannot add or update a child row".
pub const NO_REFERENCED_ROW_2: u16 = 1452;
/// Account without password: its plugin refuses the login, such as MariaDB's `unix_socket`.
pub const ACCESS_DENIED_NO_PASSWORD_ERROR: u16 = 1698;
/// "Index column size too large": InnoDB's own limit.
pub const INDEX_COLUMN_TOO_LONG: u16 = 1709;
/// Warning of MySQL: "Cannot use … access on index … due to type or collation conversion".
pub const WARN_INDEX_NOT_APPLICABLE: u16 = 1739;
pub const CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: u16 = 1792;
pub const UNKNOWN_ALTER_ALGORITHM: u16 = 1800;
pub const UNKNOWN_ALTER_LOCK: u16 = 1801;
/// "Running in read-only mode".
pub const READ_ONLY_MODE: u16 = 1836;
/// The table cannot be altered with this ALGORITHM or LOCK.
pub const ALTER_OPERATION_NOT_SUPPORTED: u16 = 1845;
/// Like [`ALTER_OPERATION_NOT_SUPPORTED`], with a reason.
pub const ALTER_OPERATION_NOT_SUPPORTED_REASON: u16 = 1846;
pub const TEMP_FILE_WRITE_FAILURE: u16 = 1878;
/// MariaDB: the connection was killed.
pub const CONNECTION_KILLED: u16 = 1927;
/// MariaDB: `max_statement_time` was exceeded.
pub const STATEMENT_TIMEOUT: u16 = 1969;
/// MariaDB: a character has no encoding in the target charset.
pub const CANNOT_CONVERT_CHARACTER: u16 = 1977;
/// MySQL: `max_execution_time` was exceeded.
pub const QUERY_TIMEOUT: u16 = 3024;
/// The server takes TLS only (`require_secure_transport`).
pub const SECURE_TRANSPORT_REQUIRED: u16 = 3159;
/// MySQL: the session was killed.
pub const SESSION_WAS_KILLED: u16 = 3169;
/// MySQL 8: columns of a foreign key are incompatible.
pub const FK_INCOMPATIBLE_COLUMNS: u16 = 3780;
/// MySQL: a string has no encoding in the target charset.
pub const CANNOT_CONVERT_STRING: u16 = 3854;
/// MySQL: a parameter's or a variable's value has no encoding in the other operand's charset.
pub const IMPOSSIBLE_STRING_CONVERSION: u16 = 3988;
/// MySQL 8.0.22: a regular expression has bytes on one side and text on the other.
pub const CHARACTER_SET_MISMATCH: u16 = 3995;
/// MySQL 8: the client was disconnected after `wait_timeout`.
pub const CLIENT_INTERACTION_TIMEOUT: u16 = 4031;

/// True if the account lacks a privilege on a schema, table or column.
pub fn is_access_denied(code: u16) -> bool {
    matches!(code, DBACCESS_DENIED_ERROR | TABLEACCESS_DENIED_ERROR | COLUMNACCESS_DENIED_ERROR)
}

/// True if the server cannot compare or convert the operands of an expression because of their
/// character sets or collations.
pub fn is_collation_conflict(code: u16) -> bool {
    matches!(
        code,
        COLLATION_CHARSET_MISMATCH
            | CANT_AGGREGATE_2COLLATIONS
            | CANT_AGGREGATE_3COLLATIONS
            | CANT_AGGREGATE_NCOLLATIONS
            | CANNOT_CONVERT_STRING
            | IMPOSSIBLE_STRING_CONVERSION
            | CHARACTER_SET_MISMATCH
    )
}
