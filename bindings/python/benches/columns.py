"""Keys, order and groups of a column: this package beside the Rust library's own columns, pyuca, PyICU and polars' sort.

    cargo build --release --locked --package mysql-collation --example column_speed      # in the project's folder
    maturin build --release --out dist && pip install dist/mysql_collation-*.whl         # here, in bindings/python
    pip install -r benches/requirements.txt                                              # PyICU is compiled: it needs ICU's headers
    python benches/columns.py [ROWS]                                                     # 1,000,000

Everything is timed several times in turn, in one process but for the Rust library, and the best time is told: what disturbs a run only ever
makes it longer. pyuca, in plain Python, gets a hundredth of the rows. pyuca and ICU weigh by other tables than the collation: they are timed,
not compared.
"""

import functools
import pathlib
import random
import subprocess
import sys
import time

import polars as pl
import pyarrow as pa

from mysql_collation import Collation

ROUNDS = 5
NAME = "utf8mb4_0900_ai_ci"
ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJ abcdefghij äöüß", "абвгдежзиклмнопрст"]
RUST = pathlib.Path(__file__).parents[3] / "target" / "release" / "examples" / "column_speed"


def words(rows):
    choice = random.Random(7)
    for _ in range(rows):
        yield "".join(choice.choices(choice.choice(ALPHABETS), k=choice.randrange(4, 24)))


def best(work):
    """The best time of one of several runs, in ms."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times) * 1000


def rust(column):
    """The times of the Rust library for the same strings: keys, argsort, groups."""
    lines = "\n".join(column.to_pylist()) + "\n"
    answer = subprocess.run([RUST, NAME, str(ROUNDS)], input=lines, capture_output=True, text=True, check=True)
    return dict(zip(("sort_keys", "argsort", "group_ids"), map(float, answer.stdout.split())))


def others(column, rows):
    """What else Python has for order: title and time, or why there is none."""
    texts, fewer = column.to_pylist(), column.slice(0, rows // 100).to_pylist()
    series = pl.Series(texts)
    yield "polars Series.arg_sort, by code points", lambda: best(series.arg_sort)

    def icu():
        from icu import Collator, Locale

        key = Collator.createInstance(Locale("und")).getSortKey
        return best(lambda: [key(text) for text in texts])

    def uca():
        from pyuca import Collator

        key = Collator().sort_key
        return best(lambda: [key(text) for text in fewer]) * 100

    yield "PyICU getSortKey, a list of keys", icu
    yield "pyuca sort_key, a list of keys, from a hundredth of the rows", uca


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    column, collation = pa.array(words(rows)), Collation(NAME, "mysql")
    baseline = rust(column)
    print(f"{rows:,} strings, {NAME}; best of {ROUNDS}, ms")
    for operation in ("sort_keys", "argsort", "group_ids"):
        took = best(functools.partial(getattr(collation, operation), column))
        print(f"{operation:70} {took:10.1f}   Rust {baseline[operation]:10.1f}   × {took / baseline[operation]:.2f}")
    took = best(lambda: [collation.sort_key(text) for text in column.to_pylist()])
    print(f"{'sort_key of each str, a list of keys':70} {took:10.1f}")
    for title, work in others(column, rows):
        try:
            print(f"{title:70} {work():10.1f}")
        except ImportError as error:
            print(f"{title:70} not installed: {error}")


if __name__ == "__main__":
    main()
