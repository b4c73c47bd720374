package weighbridge.mysqlcollation;

/** Weighs a text as a whole: Czech in several passes, Thai with moved vowels and marks. */
final class TextTable {
    private static final String[] SEQUENCES = {"CH", "Ch", "ch"};
    private static final int WORD = 2;
    private static final int PASS = 1;
    private static final int END = 0;
    /**
     * Amount by which each consonant, or byte below 0x80, before a mark reduces the mark's weight.
     * The consonant of a leading vowel doesn't count.
     */
    private static final int PLACE = 8;

    private final int kind;
    private final int passes;
    private final byte[] weights;
    /** Weights of bytes in LIKE. */
    final byte[] like;
    private final boolean endsAtZero;

    TextTable(Input in, int kind, int parameter) {
        this.kind = kind;
        endsAtZero = parameter != 0;
        if (kind == Level.THAI) {
            passes = 1;
            weights = in.bytes(256);
            like = in.bytes(256);
        } else {
            passes = kind == Level.CZECH_WORDS ? 4 : 2;
            weights = in.bytes(passes * (256 + SEQUENCES.length));
            like = Collation.IDENTITY;
        }
    }

    /** Appends a key. Keys compare bytewise as the texts compare. */
    void key(byte[] text, int start, int end, Bytes key) {
        if (kind == Level.CZECH_WORDS) {
            wordsKey(text, start, trimmed(text, start, end, true), key);
        } else if (kind == Level.CZECH_PASSES) {
            int last = trimmed(text, start, end, false);
            pass(text, start, last, 0, key);
            key.add(0);
            pass(text, start, last, 1, key);
        } else {
            int from = key.length;
            thai(text, start, end, key);
            for (int i = from; endsAtZero && i < key.length; i++) {
                if (key.bytes[i] == 0) {
                    key.length = i;
                }
            }
        }
    }

    private static int trimmed(byte[] text, int start, int end, boolean tabs) {
        while (end > start && (text[end - 1] == ' ' || tabs && text[end - 1] == '\t')) {
            end--;
        }
        return end;
    }

    /** Returns the index of the weights at a position: a byte's, or from 256 on a sequence's. */
    private static int index(byte[] text, int at, int end) {
        for (int i = 0; at + 1 < end && i < SEQUENCES.length; i++) {
            if (text[at] == SEQUENCES[i].charAt(0) && text[at + 1] == SEQUENCES[i].charAt(1)) {
                return 256 + i;
            }
        }
        return text[at] & 0xFF;
    }

    private static int length(int index) {
        return index < 256 ? 1 : 2;
    }

    private static boolean isSpace(int index) {
        return index == ' ' || index == '\t';
    }

    private void pass(byte[] text, int start, int end, int pass, Bytes key) {
        for (int at = start; at < end; ) {
            int index = index(text, at, end);
            key.add(weights[passes * index + pass]);
            at += length(index);
        }
    }

    private void addWeight(int index, int pass, Bytes key) {
        byte weight = weights[passes * index + pass];
        if (weight != 0) {
            key.add(weight);
        }
    }

    private void accents(byte[] text, int start, int end, Bytes key) {
        for (int at = start; at < end; ) {
            int index = index(text, at, end);
            addWeight(index, 1, key);
            at += length(index);
        }
    }

    private void wordsKey(byte[] text, int start, int end, Bytes key) {
        int word = start;
        boolean inSpaces = false;
        for (int at = start; at < end; ) {
            int index = index(text, at, end);
            if (isSpace(index) && !inSpaces) {
                key.add(WORD);
                accents(text, word, at, key);
                key.add(WORD);
                word = at;
            }
            inSpaces = isSpace(index);
            addWeight(index, 0, key);
            at += length(index);
        }
        key.add(PASS);
        accents(text, word, end, key);
        key.add(PASS);
        inSpaces = false;
        for (int at = start; at < end; ) {
            int index = index(text, at, end);
            if (isSpace(index) && !inSpaces) {
                key.add(WORD);
            }
            inSpaces = isSpace(index);
            addWeight(index, 2, key);
            at += length(index);
        }
        key.add(PASS);
        for (int at = start; at < end; ) {
            int index = index(text, at, end);
            if (isSpace(index)) {
                key.add(WORD);
            } else {
                addWeight(index, 3, key);
            }
            at += length(index);
        }
        key.add(END);
    }

    private static boolean isConsonant(int b) {
        return b >= 0xA1 && b <= 0xCE;
    }

    /** Appends the weights of Thai, as many as the text has bytes. */
    private void thai(byte[] text, int start, int end, Bytes key) {
        int from = key.length;
        key.add(text, start, end);
        byte[] bytes = key.bytes;
        int at = from;
        int place = 0;
        for (int rest = end - start; rest > 0; rest--) {
            int b = bytes[at] & 0xFF;
            if (b >= 0xE7 && b <= 0xEC) {
                System.arraycopy(bytes, at + 1, bytes, at, rest - 1);
                bytes[key.length - 1] = (byte) (weights[b] - place);
                continue;
            }
            if (b < 0x80) {
                place += PLACE;
                bytes[at] = weights[b];
            } else if (isConsonant(b)) {
                place += PLACE;
            } else if (b >= 0xE0 && b <= 0xE4 && rest > 1 && isConsonant(bytes[at + 1] & 0xFF)) {
                byte consonant = bytes[at + 1];
                bytes[at + 1] = bytes[at];
                bytes[at] = consonant;
                at++;
                rest--;
            }
            at++;
        }
    }

    void weightString(byte[] text, int start, int end, Flavour flavour, Bytes out) {
        if (kind == Level.CZECH_WORDS) {
            key(text, start, end, out);
        } else if (kind == Level.CZECH_PASSES) {
            pass(text, start, end, 0, out);
            pass(text, start, end, 1, out);
        } else {
            int zero = start;
            while (zero < end && (flavour != Flavour.MYSQL || text[zero] != 0)) {
                zero++;
            }
            // MySQL's has spaces from the first zero on.
            thai(text, start, zero, out);
            for (; zero < end; zero++) {
                out.add(' ');
            }
        }
    }
}
