import type { Duplex } from 'node:stream';
import type { WorkBudget } from '@oddlot/host/ports';
import { WebSocket } from 'ws';
import { PING_FRAME } from './frame.ts';
import type { Sink } from './stream.ts';
import { FrameBudget, type Timing } from './timing.ts';
import type { WsLimits } from '../ws-limits.ts';

/** Close codes of RFC 6455 and its registry. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/**
 * Up to this size frames are joined before writing; beyond it, copying costs more than it saves.
 */
const JOINED_BYTES_MAX = 8 * 1024;

/** A shared empty list; it is never modified. */
const NOTHING_PENDING: Buffer[] = [];
const EMPTY = Buffer.alloc(0);

/** The memory overhead of a waiting frame, so that the limit of bytes also limits empty frames. */
const FRAME_OVERHEAD_BYTES = 64;
/** While the total is above its limit, each client may still have this many bytes waiting. */
const SHARE_BYTES_MIN = 256 * 1024;

/**
 * A client connection. Frames are collected and written together, directly to the socket: they are
 * complete WebSocket frames, so that bytes shared by many clients are built once.
 */
export class Connection implements Sink {
  readonly ip: string;
  /** Limits received frames; a frame beyond it is dropped. */
  readonly budget: { take(): boolean };
  readonly timing: Timing;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly #bufferedBytesMax: number;
  readonly #bufferedBytesTotalMax: number;
  #pending: Buffer[] = NOTHING_PENDING;
  #pendingBytes = 0;
  /** Queued bytes of frames that the client requested again, including overhead. */
  #missedPending = 0;
  /**
   * Written but possibly unread bytes that the client requested again; they may exceed the limit.
   */
  #missedWaiting = 0;
  #bytesWritten = 0;
  /** Written bytes that the system has not taken yet, including overhead. */
  #heldBytes = 0;
  #heardMs: number;
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
    this.#heardMs = options.timing.now();
    this.#pingedMs = this.#heardMs;
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

  /** True if the venue has ended the connection. */
  get isDismissed(): boolean {
    return this.#isDismissed;
  }

  /** Bytes queued until the end of this turn. */
  get queuedBytes(): number {
    return this.#pendingBytes;
  }

  /** The client has sent something. */
  heard(): void {
    this.#heardMs = this.timing.now();
  }

  get silentMs(): number {
    return this.timing.now() - this.#heardMs;
  }

  /**
   * Sends a ping if the last one is older than the interval. Some clients ping only in response to
   * one.
   */
  pingEvery(intervalMs: number): void {
    const nowMs = this.timing.now();
    if (nowMs - this.#pingedMs < intervalMs || !this.isOpen) return;
    this.#pingedMs = nowMs;
    this.send(PING_FRAME);
  }

  /** Queues a frame; all frames of one turn of the event loop are written together. */
  send(frame: Buffer): void {
    if (this.#pending === NOTHING_PENDING) {
      this.#outbox.add(this);
      // Most turns have one frame, so the list is created with it to save memory.
      this.#pending = [frame];
    } else {
      this.#pending.push(frame);
    }
    this.#pendingBytes += frame.length;
  }

  /** Queues a frame that the client requested again; it does not count towards its limit. */
  sendMissed(frame: Buffer): void {
    this.#missedPending += frame.length + FRAME_OVERHEAD_BYTES;
    this.send(frame);
  }

  /** False while the socket has not taken the written bytes; `onceDrained` reports when it has. */
  get hasRoom(): boolean {
    return !this.#wire.writableNeedDrain;
  }

  onceDrained(run: () => void): void {
    this.#wire.once('drain', run);
  }

  /** Bytes that the system has taken. */
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
    // The system usually takes everything at once, so there is nothing to wait for.
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

  /** The callback of an empty write reports when the earlier ones are taken. */
  #holdUntilTaken(bytes: number, frames: number): void {
    const cost = bytes + frames * FRAME_OVERHEAD_BYTES;
    this.#hold(cost);
    this.#wire.write(EMPTY, () => this.#hold(-Math.min(cost, this.#heldBytes)));
  }

  /** The connection has ended, which releases its waiting bytes. */
  release(): void {
    this.#hold(-this.#heldBytes);
  }

  /** Closes the connection of a client that does not read; returns false if it reads. */
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

  /** Writes the queued frames, then closes. */
  close(code: number, reason: string): void {
    this.flush();
    this.#isDismissed = true;
    this.#socket.close(code, reason);
  }

  /** Closes the connection of a client that does not read requested frames. */
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

/** The connections written in one turn: a frame for thousands must not delay responses. */
const FLUSHED_AT_ONCE = 256;

/**
 * Collects connections with queued frames. Each writes once after the current turn of the event
 * loop, with one system call for many frames. If there are many connections, the rest follow in
 * later turns, together with frames queued meanwhile.
 */
export class Outbox {
  framesSent = 0;
  slowClosed = 0;
  /** Bytes that wait for clients to read, including overhead. */
  heldBytes = 0;
  #waiting: Flushable[] = [];
  #joined: { readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

  add(connection: Flushable): void {
    if (this.#waiting.length === 0) this.#plan();
    this.#waiting.push(connection);
  }

  /** Joins frames. The next connection often has the same ones, so the last result is reused. */
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
