package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;

/** Whether two strings are equal. */
public final class Equal extends TextFunction<Boolean> {
    private static final long serialVersionUID = 1;

    Equal(Collation collation, DataType[] types) {
        super(collation, types, DataTypes.BooleanType);
    }

    /** Called by the code that Spark compiles. */
    public Boolean invoke(UTF8String a, UTF8String b) {
        return a == null || b == null ? null : invoke(encode(a), encode(b));
    }

    /** Called by the code that Spark compiles. */
    public Boolean invoke(byte[] a, byte[] b) {
        return a == null || b == null ? null : collation().equal(a, b);
    }
}
