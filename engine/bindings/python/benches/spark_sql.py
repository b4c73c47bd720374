"""Time of keys, DISTINCT, ORDER BY and a join in Spark: keys by this package's Arrow functions, and by the JVM's SQL functions.

    mvn -q -f ../../ports/java/pom.xml install -DskipTests && mvn -q -f ../../ports/java/spark/pom.xml package -DskipTests     # here, in engine/bindings/python
    python benches/spark_sql.py --rows 10000000 --jars ../../ports/java/target/mysql-collation-0.1.0.jar,../../ports/java/spark/target/mysql-collation-spark-0.1.0.jar

Rows are those of benches/spark.py, in Parquet. Each way runs each operation `--rounds` times, in turns, in one JVM; the shortest counts. Both must find as many
groups and joined rows.
"""

import argparse
import tempfile

from spark import TARGETS, create_rows, session, timed

OPERATIONS = ("keys", "DISTINCT", "ORDER BY", "join")


def ways():
    """Returns the functions from a column's name to its key."""
    from pyspark.sql.functions import expr

    from mysql_collation.spark import sort_key

    target = TARGETS["mysql"]
    return {
        "Arrow": lambda name: sort_key(name, target, "mysql"),
        "JVM": lambda name: expr(f"mysql_sort_key({name}, '{target}', 'mysql')"),
    }


def run(frame, operation, key):
    """Runs an operation and returns the number of its rows, or nothing for one that returns all."""
    from pyspark.sql.functions import col

    keyed = frame.select("id", "word", key("word").alias("key"))
    nowhere = lambda rows: rows.write.format("noop").mode("overwrite").save()
    if operation == "keys":
        return nowhere(keyed)
    if operation == "DISTINCT":
        return keyed.groupBy("key").agg({"word": "min"}).count()
    if operation == "ORDER BY":
        return nowhere(keyed.orderBy("key").select("word"))
    fiftieth = keyed.where("id % 50 = 0").select(col("id").alias("other"), "key")
    return keyed.join(fiftieth, "key").count()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cores", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="4g", help="the JVM's heap [4g]")
    parser.add_argument("--jars", required=True)
    args = parser.parse_args()
    args.extensions = "weighbridge.mysqlcollation.spark.Extensions"
    with tempfile.TemporaryDirectory(prefix="bench-spark-") as args.dir:
        spark = session(args)
        create_rows(spark, args.rows).write.parquet(f"{args.dir}/words")
        frame = spark.read.parquet(f"{args.dir}/words")
        print(f"{'operation':12} " + " ".join(f"{name + ', s':>10}" for name in ways()))
        for operation in OPERATIONS:
            seconds = {name: [] for name in ways()}
            counts = set()
            for _ in range(args.rounds):
                for name, key in ways().items():
                    took, count = timed(lambda key=key: run(frame, operation, key))
                    seconds[name].append(took)
                    counts.add(count)
            assert len(counts) == 1, f"{operation}: {counts}"
            print(f"{operation:12} " + " ".join(f"{min(all):10.1f}" for all in seconds.values()), flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
