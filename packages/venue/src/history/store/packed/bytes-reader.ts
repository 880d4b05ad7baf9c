import { HistoryDamagedError } from '../store-errors.ts';

/** Reads what a BytesWriter wrote. */
export class BytesReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new HistoryDamagedError('packed rows end too early');
    return value;
  }

  int(): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const next = this.byte();
      value += (next & 0x7f) * weight;
      if (next < 0x80) break;
      weight *= 0x80;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  raw(length: number): Buffer {
    this.#at += length;
    if (length < 0 || this.#at > this.#bytes.length) {
      throw new HistoryDamagedError('packed rows end too early');
    }
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return this.raw(this.int()).toString();
  }
}
