/** The collations of MySQL and MariaDB, without a server and without native code. */
module weighbridge.mysqlcollation {
    exports weighbridge.mysqlcollation;
}
