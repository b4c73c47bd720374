package weighbridge.mysqlcollation;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Compares the library with the Rust library: reads what {@code cargo xtask port-answers} writes,
 * computes the same, and prints the differences. lab/src/port_answers.rs describes the stream.
 */
final class Differential {
    private static final int MAX_EXAMPLES = 20;
    /** Characters of strings between strings. */
    private static final String ALPHABET = "!-09azAZbcdhlsxyéßñőŁΩЖяあ漢한";

    private final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 20));
    private int differences;

    private Differential() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(new Differential().run() ? 0 : 1);
    }

    private boolean run() throws IOException {
        int combinations = Integer.reverseBytes(in.readInt());
        for (int number = 0; number < combinations; number++) {
            combination();
        }
        int collations = 0;
        long pairs = 0;
        while (in.readUnsignedByte() == 1) {
            Flavour flavour = Flavour.values()[in.readUnsignedByte()];
            Collation collation = Collation.ofId(flavour, Short.toUnsignedInt(Short.reverseBytes(in.readShort())));
            collations++;
            Alphabet alphabet = new Alphabet(collation, ALPHABET);
            int count = Integer.reverseBytes(in.readInt());
            for (int number = 0; number < count; number++) {
                record(collation, number % 16 == 0 ? alphabet : null);
                pairs++;
            }
        }
        System.out.println(combinations + " combinations, " + collations + " collations, " + pairs + " pairs, " + differences + " differences");
        return collations > 0 && differences == 0;
    }

    /** Compares how the collations of operands are combined. */
    private void combination() throws IOException {
        Flavour flavour = Flavour.values()[in.readUnsignedByte()];
        ServerVersion version = new ServerVersion(flavour, word(), word(), word());
        CollationRules.Expression expression = CollationRules.Expression.values()[in.readUnsignedByte()];
        Operand[] operands = new Operand[in.readUnsignedByte()];
        for (int i = 0; i < operands.length; i++) {
            operands[i] = operand(flavour);
        }
        int kind = in.readUnsignedByte();
        String expected = kind == 0 ? "error " + word() : operand(flavour) + (kind == 2 ? " if representable" : "");
        String result;
        try {
            result = CollationRules.of(version).combine(expression, operands).toString();
        } catch (IllegalMixException mix) {
            result = "error " + mix.error();
        }
        if (!result.equals(expected) && differences++ < MAX_EXAMPLES) {
            System.out.println(version + ": " + expression + " of " + Arrays.toString(operands) + ": " + result
                    + ", not " + expected);
        }
    }

    private Operand operand(Flavour flavour) throws IOException {
        Operand operand = new Operand(Collation.ofId(flavour, word()), Coercibility.values()[in.readUnsignedByte()]);
        return operand.withAscii(in.readUnsignedByte() == 1);
    }

    private int word() throws IOException {
        return Short.toUnsignedInt(Short.reverseBytes(in.readShort()));
    }

    /** Compares a record; with an alphabet, also strings between strings. */
    private void record(Collation collation, Alphabet alphabet) throws IOException {
        byte[] a = string();
        byte[] b = string();
        byte[] text = string();
        byte[] pattern = string();
        int order = in.readUnsignedByte() - 1;
        boolean isLike = in.readUnsignedByte() == 1;
        long hash = Long.reverseBytes(in.readLong());
        check(Integer.signum(collation.compare(a, b)) == order, collation, "order", a, b);
        check(Integer.signum(collation.compare(b, a)) == -order, collation, "order", b, a);
        check(collation.like(text, pattern, '\\') == isLike, collation, "LIKE", text, pattern);
        check(collation.hash(a) == hash, collation, "hash", a, b);
        check(Arrays.equals(collation.sortKey(a), string()), collation, "key", a, b);
        check(Arrays.equals(collation.weightString(a), string()), collation, "WEIGHT_STRING", a, b);
        byte[] searched = string();
        search(collation, a, b, searched);
        check(isRange(collation.prefixRange(searched)), collation, "range of prefix", searched, a);
        check(isRange(collation.likeRange(pattern, '\\')), collation, "range of LIKE", pattern, a);
        check(Arrays.equals(collation.toUpper(a), string()), collation, "upper case", a, b);
        check(Arrays.equals(collation.toLower(a), string()), collation, "lower case", a, b);
        long stableHash = Long.reverseBytes(in.readLong());
        check(collation.stableHash(a, a.length) == stableHash, collation, "stable hash", a, b);
        String decoded = new String(string(), StandardCharsets.UTF_8);
        check(collation.decode(a).equals(decoded), collation, "decoding", a, b);
        check(Arrays.equals(collation.encode(decoded), string()), collation, "encoding", a, b);
        check(Arrays.equals(collation.groupKey(a), string()), collation, "group key", a, b);
        check(Arrays.equals(collation.prefixIndexKey(a, a.length % 5), string()), collation, "prefix key", a, b);
        if (alphabet != null) {
            parts(collation, alphabet, order > 0 ? b : a, order > 0 ? a : b, 2 + a.length % 7);
            check(Arrays.equals(alphabet.prefixUpperBound(searched), optional()), collation, "bound", searched, a);
        }
    }

    private void search(Collation collation, byte[] a, byte[] b, byte[] searched) throws IOException {
        boolean begins = in.readUnsignedByte() == 1;
        int found = Integer.reverseBytes(in.readInt());
        int foundEqual = Integer.reverseBytes(in.readInt());
        check(collation.startsWith(a, searched) == begins, collation, "start", a, searched);
        check(collation.find(a, searched) == found, collation, "place", a, searched);
        check(collation.findEqualLength(a, searched) == foundEqual, collation, "equal place", a, searched);
        check(Arrays.equals(collation.replace(a, searched, b), string()), collation, "replacement", a, searched);
    }

    private void parts(Collation collation, Alphabet alphabet, byte[] low, byte[] high, int count) throws IOException {
        byte[][] expected = new byte[Integer.reverseBytes(in.readInt())][];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = string();
        }
        byte[][] parts = alphabet.split(low, high, count).toArray(new byte[0][]);
        check(Arrays.deepEquals(parts, expected), collation, "parts", low, high);
    }

    private boolean isRange(KeyRange range) throws IOException {
        boolean isStart = Arrays.equals(range.start(), string());
        return Arrays.equals(range.end(), optional()) && isStart;
    }

    /** Reads a string, or null. */
    private byte[] optional() throws IOException {
        return in.readUnsignedByte() == 0 ? null : string();
    }

    private byte[] string() throws IOException {
        byte[] bytes = new byte[Integer.reverseBytes(in.readInt())];
        in.readFully(bytes);
        return bytes;
    }

    private void check(boolean agrees, Collation collation, String what, byte[] a, byte[] b) {
        if (!agrees && differences++ < MAX_EXAMPLES) {
            System.out.println(collation.flavour() + " " + collation + ": " + what + " of " + hex(a) + " and " + hex(b));
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        for (byte b : bytes) {
            digits.append(String.format("%02x", b));
        }
        return digits.toString();
    }
}
