/* Tests all functions of the interface: known results, invalid arguments, and random bytes, whose results must be consistent.
 * Runs with sanitizers and under valgrind: each buffer has exactly the announced length. */

#include <mysql_collation.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

static const uint8_t *bytes(const char *text) { return (const uint8_t *)text; }

static const mcoll_collation *find(uint32_t flavour, const char *name) {
    const mcoll_collation *collation = NULL;
    CHECK(mcoll_by_name(flavour, name, strlen(name), &collation) == MCOLL_OK);
    CHECK(collation != NULL);
    return collation;
}

/* Returns a copy on the heap, where the tools detect overruns. Works for length 0, too. */
static uint8_t *copy(const uint8_t *from, size_t length) {
    uint8_t *to = malloc(length);
    CHECK(to != NULL || length == 0);
    if (length > 0) {
        memcpy(to, from, length);
    }
    return to;
}

static void finding(void) {
    const mcoll_collation *ai_ci = find(MCOLL_MYSQL, "UTF8MB4_0900_AI_CI");
    const mcoll_collation *found = NULL;
    CHECK(mcoll_abi_version() == MCOLL_ABI_VERSION);
    CHECK(mcoll_key_format() >= 1);
    CHECK(strcmp(mcoll_name(ai_ci), "utf8mb4_0900_ai_ci") == 0);
    CHECK(strcmp(mcoll_charset(ai_ci), "utf8mb4") == 0);
    CHECK(mcoll_id(ai_ci) == 255 && !mcoll_pad_space(ai_ci));
    CHECK(mcoll_pad_space(find(MCOLL_MARIADB, "latin1_swedish_ci")));
    CHECK(mcoll_by_id(MCOLL_MYSQL, 255, &found) == MCOLL_OK && found == ai_ci);
    CHECK(mcoll_by_id(MCOLL_MYSQL, 0, &found) == MCOLL_UNKNOWN && found == NULL);
    CHECK(mcoll_by_id(3, 255, &found) == MCOLL_INVALID_ARGUMENT && found == NULL);
    CHECK(mcoll_by_id(MCOLL_MYSQL, 255, NULL) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_by_name(MCOLL_MYSQL, "gb18030_chinese_ci", 18, &found) == MCOLL_OK && found != NULL);
    CHECK(mcoll_by_name(MCOLL_MYSQL, "\xff\0x", 3, &found) == MCOLL_UNKNOWN);
    CHECK(mcoll_by_name(MCOLL_MYSQL, NULL, 0, &found) == MCOLL_UNKNOWN);
    CHECK(mcoll_of_name("utf8mb4_general_ci", 18, &found) == MCOLL_OK && mcoll_id(found) == 45);
    CHECK(mcoll_of_name("utf8mb4_uca1400_ai_ci", 21, &found) == MCOLL_OK && mcoll_flavour(found) == MCOLL_MARIADB);
    CHECK(mcoll_of_name("utf8mb4_0900_ai_ci", 18, &found) == MCOLL_AMBIGUOUS && found == NULL);
    CHECK(mcoll_of_name("utf8mb4_9900_ai_ci", 18, &found) == MCOLL_UNKNOWN && found == NULL);
    for (mcoll_status status = -1; status < 7; status++) {
        CHECK(strlen(mcoll_status_message(status)) > 0);
    }
}

static void catalogue(void) {
    CHECK(mcoll_collation_count(MCOLL_MYSQL) == 286 && mcoll_collation_count(MCOLL_MARIADB) == 1288);
    CHECK(mcoll_collation_count(0) == 0);
    size_t defaults = 0;
    for (size_t index = 0; index < mcoll_collation_count(MCOLL_MYSQL); index++) {
        const mcoll_collation *one = NULL, *by_id = NULL;
        CHECK(mcoll_collation_at(MCOLL_MYSQL, index, &one) == MCOLL_OK);
        CHECK(mcoll_by_id(MCOLL_MYSQL, mcoll_id(one), &by_id) == MCOLL_OK && one == by_id);
        CHECK(mcoll_flavour(one) == MCOLL_MYSQL);
        defaults += mcoll_is_default(one);
    }
    CHECK(defaults == 41);
    const mcoll_collation *none = NULL;
    CHECK(mcoll_collation_at(MCOLL_MYSQL, 286, &none) == MCOLL_UNKNOWN && none == NULL);
    CHECK(mcoll_collation_at(9, 0, &none) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_is_binary(find(MCOLL_MARIADB, "utf8mb4_bin")) && !mcoll_is_binary(find(MCOLL_MARIADB, "utf8mb4_general_ci")));
}

static uint32_t charset(const char *name) {
    uint32_t found = 0;
    CHECK(mcoll_charset_by_name(name, strlen(name), &found) == MCOLL_OK);
    return found;
}

static void charsets(void) {
    uint8_t room[3];
    mcoll_converted converted = {.out = room, .out_size = sizeof room};
    uint32_t utf8 = charset("UTF8MB4"), latin1 = charset("latin1"), unknown = 77;
    const uint8_t *text = bytes("\xC3\xA4\xD0\x96\xE2\x82\xAC!");
    CHECK(mcoll_convert(MCOLL_MYSQL, utf8, latin1, text, 8, &converted) == MCOLL_OK);
    CHECK(converted.out_len == 4 && memcmp(room, "\xE4?\x80", 3) == 0 && converted.lost == 1 && converted.taken == 8);
    converted.out_size = 0;
    converted.out = NULL;
    CHECK(mcoll_convert(MCOLL_MARIADB, latin1, utf8, bytes("\xE4"), 1, &converted) == MCOLL_OK && converted.out_len == 2);
    CHECK(mcoll_convert(MCOLL_MYSQL, utf8, 4711, text, 8, &converted) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_convert(7, utf8, latin1, text, 8, &converted) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_charset_by_name("ebcdic", 6, &unknown) == MCOLL_UNKNOWN && unknown == 77);
    CHECK(mcoll_charset_by_name("utf8", 4, NULL) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_well_formed_prefix(utf8, bytes("a\xC3\xA4\xFF"), 4) == 3 && mcoll_well_formed_prefix(4711, text, 8) == 0);
    CHECK(mcoll_char_len(utf8, text, 8) == 4 && mcoll_char_len(latin1, text, 8) == 8 && mcoll_char_len(utf8, NULL, 0) == 0);
}

static void known_answers(void) {
    const mcoll_collation *ai_ci = find(MCOLL_MYSQL, "utf8mb4_0900_ai_ci");
    const mcoll_collation *czech = find(MCOLL_MARIADB, "utf8mb4_czech_ci");
    uint8_t key[8] = {0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE};
    CHECK(mcoll_equal(ai_ci, bytes("Stra\xC3\x9F" "e"), 7, bytes("STRASSE"), 7));
    CHECK(mcoll_compare(czech, bytes("hrad"), 4, bytes("chata"), 5) == -1);
    CHECK(mcoll_compare(ai_ci, NULL, 0, bytes("a"), 1) == -1);
    CHECK(mcoll_hash(ai_ci, bytes("a"), 1) == mcoll_hash(ai_ci, bytes("A"), 1));
    CHECK(mcoll_like(ai_ci, bytes("M\xC3\xBCller"), 7, bytes("m_ll%"), 5, '\\'));
    CHECK(mcoll_like(ai_ci, bytes("10%"), 3, bytes("10|%"), 4, '|'));
    CHECK(!mcoll_like(ai_ci, bytes("10%"), 3, bytes("10|%"), 4, 0));
    CHECK(!mcoll_like(ai_ci, bytes("10%"), 3, bytes("10|%"), 4, 0xFFFFFFFF));
    CHECK(mcoll_weight_string(ai_ci, bytes("ab"), 2, key, 3) == 4);
    CHECK(memcmp(key, "\x1C\x47\x1C\xEE", 4) == 0);
    CHECK(mcoll_weight_string(ai_ci, bytes("ab"), 2, NULL, 0) == 4);
    CHECK(mcoll_sort_key(ai_ci, bytes("ab"), 2, NULL, 100) == 4);
}

static void searches(void) {
    const mcoll_collation *ai_ci = find(MCOLL_MYSQL, "utf8mb4_0900_ai_ci");
    uint8_t start[2], end[2], upper[8];
    mcoll_range range = {start, sizeof start, 0, end, sizeof end, 0};
    mcoll_like_range(ai_ci, bytes("a%b"), 3, '\\', &range);
    CHECK(range.start_len == 2 && memcmp(start, "\x1C\x47", 2) == 0);
    CHECK(range.end_len == 2 && memcmp(end, "\x1C\x48", 2) == 0);
    mcoll_like_range(ai_ci, bytes("ab%"), 3, '\\', &range);
    CHECK(range.start_len == 4 && range.end_len == 4 && memcmp(end, "\x1C\x47", 2) == 0);
    mcoll_range all = {NULL, 0, 1, NULL, 0, 1};
    mcoll_like_range(ai_ci, NULL, 0, 0, &all);
    CHECK(all.start_len == 0 && all.end_len == 0);
    CHECK(mcoll_starts_with(ai_ci, bytes("M\xC3\xBCller"), 7, bytes("MU"), 2));
    CHECK(!mcoll_starts_with(ai_ci, bytes("M"), 1, bytes("M%"), 2));
    CHECK(mcoll_find(ai_ci, bytes("caf\xC3\xA9"), 5, bytes("E"), 1) == 3);
    CHECK(mcoll_find(ai_ci, bytes("cafe"), 4, bytes("x"), 1) == SIZE_MAX);
    CHECK(mcoll_to_upper(ai_ci, bytes("a\xC3\xA4"), 3, upper, sizeof upper) == 3);
    CHECK(memcmp(upper, "A\xC3\x84", 3) == 0);
    CHECK(mcoll_to_lower(ai_ci, upper, 3, NULL, 0) == 3);
    CHECK(mcoll_stable_hash(ai_ci, bytes("a"), 1, 7) == mcoll_stable_hash(ai_ci, bytes("A"), 1, 7));
    CHECK(mcoll_stable_hash(find(MCOLL_MYSQL, "utf8mb4_bin"), bytes("abc"), 3, 0) == 0x44BC2CF5AD770999);
    CHECK(!mcoll_equality_is_bytewise(ai_ci) && !mcoll_order_is_bytewise(ai_ci));
    CHECK(mcoll_equality_is_bytewise(find(MCOLL_MYSQL, "binary")));
    CHECK(mcoll_order_is_bytewise(find(MCOLL_MYSQL, "utf8mb4_0900_bin")));
    CHECK(mcoll_max_sort_key_len(ai_ci, 1) >= 2);
}

static void columns(void) {
    const mcoll_collation *ai_ci = find(MCOLL_MYSQL, "utf8mb4_0900_ai_ci");
    const int32_t offsets[] = {0, 1, 2, 2, 4};
    const uint8_t validity[] = {0xB};
    /* b, A, NULL, a with two dots */
    mcoll_column column = {4, offsets, sizeof *offsets, bytes("bA\xC3\xA4"), 4, validity};
    size_t order[4], groups[4], count, length;
    int8_t flags[4];
    int64_t key_offsets[5];
    uint64_t hashes[4];
    uint8_t keys[6];
    CHECK(mcoll_column_argsort(ai_ci, &column, order) == MCOLL_OK);
    CHECK(order[0] == 2 && order[1] == 1 && order[2] == 3 && order[3] == 0);
    CHECK(mcoll_column_group_ids(ai_ci, &column, groups, &count) == MCOLL_OK && count == 3);
    CHECK(groups[0] == 0 && groups[1] == 1 && groups[2] == 2 && groups[3] == 1);
    CHECK(mcoll_column_group_ids(ai_ci, &column, groups, NULL) == MCOLL_OK);
    CHECK(mcoll_column_equal(ai_ci, &column, bytes("a"), 1, flags) == MCOLL_OK);
    CHECK(flags[0] == 0 && flags[1] == 1 && flags[2] == MCOLL_NULL && flags[3] == 1);
    CHECK(mcoll_columns_equal(ai_ci, &column, &column, flags) == MCOLL_OK);
    CHECK(flags[0] == 1 && flags[1] == 1 && flags[2] == MCOLL_NULL && flags[3] == 1);
    CHECK(mcoll_column_sort_keys(ai_ci, &column, key_offsets, keys, sizeof keys, &length) == MCOLL_OK && length == 6);
    CHECK(key_offsets[0] == 0 && key_offsets[1] == 2 && key_offsets[3] == 4 && key_offsets[4] == 6);
    CHECK(memcmp(keys + 2, keys + 4, 2) == 0);
    CHECK(mcoll_column_hashes(ai_ci, &column, hashes) == MCOLL_OK && hashes[1] == hashes[3] && hashes[2] == 0);

    CHECK(mcoll_column_argsort(ai_ci, NULL, order) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_column_argsort(ai_ci, &column, NULL) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_column_sort_keys(ai_ci, &column, key_offsets, keys, 6, NULL) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_columns_equal(ai_ci, &column, NULL, flags) == MCOLL_INVALID_ARGUMENT);
    CHECK(mcoll_columns_equal(ai_ci, NULL, NULL, flags) == MCOLL_INVALID_ARGUMENT);
    mcoll_column wrong = column;
    wrong.rows = 3;
    CHECK(mcoll_columns_equal(ai_ci, &column, &wrong, flags) == MCOLL_INVALID_ARGUMENT);
    wrong = column;
    wrong.offset_size = 2;
    CHECK(mcoll_column_argsort(ai_ci, &wrong, order) == MCOLL_INVALID_ARGUMENT);
    wrong = column;
    wrong.offsets = NULL;
    CHECK(mcoll_column_argsort(ai_ci, &wrong, order) == MCOLL_INVALID_ARGUMENT);
    wrong = column;
    wrong.rows = SIZE_MAX;
    CHECK(mcoll_column_argsort(ai_ci, &wrong, order) == MCOLL_INVALID_ARGUMENT);
    wrong = column;
    wrong.values_len = 3;
    CHECK(mcoll_column_argsort(ai_ci, &wrong, order) == MCOLL_INVALID_COLUMN);
    wrong = column;
    wrong.values = NULL;
    CHECK(mcoll_column_argsort(ai_ci, &wrong, order) == MCOLL_INVALID_COLUMN);
}

/* xorshift64*: failures are reproducible. */
static uint64_t state = 20261122;

static uint64_t next(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

static size_t below(size_t limit) { return (size_t)(next() >> 33) % limit; }

/* Returns random bytes: half of them from letters, wildcards, spaces and characters of several bytes, half of all bytes. */
static uint8_t *random_bytes(size_t length) {
    static const uint8_t likely[] = "aAbBcChHsSzZ %_\\\t\xC3\xA4\xC3\x9F\xE6\xBC\xA2\xF0\x9F\x98\x80\xED\xA0\x80";
    uint8_t *made = malloc(length);
    CHECK(made != NULL || length == 0);
    for (size_t i = 0; i < length; i++) {
        made[i] = next() >> 63 ? likely[below(sizeof likely)] : (uint8_t)(next() >> 40);
    }
    return made;
}

static int sign(int value) { return (value > 0) - (value < 0); }

/* Returns the key of a string in a block of its exact length. Calls with a short buffer first. */
static uint8_t *key_of(const mcoll_collation *collation, const uint8_t *text, size_t length, size_t *key_length) {
    uint8_t probe[3];
    size_t needed = mcoll_sort_key(collation, text, length, probe, sizeof probe);
    uint8_t *key = malloc(needed);
    CHECK(key != NULL || needed == 0);
    CHECK(mcoll_sort_key(collation, text, length, key, needed) == needed);
    CHECK(needed == 0 || memcmp(key, probe, needed < sizeof probe ? needed : sizeof probe) == 0);
    *key_length = needed;
    return key;
}

static int compare_keys(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length) {
    size_t common = a_length < b_length ? a_length : b_length;
    int order = common > 0 ? memcmp(a, b, common) : 0;
    return order != 0 ? sign(order) : (a_length > b_length) - (a_length < b_length);
}

static void random_texts(const mcoll_collation *collation) {
    size_t a_length = below(40), b_length = below(40), a_key_length, b_key_length;
    uint8_t *a = random_bytes(a_length), *b = below(4) ? random_bytes(b_length) : copy(a, b_length = a_length);
    int order = mcoll_compare(collation, a, a_length, b, b_length);
    CHECK(mcoll_compare(collation, b, b_length, a, a_length) == -order);
    CHECK(mcoll_equal(collation, a, a_length, b, b_length) == (order == 0));
    CHECK(order != 0 || mcoll_hash(collation, a, a_length) == mcoll_hash(collation, b, b_length));
    uint8_t *a_key = key_of(collation, a, a_length, &a_key_length), *b_key = key_of(collation, b, b_length, &b_key_length);
    CHECK(compare_keys(a_key, a_key_length, b_key, b_key_length) == order);
    size_t needed = mcoll_weight_string(collation, a, a_length, NULL, 0), half = needed / 2;
    uint8_t *weights = malloc(half);
    CHECK(mcoll_weight_string(collation, a, a_length, weights, half) == needed);
    static const uint32_t escapes[] = {0, '\\', '_', 0xE4, 0x1F600, 0xD800, 0x110000};
    uint32_t escape = escapes[below(sizeof escapes / sizeof *escapes)];
    bool matches = mcoll_like(collation, a, a_length, b, b_length, escape);
    mcoll_pattern *pattern = mcoll_pattern_new(collation, b, b_length, escape);
    free(b); /* The pattern holds a copy. */
    CHECK(mcoll_pattern_matches(pattern, a, a_length) == matches);
    mcoll_pattern_free(pattern);
    mcoll_pattern_free(NULL);
    free(a), free(a_key), free(b_key), free(weights);
}

/* Compares operations on a random column with its single strings, and tries random offsets. */
static void random_column(const mcoll_collation *collation) {
    size_t rows = below(20), length = 0, count = 0, keys_length = 0;
    int64_t *offsets = malloc((rows + 1) * sizeof *offsets), *key_offsets = malloc((rows + 1) * sizeof *offsets);
    offsets[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        length += below(12);
        offsets[i + 1] = (int64_t)length;
    }
    uint8_t *values = random_bytes(length), *validity = random_bytes((rows + 7) / 8);
    mcoll_column column = {rows, offsets, sizeof *offsets, values, length, below(2) ? validity : NULL};
    size_t *order = malloc((rows + 1) * sizeof *order), *groups = malloc((rows + 1) * sizeof *groups);
    uint64_t *hashes = malloc((rows + 1) * sizeof *hashes);
    int8_t *equal = malloc(rows + 1), *like = malloc(rows + 1);
    CHECK(mcoll_column_argsort(collation, &column, order) == MCOLL_OK);
    CHECK(mcoll_column_group_ids(collation, &column, groups, &count) == MCOLL_OK && count <= rows);
    CHECK(mcoll_column_hashes(collation, &column, hashes) == MCOLL_OK);
    CHECK(mcoll_column_sort_keys(collation, &column, key_offsets, NULL, 0, &keys_length) == MCOLL_OK);
    uint8_t *keys = malloc(keys_length);
    CHECK(mcoll_column_sort_keys(collation, &column, key_offsets, keys, keys_length, &keys_length) == MCOLL_OK);
    size_t last = rows > 0 ? rows - 1 : 0;
    const uint8_t *text = values + offsets[last];
    size_t text_length = rows > 0 ? (size_t)(offsets[rows] - offsets[last]) : 0;
    CHECK(mcoll_column_equal(collation, &column, text, text_length, equal) == MCOLL_OK);
    mcoll_pattern *pattern = mcoll_pattern_new(collation, text, text_length, '\\');
    CHECK(mcoll_column_like(pattern, &column, like) == MCOLL_OK);
    for (size_t i = 0; i < rows; i++) {
        const uint8_t *own = values + offsets[i];
        size_t own_length = (size_t)(offsets[i + 1] - offsets[i]), key_length;
        bool is_null = column.validity != NULL && !(validity[i / 8] >> i % 8 & 1);
        CHECK(equal[i] == (is_null ? MCOLL_NULL : mcoll_equal(collation, own, own_length, text, text_length)));
        CHECK(like[i] == (is_null ? MCOLL_NULL : mcoll_pattern_matches(pattern, own, own_length)));
        CHECK(hashes[i] == (is_null ? 0 : mcoll_hash(collation, own, own_length)));
        uint8_t *key = key_of(collation, own, own_length, &key_length);
        size_t here = (size_t)(key_offsets[i + 1] - key_offsets[i]);
        CHECK(here == (is_null ? 0 : key_length));
        CHECK(here == 0 || memcmp(keys + key_offsets[i], key, here) == 0);
        free(key);
        CHECK(groups[i] < count);
        if (i > 0) {
            size_t a = order[i - 1], b = order[i];
            CHECK((groups[a] == groups[b]) ? a < b : a != b);
        }
    }
    mcoll_pattern_free(pattern);

    for (size_t i = 0; i <= rows; i++) {
        if (below(4) == 0) {
            offsets[i] = (int64_t)next() >> below(64);
        }
    }
    column.values_len = below(length + 1);
    mcoll_status status = mcoll_column_argsort(collation, &column, order);
    CHECK(status == MCOLL_OK || status == MCOLL_INVALID_COLUMN);
    column.offset_size = 4;
    status = mcoll_column_group_ids(collation, &column, groups, &count);
    CHECK(status == MCOLL_OK || status == MCOLL_INVALID_COLUMN);
    free(offsets), free(key_offsets), free(values), free(validity), free(order), free(groups), free(hashes);
    free(equal), free(like), free(keys);
}

static const char *const NAMES[] = {
    "utf8mb4_general_ci", "utf8mb4_bin",       "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb3_czech_ci",
    "latin1_german2_ci",  "utf16_unicode_ci",  "utf32_general_ci",   "ucs2_bin",           "sjis_japanese_ci",
    "gbk_chinese_ci",     "utf8mb4_danish_ci", "binary",             "swe7_swedish_ci",    "utf8mb4_unicode_520_ci",
};

static void *in_a_thread(void *name) {
    const mcoll_collation *collation = find(MCOLL_MARIADB, name);
    for (int i = 0; i < 200; i++) {
        CHECK(mcoll_equal(collation, bytes("aB"), 2, bytes("Ab"), 2));
        CHECK(find(MCOLL_MARIADB, name) == collation);
    }
    return NULL;
}

int main(int count, char **arguments) {
    size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 2000;
    finding();
    catalogue();
    charsets();
    known_answers();
    searches();
    columns();
    for (size_t round = 0; round < rounds; round++) {
        const char *name = NAMES[below(sizeof NAMES / sizeof *NAMES)];
        const mcoll_collation *collation = find(below(2) ? MCOLL_MYSQL : MCOLL_MARIADB, name);
        random_texts(collation);
        random_column(collation);
    }
    pthread_t threads[4];
    static const char *const names[] = {"utf8mb4_spanish_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_spanish_ci", "latin1_general_ci"};
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, in_a_thread, (void *)(uintptr_t)names[i]) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    printf("%zu rounds passed\n", rounds);
    return 0;
}
