"""Sort keys, order and groups of a column on one core: this package compared with the Rust library, Polars, DuckDB, pyuca and PyICU.

    cargo build --release --locked --package mysql-collation --example column_speed      # in the project's folder
    maturin build --release --out dist && pip install dist/mysql_collation-*.whl         # here, in engine/bindings/python
    pip install -r benches/requirements.txt                                              # PyICU is compiled: it needs ICU's headers
    python benches/columns.py [--rows 1000000] [--values c,scripts,8,20,100]

Values are sysbench's `c` (119 digits and hyphens), words in eight scripts, or ASCII words of a number of bytes, a tenth of them distinct.
Each candidate runs five times, in one process except for the Rust library. The table shows the least CPU time (of the Rust library, elapsed time): disturbances only add time.
Polars and DuckDB use one thread, and order and group by bytes like `binary`, DuckDB also by NOCASE. pyuca is plain Python and gets a hundredth of the rows.
The weights of pyuca and ICU differ from the collation's, so results are not compared.
"""

import argparse
import functools
import os
import pathlib
import random
import subprocess
import time

# Polars reads this when it is imported.
os.environ["POLARS_MAX_THREADS"] = "1"

import duckdb  # noqa: E402
import polars as pl  # noqa: E402
import pyarrow as pa  # noqa: E402

from mysql_collation import Collation  # noqa: E402

ROUNDS = 5
NAME = "utf8mb4_0900_ai_ci"
OPERATIONS = ("sort_keys", "argsort", "group_ids")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
SCRIPTS = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJabcdefghijäöüß",
    "абвгдежзиклмнопрст",
    "αβγδεζηθικλμνξοπρσ",
    "אבגדהוזחטיכלמנסע",
    "ابتثجحخدذرزسشص",
    "नमसतहदकपरबलय",
    "日本東京中国語学時",
]
RUST = pathlib.Path(__file__).parents[4] / "target" / "release" / "examples" / "column_speed"


def values(kind, rows):
    """Returns a column of ``rows`` values."""
    choice = random.Random(7)
    if kind == "c":
        return ["-".join(f"{choice.randrange(10**11):011}" for _ in range(10)) for _ in range(rows)]
    if kind == "scripts":
        return ["".join(choice.choices(choice.choice(SCRIPTS), k=choice.randrange(4, 24))) for _ in range(rows)]
    different = ["".join(choice.choices(LETTERS, k=int(kind))) for _ in range(rows // 10)]
    return choice.choices(different, k=rows)


def best(work):
    """Returns the least CPU time of several runs, in ms."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) * 1000


def rust(texts):
    """Returns the times of the Rust library for the same strings, by operation."""
    lines = "\n".join(texts) + "\n"
    answer = subprocess.run([RUST, NAME, str(ROUNDS)], input=lines, capture_output=True, text=True, check=True)
    return dict(zip(OPERATIONS, map(float, answer.stdout.split())))


def databases(texts):
    """Returns title and function of other libraries' order and groups."""
    frame = pl.DataFrame({"v": pl.Series(texts).cast(pl.Binary)})
    yield "Polars, arg_sort of bytes", frame["v"].arg_sort
    yield "Polars, group_by of bytes", lambda: frame.group_by("v").len()
    database = duckdb.connect(config={"threads": 1})
    database.register("arrow", pa.table({"v": texts}))
    database.execute("CREATE TABLE t AS SELECT CAST(v AS VARCHAR) AS v FROM arrow")

    def query(statement):
        return lambda: database.sql(statement).to_arrow_table()

    yield "DuckDB, ORDER BY of bytes", query("SELECT v FROM t ORDER BY v")
    yield "DuckDB, ORDER BY … COLLATE NOCASE", query("SELECT v FROM t ORDER BY v COLLATE NOCASE")
    yield "DuckDB, GROUP BY of bytes", query("SELECT v, count(*) FROM t GROUP BY v")
    yield "DuckDB, GROUP BY … COLLATE NOCASE", query("SELECT min(v), count(*) FROM t GROUP BY v COLLATE NOCASE")


def keys(texts):
    """Returns title and function of other Python libraries' sort keys."""

    def icu():
        from icu import Collator, Locale

        key = Collator.createInstance(Locale("und")).getSortKey
        return best(lambda: [key(text) for text in texts])

    def uca():
        from pyuca import Collator

        key = Collator().sort_key
        return best(lambda: [key(text) for text in texts[::100]]) * 100

    yield "PyICU getSortKey, a list of keys", icu
    yield "pyuca sort_key, a list of keys, from a hundredth of the rows", uca


def table(kind, rows):
    texts, collation = values(kind, rows), Collation(NAME, "mysql")
    column, baseline = pa.array(texts), rust(texts)
    title = kind if not kind.isdigit() else f"{kind} bytes"
    print(f"\n{title}: {rows:,} values, {len(set(texts)):,} different; {NAME}, ms of CPU time, the least of {ROUNDS}")
    for operation in OPERATIONS:
        took = best(functools.partial(getattr(collation, operation), column))
        print(f"{operation:70} {took:10.1f}   Rust {baseline[operation]:10.1f}   × {took / baseline[operation]:.2f}")
    for name, work in databases(texts):
        print(f"{name:70} {best(work):10.1f}")
    took = best(lambda: [collation.sort_key(text) for text in texts])
    print(f"{'sort_key of each str, a list of keys':70} {took:10.1f}")
    for name, work in keys(texts):
        try:
            print(f"{name:70} {work():10.1f}")
        except ImportError as error:
            print(f"{name:70} not installed: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--values", default="c,scripts,8,20,100")
    arguments = parser.parse_args()
    for kind in arguments.values.split(","):
        table(kind, arguments.rows)


if __name__ == "__main__":
    main()
