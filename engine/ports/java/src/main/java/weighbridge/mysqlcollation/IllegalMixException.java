package weighbridge.mysqlcollation;

/** Thrown for an expression that the server refuses with "Illegal mix of collations". */
public final class IllegalMixException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Number of the server's error. */
    private final int error;

    IllegalMixException(int error) {
        super("illegal mix of collations (error " + error + ")");
        this.error = error;
    }

    /** Returns the number of the server's error: 1267 for two operands, 1270 for three, 1271 for more. */
    public int error() {
        return error;
    }
}
