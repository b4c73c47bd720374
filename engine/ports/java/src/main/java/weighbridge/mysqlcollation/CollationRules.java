package weighbridge.mysqlcollation;

import java.util.List;
import java.util.Map;

/**
 * Rules by which servers of a version determine the collation of an expression from its operands, or
 * refuse it.
 *
 * <pre>{@code
 * CollationRules rules = CollationRules.of(ServerVersion.parse("8.0.34"));
 * Operand left = new Operand(Collation.of(Flavour.MYSQL, "latin1_swedish_ci"), Coercibility.IMPLICIT);
 * Operand right = new Operand(Collation.of(Flavour.MYSQL, "utf8mb4_bin"), Coercibility.IMPLICIT);
 * rules.choose(left, right).collation(); // utf8mb4_bin
 * }</pre>
 */
public final class CollationRules {
    /** What an expression does with its operands. */
    public enum Expression {
        /** Compares them: {@code =}, {@code <}, {@code IN (…)}, {@code BETWEEN}. */
        COMPARISON,
        /** Makes a text of them: {@code CONCAT}, {@code COALESCE}, {@code IF}, the results of {@code CASE}. */
        TEXT
    }

    /** Whether an operand can be converted to the character set of the result. */
    private enum Fit {
        ALWAYS,
        IF_REPRESENTABLE,
        NEVER
    }

    /** Names of languages in MariaDB's own collations, by their names in collations with 0900. */
    private static final Map<String, String> MARIADB_LANGUAGES = Map.ofEntries(
            Map.entry("cs", "czech"), Map.entry("da", "danish"), Map.entry("de_pb", "german2"),
            Map.entry("eo", "esperanto"), Map.entry("es", "spanish"), Map.entry("es_trad", "spanish2"),
            Map.entry("et", "estonian"), Map.entry("hr", "croatian"), Map.entry("hu", "hungarian"),
            Map.entry("is", "icelandic"), Map.entry("la", "roman"), Map.entry("lt", "lithuanian"),
            Map.entry("lv", "latvian"), Map.entry("pl", "polish"), Map.entry("ro", "romanian"),
            Map.entry("sk", "slovak"), Map.entry("sl", "slovenian"), Map.entry("sv", "swedish"),
            Map.entry("tr", "turkish"), Map.entry("vi", "vietnamese"));

    private static final List<String> UNICODE = List.of("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32");

    private final ServerVersion version;
    /** {@code utf8mb4} and {@code utf32} hold the values of every Unicode character set: MySQL 8.0. */
    private final boolean hasWideCharsets;
    /**
     * Two COLLATE clauses or literals with different character sets are an error, even if one side is
     * Unicode or ASCII. Columns are converted row by row, and win over mixed texts. MySQL 8.0.31.
     */
    private final boolean isStrict;

    private CollationRules(ServerVersion version) {
        this.version = version;
        boolean isMySql = version.flavour() == Flavour.MYSQL;
        hasWideCharsets = isMySql && version.isAtLeast(8, 0, 0);
        isStrict = isMySql && version.isAtLeast(8, 0, 31);
    }

    /**
     * Returns the rules of a version.
     *
     * @param version version of the server
     * @return its rules
     */
    public static CollationRules of(ServerVersion version) {
        return new CollationRules(version);
    }

    /**
     * Determines the collation of {@code left = right}. Another name of a collation is the same
     * collation: MariaDB's {@code utf8mb4_0900_ai_ci} and {@code utf8mb4_uca1400_nopad_ai_ci}.
     *
     * @param left the operand before the operator
     * @param right the operand after the operator
     * @return the collation
     * @throws IllegalMixException if the comparison is an error
     * @throws UnknownCollationException if the version's flavour lacks a collation
     */
    public CombinedCollation choose(Operand left, Operand right) {
        return combine(Expression.COMPARISON, left, right);
    }

    /**
     * Determines the collation of an expression with one or more operands, and the coercibility of its
     * result. The order of the operands counts.
     *
     * <p>A text of numbers alone has the collation of the connection; here it is {@code binary}.
     * {@code LIKE} of two operands, {@code LOCATE}, {@code FIELD} and {@code REPLACE} follow the rules
     * of a comparison, but in MySQL 9.7 those of a text. Not followed: three and more operands of
     * which two have different {@code COLLATE} clauses; some servers accept them if a third clause
     * wins.
     *
     * @param expression what is done with the operands
     * @param operands the operands
     * @return the collation
     * @throws IllegalMixException if the expression is an error
     * @throws UnknownCollationException if the version's flavour lacks a collation
     */
    public CombinedCollation combine(Expression expression, Operand... operands) {
        Operand[] known = new Operand[operands.length];
        for (int i = 0; i < operands.length; i++) {
            known[i] = ofVersion(operands[i]);
        }
        int error = operands.length <= 2 ? 1267 : operands.length == 3 ? 1270 : 1271;
        Operand result = combineAll(expression, known);
        boolean isPair = expression == Expression.COMPARISON && operands.length <= 2;
        boolean keepsWeak = isPair && operands.length == 2 && isWeak(known[0])
                && known[0].collation() == known[1].collation();
        if (result == null || keepsWeak) {
            throw new IllegalMixException(error);
        }
        boolean convertsRows = isStrict && !isPair;
        Fit worst = Fit.ALWAYS;
        for (Operand operand : known) {
            Fit fit = fit(result, operand, convertsRows);
            worst = fit.compareTo(worst) > 0 ? fit : worst;
        }
        if (worst == Fit.NEVER) {
            throw new IllegalMixException(error);
        }
        return new CombinedCollation(result, worst == Fit.IF_REPRESENTABLE);
    }

    private Operand ofVersion(Operand operand) {
        Collation collation = resolveAlias(Collation.of(version.flavour(), operand.collation().name()));
        boolean isAscii = operand.isAscii() || collation.charset().equals("ascii");
        if (operand.is(Coercibility.IGNORABLE)) {
            // In MySQL, a text with a NULL isn't known to be ASCII only.
            isAscii = version.flavour() == Flavour.MARIADB;
        }
        return new Operand(collation, operand.coercibility()).withAscii(isAscii);
    }

    /** Returns the collation that MariaDB means by a name with 0900; other collations as they are. */
    private Collation resolveAlias(Collation collation) {
        String name = collation.name();
        int at = name.indexOf("0900_");
        if (at < 0 || !name.startsWith("utf8mb4_") || collation.flavour() != Flavour.MARIADB) {
            return collation;
        }
        String levels = name.substring(at + 5);
        String own = "utf8mb4_uca1400_nopad_" + levels;
        if (at > 8) {
            String language = name.substring(8, at - 1);
            own = "utf8mb4_uca1400_" + MARIADB_LANGUAGES.getOrDefault(language, language) + "_nopad_" + levels;
        } else if (levels.equals("bin")) {
            own = version.isAtLeast(11, 8, 0) ? "utf8mb4_nopad_bin" : "utf8mb4_bin";
        }
        Collation found = Catalogue.instance().byName(Flavour.MARIADB, own);
        return found == null ? collation : found;
    }

    /** Combination of the operands up to one. */
    private static final class Partial {
        final Operand operand;
        /** Two of these operands made the collation a mixed one. */
        final boolean isMixedHere;

        Partial(Operand operand, boolean isMixedHere) {
            this.operand = operand;
            this.isMixedHere = isMixedHere;
        }
    }

    /** Returns collation and coercibility of all operands, or null for an illegal mix. */
    private Operand combineAll(Expression expression, Operand[] operands) {
        if (operands.length == 0) {
            return null;
        }
        Partial result = new Partial(operands[0], false);
        boolean isIllegal = false;
        for (int i = 1; i < operands.length; i++) {
            Operand operand = operands[i];
            // After an illegal mix, only a COLLATE clause decides.
            if (isIllegal && !operand.is(Coercibility.EXPLICIT)) {
                continue;
            }
            Partial combined = combineTwo(expression, result, operand);
            isIllegal = combined == null;
            if (!isIllegal) {
                result = combined;
            } else if (result.operand.is(Coercibility.EXPLICIT) && operand.is(Coercibility.EXPLICIT)) {
                return null;
            }
        }
        boolean isMixed = result.operand.is(Coercibility.MIXED) && (result.isMixedHere || !isStrict);
        return isIllegal || expression == Expression.COMPARISON && isMixed ? null : result.operand;
    }

    /**
     * Returns whether an operand is a mixed text that any other operand wins over, NULL included: an
     * operand with a mixed collation since MySQL 8.0.31.
     */
    private boolean isWeak(Operand operand) {
        return isStrict && operand.is(Coercibility.MIXED);
    }

    /** Compares the coercibility of two operands: the lesser determines the collation. */
    private int compare(Partial left, Operand right) {
        int weakest = 2 * Coercibility.IGNORABLE.ordinal() + 1;
        int ofLeft = 2 * left.operand.coercibility().ordinal();
        if (isWeak(left.operand)) {
            // Columns win over the mix of columns before them.
            ofLeft = left.isMixedHere ? 2 * Coercibility.IMPLICIT.ordinal() + 1 : weakest;
        }
        return Integer.compare(ofLeft, isWeak(right) ? weakest : 2 * right.coercibility().ordinal());
    }

    /** Returns collation and coercibility of two operands, or null if neither determines them. */
    private Partial combineTwo(Expression expression, Partial before, Operand right) {
        int order = compare(before, right);
        Operand left = before.operand;
        Partial ofLeft = new Partial(left.withAscii(left.isAscii() && right.isAscii()), before.isMixedHere);
        Partial ofRight = new Partial(right, false);
        Partial stronger = order > 0 ? ofRight : ofLeft;
        if (left.collation() == right.collation()) {
            return before.isMixedHere && !right.is(Coercibility.EXPLICIT) ? ofLeft : stronger;
        }
        if (left.is(Coercibility.IGNORABLE) || right.is(Coercibility.IGNORABLE)) {
            return stronger;
        }
        if (left.isBinary() || right.isBinary()) {
            // Among equals, the binary string.
            return order == 0 && !left.isBinary() ? ofRight : stronger;
        }
        if (left.charset().equals(right.charset())) {
            return order == 0 ? combineEquals(expression, ofLeft, ofRight) : stronger;
        }
        if (isStrict && left.is(Coercibility.EXPLICIT) && right.is(Coercibility.EXPLICIT)) {
            return null;
        }
        if (canHoldAll(left, right, order)) {
            return ofLeft;
        }
        if (canHoldAll(right, left, -order)) {
            return ofRight;
        }
        // Only constants are converted, and since MySQL 8.0.31 each row.
        Operand weaker = order > 0 ? left : right;
        boolean isConverted = isStrict || weaker.coercibility().compareTo(Coercibility.IMPLICIT) > 0;
        return order != 0 && isConverted ? stronger : null;
    }

    /**
     * Combines different collations of a character set with equal coercibility: one that is
     * {@code _bin}, or in a text {@code _bin} as a mixed collation.
     */
    private static Partial combineEquals(Expression expression, Partial left, Partial right) {
        if (left.operand.is(Coercibility.EXPLICIT)) {
            return null;
        }
        for (Partial partial : List.of(left, right)) {
            if (partial.operand.collation().name().endsWith("_bin")) {
                return partial;
            }
        }
        if (expression == Expression.COMPARISON) {
            return null;
        }
        String name = left.operand.charset() + "_bin";
        Collation bin = Catalogue.instance().byName(left.operand.collation().flavour(), name);
        Operand mixed = new Operand(bin, Coercibility.MIXED).withAscii(left.operand.isAscii());
        return new Partial(mixed, true);
    }

    /**
     * Returns whether an operand can be converted to the result's character set: always to Unicode and
     * if it is ASCII, and other constants if their characters are there. MySQL 9.7.4 refuses bytes of
     * binary strings that are ill-formed there.
     */
    private Fit fit(Operand result, Operand operand, boolean convertsRows) {
        boolean isValue = operand.coercibility().compareTo(Coercibility.NUMERIC) < 0;
        if (!isValue || operand.charset().equals(result.charset()) || result.isBinary()) {
            return Fit.ALWAYS;
        }
        if (operand.isBinary()) {
            boolean is8Bit = result.collation().charset.maxBytes == 1;
            return isStrict && !is8Bit ? Fit.IF_REPRESENTABLE : Fit.ALWAYS;
        }
        if (operand.isAscii()) {
            return Fit.ALWAYS;
        }
        boolean isLiteral = operand.is(Coercibility.COERCIBLE);
        if (UNICODE.contains(result.charset())) {
            // A character set without characters beyond U+FFFF cannot represent every literal.
            boolean lacksSupplementary = result.charset().equals("utf8mb3") || result.charset().equals("ucs2");
            return isLiteral && lacksSupplementary ? Fit.IF_REPRESENTABLE : Fit.ALWAYS;
        }
        // Assumes that names of users and servers are ASCII.
        if (operand.is(Coercibility.SYSTEM_CONSTANT)) {
            return Fit.ALWAYS;
        }
        boolean isConverted = isLiteral || convertsRows || isWeak(operand);
        return isConverted ? Fit.IF_REPRESENTABLE : Fit.NEVER;
    }

    /**
     * Returns whether {@code winner} can hold all values of {@code loser} by the servers' rules, and
     * its coercibility is not higher. {@code order} is that of their coercibility.
     */
    private boolean canHoldAll(Operand winner, Operand loser, int order) {
        boolean isLoserUnicode = UNICODE.contains(loser.charset());
        boolean unicode = UNICODE.contains(winner.charset()) && (order < 0 || order == 0 && !isLoserUnicode);
        boolean wider = order <= 0 && isWider(winner.charset(), loser.charset());
        boolean ascii = order < 0 && loser.isAscii() || order == 0 && countsAsAscii(loser) && !countsAsAscii(winner);
        return unicode || wider || ascii;
    }

    /** Between two literals, strict servers ignore that a text is ASCII only. */
    private boolean countsAsAscii(Operand operand) {
        return isStrict ? operand.charset().equals("ascii") : operand.isAscii();
    }

    private boolean isWider(String charset, String than) {
        if (hasWideCharsets && (charset.equals("utf8mb4") || charset.equals("utf32"))) {
            return UNICODE.contains(than);
        }
        return charset.equals("utf8mb4") && than.equals("utf8mb3");
    }
}
