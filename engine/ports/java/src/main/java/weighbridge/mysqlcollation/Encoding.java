package weighbridge.mysqlcollation;

import weighbridge.mysqlcollation.CharsetTables.FourBytes;
import weighbridge.mysqlcollation.CharsetTables.PageTable;
import weighbridge.mysqlcollation.CharsetTables.SingleByte;

/** Reads the characters of a character set as servers of a flavour do. */
final class Encoding {
    static final int BINARY = 0;
    static final int ASCII = 1;
    static final int SINGLE_BYTE = 2;
    static final int DOUBLE_BYTE = 3;
    static final int EUC_JP = 4;
    static final int GB18030 = 5;
    static final int UTF8 = 6;
    static final int UCS2 = 7;
    static final int UTF16 = 8;
    static final int UTF16LE = 9;
    static final int UTF32 = 10;

    private static final int ROLE_SINGLE = 1;
    private static final int ROLE_LEAD = 2;
    private static final int ROLE_TRAIL = 4;

    final int decoding;
    final int minBytes;
    private final int longest;
    /** Surrogates are characters in UTF-8 and UTF-32 of MariaDB. */
    final boolean surrogates;
    private final byte[] roles;
    private SingleByte single;
    private PageTable decode;
    private PageTable encode;
    private PageTable third;
    private FourBytes four;

    Encoding(DataFile file, Catalogue.Charset charset, Flavour flavour) {
        decoding = charset.decoding;
        minBytes = charset.minBytes;
        longest = charset.maxBytes;
        surrogates = flavour == Flavour.MARIADB;
        roles = charset.roles;
        if (charset.sections[0] == 0) {
            return;
        }
        Input in = file.section(charset.sections[0]);
        if (decoding == SINGLE_BYTE) {
            single = new SingleByte(in);
            return;
        }
        decode = new PageTable(in);
        if (decoding == EUC_JP) {
            third = new PageTable(in);
        }
        encode = new PageTable(in);
        if (decoding == GB18030) {
            four = new FourBytes(file.section(charset.sections[1]));
        }
    }

    /** Returns the length of a character in a result of {@link #decode}; 0 if it is ill-formed. */
    static int length(int decoded) {
        return decoded & 7;
    }

    /** Returns the code point in a result of {@link #decode}. */
    static int codePoint(int decoded) {
        return decoded >> 3;
    }

    private static int decoded(int codePoint, int length) {
        return codePoint << 3 | length;
    }

    /** Returns the length of the character or ill-formed byte at a position inside the text. */
    int length(byte[] text, int at, int end) {
        return Math.max(wellFormed(text, at, end), 1);
    }

    /** Returns the length of the character at a position, or 0 if it is ill-formed. */
    int wellFormed(byte[] text, int at, int end) {
        if (at >= end) {
            return 0;
        }
        switch (decoding) {
            case UTF8:
                return length(decodeUtf8(text, at, end));
            case GB18030:
                if (end - at >= 4 && between(text[at], 0x81, 0xFE) && between(text[at + 1], '0', '9')
                        && between(text[at + 2], 0x81, 0xFE) && between(text[at + 3], '0', '9')) {
                    return 4;
                }
                return doubleByte(text, at, end);
            case DOUBLE_BYTE:
                return doubleByte(text, at, end);
            case EUC_JP:
                return eucJp(text, at, end);
            case UCS2:
                return end - at >= 2 ? 2 : 0;
            case UTF16:
            case UTF16LE:
                return utf16(text, at, end);
            case UTF32:
                if (end - at < 4) {
                    return 0;
                }
                int number = bigEndian(text, at);
                return number >= 0 && number <= 0x10FFFF && (surrogates || !isSurrogate(number)) ? 4 : 0;
            default:
                return 1;
        }
    }

    private int doubleByte(byte[] text, int at, int end) {
        int role = roles[text[at] & 0xFF];
        if ((role & ROLE_SINGLE) != 0) {
            return 1;
        }
        boolean isPair = end - at >= 2 && (role & ROLE_LEAD) != 0 && (roles[text[at + 1] & 0xFF] & ROLE_TRAIL) != 0;
        return isPair ? 2 : 0;
    }

    private static int eucJp(byte[] text, int at, int end) {
        int first = text[at] & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        if (first == 0x8E && end - at >= 2 && between(text[at + 1], 0xA1, 0xDF)) {
            return 2;
        }
        boolean isSecond = end - at >= 2 && between(text[at + 1], 0xA1, 0xFE);
        if (first == 0x8F) {
            return isSecond && end - at >= 3 && between(text[at + 2], 0xA1, 0xFE) ? 3 : 0;
        }
        return first >= 0xA1 && first <= 0xFE && isSecond ? 2 : 0;
    }

    private int unit(byte[] text, int at) {
        int one = text[at] & 0xFF;
        int other = text[at + 1] & 0xFF;
        return decoding == UTF16LE ? other << 8 | one : one << 8 | other;
    }

    private int utf16(byte[] text, int at, int end) {
        if (end - at < 2) {
            return 0;
        }
        int unit = unit(text, at);
        if (!isSurrogate(unit)) {
            return 2;
        }
        if (unit >= 0xDC00 || end - at < 4) {
            return 0;
        }
        int second = unit(text, at + 2);
        return second >= 0xDC00 && second < 0xE000 ? 4 : 0;
    }

    /** Returns the code point of a well-formed character, or -1 if it is unassigned. */
    private int codePoint(byte[] text, int at, int length) {
        int first = text[at] & 0xFF;
        switch (decoding) {
            case BINARY:
                return first;
            case ASCII:
                return first < 0x80 ? first : -1;
            case SINGLE_BYTE:
                return single.decode(first);
            case UCS2:
            case UTF16:
            case UTF16LE:
                return length == 2
                        ? unit(text, at)
                        : 0x10000 + ((unit(text, at) & 0x3FF) << 10 | unit(text, at + 2) & 0x3FF);
            case UTF32:
                return bigEndian(text, at);
            default:
                return tableCodePoint(text, at, length);
        }
    }

    private int tableCodePoint(byte[] text, int at, int length) {
        int first = text[at] & 0xFF;
        int entry;
        switch (length) {
            case 1:
                if (first == 0) {
                    return 0;
                }
                entry = decode.get(0, first);
                break;
            case 2:
                entry = decode.get(first, text[at + 1] & 0xFF);
                break;
            case 3:
                entry = third.get(text[at + 1] & 0xFF, text[at + 2] & 0xFF);
                break;
            default:
                return four.decode(FourBytes.number(text, at));
        }
        return entry == 0 ? -1 : entry;
    }

    /**
     * Decodes the character at a position; its length is 0 at the end and for ill-formed bytes. An
     * unassigned character is U+FFFD.
     */
    int decode(byte[] text, int at, int end) {
        if (decoding == UTF8) {
            return decodeUtf8(text, at, end);
        }
        int length = wellFormed(text, at, end);
        if (length == 0) {
            return 0;
        }
        int codePoint = codePoint(text, at, length);
        return decoded(codePoint < 0 ? 0xFFFD : codePoint, length);
    }

    int decodeUtf8(byte[] text, int at, int end) {
        if (at >= end) {
            return 0;
        }
        int a = text[at];
        if (a >= 0) {
            return decoded(a, 1);
        }
        a &= 0xFF;
        int left = end - at;
        if (a < 0xC2 || left < 2 || !isContinuation(text[at + 1])) {
            return 0;
        }
        int b = text[at + 1] & 0x3F;
        if (a < 0xE0) {
            return decoded((a & 0x1F) << 6 | b, 2);
        }
        if (left < 3 || !isContinuation(text[at + 2])) {
            return 0;
        }
        int c = text[at + 2] & 0x3F;
        if (a < 0xF0) {
            int codePoint = (a & 0xF) << 12 | b << 6 | c;
            return codePoint >= 0x800 && (surrogates || !isSurrogate(codePoint)) ? decoded(codePoint, 3) : 0;
        }
        if (longest < 4 || left < 4 || a > 0xF4 || !isContinuation(text[at + 3])) {
            return 0;
        }
        int codePoint = (a & 7) << 18 | b << 12 | c << 6 | text[at + 3] & 0x3F;
        return codePoint >= 0x10000 && codePoint <= 0x10FFFF ? decoded(codePoint, 4) : 0;
    }

    /** Returns the bytes of a code point as MySQL encodes it, or null. */
    byte[] encode(int codePoint) {
        if (isSurrogate(codePoint) && decoding != UCS2) {
            return null;
        }
        switch (decoding) {
            case BINARY:
                return codePoint < 0x100 ? bytes(codePoint) : null;
            case ASCII:
                return codePoint < 0x80 ? bytes(codePoint) : null;
            case SINGLE_BYTE:
                int found = single.encode(codePoint);
                return found < 0 ? null : bytes(found);
            case UTF8:
                byte[] utf8 = new String(Character.toChars(codePoint)).getBytes(java.nio.charset.StandardCharsets.UTF_8);
                return utf8.length <= longest ? utf8 : null;
            case UCS2:
                return codePoint < 0x10000 ? bytes(codePoint >> 8, codePoint) : null;
            case UTF16:
                return new String(Character.toChars(codePoint)).getBytes(java.nio.charset.StandardCharsets.UTF_16BE);
            case UTF16LE:
                return new String(Character.toChars(codePoint)).getBytes(java.nio.charset.StandardCharsets.UTF_16LE);
            case UTF32:
                return bytes(0, codePoint >> 16, codePoint >> 8, codePoint);
            default:
                return encodeByTable(codePoint);
        }
    }

    private byte[] encodeByTable(int codePoint) {
        int code = codePoint > 0xFFFF ? 0 : encode.get(codePoint >> 8, codePoint & 0xFF);
        if (code == 0 && codePoint != 0) {
            int number = four == null ? -1 : four.encode(codePoint);
            return number < 0
                    ? null
                    : bytes(0x81 + number / 12_600 % 126, '0' + number / 1260 % 10, 0x81 + number / 10 % 126, '0' + number % 10);
        }
        if (code < 0x100) {
            return bytes(code);
        }
        boolean isThreeBytes = decoding == EUC_JP && (code & 0xFF) < 0x80;
        return isThreeBytes ? bytes(0x8F, code >> 8, code | 0x80) : bytes(code >> 8, code);
    }

    /** Encodes the escape character of a pattern, as the servers do; null if there is none. */
    byte[] escape(int escape) {
        if (escape < 0 || escape > 0x10FFFF) {
            return null;
        }
        if (escape < 0x80 && minBytes == 1) {
            byte[] one = bytes(escape);
            if (!surrogates || decoding == UTF8 || codePoint(one, 0, 1) == escape) {
                return one;
            }
        }
        byte[] encoded = encode(escape);
        return encoded == null && surrogates ? encode('?') : encoded;
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    static boolean isSurrogate(int codePoint) {
        return codePoint >= 0xD800 && codePoint < 0xE000;
    }

    private static boolean between(byte b, int first, int last) {
        return (b & 0xFF) >= first && (b & 0xFF) <= last;
    }

    private static int bigEndian(byte[] text, int at) {
        return (text[at] & 0xFF) << 24 | (text[at + 1] & 0xFF) << 16 | (text[at + 2] & 0xFF) << 8 | text[at + 3] & 0xFF;
    }
}
