package weighbridge.mysqlcollation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class CollationTest {
    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void findsNamesInAnyCaseAndByTheirOtherNames() {
        assertEquals("utf8mb4_0900_ai_ci", Collation.of(Flavour.MYSQL, "UTF8MB4_0900_AI_CI").name());
        assertEquals("utf8mb3_general_ci", Collation.of(Flavour.MYSQL, "utf8_general_ci").name());
        assertEquals("utf8mb4_uca1400_ai_ci", Collation.of(Flavour.MARIADB, "uca1400_ai_ci").name());
        for (Flavour flavour : Flavour.values()) {
            for (Collation collation : Collation.all(flavour)) {
                assertSame(collation, Collation.of(flavour, collation.name()));
                assertSame(collation, Collation.ofId(flavour, collation.id()));
            }
        }
    }

    @Test
    void refusesUnknownNamesAndIds() {
        Exception unknown = assertThrows(UnknownCollationException.class, () -> Collation.of(Flavour.MYSQL, "uca1400_ai_ci"));
        assertEquals("MySQL has no collation uca1400_ai_ci", unknown.getMessage());
        assertThrows(UnknownCollationException.class, () -> Collation.of(Flavour.MYSQL, "\u212Aoi8r_bin"));
        assertThrows(UnknownCollationException.class, () -> Collation.ofId(Flavour.MARIADB, 0));
    }

    @Test
    void sortsStrings() {
        String[] words = {"hrad", "chata", "cena", "duha"};
        Arrays.sort(words, Collation.of(Flavour.MARIADB, "utf8mb4_czech_ci"));
        assertEquals("[cena, duha, hrad, chata]", Arrays.toString(words));
    }

    @Test
    void survivesSerialization() throws IOException, ClassNotFoundException {
        for (Flavour flavour : Flavour.values()) {
            for (Collation collation : Collation.all(flavour)) {
                assertSame(collation, copy(collation));
            }
        }
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        TreeMap<String, Integer> map = new TreeMap<>(collation);
        map.put("Straße", 1);
        assertEquals(1, copy(map).get("STRASSE"));
        Alphabet letters = new Alphabet(collation, "abcdefghijklmnopqrstuvwxyz");
        List<byte[]> parts = letters.split(utf8("a"), utf8("z"), 4);
        List<byte[]> copied = copy(letters).split(utf8("a"), utf8("z"), 4);
        assertEquals(parts.size(), copied.size());
        for (int i = 0; i < parts.size(); i++) {
            assertArrayEquals(parts.get(i), copied.get(i));
        }
    }

    /** Returns an object that was written and read. */
    @SuppressWarnings("unchecked")
    private static <T> T copy(T object) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (T) in.readObject();
        }
    }

    @Test
    void comparesPartsOfArrays() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        byte[] row = utf8("x,Straße,y");
        byte[] other = utf8("STRASSE");
        assertEquals(0, collation.compare(row, 2, 9, other, 0, other.length));
        assertTrue(collation.compare(row, 0, 1, row, 10, 11) < 0);
    }

    @Test
    void matchesPatterns() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        assertTrue(collation.like(utf8("Müllerin"), utf8("m_ller%"), '\\'));
        assertTrue(collation.like(utf8("100%"), utf8("100\\%"), '\\'));
        assertFalse(collation.like(utf8("1000"), utf8("100\\%"), '\\'));
    }

    @Test
    void encodesCharactersThatACharacterSetLacksAsQuestionMarks() {
        assertEquals("E43F", hex(Collation.of(Flavour.MYSQL, "latin1_swedish_ci").encode("äЖ")));
        assertEquals("B0A1", hex(Collation.of(Flavour.MYSQL, "gbk_chinese_ci").encode("啊")));
        assertEquals("D83DDE00", hex(Collation.of(Flavour.MYSQL, "utf16_bin").encode("😀")));
    }

    @Test
    void searchesAndReplaces() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        assertEquals(7, collation.find(utf8("In der STRASSE"), utf8("straße")));
        assertEquals(-1, collation.findEqualLength(utf8("STRASSE"), utf8("straße!")));
        assertTrue(collation.startsWith(utf8("Müller"), utf8("MUL")));
        assertFalse(collation.startsWith(utf8("Müller"), utf8("M%")));
        assertEquals("--A--", new String(collation.replace(utf8("aAa"), utf8("a"), utf8("--")), UTF_8));
    }

    @Test
    void convertsCaseByTheCollation() {
        assertEquals("STRAßE", upper("utf8mb4_0900_ai_ci", "straße"));
        assertEquals("İSTANBUL", upper("utf8mb4_turkish_ci", "istanbul"));
        assertEquals("AⱾ", upper("utf8mb4_0900_ai_ci", "aȿbc"));
        assertEquals("ꙑ", upper("utf8mb4_general_ci", "ꙑ"));
    }

    private static String upper(String collation, String text) {
        return new String(Collation.of(Flavour.MYSQL, collation).toUpper(utf8(text)), UTF_8);
    }

    @Test
    void decodesWhatItEncodes() {
        Collation collation = Collation.of(Flavour.MYSQL, "latin1_swedish_ci");
        assertEquals("ä?", collation.decode(collation.encode("äЖ")));
        assertTrue(collation.canEncode("ä€"));
        assertFalse(collation.canEncode("äЖ"));
        assertEquals("a\uFFFD", Collation.of(Flavour.MYSQL, "utf8mb4_bin").decode(new byte[] {'a', (byte) 0xFF}));
    }

    @Test
    void rangesHoldTheKeysOfMatches() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        KeyRange range = collation.likeRange(utf8("mül%"), '\\');
        assertTrue(range.contains(collation.sortKey(utf8("Müller"))));
        assertFalse(range.contains(collation.sortKey(utf8("Munde"))));
        assertFalse(range.contains(collation.sortKey(utf8("Mai"))));
        assertNull(collation.likeRange(utf8("%ing"), '\\').end());
        // In Czech, ch is a letter after h.
        Collation czech = Collation.of(Flavour.MYSQL, "utf8mb4_czech_ci");
        assertTrue(czech.prefixRange(utf8("c")).contains(czech.sortKey(utf8("chata"))));
    }

    @Test
    void splitsRanges() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        Alphabet letters = new Alphabet(collation, "abcdefghijklmnopqrstuvwxyz");
        List<String> points = new ArrayList<>();
        letters.split(utf8("a"), utf8("z"), 4).forEach(point -> points.add(new String(point, UTF_8)));
        assertEquals(List.of("g", "m", "s"), points);
        assertEquals("Mv", new String(letters.prefixUpperBound(utf8("Mü")), UTF_8));
        assertNull(letters.between(utf8("a"), utf8("A")));
    }

    @Test
    void stableHashesAreThoseOfTheRustLibrary() {
        Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
        assertEquals(0xB5D57E1D2ACC8E09L, collation.stableHash(utf8("abc"), 0));
        assertEquals(collation.stableHash(utf8("Straße"), 7), collation.stableHash(utf8("STRASSE"), 7));
    }

    @Test
    void findsDamageOfTheFile() throws Exception {
        byte[] file;
        try (java.io.InputStream in = Collation.class.getResourceAsStream("collations.dat")) {
            file = in.readAllBytes();
        }
        for (int at : new int[] {0, 8, 10, 12, 40, 5000, file.length / 2}) {
            byte[] damaged = file.clone();
            damaged[at] ^= 4;
            assertThrows(IllegalStateException.class, () -> {
                DataFile read = new DataFile(damaged);
                for (int section = 0; section < read.sections(); section++) {
                    read.section(section);
                }
            });
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        for (byte b : bytes) {
            digits.append(String.format("%02X", b));
        }
        return digits.toString();
    }
}
