package mysqlcollation

import (
	"bytes"
	"testing"
)

// collationOf returns the collation with a number, of all flavours.
func collationOf(number uint16) *Collation {
	collations := all()
	return collations[int(number)%len(collations)]
}

func addSeeds(f *testing.F) {
	for i, a := range samples {
		f.Add(uint16(97*i), []byte(a), []byte(samples[(i+1)%len(samples)]))
	}
}

func FuzzCompare(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, number uint16, a, b []byte) {
		c := collationOf(number)
		order := c.Compare(a, b)
		if reverse := c.Compare(b, a); reverse != -order {
			t.Errorf("%s: %d, and %d in reverse", c, order, reverse)
		}
		if keys := bytes.Compare(c.AppendSortKey(nil, a), c.AppendSortKey(nil, b)); keys != order {
			t.Errorf("%s: %d, and %d by keys", c, order, keys)
		}
		if order == 0 && c.Hash(a) != c.Hash(b) {
			t.Errorf("%s: equal strings have different hashes", c)
		}
		c.AppendWeightString(nil, a)
	})
}

func FuzzLike(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, number uint16, s, prefix []byte) {
		c := collationOf(number)
		if !c.Like(s, s, NoEscape) && !bytes.ContainsAny(s, "%_") {
			t.Errorf("%s: a string is not LIKE itself", c)
		}
		c.Like(s, prefix, '\\')
		checkPrefix(t, c, s, prefix)
	})
}

func FuzzDataFile(f *testing.F) {
	f.Add(uint32(400), byte(1))
	f.Fuzz(func(t *testing.T, at uint32, change byte) {
		file := bytes.Clone(embedded)
		file[int(at)%len(file)] ^= change
		damaged, err := readCatalogue(file)
		if err != nil {
			return
		}
		// The last bits of a section can be padding.
		for section := range damaged.tableNames {
			read, err := damaged.file.section(section)
			original, _ := loaded().file.section(section)
			if err == nil && !bytes.Equal(read, original) {
				t.Errorf("section %d is read wrongly", section)
			}
		}
	})
}
