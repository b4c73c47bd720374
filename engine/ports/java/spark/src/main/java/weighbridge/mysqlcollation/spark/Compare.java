package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;

/** The order of two strings: -1, 0 or 1. */
public final class Compare extends TextFunction<Integer> {
    private static final long serialVersionUID = 1;

    Compare(Collation collation, DataType[] types) {
        super(collation, types, DataTypes.IntegerType);
    }

    /** Called by the code that Spark compiles. */
    public Integer invoke(UTF8String a, UTF8String b) {
        return a == null || b == null ? null : invoke(encode(a), encode(b));
    }

    /** Called by the code that Spark compiles. */
    public Integer invoke(byte[] a, byte[] b) {
        return a == null || b == null ? null : Integer.signum(collation().compare(a, b));
    }
}
