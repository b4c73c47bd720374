"""What the tests need beside the wheel. `cargo xtask bindings python` sets it up and names it in the environment."""

import os

import pymysql
import pytest


def needed(name):
    value = os.environ.get(name)
    if not value:
        pytest.fail(f"{name} is not set: run the tests by `cargo xtask bindings python`", pytrace=False)
    return value


@pytest.fixture(scope="session")
def server():
    """A connection to a real MariaDB, as an account that may create schemas."""
    socket = needed("MYSQL_COLLATION_TEST_SOCKET")
    connection = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True)
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE bindings_python CHARACTER SET utf8mb4")
        cursor.execute("USE bindings_python")
        try:
            yield cursor
        finally:
            cursor.execute("DROP DATABASE bindings_python")


@pytest.fixture(scope="session")
def rust():
    """The program `columns` of the Rust library's examples."""
    return needed("MYSQL_COLLATION_TEST_COLUMNS")
