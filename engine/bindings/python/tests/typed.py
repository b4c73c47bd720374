"""Checked by `mypy --strict`, never run: tests the stubs."""

from typing import assert_type

import numpy as np
import polars as pl

from mysql_collation import Array, Collation, collations

collation = Collation("utf8mb4_0900_ai_ci", flavour="mysql")
assert_type(collation.compare("a", b"a") < 1, bool)
assert_type(collation.equal("a", "b"), bool)
assert_type(collation.equal(["a", None], "b"), Array)
assert_type(collation.equal("b", pl.Series(["a"])), Array)
assert_type(collation.like(np.array(["a"]), "b%", escape=None), Array)
assert_type(collation.like("a", "b%"), bool)
assert_type(sorted(["b", "a"], key=collation.sort_key), list[str])
assert_type(collation.duplicates([b"a"], keep=False, nulls_equal=False), Array)
assert_type(collation.upper("a"), str)
assert_type(collation.split(b"a", "b", 2), list[bytes])
assert_type(collation.prefix_range("a"), tuple[bytes, bytes | None])
assert_type(collations("mariadb"), list[str])
Collation("utf8mb4_bin", flavour="percona")  # type: ignore[arg-type]
collation.sort_key(1)  # type: ignore[arg-type]
