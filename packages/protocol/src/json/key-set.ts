/** Up to here keys are compared one by one; above, a set of texts keeps the cost linear. */
const COMPARED_MAX = 16;

// A byte order mark is part of a key: dropping it would make two different keys look the same.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The keys of one object, to find one that comes twice. Keys are compared as encoded bytes, so two
 * spellings of one key (with and without escapes) are equal, and no text is made for small objects.
 */
export class KeySet {
  /** Start and end of each key in the encoded bytes, one behind the other. */
  readonly #ranges = new Int32Array(2 * (COMPARED_MAX + 1));
  #count = 0;
  #texts: Set<string> | undefined;

  /** Forgets all keys. */
  clear(): void {
    this.#count = 0;
    this.#texts = undefined;
  }

  /** Adds the encoded key that lies in `[start, end)`; false when it is there already. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#texts !== undefined) {
      const text = encodedText(bytes, start, end);
      if (this.#texts.has(text)) return false;
      this.#texts.add(text);
      return true;
    }
    const ranges = this.#ranges;
    const length = 2 * this.#count;
    for (let index = 0; index < length; index += 2) {
      const from = ranges[index] as number;
      if ((ranges[index + 1] as number) - from !== end - start) continue;
      if (isSame(bytes, from, start, end - start)) return false;
    }
    ranges[length] = start;
    ranges[length + 1] = end;
    this.#count += 1;
    if (this.#count > COMPARED_MAX) this.#texts = this.#collect(bytes);
    return true;
  }

  #collect(bytes: Uint8Array): Set<string> {
    const texts = new Set<string>();
    for (let index = 0; index < 2 * this.#count; index += 2) {
      const start = this.#ranges[index] as number;
      texts.add(encodedText(bytes, start, this.#ranges[index + 1] as number));
    }
    return texts;
  }
}

/** The text of the encoded string that lies in `[start, end)`. */
function encodedText(bytes: Uint8Array, start: number, end: number): string {
  const first = bytes[start] as number;
  const header = first < 0xc0 ? 1 : first === 0xd9 ? 2 : first === 0xda ? 3 : 5;
  return decoder.decode(bytes.subarray(start + header, end));
}

function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  // From the end: keys of one object tend to differ there, and headers are equal anyway.
  for (let offset = length - 1; offset >= 0; offset--) {
    if (bytes[one + offset] !== bytes[other + offset]) return false;
  }
  return true;
}
