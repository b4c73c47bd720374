package mysqlcollation

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// catalogue is the first section: the names of tables, the character sets and
// the collations.
type catalogue struct {
	file       dataFile
	tableNames []string
	// parents has the section of the table that a table tailors, or 0.
	parents []int
	tables  []lazyTable
	all     [2][]*Collation
	byName  [2]map[string]*Collation

	lazyOperations lazyOperations
}

// loaded reads the catalogue of the embedded file. A damaged file is a fault
// of the build, so that it panics.
var loaded = sync.OnceValue(func() *catalogue {
	all, err := readCatalogue(embedded)
	if err != nil {
		panic("mysqlcollation: " + err.Error())
	}
	return all
})

func readCatalogue(bytes []byte) (*catalogue, error) {
	file, err := openDataFile(bytes)
	if err != nil {
		return nil, err
	}
	section, err := file.section(catalogueAt)
	if err != nil {
		return nil, err
	}
	in := &reader{rest: section}
	c := &catalogue{file: file, byName: [2]map[string]*Collation{{}, {}}}
	count := in.count()
	c.tableNames = make([]string, count+1)
	c.parents = make([]int, count+1)
	c.tables = make([]lazyTable, count+1)
	for i := 1; i <= count; i++ {
		c.tableNames[i] = in.text()
		c.parents[i] = in.count()
	}
	charsets := make([]charset, in.byte())
	for i := range charsets {
		charsets[i] = readCharset(in)
	}
	for index := range in.count() {
		collation, charset := readCollation(in)
		if in.failed || int(charset) >= len(charsets) || collation.flavour > MariaDB {
			return nil, fmt.Errorf("the catalogue is damaged")
		}
		collation.catalogue = c
		collation.index = index
		collation.charset = &charsets[charset]
		flavour := collation.flavour
		c.all[flavour] = append(c.all[flavour], collation)
		c.byName[flavour][collation.name] = collation
	}
	if in.failed || len(in.rest) > 0 {
		return nil, fmt.Errorf("the catalogue is damaged")
	}
	return c, nil
}

func readCollation(in *reader) (*Collation, byte) {
	c := &Collation{flavour: Flavour(in.byte()), id: in.word(), name: in.text()}
	charset := in.byte()
	flags := in.byte()
	c.isDefault = flags&1 != 0
	c.isBinary = flags&2 != 0
	c.padSpace = flags&4 != 0
	levels, pads := in.byte(), in.byte()
	for level := range maxLevels {
		c.hasLevel[level] = levels>>level&1 != 0
		c.pads[level] = pads>>level&1 != 0
	}
	c.kind = weightKind(in.byte())
	c.parameter = in.byte()
	c.table = in.count()
	rules := in.byte()
	c.endsAtErrors = rules&1 != 0
	c.likeByPageBeyondPrimary = rules&2 != 0
	c.isSeparated = rules&4 != 0
	c.wrapsFirstMark = rules&8 != 0
	c.likeSeesRoot = rules&16 != 0
	c.oneIsZeroFrom = int(in.byte())
	return c, charset
}

// An UnknownCollationError is the error of a lookup of a name or an id that
// the flavour's servers lack.
type UnknownCollationError struct {
	Flavour Flavour
	// Given is the name, or the id as text.
	Given string
}

func (e *UnknownCollationError) Error() string {
	return fmt.Sprintf("%s has no collation %s", e.Flavour, e.Given)
}

// Lookup finds a collation by name, case-insensitively. As in the servers, utf8_…
// means utf8mb3_…. MariaDB's names without a character set (uca1400_ai_ci)
// mean the collation of utf8mb4.
func Lookup(flavour Flavour, name string) (*Collation, error) {
	if flavour <= MariaDB {
		all := loaded().byName[flavour]
		lower := lowerASCII(name)
		if rest, found := strings.CutPrefix(lower, "utf8_"); found {
			lower = "utf8mb3_" + rest
		} else if flavour == MariaDB && strings.HasPrefix(lower, "uca1400_") {
			lower = "utf8mb4_" + lower
		}
		if c := all[lower]; c != nil {
			return c, nil
		}
	}
	return nil, &UnknownCollationError{Flavour: flavour, Given: name}
}

// lowerASCII leaves other characters alone: the Kelvin sign is no k.
func lowerASCII(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

// ByID finds a collation by its id in the client/server protocol.
func ByID(flavour Flavour, id uint16) (*Collation, error) {
	if flavour <= MariaDB {
		all := loaded().all[flavour]
		at := sort.Search(len(all), func(i int) bool { return all[i].id >= id })
		if at < len(all) && all[at].id == id {
			return all[at], nil
		}
	}
	return nil, &UnknownCollationError{Flavour: flavour, Given: strconv.Itoa(int(id))}
}

// All returns the collations of a flavour by ascending id.
func All(flavour Flavour) []*Collation {
	if flavour > MariaDB {
		return nil
	}
	return append([]*Collation(nil), loaded().all[flavour]...)
}
