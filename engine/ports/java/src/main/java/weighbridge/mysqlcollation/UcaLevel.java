package weighbridge.mysqlcollation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The weights of one level by code point. */
final class UcaLevel {
    static final int PAGES = 0x1100;
    /** Number of pages, from the first, whose reordered entries are resolved at once. */
    private static final int RESOLVED_PAGES = 0x340;
    /** Least entry that refers to a sequence of weights, and least that is a rule. */
    static final int SEQUENCES = 0xC000;
    private static final int RULES = 0xFFF0;
    private static final int UNASSIGNED = RULES;
    private static final int HAN = RULES + 1;
    private static final int HAN_EXTENSION = RULES + 2;
    private static final int HANGUL = RULES + 6;
    private static final int LISTED = RULES + 7;
    private static final int REORDERED = RULES + 8;
    /** First code points of the scripts whose implicit weights count from there, by rule. */
    private static final int[] BASES = {0, 0, 0, 0x17000, 0x1B170, 0x18B00};
    private static final char[] EMPTY = new char[256];

    private final char[][] pages;
    private final UcaLevel parent;
    private final char[][] sequences;
    private final int firstSequence;
    private final char[] leads;
    private final Map<Integer, char[]> listed = new HashMap<>();
    private char[] ranges = {};
    private final boolean[] uniform = new boolean[PAGES];
    /** Weights below U+0800 of characters with one weight that continue no contraction; else 0. */
    final char[] shortWeights = new char[0x800];

    UcaLevel(Input in, UcaLevel parent) {
        this.parent = parent;
        leads = in.words(6);
        firstSequence = parent == null ? 0 : parent.firstSequence + parent.sequences.length;
        int count = in.word();
        int weights = in.word();
        sequences = split(in.words(count), in.words(weights));
        pages = parent == null ? new char[PAGES][] : parent.pages.clone();
        if (parent == null) {
            Arrays.fill(pages, EMPTY);
        }
        boolean[] patched = new boolean[PAGES];
        readPages(in, patched);
        findUniformPages();
        if (in.left() > 0) {
            for (int left = in.word(); left > 0; left--) {
                listed.put(in.word(), in.words(256));
            }
        }
        if (in.left() > 0) {
            ranges = in.words(4 * in.word());
        }
        resolveReordered(patched);
    }

    private static char[][] split(char[] ends, char[] weights) {
        char[][] sequences = new char[ends.length][];
        int start = 0;
        for (int i = 0; i < ends.length; i++) {
            sequences[i] = Arrays.copyOfRange(weights, start, ends[i]);
            start = ends[i];
        }
        return sequences;
    }

    private void readPages(Input in, boolean[] patched) {
        char[][] own = new char[in.word()][];
        for (int i = 0; i < own.length; i++) {
            own[i] = in.words(256);
        }
        for (int left = in.word(); left > 0; left--) {
            int first = in.word();
            int last = in.word();
            Arrays.fill(pages, first, last + 1, own[in.word()]);
        }
        for (int left = in.word(); left > 0; left--) {
            int number = in.word();
            char[] patches = in.words(2 * in.word());
            char[] page = pages[number].clone();
            for (int i = 0; i < patches.length; i += 2) {
                page[patches[i] & 0xFF] = patches[i + 1];
            }
            pages[number] = page;
            patched[number] = true;
        }
    }

    private void findUniformPages() {
        for (int number = 0; number < PAGES; number++) {
            char[] page = pages[number];
            if (number > 0 && pages[number - 1] == page && page[0] != REORDERED) {
                uniform[number] = uniform[number - 1];
            } else if (isAll(page, page[0])) {
                uniform[number] = page[0] != REORDERED || parent != null && parent.uniform[number];
            } else {
                uniform[number] = isComputed(page);
            }
        }
    }

    private static boolean isAll(char[] page, int entry) {
        for (char one : page) {
            if (one != entry) {
                return false;
            }
        }
        return true;
    }

    private static boolean isComputed(char[] page) {
        for (char entry : page) {
            if (entry < RULES || entry == LISTED || entry == REORDERED) {
                return false;
            }
        }
        return true;
    }

    private void resolveReordered(boolean[] patched) {
        for (int number = 0; number < PAGES && ranges.length > 0; number++) {
            if (number >= RESOLVED_PAGES && !patched[number]) {
                continue;
            }
            char[] resolved = pages[number].clone();
            char[] weights = new char[Level.MAX_WEIGHTS];
            for (int low = 0; low < 256; low++) {
                if (resolved[low] == REORDERED) {
                    int count = reordered(number << 8 | low, weights, 0);
                    if (count == 0 || count == 1 && weights[0] > 0 && weights[0] < SEQUENCES) {
                        resolved[low] = count == 0 ? 0 : weights[0];
                    }
                }
            }
            if (!Arrays.equals(resolved, pages[number])) {
                pages[number] = resolved;
            }
        }
    }

    void setShort(Contractions contractions) {
        for (int codePoint = 0; codePoint < shortWeights.length; codePoint++) {
            int entry = entry(codePoint);
            if (entry < SEQUENCES && !(contractions != null && contractions.later.has(codePoint))) {
                shortWeights[codePoint] = (char) entry;
            }
        }
    }

    boolean isUniform(int codePoint) {
        return uniform[codePoint >> 8];
    }

    int entry(int codePoint) {
        return pages[codePoint >> 8][codePoint & 0xFF];
    }

    /** Writes the weights of a code point from a position on, and returns their number. */
    int weights(int codePoint, char[] out, int at) {
        return expand(codePoint, entry(codePoint), out, at);
    }

    /** Writes the weights of an entry from a position on, and returns their number. */
    int expand(int codePoint, int entry, char[] out, int at) {
        if (entry < SEQUENCES) {
            return entry == 0 ? 0 : put(out, at, entry);
        }
        if (entry < RULES) {
            char[] sequence = sequence(entry - SEQUENCES);
            int count = Math.min(sequence.length, out.length - at);
            System.arraycopy(sequence, 0, out, at, count);
            return count;
        }
        switch (entry) {
            case HANGUL:
                return hangul(codePoint, out, at);
            case LISTED:
                char[] page = listed.get(codePoint >> 8);
                return put(out, at, page == null ? 0 : page[codePoint & 0xFF]);
            case REORDERED:
                return reordered(codePoint, out, at);
            case UNASSIGNED:
            case HAN:
            case HAN_EXTENSION:
                return put(out, at, leads[entry - RULES] + (codePoint >> 15), codePoint & 0x7FFF | 0x8000);
            default:
                int rule = entry - RULES;
                return rule < BASES.length
                        ? put(out, at, leads[rule], codePoint - BASES[rule] & 0x7FFF | 0x8000)
                        : put(out, at, 0, 0);
        }
    }

    private char[] sequence(int number) {
        for (UcaLevel level = this; level != null; level = level.parent) {
            if (number >= level.firstSequence) {
                return level.sequences[number - level.firstSequence];
            }
        }
        return EMPTY;
    }

    private static int put(char[] out, int at, int weight) {
        if (at >= out.length) {
            return 0;
        }
        out[at] = (char) weight;
        return 1;
    }

    private static int put(char[] out, int at, int one, int other) {
        return put(out, at, one) + put(out, at + 1, other);
    }

    private int hangul(int codePoint, char[] out, int at) {
        int index = codePoint - 0xAC00;
        if (index < 0 || index >= 19 * 21 * 28) {
            return 0;
        }
        int count = weights(0x1100 + index / (21 * 28), out, at);
        count += weights(0x1161 + index / 28 % 21, out, at + count);
        return index % 28 == 0 ? count : count + weights(0x11A7 + index % 28, out, at + count);
    }

    /** Writes the parent's weights of a code point, moved. */
    private int reordered(int codePoint, char[] out, int at) {
        if (parent == null) {
            return 0;
        }
        char[] weights = new char[Level.MAX_WEIGHTS];
        int count = parent.weights(codePoint, weights, 0);
        int written = 0;
        for (int i = 0; i < count; i++) {
            int weight = weights[i];
            int range = range(weight);
            if (range >= 0) {
                if (ranges[range + 2] != 0) {
                    written += put(out, at + written, ranges[range + 2]);
                }
                weight += ranges[range + 3];
            }
            written += put(out, at + written, weight);
        }
        return written;
    }

    /** Returns the index of the range that holds a weight, or -1. */
    private int range(int weight) {
        int low = 0;
        int high = ranges.length / 4 - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (weight < ranges[4 * middle]) {
                high = middle - 1;
            } else if (weight > ranges[4 * middle + 1]) {
                low = middle + 1;
            } else {
                return 4 * middle;
            }
        }
        return -1;
    }

    /** Returns the parent's weights after as many as this level has and one more, then zeros. */
    char[] rootRemainder(int codePoint) {
        char[] rest = new char[Level.MAX_WEIGHTS];
        if (parent == null) {
            return rest;
        }
        int from = weights(codePoint, new char[Level.MAX_WEIGHTS], 0) + 1;
        char[] root = new char[Level.MAX_WEIGHTS];
        int count = parent.weights(codePoint, root, 0);
        if (from < count) {
            System.arraycopy(root, from, rest, 0, count - from);
        }
        return rest;
    }
}
