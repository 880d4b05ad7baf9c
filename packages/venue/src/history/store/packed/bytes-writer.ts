/** Twice as much and one more is still exact. */
export const INT_MAX = 2 ** 51;

/** Bytes that are still being written; they grow as needed. */
export class BytesWriter {
  #bytes = Buffer.allocUnsafe(4_096);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer between `-INT_MAX` and `INT_MAX`, seven bits a byte; small ones of either sign are short. */
  int(value: number): void {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    while (rest > 0x7f) {
      this.byte(0x80 | (rest % 0x80));
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** UTF-8, its length in bytes before it. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.int(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** The bytes that hexadecimal digits stand for. */
  hex(digits: string): void {
    const length = digits.length / 2;
    this.#reserve(length);
    this.#length += this.#bytes.write(digits, this.#length, 'hex');
  }

  /** What was written so far; to be copied by whoever keeps it. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Begins anew, in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(length: number): void {
    if (this.#length + length > this.#bytes.length) this.#grow(length);
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafe(2 * (this.#length + length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
