package mysqlcollation

import (
	"fmt"
	"sync"
)

const (
	maxLevels = 4
	// maxWeights is the maximum number of weights of a character or a
	// contraction at one level.
	maxWeights = 16
	// primary and quaternary are indexes of levels.
	primary    = 0
	quaternary = 3
)

// weightBuffer has room for the weights of a character or a contraction.
type weightBuffer = [maxWeights]uint16

// ucaTable is a table of weights of the Unicode Collation Algorithm.
type ucaTable struct {
	isTailoring  bool
	levels       []*ucaLevel
	contractions *contractionSet
}

// lazyTable is a table that is read once.
type lazyTable struct {
	once sync.Once
	uca  *ucaTable
	err  error
}

// ucaTable returns the table of a section, and reads it at the first call.
func (c *catalogue) ucaTable(section int) (*ucaTable, error) {
	if section <= 0 || section >= len(c.tables) {
		return nil, fmt.Errorf("there is no section %d", section)
	}
	table := &c.tables[section]
	table.once.Do(func() { table.uca, table.err = c.readUCATable(section) })
	return table.uca, table.err
}

func (c *catalogue) readUCATable(section int) (*ucaTable, error) {
	var parent *ucaTable
	if number := c.parents[section]; number != 0 && number != section {
		var err error
		if parent, err = c.ucaTable(number); err != nil {
			return nil, err
		}
	}
	bytes, err := c.file.section(section)
	if err != nil {
		return nil, err
	}
	in := &reader{rest: bytes}
	table := &ucaTable{isTailoring: parent != nil}
	levels := in.count()
	lengths := make([]int, levels)
	for i := range lengths {
		lengths[i] = in.count()<<16 | in.count()
	}
	for i, length := range lengths {
		part := &reader{rest: in.bytes(2 * length)}
		var parentLevel *ucaLevel
		if parent != nil && i < len(parent.levels) {
			parentLevel = parent.levels[i]
		}
		table.levels = append(table.levels, readLevel(part, parentLevel))
		if part.failed || len(part.rest) > 0 {
			return nil, fmt.Errorf("level %d of %s is damaged", i, c.tableNames[section])
		}
	}
	var parentContractions *contractionSet
	if parent != nil {
		parentContractions = parent.contractions
	}
	table.contractions = readContractions(in, parentContractions, levels)
	if in.failed || len(in.rest) > 0 {
		return nil, fmt.Errorf("the contractions of %s are damaged", c.tableNames[section])
	}
	for _, level := range table.levels {
		level.setShort(table.contractions)
	}
	return table, nil
}
