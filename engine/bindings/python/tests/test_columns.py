"""Columns: all kinds of arrays of Python's libraries, compared with operations on single strings."""

import functools
import random
import sys
import threading

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mysql_collation import Collation

COLLATIONS = [
    Collation("utf8mb4_0900_ai_ci", "mysql"),
    Collation("utf8mb4_uca1400_ai_ci"),
    Collation("utf8mb4_general_ci"),
    Collation("utf8mb3_unicode_ci"),
    Collation("latin1_swedish_ci"),
    Collation("utf16_general_ci"),
]
AI_CI = COLLATIONS[0]
# Characters of latin1, so that all collations accept them. Long strings, too, which string views
# store elsewhere.
WORDS = ["b", None, "A", "á", "", "a ", "ß", "ss", "Ä", None, "b", "c", "Straße und mehr", "STRASSE UND MEHR", "é" * 30]


def chunked(words, kind):
    half = len(words) // 2
    return pa.chunked_array([words[:half], [], words[half:]], type=kind)


def sliced(words, kind):
    return pa.array(["x", None, *words, "y"], type=kind).slice(2, len(words))


ARROW = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "string": lambda words: pa.array(words, type=pa.string()),
    "large_string": lambda words: pa.array(words, type=pa.large_string()),
    "string_view": lambda words: pa.array(words, type=pa.string_view()),
    "sliced string": lambda words: sliced(words, pa.string()),
    "sliced string_view": lambda words: sliced(words, pa.string_view()),
    "chunked string": lambda words: chunked(words, pa.string()),
    "chunked large_string": lambda words: chunked(words, pa.large_string()),
    "dictionary": lambda words: pa.array(words).dictionary_encode(),
    "sliced dictionary": lambda words: sliced(words, pa.string()).dictionary_encode().slice(0, len(words)),
    "chunked dictionary": lambda words: chunked(words, pa.string()).dictionary_encode(),
    "dictionary with NULL among its values": lambda words: pa.DictionaryArray.from_arrays(
        pa.array(range(len(words)), type=pa.uint16()), pa.array(words)
    ),
    "table of one column": lambda words: pa.table({"word": words}),
    "record batch reader": lambda words: pa.table({"word": words}).to_reader(max_chunksize=4),
    "polars Series": pl.Series,
    "polars Categorical": lambda words: pl.Series(words, dtype=pl.Categorical),
    "polars Enum": lambda words: pl.Series(words, dtype=pl.Enum([word for word in dict.fromkeys(words) if word is not None])),
    "polars DataFrame": lambda words: pl.DataFrame({"word": words}),
    "pandas str": pd.Series,
    "pandas Arrow": lambda words: pd.Series(words, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas object": lambda words: pd.Series(words, dtype=object),
    "pandas categorical": lambda words: pd.Series(words, dtype="category"),
    "DuckDB relation": lambda words: duckdb.from_arrow(pa.table({"word": words})),
    "NumPy object": lambda words: np.array(words, dtype=object),
}


@pytest.fixture(params=ARROW.values(), ids=ARROW.keys())
def column(request):
    return request.param


@pytest.fixture(params=COLLATIONS, ids=lambda collation: collation.name)
def collation(request):
    return request.param


def expected_order(collation, words, descending=False):
    """Returns the expected order of rows, by comparisons of single strings."""

    def compare(a, b):
        if words[a] is None or words[b] is None:
            return (words[b] is None) - (words[a] is None)
        return collation.compare(words[a], words[b])

    return sorted(range(len(words)), key=functools.cmp_to_key(compare), reverse=descending)


def expected_groups(collation, words):
    numbers, groups = {}, []
    for word in words:
        key = None if word is None else collation.sort_key(word)
        groups.append(numbers.setdefault(key, len(numbers)))
    return groups


def check(collation, words, make):
    def each(answer):
        return [None if word is None else answer(word) for word in words]

    assert collation.sort_keys(make()).to_pylist() == each(collation.sort_key)
    assert collation.hashes(make()).to_pylist() == each(collation.hash)
    assert collation.argsort(make()).to_pylist() == expected_order(collation, words)
    assert collation.argsort(make(), descending=True).to_pylist() == expected_order(collation, words, descending=True)
    groups = expected_groups(collation, words)
    assert collation.group_ids(make()).to_pylist() == groups
    for keep, flags in {
        "first": [group in groups[:row] for row, group in enumerate(groups)],
        "last": [group in groups[row + 1 :] for row, group in enumerate(groups)],
        False: [groups.count(group) > 1 for group in groups],
    }.items():
        assert collation.duplicates(make(), keep=keep).to_pylist() == flags
        distinct_nulls = [flag and word is not None for flag, word in zip(flags, words)]
        assert collation.duplicates(make(), keep=keep, nulls_equal=False).to_pylist() == distinct_nulls
    assert collation.equal(make(), "A").to_pylist() == each(lambda word: collation.equal(word, "A"))
    assert collation.equal("A", make()).to_pylist() == each(lambda word: collation.equal(word, "A"))
    assert collation.like(make(), "s%e%").to_pylist() == each(lambda word: collation.like(word, "s%e%"))
    backwards = words[::-1]
    assert collation.equal(make(), backwards).to_pylist() == [
        None if a is None or b is None else collation.equal(a, b) for a, b in zip(words, backwards)
    ]


def test_every_kind_of_column_is_what_its_strings_are(collation, column):
    check(collation, WORDS, lambda: column(WORDS))


@pytest.mark.parametrize("words", [[], [None], [None, None], ["a"]], ids=repr)
def test_small_columns(words):
    check(AI_CI, words, lambda: words)
    check(AI_CI, words, lambda: pa.array(words, type=pa.string()))
    check(AI_CI, words, lambda: pa.array(words, type=pa.string()).dictionary_encode())
    check(AI_CI, words, lambda: pa.chunked_array([], type=pa.string()) if not words else pa.chunked_array([words]))


def test_arrow_null_arrays_are_columns_of_nulls():
    check(AI_CI, [None, None], lambda: pa.nulls(2))


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)], ids=str)
def test_bytes_are_in_the_character_set_already(kind):
    words = [b"\xe9a", None, b"EA", b"zz"]
    check(COLLATIONS[4], words, lambda: pa.array(words, type=kind))
    check(COLLATIONS[4], words, lambda: words)


def test_numpy_arrays_of_strings():
    for kind in (np.dtype("U8"), np.dtypes.StringDType()):
        words = np.array(["b", "Á", "a"], dtype=kind)
        assert AI_CI.argsort(words).to_pylist() == [1, 2, 0]
    assert AI_CI.argsort(np.array([b"b", b"a"])).to_pylist() == [1, 0]
    assert AI_CI.argsort(np.array(["b", None, float("nan"), "a"], dtype=object)).to_pylist() == [1, 2, 3, 0]


def test_pandas_without_pyarrow(monkeypatch):
    series = pd.Series(["b", None, "Á", "a"], dtype=pd.StringDtype("python"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert AI_CI.argsort(series).to_pylist() == [1, 2, 3, 0]


def test_results_are_taken_over_by_every_library():
    words = pa.array(["b", None, "Á", "a"])
    keys, order, flags = AI_CI.sort_keys(words), AI_CI.argsort(words), AI_CI.equal(words, "a")
    assert pa.array(keys).type == pa.large_binary()
    assert pa.array(keys).to_pylist() == pl.Series(keys).to_list() == keys.to_pylist()
    assert words.take(pa.array(order)).to_pylist() == [None, "Á", "a", "b"]
    assert np.asarray(order).dtype == np.int64 and np.asarray(order).tolist() == [1, 2, 3, 0]
    assert np.asarray(order, dtype=np.int32).dtype == np.int32
    assert np.asarray(AI_CI.hashes(["a"])).dtype == np.uint64
    assert np.asarray(AI_CI.duplicates(words)).tolist() == [False, False, False, True]
    assert np.asarray(flags).tolist() == [False, None, True, True] == list(flags)
    assert np.asarray(keys).dtype == object
    assert pl.Series(flags).to_list() == [False, None, True, True]
    assert pd.Series(np.asarray(order)).tolist() == [1, 2, 3, 0]
    keyed = pa.table({"word": words, "key": pa.array(keys)})
    assert duckdb.sql("SELECT word FROM keyed ORDER BY key, word").fetchall() == [("a",), ("Á",), ("b",), (None,)]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(order, copy=False)


def test_array_reads_as_a_sequence():
    order = AI_CI.argsort(["b", "a"])
    assert (order[0], order[-1], len(order), list(order)) == (1, 0, 2, [1, 0])
    for index in (2, -3, sys.maxsize, -sys.maxsize - 1):
        with pytest.raises(IndexError):
            order[index]
    assert repr(AI_CI.argsort(["a"] * 12)).endswith("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …]>")


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        (None, TypeError, "not NoneType"),
        (7, TypeError, "not int"),
        ([1], TypeError, "row 0: expected str, bytes or None, not int"),
        (["a", b"a"], TypeError, "not both"),
        (pa.array([1, 2]), TypeError, "not of Int64"),
        (pl.Series([1.5]), TypeError, "not of Float64"),
        (np.array([1, 2]), TypeError, "not int"),
        (np.array([["a"]]), TypeError, "not list"),
        (pa.table({"a": ["x"], "b": ["y"]}), ValueError, "table of 2 columns"),
        (["a", "\ud800"], UnicodeEncodeError, "surrogates"),
    ],
    ids=lambda argument: type(argument).__name__,
)
def test_what_is_no_column_of_strings_is_refused(argument, error, message):
    for call in (AI_CI.argsort, AI_CI.sort_keys, AI_CI.group_ids, AI_CI.duplicates, AI_CI.hashes):
        with pytest.raises(error, match=message):
            call(argument)


def test_rows_that_the_character_set_lacks_are_named():
    latin1 = COLLATIONS[4]
    with pytest.raises(ValueError, match="row 3: .*latin1"):
        latin1.sort_keys(pa.chunked_array([["a", None], ["b", "漢"]]))
    with pytest.raises(ValueError, match="columns of 1 and 2 rows"):
        AI_CI.equal(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="'first', 'last' or False"):
        AI_CI.duplicates(["a"], keep="any")


def test_the_interpreter_is_free_meanwhile():
    """Other threads run Python while a thread sorts, and concurrent sorts return the same result."""
    column = pa.array([f"{number * 7919 % 20011} Straße" for number in range(20_000)])
    alone = AI_CI.argsort(column).to_pylist()
    ticks, done = 0, False

    def tick():
        nonlocal ticks
        while not done:
            ticks += 1

    def advances():
        before = ticks
        AI_CI.argsort(column)
        return ticks > before

    ticking = threading.Thread(target=tick)
    # Longer than a sort: the other thread advances only if the sort releases the interpreter.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.2)
    try:
        ticking.start()
        advanced = sum(advances() for _ in range(10))
    finally:
        done = True
        ticking.join()
        sys.setswitchinterval(interval)
    assert advanced > 5

    results = []
    workers = [threading.Thread(target=lambda: results.append(AI_CI.argsort(column).to_pylist())) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [alone] * 4


def test_random_columns():
    """Letters that collations expand, contract or treat as equal, in columns of random length."""
    choice = random.Random(14)
    alphabet = "aAáäbcChHßsSzZ 0éœ"
    for collation in COLLATIONS[:4] + [Collation("utf8mb4_czech_ci")]:
        for _ in range(20):
            length = choice.randrange(60)
            words = ["".join(choice.choices(alphabet, k=choice.randrange(9))) for _ in range(length)]
            words = [None if choice.random() < 0.1 else word for word in words]
            check(collation, words, lambda: pa.array(words, type=pa.string_view()))


def test_nothing_leaks_and_nothing_is_copied():
    """Arrow's allocated bytes are the same before and after, and results hold no reference to their column."""
    before = pa.total_allocated_bytes()
    words = pa.array([f"word {number}" for number in range(10_000)])
    held = [pa.array(AI_CI.sort_keys(words)) for _ in range(5)]
    assert sys.getrefcount(words) == 2
    del words, held
    assert pa.total_allocated_bytes() == before
