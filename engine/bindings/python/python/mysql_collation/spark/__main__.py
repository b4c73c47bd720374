"""Entry point of ``python -m mysql_collation.spark`` and of spark-submit."""

import sys

from mysql_collation.spark.command import main

if __name__ == "__main__":
    sys.exit(main())
