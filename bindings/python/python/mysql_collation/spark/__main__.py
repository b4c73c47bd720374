"""``python -m mysql_collation.spark``; spark-submit takes this file."""

import sys

from mysql_collation.spark.command import main

if __name__ == "__main__":
    sys.exit(main())
