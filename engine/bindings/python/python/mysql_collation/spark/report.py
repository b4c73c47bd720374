"""The report in the format of ``weigh preflight``: a document (schemas/preflight.schema.json), and a text that begins with the verdict."""

from collections.abc import Sequence
from typing import Any

from mysql_collation import Collation, collations

FORMAT = "weighbridge-preflight/1"
# Maximal groups of a finding, and values of a group, in the text.
SHOWN = 5
# Maximal collations in the advice.
NAMED = 6

WHY = (
    "ALTER TABLE ends with error 1062 (duplicate entry); gh-ost and pt-online-schema-change would keep one row of each group and drop the others"
)


def finding(
    schema: str, table: str, key: str, target: Collation, groups: Sequence[dict[str, Any]], counts: tuple[int, int], statements: Sequence[str]
) -> dict[str, Any]:
    """Returns a finding for a unique key with collisions. ``counts`` are the number of groups and the number of rows in them."""
    number, rows = counts
    one = f"{rows:,} rows become equal under {target.name}"
    apart = [set(group["kept_apart_by"]) for group in groups]
    names = sorted(set.intersection(*apart)) if apart else []
    todo = "change or merge the rows of each group first"
    if names:
        todo += f", or take a collation that tells those listed apart: {', '.join(names[:NAMED])}"
    return {
        "check": "unique-key",
        "severity": "error",
        "object": f"{schema}.{table}: {key}",
        "schema": schema,
        "table": table,
        "target": target.name,
        "what": one if number == 1 else f"{rows:,} rows in {number:,} groups become equal under {target.name}",
        "why": WHY,
        "todo": todo,
        "count": number,
        "groups": list(groups),
        "examples": [],
        "statements": list(statements),
        "new_type": None,
        "in_plan": False,
        "has_orphans": False,
    }


def group(count: int, rows: Sequence[dict[str, Any]], kept_apart_by: Sequence[str]) -> dict[str, Any]:
    """Returns a group of rows that become equal. The first of them are listed."""
    return {"count": count, "rows": list(rows), "why": [], "kept_apart_by": list(kept_apart_by)}


def kept_apart_by(target: Collation, known: set[str] | None, values: Sequence[Sequence[str]], converted: Sequence[bool]) -> list[str]:
    """Returns collations of the target's character set that distinguish all values. ``known`` are the server's collations."""
    names = [name for name in collations(target.flavour) if known is None or name in known]
    candidates = (Collation(name, target.flavour) for name in names if name.startswith(f"{target.charset}_"))

    def key(collation: Collation, value: Sequence[str]) -> tuple[Any, ...]:
        return tuple(collation.sort_key(text) if is_text else text for text, is_text in zip(value, converted))

    return [one.name for one in candidates if len({key(one, value) for value in values}) == len(values)]


def document(**parts: Any) -> dict[str, Any]:
    """Returns the complete document."""
    return {"format": FORMAT, **parts, "plan": None, "costs": []}


def text(report: dict[str, Any], keys: int, where: str) -> str:
    """Returns the report as text: the verdict, then the findings."""
    lines = [verdict(report, keys), *head(report)]
    for found in report["findings"]:
        lines += ["", f"{found['object']}: {found['what']}"]
        lines += [f"  {line}" for group in found["groups"][:SHOWN] for line in _group(group)]
        if found["count"] > SHOWN:
            lines.append(f"  … {found['count'] - SHOWN:,} more")
        lines.append(f"  to do: {found['todo']}")
    if report["unchecked"]:
        lines += ["", "Not checked:", *(f"  {what}" for what in report["unchecked"])]
    files = "groups.parquet, preflight.json" if keys else "preflight.json"
    return "\n".join([*lines, "", f"Written to {where}: {files}"])


def verdict(report: dict[str, Any], keys: int) -> str:
    """Returns one sentence: whether the unique keys hold."""
    targets = ", ".join(report["targets"])
    broken = len({found["object"] for found in report["findings"]})
    if broken:
        return f"Not yet: {broken} of {_counted(keys, 'unique key')} would not hold under {targets}."
    if keys == 0:
        return f"No unique key has a column to convert to {targets}."
    return f"{_counted(keys, 'unique key')} would hold under {targets}: no rows collide."


def head(report: dict[str, Any]) -> list[str]:
    """Returns what was read."""
    version = f", {report['version']}" if report["version"] else ""
    read = [table["reading"] for table in report["tables"] if table["reading"]]
    rows = "; ".join(f"{reading['rows']:,} rows read {reading['how']}, {reading['seconds']:.1f} s" for reading in read)
    return [f"{report['source']}{version}; {rows or 'no rows read'}"]


def _group(group: dict[str, Any]) -> list[str]:
    rows = [", ".join(row["values"]) + (f" ({', '.join(row['key'])})" if row["key"] else "") for row in group["rows"][:SHOWN]]
    rest = f" … ({group['count']:,} rows)" if group["count"] > len(rows) else ""
    return [" = ".join(rows) + rest]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
