package weighbridge.mysqlcollation;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** The file with all tables. docs/reference/data-format.md of the project describes it. */
final class DataFile {
    private static final int FORMAT = 1;
    private static final int HEADER = 16;
    private static final int ENTRY = 20;
    private static final int SPLIT_WORDS = 1;
    private static final int MAX_SECTION = 1 << 26;

    private final byte[] file;
    private final int sections;

    DataFile(byte[] file) {
        this.file = file;
        if (file.length < HEADER || !new String(file, 0, 8, java.nio.charset.StandardCharsets.US_ASCII).equals("MYCOLLAT")) {
            throw damaged("it does not begin with MYCOLLAT");
        }
        Input header = new Input(file, 8, HEADER);
        if (header.word() != FORMAT) {
            throw damaged("it is not of format " + FORMAT);
        }
        sections = header.word();
        long checksum = header.number();
        int end = HEADER + ENTRY * sections;
        if (file.length < end || checksum(file, HEADER, end) != checksum) {
            throw damaged("its directory is damaged");
        }
    }

    static DataFile ofResource() {
        try (InputStream in = DataFile.class.getResourceAsStream("collations.dat")) {
            if (in == null) {
                throw damaged("it is missing");
            }
            return new DataFile(in.readAllBytes());
        } catch (IOException error) {
            throw new IllegalStateException("collations.dat cannot be read", error);
        }
    }

    int sections() {
        return sections;
    }

    /** Decompresses a section and verifies its checksum. */
    Input section(int index) {
        if (index < 0 || index >= sections) {
            throw damaged("it has no section " + index);
        }
        Input entry = new Input(file, HEADER + ENTRY * index, HEADER + ENTRY * (index + 1));
        long start = entry.number();
        long length = entry.number();
        long size = entry.number();
        long checksum = entry.number();
        long encoding = entry.number();
        if (start + length > file.length || size > MAX_SECTION) {
            throw damaged("section " + index + " is incomplete");
        }
        byte[] bytes = inflate((int) start, (int) length, (int) size, index);
        if (encoding == SPLIT_WORDS) {
            bytes = joinWords(bytes);
        }
        if (checksum(bytes, 0, bytes.length) != checksum) {
            throw damaged("section " + index + " is damaged");
        }
        return new Input(bytes, 0, bytes.length);
    }

    private byte[] inflate(int start, int length, int size, int index) {
        byte[] bytes = new byte[size];
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(file, start, length);
            int done = 0;
            while (done < size) {
                int count = inflater.inflate(bytes, done, size - done);
                if (count == 0) {
                    throw damaged("section " + index + " is incomplete");
                }
                done += count;
            }
            return bytes;
        } catch (DataFormatException error) {
            throw damaged("section " + index + " is damaged");
        } finally {
            inflater.end();
        }
    }

    /** Reverses the split of 16-bit words into low bytes and high bytes. */
    private static byte[] joinWords(byte[] split) {
        int half = split.length / 2;
        byte[] joined = split.clone();
        for (int i = 0; i < half; i++) {
            joined[2 * i] = split[i];
            joined[2 * i + 1] = split[half + i];
        }
        return joined;
    }

    private static long checksum(byte[] bytes, int from, int to) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, to - from);
        return crc.getValue();
    }

    static IllegalStateException damaged(String reason) {
        return new IllegalStateException("collations.dat: " + reason);
    }
}
