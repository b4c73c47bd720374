"""``preflight``: finds rows that are equal in a unique key under another collation."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StructField

from mysql_collation import Collation

from . import report
from .definition import Key
from .frames import collisions
from .functions import quoted
from .jdbc import identifier

# Maximal characters of a value in preflight.json. groups.parquet has the full value.
CHARACTERS = 120


@dataclass(frozen=True)
class Source:
    """A table to check, and its known properties."""

    label: str
    version: str | None
    schema: str
    table: str
    df: DataFrame
    # How the table is read, for people.
    how: str
    keys: Sequence[Key]
    # Columns that identify a row.
    identify: Sequence[str]
    # Per target: the collation of each string column, with a reason if it is not the target.
    collations: Sequence[dict[str, tuple[Collation, str | None]]]
    # Present collation of each string column.
    now: dict[str, str]
    # The server's collations. None without a server.
    known: set[str] | None
    unchecked: Sequence[str]

    def name(self, key: Key) -> str:
        """Returns the name of a key in findings."""
        return f"{self.schema}.{self.table}: {key.name}"

    def converted(self, key: Key, target: int) -> list[bool]:
        """Returns for each column of a key whether its collation changes."""
        given = self.collations[target]
        return [name in given and given[name][0].name != self.now[name] for name in key.columns]


def run(spark: SparkSession, source: Source, targets: Sequence[Collation], out: str, examples: int) -> tuple[dict[str, Any], int]:
    """Finds collisions and writes ``preflight.json`` and, if there are keys to check, ``groups.parquet`` to the folder ``out``. Returns the document and the number of keys checked."""
    begin = datetime.now(timezone.utc), time.monotonic()
    wanted = [(key, at) for key in source.keys for at in range(len(targets)) if any(source.converted(key, at))]
    folder = f"{out.rstrip('/')}/groups.parquet"
    read = _write_groups(source, targets, wanted, folder) if wanted else None
    findings = _findings(spark.read.parquet(folder), source, targets, wanted, examples) if wanted else []
    done = report.document(
        source=source.label,
        version=source.version,
        started=_stamp(begin[0]),
        targets=[target.name for target in targets],
        columns=len(_changes(source)),
        tables=[_table(source, read and _reading(source, read, *begin))],
        findings=findings,
        unchecked=[*source.unchecked, "everything but unique keys: `weigh preflight` has the other checks, and the plan"],
        notes=["`weigh explain` says why two strings are equal."],
    )
    _write(spark, f"{out.rstrip('/')}/preflight.json", json.dumps(done, ensure_ascii=False, indent=2) + "\n")
    return done, len({key.name for key, _ in wanted})


def _write_groups(source: Source, targets: Sequence[Collation], wanted: Sequence[tuple[Key, int]], folder: str) -> dict[str, Any]:
    """Writes the groups of all keys. Returns the number of rows and bytes read."""
    read = Observation("reading")
    size = sum((F.coalesce(F.octet_length(F.col(quoted(name))), F.lit(0)) for name in _lengths(source.df)), F.lit(0))
    df = source.df.observe(read, F.count(F.lit(1)).alias("rows"), F.coalesce(F.sum(size), F.lit(0)).alias("bytes"))
    if len(wanted) > 1:
        # Read the table once for all keys.
        df = df.persist(StorageLevel.DISK_ONLY)
    try:
        for key, at in wanted:
            labels = {"schema": source.schema, "table": source.table, "object": source.name(key), "target": targets[at].name}
            labelled = (F.lit(value).alias(name) for name, value in labels.items())
            _groups(df, source, key, at).select(*labelled, "count", "rows").write.mode("append").parquet(folder)
    finally:
        df.unpersist()
    return read.get


def _reading(source: Source, read: dict[str, Any], started: datetime, begin: float) -> dict[str, Any]:
    return {
        "how": source.how,
        "from": _stamp(started),
        "to": _stamp(datetime.now(timezone.utc)),
        "rows": read["rows"],
        "bytes": read["bytes"],
        "chunks": source.df.rdd.getNumPartitions(),
        "seconds": round(time.monotonic() - begin, 3),
    }


def _table(source: Source, reading: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the table's part of the document."""
    changes = _changes(source)
    return {
        "schema": source.schema,
        "name": source.table,
        "converted": [change for change in changes if change["from"] != change["to"]],
        "kept": [change for change in changes if change["from"] == change["to"]],
        "reading": reading,
        "size": {"data": None, "indexes": None, "data_after": None, "indexes_after": None},
    }


def _findings(
    groups: DataFrame, source: Source, targets: Sequence[Collation], wanted: Sequence[tuple[Key, int]], examples: int
) -> list[dict[str, Any]]:
    """Returns the findings for the written groups. Each lists its largest groups."""
    which = Window.partitionBy("object", "target")
    rank = F.row_number().over(which.orderBy(F.desc("count"), "rows"))
    ranked = groups.withColumns({"number": F.count(F.lit(1)).over(which), "total": F.sum("count").over(which), "rank": rank})
    listed: dict[tuple[str, str], list[Any]] = {}
    for row in ranked.where(F.col("rank") <= examples).orderBy("rank").toLocalIterator():
        listed.setdefault((row.object, row.target), []).append(row)
    findings = []
    for key, at in wanted:
        target = targets[at]
        rows = listed.get((source.name(key), target.name))
        if rows:
            of = [_group(row, target, source.known, source.converted(key, at)) for row in rows]
            counts = rows[0].number, rows[0].total
            findings.append(report.finding(source.schema, source.table, key.name, target, of, counts, _statements(source, key, at)))
    return findings


def _groups(df: DataFrame, source: Source, key: Key, at: int) -> DataFrame:
    """Returns the groups of a key with rows in the format of ``weigh preflight``: all values are text."""
    to = {name: collation for name, (collation, _) in source.collations[at].items()}
    parts: list[str | tuple[str, int]] = [name if prefix is None else (name, prefix) for name, prefix in key.parts]
    found = collisions(df, parts, to, identify=source.identify, distinct=not key.is_enforced)
    fields = {field.name: field for field in df.schema.fields}

    def row(of: Column) -> Column:
        named = [_text(of["key"][name], fields[name]) for name in source.identify]
        values = [_text(of["values"][name], fields[name]) for name in key.columns]
        note = F.when(of["count"] > 1, F.concat(of["count"].cast("string"), F.lit(" rows")))
        texts = {"key": F.array(*named).cast("array<string>"), "values": F.array(*values), "note": note}
        return F.struct(*(column.alias(name) for name, column in texts.items()))

    return found.select("count", F.transform("rows", row).alias("rows"))


def _text(column: Column, field: StructField) -> Column:
    if isinstance(field.dataType, BinaryType):
        return F.concat(F.lit("0x"), F.hex(column))
    return F.coalesce(column.cast("string"), F.lit("NULL"))


def _group(row: Any, target: Collation, known: set[str] | None, text: Sequence[bool]) -> dict[str, Any]:
    values = [one["values"] for one in row["rows"]]
    cut = [{"key": one["key"], "values": [_cut(value) for value in one["values"]], "note": one["note"]} for one in row["rows"]]
    return report.group(row["count"], cut, report.kept_apart_by(target, known, values, text))


def _cut(value: str) -> str:
    return value if len(value) <= CHARACTERS else value[:CHARACTERS] + "…"


def _lengths(df: DataFrame) -> list[str]:
    return [name for name, of in df.dtypes if of in {"string", "binary"}]


def _changes(source: Source) -> list[dict[str, Any]]:
    looked_at = {name for key in source.keys for name in key.columns}
    given = source.collations[0]
    return [
        {"column": name, "from": source.now[name], "to": to.name, "reason": reason}
        for name, (to, reason) in given.items()
        if name in looked_at
    ]


def _statements(source: Source, key: Key, at: int) -> list[str]:
    """Returns statements that find the groups on the server."""
    if source.known is None:
        return []

    def part(name: str, prefix: int | None) -> str:
        value = identifier(name) if prefix is None else f"LEFT({identifier(name)}, {prefix})"
        given = source.collations[at].get(name)
        return value if given is None else f"CONVERT({value} USING {given[0].charset}) COLLATE {given[0].name}"

    parts = ", ".join(part(name, prefix) for name, prefix in key.parts)
    present = " AND ".join(f"{identifier(name)} IS NOT NULL" for name in key.columns)
    table = f"{identifier(source.schema)}.{identifier(source.table)}"
    return [f"SELECT {parts}, COUNT(*) FROM {table} WHERE {present} GROUP BY {parts} HAVING COUNT(*) > 1"]


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def path_of(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Returns Hadoop's file system and path for a local path, HDFS or an object store."""
    jvm: Any = spark._jvm
    found = jvm.org.apache.hadoop.fs.Path(path)
    return found.getFileSystem(spark._jsc.hadoopConfiguration()), found


def _write(spark: SparkSession, path: str, text: str) -> None:
    system, file = path_of(spark, path)
    stream = system.create(file, False)
    try:
        stream.write(bytearray(text.encode()))
    finally:
        stream.close()
