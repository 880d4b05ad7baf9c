import { LIMITS } from '../limits.ts';
import { ARRAY, MAP, writeHeader, writeInteger, writeStringHeader, writeUtf8 } from './msgpack.ts';

/**
 * The reason a text was rejected. The functions in `scan.ts` catch this error and return a value.
 */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The requested value of the top-level object: its bytes, and its position in the text. */
type Requested = { readonly bytes: Uint8Array; readonly start: number; readonly end: number };

const SCRATCH_BYTES = 64 * 1024;
const DIGITS_MAX = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Parses JSON text strictly and writes MessagePack in the same pass, so that the hash always
 * matches the text as read. Signatures cover the MessagePack of the action in the key order of the
 * text; `JSON.parse` would change that order for keys that look like integers, and keep only the
 * last of any repeated keys. One instance reads all texts in sequence and reuses its buffer.
 */
export class Transcoder {
  #text = '';
  #position = 0;
  #scratch = new Uint8Array(SCRATCH_BYTES);
  #out = this.#scratch;
  #length = 0;
  #depth = 0;
  #requestedKey = '';
  #requested: Requested | undefined;
  /** The keys of the open objects, by depth. */
  #keySets: KeySet[] = [];

  /** Encodes a text that must consist of exactly one value. */
  run(text: string): Uint8Array {
    return this.view(text).slice();
  }

  /** Encodes a text in the transcoder's own buffer, which the next text overwrites. */
  view(text: string): Uint8Array {
    this.#begin(text, '');
    try {
      this.#whole();
      return this.#out.subarray(0, this.#length);
    } finally {
      this.#end();
    }
  }

  /**
   * Checks a text that must consist of exactly one value, and throws `JsonFault` if it is rejected.
   */
  check(text: string): void {
    this.view(text);
  }

  /**
   * Checks a text that must consist of exactly one object, and returns the value of one of its
   * keys.
   */
  pick(text: string, key: string): Requested | undefined {
    this.#begin(text, key);
    try {
      this.#blanks();
      if (text.charCodeAt(this.#position) !== 0x7b) this.#fail('not an object');
      this.#whole();
      return this.#requested;
    } finally {
      this.#end();
    }
  }

  #begin(text: string, requestedKey: string): void {
    // Every character becomes at most three bytes, so the writes do not need a bounds check.
    const bytes = text.length * 3 + 16;
    this.#out = bytes <= this.#scratch.length ? this.#scratch : new Uint8Array(bytes);
    this.#text = text;
    this.#position = 0;
    this.#length = 0;
    this.#depth = 0;
    this.#requestedKey = requestedKey;
    this.#requested = undefined;
  }

  #end(): void {
    this.#text = '';
    this.#out = this.#scratch;
  }

  #whole(): void {
    this.#value();
    this.#blanks();
    if (this.#position !== this.#text.length) this.#fail('text after the value');
  }

  #fail(message: string, at = this.#position): never {
    throw new JsonFault(message, at);
  }

  #blanks(): void {
    const text = this.#text;
    let position = this.#position;
    let code = text.charCodeAt(position);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = text.charCodeAt(++position);
    }
    this.#position = position;
  }

  #value(): void {
    this.#blanks();
    const code = this.#text.charCodeAt(this.#position);
    if (code === QUOTE) this.#string();
    else if (code === 0x7b) this.#object();
    else if (code === 0x5b) this.#array();
    else if (code === MINUS || (code >= ZERO && code <= NINE)) this.#number(code);
    else if (code === 0x74) this.#word('true', 0xc3);
    else if (code === 0x66) this.#word('false', 0xc2);
    else if (code === 0x6e) this.#word('null', 0xc0);
    else this.#fail(Number.isNaN(code) ? 'unexpected end' : 'unexpected character');
  }

  #word(word: string, byte: number): void {
    if (!this.#text.startsWith(word, this.#position)) this.#fail('unexpected character');
    this.#position += word.length;
    this.#out[this.#length++] = byte;
  }

  #open(): number {
    if (++this.#depth > LIMITS.jsonDepthMax) this.#fail('nested too deeply');
    this.#position++;
    this.#blanks();
    // One byte is enough for the header of up to 15 entries; `#close` inserts space for more.
    return this.#length++;
  }

  #close(start: number, count: number, kind: typeof ARRAY | typeof MAP): void {
    this.#position++;
    this.#depth--;
    this.#length = writeHeader(this.#out, start, this.#length, count, kind);
  }

  #array(): void {
    const start = this.#open();
    let count = 0;
    if (this.#text.charCodeAt(this.#position) !== 0x5d) {
      for (;;) {
        this.#value();
        count++;
        this.#blanks();
        const code = this.#text.charCodeAt(this.#position);
        if (code === 0x5d) break;
        if (code !== 0x2c) this.#fail('expected , or ]');
        this.#position++;
      }
    }
    this.#close(start, count, ARRAY);
  }

  #object(): void {
    const start = this.#open();
    // One set per depth is reused, because two objects at the same depth are never open at the same
    // time.
    const keys = (this.#keySets[this.#depth] ??= new KeySet());
    keys.clear();
    let count = 0;
    if (this.#text.charCodeAt(this.#position) !== 0x7d) {
      for (;;) {
        const keyStart = this.#length;
        this.#key(keys);
        count++;
        this.#blanks();
        if (this.#text.charCodeAt(this.#position) !== 0x3a) this.#fail('expected :');
        this.#position++;
        const requested =
          this.#depth === 1 && this.#requestedKey !== '' && this.#isRequested(keyStart);
        if (requested) this.#keepValue();
        else this.#value();
        this.#blanks();
        const code = this.#text.charCodeAt(this.#position);
        if (code === 0x7d) break;
        if (code !== 0x2c) this.#fail('expected , or }');
        this.#position++;
        this.#blanks();
      }
    }
    this.#close(start, count, MAP);
  }

  /**
   * Reads a key, and rejects a key that the object already has, whether or not it is written with
   * escapes.
   */
  #key(keys: KeySet): void {
    const at = this.#position;
    if (this.#text.charCodeAt(at) !== QUOTE) this.#fail('expected a key');
    const start = this.#length;
    this.#string();
    if (!keys.add(this.#out, start, this.#length)) this.#fail('duplicate key', at);
  }

  /**
   * Returns true if the last key is the requested one. The requested key must be short ASCII, so
   * that its header is one byte.
   */
  #isRequested(keyStart: number): boolean {
    const key = this.#requestedKey;
    if (this.#length - keyStart !== key.length + 1) return false;
    for (let index = 0; index < key.length; index++) {
      if (this.#out[keyStart + 1 + index] !== key.charCodeAt(index)) return false;
    }
    return true;
  }

  #keepValue(): void {
    this.#blanks();
    const start = this.#position;
    const from = this.#length;
    this.#value();
    const bytes = this.#out.slice(from, this.#length);
    this.#requested = { bytes, start, end: this.#position };
  }

  #number(first: number): void {
    const text = this.#text;
    const at = this.#position;
    const negative = first === MINUS;
    const digits = negative ? at + 1 : at;
    let position = digits;
    let value = 0;
    let code = text.charCodeAt(position);
    while (code >= ZERO && code <= NINE) {
      value = value * 10 + (code - ZERO);
      code = text.charCodeAt(++position);
    }
    const count = position - digits;
    if (count === 0) this.#fail('expected a digit', position);
    if (text.charCodeAt(digits) === ZERO && (count > 1 || negative)) {
      this.#fail(count > 1 ? 'leading zero' : 'negative zero', at);
    }
    // A fraction or an exponent is rejected even for an integral value, because the hash supports
    // only integers.
    if (code === 0x2e || code === 0x65 || code === 0x45) this.#fail('not an integer', at);
    // Rounding is monotonic for numbers of up to 16 digits, so a value above the bound never
    // appears to be below it.
    if (count > DIGITS_MAX || value > Number.MAX_SAFE_INTEGER) this.#fail('integer too large', at);
    this.#position = position;
    this.#length = writeInteger(this.#out, this.#length, negative ? -value : value);
  }

  #string(): void {
    const text = this.#text;
    const out = this.#out;
    const from = this.#length;
    const start = this.#position + 1;
    let position = start;
    let length = from + 1;
    let code = text.charCodeAt(position);
    while (code !== QUOTE) {
      // The condition is also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20 && code < 0x7f && code !== BACKSLASH)) {
        this.#slowString(start);
        return;
      }
      out[length++] = code;
      code = text.charCodeAt(++position);
    }
    this.#position = position + 1;
    this.#closeString(from, length);
  }

  /**
   * Writes the header of a string whose bytes are in `[from + 1, end)`, inserting space for it
   * first.
   */
  #closeString(from: number, end: number): void {
    const out = this.#out;
    const bytes = end - from - 1;
    if (bytes < 32) {
      out[from] = 0xa0 | bytes;
      this.#length = end;
      return;
    }
    const header = bytes < 0x100 ? 2 : bytes < 0x10000 ? 3 : 5;
    out.copyWithin(from + header, from + 1, end);
    writeStringHeader(out, from, bytes);
    this.#length = from + header + bytes;
  }

  /**
   * Reads a string with escapes or with characters beyond ASCII. Its encoded length is known only
   * at the end.
   */
  #slowString(start: number): void {
    const text = this.#text;
    const out = this.#out;
    const from = this.#length;
    let length = from + 1;
    let position = start;
    for (;;) {
      const at = position;
      let code = text.charCodeAt(position++);
      if (Number.isNaN(code)) this.#fail('unterminated string', start - 1);
      if (code === QUOTE) break;
      if (code < 0x20) this.#fail('control character in a string', at);
      if (code === BACKSLASH) {
        code = this.#escape(position);
        position += text.charCodeAt(position) === 0x75 ? 5 : 1;
      }
      if (code >= 0xd800 && code <= 0xdfff) {
        // Half of a surrogate pair has no UTF-8 form, so its hash would be undefined.
        const escaped = text.charCodeAt(position) === BACKSLASH;
        const low = escaped ? this.#escape(position + 1) : text.charCodeAt(position);
        if (code > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) this.#fail('lone surrogate', at);
        position += escaped ? 6 : 1;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      }
      length = writeUtf8(out, length, code);
    }
    this.#closeString(from, length);
    this.#position = position;
  }

  #escape(position: number): number {
    const code = readEscape(this.#text, position);
    return code < 0 ? this.#fail('bad escape', position - 1) : code;
  }
}

/**
 * Up to this number, keys are compared one by one. Above it, a set of strings keeps the cost
 * linear.
 */
const COMPARED_MAX = 16;

// A byte order mark is part of a key, because dropping it would make two different keys equal.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The keys of one object, used to detect repetitions. They are compared as encoded bytes. A key
 * with escapes therefore equals the same key without them, and small objects do not allocate
 * strings.
 */
class KeySet {
  /** The start and end of each key in the encoded bytes, in pairs. */
  readonly #ranges = new Int32Array(2 * (COMPARED_MAX + 1));
  #count = 0;
  #texts: Set<string> | undefined;

  clear(): void {
    this.#count = 0;
    this.#texts = undefined;
  }

  /** Adds the encoded key in `[start, end)`, or returns false if the set already contains it. */
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

/** Decodes the string that is encoded in `[start, end)`. */
function encodedText(bytes: Uint8Array, start: number, end: number): string {
  const first = bytes[start] as number;
  const header = first < 0xc0 ? 1 : first === 0xd9 ? 2 : first === 0xda ? 3 : 5;
  return decoder.decode(bytes.subarray(start + header, end));
}

function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  // The comparison starts at the end, where an object's keys tend to differ.
  for (let offset = length - 1; offset >= 0; offset--) {
    if (bytes[one + offset] !== bytes[other + offset]) return false;
  }
  return true;
}

const UNICODE = 0x75;

/** The characters of the single-letter escapes, by the code of the letter. */
const LETTERS: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/**
 * Returns the code unit of a JSON escape, given the position after its backslash, or -1 for an
 * invalid escape.
 */
function readEscape(text: string, position: number): number {
  const code = text.charCodeAt(position);
  if (code !== UNICODE) return LETTERS.get(code) ?? -1;
  const digits = text.slice(position + 1, position + 5);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
}
