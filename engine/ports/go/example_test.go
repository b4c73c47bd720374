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
