/* The collations of MySQL and MariaDB, exact to the last weight, without a server.
 *
 * Strings are a pointer and a length, in the collation's character set; they may hold zeros and need not be well-formed. Handles must not be
 * NULL. Functions may be called by several threads at once. Nothing is thrown or unwound into the caller.
 *
 * Generated from bindings/c/src by cbindgen; do not edit. */

#ifndef MYSQL_COLLATION_H
#define MYSQL_COLLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The version of this interface. A program asks `mcoll_abi_version` for that of the library that it runs with.
 */
#define MCOLL_ABI_VERSION 1

/*
 MySQL, and builds of it such as Percona Server.
 */
#define MCOLL_MYSQL 1

/*
 MariaDB.
 */
#define MCOLL_MARIADB 2

/*
 Done.
 */
#define MCOLL_OK 0

/*
 The flavour's servers have no such collation.
 */
#define MCOLL_UNKNOWN 1

/*
 The flavour's servers have it; the library was built without the feature that it belongs to.
 */
#define MCOLL_NOT_IMPLEMENTED 2

/*
 A pointer that must not be NULL is, or a number is none of those that are allowed.
 */
#define MCOLL_INVALID_ARGUMENT 3

/*
 The offsets of a column are not in order, or point beyond its values.
 */
#define MCOLL_INVALID_COLUMN 4

/*
 The answer for a row that is NULL, or of a pair of which one is.
 */
#define MCOLL_NULL -1

/*
 A collation. A handle is valid as long as the process runs, is never freed, and may be used by several threads at once. The same
 collation has the same handle.
 */
typedef struct mcoll_collation mcoll_collation;

/*
 A LIKE pattern under a collation. It may be used by several threads at once, until one of them frees it.
 */
typedef struct mcoll_pattern mcoll_pattern;

/*
 What functions answer that can fail: `MCOLL_OK`, or the reason.
 */
typedef int32_t mcoll_status;

/*
 A column of strings, in Arrow's layout. String `i` is the bytes of `values` from offset `i` up to offset `i + 1`, and NULL where bit `i`
 of `validity` (lowest bit of the first byte first) is 0.
 */
typedef struct mcoll_column {
  /*
   How many strings there are, NULLs included.
   */
  size_t rows;
  /*
   `rows + 1` offsets: `int32_t` or `int64_t`, aligned as these are.
   */
  const void *offsets;
  /*
   The size of an offset: 4 or 8.
   */
  size_t offset_size;
  /*
   The bytes of the strings.
   */
  const uint8_t *values;
  /*
   How many bytes there are.
   */
  size_t values_len;
  /*
   A bit a string, or NULL where no string is NULL.
   */
  const uint8_t *validity;
} mcoll_column;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the interface that the library has. It is compatible with a header of the same `MCOLL_ABI_VERSION`.
 */
uint32_t mcoll_abi_version(void);

/*
 The version of the format of sort keys. Keys that are stored compare with keys of the same version only.
 */
uint32_t mcoll_key_format(void);

/*
 A sentence about a status, in English, ended by a NUL. It is static.
 */
const char *mcoll_status_message(mcoll_status status);

/*
 The sort keys of a column, one after the other: key `i` is the bytes of `keys` from offset `i` up to offset `i + 1`, and empty for NULL.

 At most `keys_size` bytes are written; `*keys_len` is the length of all keys, which may be more: then call again with as much room.

 The caller sees to it:
 The column points to what it says; `rows + 1` offsets can be written to `key_offsets`, `keys_size` bytes to `keys` (or it is NULL), and a
 length to `keys_len`.
 */
mcoll_status mcoll_column_sort_keys(const struct mcoll_collation *collation,
                                    const struct mcoll_column *column,
                                    int64_t *key_offsets,
                                    uint8_t *keys,
                                    size_t keys_size,
                                    size_t *keys_len);

/*
 The hash of each string, 0 for NULL.

 The caller sees to it:
 The column points to what it says; `rows` hashes can be written to `hashes`.
 */
mcoll_status mcoll_column_hashes(const struct mcoll_collation *collation,
                                 const struct mcoll_column *column,
                                 uint64_t *hashes);

/*
 The row numbers in ascending order of the strings, NULLs first; equal strings keep their order.

 The caller sees to it:
 The column points to what it says; `rows` numbers can be written to `order`.
 */
mcoll_status mcoll_column_argsort(const struct mcoll_collation *collation,
                                  const struct mcoll_column *column,
                                  size_t *order);

/*
 A number for each row, the same for equal strings, counted from 0 in the order of first occurrence; the NULLs are a group. And how many
 groups there are, unless `count` is NULL.

 The caller sees to it:
 The column points to what it says; `rows` numbers can be written to `groups`, and one to `count`.
 */
mcoll_status mcoll_column_group_ids(const struct mcoll_collation *collation,
                                    const struct mcoll_column *column,
                                    size_t *groups,
                                    size_t *count);

/*
 Whether each string equals `text`: 1, 0, or `MCOLL_NULL`.

 The caller sees to it:
 The column points to what it says, `text` to `text_len` bytes; `rows` answers can be written to `equal`.
 */
mcoll_status mcoll_column_equal(const struct mcoll_collation *collation,
                                const struct mcoll_column *column,
                                const uint8_t *text,
                                size_t text_len,
                                int8_t *equal);

/*
 Whether each string equals that of the other column in the same row: 1, 0, or `MCOLL_NULL`. The columns have as many rows.

 The caller sees to it:
 The columns point to what they say; `rows` answers can be written to `equal`.
 */
mcoll_status mcoll_columns_equal(const struct mcoll_collation *collation,
                                 const struct mcoll_column *a,
                                 const struct mcoll_column *b,
                                 int8_t *equal);

/*
 Whether each string matches a pattern: 1, 0, or `MCOLL_NULL`.

 The caller sees to it:
 The column points to what it says; `rows` answers can be written to `matches`.
 */
mcoll_status mcoll_column_like(const struct mcoll_pattern *pattern,
                               const struct mcoll_column *column,
                               int8_t *matches);

/*
 Finds a collation by its name, in any case: `name_len` bytes, without a NUL. `*collation` is NULL where there is none.

 The caller sees to it:
 `name` points to `name_len` bytes; a handle can be written to `collation`.
 */
mcoll_status mcoll_by_name(uint32_t flavour,
                           const char *name,
                           size_t name_len,
                           const struct mcoll_collation **collation);

/*
 Finds a collation by its id, as the protocol and binary logs have it. `*collation` is NULL where there is none.

 The caller sees to it:
 A handle can be written to `collation`.
 */
mcoll_status mcoll_by_id(uint32_t flavour,
                         uint16_t id,
                         const struct mcoll_collation **collation);

/*
 The collation's name, ended by a NUL. It is static.
 */
const char *mcoll_name(const struct mcoll_collation *collation);

/*
 The name of the character set of the collation's strings, ended by a NUL. It is static.
 */
const char *mcoll_charset(const struct mcoll_collation *collation);

/*
 The collation's id.
 */
uint16_t mcoll_id(const struct mcoll_collation *collation);

/*
 Whether trailing spaces are ignored in comparisons (PAD SPACE).
 */
bool mcoll_pad_space(const struct mcoll_collation *collation);

/*
 Reads a pattern, whose bytes are copied. `escape` is as for `mcoll_like`. Free it by `mcoll_pattern_free`.

 The caller sees to it:
 `pattern` points to `pattern_len` bytes, or is NULL for an empty one.
 */
struct mcoll_pattern *mcoll_pattern_new(const struct mcoll_collation *collation,
                                        const uint8_t *pattern,
                                        size_t pattern_len,
                                        uint32_t escape);

/*
 Whether a string matches.

 The caller sees to it:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
bool mcoll_pattern_matches(const struct mcoll_pattern *pattern,
                           const uint8_t *text,
                           size_t text_len);

/*
 Frees a pattern; NULL is none.

 The caller sees to it:
 `pattern` is NULL, or comes from `mcoll_pattern_new` and is not used after this.
 */
void mcoll_pattern_free(struct mcoll_pattern *pattern);

/*
 -1, 0 or 1: `a` sorts before `b`, equals it, or sorts after it.

 The caller sees to it:
 `a` points to `a_len` bytes, `b` to `b_len`; each may be NULL for an empty string.
 */
int32_t mcoll_compare(const struct mcoll_collation *collation,
                      const uint8_t *a,
                      size_t a_len,
                      const uint8_t *b,
                      size_t b_len);

/*
 Whether `a` equals `b`.

 The caller sees to it:
 `a` points to `a_len` bytes, `b` to `b_len`; each may be NULL for an empty string.
 */
bool mcoll_equal(const struct mcoll_collation *collation,
                 const uint8_t *a,
                 size_t a_len,
                 const uint8_t *b,
                 size_t b_len);

/*
 A hash: equal strings have equal hashes. It can change with the version of the library, and does not withstand somebody who wants
 strings to collide.

 The caller sees to it:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
uint64_t mcoll_hash(const struct mcoll_collation *collation,
                    const uint8_t *text,
                    size_t text_len);

/*
 Writes the beginning of the sort key of `text` to `key`, at most `key_size` bytes, and returns the length of the whole key: as
 snprintf, but without a NUL. Keys compare by memcmp, the shorter one first where one begins with the other, as their strings do.

 The caller sees to it:
 `text` points to `text_len` bytes, or is NULL for an empty string; `key_size` bytes can be written to `key`, or it is NULL.
 */
size_t mcoll_sort_key(const struct mcoll_collation *collation,
                      const uint8_t *text,
                      size_t text_len,
                      uint8_t *key,
                      size_t key_size);

/*
 Writes the beginning of what the server answers to `WEIGHT_STRING(text)`, at most `weights_size` bytes, and returns the length of the
 whole answer.

 The caller sees to it:
 `text` points to `text_len` bytes, or is NULL for an empty string; `weights_size` bytes can be written to `weights`, or it is NULL.
 */
size_t mcoll_weight_string(const struct mcoll_collation *collation,
                           const uint8_t *text,
                           size_t text_len,
                           uint8_t *weights,
                           size_t weights_size);

/*
 Whether `text LIKE pattern ESCAPE escape`. `escape` is a code point, for servers a backslash unless they are told otherwise; 0 is none.

 The caller sees to it:
 `text` points to `text_len` bytes, `pattern` to `pattern_len`; each may be NULL for an empty string.
 */
bool mcoll_like(const struct mcoll_collation *collation,
                const uint8_t *text,
                size_t text_len,
                const uint8_t *pattern,
                size_t pattern_len,
                uint32_t escape);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MYSQL_COLLATION_H */
