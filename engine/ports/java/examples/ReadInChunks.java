import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import weighbridge.mysqlcollation.Collation;
import weighbridge.mysqlcollation.Flavour;

/**
 * A connector that copies a table in chunks by its string key while rows are inserted. For each
 * inserted row it decides by the key whether the row's chunk was read before: then it copies the
 * row, else the chunk will have it. The arguments are a JDBC URL, where a database is created and
 * dropped, and the key's collation.
 */
final class ReadInChunks {
    private static final String DATABASE = "mysqlcollation_cdc";
    private static final String[] SYLLABLES = {"an", "Be", "ça", "DA", "é", "ñu", "Öl", "ß", "zu", "ЖУ", "мир", "日", "_", " "};
    private static final int CHUNK = 200;

    private final Connection server;
    private final String collation;
    private final Random random = new Random(1);

    private ReadInChunks(Connection server, String collation) {
        this.server = server;
        this.collation = collation;
    }

    public static void main(String[] arguments) throws SQLException {
        String collation = arguments[1];
        try (Connection server = DriverManager.getConnection(arguments[0])) {
            String product = server.getMetaData().getDatabaseProductName();
            Flavour flavour = product.equals("MariaDB") ? Flavour.MARIADB : Flavour.MYSQL;
            Comparator<String> wrong = Comparator.naturalOrder();
            Comparator<String> right = Collation.of(flavour, collation);
            System.out.println("String.compareTo: " + new ReadInChunks(server, collation).copy(wrong));
            System.out.println("Collation: " + new ReadInChunks(server, collation).copy(right));
        }
    }

    /** Returns the number of the chunk that has a key, from 0 on. Each bound is the first key of a chunk. */
    static long chunkOf(List<String> bounds, String key, Comparator<String> order) {
        return bounds.stream().filter(bound -> order.compare(bound, key) <= 0).count();
    }

    /** Copies the table, and returns what the copy lacks and has twice. */
    private String copy(Comparator<String> order) throws SQLException {
        execute("CREATE DATABASE " + DATABASE);
        try {
            execute("USE " + DATABASE);
            execute("CREATE TABLE people (name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE " + collation + " PRIMARY KEY)");
            insert(3000);
            List<String> copied = copyChunks(order);
            Set<String> distinct = new HashSet<>(copied);
            List<String> rows = keys("SELECT name FROM people");
            return rows.size() + " rows, " + (rows.size() - distinct.size()) + " lost, " + (copied.size() - distinct.size()) + " doubled";
        } finally {
            execute("DROP DATABASE " + DATABASE);
        }
    }

    private List<String> copyChunks(Comparator<String> order) throws SQLException {
        List<String> bounds = bounds();
        List<String> copied = new ArrayList<>();
        for (int chunk = 0; chunk <= bounds.size(); chunk++) {
            copied.addAll(read(bounds, chunk));
            for (String key : insert(20)) {
                if (chunkOf(bounds, key, order) <= chunk) {
                    copied.add(key);
                }
            }
        }
        return copied;
    }

    private List<String> bounds() throws SQLException {
        List<String> bounds = keys("SELECT name FROM people ORDER BY name LIMIT 1 OFFSET " + CHUNK);
        while (true) {
            String last = bounds.get(bounds.size() - 1);
            List<String> next = keys("SELECT name FROM people WHERE name >= ? ORDER BY name LIMIT 1 OFFSET " + CHUNK, last);
            if (next.isEmpty()) {
                return bounds;
            }
            bounds.addAll(next);
        }
    }

    private List<String> read(List<String> bounds, int chunk) throws SQLException {
        if (chunk == 0) {
            return keys("SELECT name FROM people WHERE name < ?", bounds.get(0));
        }
        String first = bounds.get(chunk - 1);
        return chunk == bounds.size()
                ? keys("SELECT name FROM people WHERE name >= ?", first)
                : keys("SELECT name FROM people WHERE name >= ? AND name < ?", first, bounds.get(chunk));
    }

    /** Inserts rows, and returns their keys: the events that a connector reads from the binary log. */
    private List<String> insert(int count) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (PreparedStatement insert = server.prepareStatement("INSERT IGNORE INTO people VALUES (?)")) {
            for (int i = 0; i < count; i++) {
                String key = syllable() + syllable() + syllable() + random.nextInt(100_000);
                insert.setString(1, key);
                if (insert.executeUpdate() == 1) {
                    keys.add(key);
                }
            }
        }
        return keys;
    }

    private String syllable() {
        return SYLLABLES[random.nextInt(SYLLABLES.length)];
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = server.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> keys(String sql, String... arguments) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (PreparedStatement query = server.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                query.setString(i + 1, arguments[i]);
            }
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    keys.add(rows.getString(1));
                }
            }
        }
        return keys;
    }
}
