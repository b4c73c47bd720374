/** A collation of MySQL or MariaDB. Strings are converted to its character set, as in a column. */
export interface Collation {
  readonly name: string;
  /** Order of two strings: -1, 0 or 1. Bound: `array.sort(collation.compare)`. */
  readonly compare: (a: string, b: string) => -1 | 0 | 1;
  /** True if `a = b` holds on the server. */
  equals(a: string, b: string): boolean;
  /** `text LIKE pattern ESCAPE escape`. An empty escape: none. */
  like(text: string, pattern: string, escape?: string): boolean;
  /** Bytes that compare as the strings do. Equal strings have equal keys. */
  sortKey(text: string): Uint8Array;
  /** `WEIGHT_STRING(text)`. */
  weightString(text: string): Uint8Array;
  /** A sorted copy. Equal strings keep their order. */
  sort(texts: Iterable<string>): string[];
}

/**
 * Finds a collation by name. A prefix `mysql:` or `mariadb:` chooses where the two differ.
 * @throws RangeError if there is none, or if the name means two.
 */
export function collation(name: string): Collation;

/** All names, with the servers that have them. */
export function collations(): { name: string; servers: string }[];

/** What `weigh explain --format json` prints: how collations see two strings. */
export function explain(a: string, b: string, names: string[]): { views: unknown[]; notes: string[] };
