package weighbridge.mysqlcollation.spark;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import scala.Function1;
import scala.collection.Seq;
import scala.collection.immutable.List;
import scala.collection.immutable.Nil$;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;
import weighbridge.mysqlcollation.UnknownCollationException;

/** Builds the expression of a call: code that Spark compiles calls the function's {@code invoke}. */
final class Builder implements Function1<Object, Expression> {
    private static final Method RESOLVE = findResolve();

    private final Definition definition;

    Builder(Definition definition) {
        this.definition = definition;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Expression apply(Object arguments) {
        Seq<Expression> given = (Seq<Expression>) arguments;
        int strings = definition.strings;
        int most = strings + (definition == Definition.MYSQL_LIKE ? 3 : 2);
        if (given.size() <= strings || given.size() > most) {
            throw new IllegalArgumentException(definition.usage.replace("_FUNC_", definition.functionName()));
        }
        String flavour = given.size() > strings + 1 ? literal(given.apply(strings + 1), "the flavour") : null;
        Collation collation = find(literal(given.apply(strings), "the collation"), flavour);
        int escape = given.size() > strings + 2 ? escape(literal(given.apply(strings + 2), "the escape")) : '\\';
        List<Expression> values = cast(Nil$.MODULE$);
        for (int i = strings - 1; i >= 0; i--) {
            values = values.$colon$colon(given.apply(i));
        }
        return resolve(definition.create(collation, types(values), escape), values);
    }

    @SuppressWarnings("unchecked")
    private static List<Expression> cast(List<?> empty) {
        return (List<Expression>) empty;
    }

    /** Returns the values' types: strings, with collations of Spark or without, or bytes. */
    private DataType[] types(List<Expression> values) {
        DataType[] types = new DataType[values.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = values.apply(i).dataType();
            if (types[i] instanceof NullType) {
                types[i] = DataTypes.StringType;
            } else if (!(types[i] instanceof BinaryType || types[i] instanceof StringType)) {
                throw new IllegalArgumentException(definition.functionName() + " takes strings or binary values, not " + types[i].sql() + ": cast it");
            }
        }
        if (types[0] instanceof BinaryType != types[types.length - 1] instanceof BinaryType) {
            throw new IllegalArgumentException(definition.functionName() + " takes two strings or two binary values, not one of each: cast one");
        }
        return types;
    }

    private static String literal(Expression expression, String what) {
        Object value = expression.foldable() ? expression.eval(null) : null;
        if (value == null) {
            throw new IllegalArgumentException(what + " must be a literal, such as 'utf8mb4_0900_ai_ci' or 'mysql'");
        }
        return value.toString();
    }

    private static int escape(String text) {
        if (text.isEmpty()) {
            return Collation.NO_ESCAPE;
        }
        if (text.codePointCount(0, text.length()) != 1) {
            throw new IllegalArgumentException("the escape must be one character, or '' for none");
        }
        return text.codePointAt(0);
    }

    /** Finds a collation. The flavour may be null if only one flavour has the name. */
    private static Collation find(String name, String flavour) {
        if (flavour != null) {
            return Collation.of(parseFlavour(flavour), name);
        }
        Collation found = null;
        for (Flavour each : Flavour.values()) {
            try {
                Collation one = Collation.of(each, name);
                if (found != null) {
                    throw new IllegalArgumentException("MySQL and MariaDB have a collation " + name + ": give the flavour, 'mysql' or 'mariadb'");
                }
                found = one;
            } catch (UnknownCollationException e) {
                // The other flavour may have it.
            }
        }
        if (found == null) {
            throw new IllegalArgumentException("neither MySQL nor MariaDB has a collation " + name);
        }
        return found;
    }

    private static Flavour parseFlavour(String name) {
        switch (name.toLowerCase(Locale.ROOT)) {
            case "mysql":
                return Flavour.MYSQL;
            case "mariadb":
                return Flavour.MARIADB;
            default:
                throw new IllegalArgumentException("the flavour is 'mysql' or 'mariadb', not '" + name + "'");
        }
    }

    // The method's arguments have different types in Scala 2.12 and 2.13; a list is of both.
    private static Method findResolve() {
        return Arrays.stream(V2ExpressionUtils.class.getMethods())
                .filter(method -> method.getName().equals("resolveScalarFunction") && Modifier.isStatic(method.getModifiers()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("this version of Spark is not 3.5 or 4: it has no V2ExpressionUtils.resolveScalarFunction"));
    }

    private static Expression resolve(ScalarFunction<?> function, List<Expression> values) {
        try {
            return (Expression) RESOLVE.invoke(null, function, values);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
