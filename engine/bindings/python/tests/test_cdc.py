"""Rows of a table that is read in chunks by a string key, as docs/how-to/cdc.md shows."""

from bisect import bisect_right

from mysql_collation import Collation

CHUNK = 200
SYLLABLES = ["an", "Be", "ça", "DA", "é", "ñu", "Öl", "ß", "zu", "ЖУ", "мир", "日", "_", " "]


class Chunks:
    """Finds the chunk that has a key, from 0 on. Each bound is the first key of a chunk."""

    def __init__(self, bounds, collation):
        self.sort_key = collation.sort_key
        self.bounds = [self.sort_key(bound) for bound in bounds]

    def of(self, key):
        return bisect_right(self.bounds, self.sort_key(key))


def test_a_key_is_in_the_chunk_that_the_server_finds_it_in(servers):
    cursor, _, _ = servers["mysql"]
    cursor.execute("CREATE TABLE cdc (name VARCHAR(64) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY)")
    parts = [one + other for one in SYLLABLES for other in SYLLABLES]
    names = [(f"{parts[i % len(parts)]}{SYLLABLES[i // 7 % len(SYLLABLES)]}{i}",) for i in range(3000)]
    cursor.executemany("INSERT INTO cdc VALUES (%s)", names)
    cursor.execute("SELECT name FROM cdc ORDER BY name")
    rows = [name for (name,) in cursor.fetchall()]
    bounds = rows[CHUNK::CHUNK]
    chunks = Chunks(bounds, Collation("utf8mb4_0900_ai_ci", "mysql"))
    assert all(chunks.of(name) == number // CHUNK for number, name in enumerate(rows))
    # Python's own order of strings, as a connector that doesn't know the collation has it.
    wrong = [name for number, name in enumerate(rows) if bisect_right(bounds, name) != number // CHUNK]
    assert len(wrong) > len(rows) // 10
