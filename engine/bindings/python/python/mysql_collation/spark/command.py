"""The command ``python -m mysql_collation.spark``."""

import argparse
import configparser
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from mysql_collation import Collation, __version__

from . import preflight, report
from .definition import ROUNDED, Key, Table
from .functions import quoted
from .jdbc import DRIVERS, Refused, Server
from .preflight import Source

EXAMPLES = """\
Examples:
  python -m mysql_collation.spark preflight --jdbc jdbc:mysql://replica1:3306/shop --user me --table customers \\
      --to utf8mb4_0900_ai_ci --jars mysql-connector-j.jar --out collisions
      Every unique key of a table, the password in MYSQL_PWD.
  python -m mysql_collation.spark preflight --parquet s3a://lake/people --unique name --unique town,street \\
      --to utf8mb4_0900_ai_ci,utf8mb4_0900_as_cs --flavour mysql --out s3a://lake/collisions
      Two keys of a lake's table, under two collations.
  spark-submit --jars mysql-connector-j.jar "$(python -c 'import mysql_collation.spark as s; print(s.__path__[0])')/__main__.py" preflight ...
      The same on a cluster; every worker has the package.

The server is only read from. Exit status: 0 no rows collide, 1 some do, 2 could not do it; 130 after ctrl-C.
"""
# Character sets of all of Unicode. A conversion to them loses no value.
UNICODE_CHARSETS = {"utf8mb4", "utf16", "utf16le", "utf32"}


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    plain = argparse.RawDescriptionHelpFormatter
    whole = argparse.ArgumentParser(prog="python -m mysql_collation.spark", description="MySQL's and MariaDB's collations in Spark")
    whole.add_argument("--version", action="version", version=__version__)
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    about = "Find the rows that unique keys would not tell apart under another collation"
    one = commands.add_parser("preflight", help=about.lower(), description=about, epilog=EXAMPLES, formatter_class=plain, allow_abbrev=False)

    what = one.add_argument_group("What to look at")
    source = what.add_mutually_exclusive_group(required=True)
    source.add_argument("--jdbc", metavar="URL", help="a server: jdbc:mysql://HOST:PORT/SCHEMA or jdbc:mariadb://HOST:PORT/SCHEMA")
    source.add_argument("--parquet", metavar="PATH", help="a Parquet file or folder, wherever Spark reads from")
    what.add_argument("--table", metavar="NAME", help="the table of --jdbc, as table or schema.table")
    what.add_argument("--to", required=True, type=_names, metavar="COLLATION,…", help="collations to convert to, of utf8mb4 (or utf16, utf16le, utf32)")
    what.add_argument(
        "--unique", action="append", default=[], type=_parts, metavar="COLUMN,…",
        help="columns of a unique key, name(10) for the first ten characters; may be repeated [default: those of the server]",
    )  # fmt: skip
    what.add_argument("--flavour", choices=("mysql", "mariadb"), help="whose collations, where the two differ under one name [default: the server's]")

    server = one.add_argument_group("Server")
    server.add_argument("--user", metavar="NAME", help="account [default: of --defaults-file, else the driver's]")
    server.add_argument(
        "--defaults-file", metavar="FILE", help="option file whose [client] group has user and password [default: the password in MYSQL_PWD]"
    )
    server.add_argument(
        "--partitions", type=_positive, metavar="N", help="ranges of an integer key, a connection each [default: four for each core]"
    )

    session = one.add_argument_group("Spark (without spark-submit)")
    session.add_argument("--jars", metavar="FILE,…", help="the JDBC driver: MySQL Connector/J or MariaDB Connector/J")
    session.add_argument("--conf", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="setting of Spark; may be repeated")

    output = one.add_argument_group("Output")
    output.add_argument("--out", required=True, metavar="DIR", help="new folder for groups.parquet and preflight.json")
    output.add_argument("--examples", type=_positive, default=100, metavar="N", help="the most groups that preflight.json lists of a key [100]")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    args = parser().parse_args(argv)
    try:
        check(args)
        spark = _session(args)
        try:
            return run(spark, args)
        finally:
            spark.stop()
    except KeyboardInterrupt:
        return 130
    except (LookupError, ValueError, OSError) as error:
        return _print_error(str(error))
    except (PySparkException, Py4JJavaError) as error:
        return _print_error(root_cause(error))


def check(args: argparse.Namespace) -> None:
    """Rejects invalid combinations of options before Spark starts."""
    if args.jdbc and not args.table:
        raise Refused("say which table of the server: --table NAME")
    if args.parquet and args.table:
        raise Refused("--table goes with --jdbc: a Parquet table is where --parquet says")
    if args.parquet and not args.unique:
        raise Refused("a Parquet table has no keys of its own: say --unique COLUMN,…")
    if args.jdbc:
        _server(args)
    else:
        _targets(args.to, args.flavour)


def run(spark: SparkSession, args: argparse.Namespace) -> int:
    """Writes and prints the report and returns the exit status."""
    system, folder = preflight.path_of(spark, args.out)
    if system.exists(folder):
        raise Refused(f"{args.out} is there already: name a new folder")
    source, targets = (_server_source if args.jdbc else _file_source)(spark, args)
    done, keys = preflight.run(spark, source, targets, args.out, args.examples)
    print(report.text(done, keys, args.out))
    return 1 if done["findings"] else 0


def _server(args: argparse.Namespace) -> Server:
    return Server.at(args.jdbc, *_login(args))


def _file_source(spark: SparkSession, args: argparse.Namespace) -> tuple[Source, list[Collation]]:
    path, targets = args.parquet, _targets(args.to, args.flavour)
    df = spark.read.parquet(path)
    text = [name for name, of in df.dtypes if of == "string"]
    names = {field.casefold(): field for field in df.columns}
    for column in (column for key in args.unique for column in key.columns if column.casefold() not in names):
        raise Refused(f"{path} has no column {column}; it has {', '.join(df.columns)}")
    keys = [Key(key.name, tuple((names[column.casefold()], prefix) for column, prefix in key.parts)) for key in _number_keys(args.unique)]
    source = Source(
        label=path,
        version=None,
        schema="parquet",
        table=path.rstrip("/").rsplit("/", 1)[-1].removesuffix(".parquet"),
        df=df.select(*(quoted(name) for name in sorted({name for key in keys for name in key.columns}))),
        how="from files",
        keys=keys,
        identify=(),
        collations=[{column: (target, None) for column in text} for target in targets],
        # Strings in a Parquet file are compared by their bytes.
        now=dict.fromkeys(text, "binary"),
        known=None,
        unchecked=(),
    )
    return source, targets


def _server_source(spark: SparkSession, args: argparse.Namespace) -> tuple[Source, list[Collation]]:
    server = _server(args)
    version = server.query(spark, "SELECT VERSION() AS version")[0].version
    targets = _targets(args.to, args.flavour or ("mariadb" if "mariadb" in version.lower() else "mysql"))
    table = Table.of(server, spark, args.table)
    name = f"{table.schema}.{table.name}"
    unchecked = [] if args.unique else [f"{name}: {key}: it has an expression, which the server alone computes" for key in table.functional]
    keys = []
    for key in [table.key(key) for key in _number_keys(args.unique)] or table.unique:
        rounded = [column for column in key.columns if table.columns[column].data_type in ROUNDED]
        if rounded:
            unchecked.append(f"{name}: {key.name}: {rounded[0]} is of a type that is rounded when it is read")
        else:
            keys.append(key)
    ranges, how = table.ranges(server, spark, args.partitions or 4 * spark.sparkContext.defaultParallelism)
    columns = [name for name in table.columns if name in table.primary or any(name in key.columns for key in keys)]
    source = Source(
        label=server.url.split("?")[0],
        version=version,
        schema=table.schema,
        table=table.name,
        df=table.read(server, spark, columns or list(table.columns)[:1], ranges),
        how=how,
        keys=keys,
        identify=table.primary,
        collations=[table.conversions(target) for target in targets],
        now={name: column.collation for name, column in table.columns.items() if column.collation},
        known=_server_collations(spark, server, version),
        unchecked=unchecked,
    )
    return source, targets


def _server_collations(spark: SparkSession, server: Server, version: str) -> set[str]:
    """Returns the full names of the server's collations. Since MariaDB 10.10 a collation has one per character set."""
    number = re.search(r"(\d+)\.(\d+)", version.removeprefix("5.5.5-"))
    full = "mariadb" in version.lower() and number is not None and (int(number[1]), int(number[2])) >= (10, 10)
    table, column = ("COLLATION_CHARACTER_SET_APPLICABILITY", "FULL_COLLATION_NAME") if full else ("COLLATIONS", "COLLATION_NAME")
    return {row.name for row in server.query(spark, f"SELECT {column} AS name FROM information_schema.{table}")}


def _number_keys(keys: Sequence[Key]) -> list[Key]:
    return [Key(f"key {at}", key.parts) for at, key in enumerate(keys, 1)]


def _targets(names: Sequence[str], flavour: Any) -> list[Collation]:
    targets = [Collation(name, flavour) for name in names]
    for target in targets:
        if target.charset not in UNICODE_CHARSETS:
            raise Refused(f"{target.name} is of {target.charset}, which lacks characters: `weigh preflight` says what would be lost, this command takes collations of utf8mb4")
    return targets


def _login(args: argparse.Namespace) -> tuple[str | None, str | None]:
    user, password = args.user, os.environ.get("MYSQL_PWD")
    if args.defaults_file:
        file = configparser.RawConfigParser(allow_no_value=True, strict=False, comment_prefixes=("#", ";"), delimiters=("=",))
        with open(args.defaults_file, encoding="utf-8") as lines:
            try:
                # !include lines are for MySQL's own programs.
                file.read_string("".join(line for line in lines if not line.startswith("!")))
            except configparser.Error:
                raise Refused(f"{args.defaults_file} is no option file: it takes lines such as [client] and password=…") from None
        client = {name: (value or "").strip("'\"") for name, value in file["client"].items()} if file.has_section("client") else {}
        user, password = user or client.get("user"), client.get("password", password)
    return user, password


def _session(args: argparse.Namespace) -> SparkSession:
    builder = SparkSession.builder.appName("mysql_collation.spark preflight")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not started by spark-submit, which has these settings itself. Workers use this Python
        # unless another one is configured.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        progress = "true" if sys.stderr.isatty() else "false"
        defaults = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": progress, "spark.log.level": "ERROR"}
        if args.jars:
            defaults["spark.jars"] = args.jars
        for name, value in (defaults | dict(args.conf)).items():
            builder = builder.config(name, value)
    elif args.jars or args.conf:
        raise Refused("spark-submit has --jars and --conf itself: put them before the program")
    return builder.getOrCreate()


def root_cause(error: Exception) -> str:
    """Returns the root cause of a failure in a sentence."""
    raised = re.findall(r"^\s*([\w.]+(?:Error|Exception): .+)$", str(error), re.MULTILINE)
    if "Traceback" in str(error) and raised:
        return f"a worker's Python failed: {raised[-1]}"
    cause: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if cause is None:
        return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    while cause.getCause() is not None:
        cause = cause.getCause()
    message = str(cause.getMessage()).strip().partition("\n")[0]
    if any(driver in message for driver in DRIVERS.values()):
        return f"Spark has no JDBC driver {message}: name its jar by --jars (spark-submit --jars or --packages)"
    return f"{cause.getClass().getSimpleName()}: {message}"


def _print_error(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _parts(text: str) -> Key:
    def part(name: str) -> tuple[str, int | None]:
        prefixed = re.fullmatch(r"(.+)\((\d+)\)", name)
        return (prefixed[1], int(prefixed[2])) if prefixed else (name, None)

    names = _names(text)
    if not names:
        raise argparse.ArgumentTypeError("name its columns")
    return Key(text, tuple(part(name) for name in names))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it is 1 or more")
    return number


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("write NAME=VALUE")
    return name, value
