package mysqlcollation

import (
	"bytes"
	"errors"
	"math/rand"
	"sync"
	"testing"
)

func all() []*Collation { return append(All(MySQL), All(MariaDB)...) }

func TestFindsNamesInAnyCaseAndByTheirOtherNames(t *testing.T) {
	for _, test := range []struct {
		flavour     Flavour
		given, name string
	}{
		{MySQL, "UTF8MB4_0900_AI_CI", "utf8mb4_0900_ai_ci"},
		{MySQL, "utf8_general_ci", "utf8mb3_general_ci"},
		{MariaDB, "utf8_uca1400_ai_ci", "utf8mb3_uca1400_ai_ci"},
		{MariaDB, "uca1400_nopad_as_cs", "utf8mb4_uca1400_nopad_as_cs"},
	} {
		c, err := Lookup(test.flavour, test.given)
		if err != nil || c.Name() != test.name {
			t.Errorf("%s finds %v, %v", test.given, c, err)
		}
	}
}

func TestEveryNameAndIDLeadsToItsCollation(t *testing.T) {
	if mysql, mariadb := len(All(MySQL)), len(All(MariaDB)); mysql != 286 || mariadb != 1288 {
		t.Errorf("%d and %d collations", mysql, mariadb)
	}
	for _, c := range all() {
		byName, err := Lookup(c.Flavour(), c.Name())
		if err != nil || byName != c {
			t.Errorf("%s: %v, %v", c, byName, err)
		}
		byID, err := ByID(c.Flavour(), c.ID())
		if err != nil || byID != c {
			t.Errorf("%d: %v, %v", c.ID(), byID, err)
		}
	}
}

func TestReportsUnknownNamesAndIDs(t *testing.T) {
	var unknown *UnknownCollationError
	for _, name := range []string{"utf8mb4_uca1400_ai_ci", "uca1400_ai_ci", "", "utf8", "utf8_", "ütf8_x", "\u212aoi8r_bin"} {
		if c, err := Lookup(MySQL, name); !errors.As(err, &unknown) {
			t.Errorf("%q finds %v", name, c)
		}
	}
	if _, err := ByID(MySQL, 0); err == nil || err.Error() != "MySQL has no collation 0" {
		t.Error(err)
	}
	if _, err := Lookup(Flavour(7), "binary"); err == nil || err.Error() != "Flavour(7) has no collation binary" {
		t.Error(err)
	}
}

func TestCompareStringEncodes(t *testing.T) {
	for _, test := range []struct {
		collation, a, b string
		order           int
	}{
		{"latin1_swedish_ci", "ä", "Ä", 0},
		{"latin1_bin", "€", "ÿ", -1},
		{"cp1251_general_ci", "Ж", "ж", 0},
		{"gbk_bin", "a", "啊", -1},
		{"utf16_bin", "\ufffd", "😀", -1},
		{"utf8mb3_general_ci", "ä", "A", 0},
		{"utf8mb4_bin", "a\t", "a", -1},
		{"binary", "\xff", "\xfe", 1},
	} {
		c, err := Lookup(MySQL, test.collation)
		if err != nil {
			t.Fatal(err)
		}
		if order := c.CompareString(test.a, test.b); order != test.order {
			t.Errorf("%s: %q and %q: %d", c, test.a, test.b, order)
		}
		if order := c.CompareString(test.b, test.a); order != -test.order {
			t.Errorf("%s: %q and %q: %d", c, test.b, test.a, order)
		}
	}
}

func TestPadSpaceIgnoresTrailingSpaces(t *testing.T) {
	padded, _ := Lookup(MySQL, "utf8mb4_general_ci")
	other, _ := Lookup(MySQL, "utf8mb4_0900_ai_ci")
	if !padded.PadSpace() || padded.Compare([]byte("a"), []byte("A  ")) != 0 || padded.Compare([]byte("a\t"), []byte("a")) != -1 {
		t.Error("general_ci does not pad")
	}
	if other.PadSpace() || other.Compare([]byte("a"), []byte("A ")) != -1 {
		t.Error("0900_ai_ci pads")
	}
}

// A string of each kind of character, and more than a comparison skips at
// once.
var samples = []string{
	"", "a", "straße, STRASSE and more letters", "straße, STRASSE und mehr Briefe ", "Привет мир", "привет мира",
	"日本語のカー", "日本語のカーー", "한국어", "ch l\u00b7l ﬃ 😀", "CH L\u00b7L ffi 😀!", "\xff\xe3\x81", "a\xffb",
}

func TestComparisonsAllocateNothing(t *testing.T) {
	var strings [][]byte
	for _, sample := range samples {
		strings = append(strings, []byte(sample))
	}
	for _, c := range all() {
		compareAll := func() {
			for i, a := range strings {
				c.Compare(a, strings[(i+1)%len(strings)])
			}
		}
		if count := testing.AllocsPerRun(1, compareAll); count > 0 {
			t.Fatalf("%s %s: %v allocations", c.Flavour(), c, count)
		}
	}
}

func TestKeysNeedNoAllocationWithRoom(t *testing.T) {
	key := make([]byte, 0, 4096)
	for _, c := range all() {
		s := []byte("straße and STRASSE")
		key = c.AppendSortKey(key[:0], s)
		if count := testing.AllocsPerRun(2, func() { key = c.AppendSortKey(key[:0], s) }); count > 0 {
			t.Fatalf("%s %s: %v allocations", c.Flavour(), c, count)
		}
	}
}

func TestAppendsToWhatIsThere(t *testing.T) {
	for _, c := range all() {
		s := []byte("a  b\tc ")
		key, weights := c.AppendSortKey(nil, s), c.AppendWeightString(nil, s)
		if got := c.AppendSortKey([]byte("before"), s); string(got) != "before"+string(key) {
			t.Errorf("%s: key %x", c, got)
		}
		if got := c.AppendWeightString([]byte("before"), s); string(got) != "before"+string(weights) {
			t.Errorf("%s: weight string %x", c, got)
		}
	}
}

func TestCollationsAreReadByManyGoroutines(t *testing.T) {
	fresh, err := readCatalogue(embedded)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for _, c := range fresh.all[MySQL] {
				if c.charset.name == "utf8mb4" && c.Compare([]byte("aé"), []byte("aéb")) >= 0 {
					t.Errorf("%s", c)
				}
			}
		}()
	}
	wait.Wait()
}

// patternOf returns the pattern of strings that begin with a prefix.
func patternOf(c *Collation, prefix []byte) []byte {
	e := c.weights().encoding
	percent, _ := wildcards(e.decoding)
	return append(bytes.Clone(prefix), percent...)
}

// checkPrefix checks that the keys of matching strings are in the range.
func checkPrefix(t *testing.T, c *Collation, s, prefix []byte) {
	t.Helper()
	if bytes.ContainsAny(prefix, "%_") {
		return
	}
	if !c.Like(s, patternOf(c, prefix), NoEscape) {
		return
	}
	low, high := c.PrefixRange(prefix)
	key := c.AppendSortKey(nil, s)
	if bytes.Compare(low, key) > 0 || high != nil && bytes.Compare(key, high) >= 0 {
		t.Errorf("%s %s: x'%x' begins with x'%x', and its key %x is not from %x to %x", c.Flavour(), c, s, prefix, key, low, high)
	}
}

func TestKeysOfMatchesAreInTheRangeOfThePrefix(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	letters := []string{"c", "h", "C", "H", "a", "A", "i", "I", " ", "\t", "!", "l", "\u00b7", "\u0301", "\u030c", "ı", "ß", "s", "S",
		"カ", "ー", "か", "\u3099", "ｶ", "ｰ", "เ", "ก", "日", "\u00ad", "\uff43", "\uff48", "\xff", "\u00a0", "j", "J", "z"}
	for _, c := range all() {
		e := c.weights().encoding
		for range 100 {
			var text []byte
			var ends []int
			for range 1 + random.Intn(6) {
				letter := letters[random.Intn(len(letters))]
				for _, r := range letter {
					if bytes, ok := e.encode(uint32(r)); ok {
						text = append(text, bytes...)
					}
				}
				ends = append(ends, len(text))
			}
			prefix := bytes.Clone(text[:ends[random.Intn(len(ends))]])
			checkPrefix(t, c, text, prefix)
			// The case of ASCII letters is changed.
			for i, b := range prefix {
				if 'a' <= b|0x20 && b|0x20 <= 'z' {
					prefix[i] ^= 0x20
				}
			}
			checkPrefix(t, c, text, prefix)
		}
	}
}

func TestPrefixRangesAreNarrow(t *testing.T) {
	for _, name := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_unicode_ci", "gbk_chinese_ci"} {
		c, err := Lookup(MySQL, name)
		if err != nil {
			t.Fatal(err)
		}
		low, high := c.PrefixRange([]byte("mab"))
		for _, s := range []string{"maa", "maz", "mb", "l", "n"} {
			if key := c.AppendSortKey(nil, []byte(s)); bytes.Compare(low, key) <= 0 && bytes.Compare(key, high) < 0 {
				t.Errorf("%s: %s is in the range of mab", name, s)
			}
		}
	}
}
