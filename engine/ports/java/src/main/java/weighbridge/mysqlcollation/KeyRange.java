package weighbridge.mysqlcollation;

import java.util.Arrays;

/** A range of sort keys, in the order of {@link Arrays#compareUnsigned(byte[], byte[])}. */
public final class KeyRange {
    private final byte[] start;
    private final byte[] end;

    KeyRange(byte[] start, byte[] end) {
        this.start = start;
        this.end = end;
    }

    /**
     * Returns the least bytes in the range. They are not always the key of a string.
     *
     * @return a copy of the bytes
     */
    public byte[] start() {
        return start.clone();
    }

    /**
     * Returns the least bytes after the range.
     *
     * @return a copy of the bytes, or null if the range has no end
     */
    public byte[] end() {
        return end == null ? null : end.clone();
    }

    /**
     * Returns whether a key is in the range.
     *
     * @param key a sort key
     * @return whether the key is in the range
     */
    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(start, key) <= 0 && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }
}
