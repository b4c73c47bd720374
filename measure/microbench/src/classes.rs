//! Statement classes of the workload.

/// A statement class with one kind of work.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    pub name: &'static str,
    /// Description, as a comment of the statement's file.
    pub about: &'static str,
    /// Statement with `:name` for each parameter.
    pub(crate) sql: &'static str,
    pub(crate) parameters: &'static [(&'static str, Parameter)],
}

/// Kind of values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Id,
    /// First id of a range of 100 rows.
    RangeStart,
    /// Last id of the range that [`RangeStart`](Parameter::RangeStart) begins.
    RangeEnd,
    /// Id of no row.
    NewId,
    Name,
    /// Name of no row.
    NewName,
    Team,
    /// `abc%`, which matches up to ten names.
    Prefix,
    /// `%abc%`
    Infix,
    /// Characters of a note, mostly a word.
    Word,
    Code,
    CodeBytes,
    /// 100 ids.
    Ids,
    /// 100 names.
    Names,
    /// A text of 4,000 characters.
    LongText,
}

use Parameter as P;

/// Parameters of a statement that reads 100 rows by their ids.
const RANGE_PARAMETERS: &[(&str, P)] = &[("start", P::RangeStart), ("end", P::RangeEnd)];
/// Parameters of a statement that inserts a row.
const NEW_ROW_PARAMETERS: &[(&str, P)] =
    &[("id", P::NewId), ("name", P::NewName), ("friend", P::Name), ("team", P::Team)];
/// Parameters of a statement that changes a name.
const NEW_NAME_PARAMETERS: &[(&str, P)] = &[("name", P::NewName), ("id", P::Id)];

const fn class(
    name: &'static str,
    about: &'static str,
    sql: &'static str,
    parameters: &'static [(&'static str, P)],
) -> Class {
    Class { name, about, sql, parameters }
}

/// All classes, grouped by kind of work.
pub const CLASSES: [Class; 54] = [
    // Rows by a key
    class("select_by_int", "a row by an integer key", "SELECT name FROM people WHERE id = :id", &[("id", P::Id)]),
    class(
        "select_by_char",
        "a row by a CHAR(64) key",
        "SELECT id FROM by_char WHERE name = :name",
        &[("name", P::Name)],
    ),
    class(
        "select_by_varchar",
        "a row by a VARCHAR(64) key",
        "SELECT id FROM by_varchar WHERE name = :name",
        &[("name", P::Name)],
    ),
    class(
        "select_by_uuid_char",
        "a row by a UUID in CHAR(36)",
        "SELECT id FROM by_code WHERE code = :code",
        &[("code", P::Code)],
    ),
    class(
        "select_by_uuid_binary",
        "a row by a UUID in BINARY(16)",
        "SELECT id FROM by_code_bytes WHERE code_bytes = :code",
        &[("code", P::CodeBytes)],
    ),
    class(
        "select_by_secondary_key",
        "a row by a secondary index on VARCHAR(64)",
        "SELECT id FROM people WHERE name = :name",
        &[("name", P::Name)],
    ),
    class(
        "select_missing_row",
        "no row: a text that the index does not have",
        "SELECT id FROM people WHERE name = :name",
        &[("name", P::NewName)],
    ),
    // Ranges and patterns
    class(
        "range_by_text",
        "10 rows from a text on, by a secondary index",
        "SELECT name FROM people WHERE name >= :name ORDER BY name LIMIT 10",
        &[("name", P::Name)],
    ),
    class(
        "like_prefix",
        "10 rows by LIKE 'abc%', by a secondary index",
        "SELECT name FROM people WHERE name LIKE :prefix",
        &[("prefix", P::Prefix)],
    ),
    class(
        "like_infix",
        "LIKE '%abc%' on 100 names",
        "SELECT COUNT(*) FROM people WHERE id BETWEEN :start AND :end AND name LIKE :infix",
        &[("start", P::RangeStart), ("end", P::RangeEnd), ("infix", P::Infix)],
    ),
    class(
        "like_infix_long",
        "LIKE '%abc%' on 100 texts of 300 characters",
        "SELECT COUNT(*) FROM people WHERE id BETWEEN :start AND :end AND note LIKE :infix",
        &[("start", P::RangeStart), ("end", P::RangeEnd), ("infix", P::Infix)],
    ),
    class(
        "regexp",
        "REGEXP on 100 names",
        "SELECT COUNT(*) FROM people WHERE id BETWEEN :start AND :end AND name REGEXP :word",
        &[("start", P::RangeStart), ("end", P::RangeEnd), ("word", P::Word)],
    ),
    class(
        "scan_equal",
        "name = 'abc' without an index, over all rows",
        "SELECT COUNT(*) FROM indexes_0 WHERE name = :name",
        &[("name", P::Name)],
    ),
    class(
        "scan_less",
        "name < 'abc' without an index, over all rows",
        "SELECT COUNT(*) FROM indexes_0 WHERE name < :name",
        &[("name", P::Name)],
    ),
    class(
        "in_100_ids",
        "100 rows by IN of integers",
        "SELECT COUNT(name) FROM people WHERE id IN (:ids)",
        &[("ids", P::Ids)],
    ),
    class(
        "in_100_texts",
        "100 rows by IN of texts, by a secondary index",
        "SELECT COUNT(name) FROM people WHERE name IN (:names)",
        &[("names", P::Names)],
    ),
    class(
        "scan_in_100_texts",
        "IN of 100 texts on 100 rows, without an index",
        "SELECT COUNT(*) FROM indexes_0 WHERE id BETWEEN :start AND :end AND name IN (:names)",
        &[("start", P::RangeStart), ("end", P::RangeEnd), ("names", P::Names)],
    ),
    // Joins
    class(
        "join_by_int",
        "100 rows, each joined to another by an integer",
        "SELECT COUNT(b.name) FROM people a JOIN people b ON b.id = a.id WHERE a.id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "join_by_text",
        "100 rows, each joined to another by an index on VARCHAR(64)",
        "SELECT COUNT(b.id) FROM people a JOIN people b ON b.name = a.friend WHERE a.id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "join_without_index",
        "100 rows joined to 100 by a text that no index has",
        "SELECT COUNT(*) FROM indexes_0 a JOIN indexes_0 b ON b.name = a.friend WHERE a.id BETWEEN :start AND :end AND b.id BETWEEN 1 AND 100",
        RANGE_PARAMETERS,
    ),
    class(
        "in_subquery",
        "rows whose name is among the friends of 100 rows",
        "SELECT COUNT(*) FROM people WHERE name IN (SELECT friend FROM people WHERE id BETWEEN :start AND :end)",
        RANGE_PARAMETERS,
    ),
    // Groups and order
    class(
        "group_by",
        "100 rows grouped by a text",
        "SELECT team, COUNT(*) FROM people WHERE id BETWEEN :start AND :end GROUP BY team ORDER BY NULL",
        RANGE_PARAMETERS,
    ),
    class(
        "group_by_index",
        "all rows grouped by a text that an index has",
        "SELECT team, COUNT(*) FROM people GROUP BY team ORDER BY NULL",
        &[],
    ),
    class(
        "group_by_long",
        "100 rows grouped by texts of 300 characters",
        "SELECT COUNT(*) FROM (SELECT note FROM people WHERE id BETWEEN :start AND :end GROUP BY note) grouped",
        RANGE_PARAMETERS,
    ),
    class(
        "distinct",
        "DISTINCT of 100 texts",
        "SELECT COUNT(*) FROM (SELECT DISTINCT friend FROM people WHERE id BETWEEN :start AND :end) distinct_friends",
        RANGE_PARAMETERS,
    ),
    class(
        "count_distinct",
        "COUNT(DISTINCT) of 100 texts",
        "SELECT COUNT(DISTINCT friend) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "order_by",
        "100 rows sorted by a text",
        "SELECT friend FROM people WHERE id BETWEEN :start AND :end ORDER BY friend",
        RANGE_PARAMETERS,
    ),
    class(
        "order_by_long",
        "100 rows sorted by texts of 300 characters",
        "SELECT id FROM people WHERE id BETWEEN :start AND :end ORDER BY note",
        RANGE_PARAMETERS,
    ),
    class(
        "order_by_index",
        "100 rows in the order of an index on VARCHAR(64)",
        "SELECT name FROM people ORDER BY name LIMIT 100",
        &[],
    ),
    class(
        "order_by_limit",
        "the first 10 of all rows by a text that no index has",
        "SELECT friend FROM people ORDER BY friend LIMIT 10",
        &[],
    ),
    class(
        "row_number",
        "ROW_NUMBER() over 100 rows sorted by a text",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY friend) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "min_max",
        "MIN and MAX of 100 texts",
        "SELECT MIN(friend), MAX(friend) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "union",
        "UNION of 100 and 100 texts",
        "SELECT name FROM people WHERE id BETWEEN :start AND :end UNION SELECT friend FROM people WHERE id BETWEEN 1 AND 100",
        RANGE_PARAMETERS,
    ),
    class(
        "union_all",
        "UNION ALL of 100 and 100 texts",
        "SELECT name FROM people WHERE id BETWEEN :start AND :end UNION ALL SELECT friend FROM people WHERE id BETWEEN 1 AND 100",
        RANGE_PARAMETERS,
    ),
    // Functions, on 100 rows
    class(
        "read_text",
        "100 texts sent to the client",
        "SELECT name FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "upper_lower",
        "UPPER and LOWER",
        "SELECT UPPER(name), LOWER(friend) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "concat",
        "CONCAT of three texts",
        "SELECT CONCAT(name, ' / ', friend) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "char_length",
        "CHAR_LENGTH and SUBSTRING",
        "SELECT SUM(CHAR_LENGTH(name)), MAX(SUBSTRING(friend, 5, 20)) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "locate",
        "LOCATE in texts of 300 characters",
        "SELECT SUM(LOCATE(:word, note)) FROM people WHERE id BETWEEN :start AND :end",
        &[("word", P::Word), ("start", P::RangeStart), ("end", P::RangeEnd)],
    ),
    class(
        "replace",
        "REPLACE and TRIM",
        "SELECT REPLACE(TRIM(name), :word, '-') FROM people WHERE id BETWEEN :start AND :end",
        &[("word", P::Word), ("start", P::RangeStart), ("end", P::RangeEnd)],
    ),
    class(
        "convert_charset",
        "CONVERT to another character set",
        "SELECT SUM(LENGTH(CONVERT(name USING utf16))) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "json_value",
        "JSON_EXTRACT from text",
        "SELECT JSON_EXTRACT(doc, '$.name') FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class(
        "stored_function",
        "a stored function with a text parameter",
        "SELECT COUNT(fold(name)) FROM people WHERE id BETWEEN :start AND :end",
        RANGE_PARAMETERS,
    ),
    class("long_literal", "a literal of 4,000 characters", "SELECT CHAR_LENGTH(:text)", &[("text", P::LongText)]),
    class(
        "fulltext",
        "MATCH … AGAINST of one word",
        "SELECT COUNT(*) FROM articles WHERE MATCH (note) AGAINST (:word)",
        &[("word", P::Word)],
    ),
    // Changes, each rolled back
    class(
        "insert_no_text_index",
        "a row into a table without a text index",
        "INSERT INTO indexes_0 (id, name, friend, team) VALUES (:id, :name, :friend, :team)",
        NEW_ROW_PARAMETERS,
    ),
    class(
        "insert_1_text_index",
        "a row into a table with one text index",
        "INSERT INTO indexes_1 (id, name, friend, team) VALUES (:id, :name, :friend, :team)",
        NEW_ROW_PARAMETERS,
    ),
    class(
        "insert_3_text_indexes",
        "a row into a table with three text indexes",
        "INSERT INTO indexes_3 (id, name, friend, team) VALUES (:id, :name, :friend, :team)",
        NEW_ROW_PARAMETERS,
    ),
    class(
        "insert_select",
        "20 rows into a table with one text index",
        "INSERT INTO indexes_1 (id, name, friend, team) SELECT id + 1000000, name, friend, team FROM people WHERE id BETWEEN :start AND :start_again + 19",
        &[("start", P::RangeStart), ("start_again", P::RangeStart)],
    ),
    class(
        "insert_with_trigger",
        "a row into a table whose trigger folds a text",
        "INSERT INTO with_trigger (id, name) VALUES (:id, :name)",
        &[("id", P::NewId), ("name", P::NewName)],
    ),
    class(
        "update_no_text_index",
        "a text that no index has",
        "UPDATE indexes_0 SET name = :name WHERE id = :id",
        NEW_NAME_PARAMETERS,
    ),
    class(
        "update_1_text_index",
        "a text that an index has",
        "UPDATE indexes_1 SET name = :name WHERE id = :id",
        NEW_NAME_PARAMETERS,
    ),
    class(
        "delete_3_text_indexes",
        "a row of a table with three text indexes",
        "DELETE FROM indexes_3 WHERE id = :id",
        &[("id", P::Id)],
    ),
    class(
        "replace_row",
        "REPLACE of a new row into a table with one text index",
        "REPLACE INTO indexes_1 (id, name, friend, team) VALUES (:id, :name, :friend, :team)",
        NEW_ROW_PARAMETERS,
    ),
];
