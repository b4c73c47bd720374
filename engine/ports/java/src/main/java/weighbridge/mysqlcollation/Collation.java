package weighbridge.mysqlcollation;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A collation of MySQL or MariaDB. It compares, hashes, keys and matches strings as the servers of
 * one flavour do.
 *
 * <pre>{@code
 * Collation collation = Collation.of(Flavour.MYSQL, "utf8mb4_0900_ai_ci");
 * collation.equal("Straße".getBytes(UTF_8), "STRASSE".getBytes(UTF_8)); // true
 * }</pre>
 *
 * <p>Strings are bytes in the collation's character set, and need not be well-formed. A collation is
 * immutable, and may be used by several threads at once. Its tables are read when it is first used.
 * It is serialized as flavour and name, so it may be a field of a function of Flink, Beam or Spark.
 */
public final class Collation implements Comparator<String>, Serializable {
    private static final long serialVersionUID = 1;

    /** Escape of a pattern without an escape character. */
    public static final int NO_ESCAPE = -1;

    static final byte[] IDENTITY = new byte[256];

    static {
        for (int i = 0; i < 256; i++) {
            IDENTITY[i] = (byte) i;
        }
    }

    static final int ENDS_AT_ERRORS = 1;
    static final int LIKE_BY_PAGE_BEYOND_PRIMARY = 2;
    static final int IS_SEPARATED = 4;
    static final int WRAPS_FIRST_MARK = 8;
    static final int LIKE_SEES_ROOT = 16;

    final transient Catalogue catalogue;
    /** Number of the collation's record in the catalogue. */
    final int index;
    private final Flavour flavour;
    private final int id;
    private final String name;
    private final int flags;
    private final int levels;
    private final int pads;
    private final int rules;
    final transient Catalogue.Charset charset;
    final int kind;
    /** Bytes of a weight in WEIGHT_STRING, or flags of the kind. */
    final int parameter;
    final int table;
    final int oneIsZeroFrom;
    private transient volatile Weights weights;

    Collation(Catalogue catalogue, int index, Input in, Catalogue.Charset[] charsets) {
        this.catalogue = catalogue;
        this.index = index;
        flavour = Flavour.values()[in.unsignedByte()];
        id = in.word();
        name = in.text();
        charset = charsets[in.unsignedByte()];
        flags = in.unsignedByte();
        levels = in.unsignedByte();
        pads = in.unsignedByte();
        kind = in.unsignedByte();
        parameter = in.unsignedByte();
        table = in.word();
        rules = in.unsignedByte();
        oneIsZeroFrom = in.unsignedByte();
    }

    /**
     * Finds a collation by name, case-insensitively. As in the servers, {@code utf8_…} means {@code
     * utf8mb3_…}. MariaDB's names without a character set mean the collation of {@code utf8mb4}.
     *
     * @param flavour flavour of the servers
     * @param name name, such as {@code utf8mb4_0900_ai_ci}
     * @return the collation
     * @throws UnknownCollationException if the flavour's servers have no such collation
     */
    public static Collation of(Flavour flavour, String name) {
        String full = lowerAscii(name);
        if (full.startsWith("utf8_")) {
            full = "utf8mb3_" + full.substring(5);
        } else if (flavour == Flavour.MARIADB && full.startsWith("uca1400_")) {
            full = "utf8mb4_" + full;
        }
        Collation found = Catalogue.instance().byName(flavour, full);
        if (found == null) {
            throw new UnknownCollationException(flavour, name);
        }
        return found;
    }

    /** Leaves characters other than ASCII alone: the Kelvin sign is no k. */
    private static String lowerAscii(String name) {
        StringBuilder lower = new StringBuilder(name);
        for (int i = 0; i < lower.length(); i++) {
            char c = lower.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                lower.setCharAt(i, (char) (c + ('a' - 'A')));
            }
        }
        return lower.toString();
    }

    /**
     * Finds a collation by its id in the client/server protocol.
     *
     * @param flavour flavour of the servers
     * @param id id of the collation
     * @return the collation
     * @throws UnknownCollationException if the flavour's servers have no such collation
     */
    public static Collation ofId(Flavour flavour, int id) {
        Collation found = Catalogue.instance().byId(flavour, id);
        if (found == null) {
            throw new UnknownCollationException(flavour, Integer.toString(id));
        }
        return found;
    }

    /**
     * Returns the collations of a flavour by ascending id.
     *
     * @param flavour flavour of the servers
     * @return all collations
     */
    public static List<Collation> all(Flavour flavour) {
        return Catalogue.instance().all(flavour);
    }

    /** Returns the flavour of the servers that have the collation. */
    public Flavour flavour() {
        return flavour;
    }

    /** Returns the id in the client/server protocol. */
    public int id() {
        return id;
    }

    /** Returns the full name. */
    public String name() {
        return name;
    }

    /** Returns the name of the character set of the collation's strings. */
    public String charset() {
        return charset.name;
    }

    /** Returns whether the collation is the default of its character set in the newest version of its flavour. */
    public boolean isDefault() {
        return (flags & 1) != 0;
    }

    /** Returns whether the collation compares the codes of bytes or characters. */
    public boolean isBinary() {
        return (flags & 2) != 0;
    }

    /** Returns whether strings compare as if followed by infinitely many spaces. */
    public boolean padsSpace() {
        return (flags & 4) != 0;
    }

    /**
     * Compares two strings.
     *
     * @param a a string in the collation's character set
     * @param b another
     * @return a negative number, zero or a positive number
     */
    public int compare(byte[] a, byte[] b) {
        return compare(a, 0, a.length, b, 0, b.length);
    }

    /** Compares the bytes of two arrays between two positions each. */
    public int compare(byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd) {
        return Comparison.compare(this, a, aStart, aEnd, b, bStart, bEnd);
    }

    /**
     * Compares two strings of characters, which are encoded in the collation's character set.
     * Characters that the set lacks compare as question marks: Ж and 漢 are equal under {@code
     * latin1_bin}. {@link #canEncode} finds them.
     */
    @Override
    public int compare(String a, String b) {
        return compare(encode(a), encode(b));
    }

    /** Returns whether two strings are equal. */
    public boolean equal(byte[] a, byte[] b) {
        return compare(a, b) == 0;
    }

    /**
     * Returns a key. Keys compare by {@link java.util.Arrays#compareUnsigned(byte[], byte[])} as
     * their strings compare. They are those of the Rust library of the same project.
     *
     * @param text a string in the collation's character set
     * @return the key
     */
    public byte[] sortKey(byte[] text) {
        Bytes key = new Bytes(2 * text.length + 16);
        SortKeys.append(this, text, key);
        return key.toArray();
    }

    /**
     * Returns the sort key of the first characters of a string, as in a prefix index: {@code KEY
     * (name(10))}, {@code UNIQUE KEY (name(10))}. A character of {@code binary} is a byte.
     *
     * @param text a string in the collation's character set
     * @param characters length of the prefix
     * @return the key
     */
    public byte[] prefixIndexKey(byte[] text, int characters) {
        return sortKey(Arrays.copyOf(text, Keys.firstCharacters(this, text, characters)));
    }

    /**
     * Returns a key for the group of a string in {@code GROUP BY}, {@code SELECT DISTINCT} and {@code
     * UNION}. Strings have equal keys if the server's temporary tables put them in one group. The
     * order of keys has no meaning.
     *
     * <p>Groups differ from equality only for collations of MySQL with PAD SPACE in which other
     * characters weigh as much as a space: UCA, {@code cp1250_general_ci}, {@code
     * cp1251_ukrainian_ci} and {@code koi8u_general_ci}. In UCA collations {@code a} equals {@code a}
     * with a no-break space after it, but MySQL 8.0.12 and 9.7.4 make two groups of them; MySQL 5.6 and
     * 5.7 make one or two, by the number of rows. {@code COUNT(DISTINCT …)}, joins, unique keys, and {@code GROUP BY}
     * through an index or a sort take them as equal. Groups of {@code latin2_czech_cs} are not
     * followed. MySQL 8.0.12 also makes two groups of the empty string and the strings that equal it.
     *
     * @param text a string in the collation's character set
     * @return the key
     */
    public byte[] groupKey(byte[] text) {
        return Keys.ofGroup(this, text);
    }

    /**
     * Returns a hash. Equal strings have equal hashes. It does not resist deliberate collisions, and
     * can change between versions of the library. For maps with keys from outside, take the sort key.
     *
     * @param text a string in the collation's character set
     * @return the hash
     */
    public long hash(byte[] text) {
        return Hashes.hash(this, text);
    }

    /**
     * Returns whether {@code text LIKE pattern ESCAPE escape}. The servers' default for the escape is
     * a backslash.
     *
     * @param text a string in the collation's character set
     * @param pattern a pattern in the same character set
     * @param escape code point of the escape character, or {@link #NO_ESCAPE}
     * @return whether the pattern matches
     */
    public boolean like(byte[] text, byte[] pattern, int escape) {
        return new LikeMatcher(this, pattern, escape).matches(text);
    }

    /**
     * Returns the server's {@code WEIGHT_STRING(text)}, byte for byte.
     *
     * @param text a string in the collation's character set
     * @return the weights
     */
    public byte[] weightString(byte[] text) {
        Bytes out = new Bytes(2 * text.length + 16);
        WeightStrings.append(this, text, out);
        return out.toArray();
    }

    /**
     * Returns a hash that no version of the library changes, for partitions, sharding and stored
     * values: XXH64 of the weights, with a seed. It is the Rust library's {@code stable_hash}.
     *
     * @param text a string in the collation's character set
     * @param seed seed of the hash
     * @return the hash; equal strings have equal hashes
     */
    public long stableHash(byte[] text, long seed) {
        return StableHashes.hash(this, text, seed);
    }

    /**
     * Returns whether {@code text LIKE 'prefix%'} with all characters of the prefix taken literally.
     * Characters are compared one by one.
     *
     * @param text a string in the collation's character set
     * @param prefix another
     * @return whether the text begins with the prefix
     */
    public boolean startsWith(byte[] text, byte[] prefix) {
        return new LikeMatcher(this, prefix, NO_ESCAPE).startsWith(text);
    }

    /**
     * Returns the position in bytes of the first occurrence, as {@code LOCATE} of MySQL 9.7 and of
     * MariaDB, which count characters from 1 on. In MySQL's collations of Unicode character sets, and
     * {@code gb18030_unicode_520_ci}, the weights from there on begin with those of the searched
     * string. Others follow {@link #findEqualLength}.
     *
     * @param text a string in the collation's character set
     * @param searched the string to search for
     * @return the position, or -1
     */
    public int find(byte[] text, byte[] searched) {
        return new Search(this, text, searched).byWeights();
    }

    /**
     * Returns the position in bytes of the first occurrence, as {@code LOCATE} of MariaDB and of
     * MySQL up to 8.0.12: an occurrence has as many bytes as the searched string and is equal to it.
     *
     * @param text a string in the collation's character set
     * @param searched the string to search for
     * @return the position, or -1
     */
    public int findEqualLength(byte[] text, byte[] searched) {
        return new Search(this, text, searched).ofEqualLength();
    }

    /**
     * Replaces each occurrence, as {@code REPLACE}. Occurrences have equal bytes, and begin at a
     * character; under binary collations of MariaDB at any byte.
     *
     * @param text a string in the collation's character set
     * @param from the string to replace
     * @param to its replacement
     * @return the result
     */
    public byte[] replace(byte[] text, byte[] from, byte[] to) {
        return Search.replace(this, text, from, to);
    }

    /**
     * Returns a range that holds the sort key of every string that begins with a prefix, as {@code
     * LIKE 'prefix%'} decides. Keys of other strings can be in the range: check the strings with
     * {@link #startsWith}. The key of the prefix itself is no bound: keys of longer strings can be
     * less.
     *
     * @param prefix a string in the collation's character set
     * @return the range; it is wider than need be after a character that may begin a contraction
     */
    public KeyRange prefixRange(byte[] prefix) {
        return PrefixRange.ofPrefix(this, prefix);
    }

    /**
     * Returns a range that holds the sort key of every string that matches a pattern of {@code LIKE},
     * from its characters before the first wildcard. Otherwise like {@link #prefixRange}.
     *
     * @param pattern a pattern in the collation's character set
     * @param escape code point of the escape character, or {@link #NO_ESCAPE}
     * @return the range
     */
    public KeyRange likeRange(byte[] pattern, int escape) {
        return PrefixRange.of(this, new LikeMatcher(this, pattern, escape).literalStart());
    }

    /**
     * Returns the text in upper case, byte for byte as {@code UPPER}. Each character becomes one
     * character: {@code ß} stays {@code ß}. Under MySQL's collations of {@code utf8mb3} and
     * {@code utf8mb4}, except {@code turkish_ci}, the result is cut at a character that takes more
     * bytes than before.
     *
     * @param text a string in the collation's character set
     * @return the result
     */
    public byte[] toUpper(byte[] text) {
        return new Cases(this, Cases.UPPER).convert(text);
    }

    /**
     * Returns the text in lower case, byte for byte as {@code LOWER}. Otherwise like {@link #toUpper}.
     *
     * @param text a string in the collation's character set
     * @return the result
     */
    public byte[] toLower(byte[] text) {
        return new Cases(this, Cases.LOWER).convert(text);
    }

    /**
     * Decodes a string of the collation's character set. Characters without a code point, surrogates
     * and ill-formed bytes become U+FFFD.
     *
     * @param text bytes of the string
     * @return the string
     */
    public String decode(byte[] text) {
        Encoding encoding = weights().encoding;
        StringBuilder decoded = new StringBuilder(text.length / charset.minBytes);
        for (int at = 0; at < text.length; ) {
            int character = encoding.decode(text, at, text.length);
            int length = Encoding.length(character);
            int codePoint = Encoding.codePoint(character);
            decoded.appendCodePoint(length == 0 || Encoding.isSurrogate(codePoint) ? 0xFFFD : codePoint);
            at += Math.max(length, 1);
        }
        return decoded.toString();
    }

    /**
     * Returns whether the collation's character set has all characters of a string.
     *
     * @param text a string
     * @return whether {@link #encode} loses nothing
     */
    public boolean canEncode(String text) {
        Encoding encoding = weights().encoding;
        return text.codePoints().allMatch(codePoint -> encoding.encode(codePoint) != null);
    }

    /**
     * Encodes a string in the collation's character set. A character that the set lacks becomes a
     * question mark, as in the servers.
     *
     * @param text a string
     * @return its bytes
     */
    public byte[] encode(String text) {
        Encoding encoding = weights().encoding;
        if (encoding.decoding == Encoding.UTF8 && charset.maxBytes == 4) {
            return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
        Bytes out = new Bytes(text.length() * charset.minBytes);
        for (int at = 0; at < text.length(); ) {
            int codePoint = text.codePointAt(at);
            at += Character.charCount(codePoint);
            byte[] encoded = encoding.encode(codePoint);
            byte[] bytes = encoded == null ? encoding.encode('?') : encoded;
            if (bytes != null) {
                out.add(bytes, 0, bytes.length);
            }
        }
        return out.toArray();
    }

    @Override
    public String toString() {
        return name;
    }

    private Object writeReplace() {
        return new Serialized(flavour, name);
    }

    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("a collation is read as its flavour and name");
    }

    /** A collation in a stream of objects. */
    private static final class Serialized implements Serializable {
        private static final long serialVersionUID = 1;

        private final Flavour flavour;
        private final String name;

        Serialized(Flavour flavour, String name) {
            this.flavour = flavour;
            this.name = name;
        }

        private Object readResolve() throws InvalidObjectException {
            try {
                return of(flavour, name);
            } catch (UnknownCollationException unknown) {
                throw new InvalidObjectException(unknown.getMessage());
            }
        }
    }

    Weights weights() {
        Weights ready = weights;
        return ready == null ? load() : ready;
    }

    private synchronized Weights load() {
        if (weights == null) {
            weights = new Weights(catalogue, this);
        }
        return weights;
    }

    boolean hasLevel(int level) {
        return (levels >> level & 1) == 1;
    }

    boolean pads(int level) {
        return (pads >> level & 1) == 1;
    }

    boolean hasRule(int rule) {
        return (rules & rule) != 0;
    }

    /** Returns the mark at the start of a string; null for nearly all strings. */
    WrappedMark wrappedMark(Weights weights, byte[] text, int start, int end) {
        return hasRule(WRAPS_FIRST_MARK) ? WrappedMark.find(weights.levels[0], text, start, end) : null;
    }

    /** Returns whether strings of UTF-8 compare by code points. */
    boolean comparesCodePoints(Weights weights) {
        return kind == Level.NUMBERS && weights.encoding.decoding == Encoding.UTF8;
    }
}
