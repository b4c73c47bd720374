package weighbridge.mysqlcollation;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Compares the library with the Rust library: reads what {@code cargo xtask port-answers} writes,
 * computes the same, and prints the differences. lab/src/port_answers.rs describes the stream.
 */
final class Differential {
    private static final int MAX_EXAMPLES = 20;

    private final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 20));
    private int differences;

    private Differential() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(new Differential().run() ? 0 : 1);
    }

    private boolean run() throws IOException {
        int collations = 0;
        long pairs = 0;
        while (in.readUnsignedByte() == 1) {
            Flavour flavour = Flavour.values()[in.readUnsignedByte()];
            Collation collation = Collation.ofId(flavour, Short.toUnsignedInt(Short.reverseBytes(in.readShort())));
            collations++;
            for (int left = Integer.reverseBytes(in.readInt()); left > 0; left--) {
                record(collation);
                pairs++;
            }
        }
        System.out.println(collations + " collations, " + pairs + " pairs, " + differences + " differences");
        return collations > 0 && differences == 0;
    }

    private void record(Collation collation) throws IOException {
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
