"""Keys, collisions, DISTINCT and ORDER BY in Spark, compared with the columns of this package."""

import pyarrow as pa
import pytest
from conftest import strings

from mysql_collation import Collation

ROWS = 3_000
NAME = "utf8mb4_0900_ai_ci"
MYSQL = Collation(NAME, "mysql")


@pytest.fixture(scope="module")
def rows():
    """Returns a number, two string columns, and an integer column."""
    names, towns = strings(14, ROWS), strings(41, ROWS)
    return [(at, name, town and town[:1], at % 3) for at, (name, town) in enumerate(zip(names, towns))]


@pytest.fixture(scope="module")
def frame(spark, rows):
    return spark.createDataFrame(rows, "id long, name string, `to.wn` string, n int").cache()


@pytest.fixture(params=[1, 10_000])
def batches(spark, request):
    """Number of rows that a worker gets at a time."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, request.param)
    yield request.param
    spark.conf.set(name, before)


def groups(rows, *keys):
    """Returns the numbers of rows with equal keys, for groups of several rows. Rows with NULL in a key have no group."""
    found = {}
    for row, *key in zip(rows, *keys):
        if None not in key:
            found.setdefault(tuple(key), []).append(row[0])
    return sorted(sorted(numbers) for numbers in found.values() if len(numbers) > 1)


def test_keys_are_those_of_columns(spark, frame, rows, batches):
    from pyspark.sql.functions import spark_partition_id

    from mysql_collation.spark import functions

    few = frame.where("id < 200") if batches == 1 else frame
    expected = MYSQL.sort_keys([row[1] for row in rows]).to_pylist()
    for make in (functions.arrow_keys, functions.pandas_keys):
        keyed = few.repartition(4, "n").select("id", make(MYSQL)("name").alias("key"), spark_partition_id().alias("at")).collect()
        assert len(keyed) == (200 if batches == 1 else ROWS)
        assert len({row.at for row in keyed}) < 4, "some partitions are empty"
        assert all((None if row.key is None else bytes(row.key)) == expected[row.id] for row in keyed)
        assert any(row.key is None for row in keyed)


def test_keys_of_binary_columns_and_of_no_rows(spark):
    from mysql_collation.spark import sort_key

    latin1 = Collation("latin1_swedish_ci")
    frame = spark.createDataFrame([(bytearray(b"\xe9"),), (None,)], "name binary")
    keys = frame.select(sort_key("name", latin1).alias("key")).collect()
    assert [row.key and bytes(row.key) for row in keys] == [latin1.sort_key("é"), None]
    assert frame.where("false").select(sort_key("name", latin1)).collect() == []


@pytest.mark.parametrize("distinct", [True, False])
def test_collisions(frame, rows, batches, distinct):
    from mysql_collation.spark import collisions

    few = frame.where("id < 200") if batches == 1 else frame
    some = rows[:200] if batches == 1 else rows
    names = [None if row[1] is None else MYSQL.sort_key(row[1]) for row in some]
    found = collisions(few, ["name"], NAME, "mysql", identify=["id"], distinct=distinct, examples=ROWS).collect()
    expected = groups(some, names)
    if distinct:
        # Each value with its first row.
        firsts = {min(numbers): len(numbers) for numbers in expected}
        assert {min(row.key.id for row in group.rows): group["count"] for group in found} == firsts
    else:
        assert sorted(sorted(row.key.id for row in group.rows) for group in found) == expected
    assert all(sum(row["count"] for row in group.rows) == group["count"] for group in found)
    assert expected, "some are equal"


def test_collisions_of_several_columns_and_of_prefixes(frame, rows):
    from mysql_collation.spark import collisions

    def key(text, prefix=None):
        return None if text is None else MYSQL.sort_key(text[:prefix])

    names = [key(row[1], 2) for row in rows]
    towns, numbers = [key(row[2]) for row in rows], [row[3] for row in rows]
    parts = [("NAME", 2), "to.wn", "n"]
    found = collisions(frame, parts, NAME, "mysql", identify=["id"], distinct=False, examples=ROWS).collect()
    assert sorted(sorted(row.key.id for row in group.rows) for group in found) == groups(rows, names, towns, numbers)
    assert found and set(found[0].rows[0]["values"].asDict()) == {"name", "to.wn", "n"}
    # A column without a collation is compared by bytes.
    found = collisions(frame, parts[1:], {"name": MYSQL}, identify=["id"], distinct=False, examples=ROWS).collect()
    assert sorted(sorted(row.key.id for row in group.rows) for group in found) == groups(rows, [row[2] for row in rows], numbers)


def test_only_the_first_rows_are_listed(frame):
    from mysql_collation.spark import collisions

    found = collisions(frame, ["to.wn"], NAME, "mysql", distinct=False, examples=2).collect()
    assert {len(group.rows) for group in found} == {2} and max(group["count"] for group in found) > 2


def test_columns_that_spark_collates_are_told_apart_by_bytes(spark):
    from mysql_collation.spark import collisions, distinct_under

    frame = spark.createDataFrame([("a",), ("A",), ("á",)], "name string collate UNICODE_CI")
    assert collisions(frame, ["name"], "utf8mb4_0900_as_cs", "mysql").collect() == []
    assert [len(group.rows) for group in collisions(frame, ["name"], NAME, "mysql").collect()] == [3]
    assert distinct_under(frame, "utf8mb4_bin").count() == 3


def test_distinct_and_order_are_those_of_columns(frame, rows):
    from mysql_collation.spark import distinct_under, order_by

    names = pa.array([row[1] for row in rows])
    assert distinct_under(frame, NAME, ["name"], "mysql").count() == len(set(MYSQL.group_ids(names).to_pylist()))
    assert distinct_under(frame, NAME, flavour="mysql").columns == frame.columns
    for ascending in (True, False):
        # Sorted by key and number, so that only one order is right.
        ordered = order_by(frame, ["name", "id"], NAME, "mysql", ascending=[ascending, True])
        assert [row.id for row in ordered.collect()] == MYSQL.argsort(names, descending=not ascending).to_pylist()


def test_what_is_wrong_is_said_at_once(frame):
    from mysql_collation.spark import collisions, order_by, sort_key

    for wrong, message in [
        (lambda: collisions(frame, ["nmae"], NAME, "mysql"), "no column nmae; there are id, name"),
        (lambda: collisions(frame, [], NAME, "mysql"), "name the columns"),
        (lambda: sort_key("name", NAME), "flavour='mysql'"),
        (lambda: order_by(frame, ["name"], NAME, "mysql", ascending=[True, False]), "1 columns have 2 directions"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(LookupError):
        sort_key("name", "utf8mb4_0900_ai_cii")
