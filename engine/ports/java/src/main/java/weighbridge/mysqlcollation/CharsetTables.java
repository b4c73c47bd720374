package weighbridge.mysqlcollation;

/** The tables of character sets. */
final class CharsetTables {
    private CharsetTables() {}

    /** A map from two bytes to a word, in pages by the first byte. 0 is no entry. */
    static final class PageTable {
        private final int[] start = new int[256];
        private final int[] first = new int[256];
        private final int[] last = new int[256];
        private final char[] pool;

        PageTable(Input in) {
            int count = (int) in.number();
            for (int i = 0; i < 256; i++) {
                start[i] = in.word();
                first[i] = in.unsignedByte();
                last[i] = in.unsignedByte();
            }
            pool = in.words(count);
        }

        int get(int one, int other) {
            if (other < first[one] || other > last[one]) {
                return 0;
            }
            int at = start[one] + other - first[one];
            return at < pool.length ? pool[at] : 0;
        }
    }

    /** The code points of a single-byte character set. */
    static final class SingleByte {
        private final char[] codePoints;
        private final byte[] encoded;

        SingleByte(Input in) {
            codePoints = in.words(256);
            encoded = in.bytes(in.left());
        }

        /** Returns the code point, or -1. */
        int decode(int b) {
            return codePoints[b] == 0 && b != 0 ? -1 : codePoints[b];
        }

        /** Returns the byte, or -1. */
        int encode(int codePoint) {
            int low = 0;
            int high = encoded.length - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                int found = codePoints[encoded[middle] & 0xFF];
                if (found == codePoint) {
                    return encoded[middle] & 0xFF;
                }
                if (found < codePoint) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return -1;
        }
    }

    /** The runs of consecutive code points among the characters of four bytes of GB 18030. */
    static final class FourBytes {
        /** Number of 90 30 81 30, which is U+10000. */
        private static final int SUPPLEMENTARY = 189_000;

        private final char[] runs;
        private final int half;

        FourBytes(Input in) {
            runs = in.words(in.left() / 2);
            half = runs.length / 6;
        }

        /** Returns the number of a character in the order of bytes. */
        static int number(byte[] text, int at) {
            int a = (text[at] & 0xFF) - 0x81;
            int b = (text[at + 1] & 0xFF) - '0';
            int c = (text[at + 2] & 0xFF) - 0x81;
            int d = (text[at + 3] & 0xFF) - '0';
            return ((a * 10 + b) * 126 + c) * 10 + d;
        }

        /** Returns the code point, or -1. */
        int decode(int number) {
            if (number >= SUPPLEMENTARY) {
                int codePoint = number - SUPPLEMENTARY + 0x10000;
                return codePoint <= 0x10FFFF ? codePoint : -1;
            }
            int run = lastAtMost(number, 0, 0);
            if (run < 0 || number - runs[3 * run] >= runs[3 * run + 2]) {
                return -1;
            }
            return runs[3 * run + 1] + number - runs[3 * run];
        }

        /** Returns the number of a code point's character, or -1. */
        int encode(int codePoint) {
            if (codePoint >= 0x10000) {
                return codePoint - 0x10000 + SUPPLEMENTARY;
            }
            int run = lastAtMost(codePoint, half, 1);
            if (run < 0 || codePoint - runs[3 * run + 1] >= runs[3 * run + 2]) {
                return -1;
            }
            return runs[3 * run] + codePoint - runs[3 * run + 1];
        }

        /** Returns the last of half of the runs whose field is not greater than a value, or -1. */
        private int lastAtMost(int value, int from, int field) {
            int low = from;
            int high = from + half - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                if (runs[3 * middle + field] <= value) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high < from ? -1 : high;
        }
    }
}
