package weighbridge.mysqlcollation;

import java.util.Arrays;

/** A growing sequence of bytes. */
final class Bytes {
    byte[] bytes;
    int length;

    Bytes(int room) {
        bytes = new byte[Math.max(room, 16)];
    }

    void add(int value) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) value;
    }

    void addWord(int value) {
        add(value >> 8);
        add(value);
    }

    void add(byte[] from, int start, int end) {
        if (end - start > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * length, length + end - start));
        }
        System.arraycopy(from, start, bytes, length, end - start);
        length += end - start;
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }
}
