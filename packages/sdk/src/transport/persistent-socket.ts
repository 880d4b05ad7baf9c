import { callApart } from '../errors.ts';
import { type Backoff, backoffMs, HANG_UP_BACKOFF, STREAM_BACKOFF } from './backoff.ts';

export type SocketStatus = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** Options for a socket. */
export type SocketOptions = {
  /** A URL such as `wss://host/ws`, or a function that returns the URL of the next attempt. */
  readonly url: string | (() => string);
  readonly onLost?: ((url: string) => boolean) | undefined;
  readonly openSocket?: OpenSocket | undefined;
  readonly onStatus?: ((status: SocketStatus) => void) | undefined;
  /**
   * The interval of pings in milliseconds. The venue closes a connection after 60 s without a
   * frame.
   */
  readonly pingMs?: number | undefined;
  /**
   * The maximum time in milliseconds without receiving a frame, or without a response to a
   * subscribe.
   */
  readonly silentMsMax?: number | undefined;
  /** The timeout of a connection attempt in milliseconds. */
  readonly connectMsMax?: number | undefined;
  /**
   * The time in milliseconds that the connection stays open without subscriptions, in case another
   * one follows.
   */
  readonly lingerMs?: number | undefined;
  readonly backoff?: Backoff | undefined;
};

/** The user of the socket, which defines the protocol spoken over it. */
type SocketUser = {
  /** A frame to which the other side responds. */
  readonly ping: string;
  /** Returns true if a lost connection must be replaced. */
  readonly isNeeded: () => boolean;
  /** Returns the age of the oldest unanswered request in milliseconds. */
  readonly unansweredMs: () => number;
  readonly opened: () => void;
  readonly received: (data: unknown) => void;
  /** Called when the connection and all its state are lost. */
  readonly disconnected: () => void;
};

/**
 * The time without a frame after which a connection counts as lost, once HTTP requests work again.
 */
const PROBE_MS = 1000;

type Timer = ReturnType<typeof setTimeout> | undefined;

/** Keeps one connection open for as long as it is needed, and replaces it if it is lost. */
export class PersistentSocket {
  readonly #url: () => string;
  readonly #onLost: (url: string) => boolean;
  readonly #user: SocketUser;
  readonly #openSocket: OpenSocket;
  readonly #onStatus: (status: SocketStatus) => void;
  readonly #timing: { pingMs: number; silentMsMax: number; connectMsMax: number; lingerMs: number };
  readonly #backoff: { readonly down: Backoff; readonly disconnected: Backoff };
  #socket: Socket | undefined;
  #status: SocketStatus = 'idle';
  /** The number of the current connection. Late events of earlier connections are ignored. */
  #generation = 0;
  #failures = 0;
  /** True if the current connection has worked at least once. */
  #hasWorked = false;
  #dialedMs = 0;
  #dialed = '';
  #nextDialMs = 0;
  #receivedMs = 0;
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
      disconnected: options.backoff ?? HANG_UP_BACKOFF,
    };
  }

  get status(): SocketStatus {
    return this.#status;
  }

  /**
   * Returns the time until the next connection attempt in milliseconds, or undefined if none is
   * scheduled.
   */
  get nextTryInMs(): number | undefined {
    if (this.#status !== 'waiting') return undefined;
    return Math.max(0, this.#nextDialMs - performance.now());
  }

  /** Returns the URL of the current or last connection. */
  get dialed(): string {
    return this.#dialed;
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  /** Connects if necessary, or cancels a scheduled release. */
  need(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'idle') this.#connect();
  }

  /** Closes the connection after a delay, unless it is needed again. */
  release(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'closed') return;
    this.#lingerTimer = setTimeout(() => {
      this.#hangUp();
      this.#setStatus('idle');
    }, this.#timing.lingerMs);
  }

  /** Reports that the connection works. The next failure counts as the first one. */
  works(): void {
    this.#failures = 0;
    this.#hasWorked = true;
  }

  /** Reconnects immediately in any state, unless no connection is needed. */
  reconnect(): void {
    if (this.#status === 'idle' || this.#status === 'closed') return;
    this.#hangUp();
    this.#failures = 0;
    if (this.#user.isNeeded()) this.#connect();
    else this.#setStatus('idle');
  }

  /**
   * Called when the venue responds to requests again. Ends any delay before the next attempt,
   * restarts an attempt that hangs, and probes a connection that may have failed silently.
   */
  venueIsBack(): void {
    const isStuck = performance.now() - this.#dialedMs > PROBE_MS;
    if (this.#status === 'waiting' || (this.#status === 'connecting' && isStuck)) this.reconnect();
    else if (this.#status === 'open') this.#probe();
  }

  /** Closes the socket permanently. */
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
    // The error event contains no details, and the close event that follows it is handled.
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
      this.#receivedMs = performance.now();
      this.#user.received(data);
    });
    socket.addEventListener('close', lost);
  }

  #opened(): void {
    clearTimeout(this.#retryTimer);
    this.#receivedMs = performance.now();
    this.#setStatus('open');
    this.#planPing();
    this.#user.opened();
  }

  #probe(): void {
    const askedMs = performance.now();
    clearTimeout(this.#pingTimer);
    this.#pingTimer = setTimeout(() => {
      if (this.#receivedMs < askedMs) this.#lost();
      else this.#planPing();
    }, PROBE_MS);
    this.#socket?.send(this.#user.ping);
  }

  #planPing(): void {
    const { pingMs, silentMsMax } = this.#timing;
    this.#pingTimer = setTimeout(() => {
      const silentMs = performance.now() - this.#receivedMs;
      if (Math.max(silentMs, this.#user.unansweredMs()) > silentMsMax) {
        this.#lost();
        return;
      }
      this.#socket?.send(this.#user.ping);
      this.#planPing();
    }, pingMs);
  }

  #lost(): void {
    const isRejected = this.#status === 'open' && !this.#hasWorked;
    const backoff = isRejected ? this.#backoff.disconnected : this.#backoff.down;
    this.#hangUp();
    if (!this.#user.isNeeded()) {
      this.#setStatus('idle');
      return;
    }
    this.#failures += 1;
    // Another replica is tried immediately. Once all have failed, the usual delay applies.
    const isElsewhere = this.#onLost(this.#dialed) && this.#failures === 1;
    const waitMs = isElsewhere ? 0 : backoffMs(this.#failures, backoff);
    this.#nextDialMs = performance.now() + waitMs;
    this.#setStatus('waiting');
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs);
  }

  /** Drops the connection without waiting for its close event, which may never arrive. */
  #hangUp(): void {
    this.#generation += 1;
    for (const timer of [this.#pingTimer, this.#retryTimer, this.#lingerTimer]) clearTimeout(timer);
    this.#user.disconnected();
    this.#socket?.close();
    this.#socket = undefined;
  }

  #setStatus(status: SocketStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    callApart(this.#onStatus, status);
  }
}

/**
 * The part of a WebSocket that the client uses. Browsers, Node and the `ws` package all provide it.
 */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** A function that opens a socket. The events of the socket are asynchronous. */
export type OpenSocket = (url: string) => Socket | Promise<Socket>;

/** Opens the runtime's own WebSocket or, if it has none, one from the `ws` package. */
const openSocket: OpenSocket = async (url) => {
  if (typeof globalThis.WebSocket === 'function') {
    return new globalThis.WebSocket(url) as Socket;
  }
  const { WebSocket } = await import('#ws');
  return new WebSocket(url) as Socket;
};
