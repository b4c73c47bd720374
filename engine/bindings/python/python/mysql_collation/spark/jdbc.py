"""Access to servers through their JDBC drivers.

Spark quotes names by the URL's scheme. For ``jdbc:mariadb:`` it writes ``"name"``, which MariaDB reads as a string (SPARK-25013):
each row would contain the column's name. MariaDB's driver accepts MySQL's URLs with ``permitMysqlScheme``, so Spark gets such a
URL.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from .functions import quoted

DRIVERS = {"mysql": "com.mysql.cj.jdbc.Driver", "mariadb": "org.mariadb.jdbc.Driver"}
# Values of sslMode that verify the certificate and its host name, and values for connections within
# this machine.
VERIFIED = {"mysql": "VERIFY_IDENTITY", "mariadb": "verify-full"}
LOCAL = {"mysql": "PREFERRED", "mariadb": "disable"}
# Fetch size that streams rows. Otherwise MySQL's driver collects a partition in memory first (its
# manual, "ResultSet").
STREAM = {"mysql": -(1 << 31), "mariadb": 10_000}
# sql_mode: does not pad CHAR (PAD_CHAR_TO_FULL_LENGTH). time_zone: each time has a unique text.
# net_write_timeout: the server waits while Spark sorts.
SESSION = "SET SESSION sql_mode = '', time_zone = '+00:00', net_write_timeout = 3600"


class Refused(ValueError):
    """A request that cannot be fulfilled, with the reason as a sentence."""


@dataclass(frozen=True)
class Server:
    """Address and account of a server. Neither URL nor ``repr`` contain the password."""

    url: str
    driver: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def at(cls, url: str, user: str | None = None, password: str | None = None) -> "Server":
        """Parses ``jdbc:mysql://…`` (MySQL Connector/J) or ``jdbc:mariadb://…`` (MariaDB Connector/J)."""
        scheme = re.match(r"jdbc:(mysql|mariadb):", url)
        if scheme is None:
            raise Refused("--jdbc takes jdbc:mysql://HOST:PORT/SCHEMA or jdbc:mariadb://HOST:PORT/SCHEMA")
        if re.search(r"password|//[^/@]*:[^/@]*@", url, re.IGNORECASE):
            raise Refused("take the password out of the URL, which others see in the list of processes: MYSQL_PWD or --defaults-file has it")
        return cls(url, scheme[1], user, password)

    def options(self) -> dict[str, Any]:
        """Returns the options of Spark's reader."""
        url = self.url
        if self.driver == "mariadb":
            url = _with("jdbc:mysql:" + url.removeprefix("jdbc:mariadb:"), "permitMysqlScheme")
        options = {
            "url": url,
            "driver": DRIVERS[self.driver],
            "fetchsize": STREAM[self.driver],
            "sessionInitStatement": SESSION,
            # Otherwise TINYINT(1) is a Boolean, and 2 equals 3.
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
        """True if connections stay within this machine, where TLS is not needed."""
        host = re.match(r"jdbc:\w+://(\[[^]]*\]|[^:/?,]*)(?![^/?]*,)", self.url)
        return host is not None and (host[1] in {"", "localhost", "[::1]"} or host[1].startswith("127."))

    def query(self, spark: SparkSession, sql: str) -> list[Any]:
        """Returns the rows of a small result."""
        return spark.read.format("jdbc").options(query=sql, **self.options()).load().collect()

    def rows(self, spark: SparkSession, query: str, types: dict[str, str], ranges: Sequence[str]) -> DataFrame:
        """Reads a query with the given Spark types, with a partition and a connection per range.

        Servers merge the query into Spark's (MySQL from 5.7 on), so an index serves the range.
        """
        custom = ", ".join(f"{quoted(name)} {of}" for name, of in types.items())
        options = {**self.options(), "customSchema": custom}
        url = options.pop("url")
        properties = {name: str(value) for name, value in options.items()}
        whole = spark.read.jdbc(url, f"({query}) AS t", predicates=list(ranges) or ["1 = 1"], properties=properties)
        return whole.select(*map(quoted, types))


def identifier(name: str) -> str:
    """Quotes a name for both servers."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """Returns a string literal that is safe in any SQL mode."""
    return f"CONVERT(x'{text.encode().hex()}' USING utf8mb4)"


def _with(url: str, option: str) -> str:
    if option in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}{option}=true"
