import { callApart } from '../errors.ts';
import { type Backoff, backoffMs, HANG_UP_BACKOFF, STREAM_BACKOFF } from './backoff.ts';

export type SocketStatus = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** Options of a socket. */
export type SocketOptions = {
  /** `wss://host/ws`, or a function for the next URL. */
  readonly url: string | (() => string);
  readonly onLost?: ((url: string) => boolean) | undefined;
  readonly openSocket?: OpenSocket | undefined;
  readonly onStatus?: ((status: SocketStatus) => void) | undefined;
  /** The interval of pings. The venue closes a connection after 60 s without a frame. */
  readonly pingMs?: number | undefined;
  /** The maximum time without any frame, or without an answer to a subscribe. */
  readonly silentMsMax?: number | undefined;
  /** Timeout of a connection attempt. */
  readonly connectMsMax?: number | undefined;
  /** How long the connection stays open without subscriptions, in case another one follows. */
  readonly lingerMs?: number | undefined;
  readonly backoff?: Backoff | undefined;
};

/** The protocol over the socket. */
type SocketUser = {
  /** A frame that the other side answers. */
  readonly ping: string;
  /** True if a lost connection must be replaced. */
  readonly isNeeded: () => boolean;
  /** The age of the oldest unanswered request. */
  readonly unansweredMs: () => number;
  readonly opened: () => void;
  readonly received: (data: unknown) => void;
  /** The connection and all its state are lost. */
  readonly hungUp: () => void;
};

/** When HTTP works again, a connection without a frame for this long is considered lost. */
const PROBE_MS = 1000;

type Timer = ReturnType<typeof setTimeout> | undefined;

/** One connection for as long as it is needed; a lost one is replaced. */
export class PersistentSocket {
  readonly #url: () => string;
  readonly #onLost: (url: string) => boolean;
  readonly #user: SocketUser;
  readonly #openSocket: OpenSocket;
  readonly #onStatus: (status: SocketStatus) => void;
  readonly #timing: { pingMs: number; silentMsMax: number; connectMsMax: number; lingerMs: number };
  readonly #backoff: { readonly down: Backoff; readonly hungUp: Backoff };
  #socket: Socket | undefined;
  #status: SocketStatus = 'idle';
  /** Counts connections, so that late events of an old one are ignored. */
  #generation = 0;
  #failures = 0;
  /** True if the present connection has worked. */
  #hasWorked = false;
  #dialedMs = 0;
  #dialed = '';
  #nextDialMs = 0;
  #heardMs = 0;
  #pingTimer: Timer;
  #retryTimer: Timer;
  #lingerTimer: Timer;

  constructor(options: SocketOptions, user: SocketUser) {
    const { url } = options;
    this.#url = typeof url === 'string' ? () => url : url;
    this.#onLost = options.onLost ?? (() => false);
    this.#user = user;
    this.#openSocket = options.openSocket ?? openSocket;
    this.#onStatus = options.onStatus ?? (() => undefined);
    this.#timing = {
      pingMs: options.pingMs ?? 10_000,
      silentMsMax: options.silentMsMax ?? 25_000,
      connectMsMax: options.connectMsMax ?? 10_000,
      lingerMs: options.lingerMs ?? 1000,
    };
    this.#backoff = {
      down: options.backoff ?? STREAM_BACKOFF,
      hungUp: options.backoff ?? HANG_UP_BACKOFF,
    };
  }

  get status(): SocketStatus {
    return this.#status;
  }

  /** Milliseconds until the next connection attempt, or undefined. */
  get nextTryInMs(): number | undefined {
    if (this.#status !== 'waiting') return undefined;
    return Math.max(0, this.#nextDialMs - performance.now());
  }

  /** The URL of the present or last connection. */
  get dialed(): string {
    return this.#dialed;
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  /** Connects if necessary, or cancels a pending release. */
  need(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'idle') this.#connect();
  }

  /** Closes the connection after a while, unless it is needed again. */
  release(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'closed') return;
    this.#lingerTimer = setTimeout(() => {
      this.#hangUp();
      this.#setStatus('idle');
    }, this.#timing.lingerMs);
  }

  /** The connection works, so failures are counted from zero. */
  works(): void {
    this.#failures = 0;
    this.#hasWorked = true;
  }

  /** Reconnects at once in any state. Does nothing if no connection is needed. */
  reconnect(): void {
    if (this.#status === 'idle' || this.#status === 'closed') return;
    this.#hangUp();
    this.#failures = 0;
    if (this.#user.isNeeded()) this.#connect();
    else this.#setStatus('idle');
  }

  /**
   * Called when the venue answers requests again: ends a wait, restarts an attempt that hangs, and
   * probes a connection that may have died silently.
   */
  venueIsBack(): void {
    const isStuck = performance.now() - this.#dialedMs > PROBE_MS;
    if (this.#status === 'waiting' || (this.#status === 'connecting' && isStuck)) this.reconnect();
    else if (this.#status === 'open') this.#probe();
  }

  /** Closes it permanently. */
  close(): void {
    this.#hangUp();
    this.#setStatus('closed');
  }

  #connect(): void {
    this.#setStatus('connecting');
    this.#generation += 1;
    this.#hasWorked = false;
    this.#dialedMs = performance.now();
    this.#dialed = this.#url();
    const generation = this.#generation;
    const lost = (): void => {
      if (generation === this.#generation) this.#lost();
    };
    this.#retryTimer = setTimeout(lost, this.#timing.connectMsMax);
    this.#dial(generation, lost).catch(lost);
  }

  async #dial(generation: number, lost: () => void): Promise<void> {
    const isCurrent = (): boolean => generation === this.#generation;
    const socket = await this.#openSocket(this.#dialed);
    // The error event contains no details; the following close event is handled.
    socket.addEventListener('error', () => undefined);
    if (!isCurrent()) {
      socket.close();
      return;
    }
    this.#socket = socket;
    socket.addEventListener('open', () => {
      if (isCurrent()) this.#opened();
    });
    socket.addEventListener('message', ({ data }) => {
      if (!isCurrent()) return;
      this.#heardMs = performance.now();
      this.#user.received(data);
    });
    socket.addEventListener('close', lost);
  }

  #opened(): void {
    clearTimeout(this.#retryTimer);
    this.#heardMs = performance.now();
    this.#setStatus('open');
    this.#planPing();
    this.#user.opened();
  }

  #probe(): void {
    const askedMs = performance.now();
    clearTimeout(this.#pingTimer);
    this.#pingTimer = setTimeout(() => {
      if (this.#heardMs < askedMs) this.#lost();
      else this.#planPing();
    }, PROBE_MS);
    this.#socket?.send(this.#user.ping);
  }

  #planPing(): void {
    const { pingMs, silentMsMax } = this.#timing;
    this.#pingTimer = setTimeout(() => {
      const silentMs = performance.now() - this.#heardMs;
      if (Math.max(silentMs, this.#user.unansweredMs()) > silentMsMax) {
        this.#lost();
        return;
      }
      this.#socket?.send(this.#user.ping);
      this.#planPing();
    }, pingMs);
  }

  #lost(): void {
    const isHungUp = this.#status === 'open' && !this.#hasWorked;
    const backoff = isHungUp ? this.#backoff.hungUp : this.#backoff.down;
    this.#hangUp();
    if (!this.#user.isNeeded()) {
      this.#setStatus('idle');
      return;
    }
    this.#failures += 1;
    // Another process is tried at once; when all have failed, the usual delay applies.
    const isElsewhere = this.#onLost(this.#dialed) && this.#failures === 1;
    const waitMs = isElsewhere ? 0 : backoffMs(this.#failures, backoff);
    this.#nextDialMs = performance.now() + waitMs;
    this.#setStatus('waiting');
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs);
  }

  /** Drops the connection without waiting for its close event, which may never come. */
  #hangUp(): void {
    this.#generation += 1;
    for (const timer of [this.#pingTimer, this.#retryTimer, this.#lingerTimer]) clearTimeout(timer);
    this.#user.hungUp();
    this.#socket?.close();
    this.#socket = undefined;
  }

  #setStatus(status: SocketStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    callApart(this.#onStatus, status);
  }
}

/** The used part of a WebSocket: browsers, Node and `ws` all have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** Opens a socket, whose events are asynchronous. */
export type OpenSocket = (url: string) => Socket | Promise<Socket>;

/** Opens a socket of the runtime, otherwise of `ws`. */
const openSocket: OpenSocket = async (url) => {
  if (typeof globalThis.WebSocket === 'function') {
    return new globalThis.WebSocket(url) as Socket;
  }
  const { WebSocket } = await import('#ws');
  return new WebSocket(url) as Socket;
};
