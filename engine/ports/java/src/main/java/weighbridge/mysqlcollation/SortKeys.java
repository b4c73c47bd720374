package weighbridge.mysqlcollation;

import java.util.Arrays;

/** Sort keys: weights by level, with marks for spaces under PAD SPACE. */
final class SortKeys {
    /** A mark is the weight just below a space's and one of these bytes. */
    private static final int ESCAPED = 0;
    private static final int BEFORE_LESS = 1;
    private static final int END = 2;
    private static final int BEFORE_GREATER = 3;

    private SortKeys() {}

    static void append(Collation collation, byte[] text, Bytes key) {
        Weights weights = collation.weights();
        boolean isPadded = collation.pads(0);
        if (weights.bytes != null) {
            for (byte b : text) {
                key.add(weights.bytes[b & 0xFF]);
            }
            finish(key, 0, 1, isPadded ? weights.bytes[' '] & 0xFF : Level.NO_PAD);
        } else if (weights.text != null) {
            weights.text.key(text, 0, text.length, key);
            finish(key, 0, 1, isPadded ? ' ' : Level.NO_PAD);
        } else if (collation.comparesCodePoints(weights)) {
            codePoints(weights.encoding, text, key);
            finish(key, 0, 1, isPadded ? ' ' : Level.NO_PAD);
        } else {
            levels(collation, weights, text, key);
        }
    }

    private static void levels(Collation collation, Weights weights, byte[] text, Bytes key) {
        WrappedMark mark = collation.wrappedMark(weights, text, 0, text.length);
        Cursor cursor = new Cursor();
        boolean isOpen = false;
        for (Level level : weights.levels) {
            if (isOpen) {
                key.addWord(0);
            }
            int from = key.length;
            cursor.set(level, text, 0, 0, text.length, mark);
            for (int weight = cursor.weight(); weight >= 0; weight = cursor.weight()) {
                key.addWord(weight);
            }
            finish(key, from, 2, level.pad);
            isOpen = level.pad == Level.NO_PAD;
        }
    }

    /** Appends the bytes of a string of UTF-8, with FF before each ill-formed byte. */
    private static void codePoints(Encoding encoding, byte[] text, Bytes key) {
        for (int at = 0; at < text.length; ) {
            int length = Encoding.length(encoding.decodeUtf8(text, at, text.length));
            if (length == 0) {
                key.add(0xFF);
                length = 1;
            }
            key.add(text, at, at + length);
            at += length;
        }
    }

    /** Marks spaces of the weights from a position on, and their end, under PAD SPACE. */
    private static void finish(Bytes key, int from, int width, int space) {
        if (space == Level.NO_PAD) {
            return;
        }
        markSpaces(key, from, width, space);
        put(key, space - 1, width);
        key.add(END);
    }

    /** Removes trailing spaces of the weights from a position on, and marks those that need it. */
    static void markSpaces(Bytes key, int from, int width, int space) {
        while (key.length > from && weight(key.bytes, key.length - width, width) == space) {
            key.length -= width;
        }
        byte[] weights = Arrays.copyOfRange(key.bytes, from, key.length);
        key.length = from;
        for (int at = 0; at < weights.length; at += width) {
            int weight = weight(weights, at, width);
            int run = 0;
            while (weight(weights, at + run * width, width) == space) {
                run++;
            }
            int next = weight(weights, at + run * width, width);
            if (run == 0 && weight == space - 1) {
                put(key, space - 1, width);
                key.add(ESCAPED);
            } else if (run > 1 || run == 1 && next < space) {
                put(key, space - 1, width);
                putRun(key, run, next < space);
                at += (run - 1) * width;
            } else {
                put(key, weight, width);
            }
        }
    }

    private static int weight(byte[] bytes, int at, int width) {
        int first = bytes[at] & 0xFF;
        return width == 1 ? first : first << 8 | bytes[at + 1] & 0xFF;
    }

    static void put(Bytes key, int weight, int width) {
        if (width == 1) {
            key.add(weight);
        } else {
            key.addWord(weight);
        }
    }

    private static void putRun(Bytes key, int length, boolean isBeforeLess) {
        int flip = isBeforeLess ? 0 : 0xFF;
        key.add(isBeforeLess ? BEFORE_LESS : BEFORE_GREATER);
        key.add(Math.min(length, 255) ^ flip);
        for (int shift = 56; length >= 255 && shift >= 0; shift -= 8) {
            key.add((int) ((long) length >> shift) ^ flip);
        }
    }
}
