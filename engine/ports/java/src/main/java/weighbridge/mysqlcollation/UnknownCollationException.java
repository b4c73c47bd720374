package weighbridge.mysqlcollation;

/** Thrown by a lookup of a name or an id that the flavour's servers lack. */
public final class UnknownCollationException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    UnknownCollationException(Flavour flavour, String given) {
        super(flavour + " has no collation " + given);
    }
}
