/**
 * 128 bits over the effects of the log so far (R-determinism): same log, same digest, on every
 * machine. It detects replicas that disagree; it is not meant to resist an attacker, the process
 * around the engine hashes the commands cryptographically. Mixing follows MurmurHash3.
 */
export class EffectsDigest {
  // Fields, not an array: this runs a few dozen times an order.
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  readonly #float = new Float64Array(1);
  readonly #big = new BigInt64Array(1);
  readonly #floatWords = new Int32Array(this.#float.buffer);
  readonly #bigWords = new Int32Array(this.#big.buffer);

  constructor(lanes: readonly number[] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]) {
    const [a = 0, b = 0, c = 0, d = 0] = lanes;
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#d = d | 0;
  }

  /** A 32-bit word. */
  word(value: number): void {
    let k = Math.imul(value | 0, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    k = Math.imul(k, 0x1b873593);
    let mixed = this.#a ^ k;
    mixed = (mixed << 13) | (mixed >>> 19);
    mixed = (Math.imul(mixed, 5) + this.#b + 0x561ccd1b) | 0;
    this.#a = this.#b;
    this.#b = this.#c ^ ((mixed << 7) | (mixed >>> 25));
    this.#c = this.#d;
    this.#d = mixed;
  }

  /** An integer of up to 53 bits. */
  number(value: number): void {
    this.#float[0] = value;
    this.word(this.#floatWords[0] ?? 0);
    this.word(this.#floatWords[1] ?? 0);
  }

  /** An amount of money; what lies above 64 bits follows as another amount. */
  amount(value: bigint): void {
    this.#big[0] = value;
    this.word(this.#bigWords[0] ?? 0);
    this.word(this.#bigWords[1] ?? 0);
    if (BigInt.asIntN(64, value) !== value) this.amount(value >> 64n);
  }

  text(value: string): void {
    this.word(value.length);
    for (let i = 0; i < value.length; i++) this.word(value.charCodeAt(i));
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
}
