package weighbridge.mysqlcollation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Compares the library with what servers returned: docs/reference/vectors.md. */
final class VectorsTest {
    private static final Path VECTORS = Path.of("..", "vectors");

    @Test
    void agreesWithMySql() throws IOException {
        check(Flavour.MYSQL);
    }

    @Test
    void agreesWithMariaDb() throws IOException {
        check(Flavour.MARIADB);
    }

    private static void check(Flavour flavour) throws IOException {
        int collations = 0;
        Path folder = VECTORS.resolve(flavour.toString().toLowerCase(java.util.Locale.ROOT));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                collations += new VectorFile(flavour).check(file);
            }
        }
        assertEquals(Collation.all(flavour).size(), collations);
    }

    private static final class VectorFile {
        private final Flavour flavour;
        private final List<Collation> collations = new ArrayList<>();
        private final List<byte[]> strings = new ArrayList<>();
        private final List<String> orders = new ArrayList<>();

        VectorFile(Flavour flavour) {
            this.flavour = flavour;
        }

        int check(Path path) throws IOException {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                    new GZIPInputStream(Files.newInputStream(path)), StandardCharsets.US_ASCII))) {
                lines.lines().forEach(this::line);
            }
            for (int i = 0; i < orders.size(); i++) {
                order(strings.get(i), strings.get((i + 1) % strings.size()), orders.get(i));
            }
            assertTrue(strings.size() >= 500, path::toString);
            return collations.size();
        }

        private void line(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "#":
                    break;
                case "collation":
                    collations.add(Collation.of(flavour, words[1]));
                    break;
                case "string":
                    strings.add(bytes(words[1]));
                    break;
                case "weight":
                    weight(words[1], bytes(words[2]));
                    break;
                case "order":
                    orders.add(words[1]);
                    break;
                case "ill-formed":
                    order(bytes(words[1]), bytes(words[2]), words[3]);
                    break;
                default:
                    throw new IllegalStateException(line);
            }
        }

        private void weight(String ranges, byte[] expected) {
            byte[] string = strings.get(strings.size() - 1);
            for (String range : ranges.split(",")) {
                String[] ends = range.split("-");
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
                    Collation collation = collations.get(i);
                    assertArrayEquals(expected, collation.weightString(string), collation::name);
                }
            }
        }

        private void order(byte[] a, byte[] b, String signs) {
            assertEquals(collations.size(), signs.length());
            for (int i = 0; i < signs.length(); i++) {
                int expected = "<=>".indexOf(signs.charAt(i)) - 1;
                if (signs.charAt(i) == '.') {
                    continue;
                }
                Collation collation = collations.get(i);
                assertEquals(expected, Integer.signum(collation.compare(a, b)), collation::name);
                int keys = Arrays.compareUnsigned(collation.sortKey(a), collation.sortKey(b));
                assertEquals(expected, Integer.signum(keys), collation::name);
                assertTrue(expected != 0 || collation.hash(a) == collation.hash(b), collation::name);
            }
        }

        private static byte[] bytes(String digits) {
            byte[] bytes = new byte[digits.length() / 2];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
            }
            return bytes;
        }
    }
}
