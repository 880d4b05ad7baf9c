import type { Duplex } from 'node:stream';
import type { WorkBudget } from '@oddlot/host/ports';
import { WebSocket } from 'ws';
import { PING_FRAME } from './frame.ts';
import type { Sink } from './stream.ts';
import { FrameBudget, type Timing } from './timing.ts';
import type { WsLimits } from '../ws-limits.ts';

/** Close codes from RFC 6455 and the IANA registry. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/**
 * Frames up to this total size are joined before they are written. Beyond it, copying costs more
 * than it saves.
 */
const JOINED_BYTES_MAX = 8 * 1024;

/** A list shared by all idle connections. It is never modified. */
const NOTHING_PENDING: Buffer[] = [];
const EMPTY = Buffer.alloc(0);

/**
 * The estimated memory overhead per waiting frame. If it were not counted, empty frames would not
 * count towards the limit.
 */
const FRAME_OVERHEAD_BYTES = 64;
/**
 * While the total for all clients exceeds its limit, this many bytes may still be waiting for each
 * client.
 */
const SHARE_BYTES_MIN = 256 * 1024;

/**
 * A client connection. It collects frames and writes them directly to the socket as complete
 * WebSocket frames, so that a frame sent to many clients is built only once.
 */
export class Connection implements Sink {
  readonly ip: string;
  /** Limits received frames; a frame beyond the limit is dropped. */
  readonly budget: { take(): boolean };
  readonly timing: Timing;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly #bufferedBytesMax: number;
  readonly #bufferedBytesTotalMax: number;
  #pending: Buffer[] = NOTHING_PENDING;
  #pendingBytes = 0;
  /** The queued bytes of frames that the client requested again, including overhead. */
  #missedPending = 0;
  /**
   * The written bytes that the client requested again and may not have read yet. They do not count
   * towards the limit.
   */
  #missedWaiting = 0;
  #bytesWritten = 0;
  /** The written bytes not yet accepted by the operating system, including overhead. */
  #heldBytes = 0;
  #lastFrameMs: number;
  #pingedMs: number;
  #isDismissed = false;

  constructor(options: {
    socket: WebSocket;
    wire: Duplex;
    ip: string;
    outbox: Outbox;
    limits: WsLimits;
    timing: Timing;
    work?: WorkBudget | undefined;
  }) {
    this.#socket = options.socket;
    this.#wire = options.wire;
    this.ip = options.ip;
    this.#outbox = options.outbox;
    this.#bufferedBytesMax = options.limits.bufferedBytesMax;
    this.#bufferedBytesTotalMax = options.limits.bufferedBytesTotalMax;
    this.timing = options.timing;
    this.#lastFrameMs = options.timing.now();
    this.#pingedMs = this.#lastFrameMs;
    const frames = new FrameBudget(options.timing, {
      perSecond: options.limits.framesPerSecond,
      burst: options.limits.framesBurst,
    });
    const { ip, work } = options;
    const isWithinWork = (): boolean => (work?.waitSeconds(ip) ?? 0) === 0;
    this.budget = { take: () => frames.take() && isWithinWork() };
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** True once the venue has started to close the connection. */
  get isDismissed(): boolean {
    return this.#isDismissed;
  }

  /** The number of bytes queued until the end of this turn of the event loop. */
  get queuedBytes(): number {
    return this.#pendingBytes;
  }

  /** Restarts the idle timer when the client sends a frame. */
  recordFrame(): void {
    this.#lastFrameMs = this.timing.now();
  }

  get silentMs(): number {
    return this.timing.now() - this.#lastFrameMs;
  }

  /**
   * Sends a ping if the last one is older than the interval. Some clients send their own pings
   * only after they have received one.
   */
  pingEvery(intervalMs: number): void {
    const nowMs = this.timing.now();
    if (nowMs - this.#pingedMs < intervalMs || !this.isOpen) return;
    this.#pingedMs = nowMs;
    this.send(PING_FRAME);
  }

  /** Queues a frame. All frames queued in the same turn of the event loop are written together. */
  send(frame: Buffer): void {
    if (this.#pending === NOTHING_PENDING) {
      this.#outbox.add(this);
      // Most turns have a single frame, so the list is created with it to save memory.
      this.#pending = [frame];
    } else {
      this.#pending.push(frame);
    }
    this.#pendingBytes += frame.length;
  }

  /**
   * Queues a frame that the client requested again. It does not count towards the client's limit.
   */
  sendMissed(frame: Buffer): void {
    this.#missedPending += frame.length + FRAME_OVERHEAD_BYTES;
    this.send(frame);
  }

  /** False while the socket's buffer is full; `onceDrained` reports when it has drained. */
  get canWrite(): boolean {
    return !this.#wire.writableNeedDrain;
  }

  onceDrained(run: () => void): void {
    this.#wire.once('drain', run);
  }

  /** The number of bytes accepted by the operating system since the connection was opened. */
  get bytesTaken(): number {
    return this.#bytesWritten - this.#wire.writableLength;
  }

  flush(): void {
    const frames = this.#pending;
    const bytes = this.#pendingBytes;
    this.#pending = NOTHING_PENDING;
    this.#pendingBytes = 0;
    if (frames.length === 0 || !this.isOpen) return;
    const waiting = this.#heldBytes;
    this.#missedWaiting = (waiting === 0 ? 0 : this.#missedWaiting) + this.#missedPending;
    this.#missedPending = 0;
    if (this.#isTooSlow(waiting, bytes)) return;
    this.#outbox.framesSent += frames.length;
    this.#bytesWritten += bytes;
    this.#write(frames, bytes);
    // The operating system usually accepts all bytes at once, so usually no bytes are held.
    if (this.#wire.writableLength > 0) this.#holdUntilTaken(bytes, frames.length);
  }

  #write(frames: readonly Buffer[], bytes: number): void {
    if (frames.length === 1) {
      this.#wire.write(frames[0]);
    } else if (bytes <= JOINED_BYTES_MAX) {
      this.#wire.write(this.#outbox.join(frames));
    } else {
      this.#wire.cork();
      for (const frame of frames) this.#wire.write(frame);
      this.#wire.uncork();
    }
  }

  /**
   * Counts the bytes as held until the operating system has accepted them. The callback of an empty
   * write runs after all earlier writes.
   */
  #holdUntilTaken(bytes: number, frames: number): void {
    const cost = bytes + frames * FRAME_OVERHEAD_BYTES;
    this.#hold(cost);
    this.#wire.write(EMPTY, () => this.#hold(-Math.min(cost, this.#heldBytes)));
  }

  /** Stops counting the waiting bytes once the connection has ended. */
  release(): void {
    this.#hold(-this.#heldBytes);
  }

  /** Closes the connection and returns true if too many bytes are waiting for its client. */
  #isTooSlow(waiting: number, bytes: number): boolean {
    if (waiting + bytes > this.#bufferedBytesMax + this.#missedWaiting) {
      this.closeSlow();
      return true;
    }
    const isShort = this.#outbox.heldBytes + bytes > this.#bufferedBytesTotalMax;
    if (!isShort || waiting + bytes <= SHARE_BYTES_MIN) return false;
    this.#outbox.slowClosed += 1;
    this.terminate();
    return true;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#outbox.heldBytes += bytes;
  }

  /** Writes the queued frames and starts to close the connection. */
  close(code: number, reason: string): void {
    this.flush();
    this.#isDismissed = true;
    this.#socket.close(code, reason);
  }

  /**
   * Closes the connection of a client that reads too slowly. The close code asks the client to
   * reconnect and resume.
   */
  closeSlow(): void {
    this.#outbox.slowClosed += 1;
    this.#isDismissed = true;
    this.#socket.close(CLOSE.tryAgainLater, 'client reads too slowly; reconnect and resume');
  }

  terminate(): void {
    this.#isDismissed = true;
    this.#socket.terminate();
  }
}

type Flushable = { flush(): void };

/**
 * Limits the number of connections written to in one turn, so that a frame for thousands of clients
 * does not delay other responses.
 */
const FLUSHED_AT_ONCE = 256;

/**
 * Collects connections with queued frames. After the current turn of the event loop, each
 * connection writes once, with a single system call for all its frames. If there are many
 * connections, some of them write in later turns, together with any frames queued in the meantime.
 */
export class Outbox {
  framesSent = 0;
  slowClosed = 0;
  /**
   * The number of bytes buffered on all connections and not yet read by clients, including
   * overhead.
   */
  heldBytes = 0;
  #waiting: Flushable[] = [];
  #joined: { readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

  add(connection: Flushable): void {
    if (this.#waiting.length === 0) this.#plan();
    this.#waiting.push(connection);
  }

  /**
   * Joins frames. Successive connections often have the same queued frames, so the last result is
   * reused.
   */
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
