"""Time and memory of sort keys and collisions in Spark, by rows and cores, from Parquet and over JDBC.

    maturin build --release --out dist && pip install 'dist/mysql_collation-*.whl' && pip install 'pyspark ~= 4.1.0' pyarrow      # here, in engine/bindings/python; Java 17
    python benches/spark.py --rows 1000000,5000000 --cores 1,2                              # Parquet, created in --dir and removed
    python benches/spark.py --rows 5000000 --cores 2 --jars connector.jar --jdbc 'jdbc:mysql://127.0.0.1:3306/' --user root   # in a new schema

Each number of rows and of cores is measured in a new process, with a JVM of --memory. Each fiftieth row is a variant of the next: in upper case, or with an
accent in a script without case. All other rows differ, so the number of groups is known and checked. Over JDBC the table has a unique key under a collation
that distinguishes the variants. With --check the server's GROUP BY must find as many groups, with --weigh PROGRAM `weigh preflight` must find the same.
Memory is the sampled maximum of all processes' RSS together, in which shared memory counts several times.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EVERY = 50
# Syllables of eight scripts.
SCRIPTS = [
    "stra ss ß æ ae fi no ij lo mar tz ei",
    "αθ η σ ου κα λο μι φ θ νε",
    "пра во дь ста ний щу рус мо ел",
    "ש לו ם מ ב ה ר ףא",
    "سل ام لا كت ک ي ی ب",
    "न म स् ते हि न्दी क",
    "กา เก สวั ดี ไท ย นั",
    "日 本 カ か ガ 한 글 東 京",
]
TARGETS = {"mysql": "utf8mb4_0900_ai_ci", "mariadb": "utf8mb4_uca1400_ai_ci"}
FINER = {"mysql": "utf8mb4_0900_as_cs", "mariadb": "utf8mb4_uca1400_nopad_as_cs"}
# Its own in each process: it is dropped in the end.
SCHEMA = f"bench_spark_{os.getpid()}"


class Memory(threading.Thread):
    """Samples the maximum memory of this process and its descendants."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = 0

    def run(self):
        while True:
            self.most = max(self.most, sum(resident(process) for process in family(os.getpid())))
            time.sleep(0.2)


def family(process):
    """Returns a process and its descendants."""
    yield process
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
    except OSError:
        return


def resident(process):
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def session(args):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.master": f"local[{args.cores}]",
        "spark.driver.memory": args.memory,
        "spark.local.dir": args.dir,
        "spark.sql.warehouse.dir": f"{args.dir}/warehouse",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if args.jars:
        settings["spark.jars"] = args.jars
    if hasattr(args, "extensions"):
        settings["spark.sql.extensions"] = args.extensions
    return SparkSession.builder.config(map=settings).getOrCreate()


def create_rows(spark, rows):
    """Returns numbers and words. The word of a multiple of fifty equals the next word under the target collation."""
    scripts = ", ".join("array('" + "', '".join(script.split()) + "')" for script in SCRIPTS)
    base = f"if(id % {EVERY} = 0, id + 1, id)"
    syllables = f"element_at(array({scripts}), cast(pmod(xxhash64(base), {len(SCRIPTS)}) as int) + 1)"
    one = "element_at(syllables, cast(pmod(xxhash64(base, at), size(syllables)) as int) + 1)"
    word = f"array_join(transform(sequence(1, 4 + cast(pmod(xxhash64(base, -1), 5) as int)), at -> {one}), '')"
    plain = spark.range(rows).selectExpr("id", f"{base} as base").selectExpr("id", "base", f"{syllables} as syllables").selectExpr("id", "base", f"{word} as word")
    variant = "if(upper(word) = word, concat(word, '\u0301'), upper(word))"
    return plain.selectExpr("id", f"concat(if(id % {EVERY} = 0, {variant}, word), ' ', base) as word")


def groups(rows):
    """Returns the expected number of groups. A last row without a next row has no group."""
    return len(range(0, rows - 1, EVERY))


def timed(work):
    begin = time.monotonic()
    result = work()
    return time.monotonic() - begin, result


def measure_parquet(spark, args, rows):
    """Returns the seconds of reading, of keys, and of collisions with and without finding distinct values first."""
    from mysql_collation.spark import collisions, sort_key

    folder = f"{args.dir}/words-{rows}"
    if not Path(folder).exists():
        create_rows(spark, rows).write.parquet(folder)
    df, target = spark.read.parquet(folder), TARGETS["mysql"]
    nowhere = lambda frame: frame.write.format("noop").mode("overwrite").save()
    yield "read", timed(lambda: nowhere(df.select("word")))[0]
    yield "keys", timed(lambda: nowhere(df.select(sort_key("word", target, "mysql"))))[0]
    for name, distinct in (("collisions", True), ("collisions of unique values", False)):
        found = collisions(df, ["word"], target, "mysql", identify=["id"], distinct=distinct)
        seconds, count = timed(lambda found=found: found.where("count = 2").count())
        assert count == groups(rows), f"{count} groups, not {groups(rows)}"
        yield name, seconds


def measure_server(spark, args, rows):
    """Returns the seconds of the command, with --check of the server's GROUP BY, and with --weigh of `weigh preflight`."""
    from mysql_collation.spark import command
    from mysql_collation.spark.jdbc import Server

    server = Server.at(args.jdbc, args.user, os.environ.get("MYSQL_PWD", ""))
    target = TARGETS[server.driver]
    out = f"{args.dir}/out-{rows}"
    shutil.rmtree(out, ignore_errors=True)
    asked = ["--jdbc", args.jdbc, "--user", args.user, "--table", f"{SCHEMA}.words_{rows}", "--to", target, "--out", out]
    options = command.parser().parse_args(["preflight", *asked])
    seconds, status = timed(lambda: command.run(spark, options))
    (finding,) = json.loads(Path(out, "preflight.json").read_text())["findings"]
    assert status == 1 and finding["count"] == groups(rows), f"{finding['count']} groups, not {groups(rows)}"
    yield f"preflight, {server.driver}", seconds
    if args.check:
        (statement,) = finding["statements"]
        query = f"SELECT COUNT(*) AS n FROM (SELECT SQL_BIG_RESULT COUNT(*) AS c{statement[statement.index(' FROM ') :]}) AS found"
        seconds, answer = timed(lambda: server.query(spark, query)[0].n)
        assert answer == groups(rows), f"the server finds {answer} groups"
        yield f"GROUP BY in {server.driver}", seconds
    if args.weigh:
        import pyarrow.parquet as pq

        groups_of_spark = primary_keys(pq.read_table(f"{out}/groups.parquet").to_pylist())
        seconds, groups_of_weigh = timed(lambda: weigh(args, f"{SCHEMA}.words_{rows}", target))
        assert groups_of_spark == groups_of_weigh, "weigh preflight finds other groups"
        yield "weigh preflight, the same groups", seconds


def weigh(args, table, target):
    """Returns the groups that weigh preflight finds."""
    host, port = re.search(r"//([^:/]+):(\d+)", args.jdbc).groups()
    command = [args.weigh, "preflight", "--no-defaults", "--host", host, "--port", port, "--user", args.user, "--ssl-mode", "DISABLED"]
    command += ["--table", table, "--to", target, "--check", "unique-key", "--examples", "1000000000", "--trial", "none", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    return primary_keys(finding["groups"])


def primary_keys(groups):
    """Returns the primary keys of each group's rows."""
    return {frozenset(row["key"][0] for row in group["rows"]) for group in groups}


def measure_filled_server(spark, args, rows):
    """Fills a table with a unique key by Spark over JDBC, measures as ``measure_server`` does. Creates a schema for it, and drops it."""
    from mysql_collation.spark.jdbc import Server

    server = Server.at(args.jdbc, args.user, os.environ.get("MYSQL_PWD", ""))
    options = {**server.options(), "rewriteBatchedStatements": "true", "batchsize": 5000}
    del options["fetchsize"], options["sessionInitStatement"]
    jvm = spark._jvm
    properties = jvm.java.util.Properties()
    for name in ("user", "password", "sslMode"):
        if name in options:
            properties.setProperty(name, str(options[name]))
    driver = jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(options["driver"]).newInstance()
    connection = driver.connect(options["url"], properties)
    statement = connection.createStatement()
    table = f"{SCHEMA}.words_{rows}"
    # A schema that exists is somebody else's: this fails, and nothing is dropped.
    statement.execute(f"CREATE DATABASE {SCHEMA}")
    try:
        statement.execute(f"CREATE TABLE {table} (id BIGINT PRIMARY KEY, word VARCHAR(100) CHARACTER SET utf8mb4 COLLATE {FINER[server.driver]} NOT NULL)")
        create_rows(spark, rows).write.format("jdbc").options(dbtable=table, **options).mode("append").save()
        statement.execute(f"ALTER TABLE {table} ADD UNIQUE KEY word (word)")
        statement.execute(f"ANALYZE TABLE {table}")
        yield from measure_server(spark, args, rows)
    finally:
        statement.execute(f"DROP DATABASE {SCHEMA}")
        connection.close()


def one(args):
    memory = Memory()
    memory.start()
    spark = session(args)
    rows = int(args.rows)
    work = measure_filled_server(spark, args, rows) if args.jdbc else measure_parquet(spark, args, rows)
    for what, seconds in work:
        # The parent prints it.
        print(json.dumps([rows, args.cores, what, seconds, memory.most]), file=sys.stderr, flush=True)
    spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="1000000")
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("--memory", default="2g", help="the JVM's heap [2g]")
    parser.add_argument("--dir", help="where a folder is made for Parquet and what Spark spills, and removed in the end [the system's, for temporary files]")
    parser.add_argument("--jdbc", metavar="URL")
    parser.add_argument("--user", default="root")
    parser.add_argument("--jars", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--weigh", metavar="PROGRAM", default="")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        return one(args)
    print(f"{'rows':>12} {'cores':>5}  {'what':32} {'s':>8} {'rows/s':>12} {'MB':>7}")
    with tempfile.TemporaryDirectory(prefix="bench-spark-", dir=args.dir) as folder:
        for rows in args.rows.split(","):
            for cores in args.cores.split(","):
                options = ["--one", "--rows", rows, "--cores", cores, "--memory", args.memory, "--dir", folder, "--user", args.user, "--jars", args.jars]
                options += ["--jdbc", args.jdbc] * bool(args.jdbc) + ["--check"] * args.check + ["--weigh", args.weigh] * bool(args.weigh)
                child = subprocess.Popen([sys.executable, __file__, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                other = []
                for line in child.stderr:
                    if not line.startswith("["):
                        other.append(line)
                        continue
                    number, of, what, seconds, most = json.loads(line)
                    print(f"{number:12,} {of:>5}  {what:32} {seconds:8.1f} {number / seconds:12,.0f} {most / 1e6:7,.0f}", flush=True)
                if child.wait():
                    sys.exit("".join(other[-30:]))
            shutil.rmtree(f"{folder}/words-{rows}", ignore_errors=True)


if __name__ == "__main__":
    main()
