/**
 * The snapshots of the newest block, so that many clients that start over at once have each of them
 * built once. What they show changes with blocks; the number of a stream's newest frame, which they
 * carry, is part of the name under which they are kept.
 */

const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export class SnapshotCache {
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The body of that name, built if need be; undefined when there is nothing to show. */
  body(name: string, build: () => Buffer | undefined): Buffer | undefined {
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const built = build();
    if (built === undefined || built.length > KEPT_BYTES_MAX) return built;
    if (this.#bytes + built.length > KEPT_BYTES_MAX) this.clear();
    this.#bodies.set(name, built);
    this.#bytes += built.length;
    return built;
  }

  /** A block has changed what snapshots show. */
  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }
}
