package weighbridge.mysqlcollation;

/** Hashes of strings: equal strings have equal hashes. */
final class Hashes {
    private static final long FACTOR = 0x243F6A8885A308D3L;
    private static final long SEED = 0x13198A2E03707344L;
    private static final int BATCH = 8;

    private long hash = SEED;
    private final char[] pending = new char[BATCH];
    private long count;

    private Hashes() {}

    static long hash(Collation collation, byte[] text) {
        Weights weights = collation.weights();
        if (weights.bytes != null) {
            return ofBytes(weights.bytes, collation.pads(0), text, text.length);
        }
        if (weights.text != null) {
            Bytes key = new Bytes(4 * text.length + 6);
            weights.text.key(text, 0, text.length, key);
            return ofBytes(Collation.IDENTITY, collation.pads(0), key.bytes, key.length);
        }
        if (collation.comparesCodePoints(weights)) {
            return ofBytes(Collation.IDENTITY, collation.pads(0), text, text.length);
        }
        Hashes state = new Hashes();
        WrappedMark mark = collation.wrappedMark(weights, text, 0, text.length);
        Cursor cursor = new Cursor();
        for (Level level : weights.levels) {
            state.addLevel(level, cursor.set(level, text, 0, 0, text.length, mark));
        }
        return state.hash;
    }

    private void mix(long first, long second) {
        long a = hash ^ first;
        long b = FACTOR ^ second;
        // multiplyHigh is signed.
        long high = Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
        hash = a * b ^ high ^ Long.rotateLeft(second, 32);
    }

    private void mixPending() {
        mix(word(0), word(4));
        java.util.Arrays.fill(pending, (char) 0);
    }

    private long word(int from) {
        long word = 0;
        for (int i = from; i < from + 4; i++) {
            word = word << 16 | pending[i];
        }
        return word;
    }

    private void add(int weight) {
        int at = (int) (count % BATCH);
        pending[at] = (char) weight;
        count++;
        if (at == BATCH - 1) {
            mixPending();
        }
    }

    /** Adds the weights of a level, under PAD SPACE without trailing spaces, and their number. */
    private void addLevel(Level level, Cursor cursor) {
        int spaces = 0;
        for (int weight = cursor.weight(); weight >= 0; weight = cursor.weight()) {
            if (weight == level.pad) {
                spaces++;
                continue;
            }
            for (; spaces > 0; spaces--) {
                add(level.pad);
            }
            add(weight);
        }
        mixPending();
        mix(count, Long.rotateLeft(FACTOR, 1));
        count = 0;
    }

    private static long ofBytes(byte[] weights, boolean isPadded, byte[] text, int length) {
        while (isPadded && length > 0 && weights[text[length - 1] & 0xFF] == weights[' ']) {
            length--;
        }
        Hashes state = new Hashes();
        int at = 0;
        for (; length - at >= 16; at += 16) {
            state.mix(word(weights, text, at, at + 8), word(weights, text, at + 8, at + 16));
        }
        int half = Math.min(length, at + 8);
        state.mix(word(weights, text, at, half), word(weights, text, half, length));
        state.mix(length, Long.rotateLeft(FACTOR, 1));
        return state.hash;
    }

    private static long word(byte[] weights, byte[] text, int from, int to) {
        long word = 0;
        for (int i = from; i < to; i++) {
            word = word << 8 | weights[text[i] & 0xFF] & 0xFF;
        }
        return word;
    }
}
