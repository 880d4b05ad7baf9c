const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

// A buffer for values that are mixed in together. Its contents are not kept between calls.
const floats = new Float64Array(6);
const bigs = new BigInt64Array(floats.buffer);
const words = new Int32Array(floats.buffer);

/**
 * A 128-bit digest of all effects of the log so far (R-determinism): the same log gives the same
 * digest on every machine. It detects diverging replicas but does not resist an attacker; for that,
 * the process around the engine hashes the commands cryptographically. Mixing follows MurmurHash3.
 * Each new word shifts the four lanes: a becomes b, b becomes a mix of b and c, c becomes d, and d
 * becomes the new word. An order adds a few dozen words. Values that always occur together have
 * their own method, which keeps the lanes in local variables. Its result equals that of separate
 * calls.
 */
export class EffectsDigest {
  // Separate fields that always contain numbers are faster than an array of lanes.
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  constructor(lanes: readonly number[] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]) {
    const [a = 0, b = 0, c = 0, d = 0] = lanes;
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#d = d | 0;
  }

  word(value: number): void {
    this.#next(mix(this.#a, this.#b, value));
  }

  number(value: number): void {
    floats[0] = value;
    this.#pair(words[0] ?? 0, words[1] ?? 0);
  }

  /** Adds an amount of money. The part above 64 bits is added as another amount. */
  amount(value: bigint): void {
    bigs[0] = value;
    this.#pair(words[0] ?? 0, words[1] ?? 0);
    if (!isInt64(value)) this.amount(value >> 64n);
  }

  numbers(first: number, second: number, third: number, fourth: number, fifth: number): void {
    floats[1] = first;
    floats[2] = second;
    floats[3] = third;
    floats[4] = fourth;
    floats[5] = fifth;
    this.#mixIn(2, 12);
  }

  wordsAndNumbers(
    firstWord: number,
    secondWord: number,
    first: number,
    second: number,
    third: number,
    fourth: number,
    fifth: number,
  ): void {
    words[0] = firstWord;
    words[1] = secondWord;
    floats[1] = first;
    floats[2] = second;
    floats[3] = third;
    floats[4] = fourth;
    floats[5] = fifth;
    this.#mixIn(0, 12);
  }

  wordAndAmounts(word: number, first: bigint, second: bigint): void {
    if (isInt64(first) && isInt64(second)) {
      bigs[1] = first;
      bigs[2] = second;
      this.word(word);
      this.#mixIn(2, 6);
    } else {
      this.word(word);
      this.amount(first);
      this.amount(second);
    }
  }

  text(value: string): void {
    this.word(value.length);
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    for (let i = 0; i < value.length; i++) {
      const mixed = mix(a, b, value.charCodeAt(i));
      a = b;
      b = turned(c, mixed);
      c = d;
      d = mixed;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }

  /**
   * Adds a string prepared by `scrambledText`. The result equals that of `text` but takes a
   * fraction of the time.
   */
  scrambled(text: Int32Array): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    // Each step adds two words and so returns the lanes to their variables without moving any of
    // them.
    for (let at = 0; at + 1 < text.length; at += 2) {
      const first = join(a, b, text[at] ?? 0);
      a = turned(c, first);
      const second = join(b, a, text[at + 1] ?? 0);
      b = turned(d, second);
      c = first;
      d = second;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
    if (text.length % 2 === 1) this.#next(join(a, b, text[text.length - 1] ?? 0));
  }

  lanes(): readonly number[] {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  hex(): string {
    return hexOf(this.#a) + hexOf(this.#b) + hexOf(this.#c) + hexOf(this.#d);
  }

  #next(mixed: number): void {
    this.#a = this.#b;
    this.#b = turned(this.#c, mixed);
    this.#c = this.#d;
    this.#d = mixed;
  }

  #pair(low: number, high: number): void {
    const first = mix(this.#a, this.#b, low);
    const between = turned(this.#c, first);
    const second = mix(this.#b, between, high);
    this.#a = between;
    this.#b = turned(this.#d, second);
    this.#c = first;
    this.#d = second;
  }

  #mixIn(from: number, to: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    for (let at = from; at < to; at += 2) {
      const first = mix(a, b, words[at] ?? 0);
      a = turned(c, first);
      const second = mix(b, a, words[at + 1] ?? 0);
      b = turned(d, second);
      c = first;
      d = second;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }
}

function isInt64(value: bigint): boolean {
  return value <= INT64_MAX && value >= INT64_MIN;
}

/**
 * The two hex digits of each byte. They are precomputed, because every block prints its digest and
 * `toString(16)` is slow.
 */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hexOf(lane: number): string {
  const high = `${HEX[lane >>> 24]}${HEX[(lane >>> 16) & 255]}`;
  return `${high}${HEX[(lane >>> 8) & 255]}${HEX[lane & 255]}`;
}

/**
 * Prepares a string that is added often. Every signed command contains an address, and reading the
 * characters of a string takes longer than mixing them.
 */
export function scrambledText(text: string): Int32Array {
  const scrambled = new Int32Array(1 + text.length);
  scrambled[0] = scramble(text.length);
  for (let i = 0; i < text.length; i++) scrambled[1 + i] = scramble(text.charCodeAt(i));
  return scrambled;
}

function mix(a: number, b: number, word: number): number {
  return join(a, b, scramble(word));
}

function scramble(word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}

function join(a: number, b: number, scrambled: number): number {
  const mixed = a ^ scrambled;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + b + 0x561ccd1b) | 0;
}

function turned(lane: number, mixed: number): number {
  return lane ^ ((mixed << 7) | (mixed >>> 25));
}
