/** Joins a module whose bytes at even places come first, so that it compresses better. */
export function join(split) {
  const odd = (split.length + 1) >> 1;
  return split.map((_, at) => split[at % 2 === 0 ? at / 2 : odd + (at - 1) / 2]);
}

/**
 * Makes the package's functions from an instance of the library.
 * A call may grow the memory, which detaches its buffer: memory.buffer is read after each call.
 */
export function functions({ memory, ...library }) {
  const encoder = new TextEncoder();
  const found = new Map();

  const write = (...texts) => {
    const parts = texts.map((text) => (typeof text === 'string' ? encoder.encode(text) : text));
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let at = library.input(length);
    const bytes = new Uint8Array(memory.buffer);
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return parts[0].length;
  };
  const read = (length) => new Uint8Array(memory.buffer, library.output(), length).slice();
  const ask = (question) => {
    write(JSON.stringify(question));
    const answer = JSON.parse(new TextDecoder().decode(read(library.answer())));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };

  class Collation {
    #handle;

    constructor(name, handle) {
      this.name = name;
      this.#handle = handle;
      // Bound, so that it can be passed to Array.sort.
      this.compare = (a, b) => library.compare(this.#handle, write(a, b));
    }

    equals(a, b) {
      return this.compare(a, b) === 0;
    }

    like(text, pattern, escape = '\\') {
      const length = write(text, pattern);
      return library.like(this.#handle, length, escape === '' ? 0 : escape.codePointAt(0)) === 1;
    }

    sortKey(text) {
      write(text);
      return read(library.sort_key(this.#handle));
    }

    weightString(text) {
      write(text);
      return read(library.weight_string(this.#handle));
    }

    sort(texts) {
      return [...texts].sort(this.compare);
    }
  }

  return {
    collation(name) {
      if (!found.has(name)) {
        write(name);
        const handle = library.find();
        if (handle === -2) {
          throw new RangeError(`MySQL and MariaDB order ${name} differently: say mysql:${name} or mariadb:${name}`);
        }
        if (handle < 0) throw new RangeError(`neither MySQL nor MariaDB has a collation ${name}`);
        found.set(name, new Collation(name, handle));
      }
      return found.get(name);
    },
    collations: () => ask({ ask: 'collations' }).collations,
    explain: (a, b, names) => ask({ ask: 'explain', a, b, collations: names }).explanation,
  };
}
