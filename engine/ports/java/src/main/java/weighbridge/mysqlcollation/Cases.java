package weighbridge.mysqlcollation;

import java.util.Arrays;

/** Converts to upper or lower case, as UPPER and LOWER of the servers. */
final class Cases {
    static final int UPPER = 0;
    static final int LOWER = 1;

    private static final int SET = 0x0F;
    private static final int IS_TURKISH = 0x10;
    private static final int IS_IN_PLACE = 0x20;

    private final Operations operations;
    private final Encoding encoding;
    private final String charset;
    private final int rule;
    private final int to;

    Cases(Collation collation, int to) {
        operations = collation.catalogue.operations();
        encoding = collation.weights().encoding;
        charset = collation.charset();
        rule = operations.rule(collation.index);
        this.to = to;
    }

    byte[] convert(byte[] text) {
        if (Operations.isOfBytes(rule)) {
            byte[] out = new byte[text.length];
            for (int i = 0; i < text.length; i++) {
                out[i] = operations.other(rule, to, text[i]);
            }
            return out;
        }
        if ((rule & IS_IN_PLACE) != 0) {
            return convertInPlace(text.clone());
        }
        Bytes out = new Bytes(text.length);
        for (int at = 0; at < text.length; ) {
            int end = at + encoding.length(text, at, text.length);
            byte[] other = otherCharacter(text, at, end);
            if (other == null) {
                out.add(text, at, end);
            } else {
                out.add(other, 0, other.length);
            }
            at = end;
        }
        return out.toArray();
    }

    /** Returns the other case of a character; null if it stays. */
    private byte[] otherCharacter(byte[] text, int at, int end) {
        byte[] code = otherCode(text, at, end);
        if (code != null) {
            return code;
        }
        int decoded = encoding.decode(text, at, end);
        if (Encoding.length(decoded) == 0) {
            return null;
        }
        int codePoint = Encoding.codePoint(decoded);
        int other = other(codePoint);
        return other == codePoint ? null : encoding.encode(other);
    }

    /**
     * Converts as MySQL does in UTF-8, in one buffer that is read and written: a result that is longer
     * than its character overwrites the bytes after it, and the text ends there.
     */
    private byte[] convertInPlace(byte[] buffer) {
        int from = 0;
        int end = 0;
        while (from < buffer.length) {
            int decoded = encoding.decodeUtf8(buffer, from, buffer.length);
            byte[] other = Encoding.length(decoded) == 0 ? null : encoding.encode(other(Encoding.codePoint(decoded)));
            if (other == null) {
                if (end > from) {
                    break;
                }
                buffer[end++] = buffer[from++];
                continue;
            }
            if (end + other.length > buffer.length) {
                break;
            }
            System.arraycopy(other, 0, buffer, end, other.length);
            from += Encoding.length(decoded);
            end += other.length;
        }
        return Arrays.copyOf(buffer, end);
    }

    /**
     * Returns the other case of a character that has several codes: Roman numerals, which {@code
     * cp932} and {@code eucjpms} have from two manufacturers.
     */
    private byte[] otherCode(byte[] text, int at, int end) {
        int code = 0;
        for (int i = at; i < end; i++) {
            code = code << 8 | text[i] & 0xFF;
        }
        if (charset.equals("cp932") && to == LOWER && code >= 0x8754 && code <= 0x875D) {
            code += 0xEEEF - 0x8754;
        } else if (charset.equals("cp932") && to == UPPER && code >= 0xFA40 && code <= 0xFA49) {
            code += 10;
        } else if (charset.equals("eucjpms") && to == UPPER && code >= 0x8FF3F3 && code <= 0x8FF3F4) {
            code += 10;
        } else if (charset.equals("eucjpms") && to == UPPER && code >= 0x8FF3F5 && code <= 0x8FF3FC) {
            code += 0x8FF4A1 - 0x8FF3F5;
        } else {
            return null;
        }
        byte[] other = new byte[end - at];
        for (int i = other.length - 1; i >= 0; i--, code >>= 8) {
            other[i] = (byte) code;
        }
        return other;
    }

    private int other(int codePoint) {
        if ((rule & IS_TURKISH) != 0) {
            if (to == UPPER && codePoint == 'i') {
                return 'İ';
            }
            if (to == LOWER && codePoint == 'I') {
                return 'ı';
            }
        }
        Operations.Run[] runs = operations.runs[to];
        int low = 0;
        int high = runs.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (runs[middle].first <= codePoint) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (int i = low - 1; i >= 0 && codePoint <= runs[i].last; i--) {
            Operations.Run run = runs[i];
            if ((run.sets >> (rule & SET) & 1) == 1 && (codePoint - run.first) % run.step == 0) {
                return run.to + codePoint - run.first;
            }
        }
        return codePoint;
    }
}
