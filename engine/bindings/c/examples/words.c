/* Sorts its arguments like `ORDER BY`, and prints which of them a unique key would reject.
 *
 *     cc words.c $(pkg-config --cflags --libs mysql_collation) -o words && ./words Zug STRASSE Ähre Straße */

#include <mysql_collation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    static const char name[] = "utf8mb4_0900_ai_ci";
    const mcoll_collation *collation;
    mcoll_status status = mcoll_by_name(MCOLL_MYSQL, name, strlen(name), &collation);
    if (status != MCOLL_OK) {
        fprintf(stderr, "%s: %s\n", name, mcoll_status_message(status));
        return 1;
    }

    /* The arguments as a column: their concatenated bytes, and the offset of each. */
    size_t rows = (size_t)count - 1, length = 0;
    for (size_t row = 0; row < rows; row++) {
        length += strlen(arguments[row + 1]);
    }
    int64_t *offsets = calloc(rows + 1, sizeof *offsets);
    char *values = malloc(length + 1);
    size_t *order = malloc((rows + 1) * sizeof *order), *groups = malloc((rows + 1) * sizeof *groups);
    if (!offsets || !values || !order || !groups) {
        return 1;
    }
    for (size_t row = 0; row < rows; row++) {
        size_t bytes = strlen(arguments[row + 1]);
        memcpy(values + offsets[row], arguments[row + 1], bytes);
        offsets[row + 1] = offsets[row] + (int64_t)bytes;
    }
    mcoll_column column = {rows, offsets, sizeof *offsets, (const uint8_t *)values, length, NULL};

    status = mcoll_column_argsort(collation, &column, order);
    if (status == MCOLL_OK) {
        status = mcoll_column_group_ids(collation, &column, groups, NULL);
    }
    if (status != MCOLL_OK) {
        fprintf(stderr, "%s\n", mcoll_status_message(status));
        return 1;
    }
    for (size_t i = 0; i < rows; i++) {
        const char *word = arguments[order[i] + 1];
        if (i > 0 && groups[order[i]] == groups[order[i - 1]]) {
            printf("%s (equals %s)\n", word, arguments[order[i - 1] + 1]);
        } else {
            printf("%s\n", word);
        }
    }
    free(offsets), free(values), free(order), free(groups);
    return 0;
}
