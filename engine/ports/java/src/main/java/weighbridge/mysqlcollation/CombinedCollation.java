package weighbridge.mysqlcollation;

/** Result of {@link CollationRules#combine}. */
public final class CombinedCollation {
    private final Operand operand;
    private final boolean isConditional;

    CombinedCollation(Operand operand, boolean isConditional) {
        this.operand = operand;
        this.isConditional = isConditional;
    }

    /** Returns the collation of the comparison or of the text. */
    public Collation collation() {
        return operand.collation();
    }

    /** Returns the result as an operand of another expression. */
    public Operand operand() {
        return operand;
    }

    /**
     * Returns whether the expression is an error if the character set cannot represent the values of
     * operands that are converted: one of {@link IllegalMixException#error}, or 3854 in MySQL 8 and
     * later.
     */
    public boolean ifRepresentable() {
        return isConditional;
    }

    @Override
    public String toString() {
        return operand + (isConditional ? " if representable" : "");
    }
}
