package weighbridge.mysqlcollation;

import java.util.Objects;

/** An operand of an expression. */
public final class Operand {
    private final Collation collation;
    private final Coercibility coercibility;
    private final boolean isAscii;

    private Operand(Collation collation, Coercibility coercibility, boolean isAscii) {
        this.collation = Objects.requireNonNull(collation);
        this.coercibility = Objects.requireNonNull(coercibility);
        this.isAscii = isAscii;
    }

    /**
     * Describes a value that may have any characters.
     *
     * @param collation collation of the value; {@code binary} for a binary string
     * @param coercibility coercibility of the value
     */
    public Operand(Collation collation, Coercibility coercibility) {
        this(collation, coercibility, false);
    }

    /**
     * Returns the operand with this knowledge of its value.
     *
     * @param isAscii whether the value is known to be ASCII only, such as an ASCII literal; values of
     *     the character set {@code ascii} are
     * @return the operand
     */
    public Operand withAscii(boolean isAscii) {
        return new Operand(collation, coercibility, isAscii);
    }

    /** Returns the collation of the value. */
    public Collation collation() {
        return collation;
    }

    /** Returns the coercibility of the value. */
    public Coercibility coercibility() {
        return coercibility;
    }

    /** Returns whether the value is known to be ASCII only. */
    public boolean isAscii() {
        return isAscii;
    }

    String charset() {
        return collation.charset();
    }

    boolean isBinary() {
        return charset().equals("binary");
    }

    boolean is(Coercibility coercibility) {
        return this.coercibility == coercibility;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Operand)) {
            return false;
        }
        Operand that = (Operand) other;
        return collation == that.collation && coercibility == that.coercibility && isAscii == that.isAscii;
    }

    @Override
    public int hashCode() {
        return Objects.hash(collation, coercibility, isAscii);
    }

    @Override
    public String toString() {
        return collation + " " + coercibility + (isAscii ? " ASCII" : "");
    }
}
