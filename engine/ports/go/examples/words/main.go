// Sorts its arguments like ORDER BY, and prints which of them a unique key
// would reject.
//
//	go run ./examples/words Zug STRASSE Ähre Straße
package main

import (
	"fmt"
	"os"
	"slices"

	"weighbridge/mysqlcollation"
)

func main() {
	collation, err := mysqlcollation.Lookup(mysqlcollation.MySQL, "utf8mb4_0900_ai_ci")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	words := os.Args[1:]
	slices.SortStableFunc(words, collation.CompareString)
	for i, word := range words {
		if i > 0 && collation.CompareString(words[i-1], word) == 0 {
			fmt.Printf("%s (equals %s)\n", word, words[i-1])
		} else {
			fmt.Println(word)
		}
	}
}
