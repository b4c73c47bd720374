package weighbridge.mysqlcollation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Results of servers; the Rust library's tests ask them. */
final class CollationRulesTest {
    private static Operand operand(Flavour flavour, String name, Coercibility coercibility) {
        return new Operand(Collation.of(flavour, name), coercibility);
    }

    private static Operand column(String name) {
        return operand(Flavour.MYSQL, name, Coercibility.IMPLICIT);
    }

    @Test
    void parsesVersionsOfServers() {
        String[][] all = {
            {"8.0.34", "MySQL 8.0.34"},
            {"5.7.22-log", "MySQL 5.7.22"},
            {"10.11.18-MariaDB-0+deb12u1", "MariaDB 10.11.18"},
            {"5.5.5-10.4.2-mariadb", "MariaDB 10.4.2"},
        };
        for (String[] one : all) {
            assertEquals(one[1], ServerVersion.parse(one[0]).toString());
        }
        assertEquals(new ServerVersion(Flavour.MYSQL, 8, 0, 34), ServerVersion.parse("8.0.34"));
        for (String text : new String[] {"", "8.0", "MariaDB", "8.x.1", "8.0.99999", "8.0.9999999999", "-8.0.1"}) {
            assertThrows(IllegalArgumentException.class, () -> ServerVersion.parse(text), text);
        }
    }

    private static String choose(String version, String left, String right, Coercibility coercibility) {
        ServerVersion parsed = ServerVersion.parse(version);
        Operand one = operand(parsed.flavour(), left, coercibility);
        return CollationRules.of(parsed).choose(one, operand(parsed.flavour(), right, coercibility)).collation().name();
    }

    @Test
    void choosesByVersion() {
        Coercibility implicit = Coercibility.IMPLICIT;
        Coercibility explicit = Coercibility.EXPLICIT;
        assertEquals("utf8mb4_bin", choose("8.0.34", "latin1_swedish_ci", "utf8mb4_bin", implicit));
        assertEquals("utf32_bin", choose("8.0.34", "utf16_bin", "utf32_bin", implicit));
        assertThrows(IllegalMixException.class, () -> choose("5.7.22", "utf16_bin", "utf32_bin", implicit));
        assertEquals("utf8mb4_bin", choose("8.0.30", "latin1_bin", "utf8mb4_bin", explicit));
        assertThrows(IllegalMixException.class, () -> choose("8.0.31", "latin1_bin", "utf8mb4_bin", explicit));
        String own = "utf8mb4_uca1400_czech_nopad_as_cs";
        assertEquals(own, choose("11.8.9-MariaDB", "utf8mb4_cs_0900_as_cs", own, explicit));
        own = "utf8mb4_uca1400_nopad_ai_ci";
        assertEquals(own, choose("11.8.9-MariaDB", "utf8mb4_0900_ai_ci", own, explicit));
        assertEquals("utf8mb4_bin", choose("11.4.5-MariaDB", "utf8mb4_0900_bin", "utf8mb4_bin", explicit));
    }

    @Test
    void combinesTextsOfColumns() {
        CollationRules rules = CollationRules.of(new ServerVersion(Flavour.MYSQL, 8, 0, 12));
        Operand[] columns = {column("latin1_swedish_ci"), column("latin1_german1_ci")};
        Operand text = rules.combine(CollationRules.Expression.TEXT, columns).operand();
        assertEquals(operand(Flavour.MYSQL, "latin1_bin", Coercibility.MIXED), text);
        IllegalMixException mix = assertThrows(IllegalMixException.class,
                () -> rules.combine(CollationRules.Expression.COMPARISON, text, columns[0], columns[1]));
        assertEquals(1270, mix.error());
        Operand literal = operand(Flavour.MYSQL, "utf8mb4_general_ci", Coercibility.COERCIBLE);
        assertTrue(rules.choose(columns[0], literal).ifRepresentable());
        assertFalse(rules.choose(columns[0], literal.withAscii(true)).ifRepresentable());
        assertThrows(IllegalMixException.class, () -> rules.combine(CollationRules.Expression.TEXT));
    }

    @Test
    void operandsAreOfTheVersionsFlavour() {
        CollationRules rules = CollationRules.of(new ServerVersion(Flavour.MARIADB, 11, 8, 9));
        Operand chinese = column("gb18030_chinese_ci");
        assertThrows(UnknownCollationException.class, () -> rules.choose(chinese, chinese));
    }

    @Test
    void groupsAreThoseOfTemporaryTables() {
        Collation unicode = Collation.of(Flavour.MYSQL, "utf8mb4_unicode_ci");
        byte[] withSpace = utf8("a\u00a0");
        assertTrue(unicode.equal(utf8("a"), withSpace));
        assertFalse(java.util.Arrays.equals(unicode.groupKey(utf8("a")), unicode.groupKey(withSpace)));
        assertArrayEquals(unicode.groupKey(utf8("a")), unicode.groupKey(utf8("A  ")));
        Collation ofMariaDb = Collation.of(Flavour.MARIADB, "utf8mb4_unicode_ci");
        assertArrayEquals(ofMariaDb.groupKey(utf8("a")), ofMariaDb.groupKey(withSpace));
    }

    @Test
    void prefixesCountCharacters() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_general_ci");
        assertArrayEquals(collation.sortKey(utf8("ao")), collation.prefixIndexKey(utf8("äöü"), 2));
        assertArrayEquals(collation.sortKey(utf8("a")), collation.prefixIndexKey(utf8("A"), 9));
        assertArrayEquals(collation.sortKey(new byte[0]), collation.prefixIndexKey(utf8("abc"), -1));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
