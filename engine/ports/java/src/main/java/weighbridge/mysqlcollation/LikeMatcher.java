package weighbridge.mysqlcollation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Matches texts with a pattern of LIKE, character by character. */
final class LikeMatcher {
    /** Number of levels that LIKE compares. */
    private static final int LEVELS = 3;

    private final Collation collation;
    private final Weights weights;
    private final Encoding encoding;
    private final byte[] pattern;
    private final byte[] escape;
    private final byte[] any;
    private final byte[] one;
    private final Cursor x = new Cursor();
    private final Cursor y = new Cursor();
    /** Bounds of the pattern's character, and the position of the next part: see {@link #part}. */
    private int start;
    private int end;
    private int next;

    private enum Part { END, ANY, ONE, CHARACTER }

    LikeMatcher(Collation collation, byte[] pattern, int escape) {
        this.collation = collation;
        this.pattern = pattern;
        weights = collation.weights();
        encoding = weights.encoding;
        this.escape = encoding.escape(escape);
        any = wildcard("%");
        one = wildcard("_");
    }

    private byte[] wildcard(String sign) {
        switch (encoding.decoding) {
            case Encoding.UCS2:
            case Encoding.UTF16:
                return sign.getBytes(StandardCharsets.UTF_16BE);
            case Encoding.UTF16LE:
                return sign.getBytes(StandardCharsets.UTF_16LE);
            case Encoding.UTF32:
                return new byte[] {0, 0, 0, (byte) sign.charAt(0)};
            default:
                return sign.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private boolean isPattern(byte[] character) {
        return character != null && Arrays.equals(pattern, start, end, character, 0, character.length);
    }

    /** Reads the part of the pattern at a position. */
    private Part part(int at) {
        start = at;
        next = at;
        if (at >= pattern.length) {
            return Part.END;
        }
        end = at + encoding.length(pattern, at, pattern.length);
        next = end;
        if (isPattern(escape)) {
            // An escape character at the end of the pattern is a literal.
            if (end < pattern.length) {
                start = end;
                end += encoding.length(pattern, end, pattern.length);
                next = end;
            }
            return Part.CHARACTER;
        }
        return isPattern(any) ? Part.ANY : isPattern(one) ? Part.ONE : Part.CHARACTER;
    }

    /** Matches in one pass; on a mismatch, the last % is tried with one more character. */
    boolean matches(byte[] text) {
        int at = 0;
        int partAt = 0;
        int retryAt = -1;
        int retryPart = 0;
        while (true) {
            Part part = part(partAt);
            if (part == Part.END && at == text.length) {
                return true;
            }
            if (part == Part.ANY) {
                partAt = next;
                if (partAt >= pattern.length) {
                    return true;
                }
                retryAt = at;
                retryPart = partAt;
                continue;
            }
            if (part != Part.END && at < text.length) {
                int after = at + encoding.length(text, at, text.length);
                if (part == Part.ONE || isSame(text, at, after)) {
                    at = after;
                    partAt = next;
                    continue;
                }
            }
            if (retryAt < 0 || retryAt >= text.length) {
                return false;
            }
            retryAt += encoding.length(text, retryAt, text.length);
            at = retryAt;
            partAt = retryPart;
        }
    }

    /** Returns whether a text begins with the pattern, all of whose characters are literal. */
    boolean startsWith(byte[] text) {
        int at = 0;
        for (start = 0; start < pattern.length; start = end) {
            end = start + encoding.length(pattern, start, pattern.length);
            if (at >= text.length) {
                return false;
            }
            int after = at + encoding.length(text, at, text.length);
            if (!isSame(text, at, after)) {
                return false;
            }
            at = after;
        }
        return true;
    }

    /** Returns the characters before the first wildcard. */
    List<byte[]> literalStart() {
        List<byte[]> characters = new ArrayList<>();
        for (int at = 0; part(at) == Part.CHARACTER; at = next) {
            characters.add(Arrays.copyOfRange(pattern, start, end));
        }
        return characters;
    }

    /** Returns whether a character of the text matches that of the pattern. */
    private boolean isSame(byte[] text, int from, int to) {
        if (Arrays.equals(text, from, to, pattern, start, end)) {
            return true;
        }
        switch (collation.kind) {
            case Level.BYTES:
                return false;
            case Level.BYTE_TABLE:
                return haveEqualBytes(weights.bytes, text, from, to);
            case Level.NUMBERS:
                return !collation.comparesCodePoints(weights) && haveEqualWeights(text, from, to);
            case Level.GB18030:
                CharacterTables.Gb18030 table = weights.levels[0].gb18030;
                return table.reported(text, from, to - from) == table.reported(pattern, start, end - start)
                        || haveEqualWeights(text, from, to);
            case Level.CHARACTERS:
                boolean isLonger = to - from > 1 || end - start > 1;
                return !(weights.levels[0].characters.foldsSecond && isLonger) && haveEqualWeights(text, from, to);
            case Level.UCA:
                return haveEqualWeights(text, from, to) && !differ(text, from, to);
            default:
                return weights.text == null
                        ? haveEqualWeights(text, from, to)
                        : haveEqualBytes(weights.text.like, text, from, to);
        }
    }

    private boolean haveEqualBytes(byte[] weights, byte[] text, int from, int to) {
        if (to - from != end - start) {
            return false;
        }
        for (int i = 0; i < to - from; i++) {
            if (weights[text[from + i] & 0xFF] != weights[pattern[start + i] & 0xFF]) {
                return false;
            }
        }
        return true;
    }

    private boolean haveEqualWeights(byte[] text, int from, int to) {
        for (int i = 0; i < Math.min(weights.levels.length, LEVELS); i++) {
            Level level = weights.levels[i];
            x.set(level, text, from, from, to, null);
            y.set(level, pattern, start, start, end, null);
            int p;
            do {
                p = x.weight();
                if (p != y.weight()) {
                    return false;
                }
            } while (p >= 0);
        }
        return true;
    }

    /** Returns whether two characters of equal weights differ by their pages or by the root. */
    private boolean differ(byte[] text, int from, int to) {
        int p = encoding.decode(text, from, to);
        int q = encoding.decode(pattern, start, end);
        boolean isP = Encoding.length(p) > 0;
        boolean isQ = Encoding.length(q) > 0;
        int a = Encoding.codePoint(p);
        int b = Encoding.codePoint(q);
        for (Level level : weights.levels) {
            boolean counts = level.index == 0 || collation.hasRule(Collation.LIKE_BY_PAGE_BEYOND_PRIMARY);
            if (counts && (isP && level.uca.isUniform(a) || isQ && level.uca.isUniform(b))) {
                return true;
            }
        }
        if (!collation.hasRule(Collation.LIKE_SEES_ROOT) || !weights.uca.isTailoring || !isP || !isQ) {
            return false;
        }
        for (Level level : weights.levels) {
            if (!Arrays.equals(level.uca.rootRemainder(a), level.uca.rootRemainder(b))) {
                return true;
            }
        }
        return false;
    }
}
