"""Servers by way of their JDBC drivers.

Spark knows how MySQL quotes names, but goes by the URL: for ``jdbc:mariadb:`` it writes ``"name"``, which MariaDB takes for a string
(SPARK-25013), and every row has the column's own name for a value. MariaDB's driver takes MySQL's URLs when it is told to
(``permitMysqlScheme``), so Spark is given one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from .functions import quoted

DRIVERS = {"mysql": "com.mysql.cj.jdbc.Driver", "mariadb": "org.mariadb.jdbc.Driver"}
# What each driver calls a connection whose certificate, and the host's name in it, are verified; and one that stays on this machine.
VERIFIED = {"mysql": "VERIFY_IDENTITY", "mariadb": "verify-full"}
LOCAL = {"mysql": "PREFERRED", "mariadb": "disable"}
# Rows as they come, a few at a time; else MySQL's driver collects a partition in memory first (its manual, "ResultSet").
STREAM = {"mysql": -(1 << 31), "mariadb": 10_000}
# sql_mode: CHAR is not padded (PAD_CHAR_TO_FULL_LENGTH). time_zone: no two times are written alike. net_write_timeout: the server waits
# while Spark sorts.
SESSION = "SET SESSION sql_mode = '', time_zone = '+00:00', net_write_timeout = 3600"


class Refused(ValueError):
    """What can't be done as it was asked for, in a sentence."""


@dataclass(frozen=True)
class Server:
    """How to reach a server. The password is in no URL and in no ``repr``."""

    url: str
    driver: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def at(cls, url: str, user: str | None = None, password: str | None = None) -> "Server":
        """The server of ``jdbc:mysql://…`` (MySQL Connector/J) or ``jdbc:mariadb://…`` (MariaDB Connector/J)."""
        scheme = re.match(r"jdbc:(mysql|mariadb):", url)
        if scheme is None:
            raise Refused("--jdbc takes jdbc:mysql://HOST:PORT/SCHEMA or jdbc:mariadb://HOST:PORT/SCHEMA")
        if re.search(r"password|//[^/@]*:[^/@]*@", url, re.IGNORECASE):
            raise Refused("take the password out of the URL, which others see in the list of processes: MYSQL_PWD or --defaults-file has it")
        return cls(url, scheme[1], user, password)

    def options(self) -> dict[str, Any]:
        """What Spark's reader is told."""
        url = self.url
        if self.driver == "mariadb":
            url = _with("jdbc:mysql:" + url.removeprefix("jdbc:mariadb:"), "permitMysqlScheme")
        options = {
            "url": url,
            "driver": DRIVERS[self.driver],
            "fetchsize": STREAM[self.driver],
            "sessionInitStatement": SESSION,
            # Else TINYINT(1) is a Boolean, and 2 equals 3.
            "tinyInt1isBit": "false",
            "connectTimeout": 20_000,
            "socketTimeout": 3_600_000,
        }
        if not re.search("sslmode|usessl", url, re.IGNORECASE):
            options["sslMode"] = (LOCAL if self.is_local() else VERIFIED)[self.driver]
        if self.user is not None:
            options["user"] = self.user
        if self.password is not None:
            options["password"] = self.password
        return options

    def is_local(self) -> bool:
        """Whether traffic stays on this machine, where TLS guards nothing."""
        host = re.match(r"jdbc:\w+://(\[[^]]*\]|[^:/?,]*)(?![^/?]*,)", self.url)
        return host is not None and (host[1] in {"", "localhost", "[::1]"} or host[1].startswith("127."))

    def query(self, spark: SparkSession, sql: str) -> list[Any]:
        """The rows of a small result."""
        return spark.read.format("jdbc").options(query=sql, **self.options()).load().collect()

    def rows(self, spark: SparkSession, query: str, types: dict[str, str], ranges: Sequence[str]) -> DataFrame:
        """A query's columns as the Spark types given, a partition and a connection for each range.

        Servers merge the query into Spark's own (MySQL from 5.7 on), so that an index serves the range.
        """
        custom = ", ".join(f"{quoted(name)} {of}" for name, of in types.items())
        options = {**self.options(), "customSchema": custom}
        url = options.pop("url")
        properties = {name: str(value) for name, value in options.items()}
        whole = spark.read.jdbc(url, f"({query}) AS t", predicates=list(ranges) or ["1 = 1"], properties=properties)
        return whole.select(*map(quoted, types))


def identifier(name: str) -> str:
    """A name as both servers quote it."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A string for a statement: whatever it holds and whatever the SQL mode is, no more than a string."""
    return f"CONVERT(x'{text.encode().hex()}' USING utf8mb4)"


def _with(url: str, option: str) -> str:
    if option in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}{option}=true"
