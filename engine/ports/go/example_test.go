package mysqlcollation_test

import (
	"bytes"
	"fmt"
	"slices"

	"weighbridge/mysqlcollation"
)

func find(flavour mysqlcollation.Flavour, name string) *mysqlcollation.Collation {
	c, err := mysqlcollation.Lookup(flavour, name)
	if err != nil {
		panic(err)
	}
	return c
}

func ExampleLookup() {
	c, err := mysqlcollation.Lookup(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.ID(), c.Charset(), c.Compare([]byte("Straße"), []byte("STRASSE")))

	_, err = mysqlcollation.Lookup(mysqlcollation.MySQL, "utf8mb4_uca1400_ai_ci")
	fmt.Println(err)
	// Output:
	// 255 utf8mb4 0
	// MySQL has no collation utf8mb4_uca1400_ai_ci
}

func ExampleByID() {
	// A binlog and the client/server protocol carry ids.
	c, err := mysqlcollation.ByID(mysqlcollation.MariaDB, 45)
	fmt.Println(c, err)
	// Output: utf8mb4_general_ci <nil>
}

func ExampleCollation_CompareString() {
	c := find(mysqlcollation.MariaDB, "utf8mb4_czech_ci")
	words := []string{"hrad", "chata", "cena", "duha"}
	slices.SortStableFunc(words, c.CompareString)
	fmt.Println(words)
	// Output: [cena duha hrad chata]
}

func ExampleCollation_AppendSortKey() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	zug := c.AppendSortKey(nil, []byte("Zug"))
	key := c.AppendSortKey(nil, []byte("Ähre"))
	fmt.Println(bytes.Compare(key, zug))
	// Output: -1
}

func ExampleCollation_Hash() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	fmt.Println(c.Hash([]byte("Straße")) == c.Hash([]byte("STRASSE")))
	// Output: true
}

func ExampleCollation_Like() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	fmt.Println(c.Like([]byte("Müllerin"), []byte("m_ller%"), '\\'))
	fmt.Println(c.Like([]byte("100%"), []byte(`100\%`), '\\'))
	// Output:
	// true
	// true
}

func ExampleCollation_PrefixRange() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	low, high := c.PrefixRange([]byte("mül"))
	for _, word := range []string{"MULI", "Müller", "Munde"} {
		key := c.AppendSortKey(nil, []byte(word))
		fmt.Println(word, bytes.Compare(low, key) <= 0 && bytes.Compare(key, high) < 0)
	}
	// Output:
	// MULI true
	// Müller true
	// Munde false
}

func ExampleCollation_AppendWeightString() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	fmt.Printf("%X\n", c.AppendWeightString(nil, []byte("aä")))
	// Output: 1C471C47
}

func ExampleCollation_Find() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	fmt.Println(c.Find([]byte("In der STRASSE"), []byte("straße")))
	fmt.Println(c.StartsWith([]byte("Müller"), []byte("MUL")))
	fmt.Println(string(c.Replace([]byte("aAa"), []byte("a"), []byte("--"))))
	// Output:
	// 7
	// true
	// --A--
}

func ExampleCollation_ToUpper() {
	fmt.Println(string(find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci").ToUpper([]byte("straße"))))
	fmt.Println(string(find(mysqlcollation.MySQL, "utf8mb4_turkish_ci").ToUpper([]byte("istanbul"))))
	// Output:
	// STRAßE
	// İSTANBUL
}

func ExampleCollation_Encode() {
	c := find(mysqlcollation.MySQL, "latin1_swedish_ci")
	encoded, lost := c.Encode("äЖ")
	fmt.Printf("%X %d %s\n", encoded, lost, c.Decode(encoded))
	// Output: E43F 1 ä?
}

func ExampleCollation_LikeRange() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	low, high := c.LikeRange([]byte(`50\%_o%`), '\\')
	prefixLow, prefixHigh := c.PrefixRange([]byte("50%"))
	fmt.Println(bytes.Equal(low, prefixLow), bytes.Equal(high, prefixHigh))
	// Output: true true
}

func ExampleAlphabet_Split() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	letters := mysqlcollation.NewAlphabet(c, "abcdefghijklmnopqrstuvwxyz")
	// Chunks of a table, for WHERE name >= ? AND name < ?.
	fmt.Printf("%s\n", letters.Split([]byte("a"), []byte("z"), 4))
	// Every name that begins with Mü is less.
	fmt.Printf("%s\n", letters.PrefixUpperBound([]byte("Mü")))
	// Output:
	// [g m s]
	// Mv
}

// The Rust library returns the same hash.
func ExampleCollation_StableHash() {
	c := find(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	fmt.Printf("%X\n", c.StableHash([]byte("abc"), 0))
	fmt.Println(c.StableHash([]byte("Straße"), 7) == c.StableHash([]byte("STRASSE"), 7))
	// Output:
	// B5D57E1D2ACC8E09
	// true
}

func ExampleChooseCollation() {
	version, err := mysqlcollation.ParseServerVersion("8.0.34")
	if err != nil {
		panic(err)
	}
	column := func(name string) mysqlcollation.Operand {
		c, err := mysqlcollation.Lookup(version.Flavour, name)
		if err != nil {
			panic(err)
		}
		return mysqlcollation.Operand{Collation: c, Coercibility: mysqlcollation.Implicit}
	}
	chosen, err := mysqlcollation.ChooseCollation(version, column("latin1_swedish_ci"), column("utf8mb4_bin"))
	fmt.Println(chosen.Collation, err)
	_, err = mysqlcollation.ChooseCollation(version, column("utf8mb4_general_ci"), column("utf8mb4_0900_ai_ci"))
	fmt.Println(err)
	// Output:
	// utf8mb4_bin <nil>
	// illegal mix of collations (error 1267)
}

func ExampleCollation_AppendPrefixIndexKey() {
	c, err := mysqlcollation.Lookup(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	if err != nil {
		panic(err)
	}
	// UNIQUE KEY (name(3)) refuses the second.
	one := c.AppendPrefixIndexKey(nil, []byte("Müller"), 3)
	other := c.AppendPrefixIndexKey(nil, []byte("MULTI"), 3)
	fmt.Println(bytes.Equal(one, other))
	// Output: true
}
