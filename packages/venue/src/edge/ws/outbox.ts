/** What has frames to write. */
type Flushable = { flush(): void };

/**
 * Collects the connections that have something to write, and lets each write once, after everything
 * that the current turn of the event loop had for it: one system call for many frames.
 */
export class Outbox {
  framesSent = 0;
  slowClosed = 0;
  /** Bytes that wait for clients to read, with what it costs to keep them. */
  heldBytes = 0;
  #waiting: Flushable[] = [];

  add(connection: Flushable): void {
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(connection);
  }

  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const connection of waiting) connection.flush();
  }
}
