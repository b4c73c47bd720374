"""Operations on whole tables: collisions, DISTINCT and ORDER BY under a collation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import CharType, DataType, StringType, VarcharType

from mysql_collation import Collation

from .functions import as_collation, named, quoted, sort_key

# One collation for all string columns, or a collation per column. String columns without one are
# compared by bytes.
Collations: TypeAlias = str | Collation | Mapping[str, str | Collation]
# A column, or a column and the number of its first characters (bytes of a binary column).
Key: TypeAlias = str | tuple[str, int]


@dataclass(frozen=True)
class _Part:
    """A column to compare."""

    name: str
    data_type: DataType
    collation: Collation | None
    prefix: int | None = None

    @property
    def value(self) -> Column:
        """The column's value. Strings are compared by bytes, whatever their collation in Spark."""
        column = F.col(quoted(self.name))
        collated = getattr(self.data_type, "collation", "UTF8_BINARY") != "UTF8_BINARY"
        return F.collate(column, "UTF8_BINARY") if collated else column

    def key(self, column: Column | None = None) -> Column:
        """Returns a value that is equal if the server's values are: the sort key of text, other types unchanged."""
        value = self.value if column is None else column
        if self.prefix is not None:
            value = F.substring(value, 1, self.prefix)
        return value if self.collation is None else sort_key(value, self.collation)


def _part(df: DataFrame, key: Key, collations: Collations, flavour: Literal["mysql", "mariadb"] | None) -> _Part:
    wanted, prefix = (key, None) if isinstance(key, str) else key
    names = {field.name: field for field in df.schema.fields}
    alike = [name for name in names if name.casefold() == wanted.casefold()]
    if wanted not in names and len(alike) != 1:
        raise ValueError(f"there is no column {wanted}; there are {', '.join(names)}")
    field = names[wanted if wanted in names else alike[0]]
    text = isinstance(field.dataType, (StringType, CharType, VarcharType))
    given = collations.get(field.name) if isinstance(collations, Mapping) else collations
    collation = as_collation(given, flavour) if text and given is not None else None
    return _Part(field.name, field.dataType, collation, prefix)


def collisions(
    df: DataFrame,
    keys: Sequence[Key],
    to: Collations,
    flavour: Literal["mysql", "mariadb"] | None = None,
    *,
    identify: Sequence[str] = (),
    distinct: bool = True,
    examples: int = 10,
) -> DataFrame:
    """Returns the groups of rows that are equal in a unique key on ``keys`` under the collation ``to``.

    Each row is a group: ``count``, its number of rows, and ``rows``, its first ``examples`` values. Each value has ``key`` (the columns
    ``identify`` of one row), ``values`` (the columns of the key), and ``count`` (the number of rows with these values).

    A key is the name of a column, or a name and the number of indexed characters. Strings are compared by their keys under
    ``to``, other types as Spark compares them. A row with NULL in the key collides with no row, as in the server.

    Distinct values are found first, and keys are computed of these. If the values are unique already, as in a unique key,
    ``distinct=False`` saves that step. Rows collide if their sort keys are equal; no hash is involved.
    """
    if not keys:
        raise ValueError("name the columns of the key")
    parts = [_part(df, key, to, flavour) for key in keys]
    identified = {name: F.col(quoted(name)) for name in identify}
    present = df.where(reduce(and_, (part.value.isNotNull() for part in parts)))
    columns = {f"value_{at}": part.value for at, part in enumerate(parts)}
    if distinct:
        # Spark aggregates the minimum of a number in a hash table, but not the minimum of a struct.
        least = [F.min(column) for column in identified.values()]
        least = [named(dict(zip(identified, least)))] if len(least) == 1 else [F.min(named(identified))] if least else []
        key = [column.alias("key") for column in least]
        grouped = present.groupBy(*(column.alias(name) for name, column in columns.items()))
        values = grouped.agg(F.count(F.lit(1)).alias("count"), *key)
    else:
        key = [named(identified).alias("key")] if identified else []
        values = present.select(*(column.alias(name) for name, column in columns.items()), F.lit(1).cast("long").alias("count"), *key)

    shown = {"key": F.col("key")} if identified else {}
    shown |= {"values": named({part.name: F.col(f"value_{at}") for at, part in enumerate(parts)}), "count": F.col("count")}
    made = {f"part_{at}": part.key(F.col(f"value_{at}")) for at, part in enumerate(parts)}
    keyed = values.select(*(column.alias(name) for name, column in made.items()), named(shown).alias("row"))
    # A window sorts: groups of any number and size need less memory than in a hash table.
    same = Window.partitionBy(*made)
    colliding = keyed.withColumn("count", F.sum("row.count").over(same)).where(F.col("count") > 1)
    first = colliding.withColumn("place", F.row_number().over(same.orderBy("row"))).where(F.col("place") <= examples)
    rows = F.array_sort(F.collect_list("row")).alias("rows")
    return first.groupBy(*made).agg(F.first("count").alias("count"), rows).drop(*made)


def distinct_under(
    df: DataFrame,
    collation: Collations,
    columns: Sequence[str] | None = None,
    flavour: Literal["mysql", "mariadb"] | None = None,
) -> DataFrame:
    """Returns one row per group of rows that are equal in ``columns`` (default: all), like ``SELECT DISTINCT``. NULLs are equal.

    As in the server, any row of a group may remain.
    """
    parts = [_part(df, name, collation, flavour) for name in (df.columns if columns is None else columns)]
    made = {f"mysql_collation_key_{at}": part.key() for at, part in enumerate(parts)}
    return df.withColumns(made).dropDuplicates(list(made)).drop(*made)


def order_by(
    df: DataFrame,
    columns: str | Sequence[str],
    collation: Collations,
    flavour: Literal["mysql", "mariadb"] | None = None,
    *,
    ascending: bool | Sequence[bool] = True,
) -> DataFrame:
    """Sorts rows like ``ORDER BY columns``: NULLs first, or last in descending order."""
    names = [columns] if isinstance(columns, str) else list(columns)
    directions = [ascending] * len(names) if isinstance(ascending, bool) else list(ascending)
    if len(directions) != len(names):
        raise ValueError(f"{len(names)} columns have {len(directions)} directions")
    keys = [_part(df, name, collation, flavour).key() for name in names]
    return df.orderBy(*(key.asc_nulls_first() if up else key.desc_nulls_last() for key, up in zip(keys, directions)))
