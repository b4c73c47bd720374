// Sorts its arguments like ORDER BY, and prints which of them a unique key would reject.
//
//	go run . Zug STRASSE Ähre Straße
//
// pkg-config must find mysql_collation.pc, and the dynamic linker must find libmysql_collation.so.1.
package main

// #cgo pkg-config: mysql_collation
// #include <mysql_collation.h>
import "C"

import (
	"fmt"
	"os"
	"sort"
	"unsafe"
)

// Collation is a collation of MySQL or MariaDB. Several goroutines may use it at once.
type Collation struct{ handle *C.mcoll_collation }

// Find looks a collation up by its name.
func Find(flavour C.uint32_t, name string) (Collation, error) {
	var found Collation
	text, length := pointer(name)
	status := C.mcoll_by_name(flavour, (*C.char)(unsafe.Pointer(text)), length, &found.handle)
	if status != C.MCOLL_OK {
		return found, fmt.Errorf("%s: %s", name, C.GoString(C.mcoll_status_message(status)))
	}
	return found, nil
}

// Compare returns -1, 0 or 1.
func (c Collation) Compare(a, b string) int {
	first, firstLength := pointer(a)
	second, secondLength := pointer(b)
	return int(C.mcoll_compare(c.handle, first, firstLength, second, secondLength))
}

// pointer returns a C pointer to the bytes of a string. C neither keeps the pointer nor writes to the bytes.
func pointer(text string) (*C.uint8_t, C.size_t) {
	if text == "" {
		return nil, 0
	}
	bytes := []byte(text)
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0])), C.size_t(len(bytes))
}

func main() {
	collation, err := Find(C.MCOLL_MYSQL, "utf8mb4_0900_ai_ci")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	words := os.Args[1:]
	sort.SliceStable(words, func(i, j int) bool { return collation.Compare(words[i], words[j]) < 0 })
	for i, word := range words {
		if i > 0 && collation.Compare(words[i-1], word) == 0 {
			fmt.Printf("%s (equals %s)\n", word, words[i-1])
		} else {
			fmt.Println(word)
		}
	}
}
