package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;

/** The server's {@code WEIGHT_STRING} of a string. */
public final class WeightString extends TextFunction<byte[]> {
    private static final long serialVersionUID = 1;

    WeightString(Collation collation, DataType[] types) {
        super(collation, types, DataTypes.BinaryType);
    }

    /** Called by the code that Spark compiles. */
    public byte[] invoke(UTF8String text) {
        return text == null ? null : collation().weightString(encode(text));
    }

    /** Called by the code that Spark compiles. */
    public byte[] invoke(byte[] text) {
        return text == null ? null : collation().weightString(text);
    }
}
