package weighbridge.mysqlcollation;

/** Coercibility of an operand. The operand with the least determines the collation. */
public enum Coercibility {
    /** A {@code COLLATE} clause. */
    EXPLICIT,
    /** A text made of columns with different collations, as {@link CollationRules#combine} returns it. */
    MIXED,
    /** A column, a variable or parameter of a routine, a placeholder of a prepared statement. */
    IMPLICIT,
    /** {@code USER()}, {@code VERSION()} and similar functions. */
    SYSTEM_CONSTANT,
    /** A literal. */
    COERCIBLE,
    /** A number, date or time, with collation {@code binary}. */
    NUMERIC,
    /** {@code NULL}. */
    IGNORABLE
}
