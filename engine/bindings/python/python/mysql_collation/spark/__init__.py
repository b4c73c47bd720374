"""The collations of MySQL and MariaDB in Spark: sort keys, collisions, ``DISTINCT`` and ``ORDER BY`` for tables of any size.

Needs PySpark 3.5 or later with pyarrow (before 4.1 also pandas). Each worker needs this package.
"""

from .frames import collisions, distinct_under, order_by
from .functions import sort_key

__all__ = ["collisions", "distinct_under", "order_by", "sort_key"]
