package weighbridge.mysqlcollation;

/** One level of a collation as a source of weights of 16 bits. */
final class Level {
    static final int BYTES = 0;
    static final int BYTE_TABLE = 1;
    static final int EXPANSIONS = 2;
    static final int CZECH_WORDS = 3;
    static final int CZECH_PASSES = 4;
    static final int THAI = 5;
    static final int CHARACTERS = 6;
    static final int GB18030 = 7;
    static final int NUMBERS = 8;
    static final int SIMPLE = 9;
    static final int FOLDING = 10;
    static final int UCA = 11;

    /** Maximum number of weights of a character or contraction at one level. */
    static final int MAX_WEIGHTS = 16;
    /** Pad of a level without padding. */
    static final int NO_PAD = -1;

    final int kind;
    /** Number of the level, 0 for the primary. */
    final int index;
    final Encoding encoding;
    /** Weight that follows the end of a text under PAD SPACE, or {@link #NO_PAD}. */
    int pad = NO_PAD;
    boolean endsAtErrors;
    /**
     * Weights of characters below U+0800 that have one weight and continue no contraction, else 0;
     * null if the encoding isn't UTF-8.
     */
    char[] shortWeights;
    UcaLevel uca;
    Contractions contractions;
    SingleTables.Simple simple;
    SingleTables.Folding folding;
    byte[] expansions;
    CharacterTables.Characters characters;
    CharacterTables.Gb18030 gb18030;

    Level(int kind, int index, Encoding encoding) {
        this.kind = kind;
        this.index = index;
        this.encoding = encoding;
    }

    /** Sets what depends on the other fields. */
    Level finish(boolean isPadded) {
        if (isPadded) {
            char[] weights = new char[MAX_WEIGHTS];
            if (kind == UCA) {
                uca.weights(' ', weights, 0);
            } else if (kind == SIMPLE) {
                weights[0] = (char) simple.weight(' ');
            } else if (kind == NUMBERS || kind == FOLDING) {
                weights[0] = ' ';
            } else {
                next(new byte[] {' '}, 0, 1, weights);
            }
            pad = weights[0];
        }
        if (encoding.decoding == Encoding.UTF8) {
            shortWeights = shortWeights();
        }
        return this;
    }

    private char[] shortWeights() {
        if (kind == UCA) {
            return uca.shortWeights;
        }
        char[] weights = new char[0x800];
        for (int codePoint = 0; codePoint < weights.length; codePoint++) {
            int weight = kind == SIMPLE ? simple.weight(codePoint) : kind == FOLDING ? folding.weight(codePoint) : 0;
            weights[codePoint] = weight < 0xFFFF ? (char) weight : 0;
        }
        return weights;
    }

    /** Returns the length in bytes of a result of {@link #next}. */
    static int length(long next) {
        return (int) (next >> 8);
    }

    /** Returns the number of weights of a result of {@link #next}. */
    static int count(long next) {
        return (int) next & 0xFF;
    }

    static long result(int length, int count) {
        return (long) length << 8 | count;
    }

    /** Writes the weights of the character or contraction at a position inside the text. */
    long next(byte[] text, int at, int end, char[] out) {
        if (kind == EXPANSIONS) {
            int b = text[at] & 0xFF;
            out[0] = (char) (expansions[2 * b] & 0xFF);
            out[1] = (char) (expansions[2 * b + 1] & 0xFF);
            return result(1, out[1] == 0 ? 1 : 2);
        }
        if (kind == CHARACTERS || kind == GB18030) {
            return nextCharacter(text, at, end, out);
        }
        int decoded = encoding.decode(text, at, end);
        int length = Encoding.length(decoded);
        if (length == 0) {
            return illFormed(text, at, end, out);
        }
        int codePoint = Encoding.codePoint(decoded);
        switch (kind) {
            case UCA:
                if (contractions != null) {
                    Contractions.Contraction found = contractions.find(encoding, text, at, end, decoded);
                    if (found != null) {
                        for (int i = 1; i < found.codePoints.length; i++) {
                            length += encoding.length(text, at + length, end);
                        }
                        return result(length, uca.expand(0, found.entries[index], out, 0));
                    }
                }
                return result(length, uca.weights(codePoint, out, 0));
            case SIMPLE:
                out[0] = (char) simple.weight(codePoint);
                out[1] = 0;
                // An ill-formed byte comes after all characters.
                return result(length, out[0] == 0xFFFF ? 2 : 1);
            case FOLDING:
                return result(length, put(folding.weight(codePoint), out));
            default:
                return result(length, put(codePoint, out));
        }
    }

    /** Writes a code point: itself, or FFFF and two words from U+FFFF on. */
    private static int put(int codePoint, char[] out) {
        if (codePoint < 0xFFFF) {
            out[0] = (char) codePoint;
            return 1;
        }
        out[0] = 0xFFFF;
        out[1] = (char) (codePoint >> 16);
        out[2] = (char) codePoint;
        return 3;
    }

    private long illFormed(byte[] text, int at, int end, char[] out) {
        int b = text[at] & 0xFF;
        if (kind == UCA && endsAtErrors) {
            return result(end - at, 0);
        }
        if (kind == UCA || kind == SIMPLE) {
            out[0] = 0xFFFF;
            out[1] = (char) (1 + b);
            return result(1, kind == UCA ? 1 : 2);
        }
        return result(1, put(0x110000 | b, out));
    }

    private long nextCharacter(byte[] text, int at, int end, char[] out) {
        int length = encoding.wellFormed(text, at, end);
        if (length == 0) {
            out[0] = 0xFFFF;
            out[1] = (char) ((text[at] & 0xFF) << 8);
            return result(1, 2);
        }
        int count = kind == GB18030
                ? gb18030.weights(text, at, length, out)
                : characters.weights(text, at, length, out);
        return result(length, count);
    }

    /** Returns whether the character at a position can continue a contraction. */
    boolean continues(byte[] text, int at, int end) {
        if (contractions == null || at >= end) {
            return false;
        }
        int decoded = encoding.decode(text, at, end);
        return Encoding.length(decoded) > 0 && contractions.later.has(Encoding.codePoint(decoded));
    }
}
