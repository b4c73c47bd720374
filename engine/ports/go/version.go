package mysqlcollation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A ServerVersion is a server's flavour and version.
type ServerVersion struct {
	Flavour Flavour
	// Major, Minor and Patch are the numbers of a version such as 8.0.34.
	Major, Minor, Patch uint16
}

// An InvalidVersionError is the error of [ParseServerVersion]: the text does
// not begin with three numbers below 65,536.
type InvalidVersionError struct {
	// Given is the text.
	Given string
}

func (e *InvalidVersionError) Error() string {
	return fmt.Sprintf("%q is not the result of SELECT VERSION(), such as 8.0.34 or 10.11.6-MariaDB", e.Given)
}

var versionNumbers = regexp.MustCompile(`^([0-9]+)\.([0-9]+)\.([0-9]+)`)

// ParseServerVersion parses the result of SELECT VERSION(), or the version of
// a server's greeting. A text with MariaDB is a version of MariaDB, any other
// text one of MySQL.
func ParseServerVersion(s string) (ServerVersion, error) {
	var v ServerVersion
	rest := s
	if strings.Contains(lowerASCII(s), "mariadb") {
		v.Flavour = MariaDB
		// Older servers begin so in the client/server protocol.
		rest = strings.TrimPrefix(s, "5.5.5-")
	}
	numbers := versionNumbers.FindStringSubmatch(rest)
	for i, to := range []*uint16{&v.Major, &v.Minor, &v.Patch} {
		if numbers == nil {
			return ServerVersion{}, &InvalidVersionError{Given: s}
		}
		number, err := strconv.ParseUint(numbers[i+1], 10, 16)
		if err != nil {
			return ServerVersion{}, &InvalidVersionError{Given: s}
		}
		*to = uint16(number)
	}
	return v, nil
}

// String returns flavour and numbers, such as MySQL 8.0.34.
func (v ServerVersion) String() string {
	return fmt.Sprintf("%s %d.%d.%d", v.Flavour, v.Major, v.Minor, v.Patch)
}

func (v ServerVersion) isAtLeast(major, minor, patch uint16) bool {
	if v.Major != major {
		return v.Major > major
	}
	if v.Minor != minor {
		return v.Minor > minor
	}
	return v.Patch >= patch
}
