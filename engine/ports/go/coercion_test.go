package mysqlcollation

import (
	"bytes"
	"errors"
	"testing"
)

func find(t *testing.T, flavour Flavour, name string) *Collation {
	t.Helper()
	c, err := Lookup(flavour, name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParsesVersionsOfServers(t *testing.T) {
	for given, expected := range map[string]string{
		"8.0.34":                               "MySQL 8.0.34",
		"5.7.22-log":                           "MySQL 5.7.22",
		"10.11.18-MariaDB-0+deb12u1":           "MariaDB 10.11.18",
		"5.5.5-10.4.2-mariadb":                 "MariaDB 10.4.2",
		"11.8.9-MariaDB-0+deb13u1 from Debian": "MariaDB 11.8.9",
	} {
		if v, err := ParseServerVersion(given); err != nil || v.String() != expected {
			t.Errorf("%s: %s, %v", given, v, err)
		}
	}
	var invalid *InvalidVersionError
	for _, given := range []string{"", "8.0", "MariaDB", "8.x.1", "8.0.99999", "-8.0.1"} {
		if v, err := ParseServerVersion(given); !errors.As(err, &invalid) || invalid.Given != given {
			t.Errorf("%q: %s, %v", given, v, err)
		}
	}
}

// As the servers answered; the Rust library's tests ask them.
func TestChoosesCollations(t *testing.T) {
	for _, test := range []struct {
		version, left, right string
		coercibility         Coercibility
		winner               string
	}{
		{"8.0.34", "latin1_swedish_ci", "utf8mb4_bin", Implicit, "utf8mb4_bin"},
		{"8.0.34", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci", Implicit, ""},
		{"8.0.34", "utf16_bin", "utf32_bin", Implicit, "utf32_bin"},
		{"5.7.22", "utf16_bin", "utf32_bin", Implicit, ""},
		{"8.0.30", "latin1_bin", "utf8mb4_bin", Explicit, "utf8mb4_bin"},
		{"8.0.31", "latin1_bin", "utf8mb4_bin", Explicit, ""},
		{"11.8.9-MariaDB", "utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci", Explicit, "utf8mb4_uca1400_nopad_ai_ci"},
		{"11.8.9-MariaDB", "utf8mb4_cs_0900_as_cs", "utf8mb4_uca1400_czech_nopad_as_cs", Explicit, "utf8mb4_uca1400_czech_nopad_as_cs"},
		{"11.4.5-MariaDB", "utf8mb4_0900_bin", "utf8mb4_bin", Explicit, "utf8mb4_bin"},
	} {
		v, err := ParseServerVersion(test.version)
		if err != nil {
			t.Fatal(err)
		}
		operand := func(name string) Operand {
			return Operand{Collation: find(t, v.Flavour, name), Coercibility: test.coercibility}
		}
		got, err := ChooseCollation(v, operand(test.left), operand(test.right))
		var mix *IllegalMixError
		switch {
		case test.winner == "" && !(errors.As(err, &mix) && mix.Code == 1267):
			t.Errorf("%s: %s = %s: %v", v, test.left, test.right, err)
		case test.winner != "" && (err != nil || got.Collation.Name() != test.winner || got.IfRepresentable):
			t.Errorf("%s: %s = %s: %v, %v", v, test.left, test.right, got, err)
		}
	}
}

func TestCombinesTextsOfColumns(t *testing.T) {
	v := ServerVersion{MySQL, 8, 0, 12}
	column := func(name string) Operand { return Operand{Collation: find(t, MySQL, name), Coercibility: Implicit} }
	text, err := CombineCollations(v, Text, column("latin1_swedish_ci"), column("latin1_german1_ci"))
	if err != nil || text.Collation.Name() != "latin1_bin" || text.Coercibility != Mixed {
		t.Errorf("%v, %v", text, err)
	}
	var mix *IllegalMixError
	_, err = CombineCollations(v, Comparison, text.Operand, column("latin1_swedish_ci"), column("latin1_german1_ci"))
	if !errors.As(err, &mix) || mix.Code != 1270 {
		t.Error(err)
	}
	literal := Operand{Collation: find(t, MySQL, "utf8mb4_general_ci"), Coercibility: Coercible}
	if got, err := ChooseCollation(v, column("latin1_swedish_ci"), literal); err != nil || !got.IfRepresentable {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := CombineCollations(v, Text); !errors.As(err, &mix) {
		t.Error(err)
	}
}

func TestOperandsAreOfTheVersionsFlavour(t *testing.T) {
	var unknown *UnknownCollationError
	operand := Operand{Collation: find(t, MySQL, "gb18030_chinese_ci"), Coercibility: Implicit}
	if _, err := ChooseCollation(ServerVersion{MariaDB, 11, 8, 9}, operand, operand); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, err := ChooseCollation(ServerVersion{MySQL, 8, 0, 34}, operand, Operand{}); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestGroupsAreThoseOfTemporaryTables(t *testing.T) {
	key := func(c *Collation, s string) []byte { return c.AppendGroupKey(nil, []byte(s)) }
	unicode := find(t, MySQL, "utf8mb4_unicode_ci")
	if !unicode.Equal([]byte("a"), []byte("a\u00a0")) || bytes.Equal(key(unicode, "a"), key(unicode, "a\u00a0")) {
		t.Error("a no-break space makes no group of its own")
	}
	if !bytes.Equal(key(unicode, "A  "), key(unicode, "a")) {
		t.Error("a space makes a group of its own")
	}
	mariadb := find(t, MariaDB, "utf8mb4_unicode_ci")
	if !bytes.Equal(key(mariadb, "a"), key(mariadb, "a\u00a0")) {
		t.Error("a no-break space makes a group of its own in MariaDB")
	}
}

func TestPrefixesCountCharacters(t *testing.T) {
	c := find(t, MySQL, "utf8mb4_general_ci")
	key := func(s string, characters int) []byte { return c.AppendPrefixIndexKey(nil, []byte(s), characters) }
	if !bytes.Equal(key("äöü", 2), c.AppendSortKey(nil, []byte("ao"))) || !bytes.Equal(key("a", 2), key("A", 9)) {
		t.Error("a prefix has other characters")
	}
	if !bytes.Equal(key("abc", 0), c.AppendSortKey(nil, nil)) || !bytes.Equal(key("abc", -1), key("", 1)) {
		t.Error("a prefix of no characters has some")
	}
}
