/* The collations of MySQL and MariaDB, exact to each weight, without a server.
 *
 * Strings are a pointer and a length, in the collation's character set. They may contain zero bytes
 * and need not be well-formed. Handles must not be NULL. All functions are thread-safe. No exception
 * or panic reaches the caller.
 *
 * Generated from engine/bindings/c/src by cbindgen; do not edit. */

#ifndef MYSQL_COLLATION_H
#define MYSQL_COLLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 Version of this interface. `mcoll_abi_version` returns the version of the loaded library.
 */
#define MCOLL_ABI_VERSION 1

/*
 MySQL, Percona Server and other builds of MySQL.
 */
#define MCOLL_MYSQL 1

/*
 MariaDB.
 */
#define MCOLL_MARIADB 2

/*
 Success.
 */
#define MCOLL_OK 0

/*
 No collation or character set has the name or number.
 */
#define MCOLL_UNKNOWN 1

/*
 The servers have the collation, but the library was built without its feature.
 */
#define MCOLL_NOT_IMPLEMENTED 2

/*
 A pointer is NULL or misaligned that must not be, or a number is invalid.
 */
#define MCOLL_INVALID_ARGUMENT 3

/*
 The offsets of a column are negative, decrease, or exceed the length of its values.
 */
#define MCOLL_INVALID_COLUMN 4

/*
 The name means different orders in MySQL and in MariaDB. `mcoll_of_name` returns it.
 */
#define MCOLL_AMBIGUOUS 5

/*
 Result for a row in which a string is NULL.
 */
#define MCOLL_NULL -1

/*
 Handle of a collation. Each collation has one handle, which is valid until the process ends and
 is never freed. Several threads may use it at once.
 */
typedef struct mcoll_collation mcoll_collation;

/*
 A LIKE pattern under a collation. Several threads may use it at once until it is freed.
 */
typedef struct mcoll_pattern mcoll_pattern;

/*
 Result of a function that can fail: `MCOLL_OK`, or the reason.
 */
typedef int32_t mcoll_status;

/*
 A converted string. `mcoll_convert` fills it.
 */
typedef struct mcoll_converted {
  /*
   Room for the string, or NULL.
   */
  uint8_t *out;
  /*
   Size of `out` in bytes.
   */
  size_t out_size;
  /*
   Length of the whole string, which can exceed `out_size`.
   */
  size_t out_len;
  /*
   Number of characters of the text that the string lacks: each that became `?`, and all from
   where MySQL cuts the string on. An ill-formed byte counts as one. Characters that a small
   `out` has no room for are not lost.
   */
  size_t lost;
  /*
   Number of the text's bytes that were converted: all, unless MySQL cuts the string.
   */
  size_t taken;
} mcoll_converted;

/*
 A column of strings in Arrow's layout. String `i` is the bytes of `values` from offset `i` to
 offset `i + 1`. It is NULL if bit `i` of `validity` is 0; the lowest bit of a byte is first.
 */
typedef struct mcoll_column {
  /*
   Number of strings, including NULLs.
   */
  size_t rows;
  /*
   `rows + 1` aligned offsets of type `int32_t` or `int64_t`.
   */
  const void *offsets;
  /*
   Size of an offset in bytes: 4 or 8.
   */
  size_t offset_size;
  /*
   Bytes of all strings.
   */
  const uint8_t *values;
  /*
   Number of bytes in `values`.
   */
  size_t values_len;
  /*
   One bit per string, or NULL if no string is NULL.
   */
  const uint8_t *validity;
} mcoll_column;

/*
 A range of sort keys: all keys from `start` on that are less than `end`. `mcoll_like_range`
 fills it.
 */
typedef struct mcoll_range {
  /*
   Room for the least bytes in the range, or NULL.
   */
  uint8_t *start;
  /*
   Size of `start` in bytes.
   */
  size_t start_size;
  /*
   Length of the least bytes in the range, which can exceed `start_size`.
   */
  size_t start_len;
  /*
   Room for the least bytes after the range, or NULL.
   */
  uint8_t *end;
  /*
   Size of `end` in bytes.
   */
  size_t end_size;
  /*
   Length of the least bytes after the range, which can exceed `end_size`. 0 if the range has
   no end.
   */
  size_t end_len;
} mcoll_range;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the interface version of the library. It is compatible with headers of the same
 `MCOLL_ABI_VERSION`.
 */
uint32_t mcoll_abi_version(void);

/*
 Returns the version of the sort key format. Compare stored keys only with keys of the same
 version.
 */
uint32_t mcoll_key_format(void);

/*
 Returns a sentence about a status, in English, NUL-terminated. The string is static.
 */
const char *mcoll_status_message(mcoll_status status);

/*
 Looks up a character set by its name: `name_len` bytes, without NUL at the end, in upper or
 lower case. `utf8` means `utf8mb3`. The number is valid until the process ends.

 The caller must guarantee:
 `name` points to `name_len` bytes, or is NULL for an empty name. `charset` is NULL, which is
 refused, or a number can be written to it.
 */
mcoll_status mcoll_charset_by_name(const char *name, size_t name_len, uint32_t *charset);

/*
 Returns the length in bytes of the longest well-formed prefix of `text`, which MySQL accepts in
 a column; 0 for an unknown character set.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
size_t mcoll_well_formed_prefix(uint32_t charset, const uint8_t *text, size_t text_len);

/*
 Returns the length of `text` in characters. Each ill-formed byte counts as a character. 0 for an
 unknown character set.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
size_t mcoll_char_len(uint32_t charset, const uint8_t *text, size_t text_len);

/*
 Converts `text` from one character set to another, as CONVERT(text USING to) of the flavour's
 servers: a character that `to` lacks becomes `?`. `MCOLL_INVALID_ARGUMENT` for an unknown
 flavour or character set.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string. `converted->out` has room for
 `converted->out_size` bytes, or is NULL.
 */
mcoll_status mcoll_convert(uint32_t flavour,
                           uint32_t from,
                           uint32_t to,
                           const uint8_t *text,
                           size_t text_len,
                           struct mcoll_converted *converted);

/*
 Writes the concatenated sort keys of a column. Key `i` is the bytes of `keys` from offset `i` to
 offset `i + 1`. The key of NULL is empty.

 Writes at most `keys_size` bytes, and the total length of all keys to `*keys_len`. If the total
 is larger than `keys_size`, call again with a larger buffer.

 The caller must guarantee:
 The column is valid. `key_offsets` has room for `rows + 1` offsets, and `keys_len` for a length.
 `keys` has room for `keys_size` bytes, or is NULL.
 */
mcoll_status mcoll_column_sort_keys(const struct mcoll_collation *collation,
                                    const struct mcoll_column *column,
                                    int64_t *key_offsets,
                                    uint8_t *keys,
                                    size_t keys_size,
                                    size_t *keys_len);

/*
 Writes the hash of each string. The hash of NULL is 0.

 The caller must guarantee:
 The column is valid. `hashes` has room for `rows` hashes.
 */
mcoll_status mcoll_column_hashes(const struct mcoll_collation *collation,
                                 const struct mcoll_column *column,
                                 uint64_t *hashes);

/*
 Writes the row numbers in ascending order of the strings, NULLs first. The order is stable.

 The caller must guarantee:
 The column is valid. `order` has room for `rows` numbers.
 */
mcoll_status mcoll_column_argsort(const struct mcoll_collation *collation,
                                  const struct mcoll_column *column,
                                  size_t *order);

/*
 Writes a group number per row. Equal strings have the same number, and all NULLs are one group.
 Numbers count from 0 in the order of first occurrence. Writes the number of groups to `count`
 unless it is NULL.

 The caller must guarantee:
 The column is valid. `groups` has room for `rows` numbers. `count` has room for one, or is NULL.
 */
mcoll_status mcoll_column_group_ids(const struct mcoll_collation *collation,
                                    const struct mcoll_column *column,
                                    size_t *groups,
                                    size_t *count);

/*
 Writes for each string whether it equals `text`: 1, 0, or `MCOLL_NULL`.

 The caller must guarantee:
 The column is valid, and `text` points to `text_len` bytes. `equal` has room for `rows` results.
 */
mcoll_status mcoll_column_equal(const struct mcoll_collation *collation,
                                const struct mcoll_column *column,
                                const uint8_t *text,
                                size_t text_len,
                                int8_t *equal);

/*
 Writes for each row whether its strings in both columns are equal: 1, 0, or `MCOLL_NULL`. The
 columns must have the same number of rows.

 The caller must guarantee:
 Both columns are valid. `equal` has room for `rows` results.
 */
mcoll_status mcoll_columns_equal(const struct mcoll_collation *collation,
                                 const struct mcoll_column *a,
                                 const struct mcoll_column *b,
                                 int8_t *equal);

/*
 Writes for each string whether it matches a pattern: 1, 0, or `MCOLL_NULL`.

 The caller must guarantee:
 The column is valid. `matches` has room for `rows` results.
 */
mcoll_status mcoll_column_like(const struct mcoll_pattern *pattern,
                               const struct mcoll_column *column,
                               int8_t *matches);

/*
 Looks up a collation by its name: `name_len` bytes, without NUL at the end, in upper or lower
 case. Sets `*collation` to NULL on failure.

 The caller must guarantee:
 `name` points to `name_len` bytes, or is NULL for an empty name. `collation` is NULL, which is
 refused, or a handle can be written to it.
 */
mcoll_status mcoll_by_name(uint32_t flavour,
                           const char *name,
                           size_t name_len,
                           const struct mcoll_collation **collation);

/*
 Looks up a collation by a name that has one meaning: only one flavour has it, or both order all
 well-formed strings in the same way. Returns `MCOLL_AMBIGUOUS` if they differ. Sets `*collation`
 to NULL on failure.

 The caller must guarantee:
 As for `mcoll_by_name`.
 */
mcoll_status mcoll_of_name(const char *name,
                           size_t name_len,
                           const struct mcoll_collation **collation);

/*
 Looks up a collation by its id in the protocol and in binary logs. Sets `*collation` to NULL on
 failure.

 The caller must guarantee:
 `collation` is NULL, which is refused, or a handle can be written to it.
 */
mcoll_status mcoll_by_id(uint32_t flavour, uint16_t id, const struct mcoll_collation **collation);

/*
 Returns the number of collations of a flavour; 0 for an unknown flavour.
 */
size_t mcoll_collation_count(uint32_t flavour);

/*
 Finds a collation of a flavour by its index in the order of ids. Sets `*collation` to NULL on
 failure. Returns `MCOLL_UNKNOWN` if `index` is not below `mcoll_collation_count`, and
 `MCOLL_NOT_IMPLEMENTED` for a collation that this build lacks.

 The caller must guarantee:
 `collation` is NULL, which is refused, or a handle can be written to it.
 */
mcoll_status mcoll_collation_at(uint32_t flavour,
                                size_t index,
                                const struct mcoll_collation **collation);

/*
 Returns the collation's flavour: `MCOLL_MYSQL` or `MCOLL_MARIADB`.
 */
uint32_t mcoll_flavour(const struct mcoll_collation *collation);

/*
 Returns true if the collation is the default of its character set in the newest version of its
 flavour: for utf8mb4, `utf8mb4_0900_ai_ci` of MySQL and `utf8mb4_uca1400_ai_ci` of MariaDB.
 */
bool mcoll_is_default(const struct mcoll_collation *collation);

/*
 Returns true if the collation compares the codes of bytes or characters (`binary`, `…_bin`).
 */
bool mcoll_is_binary(const struct mcoll_collation *collation);

/*
 Returns the collation's name, NUL-terminated. The string is static.
 */
const char *mcoll_name(const struct mcoll_collation *collation);

/*
 Returns the name of the collation's character set, NUL-terminated. The string is static.
 */
const char *mcoll_charset(const struct mcoll_collation *collation);

/*
 Returns the collation's id in the protocol and in binary logs.
 */
uint16_t mcoll_id(const struct mcoll_collation *collation);

/*
 Returns true if comparisons ignore trailing spaces (PAD SPACE).
 */
bool mcoll_pad_space(const struct mcoll_collation *collation);

/*
 Compiles a pattern and copies its bytes. `escape` is as for `mcoll_like`. Free the pattern with
 `mcoll_pattern_free`.

 The caller must guarantee:
 `pattern` points to `pattern_len` bytes, or is NULL for an empty one.
 */
struct mcoll_pattern *mcoll_pattern_new(const struct mcoll_collation *collation,
                                        const uint8_t *pattern,
                                        size_t pattern_len,
                                        uint32_t escape);

/*
 Returns true if a string matches the pattern.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
bool mcoll_pattern_matches(const struct mcoll_pattern *pattern,
                           const uint8_t *text,
                           size_t text_len);

/*
 Frees a pattern. NULL is allowed.

 The caller must guarantee:
 `pattern` is NULL, or comes from `mcoll_pattern_new` and is not used after this.
 */
void mcoll_pattern_free(struct mcoll_pattern *pattern);

/*
 Writes a range that contains the sort keys of all strings that match a LIKE pattern, from its
 characters before the first wildcard. The range can contain other keys, too. `escape` is as for
 `mcoll_like`. The key of a prefix is not a prefix of the keys of its strings.

 The caller must guarantee:
 `pattern` points to `pattern_len` bytes, or is NULL for an empty one. `start` has room for
 `start_size` bytes, `end` for `end_size` bytes, or they are NULL.
 */
void mcoll_like_range(const struct mcoll_collation *collation,
                      const uint8_t *pattern,
                      size_t pattern_len,
                      uint32_t escape,
                      struct mcoll_range *range);

/*
 Returns true if `text` begins with `prefix`, as `text LIKE 'prefix%'` with all characters of
 `prefix` taken literally.

 The caller must guarantee:
 `text` points to `text_len` bytes, `prefix` to `prefix_len` bytes. NULL is an empty string.
 */
bool mcoll_starts_with(const struct mcoll_collation *collation,
                       const uint8_t *text,
                       size_t text_len,
                       const uint8_t *prefix,
                       size_t prefix_len);

/*
 Returns the byte offset of the first occurrence of `needle` in `text`, as LOCATE of MySQL 9.7
 and MariaDB 11.8 finds it; `SIZE_MAX` if `text` does not contain it.

 The caller must guarantee:
 `text` points to `text_len` bytes, `needle` to `needle_len` bytes. NULL is an empty string.
 */
size_t mcoll_find(const struct mcoll_collation *collation,
                  const uint8_t *text,
                  size_t text_len,
                  const uint8_t *needle,
                  size_t needle_len);

/*
 Writes at most `out_size` bytes of `UPPER(text)`. Returns the length of the whole result.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string. `out` has room for `out_size`
 bytes, or is NULL.
 */
size_t mcoll_to_upper(const struct mcoll_collation *collation,
                      const uint8_t *text,
                      size_t text_len,
                      uint8_t *out,
                      size_t out_size);

/*
 Writes at most `out_size` bytes of `LOWER(text)`. Returns the length of the whole result.

 The caller must guarantee:
 As for `mcoll_to_upper`.
 */
size_t mcoll_to_lower(const struct mcoll_collation *collation,
                      const uint8_t *text,
                      size_t text_len,
                      uint8_t *out,
                      size_t out_size);

/*
 Returns a hash that no version of the library changes: XXH64 of the weights, with a seed. Equal
 strings have equal hashes.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
uint64_t mcoll_stable_hash(const struct mcoll_collation *collation,
                           const uint8_t *text,
                           size_t text_len,
                           uint64_t seed);

/*
 Returns true if two well-formed strings are equal under the collation only if their bytes are.
 */
bool mcoll_equality_is_bytewise(const struct mcoll_collation *collation);

/*
 Returns true if two well-formed strings compare as their bytes do.
 */
bool mcoll_order_is_bytewise(const struct mcoll_collation *collation);

/*
 Returns an upper bound of the length of sort keys for strings of at most `bytes` bytes.
 */
size_t mcoll_max_sort_key_len(const struct mcoll_collation *collation, size_t bytes);

/*
 Returns -1, 0 or 1: `a` sorts before `b`, equals `b`, or sorts after `b`.

 The caller must guarantee:
 `a` points to `a_len` bytes, `b` to `b_len` bytes. NULL is an empty string.
 */
int32_t mcoll_compare(const struct mcoll_collation *collation,
                      const uint8_t *a,
                      size_t a_len,
                      const uint8_t *b,
                      size_t b_len);

/*
 Returns true if `a` equals `b`.

 The caller must guarantee:
 `a` points to `a_len` bytes, `b` to `b_len` bytes. NULL is an empty string.
 */
bool mcoll_equal(const struct mcoll_collation *collation,
                 const uint8_t *a,
                 size_t a_len,
                 const uint8_t *b,
                 size_t b_len);

/*
 Returns a hash. Equal strings have equal hashes. Versions of the library may have different
 hashes. The hash is not safe against deliberate collisions.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string.
 */
uint64_t mcoll_hash(const struct mcoll_collation *collation, const uint8_t *text, size_t text_len);

/*
 Writes at most `key_size` bytes of the sort key of `text` to `key`. Returns the length of the
 whole key, like snprintf, but without NUL. Keys compare by memcmp as their strings do; a key
 that is a prefix of another sorts first.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string. `key` has room for `key_size`
 bytes, or is NULL.
 */
size_t mcoll_sort_key(const struct mcoll_collation *collation,
                      const uint8_t *text,
                      size_t text_len,
                      uint8_t *key,
                      size_t key_size);

/*
 Writes at most `weights_size` bytes of the result of `WEIGHT_STRING(text)`. Returns the length
 of the whole result.

 The caller must guarantee:
 `text` points to `text_len` bytes, or is NULL for an empty string. `weights` has room for
 `weights_size` bytes, or is NULL.
 */
size_t mcoll_weight_string(const struct mcoll_collation *collation,
                           const uint8_t *text,
                           size_t text_len,
                           uint8_t *weights,
                           size_t weights_size);

/*
 Returns true if `text LIKE pattern ESCAPE escape`. `escape` is a code point. Servers use a
 backslash by default. 0 and invalid code points disable the escape.

 The caller must guarantee:
 `text` points to `text_len` bytes, `pattern` to `pattern_len` bytes. NULL is an empty string.
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
