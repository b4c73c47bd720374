package weighbridge.mysqlcollation.spark;

import java.util.Locale;
import org.apache.spark.sql.types.DataType;
import weighbridge.mysqlcollation.Collation;

/** A function of SQL. */
enum Definition {
    MYSQL_SORT_KEY(1, "value", "a key (binary): keys compare bytewise as their strings do") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new SortKey(collation, types);
        }
    },
    MYSQL_EQUAL(2, "a, b", "whether a = b") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new Equal(collation, types);
        }
    },
    MYSQL_COMPARE(2, "a, b", "-1, 0 or 1, as STRCMP(a, b)") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new Compare(collation, types);
        }
    },
    MYSQL_LIKE(2, "value, pattern", "whether value LIKE pattern; after the flavour may follow the escape, '' for none") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new Like(collation, types, escape);
        }
    },
    MYSQL_WEIGHT_STRING(1, "value", "the server's WEIGHT_STRING(value) (binary)") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new WeightString(collation, types);
        }
    },
    MYSQL_UPPER(1, "value", "the server's UPPER(value)") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new Case(collation, types, true);
        }
    },
    MYSQL_LOWER(1, "value", "the server's LOWER(value)") {
        @Override
        TextFunction<?> create(Collation collation, DataType[] types, int escape) {
            return new Case(collation, types, false);
        }
    };

    /** Number of strings before the collation's name. */
    final int strings;
    final String usage;

    Definition(int strings, String names, String result) {
        this.strings = strings;
        usage = "_FUNC_(" + names + ", collation[, flavour]) - Returns " + result + ".";
    }

    String functionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the function of values of these types: strings, or bytes in the collation's character set. */
    abstract TextFunction<?> create(Collation collation, DataType[] types, int escape);
}
