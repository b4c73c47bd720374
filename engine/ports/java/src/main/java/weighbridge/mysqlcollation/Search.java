package weighbridge.mysqlcollation;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Searches for a string in a text. */
final class Search {
    private final Collation collation;
    private final Weights weights;
    private final byte[] text;
    private final byte[] searched;
    private final Cursor x = new Cursor();
    private final Cursor y = new Cursor();

    Search(Collation collation, byte[] text, byte[] searched) {
        this.collation = collation;
        this.text = text;
        this.searched = searched;
        weights = collation.weights();
    }

    /** Finds the first place as MySQL 9.7 and MariaDB do. */
    int byWeights() {
        boolean isByWeights = collation.flavour() == Flavour.MYSQL
                && collation.kind >= Level.NUMBERS
                && !collation.comparesCodePoints(weights);
        return isByWeights ? first(this::beginsAt) : ofEqualLength();
    }

    /** Finds the first equal string of as many bytes. */
    int ofEqualLength() {
        return first(at -> at + searched.length <= text.length && isEqualAt(at));
    }

    private int first(IntPredicate matches) {
        if (searched.length == 0) {
            return 0;
        }
        for (int at = 0; at < text.length; at += weights.encoding.length(text, at, text.length)) {
            if (matches.test(at)) {
                return at;
            }
        }
        return -1;
    }

    private boolean beginsAt(int at) {
        for (Level level : weights.levels) {
            x.set(level, text, at, at, text.length, null);
            y.set(level, searched, 0, 0, searched.length, null);
            for (int weight = y.weight(); weight >= 0; weight = y.weight()) {
                if (x.weight() != weight) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean isEqualAt(int at) {
        int end = at + searched.length;
        if (collation.comparesCodePoints(weights)) {
            return Arrays.equals(text, at, end, searched, 0, searched.length);
        }
        if (weights.bytes != null) {
            return haveEqualBytes(weights.bytes, at);
        }
        if (weights.text != null) {
            boolean hasOwn = collation.kind == Level.CZECH_WORDS;
            return haveEqualBytes(hasOwn ? collation.catalogue.operations().locate : weights.text.like, at);
        }
        for (Level level : weights.levels) {
            x.set(level, text, at, at, end, null);
            y.set(level, searched, 0, 0, searched.length, null);
            int weight;
            do {
                weight = x.weight();
                if (weight != y.weight()) {
                    return false;
                }
            } while (weight >= 0);
        }
        return true;
    }

    private boolean haveEqualBytes(byte[] table, int at) {
        for (int i = 0; i < searched.length; i++) {
            if (table[text[at + i] & 0xFF] != table[searched[i] & 0xFF]) {
                return false;
            }
        }
        return true;
    }

    static byte[] replace(Collation collation, byte[] text, byte[] from, byte[] to) {
        Encoding encoding = collation.weights().encoding;
        boolean isBytewise = collation.isBinary() && collation.flavour() == Flavour.MARIADB;
        Bytes out = new Bytes(text.length);
        for (int at = 0; at < text.length; ) {
            int end = at + from.length;
            if (from.length > 0 && end <= text.length && Arrays.equals(text, at, end, from, 0, from.length)) {
                out.add(to, 0, to.length);
            } else {
                end = at + (isBytewise ? 1 : encoding.length(text, at, text.length));
                out.add(text, at, end);
            }
            at = end;
        }
        return out.toArray();
    }
}
