package weighbridge.mysqlcollation;

/** A set of code points. */
final class CodePointSet {
    private final long[][] pages = new long[UcaLevel.PAGES][];

    void add(int codePoint) {
        int page = codePoint >> 8;
        if (page >= pages.length) {
            return;
        }
        if (pages[page] == null) {
            pages[page] = new long[4];
        }
        pages[page][codePoint >> 6 & 3] |= 1L << (codePoint & 63);
    }

    boolean has(int codePoint) {
        long[] page = pages[codePoint >> 8];
        return page != null && (page[codePoint >> 6 & 3] >>> (codePoint & 63) & 1) == 1;
    }
}
