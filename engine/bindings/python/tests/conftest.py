"""Fixtures of the tests. `cargo xtask bindings python` prepares their servers and files and names them in the environment."""

import contextlib
import os
import random
import sys

import pymysql
import pytest
from relay import relay

# Characters that collations expand, contract, ignore or treat as equal, with one to four bytes.
# Some collations ignore trailing spaces.
ALPHABETS = ["abcABCßsSœæÆ", "áàâäÄåÅçÇéÉñÑöÖøØüÜýÿ", "cChHdDžŽlLjJnNsSzZ", "абвгдеёжзАБВГДЕЁЖЗ", "αβγάέήΑΒΓ", "漢字一丁かがカガｶ", "가각힣", "😀🎉𝒜𐐀𐐨", " \t-_.,0123４５"]


def needed(name):
    value = os.environ.get(name)
    if not value:
        pytest.fail(f"{name} is not set: run the tests by `cargo xtask bindings python`", pytrace=False)
    return value


def strings(seed, rows):
    """Returns short strings, of which many are equal and some are NULL. No string contains a newline, which separates the Rust program's input."""
    choice = random.Random(seed)
    everything = "".join(ALPHABETS)
    for _ in range(rows):
        if choice.random() < 0.02:
            yield None
            continue
        alphabet = choice.choice([*ALPHABETS, everything])
        yield "".join(choice.choices(alphabet, k=choice.randrange(6))) + " " * (choice.random() < 0.1)


@contextlib.contextmanager
def opened(socket):
    """Returns a cursor of root on a server, in a new schema."""
    connection = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True)
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE bindings_python CHARACTER SET utf8mb4")
        cursor.execute("USE bindings_python")
        try:
            yield cursor
        finally:
            cursor.execute("DROP DATABASE bindings_python")


@pytest.fixture(scope="session")
def server():
    """A cursor on a real MariaDB."""
    with opened(needed("MYSQL_COLLATION_TEST_SOCKET")) as cursor:
        yield cursor


@pytest.fixture(scope="session")
def servers(server):
    """Per flavour: a cursor, the socket, and a port for JDBC drivers."""
    sockets = {"mariadb": needed("MYSQL_COLLATION_TEST_SOCKET"), "mysql": needed("MYSQL_COLLATION_TEST_MYSQL_SOCKET")}
    with opened(sockets["mysql"]) as mysql, relay(sockets["mariadb"]) as one, relay(sockets["mysql"]) as other:
        yield {"mariadb": (server, sockets["mariadb"], one), "mysql": (mysql, sockets["mysql"], other)}


@pytest.fixture(scope="session")
def rust():
    """The program `columns` of the Rust library's examples."""
    return needed("MYSQL_COLLATION_TEST_COLUMNS")


@pytest.fixture(scope="session")
def drivers():
    """The jars of both JDBC drivers, separated by commas."""
    return needed("MYSQL_COLLATION_TEST_DRIVERS")


@pytest.fixture(scope="session")
def spark(drivers, tmp_path_factory):
    """One session for all tests, because it starts slowly."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.master": "local[2]",
        "spark.jars": f"{drivers},{needed('MYSQL_COLLATION_TEST_SPARK_JARS')}",
        "spark.sql.extensions": "weighbridge.mysqlcollation.spark.Extensions",
        "spark.driver.memory": "1g",
        # Only Java's fast compiler: a test's job ends before the optimising one would pay.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.shuffle.partitions": "3",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    session = SparkSession.builder.config(map=settings).getOrCreate()
    yield session
    session.stop()
