"""Sort keys as columns of Spark."""

from collections.abc import Callable
from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import Column, functions

from mysql_collation import Collation


def as_collation(collation: str | Collation, flavour: Literal["mysql", "mariadb"] | None = None) -> Collation:
    """A collation, also by name."""
    return collation if isinstance(collation, Collation) else Collation(collation, flavour)


def sort_key(
    column: Column | str,
    collation: str | Collation,
    flavour: Literal["mysql", "mariadb"] | None = None,
) -> Column:
    """The sort key of each string (binary); NULL for NULL.

    Keys are equal where the strings are, and Spark orders them as the server orders the strings, so that they can be grouped, joined and
    sorted by. The column is one of strings, or binary in the collation's character set.

    Raises ``LookupError`` and ``ValueError`` as ``Collation`` does. A character that the collation's character set lacks fails the job that
    meets it; utf8mb4 lacks none.
    """
    known = as_collation(collation, flavour)
    make = arrow_keys if hasattr(functions, "arrow_udf") else pandas_keys
    return make(known)(column)


def arrow_keys(collation: Collation) -> Callable[[Column | str], Column]:
    """The function by which workers make keys, from Spark 4.1 on."""

    def keys(column: pa.Array) -> pa.Array:
        # With offsets of 32 bits, which is what Spark expects.
        return pa.array(collation.sort_keys(column)).cast(pa.binary())

    # Not by name: earlier versions lack it.
    made: Callable[[Column | str], Column] = getattr(functions, "arrow_udf")(keys, "binary")
    return made


def pandas_keys(collation: Collation) -> Callable[[Column | str], Column]:
    """The same before Spark 4.1."""
    import pandas as pd

    def keys(column: pd.Series) -> pd.Series:
        return pd.Series(collation.sort_keys(column).to_pylist(), dtype=object)

    made: Callable[[Column | str], Column] = getattr(functions, "pandas_udf")(keys, "binary")
    return made


def quoted(name: str) -> str:
    """A column's name as Spark's SQL takes it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def named(struct: dict[str, Column]) -> Any:
    """A struct of columns."""
    return functions.struct(*(column.alias(name) for name, column in struct.items()))
