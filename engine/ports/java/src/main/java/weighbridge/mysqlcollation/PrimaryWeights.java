package weighbridge.mysqlcollation;

import java.util.stream.IntStream;

/** The weights of a text at the primary level. Those of CHARACTERS and GB18030 are bytes. */
final class PrimaryWeights {
    private final Collation collation;
    private final IntStream.Builder all = IntStream.builder();

    private PrimaryWeights(Collation collation) {
        this.collation = collation;
    }

    static int[] of(Collation collation, byte[] text) {
        PrimaryWeights weights = new PrimaryWeights(collation);
        weights.add(text);
        return weights.all.build().toArray();
    }

    private void add(byte[] text) {
        Weights weights = collation.weights();
        if (weights.text != null) {
            Bytes key = new Bytes(2 * text.length + 16);
            if (text.length > 0) {
                weights.text.key(text, 0, text.length, key);
            }
            for (byte b : key.toArray()) {
                addBytes(b);
            }
        } else if (weights.bytes != null) {
            for (byte b : text) {
                all.add(weights.bytes[b & 0xFF] & 0xFF);
            }
        } else {
            addLevel(weights.levels[0], text);
        }
    }

    private void addBytes(int... weights) {
        for (int weight : weights) {
            all.add(weight & 0xFF);
        }
    }

    private void addLevel(Level level, byte[] text) {
        char[] out = new char[Level.MAX_WEIGHTS];
        for (int at = 0; at < text.length; ) {
            long next = level.next(text, at, text.length, out);
            int length = Level.length(next);
            if (level.kind == Level.CHARACTERS || level.kind == Level.GB18030) {
                addCharacter(level, text, at, length, out);
            } else if (level.kind == Level.UCA || level.kind == Level.EXPANSIONS) {
                for (int i = 0; i < Level.count(next); i++) {
                    all.add(out[i]);
                }
            } else {
                all.add(joined(level, out, Level.count(next)));
            }
            at += length;
        }
    }

    /** Returns the weight that a level divides into words. */
    private static int joined(Level level, char[] words, int count) {
        if (count == 3) {
            return words[1] << 16 | words[2];
        }
        boolean isIllFormed = count == 2 && level.kind == Level.SIMPLE && words[1] > 0;
        return isIllFormed ? 0x10000 | words[1] - 1 : words[0];
    }

    /** Adds the weight of a character, of which {@code words} are the first 16 bits or the first byte. */
    private void addCharacter(Level level, byte[] text, int at, int length, char[] words) {
        if (level.encoding.wellFormed(text, at, text.length) == 0) {
            addBytes(0xFF, 0xFF, text[at], 0);
        } else if (level.kind == Level.GB18030) {
            addNumber(level.gb18030.reported(text, at, length), length);
        } else if (length == 3) {
            addBytes(text[at], text[at + 1], text[at + 2]);
        } else if (length == 2) {
            addBytes(words[0] >> 8, words[0]);
        } else {
            addBytes(words[0] >> 8);
        }
    }

    /** Adds the bytes of a weight of gb18030_chinese_ci, after 80 if a longer character has one. */
    private void addNumber(long weight, int length) {
        if (weight < 0x100 && length > 1) {
            addBytes(0x80);
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            if (weight >> shift != 0 || shift == 0) {
                addBytes((int) (weight >> shift));
            }
        }
    }
}
