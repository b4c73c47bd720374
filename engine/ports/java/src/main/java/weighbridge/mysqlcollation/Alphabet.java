package weighbridge.mysqlcollation;

import java.io.Serializable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Characters in the order of a collation, from which strings between other strings are made: split
 * points of a key range, and upper bounds of prefixes. An alphabet is immutable and serializable.
 *
 * <p>Each character has weights at the primary level, no two have the same, and none is part of a
 * contraction. All are greater than a space.
 */
public final class Alphabet implements Serializable {
    private static final long serialVersionUID = 1;

    /** Number of characters after the first difference of two strings, up to which is searched. */
    private static final int MAX_DEPTH = 16;

    private static final class Letter implements Serializable {
        private static final long serialVersionUID = 1;

        final int[] weights;
        final byte[] bytes;

        Letter(int[] weights, byte[] bytes) {
            this.weights = weights;
            this.bytes = bytes;
        }
    }

    private final Collation collation;
    private final ArrayList<Letter> letters = new ArrayList<>();

    /**
     * Chooses from the characters of a string. Characters that the collation's character set lacks are
     * left out. Of characters with equal weights, the least is kept. For even parts of a table's rows,
     * give the characters that occur in them.
     *
     * @param collation the collation
     * @param characters characters, in any order
     */
    public Alphabet(Collation collation, String characters) {
        this.collation = collation;
        Letter space = letter(' ');
        List<Letter> all = new ArrayList<>();
        characters.codePoints().filter(codePoint -> !isContracted(codePoint)).forEach(codePoint -> {
            Letter letter = letter(codePoint);
            if (letter != null && (space == null || Arrays.compare(letter.weights, space.weights) > 0)) {
                all.add(letter);
            }
        });
        all.sort((x, y) -> {
            int order = Arrays.compare(x.weights, y.weights);
            order = order == 0 ? collation.compare(x.bytes, y.bytes) : order;
            return order == 0 ? Arrays.compareUnsigned(x.bytes, y.bytes) : order;
        });
        for (Letter letter : all) {
            // A letter whose weights begin with those of another would sort among its strings.
            if (letters.isEmpty() || !startsWith(letter.weights, 0, letters.get(letters.size() - 1).weights)) {
                letters.add(letter);
            }
        }
    }

    private static boolean startsWith(int[] weights, int from, int[] prefix) {
        int end = from + prefix.length;
        return end <= weights.length && Arrays.equals(weights, from, end, prefix, 0, prefix.length);
    }

    /** Returns a character with its weights; null if the character set lacks it or it has none. */
    private Letter letter(int codePoint) {
        byte[] bytes = collation.weights().encoding.encode(codePoint);
        int[] weights = bytes == null ? new int[0] : PrimaryWeights.of(collation, bytes);
        return weights.length == 0 ? null : new Letter(weights, bytes);
    }

    private boolean isContracted(int codePoint) {
        if (collation.kind == Level.CZECH_WORDS || collation.kind == Level.CZECH_PASSES) {
            return "CcHh".indexOf(codePoint) >= 0;
        }
        UcaTable uca = collation.weights().uca;
        return uca != null && uca.contractions != null
                && (uca.contractions.first.has(codePoint) || uca.contractions.later.has(codePoint));
    }

    /**
     * Returns the number of characters.
     *
     * @return the number
     */
    public int size() {
        return letters.size();
    }

    /**
     * Returns up to {@code parts - 1} strings in ascending order, each greater than {@code low} and
     * less than {@code high}. They divide the range into parts of about the same size, counted in
     * strings of the alphabet.
     *
     * @param low a string in the collation's character set
     * @param high another
     * @param parts number of parts
     * @return the strings; fewer if there are not enough, none unless {@code low} is less than {@code
     *     high}
     */
    public List<byte[]> split(byte[] low, byte[] high, int parts) {
        List<byte[]> best = new ArrayList<>();
        if (parts < 2 || letters.size() < 2 || collation.compare(low, high) >= 0) {
            return best;
        }
        List<Integer> from = digits(low);
        List<Integer> to = digits(high);
        int common = 0;
        while (common < from.size() && common < to.size() && from.get(common).equals(to.get(common))) {
            common++;
        }
        for (int depth = 1; depth <= MAX_DEPTH && best.size() < parts - 1; depth++) {
            int length = common + depth;
            BigInteger first = number(from, length);
            List<byte[]> found = splitAtDepth(low, high, first, number(to, length).subtract(first), length, parts);
            best = found.size() > best.size() ? found : best;
        }
        return best;
    }

    /**
     * Returns a string between two strings, about halfway.
     *
     * @param low a string in the collation's character set
     * @param high another
     * @return a string that is greater than {@code low} and less than {@code high}; null if none is
     *     found
     */
    public byte[] between(byte[] low, byte[] high) {
        List<byte[]> found = split(low, high, 2);
        return found.isEmpty() ? null : found.get(0);
    }

    private List<byte[]> splitAtDepth(
            byte[] low, byte[] high, BigInteger from, BigInteger difference, int length, int parts) {
        List<byte[]> found = new ArrayList<>();
        byte[] before = low;
        for (int part = 1; part < parts; part++) {
            BigInteger step = difference.max(BigInteger.ZERO).multiply(BigInteger.valueOf(part));
            byte[] text = text(from.add(step.divide(BigInteger.valueOf(parts))), length);
            if (collation.compare(before, text) < 0 && collation.compare(text, high) < 0) {
                found.add(text);
                before = text;
            }
        }
        return found;
    }

    /**
     * Returns a string that is greater than every string that begins with a prefix, as {@link
     * Collation#startsWith} decides. Strings between the prefix and the bound need not begin with it.
     *
     * @param prefix a string in the collation's character set
     * @return the bound; null if the alphabet has none
     */
    public byte[] prefixUpperBound(byte[] prefix) {
        byte[] end = collation.prefixRange(prefix).end();
        if (end == null) {
            return null;
        }
        Encoding encoding = collation.weights().encoding;
        List<Integer> starts = new ArrayList<>();
        for (int at = 0; at < prefix.length; at += encoding.length(prefix, at, prefix.length)) {
            starts.add(at);
        }
        for (int i = starts.size() - 1; i >= 0; i--) {
            int start = starts.get(i);
            int found = search(letter -> Arrays.compareUnsigned(collation.sortKey(with(prefix, start, letter)), end) >= 0);
            if (found < letters.size()) {
                return with(prefix, start, letters.get(found));
            }
        }
        return null;
    }

    private static byte[] with(byte[] prefix, int length, Letter letter) {
        byte[] text = Arrays.copyOf(prefix, length + letter.bytes.length);
        System.arraycopy(letter.bytes, 0, text, length, letter.bytes.length);
        return text;
    }

    /** Returns the index of the first letter that is found, where all later ones are, too. */
    private int search(Predicate<Letter> isFound) {
        int low = 0;
        int high = letters.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isFound.test(letters.get(middle))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * Returns for each character of a text the index of the last letter up to it: 0 for a character
     * before all letters. It ends after a character that is not a letter.
     */
    private List<Integer> digits(byte[] text) {
        int[] weights = PrimaryWeights.of(collation, text);
        List<Integer> digits = new ArrayList<>();
        for (int at = 0; at < weights.length; ) {
            int from = at;
            int after = search(
                    letter -> Arrays.compare(letter.weights, 0, letter.weights.length, weights, from, weights.length) > 0);
            int index = Math.max(after - 1, 0);
            digits.add(index);
            if (!startsWith(weights, at, letters.get(index).weights)) {
                break;
            }
            at += letters.get(index).weights.length;
        }
        return digits;
    }

    private BigInteger number(List<Integer> digits, int length) {
        BigInteger base = BigInteger.valueOf(letters.size());
        BigInteger number = BigInteger.ZERO;
        for (int i = 0; i < length; i++) {
            number = number.multiply(base).add(BigInteger.valueOf(i < digits.size() ? digits.get(i) : 0));
        }
        return number;
    }

    /** Returns the string of a number, without first letters at its end. */
    private byte[] text(BigInteger number, int length) {
        BigInteger base = BigInteger.valueOf(letters.size());
        int[] digits = new int[length];
        int end = 0;
        for (int i = length - 1; i >= 0; i--) {
            BigInteger[] parts = number.divideAndRemainder(base);
            number = parts[0];
            digits[i] = parts[1].intValue();
            end = digits[i] != 0 && end == 0 ? i + 1 : end;
        }
        Bytes text = new Bytes(2 * end + 1);
        for (int i = 0; i < end; i++) {
            byte[] bytes = letters.get(digits[i]).bytes;
            text.add(bytes, 0, bytes.length);
        }
        return text.toArray();
    }
}
