"""Strings in an Arrow array: keys, order and groups, compared with a real MariaDB and MySQL, and with the Rust library.

20,000 of them, or as many as MYSQL_COLLATION_TEST_ROWS says.
"""

import os
import subprocess

import pyarrow as pa
import pytest
from conftest import strings

from mysql_collation import Collation

ROWS = int(os.environ.get("MYSQL_COLLATION_TEST_ROWS", "20000"))
COLLATIONS = [
    ("mariadb", "utf8mb4_general_ci"),
    ("mariadb", "utf8mb4_unicode_ci"),
    ("mariadb", "utf8mb4_czech_ci"),
    ("mariadb", "utf8mb4_uca1400_ai_ci"),
    ("mariadb", "utf8mb4_uca1400_nopad_as_cs"),
    ("mysql", "utf8mb4_0900_ai_ci"),
    ("mysql", "utf8mb4_hu_0900_as_cs"),
]


@pytest.fixture(scope="module")
def words(servers):
    words = list(strings(2026, ROWS))
    for server, _, _ in servers.values():
        server.execute("CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(40) CHARACTER SET utf8mb4)")
        server.executemany("INSERT INTO words VALUES (%s, %s)", list(enumerate(words)))
        server.execute("SET SESSION group_concat_max_len = 1 << 24")
    return words


@pytest.mark.parametrize(("flavour", "name"), COLLATIONS)
def test_order_and_groups_are_the_servers(servers, words, flavour, name):
    collation, column, server = Collation(name, flavour), pa.array(words), servers[flavour][0]
    for descending in (False, True):
        direction = "DESC" if descending else "ASC"
        server.execute(f"SELECT id FROM words ORDER BY word COLLATE {name} {direction}, id")
        order = [row for (row,) in server.fetchall()]
        assert collation.argsort(column, descending=descending).to_pylist() == order
    server.execute(f"SELECT GROUP_CONCAT(id ORDER BY id) FROM words GROUP BY word COLLATE {name}")
    groups = {tuple(map(int, rows.split(","))) for (rows,) in server.fetchall()}
    ours = {}
    for row, group in enumerate(collation.group_ids(column).to_pylist()):
        ours.setdefault(group, []).append(row)
    assert {tuple(rows) for rows in ours.values()} == groups
    assert len(groups) < ROWS, "some are equal"
    firsts = {rows[0] for rows in groups}
    assert [row in firsts for row in range(ROWS)] == [not flag for flag in collation.duplicates(column)]


def test_like_is_the_servers(server, words):
    collation, column = Collation("utf8mb4_uca1400_ai_ci"), pa.array(words)
    for pattern in ("a%", "%s_", "_", "%é%", "ch%", "%0_%"):
        server.execute("SELECT id FROM words WHERE word COLLATE utf8mb4_uca1400_ai_ci LIKE %s ORDER BY id", (pattern,))
        matches = enumerate(collation.like(column, pattern).to_pylist())
        assert [row for row, match in matches if match] == [row for (row,) in server.fetchall()]


@pytest.mark.parametrize(("flavour", "name"), COLLATIONS)
def test_keys_order_and_groups_are_the_rust_librarys(rust, words, flavour, name):
    """The program prints for each line its key in hexadecimal, the row at this place of the order, and the line's group."""
    present = [word for word in words if word is not None]
    answer = subprocess.run([rust, flavour, name], input="\n".join(present) + "\n", capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    collation, column = Collation(name, flavour), pa.array(present, type=pa.string_view())
    assert [bytes.fromhex(key) for key, _, _ in rows] == collation.sort_keys(column).to_pylist()
    assert [int(row) for _, row, _ in rows] == collation.argsort(column).to_pylist()
    assert [int(group) for _, _, group in rows] == collation.group_ids(column).to_pylist()
