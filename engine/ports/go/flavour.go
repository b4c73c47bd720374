package mysqlcollation

import "strconv"

// Flavour is the flavour of a server. A collation can have different weights
// in MySQL and in MariaDB.
type Flavour uint8

const (
	// MySQL includes builds such as Percona Server.
	MySQL Flavour = iota
	// MariaDB is MariaDB Server.
	MariaDB
)

// String returns MySQL or MariaDB.
func (f Flavour) String() string {
	switch f {
	case MySQL:
		return "MySQL"
	case MariaDB:
		return "MariaDB"
	}
	return "Flavour(" + strconv.Itoa(int(f)) + ")"
}
