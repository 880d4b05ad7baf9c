import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Outbox } from './outbox.ts';
import type { Sink } from './stream.ts';
import { FrameBudget, type Timing } from './timing.ts';
import type { WsLimits } from './ws-limits.ts';

/** Close codes of RFC 6455 and its registry. */
export const CLOSE = { normal: 1000, goingAway: 1001, tryAgainLater: 1013 } as const;

/** Up to here frames are joined before they are written; beyond, copying costs more than it saves. */
const JOINED_BYTES_MAX = 8 * 1024;

/**
 * One client. Frames for it are collected and written together, straight to the socket: they are
 * whole WebSocket frames already, so that the bytes which many clients share are built once.
 */
export class Connection implements Sink {
  readonly ip: string;
  readonly budget: FrameBudget;
  readonly timing: Timing;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly #bufferedBytesMax: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Those of `#pendingBytes` that the client asked for again. */
  #missedPending = 0;
  /** Written bytes that it asked for again and may not have read: they may wait beyond the bound. */
  #missedWaiting = 0;
  #bytesWritten = 0;
  #heardMs: number;

  constructor(options: {
    socket: WebSocket;
    wire: Duplex;
    ip: string;
    outbox: Outbox;
    limits: WsLimits;
    timing: Timing;
  }) {
    this.#socket = options.socket;
    this.#wire = options.wire;
    this.ip = options.ip;
    this.#outbox = options.outbox;
    this.#bufferedBytesMax = options.limits.bufferedBytesMax;
    this.timing = options.timing;
    this.#heardMs = options.timing.now();
    this.budget = new FrameBudget(options.timing, {
      perSecond: options.limits.framesPerSecond,
      burst: options.limits.framesBurst,
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** The client showed that it is there. */
  heard(): void {
    this.#heardMs = this.timing.now();
  }

  /** How long the client has been silent. */
  get silentMs(): number {
    return this.timing.now() - this.#heardMs;
  }

  /** Queues a frame; what is queued in one turn of the event loop is written at once. */
  send(frame: Buffer): void {
    if (this.#pending.length === 0) this.#outbox.add(this);
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
  }

  /** Queues a frame that the client asked for again: that it waits is not held against the client. */
  sendMissed(frame: Buffer): void {
    this.#missedPending += frame.length;
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
    this.#pending = [];
    this.#pendingBytes = 0;
    if (frames.length === 0 || !this.isOpen) return;
    const waiting = this.#wire.writableLength;
    this.#missedWaiting = (waiting === 0 ? 0 : this.#missedWaiting) + this.#missedPending;
    this.#missedPending = 0;
    if (waiting + bytes > this.#bufferedBytesMax + this.#missedWaiting) {
      this.closeSlow();
      return;
    }
    this.#outbox.framesSent += frames.length;
    this.#bytesWritten += bytes;
    if (frames.length === 1) {
      this.#wire.write(frames[0]);
    } else if (bytes <= JOINED_BYTES_MAX) {
      this.#wire.write(Buffer.concat(frames, bytes));
    } else {
      this.#wire.cork();
      for (const frame of frames) this.#wire.write(frame);
      this.#wire.uncork();
    }
  }

  /** Writes what is queued, then says goodbye. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }

  /** Ends the line to a client that does not read what it asked for. */
  closeSlow(): void {
    this.#outbox.slowClosed += 1;
    this.#socket.close(CLOSE.tryAgainLater, 'client reads too slowly: reconnect and resume');
  }

  /** Cuts the line. */
  terminate(): void {
    this.#socket.terminate();
  }
}
