// Reads a table in chunks by a string key, while rows change, as gh-ost,
// Spirit and CDC tools do. Such a tool decides for each change from the binlog
// whether the row is in a chunk that it has read. It compares the key with the
// chunk's bounds on the client, and must decide as the server did.
//
//	go run . -dsn 'root@unix(/tmp/mysql.sock)/' -fill
//
// Prints how many rows a client assigns to another chunk than the server: with
// mysqlcollation none, by comparing Go strings many.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	_ "github.com/go-sql-driver/mysql"

	"weighbridge/mysqlcollation"
)

// filled is the database of -fill.
const filled = "mysqlcollation_chunks"

func main() {
	dsn := flag.String("dsn", "", "server and database, as for github.com/go-sql-driver/mysql")
	table := flag.String("table", "chunked_people", "table to read")
	key := flag.String("key", "name", "column of its primary key: a string in utf8mb4")
	size := flag.Int("size", 1000, "rows in a chunk")
	fill := flag.Bool("fill", false, "create the database "+filled+" with the table first, and drop it at the end")
	flag.Parse()
	if err := run(*dsn, *fill, reader{table: *table, key: *key, size: *size}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(dsn string, fill bool, r reader) error {
	ctx := context.Background()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if r.db, err = db.Conn(ctx); err != nil {
		return err
	}
	defer r.db.Close()
	if fill {
		defer r.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+filled)
		if err := fillTable(ctx, r.db, r.table); err != nil {
			return err
		}
	}
	if r.collation, err = r.findCollation(ctx); err != nil {
		return err
	}
	bounds, err := r.bounds(ctx)
	if err != nil {
		return err
	}
	rows, wrong, wrongAsStrings := 0, 0, 0
	for number := range len(bounds) + 1 {
		keys, err := r.read(ctx, bounds, number)
		if err != nil {
			return err
		}
		rows += len(keys)
		for _, key := range keys {
			if chunkOf(bounds, key, r.collation.CompareString) != number {
				wrong++
			}
			if chunkOf(bounds, key, strings.Compare) != number {
				wrongAsStrings++
			}
		}
	}
	fmt.Printf("%d rows in %d chunks\n", rows, len(bounds)+1)
	fmt.Printf("in another chunk by %s: %d\n", r.collation, wrong)
	fmt.Printf("in another chunk by Go strings: %d\n", wrongAsStrings)
	return nil
}

// chunkOf returns the number of the chunk that has a key, from 0 on. Each bound
// is the first key of a chunk.
func chunkOf(bounds []string, key string, compare func(a, b string) int) int {
	return sort.Search(len(bounds), func(i int) bool { return compare(key, bounds[i]) < 0 })
}

type reader struct {
	db         *sql.Conn
	table, key string
	size       int
	collation  *mysqlcollation.Collation
}

// findCollation returns the collation of the key, with the weights of the
// server's flavour.
func (r reader) findCollation(ctx context.Context) (*mysqlcollation.Collation, error) {
	var version, collation string
	query := `SELECT VERSION(), collation_name FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?`
	if err := r.db.QueryRowContext(ctx, query, r.table, r.key).Scan(&version, &collation); err != nil {
		return nil, fmt.Errorf("reading the collation of %s.%s: %w", r.table, r.key, err)
	}
	flavour := mysqlcollation.MySQL
	if strings.Contains(version, "MariaDB") {
		flavour = mysqlcollation.MariaDB
	}
	return mysqlcollation.Lookup(flavour, collation)
}

// bounds finds every size-th key in the server's order.
func (r reader) bounds(ctx context.Context) ([]string, error) {
	key, table := quote(r.key), quote(r.table)
	next := fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT 1 OFFSET %d", key, table, key, r.size)
	var bounds []string
	var arguments []any
	for {
		var bound string
		switch err := r.db.QueryRowContext(ctx, next, arguments...).Scan(&bound); err {
		case nil:
		case sql.ErrNoRows:
			return bounds, nil
		default:
			return nil, err
		}
		bounds = append(bounds, bound)
		next = fmt.Sprintf("SELECT %s FROM %s WHERE %s >= ? ORDER BY %s LIMIT 1 OFFSET %d", key, table, key, key, r.size)
		arguments = []any{bound}
	}
}

// read returns the keys that the server finds in a chunk.
func (r reader) read(ctx context.Context, bounds []string, chunk int) ([]string, error) {
	key, table := quote(r.key), quote(r.table)
	query, arguments := fmt.Sprintf("SELECT %s FROM %s WHERE TRUE", key, table), []any{}
	if chunk > 0 {
		query, arguments = query+" AND "+key+" >= ?", append(arguments, bounds[chunk-1])
	}
	if chunk < len(bounds) {
		query, arguments = query+" AND "+key+" < ?", append(arguments, bounds[chunk])
	}
	rows, err := r.db.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		keys = append(keys, one)
	}
	return keys, rows.Err()
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// fillTable creates a table with names in several scripts and cases.
func fillTable(ctx context.Context, db *sql.Conn, table string) error {
	create := "CREATE TABLE " + quote(table) + " (name VARCHAR(64) CHARACTER SET utf8mb4 PRIMARY KEY)"
	for _, statement := range []string{"CREATE DATABASE " + filled, "USE " + filled, create} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	syllables := []string{"an", "Be", "ça", "DA", "é", "ñu", "Öl", "ß", "zu", "ЖУ", "мир", "日", "本", "カー", "ꙮ", "_", " "}
	var values []any
	for i := range 5000 {
		name := syllables[i%len(syllables)] + syllables[i/len(syllables)%len(syllables)] + syllables[i/7%len(syllables)]
		values = append(values, fmt.Sprintf("%s%d", name, i))
	}
	insert := "INSERT INTO " + quote(table) + " VALUES (?)" + strings.Repeat(", (?)", len(values)-1)
	_, err := db.ExecContext(ctx, insert, values...)
	return err
}
