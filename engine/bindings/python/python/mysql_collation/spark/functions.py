"""Sort keys as Spark columns."""

from collections.abc import Callable
from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import Column, functions

from mysql_collation import Collation


def as_collation(collation: str | Collation, flavour: Literal["mysql", "mariadb"] | None = None) -> Collation:
    """Returns a collation, which may be given by name."""
    return collation if isinstance(collation, Collation) else Collation(collation, flavour)


def sort_key(
    column: Column | str,
    collation: str | Collation,
    flavour: Literal["mysql", "mariadb"] | None = None,
) -> Column:
    """Returns the sort key of each string (binary). NULL for NULL.

    Equal strings have equal keys, and Spark orders keys as the server orders the strings. Rows can be grouped, joined and sorted by
    key. The column contains strings, or bytes in the collation's character set.

    Raises ``LookupError`` and ``ValueError`` as ``Collation`` does. A character that the collation's character set lacks fails the job.
    utf8mb4 has all characters.
    """
    known = as_collation(collation, flavour)
    make = arrow_keys if hasattr(functions, "arrow_udf") else pandas_keys
    return make(known)(column)


def arrow_keys(collation: Collation) -> Callable[[Column | str], Column]:
    """Returns the function that computes keys on workers, from Spark 4.1 on."""

    def keys(column: pa.Array) -> pa.Array:
        # Spark expects 32-bit offsets.
        return pa.array(collation.sort_keys(column)).cast(pa.binary())

    # getattr: earlier versions lack the function.
    made: Callable[[Column | str], Column] = getattr(functions, "arrow_udf")(keys, "binary")
    return made


def pandas_keys(collation: Collation) -> Callable[[Column | str], Column]:
    """Returns the function that computes keys on workers, before Spark 4.1."""
    import pandas as pd

    def keys(column: pd.Series) -> pd.Series:
        return pd.Series(collation.sort_keys(column).to_pylist(), dtype=object)

    made: Callable[[Column | str], Column] = getattr(functions, "pandas_udf")(keys, "binary")
    return made


def quoted(name: str) -> str:
    """Quotes a column's name for Spark's SQL."""
    return "`" + name.replace("`", "``") + "`"


def named(struct: dict[str, Column]) -> Any:
    """Returns a struct of named columns."""
    return functions.struct(*(column.alias(name) for name, column in struct.items()))
