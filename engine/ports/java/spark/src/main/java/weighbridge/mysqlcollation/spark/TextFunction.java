package weighbridge.mysqlcollation.spark;

import java.util.Arrays;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;

/** A function of strings under a collation. NULL gives NULL. */
abstract class TextFunction<R> implements ScalarFunction<R> {
    private static final long serialVersionUID = 1;

    private final Flavour flavour;
    private final String collationName;
    private final DataType[] inputTypes;
    private final DataType resultType;
    /** Read on the executor: its tables are not sent. */
    private transient volatile Collation collation;

    TextFunction(Collation collation, DataType[] types, DataType resultType) {
        flavour = collation.flavour();
        collationName = collation.name();
        inputTypes = types;
        this.resultType = resultType;
        this.collation = collation;
    }

    final Collation collation() {
        Collation found = collation;
        if (found == null) {
            found = Collation.of(flavour, collationName);
            collation = found;
        }
        return found;
    }

    /** Returns whether strings need no conversion. As in the servers, {@code binary} keeps their bytes. */
    private static boolean takesUtf8(Collation collation) {
        return collation.charset().equals("utf8mb4") || collation.charset().equals("binary");
    }

    /** Returns a string's bytes in the collation's character set. */
    final byte[] encode(UTF8String text) {
        Collation to = collation();
        if (takesUtf8(to)) {
            return text.getBytes();
        }
        String decoded = text.toString();
        if (!to.canEncode(decoded)) {
            throw new IllegalArgumentException(to.charset() + " lacks a character of '" + decoded + "'");
        }
        return to.encode(decoded);
    }

    final UTF8String decode(byte[] text) {
        Collation from = collation();
        return takesUtf8(from) ? UTF8String.fromBytes(text) : UTF8String.fromString(from.decode(text));
    }

    @Override
    public DataType[] inputTypes() {
        return inputTypes.clone();
    }

    @Override
    public DataType resultType() {
        return resultType;
    }

    @Override
    public String name() {
        return "mysql_" + getClass().getSimpleName() + "[" + flavour + " " + collationName + "]";
    }

    @Override
    public String canonicalName() {
        return getClass().getName() + parameters();
    }

    /** Returns what distinguishes functions of a class. */
    String parameters() {
        return Arrays.asList(flavour, collationName, Arrays.toString(inputTypes)).toString();
    }

    // Spark takes equal expressions for one: that of SELECT and that of GROUP BY.
    @Override
    public final boolean equals(Object other) {
        return other instanceof TextFunction && ((TextFunction<?>) other).canonicalName().equals(canonicalName());
    }

    @Override
    public final int hashCode() {
        return canonicalName().hashCode();
    }

    @Override
    public final String toString() {
        return name();
    }
}
