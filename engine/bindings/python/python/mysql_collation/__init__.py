"""The collations of MySQL and MariaDB, exact to each weight, without a server."""

from ._native import KEY_FORMAT, Array, Collation, __version__, collations

__all__ = ["KEY_FORMAT", "Array", "Collation", "__version__", "collations"]
