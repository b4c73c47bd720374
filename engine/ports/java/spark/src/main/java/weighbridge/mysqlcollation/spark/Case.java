package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import weighbridge.mysqlcollation.Collation;

/** A string in upper or lower case, as the server's {@code UPPER} and {@code LOWER} return it. */
public final class Case extends TextFunction<UTF8String> {
    private static final long serialVersionUID = 1;

    private final boolean isUpper;

    Case(Collation collation, DataType[] types, boolean isUpper) {
        super(collation, types, DataTypes.StringType);
        this.isUpper = isUpper;
    }

    /** Called by the code that Spark compiles. */
    public UTF8String invoke(UTF8String text) {
        return text == null ? null : invoke(encode(text));
    }

    /** Called by the code that Spark compiles. */
    public UTF8String invoke(byte[] text) {
        if (text == null) {
            return null;
        }
        return decode(isUpper ? collation().toUpper(text) : collation().toLower(text));
    }

    @Override
    String parameters() {
        return super.parameters() + isUpper;
    }
}
