package weighbridge.mysqlcollation;

import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server's flavour and version. */
public final class ServerVersion {
    private static final Pattern NUMBERS = Pattern.compile("([0-9]+)\\.([0-9]+)\\.([0-9]+)");

    private final Flavour flavour;
    private final int major;
    private final int minor;
    private final int patch;

    /**
     * Creates a version from its numbers.
     *
     * @param flavour flavour of the server
     * @param major first number, such as 8 in {@code 8.0.34}
     * @param minor second number
     * @param patch third number
     */
    public ServerVersion(Flavour flavour, int major, int minor, int patch) {
        this.flavour = Objects.requireNonNull(flavour);
        this.major = major;
        this.minor = minor;
        this.patch = patch;
    }

    /**
     * Parses the result of {@code SELECT VERSION()}, or the version of a server's greeting. A text
     * with {@code MariaDB} is a version of MariaDB, any other text one of MySQL.
     *
     * @param text a version, such as {@code 10.11.6-MariaDB-0+deb12u1}
     * @return the version
     * @throws IllegalArgumentException if the text does not begin with three numbers below 65,536
     */
    public static ServerVersion parse(String text) {
        boolean isMariaDb = text.toLowerCase(Locale.ROOT).contains("mariadb");
        // Older servers of MariaDB begin so in the client/server protocol.
        String rest = isMariaDb && text.startsWith("5.5.5-") ? text.substring(6) : text;
        Matcher found = NUMBERS.matcher(rest);
        int[] numbers = new int[3];
        boolean isValid = found.lookingAt();
        for (int i = 0; isValid && i < 3; i++) {
            String digits = found.group(i + 1);
            numbers[i] = digits.length() > 9 ? 65536 : Integer.parseInt(digits);
            isValid = numbers[i] < 65536;
        }
        if (!isValid) {
            throw new IllegalArgumentException(
                    '"' + text + "\" is not the result of SELECT VERSION(), such as 8.0.34 or 10.11.6-MariaDB");
        }
        return new ServerVersion(isMariaDb ? Flavour.MARIADB : Flavour.MYSQL, numbers[0], numbers[1], numbers[2]);
    }

    /** Returns the flavour of the server. */
    public Flavour flavour() {
        return flavour;
    }

    /** Returns the first number, such as 8 in {@code 8.0.34}. */
    public int major() {
        return major;
    }

    /** Returns the second number. */
    public int minor() {
        return minor;
    }

    /** Returns the third number. */
    public int patch() {
        return patch;
    }

    boolean isAtLeast(int major, int minor, int patch) {
        if (this.major != major) {
            return this.major > major;
        }
        return this.minor != minor ? this.minor > minor : this.patch >= patch;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ServerVersion)) {
            return false;
        }
        ServerVersion that = (ServerVersion) other;
        return flavour == that.flavour && major == that.major && minor == that.minor && patch == that.patch;
    }

    @Override
    public int hashCode() {
        return Objects.hash(flavour, major, minor, patch);
    }

    /** Returns flavour and numbers, such as {@code MySQL 8.0.34}. */
    @Override
    public String toString() {
        return flavour + " " + major + "." + minor + "." + patch;
    }
}
