const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

// Where a number or an amount is taken apart; nothing stays here from one call to the next.
const float = new Float64Array(1);
const floatWords = new Int32Array(float.buffer);
const big = new BigInt64Array(1);
const bigWords = new Int32Array(big.buffer);

/**
 * 128 bits over the effects of the log so far (R-determinism): same log, same digest, on every
 * machine. It detects replicas that disagree; it is not meant to resist an attacker, the process
 * around the engine hashes the commands cryptographically. Mixing follows MurmurHash3.
 *
 * A word moves each lane one on: a takes what b had, b is mixed anew with c, c takes d, d the new word.
 */
export class EffectsDigest {
  // Fields, not an array, and numbers from the first: this runs a few dozen times an order.
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

  /** A 32-bit word. */
  word(value: number): void {
    const mixed = mix(this.#a, this.#b, value);
    this.#a = this.#b;
    this.#b = turned(this.#c, mixed);
    this.#c = this.#d;
    this.#d = mixed;
  }

  /** An integer of up to 53 bits. */
  number(value: number): void {
    float[0] = value;
    this.#pair(floatWords[0] ?? 0, floatWords[1] ?? 0);
  }

  /** An amount of money; what lies above 64 bits follows as another amount. */
  amount(value: bigint): void {
    big[0] = value;
    this.#pair(bigWords[0] ?? 0, bigWords[1] ?? 0);
    if (value > INT64_MAX || value < INT64_MIN) this.amount(value >> 64n);
  }

  /** The length and each character: every signed command brings an address, so the lanes stay at hand. */
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

  /** The state of the digest, for a dump. */
  lanes(): readonly number[] {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  /** 32 hex digits. */
  hex(): string {
    return this.lanes()
      .map((lane) => (lane >>> 0).toString(16).padStart(8, '0'))
      .join('');
  }

  /** Two words, one after the other. */
  #pair(low: number, high: number): void {
    const first = mix(this.#a, this.#b, low);
    const between = turned(this.#c, first);
    const second = mix(this.#b, between, high);
    this.#a = between;
    this.#b = turned(this.#d, second);
    this.#c = first;
    this.#d = second;
  }
}

/** A word, scrambled, with two lanes. */
function mix(a: number, b: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  k = Math.imul(k, 0x1b873593);
  let mixed = a ^ k;
  mixed = (mixed << 13) | (mixed >>> 19);
  return (Math.imul(mixed, 5) + b + 0x561ccd1b) | 0;
}

function turned(lane: number, mixed: number): number {
  return lane ^ ((mixed << 7) | (mixed >>> 25));
}
