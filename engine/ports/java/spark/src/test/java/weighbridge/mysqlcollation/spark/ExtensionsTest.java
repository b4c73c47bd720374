package weighbridge.mysqlcollation.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;

class ExtensionsTest {
    private static final Collation MYSQL = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
    private static final String[] SYLLABLES = {"an", "AN", "Be", "ça", "ca", "é", "E", "ß", "ss", "Жу", "мир", "日", "\u0301", "%", "_", " ", ""};
    private static final int ROWS = 2_000;

    private static SparkSession spark;
    private static List<Row> people;

    @BeforeAll
    static void start() {
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "4")
                // Plans are final before they run.
                .config("spark.sql.adaptive.enabled", "false")
                .config("spark.sql.extensions", Extensions.class.getName())
                .getOrCreate();
        Random random = new Random(1);
        people = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            people.add(RowFactory.create(name(random), name(random)));
        }
        StructType type = new StructType().add("a", DataTypes.StringType).add("b", DataTypes.StringType);
        spark.createDataFrame(people, type).repartition(4).createOrReplaceTempView("people");
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static String name(Random random) {
        if (random.nextInt(20) == 0) {
            return null;
        }
        StringBuilder name = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            name.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
        }
        return name.toString();
    }

    private static String call(String function, String values) {
        return "mysql_" + function + "(" + values + ", 'utf8mb4_0900_ai_ci', 'mysql')";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void functionsReturnWhatTheLibraryReturns() {
        Dataset<Row> found = spark.sql("SELECT a, b, " + call("compare", "a, b") + ", " + call("equal", "a, b") + ", "
                + call("sort_key", "a") + ", " + call("weight_string", "a") + ", " + call("like", "a, b") + ", "
                + call("upper", "a") + ", " + call("lower", "a") + " FROM people");
        int equal = 0;
        for (Row row : found.collectAsList()) {
            String a = row.getString(0);
            String b = row.getString(1);
            boolean both = a != null && b != null;
            assertEquals(both ? Integer.signum(MYSQL.compare(a, b)) : null, row.get(2));
            assertEquals(both ? MYSQL.equal(bytes(a), bytes(b)) : null, row.get(3));
            assertArrayEquals(a == null ? null : MYSQL.sortKey(bytes(a)), (byte[]) row.get(4));
            assertArrayEquals(a == null ? null : MYSQL.weightString(bytes(a)), (byte[]) row.get(5));
            assertEquals(both ? MYSQL.like(bytes(a), bytes(b), '\\') : null, row.get(6));
            assertEquals(a == null ? null : new String(MYSQL.toUpper(bytes(a)), UTF_8), row.get(7));
            assertEquals(a == null ? null : new String(MYSQL.toLower(bytes(a)), UTF_8), row.get(8));
            equal += both && row.getBoolean(3) ? 1 : 0;
        }
        assertTrue(equal > 10, equal + " are equal");
    }

    @Test
    void operatorsFollowTheCollation() {
        TreeSet<String> distinct = new TreeSet<>(MYSQL);
        List<String> names = people.stream().map(row -> row.getString(0)).filter(name -> name != null).collect(Collectors.toList());
        distinct.addAll(names);
        String key = call("sort_key", "a");
        long groups = spark.sql("SELECT min(a), count(*) FROM people WHERE a IS NOT NULL GROUP BY " + key).count();
        assertEquals(distinct.size(), groups);
        List<Row> ordered = spark.sql("SELECT a FROM people WHERE a IS NOT NULL ORDER BY " + key).collectAsList();
        for (int i = 1; i < ordered.size(); i++) {
            assertTrue(MYSQL.compare(ordered.get(i - 1).getString(0), ordered.get(i).getString(0)) <= 0);
        }
        long pairs = names.stream().mapToLong(name -> names.stream().filter(other -> MYSQL.compare(name, other) == 0).count()).sum();
        String joined = "SELECT count(*) FROM people x JOIN people y ON " + call("sort_key", "x.a") + " = " + call("sort_key", "y.a");
        assertEquals(pairs, spark.sql(joined).first().getLong(0));
    }

    @Test
    void callsAreCompiledWithTheirStage() {
        String plan = spark.sql("SELECT " + call("sort_key", "a") + " FROM people WHERE " + call("equal", "a, b"))
                .queryExecution().executedPlan().toString();
        assertTrue(plan.matches("(?s).*\\*\\(\\d\\) Project.*"), plan);
        String code = spark.sql("EXPLAIN CODEGEN SELECT " + call("sort_key", "a") + " FROM people").first().getString(0);
        assertTrue(code.contains("SortKey") && code.contains(".invoke("), code);
    }

    @Test
    void bytesAndOtherCharacterSets() {
        Row row = spark.sql("SELECT mysql_compare('Müller', 'MULLER', 'latin1_german1_ci', 'mysql'), "
                + "mysql_compare(X'4DFC', X'4D55', 'latin1_german1_ci', 'mysql'), "
                + "mysql_upper('straße', 'latin1_swedish_ci', 'mysql'), "
                + "mysql_like('100%', '100!%', 'utf8mb4_0900_ai_ci', 'mysql', '!')").first();
        assertEquals(RowFactory.create(0, 0, "STRAßE", true), row);
    }

    @Test
    void binaryKeepsTheBytesOfStrings() {
        assertEquals("C3A9", spark.sql("SELECT hex(mysql_sort_key('é', 'binary', 'mysql'))").first().getString(0));
    }

    @Test
    void mistakesAreNamed() {
        assertMessage("SELECT mysql_sort_key('a', 'utf8mb4_genral_ci')", "neither MySQL nor MariaDB has a collation utf8mb4_genral_ci");
        assertMessage("SELECT mysql_sort_key('a', 'utf8mb4_0900_ai_ci')", "give the flavour");
        assertMessage("SELECT mysql_sort_key(1, 'utf8mb4_0900_ai_ci', 'mysql')", "cast it");
        assertMessage("SELECT mysql_sort_key(a, b) FROM people", "must be a literal");
        assertMessage("SELECT mysql_compare('a', 'utf8mb4_0900_ai_ci')", "mysql_compare(a, b, collation[, flavour])");
        assertMessage("SELECT mysql_sort_key(a, 'latin1_swedish_ci', 'mysql') FROM people WHERE a = '日'", "latin1 lacks a character of '日'");
    }

    private static void assertMessage(String sql, String part) {
        Throwable error = assertThrows(Throwable.class, () -> spark.sql(sql).collectAsList());
        StringBuilder messages = new StringBuilder();
        for (Throwable each = error; each != null; each = each.getCause()) {
            messages.append(each.getMessage()).append('\n');
        }
        assertTrue(messages.toString().contains(part), messages.toString());
    }
}
