import type { SeededRandom } from '../support/seeded.ts';
import type { JsonObject } from '../support/wallet.ts';
import { textOf, treeOf, type Tree } from './json-tree.ts';
import { garbleText, mutateTree, nudgeTree } from './mutate.ts';
import type { Sent } from './pipeline.ts';

/** Generates an endless sequence of invalid requests, determined by a seed. */

export type Samples = {
  readonly bodies: readonly (readonly [path: string, body: JsonObject])[];
  /** The percentage of requests sent to each path. */
  readonly shares: Readonly<Record<string, number>>;
};

const MEBIBYTE = 1024 * 1024;
const BODY_BYTES_MAX = 64 * 1024;
/**
 * If a body is longer than four mebibytes, the venue stops reading it and closes the connection.
 */
const BYTES_MAX = 2 * MEBIBYTE;
/** One in this many requests has almost the maximum size. */
const LARGE_EVERY = 2_000;
const MANY_KEYS = 60_000;
/** The contents of a large body: a prefix, repeated text, and a suffix. */
const FILLINGS = [
  [',"x":"', 'x', '"'],
  [',"x":"', '\\u0041', '"'],
  [',"x":[0', ',0', ']'],
  [',"x":', '[', ''],
  [',"x":', '{"x":', ''],
] as const;

export const JSON_HEADERS = 'Content-Type: application/json\r\nx-api-version: 2026-08-16\r\n';

const OTHER_HEADERS = [
  '',
  'Content-Type: application/json\r\n',
  'Content-Type: Application/JSON; charset=utf-8\r\n',
  'Content-Type: application/json;;\r\n',
  'Content-Type: \r\n',
  'Content-Type: text/plain\r\n',
  'Content-Type: application/jsonp\r\n',
  'Content-Type: multipart/form-data; boundary=x\r\n',
  `Content-Type: application/json; x=${'y'.repeat(4_000)}\r\n`,
  'x-api-version: 2026-08-15\r\n',
  'x-api-version: \r\n',
  'x-api-version: 2026-08-16\r\nx-api-version: 2026-08-16\r\n',
  'X-Forwarded-For: 1.2.3.4, ::1, nonsense\r\n',
];

export class Requests {
  readonly #random: SeededRandom;
  readonly #paths: string[];
  readonly #byPath = new Map<string, Tree[]>();
  readonly #all: Tree[] = [];

  constructor({ bodies, shares }: Samples, random: SeededRandom) {
    this.#random = random;
    this.#paths = Object.entries(shares).flatMap(([path, share]) =>
      Array.from({ length: share }, () => path),
    );
    for (const [path, body] of bodies) {
      const tree = treeOf(body);
      this.#all.push(tree);
      this.#byPath.set(path, [...(this.#byPath.get(path) ?? []), tree]);
    }
  }

  next(): Sent {
    const random = this.#random;
    const path = random.pick(this.#paths);
    // Some requests for one endpoint are sent to another.
    const samples = random.below(100) === 0 ? this.#all : this.#byPath.get(path)!;
    const sample = random.pick(samples);
    if (random.below(LARGE_EVERY) === 0) {
      return { path, headers: JSON_HEADERS, body: Buffer.from(this.#large(textOf(sample))) };
    }
    const headers = random.below(30) === 0 ? random.pick(OTHER_HEADERS) : JSON_HEADERS;
    return { path, headers, body: this.#mutated(sample).subarray(0, BYTES_MAX) };
  }

  #mutated(sample: Tree): Buffer {
    const random = this.#random;
    const kind = random.below(10);
    if (kind < 5) return Buffer.from(textOf(nudgeTree(sample, random)));
    if (kind < 9) return Buffer.from(textOf(mutateTree(sample, this.#all, random)));
    return garbleText(textOf(sample), random);
  }

  /**
   * Returns a body of almost the maximum size: blanks, one string, nesting, entries, or many keys.
   */
  #large(text: string): string {
    const random = this.#random;
    const open = text.slice(0, -1);
    const room = BODY_BYTES_MAX - text.length + random.pick([-1, 0, 1, 100]);
    const [before, middle, after] = random.pick(FILLINGS);
    const filled = middle.repeat(Math.floor((room - before.length - after.length) / middle.length));
    return random.pick([
      () => text + ' '.repeat(room),
      () => `${open}${before}${filled}${after}}`,
      () => `${open}${Array.from({ length: MANY_KEYS }, (_, key) => `,"k${key}":0`).join('')}}`,
    ])();
  }
}
