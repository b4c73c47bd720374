package weighbridge.mysqlcollation.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Function1;
import scala.Tuple3;
import scala.runtime.BoxedUnit;

/**
 * Adds the functions to Spark's SQL.
 *
 * <pre>{@code
 * spark-sql --jars mysql-collation-0.1.0.jar,mysql-collation-spark-0.1.0.jar \
 *     --conf spark.sql.extensions=weighbridge.mysqlcollation.spark.Extensions
 * SELECT DISTINCT mysql_sort_key(name, 'utf8mb4_0900_ai_ci', 'mysql') FROM people
 * }</pre>
 */
public final class Extensions implements Function1<SparkSessionExtensions, BoxedUnit> {
    /** Creates the extension; Spark calls this. */
    public Extensions() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        for (Definition definition : Definition.values()) {
            inject(extensions, definition);
        }
        return BoxedUnit.UNIT;
    }

    // Scala 2.12 and 2.13 have different types for a function's arguments, and one type at run time.
    @SuppressWarnings({"rawtypes", "unchecked"})
    private static void inject(SparkSessionExtensions extensions, Definition definition) {
        String name = definition.functionName();
        String type = Extensions.class.getName();
        ExpressionInfo info = new ExpressionInfo(type, null, name, definition.usage, "", "", "", "string_funcs", "", "", "java_udf");
        extensions.injectFunction((Tuple3) new Tuple3<>(new FunctionIdentifier(name), info, new Builder(definition)));
    }
}
