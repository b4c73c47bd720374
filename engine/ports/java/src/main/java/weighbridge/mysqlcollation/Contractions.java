package weighbridge.mysqlcollation;

import java.util.Arrays;
import java.util.TreeMap;

/** The contractions of a table: sequences of code points with their own weights. */
final class Contractions {
    private static final int REMOVED = 0x8000;

    /** A contraction. */
    static final class Contraction {
        final int[] codePoints;
        final char[] entries;

        Contraction(int[] codePoints, char[] entries) {
            this.codePoints = codePoints;
            this.entries = entries;
        }
    }

    private final TreeMap<int[], Contraction> byCodePoints = new TreeMap<>(Arrays::compare);
    /** In the order of their code points. */
    final Contraction[] records;
    /** Code points that begin and continue contractions. */
    final CodePointSet first = new CodePointSet();
    final CodePointSet later = new CodePointSet();
    /** A hash table from the first two code points to the index of the first such record + 1. */
    private final int[] slots;

    private Contractions(Input in, Contractions parent, int levels) {
        if (parent != null) {
            byCodePoints.putAll(parent.byCodePoints);
        }
        for (int left = in.word(); left > 0; left--) {
            int head = in.word();
            int[] codePoints = new int[head & ~REMOVED];
            for (int i = 0; i < codePoints.length; i++) {
                codePoints[i] = in.word() << 16 | in.word();
            }
            char[] entries = in.words(levels);
            if ((head & REMOVED) != 0) {
                byCodePoints.remove(codePoints);
            } else {
                byCodePoints.put(codePoints, new Contraction(codePoints, entries));
            }
        }
        records = byCodePoints.values().toArray(new Contraction[0]);
        slots = new int[Integer.highestOneBit(Math.max(2 * records.length, 1)) * 2];
        index();
    }

    /** Reads the contractions of a table on top of the parent's; null if there are none. */
    static Contractions read(Input in, Contractions parent, int levels) {
        Contractions all = new Contractions(in, parent, levels);
        return all.records.length == 0 ? null : all;
    }

    private void index() {
        for (int i = 0; i < records.length; i++) {
            int[] codePoints = records[i].codePoints;
            first.add(codePoints[0]);
            for (int j = 1; j < codePoints.length; j++) {
                later.add(codePoints[j]);
            }
            if (i > 0 && begins(i - 1, codePoints[0], codePoints[1])) {
                continue;
            }
            int slot = slot(codePoints[0], codePoints[1]);
            while (slots[slot] != 0) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = i + 1;
        }
    }

    private int slot(int one, int other) {
        return (one * 0x9E3779B1 ^ other * 0x85EBCA6B) >>> 15 & slots.length - 1;
    }

    private boolean begins(int record, int one, int other) {
        int[] codePoints = records[record].codePoints;
        return codePoints[0] == one && codePoints[1] == other;
    }

    private int firstRecord(int one, int other) {
        for (int slot = slot(one, other); slots[slot] != 0; slot = slot + 1 & slots.length - 1) {
            if (begins(slots[slot] - 1, one, other)) {
                return slots[slot] - 1;
            }
        }
        return -1;
    }

    /** Returns the contraction of two code points alone, or null. */
    Contraction pair(int one, int other) {
        int at = firstRecord(one, other);
        return at >= 0 && records[at].codePoints.length == 2 ? records[at] : null;
    }

    /** Returns the longest contraction at a position, whose first character is decoded; or null. */
    Contraction find(Encoding encoding, byte[] text, int at, int end, int decoded) {
        int one = Encoding.codePoint(decoded);
        if (!first.has(one)) {
            return null;
        }
        int next = at + Encoding.length(decoded);
        int second = encoding.decode(text, next, end);
        if (Encoding.length(second) == 0 || !later.has(Encoding.codePoint(second))) {
            return null;
        }
        int other = Encoding.codePoint(second);
        Contraction found = null;
        for (int i = firstRecord(one, other); i >= 0 && i < records.length && begins(i, one, other); i++) {
            Contraction record = records[i];
            if ((found == null || record.codePoints.length > found.codePoints.length)
                    && matches(record, encoding, text, next + Encoding.length(second), end)) {
                found = record;
            }
        }
        return found;
    }

    private static boolean matches(Contraction record, Encoding encoding, byte[] text, int at, int end) {
        for (int i = 2; i < record.codePoints.length; i++) {
            int decoded = encoding.decode(text, at, end);
            if (Encoding.length(decoded) == 0 || Encoding.codePoint(decoded) != record.codePoints[i]) {
                return false;
            }
            at += Encoding.length(decoded);
        }
        return true;
    }
}
