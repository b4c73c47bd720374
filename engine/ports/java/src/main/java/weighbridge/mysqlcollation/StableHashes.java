package weighbridge.mysqlcollation;

/** XXH64 of the weights of a text. */
final class StableHashes {
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    private StableHashes() {}

    static long hash(Collation collation, byte[] text, long seed) {
        Weights weights = collation.weights();
        Bytes out = new Bytes(2 * text.length + 16);
        if (weights.bytes != null) {
            addBytes(weights, text, text.length, out);
            trim(collation, out, weights.bytes[' ']);
        } else if (weights.text != null) {
            weights.text.key(text, 0, text.length, out);
            trim(collation, out, (byte) ' ');
        } else if (collation.comparesCodePoints(weights)) {
            out.add(text, 0, text.length);
            trim(collation, out, (byte) ' ');
        } else {
            addLevels(weights, text, text.length, collation.wrappedMark(weights, text, 0, text.length), true, out);
        }
        return xxh64(out.bytes, out.length, seed);
    }

    private static void trim(Collation collation, Bytes weights, byte space) {
        while (collation.pads(0) && weights.length > 0 && weights.bytes[weights.length - 1] == space) {
            weights.length--;
        }
    }

    /** Adds the weight of each byte of the text up to a position. */
    static void addBytes(Weights weights, byte[] text, int end, Bytes out) {
        for (int at = 0; at < end; at++) {
            out.add(weights.bytes[text[at] & 0xFF]);
        }
    }

    /**
     * Adds the weights of all levels of the text up to a position, each after the first after 00 00.
     *
     * @param trims whether those of spaces at the end are left out at levels that pad
     */
    static void addLevels(Weights weights, byte[] text, int end, WrappedMark mark, boolean trims, Bytes out) {
        Cursor cursor = new Cursor();
        for (Level level : weights.levels) {
            if (level != weights.levels[0]) {
                out.addWord(0);
            }
            int kept = out.length;
            cursor.set(level, text, 0, 0, end, mark);
            for (int weight = cursor.weight(); weight >= 0; weight = cursor.weight()) {
                out.addWord(weight);
                if (!trims || weight != level.pad) {
                    kept = out.length;
                }
            }
            out.length = kept;
        }
    }

    private static long xxh64(byte[] input, int length, long seed) {
        int at = 0;
        long hash = seed + PRIME_5;
        if (length >= 32) {
            long[] lanes = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
            for (; at + 32 <= length; at += 32) {
                for (int i = 0; i < 4; i++) {
                    lanes[i] = round(lanes[i], word(input, at + 8 * i, 8));
                }
            }
            hash = Long.rotateLeft(lanes[0], 1) + Long.rotateLeft(lanes[1], 7)
                    + Long.rotateLeft(lanes[2], 12) + Long.rotateLeft(lanes[3], 18);
            for (long lane : lanes) {
                hash = (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
            }
        }
        hash += length;
        for (; at + 8 <= length; at += 8) {
            hash = Long.rotateLeft(hash ^ round(0, word(input, at, 8)), 27) * PRIME_1 + PRIME_4;
        }
        if (at + 4 <= length) {
            hash = Long.rotateLeft(hash ^ word(input, at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < length; at++) {
            hash = Long.rotateLeft(hash ^ (input[at] & 0xFF) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long lane, long word) {
        return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
    }

    /** Returns a little-endian number. */
    private static long word(byte[] input, int at, int count) {
        long word = 0;
        for (int i = count - 1; i >= 0; i--) {
            word = word << 8 | input[at + i] & 0xFF;
        }
        return word;
    }
}
