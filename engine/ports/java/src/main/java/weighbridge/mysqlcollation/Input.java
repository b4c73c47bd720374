package weighbridge.mysqlcollation;

import java.nio.charset.StandardCharsets;

/** A reader of little-endian numbers and short texts of a section. */
final class Input {
    private final byte[] bytes;
    private int at;
    private final int end;

    Input(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    int left() {
        return end - at;
    }

    int unsignedByte() {
        require(1);
        return bytes[at++] & 0xFF;
    }

    int word() {
        require(2);
        at += 2;
        return bytes[at - 2] & 0xFF | (bytes[at - 1] & 0xFF) << 8;
    }

    long number() {
        return word() | (long) word() << 16;
    }

    /** Returns the next four bytes as a big-endian number. */
    int bigEndian() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | unsignedByte();
        }
        return value;
    }

    String text() {
        int length = unsignedByte();
        require(length);
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.US_ASCII);
    }

    byte[] bytes(int count) {
        require(count);
        at += count;
        return java.util.Arrays.copyOfRange(bytes, at - count, at);
    }

    char[] words(int count) {
        require(2 * count);
        char[] words = new char[count];
        for (int i = 0; i < count; i++) {
            words[i] = (char) word();
        }
        return words;
    }

    /** Returns a reader of the next bytes. */
    Input part(int count) {
        require(count);
        at += count;
        return new Input(bytes, at - count, at);
    }

    void requireEnd(String what) {
        if (at != end) {
            throw DataFile.damaged(what + " is damaged");
        }
    }

    private void require(int count) {
        if (count < 0 || count > end - at) {
            throw DataFile.damaged("a table is incomplete");
        }
    }
}
