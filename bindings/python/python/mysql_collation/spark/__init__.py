"""The collations of MySQL and MariaDB in Spark: keys, collisions, ``DISTINCT`` and ``ORDER BY`` for tables that one machine can't hold.

Needs PySpark 3.5 or later with pyarrow (before 4.1 also pandas), and this package on every worker.
"""

from .frames import collisions, distinct_under, order_by
from .functions import sort_key

__all__ = ["collisions", "distinct_under", "order_by", "sort_key"]
