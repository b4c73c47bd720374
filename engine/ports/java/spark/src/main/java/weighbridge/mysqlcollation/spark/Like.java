package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;

/** Whether a string matches a pattern of {@code LIKE}. */
public final class Like extends TextFunction<Boolean> {
    private static final long serialVersionUID = 1;

    private final int escape;

    Like(Collation collation, DataType[] types, int escape) {
        super(collation, types, DataTypes.BooleanType);
        this.escape = escape;
    }

    /** Called by the code that Spark compiles. */
    public Boolean invoke(UTF8String text, UTF8String pattern) {
        return text == null || pattern == null ? null : invoke(encode(text), encode(pattern));
    }

    /** Called by the code that Spark compiles. */
    public Boolean invoke(byte[] text, byte[] pattern) {
        return text == null || pattern == null ? null : collation().like(text, pattern, escape);
    }

    @Override
    String parameters() {
        return super.parameters() + escape;
    }
}
