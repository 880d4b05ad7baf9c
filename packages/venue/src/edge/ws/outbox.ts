/** What has frames to write. */
type Flushable = { flush(): void };

/** Connections that write in one turn of the event loop: a frame for thousands must not hold up replies. */
const FLUSHED_AT_ONCE = 256;

/**
 * Collects the connections that have something to write, and lets each write once, after everything
 * that the current turn of the event loop had for it: one system call for many frames. When there are many
 * of them, the others follow in the next turns, with what came for them meanwhile.
 */
export class Outbox {
  framesSent = 0;
  slowClosed = 0;
  /** Bytes that wait for clients to read, with what it costs to keep them. */
  heldBytes = 0;
  #waiting: Flushable[] = [];
  #joined: { readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

  add(connection: Flushable): void {
    if (this.#waiting.length === 0) this.#plan();
    this.#waiting.push(connection);
  }

  /** Frames in a row, as one. Who is next often has the same ones to write: they are joined once for all. */
  join(frames: readonly Buffer[]): Buffer {
    if (this.#joined !== undefined && areSame(this.#joined.frames, frames)) {
      return this.#joined.bytes;
    }
    const bytes = Buffer.concat(frames);
    this.#joined = { frames, bytes };
    return bytes;
  }

  #plan(): void {
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const now = this.#waiting.slice(0, FLUSHED_AT_ONCE);
    this.#waiting = this.#waiting.slice(FLUSHED_AT_ONCE);
    for (const connection of now) connection.flush();
    if (this.#waiting.length > 0) this.#plan();
    else this.#joined = undefined;
  }
}

function areSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((frame, at) => frame === others[at]);
}
