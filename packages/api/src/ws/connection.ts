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

/** Up to here frames are joined before they are written; beyond, copying costs more than it saves. */
const JOINED_BYTES_MAX = 8 * 1024;

/** In the place of a list while there is nothing in it; nobody adds to it. */
const NOTHING_PENDING: Buffer[] = [];
const EMPTY = Buffer.alloc(0);

/** What a frame that waits costs beside its bytes: a bound of bytes alone would not bind empty ones. */
const FRAME_OVERHEAD_BYTES = 64;
/** While all clients together are over their bound, each may still have this much waiting. */
const SHARE_BYTES_MIN = 256 * 1024;

/**
 * One client. Frames for it are collected and written together, straight to the socket: they are
 * whole WebSocket frames already, so that the bytes which many clients share are built once.
 */
export class Connection implements Sink {
  readonly ip: string;
  /** What its client may say; a frame that finds nothing left is dropped. */
  readonly budget: { take(): boolean };
  readonly timing: Timing;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly #bufferedBytesMax: number;
  readonly #bufferedBytesTotalMax: number;
  #pending: Buffer[] = NOTHING_PENDING;
  #pendingBytes = 0;
  /** Those of the queued bytes that the client asked for again, overhead included. */
  #missedPending = 0;
  /** Written bytes that it asked for again and may not have read: they may wait beyond the bound. */
  #missedWaiting = 0;
  #bytesWritten = 0;
  /** What was written and not yet taken by the system, overhead included. */
  #heldBytes = 0;
  #heardMs: number;
  #pingedMs: number;

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

  /** Bytes that are queued for the end of this turn. */
  get queuedBytes(): number {
    return this.#pendingBytes;
  }

  /** The client showed that it is there. */
  heard(): void {
    this.#heardMs = this.timing.now();
  }

  /** How long the client has been silent. */
  get silentMs(): number {
    return this.timing.now() - this.#heardMs;
  }

  /** Sends a ping if the last one is so long ago. Some clients send their own pings only in answer to one. */
  pingEvery(intervalMs: number): void {
    const nowMs = this.timing.now();
    if (nowMs - this.#pingedMs < intervalMs || !this.isOpen) return;
    this.#pingedMs = nowMs;
    this.send(PING_FRAME);
  }

  /** Queues a frame; what is queued in one turn of the event loop is written at once. */
  send(frame: Buffer): void {
    if (this.#pending === NOTHING_PENDING) {
      this.#outbox.add(this);
      // Most turns bring one frame: a list that is made with it takes no more room than that.
      this.#pending = [frame];
    } else {
      this.#pending.push(frame);
    }
    this.#pendingBytes += frame.length;
  }

  /** Queues a frame that the client asked for again: that it waits is not held against the client. */
  sendMissed(frame: Buffer): void {
    this.#missedPending += frame.length + FRAME_OVERHEAD_BYTES;
    this.send(frame);
  }

  /** False while the client has not taken what was written; `onceDrained` tells when it has. */
  get hasRoom(): boolean {
    return !this.#wire.writableNeedDrain;
  }

  onceDrained(run: () => void): void {
    this.#wire.once('drain', run);
  }

  /** Bytes that have left for the client. */
  get bytesTaken(): number {
    return this.#bytesWritten - this.#wire.writableLength;
  }

  /** Writes what is queued. */
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
    // Most clients read: the system has taken all of it by now, and there is nothing to wait for.
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

  /** An empty write behind the others tells when they have left. */
  #holdUntilTaken(bytes: number, frames: number): void {
    const cost = bytes + frames * FRAME_OVERHEAD_BYTES;
    this.#hold(cost);
    this.#wire.write(EMPTY, () => this.#hold(-Math.min(cost, this.#heldBytes)));
  }

  /** The line is gone, and with it what waited. */
  release(): void {
    this.#hold(-this.#heldBytes);
  }

  /** Closes the connection of a client that does not read what it gets; false while it does. */
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

  /** Writes what is queued, then says goodbye. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }

  /** Ends the line to a client that does not read what it asked for. */
  closeSlow(): void {
    this.#outbox.slowClosed += 1;
    this.#socket.close(CLOSE.tryAgainLater, 'client reads too slowly; reconnect and resume');
  }

  /** Cuts the line. */
  terminate(): void {
    this.#socket.terminate();
  }
}

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
