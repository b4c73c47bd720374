package weighbridge.mysqlcollation;

import java.util.Arrays;

/** The comparison of two strings. */
final class Comparison {
    private final Cursor x = new Cursor();
    private final Cursor y = new Cursor();

    /** Cursors for each thread, so that few comparisons allocate. */
    private static final ThreadLocal<Comparison> OF_THREAD = ThreadLocal.withInitial(Comparison::new);

    private Comparison() {}

    static int compare(Collation collation, byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd) {
        int same = Arrays.mismatch(a, aStart, aEnd, b, bStart, bEnd);
        if (same < 0) {
            return 0;
        }
        Weights weights = collation.weights();
        boolean isPadded = collation.pads(0);
        if (weights.bytes != null) {
            return bytes(weights.bytes, isPadded, a, aStart + same, aEnd, b, bStart + same, bEnd);
        }
        if (weights.text != null) {
            Bytes p = new Bytes(4 * (aEnd - aStart) + 6);
            Bytes q = new Bytes(4 * (bEnd - bStart) + 6);
            weights.text.key(a, aStart, aEnd, p);
            weights.text.key(b, bStart, bEnd, q);
            return bytes(Collation.IDENTITY, isPadded, p.bytes, 0, p.length, q.bytes, 0, q.length);
        }
        if (collation.comparesCodePoints(weights)) {
            return codePoints(weights.encoding, isPadded, a, aStart, aEnd, b, bStart, bEnd, same);
        }
        Level first = weights.levels[0];
        WrappedMark markA = collation.wrappedMark(weights, a, aStart, aEnd);
        WrappedMark markB = collation.wrappedMark(weights, b, bStart, bEnd);
        boolean isWrapped = markA != null || markB != null;
        int from = isWrapped ? 0 : boundary(first, a, aStart, aEnd, b, bStart, bEnd, same);
        if (first.endsAtErrors && !isWellFormed(first.encoding, a, aStart, aStart + from)) {
            return 0;
        }
        if (first.shortWeights != null && !isWrapped && aStart + from < aEnd && bStart + from < bEnd) {
            int order = compareCharacter(first, a, aStart + from, aEnd, b, bStart + from, bEnd);
            if (order != 0) {
                return order;
            }
        }
        Comparison comparison = OF_THREAD.get();
        for (Level level : weights.levels) {
            comparison.x.set(level, a, aStart, aStart + from, aEnd, markA);
            comparison.y.set(level, b, bStart, bStart + from, bEnd, markB);
            int order = isWrapped
                    ? comparison.compareWeights(level, false)
                    : comparison.compareLevel(level, a, aEnd, b, bEnd);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int bytes(byte[] weights, boolean isPadded, byte[] a, int i, int aEnd, byte[] b, int j, int bEnd) {
        for (; i < aEnd && j < bEnd; i++, j++) {
            int order = (weights[a[i] & 0xFF] & 0xFF) - (weights[b[j] & 0xFF] & 0xFF);
            if (order != 0) {
                return order;
            }
        }
        return i < aEnd ? pastEnd(weights, isPadded, a, i, aEnd) : -pastEnd(weights, isPadded, b, j, bEnd);
    }

    private static int pastEnd(byte[] weights, boolean isPadded, byte[] rest, int at, int end) {
        if (!isPadded) {
            return end - at;
        }
        int space = weights[' '] & 0xFF;
        for (; at < end; at++) {
            int order = (weights[rest[at] & 0xFF] & 0xFF) - space;
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int codePoints(
            Encoding encoding, boolean isPadded, byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd, int same) {
        int from = characterStart(a, aStart, aEnd, b, bStart, bEnd, same);
        int i = aStart + from;
        int j = bStart + from;
        while (i < aEnd && j < bEnd) {
            int p = codePoint(encoding, a, i, aEnd);
            int q = codePoint(encoding, b, j, bEnd);
            if (p != q) {
                return p - q;
            }
            int length = encoding.length(a, i, aEnd);
            i += length;
            j += length;
        }
        return i < aEnd ? codePointsPastEnd(encoding, isPadded, a, i, aEnd) : -codePointsPastEnd(encoding, isPadded, b, j, bEnd);
    }

    /** Returns a code point; ill-formed bytes come after all characters. */
    private static int codePoint(Encoding encoding, byte[] text, int at, int end) {
        int decoded = encoding.decodeUtf8(text, at, end);
        return Encoding.length(decoded) == 0 ? 0x110000 | text[at] & 0xFF : Encoding.codePoint(decoded);
    }

    private static int codePointsPastEnd(Encoding encoding, boolean isPadded, byte[] rest, int at, int end) {
        if (!isPadded) {
            return end - at;
        }
        while (at < end && rest[at] == ' ') {
            at++;
        }
        return at < end ? codePoint(encoding, rest, at, end) - ' ' : 0;
    }

    /** Returns the start of the character of UTF-8 that contains a position in a or b. */
    private static int characterStart(byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd, int at) {
        boolean isInside = aStart + at < aEnd && Encoding.isContinuation(a[aStart + at])
                || bStart + at < bEnd && Encoding.isContinuation(b[bStart + at]);
        for (int start = at - 1; isInside && start >= 0 && start >= at - 3; start--) {
            if (!Encoding.isContinuation(a[aStart + start])) {
                return start;
            }
        }
        return at;
    }

    /** Returns how many bytes of both strings hold the same characters, without a contraction in progress. */
    private static int boundary(
            Level level, byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd, int same) {
        int at = same;
        switch (level.encoding.decoding) {
            case Encoding.UTF8:
                at = characterStart(a, aStart, aEnd, b, bStart, bEnd, same);
                break;
            case Encoding.UCS2:
            case Encoding.UTF16:
            case Encoding.UTF16LE:
            case Encoding.UTF32:
                return 0;
            default:
                if (level.kind == Level.EXPANSIONS) {
                    return same;
                }
                // ASCII at the start of a string is never part of a longer character.
                at = 0;
                while (at < same && a[aStart + at] >= 0) {
                    at++;
                }
        }
        while (at > 0 && (level.continues(a, aStart + at, aEnd) || level.continues(b, bStart + at, bEnd))) {
            at--;
            for (int back = 0; back < 3 && at > 0 && Encoding.isContinuation(a[aStart + at]); back++) {
                at--;
            }
        }
        return at;
    }

    private static boolean isWellFormed(Encoding encoding, byte[] text, int at, int end) {
        while (at < end) {
            if (encoding.decoding == Encoding.UTF8) {
                int lead = text[at];
                if (lead >= 0) {
                    at++;
                    continue;
                }
                // Characters from U+1000 to U+CFFF: any two continuation bytes follow.
                boolean isTriple = lead > (byte) 0xE0 && lead < (byte) 0xED && at + 2 < end
                        && Encoding.isContinuation(text[at + 1]) && Encoding.isContinuation(text[at + 2]);
                if (isTriple) {
                    at += 3;
                    continue;
                }
            }
            int length = encoding.wellFormed(text, at, end);
            if (length == 0) {
                return false;
            }
            at += length;
        }
        return true;
    }

    private int compareLevel(Level level, byte[] a, int aEnd, byte[] b, int bEnd) {
        if (level.shortWeights == null) {
            return compareWeights(level, false);
        }
        while (true) {
            int order = compareShort(level, a, aEnd, b, bEnd);
            if (order != 0) {
                return order;
            }
            order = compareWeights(level, true);
            if (order != AT_BOUNDARY) {
                return order;
            }
        }
    }

    /** Result of {@link #compareWeights} at a boundary of both strings. */
    private static final int AT_BOUNDARY = Integer.MIN_VALUE;

    /** Compares weights until they differ or both strings end, or up to a boundary of both. */
    private int compareWeights(Level level, boolean stopsAtBoundary) {
        while (true) {
            int p = x.weight();
            int q = y.weight();
            if (p != q) {
                return p < 0 ? -pastEnd(level, q, y) : q < 0 ? pastEnd(level, p, x) : p - q;
            }
            if (p < 0) {
                return 0;
            }
            if (stopsAtBoundary && x.isAtBoundary() && y.isAtBoundary()) {
                return AT_BOUNDARY;
            }
        }
    }

    /** Compares the weights from one on with the end of the other string. */
    private static int pastEnd(Level level, int weight, Cursor rest) {
        if (level.pad == Level.NO_PAD) {
            return 1;
        }
        for (; weight >= 0; weight = rest.weight()) {
            if (weight != level.pad) {
                return weight - level.pad;
            }
        }
        return 0;
    }

    /**
     * Compares characters below U+0800 with one weight, skips equal characters, and moves the cursors
     * to the first other character; under a collation with contractions, to the one before it.
     */
    private int compareShort(Level level, byte[] a, int aEnd, byte[] b, int bEnd) {
        int i = x.at;
        int j = y.at;
        int lastA = 0;
        int lastB = 0;
        while (i < aEnd && j < bEnd) {
            int m = shortLength(a, i, aEnd);
            int n = shortLength(b, j, bEnd);
            int p = shortWeight(level, a, i, m);
            int q = shortWeight(level, b, j, n);
            if (p == 0 || q == 0) {
                m = equalCharacter(level, a, i, aEnd, b, j, bEnd);
                n = m;
                if (m == 0) {
                    break;
                }
            } else if (p != q) {
                if (level.contractions != null && (level.continues(a, i + m, aEnd) || level.continues(b, j + n, bEnd))) {
                    break;
                }
                return p - q;
            }
            i += m;
            j += n;
            lastA = m;
            lastB = n;
        }
        x.at = level.contractions == null ? i : i - lastA;
        y.at = level.contractions == null ? j : j - lastB;
        return 0;
    }

    /** Compares two characters by one weight each. Returns 0 if they are equal, or need more than that. */
    private static int compareCharacter(Level level, byte[] a, int i, int aEnd, byte[] b, int j, int bEnd) {
        int m = shortLength(a, i, aEnd);
        int n = shortLength(b, j, bEnd);
        int p = shortWeight(level, a, i, m);
        int q = shortWeight(level, b, j, n);
        boolean isOfOneWeight = p != 0 && q != 0
                && (level.contractions == null || !(level.continues(a, i + m, aEnd) || level.continues(b, j + n, bEnd)));
        return isOfOneWeight ? p - q : 0;
    }

    private static int shortLength(byte[] text, int at, int end) {
        int b = text[at];
        if (b >= 0) {
            return 1;
        }
        boolean isPair = b >= (byte) 0xC2 && b < (byte) 0xE0 && at + 1 < end && Encoding.isContinuation(text[at + 1]);
        return isPair ? 2 : 0;
    }

    private static int shortWeight(Level level, byte[] text, int at, int length) {
        if (length == 1) {
            return level.shortWeights[text[at]];
        }
        return length == 0 ? 0 : level.shortWeights[(text[at] & 0x1F) << 6 | text[at + 1] & 0x3F];
    }

    /** Returns the length of a character that both strings have, and that continues no contraction; else 0. */
    private static int equalCharacter(Level level, byte[] a, int i, int aEnd, byte[] b, int j, int bEnd) {
        if (a[i] != b[j]) {
            return 0;
        }
        int decoded = level.encoding.decodeUtf8(a, i, aEnd);
        int length = Encoding.length(decoded);
        if (length == 0 || decoded != level.encoding.decodeUtf8(b, j, bEnd)) {
            return 0;
        }
        return level.contractions != null && level.contractions.later.has(Encoding.codePoint(decoded)) ? 0 : length;
    }
}
