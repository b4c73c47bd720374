// Package mysqlcollation compares, hashes, keys and matches strings as MySQL
// and MariaDB do, without a server and without cgo.
//
// A [Collation] is found by flavour and name, or by flavour and id:
//
//	c, err := mysqlcollation.Lookup(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
//	if err != nil {
//		return err
//	}
//	c.Compare([]byte("Straße"), []byte("STRASSE")) // 0
//
// A name can denote different weights in MySQL and in MariaDB, so that a
// [Flavour] is part of every lookup.
//
// Strings are bytes in the collation's character set, and need not be
// well-formed. No function panics for any bytes.
//
// Collations are immutable. Several goroutines may use one at once. The
// package embeds its tables, compressed, and reads those of a collation when
// the collation is first used.
package mysqlcollation
