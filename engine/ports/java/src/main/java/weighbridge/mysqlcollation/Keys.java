package weighbridge.mysqlcollation;

/** Keys of prefix indexes and of groups. */
final class Keys {
    private Keys() {}

    /** Returns the end of the first characters of a text. */
    static int firstCharacters(Collation collation, byte[] text, int count) {
        Encoding encoding = collation.weights().encoding;
        int at = 0;
        for (; count > 0 && at < text.length; count--) {
            at += encoding.length(text, at, text.length);
        }
        return Math.min(at, text.length);
    }

    /**
     * Returns the key of a group. MySQL's temporary tables find a row's group by a hash, which leaves
     * out spaces (U+0020) at the end, but not other characters with the weight of a space.
     */
    static byte[] ofGroup(Collation collation, byte[] text) {
        Weights weights = collation.weights();
        if (collation.flavour() != Flavour.MYSQL || !collation.padsSpace() || weights.text != null) {
            return collation.sortKey(text);
        }
        int end = withoutSpaces(text, weights.encoding.encode(' '));
        Bytes key = new Bytes(2 * end + 16);
        if (weights.bytes != null) {
            StableHashes.addBytes(weights, text, end, key);
        } else if (collation.comparesCodePoints(weights)) {
            key.add(text, 0, end);
        } else {
            StableHashes.addLevels(weights, text, end, null, false, key);
        }
        return key.toArray();
    }

    private static int withoutSpaces(byte[] text, byte[] space) {
        int end = text.length;
        while (space != null && endsWith(text, end, space)) {
            end -= space.length;
        }
        return end;
    }

    private static boolean endsWith(byte[] text, int end, byte[] with) {
        for (int i = 0; i < with.length; i++) {
            int at = end - with.length + i;
            if (at < 0 || text[at] != with[i]) {
                return false;
            }
        }
        return true;
    }
}
