"""The command finds the same groups as the server's GROUP BY and `weigh preflight` in the same table."""

import json
import os
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import needed, strings

from mysql_collation import Collation

ROWS = 1_000
# A collation under which the table is unique, and the collations to convert to.
COLLATIONS = {
    "mysql": ("utf8mb4_0900_as_cs", ["utf8mb4_0900_ai_ci", "utf8mb4_unicode_ci"]),
    "mariadb": ("utf8mb4_uca1400_nopad_as_cs", ["utf8mb4_uca1400_nopad_ai_ci"]),
}
# Includes bytes of latin1 that Java's windows-1252 lacks and servers distinguish.
LATIN1 = "abcABCéÉßsS ÿ\x81\x8d\x90"
SCHEMA = "bindings_python"
TABLE = "odd `name`"


@pytest.fixture(scope="module")
def tables(servers):
    """Creates the same rows on each server, except those that its unique keys reject."""
    rows = []
    for at, (name, town) in enumerate(zip(strings(3, ROWS), strings(33, ROWS))):
        latin1 = "".join(LATIN1[ord(character) % len(LATIN1)] for character in (town or ""))
        # Far apart, so that ranges of the key are empty.
        rows.append((at if at < ROWS // 2 else (1 << 64) - at, name, town, latin1, at % 4, f"{at % 7}.50"))
    for flavour, (cursor, _, _) in servers.items():
        fine = COLLATIONS[flavour][0]
        cursor.execute(
            f"CREATE TABLE `odd ``name``` (id BIGINT UNSIGNED PRIMARY KEY, `na``me` CHAR(20) COLLATE {fine}, town VARCHAR(20) COLLATE {fine},"
            " street VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_general_cs, kind TINYINT(1), price DECIMAL(9,2), roof FLOAT,"
            " code VARCHAR(20) CHARACTER SET ascii, UNIQUE KEY name (`na``me`), UNIQUE KEY place (town(3), kind, price), UNIQUE KEY road (street, kind),"
            " UNIQUE KEY code (code), UNIQUE KEY roof (town, roof))"
        )
        insert = "INSERT IGNORE INTO `odd ``name``` (id, `na``me`, town, street, kind, price) VALUES (%s, %s, %s, %s, %s, %s)"
        cursor.executemany(insert, rows)


def of_server(cursor, finding):
    """Returns the least id and the number of rows of each group, by the finding's own statement."""
    (statement,) = finding["statements"]
    # By sorting: MySQL's temporary tables hash, and under utf8mb4_unicode_ci the hash of ' \x8d'
    # differs from that of '', which is equal.
    cursor.execute("SELECT SQL_BIG_RESULT MIN(id), COUNT(*)" + statement[statement.index(" FROM ") :])
    return {(str(least), count) for least, count in cursor.fetchall()}


def shown(row):
    """Returns key and values of a row. Control characters are shown as by weigh."""
    return row["key"], [re.sub("[\x80-\x9f]", lambda control: f"\\u{{{ord(control[0]):x}}}", value) for value in row["values"]]


def of_report(report):
    """Returns the groups by key and collation, with their number of rows."""
    found = {(finding["object"], finding["target"]): finding for finding in report["findings"] if finding["check"] == "unique-key"}
    for finding in found.values():
        assert finding["count"] == len(finding["groups"]), "all are listed"
    return {
        which: sorted((group["count"], sorted(map(shown, group["rows"]))) for group in finding["groups"])
        for which, finding in found.items()
    }


def weigh(*arguments):
    command = [needed("MYSQL_COLLATION_TEST_WEIGH"), "preflight", "--format", "json", "--check", "unique-key", "--examples", "9999", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def run(spark, *arguments):
    from mysql_collation.spark import command

    args = command.parser().parse_args(["preflight", "--examples", "9999", *map(str, arguments)])
    command.check(args)
    return command.run(spark, args)


def same_shape(ours, theirs):
    """Checks that two documents have the same fields wherever both have values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name in ours:
            same_shape(ours[name], theirs[name])
    elif isinstance(ours, list) and isinstance(theirs, list) and ours and theirs:
        same_shape(ours[0], theirs[0])
    elif ours is not None and theirs is not None:
        assert type(ours) is type(theirs)


@pytest.mark.parametrize("flavour", COLLATIONS)
def test_groups_are_the_servers_and_weighs(spark, servers, tables, tmp_path, capsys, flavour):
    cursor, socket, port = servers[flavour]
    targets = ",".join(COLLATIONS[flavour][1])
    url = f"jdbc:{flavour}://127.0.0.1:{port}/{SCHEMA}"
    out = tmp_path / "out"
    assert run(spark, "--jdbc", url, "--user", "root", "--table", TABLE, "--to", targets, "--out", out, "--partitions", 4) == 1
    verdict, read, *_ = capsys.readouterr().out.splitlines()
    assert verdict == f"Not yet: 3 of 3 unique keys would not hold under {targets.replace(',', ', ')}.", verdict
    assert "rows read in ranges of id" in read and read.startswith(f"{url}, "), read

    report = json.loads((out / "preflight.json").read_text())
    theirs = weigh("--socket", socket, "--user", "root", "--schema", SCHEMA, "--table", TABLE, "--to", targets)
    expected = of_report(theirs)
    # weigh reads a FLOAT as printed. This command reports such keys as unchecked.
    expected = {which: groups for which, groups in expected.items() if not which[0].endswith(": roof")}
    found = of_report(report)
    assert found.keys() == expected.keys() and len(expected) == 3 * len(COLLATIONS[flavour][1])
    for which, groups in expected.items():
        assert found[which] == groups, which
    assert any("roof" in what and "rounded" in what for what in report["unchecked"])
    for finding in report["findings"]:
        assert {(group["rows"][0]["key"][0], group["count"]) for group in finding["groups"]} == of_server(cursor, finding), finding["object"]
    same_shape({**report, "findings": report["findings"][:1]}, {**theirs, "findings": theirs["findings"][:1]})
    assert [(change["column"], change["to"]) for change in report["tables"][0]["kept"]] == [("code", "ascii_general_ci")]

    parquet = pq.read_table(out / "groups.parquet").to_pylist()
    of_parquet = {}
    for group in parquet:
        rows = sorted(map(shown, group["rows"]))
        of_parquet.setdefault((group["object"], group["target"]), []).append((group["count"], rows))
    assert {which: sorted(groups) for which, groups in of_parquet.items()} == expected
    # A second run into the same folder must not overwrite files.
    with pytest.raises(ValueError, match="is there already"):
        run(spark, "--jdbc", url, "--user", "root", "--table", TABLE, "--to", targets, "--out", out)


@pytest.mark.parametrize("flavour", COLLATIONS)
def test_every_driver_reads_every_server(spark, servers, tables, flavour):
    """An index serves each range, too."""
    from mysql_collation.spark.definition import Table
    from mysql_collation.spark.jdbc import Server

    cursor, _, port = servers[flavour]
    cursor.execute("SELECT id, `na``me`, town, CONVERT(street USING utf8mb4), kind, CAST(price AS CHAR) FROM `odd ``name``` ORDER BY id")
    expected = [tuple(row) for row in cursor.fetchall()]
    columns = ["id", "na`me", "town", "street", "kind", "price"]
    for scheme in COLLATIONS:
        server = Server.at(f"jdbc:{scheme}://127.0.0.1:{port}/", "root", "")
        table = Table.of(server, spark, f"{SCHEMA}.{TABLE}")
        ranges, _ = table.ranges(server, spark, 6)
        assert len(ranges) == 6
        read = table.read(server, spark, columns, ranges)
        assert read.rdd.getNumPartitions() == 6
        assert sorted((int(row[0]), *row[1:]) for row in read.collect()) == expected
    query = f"SELECT {', '.join(table.columns[name].expression for name in columns)} FROM {table.quoted}"
    cursor.execute(f"EXPLAIN SELECT `id`, `town` FROM ({query}) AS t WHERE {ranges[1]}")
    plan = str(cursor.fetchall()).lower()
    assert "range" in plan and "primary" in plan and "derived" not in plan and "materialize" not in plan, plan


def test_parquet(spark, tmp_path, capsys):
    # No rows are equal under the old collation: `weigh preflight` reports such rows apart, by its check `duplicate-key`.
    key = Collation("utf8mb4_0900_as_cs", "mysql").sort_key
    rows, seen = [], set()
    for at, (name, town) in enumerate(zip(strings(5, ROWS), strings(55, ROWS))):
        keys = {("name", name and key(name)), ("town", town and key(town), at % 3)}
        if not keys & seen:
            seen |= {of for of in keys if of[1] is not None}
            rows.append((name, town, at % 3))
    names, towns, kinds = (list(column) for column in zip(*rows))
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"name": names, "town": towns, "kind": pa.array(kinds)}), path)
    asked = ["--unique", "name", "--unique", "TOWN,kind", "--to", "utf8mb4_0900_ai_ci", "--flavour", "mysql"]
    assert run(spark, "--parquet", path, *asked, "--out", tmp_path / "out") == 1
    report = json.loads((tmp_path / "out/preflight.json").read_text())
    theirs = weigh("--parquet", path, "--from", "utf8mb4_0900_as_cs", "--key", "name", "--key", "town+kind", "--to", "utf8mb4_0900_ai_ci", "--flavour", "mysql")

    def groups(report):
        return {which: sorted(count for count, _ in of) for which, of in of_report(report).items()}

    assert groups(report) == groups(theirs) and len(groups(report)) == 2
    assert report["tables"][0]["reading"]["rows"] == theirs["tables"][0]["reading"]["rows"] == len(rows)
    capsys.readouterr()
    # Under this collation no rows collide.
    unique = tmp_path / "unique.parquet"
    pq.write_table(pa.table({"name": ["a", "b", None, None]}), unique)
    assert run(spark, "--parquet", unique, "--unique", "name", "--to", "utf8mb4_general_ci", "--out", tmp_path / "none") == 0
    assert capsys.readouterr().out.startswith("1 unique key would hold under utf8mb4_general_ci: no rows collide.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jdbc", "jdbc:postgresql://db/shop", "--table", "t"], "jdbc:mysql://HOST:PORT/SCHEMA"),
        (["--jdbc", "jdbc:mysql://db/shop?user=me&password=hunter2", "--table", "t"], "take the password out of the URL"),
        (["--jdbc", "jdbc:mysql://me:hunter2@db/shop", "--table", "t"], "take the password out of the URL"),
        (["--jdbc", "jdbc:mysql://db/shop"], "--table NAME"),
        (["--parquet", "people"], "--unique COLUMN"),
        (["--parquet", "people", "--unique", "a", "--to", "latin1_swedish_ci"], "latin1, which lacks characters"),
        (["--parquet", "people", "--unique", "a", "--to", "utf8mb4_0900_ai_ci"], "flavour='mysql' or flavour='mariadb'"),
        (["--parquet", "people", "--unique", "a", "--to", "utf8mb4_generl_ci"], "did you mean utf8mb4_general_ci"),
    ],
)
def test_what_is_wrong_is_said_before_spark_starts(capsys, arguments, message):
    from mysql_collation.spark.command import main

    to = [] if "--to" in arguments else ["--to", "utf8mb4_general_ci"]
    assert main(["preflight", *arguments, *to, "--out", "nowhere"]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("error: ") and message in told.err and "hunter2" not in told.err + told.out
    assert len(told.err.splitlines()) == 1


def test_connections_to_other_machines_are_verified():
    from mysql_collation.spark.jdbc import Server

    for url, mode in [
        ("jdbc:mysql://db.example/shop", "VERIFY_IDENTITY"),
        ("jdbc:mariadb://db.example:3306/shop?x=1", "verify-full"),
        ("jdbc:mariadb://localhost,db.example/shop", "verify-full"),
        ("jdbc:mysql://127.0.0.1:3306/shop", "PREFERRED"),
        ("jdbc:mariadb://[::1]/shop", "disable"),
        ("jdbc:mysql://db.example/shop?sslMode=REQUIRED", None),
    ]:
        server = Server.at(url, "me", "hunter2")
        assert server.options().get("sslMode") == mode, url
        assert "hunter2" not in repr(server)


def test_the_command_as_users_run_it(spark, servers, tables, drivers, tmp_path):
    """In a separate process, with an option file. A server's refusal is one sentence."""
    from mysql_collation.spark.command import root_cause

    cursor, _, port = servers["mysql"]
    cursor.execute("DROP USER IF EXISTS 'spark'@'%'")
    cursor.execute("CREATE USER 'spark'@'%' IDENTIFIED BY 'geheim'")
    cursor.execute(f"GRANT SELECT ON {SCHEMA}.* TO 'spark'@'%'")
    options = tmp_path / "my.cnf"
    options.write_text("!includedir /nowhere\n[client]\nuser = spark\npassword='geheim'\nssl\n[mysqld]\nuser=other\n")
    asked = ["--jdbc", f"jdbc:mysql://127.0.0.1:{port}/{SCHEMA}", "--table", TABLE, "--unique", "na`me", "--to", "utf8mb4_0900_ai_ci"]
    asked += ["--out", tmp_path / "out", "--defaults-file", options]
    settings = ["--jars", drivers, "--conf", "spark.master=local[1]", "--conf", "spark.sql.shuffle.partitions=2"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "MYSQL_PWD"))}
    command = [sys.executable, "-m", "mysql_collation.spark", "preflight", *asked, *settings]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and done.stdout.startswith("Not yet: 1 of 1 unique key would not hold"), done.stderr
    assert "geheim" not in done.stdout + done.stderr

    options.write_text(options.read_text().replace("geheim", "falsch"))
    with pytest.raises(Exception) as refused:
        run(spark, *asked[:-3], tmp_path / "other", *asked[-2:])
    message = root_cause(refused.value)
    assert "Access denied for user 'spark'" in message and "falsch" not in message and "\n" not in message
