package weighbridge.mysqlcollation;

import weighbridge.mysqlcollation.Contractions.Contraction;

/**
 * A fault of MySQL's Japanese collations, which keys of servers hold: beyond the primary level, a
 * mark that repeats or prolongs the kana before it has, at the start of a string, the weights that
 * it has after the string's last character.
 */
final class WrappedMark {
    private final int last;
    private final Contraction contraction;

    private WrappedMark(int last, Contraction contraction) {
        this.last = last;
        this.contraction = contraction;
    }

    /** Returns the mark at the start of a string; null for nearly all strings. */
    static WrappedMark find(Level level, byte[] text, int start, int end) {
        // The marks have three bytes in UTF-8.
        if (end - start < 3 || (text[start] & 0xF0) != 0xE0 || level.contractions == null) {
            return null;
        }
        int first = level.encoding.decode(text, start, end);
        if (Encoding.length(first) == 0 || !level.contractions.later.has(Encoding.codePoint(first))) {
            return null;
        }
        int last = first;
        int at = start;
        for (int decoded = first; Encoding.length(decoded) > 0; decoded = level.encoding.decode(text, at, end)) {
            last = decoded;
            at += Encoding.length(decoded);
        }
        Contraction pair = level.contractions.pair(Encoding.codePoint(last), Encoding.codePoint(first));
        return pair == null ? null : new WrappedMark(Encoding.codePoint(last), pair);
    }

    /** Writes the weights of the first character beyond the primary level. */
    long weights(Level level, byte[] text, int start, int end, char[] out) {
        int decoded = level.encoding.decode(text, start, end);
        if (level.contractions.find(level.encoding, text, start, end, decoded) != null) {
            return level.next(text, start, end, out);
        }
        char[] all = new char[Level.MAX_WEIGHTS];
        int count = level.uca.expand(0, contraction.entries[level.index], all, 0);
        int skipped = level.uca.weights(last, out, 0);
        int left = Math.max(count - skipped, 0);
        if (left > 0) {
            System.arraycopy(all, skipped, out, 0, left);
        }
        return Level.result(Encoding.length(decoded), left);
    }
}
