package weighbridge.mysqlcollation;

import weighbridge.mysqlcollation.CharsetTables.FourBytes;
import weighbridge.mysqlcollation.CharsetTables.PageTable;

/** Tables with the weights of the characters of multi-byte character sets. */
final class CharacterTables {
    private CharacterTables() {}

    /** Weights of characters of one to three bytes. */
    static final class Characters {
        private static final int REPORTS_PAGES = 1;
        private static final int FOLDS_SECOND = 2;

        final byte[] singles;
        /** Null if characters of two bytes weigh their bytes. */
        private final PageTable doubles;
        /** The weights of WEIGHT_STRING, or null. */
        private final PageTable reported;
        /** The second byte has the weight of a character of one byte. */
        final boolean foldsSecond;

        Characters(Input in, int parameter) {
            singles = in.bytes(256);
            reported = in.left() > 0 ? new PageTable(in) : null;
            doubles = (parameter & REPORTS_PAGES) == 0 ? reported : null;
            foldsSecond = (parameter & FOLDS_SECOND) != 0;
        }

        private int doubleWeight(int first, int second) {
            if (doubles != null) {
                return doubles.get(first, second);
            }
            return first << 8 | (foldsSecond ? singles[second] & 0xFF : second);
        }

        int reportedWeight(int first, int second) {
            return reported == null ? first << 8 | second : reported.get(first, second);
        }

        /** Writes the weights of a well-formed character: its server's weight in pairs of bytes. */
        int weights(byte[] text, int at, int length, char[] out) {
            int first = text[at] & 0xFF;
            if (length == 1) {
                out[0] = (char) ((singles[first] & 0xFF) << 8);
                return 1;
            }
            int second = text[at + 1] & 0xFF;
            if (length == 2) {
                out[0] = (char) doubleWeight(first, second);
                return 1;
            }
            out[0] = (char) (first << 8 | second);
            out[1] = (char) ((text[at + 2] & 0xFF) << 8);
            return 2;
        }
    }

    /** Weights of gb18030_chinese_ci. */
    static final class Gb18030 {
        private static final int FIRST_WEIGHT = 0xA1A1;
        private static final int AMONG_OTHERS = 0xFFFF;
        private static final long IDEOGRAPHS = 0xFFA0_0000L;
        private static final long FOUR_BYTES = 0xFF00_0000L;

        private final byte[] singles;
        private final PageTable doubles;
        private final PageTable quadruples;
        /** Pairs of a character and its weight. */
        private final long[] others;

        Gb18030(Input in) {
            singles = in.bytes(256);
            doubles = new PageTable(in);
            quadruples = new PageTable(in);
            others = new long[in.left() / 4];
            for (int i = 0; i < others.length; i++) {
                others[i] = in.bigEndian() & 0xFFFF_FFFFL;
            }
        }

        private long weight(byte[] text, int at, int length) {
            int first = text[at] & 0xFF;
            int second = text[at + 1] & 0xFF;
            long bytes = first << 8 | second;
            if (length == 2) {
                return resolve(doubles.get(first, second), bytes, bytes);
            }
            bytes = bytes << 16 | (text[at + 2] & 0xFF) << 8 | text[at + 3] & 0xFF;
            int number = FourBytes.number(text, at);
            int entry = number > 0xFFFF ? AMONG_OTHERS : quadruples.get(number >> 8, number & 0xFF);
            return resolve(entry, bytes, FOUR_BYTES + number);
        }

        private long resolve(int entry, long key, long own) {
            if (entry == 0) {
                return own;
            }
            if (entry == AMONG_OTHERS) {
                int low = 0;
                int high = others.length / 2 - 1;
                while (low <= high) {
                    int middle = (low + high) >>> 1;
                    if (others[2 * middle] == key) {
                        return others[2 * middle + 1];
                    }
                    if (others[2 * middle] < key) {
                        low = middle + 1;
                    } else {
                        high = middle - 1;
                    }
                }
                return own;
            }
            return entry >= FIRST_WEIGHT ? entry : IDEOGRAPHS + entry;
        }

        int weights(byte[] text, int at, int length, char[] out) {
            if (length == 1) {
                out[0] = (char) ((singles[text[at] & 0xFF] & 0xFF) << 8);
                return 1;
            }
            long weight = weight(text, at, length);
            if (weight < 0x1_0000) {
                // One-byte characters come before a longer character whose capital has one byte.
                out[0] = (char) (weight < 0x100 ? 0x8000 | weight : weight);
                return 1;
            }
            out[0] = (char) (weight >> 16);
            out[1] = (char) weight;
            return 2;
        }

        /**
         * Returns the weight of characters that match this one in LIKE and compare as different:
         * longer ones whose capital has one byte. Returns -1 if there are none.
         */
        int otherWeight(byte[] character) {
            if (character.length > 1) {
                long weight = weight(character, 0, character.length);
                return weight < 0x100 ? (int) weight << 8 : -1;
            }
            int single = singles[character[0] & 0xFF] & 0xFF;
            for (int i = 1; i < others.length; i += 2) {
                if (others[i] == single) {
                    return 0x8000 | single;
                }
            }
            return -1;
        }

        /** Returns the weight in WEIGHT_STRING of a character or an ill-formed byte, as a number. */
        long reported(byte[] text, int at, int length) {
            return length == 1 ? singles[text[at] & 0xFF] & 0xFF : weight(text, at, length);
        }
    }
}
