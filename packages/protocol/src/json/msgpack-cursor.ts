import { hexDigit, NO_DIGIT } from '../bytes.ts';

/**
 * Reads MessagePack of our own making from front to back, for a reader that knows what it hopes to find.
 * Each step passes over one value. Where something else stands the cursor is lost, and what it says from
 * then on means nothing.
 */
export class MsgpackCursor {
  readonly #bytes: Uint8Array;
  #at = 0;
  #isLost = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at;
  }

  /** Something else stood there than was hoped for. */
  get isLost(): boolean {
    return this.#isLost;
  }

  #lost<Value>(instead: Value): Value {
    this.#isLost = true;
    return instead;
  }

  /** Passes over a value with these bytes, if it is the next; a cursor that finds another is not lost. */
  is(encoded: Uint8Array): boolean {
    for (let index = 0; index < encoded.length; index++) {
      if (this.#bytes[this.#at + index] !== encoded[index]) return false;
    }
    this.#at += encoded.length;
    return true;
  }

  /** How many entries the map has that begins here, at most 15. */
  map(): number {
    return this.#header(0x80);
  }

  /** The same of an array, at most 65,535. */
  array(): number {
    if (this.#bytes[this.#at] !== 0xdc) return this.#header(0x90);
    const count = this.#uint(this.#at + 1, 2);
    this.#at += 3;
    return count;
  }

  #header(kind: number): number {
    const tag = this.#bytes[this.#at] ?? 0;
    if ((tag & 0xf0) !== kind) return this.#lost(0);
    this.#at += 1;
    return tag & 0x0f;
  }

  flag(): boolean {
    const tag = this.#bytes[this.#at];
    if (tag !== 0xc2 && tag !== 0xc3) return this.#lost(false);
    this.#at += 1;
    return tag === 0xc3;
  }

  /** An integer that is not negative. */
  unsigned(): number {
    const tag = this.#bytes[this.#at] ?? 0xff;
    if (tag < 0x80) {
      this.#at += 1;
      return tag;
    }
    if (tag < 0xcc || tag > 0xcf) return this.#lost(0);
    const size = 1 << (tag - 0xcc);
    const value = this.#uint(this.#at + 1, size);
    this.#at += 1 + size;
    return value;
  }

  #uint(from: number, size: number): number {
    let value = 0;
    for (let index = 0; index < size; index++) {
      value = value * 0x100 + (this.#bytes[from + index] ?? 0);
    }
    return value;
  }

  /** A text of ASCII characters, at most 255. */
  ascii(): string {
    const length = this.#textHeader();
    const end = this.#at + length;
    let text = '';
    for (; this.#at < end; this.#at++) {
      const code = this.#bytes[this.#at] ?? 0x80;
      if (code >= 0x80) return this.#lost('');
      text += String.fromCharCode(code);
    }
    return text;
  }

  /** A text of `0x` and hex digits, as that many bytes; fewer digits are padded on the left. */
  hex(size: number): Uint8Array {
    const out = new Uint8Array(size);
    const length = this.#textHeader();
    const start = this.#at;
    const isMarked = this.#bytes[start] === 0x30 && this.#bytes[start + 1] === 0x78;
    if (!isMarked || length < 3 || length > 2 + 2 * size) return this.#lost(out);
    this.#at += length;
    for (let index = this.#at - 1, at = size - 1; index >= start + 2; index -= 2, at--) {
      const low = hexDigit(this.#bytes[index]);
      const high = index === start + 2 ? 0 : hexDigit(this.#bytes[index - 1]);
      if (low === NO_DIGIT || high === NO_DIGIT) return this.#lost(out);
      out[at] = high * 16 + low;
    }
    return out;
  }

  /** Passes over the header of a text; how many bytes it has. */
  #textHeader(): number {
    const tag = this.#bytes[this.#at] ?? 0;
    if ((tag & 0xe0) === 0xa0) {
      this.#at += 1;
      return tag & 0x1f;
    }
    if (tag !== 0xd9) return this.#lost(0);
    this.#at += 2;
    return this.#bytes[this.#at - 1] ?? 0;
  }
}
