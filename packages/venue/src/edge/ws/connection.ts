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
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly #bufferedBytesMax: number;
  readonly #timing: Timing;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of a replay that may wait beyond the bound, until the client has read it. */
  #replayBytes = 0;
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
    this.#timing = options.timing;
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
    this.#heardMs = this.#timing.now();
  }

  /** How long the client has been silent. */
  get silentMs(): number {
    return this.#timing.now() - this.#heardMs;
  }

  /** Queues a frame; what is queued in one turn of the event loop is written at once. */
  send(frame: Buffer): void {
    if (this.#pending.length === 0) this.#outbox.add(this);
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
  }

  /**
   * Queues the frames that a client missed, which may be more than may wait for a slow reader. False
   * when the client has not yet read the last such replay.
   */
  replay(frames: readonly Buffer[]): boolean {
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    if (bytes > this.#bufferedBytesMax / 2) {
      if (this.#replayBytes > 0) return false;
      this.#replayBytes = bytes;
    }
    for (const frame of frames) this.send(frame);
    return true;
  }

  /** Writes what is queued. */
  flush(): void {
    const frames = this.#pending;
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (frames.length === 0 || !this.isOpen) return;
    const waiting = this.#wire.writableLength;
    if (waiting === 0 && bytes <= this.#bufferedBytesMax) this.#replayBytes = 0;
    if (waiting + bytes > this.#bufferedBytesMax + this.#replayBytes) {
      this.#outbox.slowClosed += 1;
      this.#socket.close(CLOSE.tryAgainLater, 'client reads too slowly: reconnect and resume');
      return;
    }
    this.#outbox.framesSent += frames.length;
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

  /** Cuts the line. */
  terminate(): void {
    this.#socket.terminate();
  }
}
