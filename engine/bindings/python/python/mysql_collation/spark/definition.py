"""Definition of a table on a server: columns, unique keys, and how to read them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from mysql_collation import Collation

from .jdbc import Refused, Server, identifier, literal

INTEGERS = {"tinyint", "smallint", "mediumint", "int", "bigint"}
BYTES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit"}
ROUNDED = {"float", "double"}


@dataclass(frozen=True)
class Column:
    """A column: name of its type, full type, and collation of text."""

    name: str
    data_type: str
    column_type: str
    collation: str | None
    charset: str | None
    nullable: bool

    @property
    def expression(self) -> str:
        """Expression to select the column.

        The server converts text to UTF-8: Java's tables differ (it cannot decode byte 0x81 of latin1), and Spark pads CHAR.
        The server formats dates and decimals: drivers change them.
        """
        name = identifier(self.name)
        if self.data_type in INTEGERS | BYTES:
            return name
        return f"CAST({name} AS CHAR) AS {name}" if self.collation is None else f"CONVERT({name} USING utf8mb4) AS {name}"

    @property
    def spark_type(self) -> str:
        """Spark type of the column."""
        if self.data_type in INTEGERS:
            return "DECIMAL(20,0)" if "unsigned" in self.column_type else "BIGINT"
        return "BINARY" if self.data_type in BYTES else "STRING"


@dataclass(frozen=True)
class Key:
    """A unique key: its columns, each with the number of indexed characters, or ``None`` for all."""

    name: str
    parts: tuple[tuple[str, int | None], ...]
    # True if the server enforces the key now.
    is_enforced: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.parts)


@dataclass(frozen=True)
class Table:
    """Definition of a table in information_schema."""

    schema: str
    name: str
    columns: dict[str, Column]
    primary: tuple[str, ...]
    unique: tuple[Key, ...]
    # Unique keys with an expression, which only the server can compute.
    functional: tuple[str, ...]

    @classmethod
    def of(cls, server: Server, spark: SparkSession, name: str) -> "Table":
        """Reads the definition of ``schema.table``, or of ``table`` in the URL's schema."""
        schema, _, table = name.rpartition(".")
        if not schema:
            schema = server.query(spark, "SELECT DATABASE() AS name")[0].name
            if schema is None:
                raise Refused(f"say which schema {name} is in: --table SCHEMA.{name}, or the URL's end")
        where = f"TABLE_SCHEMA = {literal(schema)} AND TABLE_NAME = {literal(table)}"
        rows = server.query(
            spark,
            "SELECT COLUMN_NAME AS name, DATA_TYPE AS data_type, CAST(COLUMN_TYPE AS CHAR) AS column_type, COLLATION_NAME AS collation,"
            " CHARACTER_SET_NAME AS charset, IS_NULLABLE AS nullable, TABLE_SCHEMA AS table_schema, TABLE_NAME AS table_name"
            f" FROM information_schema.COLUMNS WHERE {where} ORDER BY ORDINAL_POSITION",
        )
        if not rows:
            raise Refused(f"the server shows this account no table {schema}.{table}")
        columns = {
            row.name: Column(row.name, row.data_type.lower(), row.column_type.lower(), row.collation, row.charset, row.nullable == "YES")
            for row in rows
        }
        parts = server.query(
            spark,
            "SELECT INDEX_NAME AS name, COLUMN_NAME AS part, CAST(SUB_PART AS SIGNED) AS prefix"
            f" FROM information_schema.STATISTICS WHERE {where} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX",
        )
        indexes: dict[str, list[tuple[str, int | None]]] = {}
        for row in parts:
            indexes.setdefault(row.name, []).append((row.part, row.prefix))
        primary = tuple(name for name, _ in indexes.get("PRIMARY", []))
        functional = tuple(name for name, parts in indexes.items() if any(part is None for part, _ in parts))
        unique = tuple(Key(name, tuple(parts), is_enforced=True) for name, parts in indexes.items() if name not in functional)
        return cls(rows[0].table_schema, rows[0].table_name, columns, primary, unique, functional)

    @property
    def quoted(self) -> str:
        return f"{identifier(self.schema)}.{identifier(self.name)}"

    def column(self, name: str) -> Column:
        """Returns the column with this name, in upper or lower case."""
        for column in self.columns.values():
            if column.name.casefold() == name.casefold():
                return column
        raise Refused(f"{self.schema}.{self.name} has no column {name}; it has {', '.join(self.columns)}")

    def key(self, wanted: Key) -> Key:
        """Returns the server's key with the same parts, or a new key with the columns' actual names."""
        parts = tuple((self.column(name).name, prefix) for name, prefix in wanted.parts)
        same = [key for key in self.unique if key.parts == parts]
        return same[0] if same else Key(wanted.name, parts)

    def conversions(self, to: Collation) -> dict[str, tuple[Collation, str | None]]:
        """Returns the collation of each text column after the conversion, with a reason if it is not ``to``. The rules are those of ``weigh preflight``."""
        given = {}
        for column in self.columns.values():
            if column.collation is None:
                continue
            if column.charset == "ascii":
                name, reason = column.collation, "ascii was chosen for it: its text is the same in any other character set, and its keys are shorter"
            elif column.collation.endswith("_bin") and not to.name.endswith("_bin"):
                name, reason = f"{to.charset}_bin", "it compares codes now (_bin), and goes on doing so"
            else:
                name, reason = to.name, None
            given[column.name] = Collation(name, to.flavour), reason
        return given

    def ranges(self, server: Server, spark: SparkSession, count: int) -> tuple[list[str], str]:
        """Returns conditions that split the table into at most ``count`` ranges of an integer key, and a description for people. Without conditions it is read in one pass."""
        leading = [self.primary] if self.primary else []
        leading += [key.columns for key in self.unique if not any(self.columns[name].nullable for name in key.columns)]
        numeric = [columns[0] for columns in leading if self.columns[columns[0]].data_type in INTEGERS]
        if not numeric or count < 2:
            return [], "in one pass over one connection" + ("" if numeric else ": no unique key begins with a whole number")
        name = numeric[0]
        quoted = identifier(name)
        # As text: a BIGINT UNSIGNED exceeds Spark's integer type.
        bounds = server.query(
            spark,
            f"SELECT CAST(MIN({quoted}) AS CHAR) AS low, CAST(MAX({quoted}) AS CHAR) AS high FROM {self.quoted}",
        )[0]
        if bounds.low is None:
            return [], "in one pass: it is empty"
        low, high = int(bounds.low), int(bounds.high)
        return split(quoted, low, high, count), f"in ranges of {name}"

    def read(self, server: Server, spark: SparkSession, columns: Sequence[str], ranges: Sequence[str]) -> DataFrame:
        """Reads some of the columns."""
        wanted = [self.columns[name] for name in columns]
        query = f"SELECT {', '.join(column.expression for column in wanted)} FROM {self.quoted}"
        return server.rows(spark, query, {column.name: column.spark_type for column in wanted}, ranges)


def split(column: str, low: int, high: int, count: int) -> list[str]:
    """Returns conditions for at most ``count`` ranges of similar width; none for one range. The first and the last are open, so each number is in one range."""
    width = high - low + 1
    cuts = sorted({low + width * at // count for at in range(1, count)} - {low})
    if not cuts:
        return []
    between = [f"{column} >= {start} AND {column} < {end}" for start, end in zip(cuts, cuts[1:])]
    return [f"{column} < {cuts[0]}", *between, f"{column} >= {cuts[-1]}"]
