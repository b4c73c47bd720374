"""The SQL functions of engine/ports/java/spark in this version of Spark, compared with this package."""

import pytest
from conftest import strings

from mysql_collation import Collation

NAMES = ["utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "utf8mb4_ja_0900_as_cs_ks"]


@pytest.mark.parametrize("name", NAMES)
def test_functions_agree_with_this_package(spark, name):
    rows = list(zip(range(2_000), strings(7, 2_000), strings(8, 2_000)))
    frame = spark.createDataFrame(rows, "id int, a string, b string")
    calls = ["mysql_sort_key(a, {})", "mysql_compare(a, b, {})", "mysql_equal(a, b COLLATE UNICODE_CI, {})", "mysql_like(a, concat(b, '%'), {})"]
    found = frame.selectExpr("id", *(call.format(f"'{name}', 'mysql'") for call in calls)).collect()
    collation = Collation(name, "mysql")
    assert len(found) == len(rows)
    for at, key, order, equal, like in found:
        _, a, b = rows[at]
        assert (key and bytes(key)) == (None if a is None else collation.sort_key(a))
        if a is None or b is None:
            assert (order, equal, like) == (None, None, None)
        else:
            expected = collation.compare(a, b)
            assert (order, equal, like) == (expected, expected == 0, collation.like(a, b + "%"))


def test_calls_are_compiled_with_their_stage(spark):
    code = spark.sql("EXPLAIN CODEGEN SELECT mysql_sort_key(CAST(id AS STRING), 'utf8mb4_0900_ai_ci', 'mysql') FROM range(9)").first()[0]
    assert "Found 1 WholeStageCodegen subtree" in code and ".invoke(" in code, code


def test_mistakes_are_named(spark):
    with pytest.raises(Exception, match="give the flavour, 'mysql' or 'mariadb'"):
        spark.sql("SELECT mysql_sort_key('a', 'utf8mb4_0900_ai_ci')")
