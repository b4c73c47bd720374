package weighbridge.mysqlcollation;

/** The section with the tables of LOCATE, UPPER and LOWER. */
final class Operations {
    private static final int TABLE_SIZE = 512;
    private static final int IS_BYTES = 0x80;

    /** Code points at equal distances whose other cases are, too, for sets of collations. */
    static final class Run {
        final int first;
        final int last;
        final int to;
        final int step;
        final int sets;

        private Run(Input in) {
            first = (int) in.number();
            last = (int) in.number();
            to = (int) in.number();
            step = Math.max(in.word(), 1);
            sets = in.word();
        }
    }

    /** The weights of {@code latin2_czech_cs} in {@code LOCATE}. */
    final byte[] locate;
    /** The runs that UPPER and LOWER change, in ascending order. */
    final Run[][] runs = new Run[2][];
    /** Tables of bytes: upper case, then lower case. */
    private final byte[] tables;
    /** A rule for each collation, in the order of the catalogue. */
    private final byte[] rules;

    Operations(Input in, int collations) {
        locate = in.bytes(256);
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new Run[in.word()];
            for (int j = 0; j < runs[i].length; j++) {
                runs[i][j] = new Run(in);
            }
        }
        tables = in.bytes(in.unsignedByte() * TABLE_SIZE);
        rules = in.bytes(collations);
        in.requireEnd("the section of operations");
    }

    int rule(int collation) {
        return rules[collation] & 0xFF;
    }

    static boolean isOfBytes(int rule) {
        return (rule & IS_BYTES) != 0;
    }

    /** Returns the other case of a byte by a rule of bytes. */
    byte other(int rule, int toCase, byte b) {
        return tables[(rule & ~IS_BYTES) * TABLE_SIZE + 256 * toCase + (b & 0xFF)];
    }
}
