package weighbridge.mysqlcollation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds the range of keys of the strings that begin with given characters. */
final class PrefixRange {
    private final int width;
    /** Weight of a space, or {@link Level#NO_PAD}. */
    private final int space;
    private final List<Integer> weights = new ArrayList<>();
    /** First weights that can follow; null if all can. */
    private List<Integer> next;

    private PrefixRange(int width, int space) {
        this.width = width;
        this.space = space;
    }

    static KeyRange ofPrefix(Collation collation, byte[] prefix) {
        Encoding encoding = collation.weights().encoding;
        List<byte[]> characters = new ArrayList<>();
        for (int at = 0; at < prefix.length; ) {
            int end = at + encoding.length(prefix, at, prefix.length);
            characters.add(Arrays.copyOfRange(prefix, at, end));
            at = end;
        }
        return of(collation, characters);
    }

    static KeyRange of(Collation collation, List<byte[]> characters) {
        Weights weights = collation.weights();
        boolean isPadded = collation.pads(0);
        if (weights.text != null) {
            // Passes and moved characters leave no common beginning of keys.
            return new KeyRange(new byte[0], null);
        }
        if (weights.bytes != null) {
            PrefixRange range = new PrefixRange(1, isPadded ? weights.bytes[' '] & 0xFF : Level.NO_PAD);
            characters.forEach(character -> range.addBytes(weights.bytes, character));
            return range.bounds();
        }
        if (collation.comparesCodePoints(weights)) {
            PrefixRange range = new PrefixRange(1, isPadded ? ' ' : Level.NO_PAD);
            for (byte[] character : characters) {
                if (!isWellFormed(weights.encoding, character)) {
                    break;
                }
                range.addBytes(Collation.IDENTITY, character);
            }
            return range.bounds();
        }
        PrefixRange range = new PrefixRange(2, weights.levels[0].pad);
        range.addLevel(weights.levels[0], characters);
        return range.bounds();
    }

    private static boolean isWellFormed(Encoding encoding, byte[] character) {
        return encoding.wellFormed(character, 0, character.length) == character.length;
    }

    private void addBytes(byte[] table, byte[] character) {
        for (byte b : character) {
            weights.add(table[b & 0xFF] & 0xFF);
        }
    }

    /** Adds the weights of characters up to one that may begin a contraction, or is ill-formed. */
    private void addLevel(Level level, List<byte[]> characters) {
        for (int i = 0; i < characters.size(); i++) {
            if (!isWellFormed(level.encoding, characters.get(i))) {
                return;
            }
            char[] own = weightsOf(level, characters.get(i));
            List<Integer> others = otherWeights(level, characters.subList(i, characters.size()), own);
            if (others.isEmpty()) {
                for (char weight : own) {
                    weights.add((int) weight);
                }
                continue;
            }
            others.add(own.length == 0 ? null : (Integer) (int) own[0]);
            next = others.contains(null) ? null : others;
            return;
        }
    }

    private static char[] weightsOf(Level level, byte[] character) {
        char[] out = new char[Level.MAX_WEIGHTS];
        int count = Level.count(level.next(character, 0, character.length, out));
        return Arrays.copyOf(out, count);
    }

    /**
     * Returns the first weights that a string can have, instead of {@code own}, where it matches the
     * first of the characters. An element is null for a contraction without weights.
     */
    private static List<Integer> otherWeights(Level level, List<byte[]> characters, char[] own) {
        List<Integer> all = new ArrayList<>();
        if (level.kind == Level.GB18030) {
            int other = level.gb18030.otherWeight(characters.get(0));
            if (other >= 0) {
                all.add(other);
            }
            return all;
        }
        if (level.contractions == null) {
            return all;
        }
        List<char[]> following = new ArrayList<>();
        for (byte[] character : characters.subList(1, characters.size())) {
            following.add(weightsOf(level, character));
        }
        int first = -1;
        boolean isFirst = false;
        for (Contractions.Contraction contraction : level.contractions.records) {
            if (contraction.codePoints[0] != first) {
                first = contraction.codePoints[0];
                isFirst = weighs(level, first, own);
            }
            if (isFirst && continuesWith(level, contraction.codePoints, following)) {
                char[] out = new char[Level.MAX_WEIGHTS];
                boolean hasWeights = level.uca.expand(0, contraction.entries[level.index], out, 0) > 0;
                all.add(hasWeights ? (Integer) (int) out[0] : null);
            }
        }
        return all;
    }

    private static boolean weighs(Level level, int codePoint, char[] weights) {
        char[] out = new char[Level.MAX_WEIGHTS];
        int count = level.uca.weights(codePoint, out, 0);
        return Arrays.equals(out, 0, count, weights, 0, weights.length);
    }

    private static boolean continuesWith(Level level, int[] codePoints, List<char[]> following) {
        for (int i = 1; i < codePoints.length && i <= following.size(); i++) {
            if (!weighs(level, codePoints[i], following.get(i - 1))) {
                return false;
            }
        }
        return true;
    }

    private KeyRange bounds() {
        // How spaces at the end are written depends on the weight after them.
        while (space != Level.NO_PAD && !weights.isEmpty() && weights.get(weights.size() - 1) == space) {
            weights.remove(weights.size() - 1);
            next = List.of(space);
        }
        Bytes key = new Bytes(2 * weights.size() + 8);
        weights.forEach(weight -> SortKeys.put(key, weight, width));
        if (space != Level.NO_PAD) {
            SortKeys.markSpaces(key, 0, width, space);
        }
        if (next == null) {
            return new KeyRange(key.toArray(), successor(key.toArray()));
        }
        int length = key.length;
        SortKeys.put(key, next.stream().mapToInt(weight -> weight == space ? space - 1 : weight).min().getAsInt(), width);
        byte[] start = key.toArray();
        key.length = length;
        SortKeys.put(key, next.stream().mapToInt(weight -> weight).max().getAsInt(), width);
        return new KeyRange(start, successor(key.toArray()));
    }

    /** Returns the least key that is greater than all keys with this prefix, or null. */
    private static byte[] successor(byte[] prefix) {
        for (int end = prefix.length; end > 0; end--) {
            if (prefix[end - 1] != (byte) 0xFF) {
                byte[] successor = Arrays.copyOf(prefix, end);
                successor[end - 1]++;
                return successor;
            }
        }
        return null;
    }
}
