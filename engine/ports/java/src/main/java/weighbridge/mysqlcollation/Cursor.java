package weighbridge.mysqlcollation;

/** Reads the weights of a text one by one. */
final class Cursor {
    private final char[] weights = new char[Level.MAX_WEIGHTS];
    private Level level;
    private byte[] text;
    private int start;
    private int end;
    private WrappedMark mark;
    int at;
    private int next;
    private int count;

    Cursor set(Level level, byte[] text, int start, int at, int end, WrappedMark mark) {
        this.level = level;
        this.text = text;
        this.start = start;
        this.at = at;
        this.end = end;
        this.mark = mark;
        next = 0;
        count = 0;
        return this;
    }

    /** Returns the next weight, or -1 at the end of the text. */
    int weight() {
        while (next == count) {
            if (at >= end) {
                return -1;
            }
            next = 0;
            long read = mark != null && at == start && level.index > 0
                    ? mark.weights(level, text, start, end, weights)
                    : level.next(text, at, end, weights);
            at += Level.length(read);
            count = Level.count(read);
        }
        return weights[next++];
    }

    /** Returns whether all weights before the position are read. */
    boolean isAtBoundary() {
        return next == count;
    }
}
