import { callApart } from '../errors.ts';
import { type Backoff, backoffMs, HANG_UP_BACKOFF, STREAM_BACKOFF } from './backoff.ts';

/** Whether there is a connection. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** How a socket is kept. */
export type SocketOptions = {
  /** `wss://host/ws`; or where it is next, and what to do when that one is lost: true when there is another. */
  readonly url: string | (() => string);
  readonly onLost?: ((url: string) => boolean) | undefined;
  readonly openSocket?: OpenSocket | undefined;
  readonly onStatus?: ((status: SocketStatus) => void) | undefined;
  /** Between two pings. The venue closes a connection that it has not heard from for 60 s. */
  readonly pingMs?: number | undefined;
  /** Without any frame, or without an answer to a subscribe, for so long, a connection is lost. */
  readonly silentMsMax?: number | undefined;
  /** How long an attempt to connect may take. */
  readonly connectMsMax?: number | undefined;
  /** How long the connection stays without subscriptions, in case another one comes. */
  readonly lingerMs?: number | undefined;
  readonly backoff?: Backoff | undefined;
};

/** Who talks over the socket. */
type SocketUser = {
  /** The frame that the other side answers. */
  readonly ping: string;
  /** Whether a lost connection is to be replaced. */
  readonly isNeeded: () => boolean;
  /** How long a question has been without an answer. */
  readonly unansweredMs: () => number;
  readonly opened: () => void;
  readonly received: (data: unknown) => void;
  /** The connection is gone, and all that was said on it. */
  readonly hungUp: () => void;
};

/** When HTTP works again, a connection that says nothing for so long was lost unseen. */
const PROBE_MS = 1000;

type Timer = ReturnType<typeof setTimeout> | undefined;

/** One connection for as long as it is needed; when it is lost, a new one takes over. */
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
  /** Counts connections, so that a late event of an old one is not taken for the new one's. */
  #generation = 0;
  #failures = 0;
  /** Whether the present connection was of use. */
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

  /** How long until the next attempt to connect; undefined while none is waited for. */
  get nextTryInMs(): number | undefined {
    if (this.#status !== 'waiting') return undefined;
    return Math.max(0, this.#nextDialMs - performance.now());
  }

  /** Where the present connection goes, or the last one went. */
  get dialed(): string {
    return this.#dialed;
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  /** Connects if there is nothing yet, or keeps what was about to be left. */
  need(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'idle') this.#connect();
  }

  /** Leaves the connection after a while, unless it is needed again. */
  release(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'closed') return;
    this.#lingerTimer = setTimeout(() => {
      this.#hangUp();
      this.#setStatus('idle');
    }, this.#timing.lingerMs);
  }

  /** The connection works, so the next loss is the first one. */
  works(): void {
    this.#failures = 0;
    this.#hasWorked = true;
  }

  /** Connects anew at once, whatever is there now. Does nothing where no connection is needed. */
  reconnect(): void {
    if (this.#status === 'idle' || this.#status === 'closed') return;
    this.#hangUp();
    this.#failures = 0;
    if (this.#user.isNeeded()) this.#connect();
    else this.#setStatus('idle');
  }

  /**
   * The venue answers requests again. A wait ends here, an attempt that hangs is made anew, and a
   * connection that may have died without a word is asked whether it lives.
   */
  venueIsBack(): void {
    const isStuck = performance.now() - this.#dialedMs > PROBE_MS;
    if (this.#status === 'waiting' || (this.#status === 'connecting' && isStuck)) this.reconnect();
    else if (this.#status === 'open') this.#probe();
  }

  /** Ends it for good. */
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
    // What went wrong is not told here; the close that follows is all there is to act on.
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
    // Another process is tried at once; when all have failed, all are waited for.
    const isElsewhere = this.#onLost(this.#dialed) && this.#failures === 1;
    const waitMs = isElsewhere ? 0 : backoffMs(this.#failures, backoff);
    this.#nextDialMs = performance.now() + waitMs;
    this.#setStatus('waiting');
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs);
  }

  /** Leaves the connection without waiting for its goodbye, which may never come. */
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

/** The part of a WebSocket that is used: the browser's, Node's own and that of `ws` all have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** Opens a socket; its events come later than the call. */
export type OpenSocket = (url: string) => Socket | Promise<Socket>;

/** Opens a socket with what the host has; hosts without one of their own use `ws`. */
const openSocket: OpenSocket = async (url) => {
  if (typeof globalThis.WebSocket === 'function') {
    return new globalThis.WebSocket(url) as Socket;
  }
  const { WebSocket } = await import('#ws');
  return new WebSocket(url) as Socket;
};
