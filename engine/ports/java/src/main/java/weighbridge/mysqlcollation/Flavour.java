package weighbridge.mysqlcollation;

/** The flavour of a server. A collation can have different weights in MySQL and in MariaDB. */
public enum Flavour {
    /** MySQL, including builds such as Percona Server. */
    MYSQL("MySQL"),
    /** MariaDB Server. */
    MARIADB("MariaDB");

    private final String title;

    Flavour(String title) {
        this.title = title;
    }

    @Override
    public String toString() {
        return title;
    }
}
