package weighbridge.mysqlcollation;

/** Tables with one weight per code point. */
final class SingleTables {
    private SingleTables() {}

    /** A weight for each of 65,536 code points. Those of a null page are their own weights. */
    private static final class Plane {
        private final char[][] pages = new char[256][];

        Plane(char[] words) {
            for (int i = 0; i < words.length; i += 2) {
                int page = words[i] >> 8;
                if (pages[page] == null) {
                    pages[page] = new char[256];
                    for (int low = 0; low < 256; low++) {
                        pages[page][low] = (char) (page << 8 | low);
                    }
                }
                pages[page][words[i] & 0xFF] = words[i + 1];
            }
        }

        int weight(int codePoint) {
            char[] page = pages[codePoint >> 8];
            return page == null ? codePoint : page[codePoint & 0xFF];
        }
    }

    /** One weight per code point of the Basic Multilingual Plane, and one for all others. */
    static final class Simple {
        private final int beyond;
        private final Plane plane;

        Simple(Input in) {
            beyond = in.word();
            plane = new Plane(in.words(in.left() / 2));
        }

        int weight(int codePoint) {
            return codePoint > 0xFFFF ? beyond : plane.weight(codePoint);
        }
    }

    /** Code points with their case folded. */
    static final class Folding {
        private final Plane[] planes;

        Folding(Input in) {
            Plane first = new Plane(in.words(2 * in.word()));
            planes = new Plane[] {first, new Plane(in.words(in.left() / 2))};
        }

        int weight(int codePoint) {
            int plane = codePoint >> 16;
            return plane < 2 ? plane << 16 | planes[plane].weight(codePoint & 0xFFFF) : codePoint;
        }
    }
}
