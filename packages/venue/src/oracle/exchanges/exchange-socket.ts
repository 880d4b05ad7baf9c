import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { WebSocket } from 'ws';
import { type ExchangeSource, isFrame } from './exchange-formats.ts';

type ExchangeSocketOptions = {
  readonly source: ExchangeSource;
  readonly symbols: readonly string[];
  readonly clock: Clock;
  /** An exchange that sends nothing for this many milliseconds is excluded and reconnected to. */
  readonly silentMs: number;
  /** The delay before the first reconnection attempt; it doubles with each further attempt. */
  readonly retryMs: number;
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>;
};

/**
 * A symbol has no price if its last quote is older than this, even if the exchange is connected.
 */
const QUOTE_AGE_MS_MAX = 30_000;
const RETRY_MS_MAX = 30_000;
const HANDSHAKE_MS_MAX = 10_000;
const FRAME_BYTES_MAX = 256 * 1024;

/**
 * Receives the public prices of one exchange over a connection that is re-established when it is
 * lost.
 */
export class ExchangeSocket {
  readonly #options: ExchangeSocketOptions;
  readonly #mids = new Map<string, { readonly midE8: number; readonly atMs: number }>();
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #receivedMs = 0;
  /** The number of connection attempts since the last price. */
  #attempts = 0;
  #isRunning = false;

  constructor(options: ExchangeSocketOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#connect();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  /** Returns the mid price, or undefined if there is no recent quote. */
  midE8(symbol: string, nowMs: number): number | undefined {
    if (nowMs - this.#receivedMs > this.#options.silentMs) return undefined;
    const known = this.#mids.get(symbol);
    return known !== undefined && nowMs - known.atMs <= QUOTE_AGE_MS_MAX ? known.midE8 : undefined;
  }

  look(nowMs: number): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    if (nowMs - this.#receivedMs > this.#options.silentMs) this.#socket.terminate();
  }

  #connect(): void {
    const { clock, source, symbols } = this.#options;
    const { format, url } = source;
    const socket = new WebSocket(format.address(url, symbols), {
      handshakeTimeout: HANDSHAKE_MS_MAX,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('open', () => {
      this.#receivedMs = clock.nowMs();
      for (const greeting of format.greetings(symbols)) socket.send(greeting);
    });
    socket.on('ping', () => {
      this.#receivedMs = clock.nowMs();
    });
    socket.on('message', (data: Buffer) => this.#take(data.toString()));
    // Every error is followed by a close event, so the error handler only logs.
    socket.on('error', (error) => this.#reportLost(error));
    socket.on('close', () => this.#retry());
  }

  #take(text: string): void {
    const { clock, log, source } = this.#options;
    const nowMs = clock.nowMs();
    const frame = parsed(text);
    const quotes = isFrame(frame) ? source.format.read(frame) : undefined;
    if (quotes === undefined) {
      log.debug({ exchange: source.name, text: text.slice(0, 200) }, 'unknown frame skipped');
      return;
    }
    this.#receivedMs = nowMs;
    for (const { askE8, bidE8, symbol } of quotes) {
      this.#mids.set(symbol, { midE8: Math.round((bidE8 + askE8) / 2), atMs: nowMs });
    }
    if (quotes.length === 0 || this.#attempts === 0) return;
    this.#attempts = 0;
    log.info({ exchange: source.name }, 'exchange prices received');
  }

  /** Discards the prices of the lost connection and schedules a reconnection. */
  #retry(): void {
    const { random, retryMs } = this.#options;
    this.#mids.clear();
    if (!this.#isRunning) return;
    const pauseMs = Math.min(RETRY_MS_MAX, retryMs * 2 ** Math.min(this.#attempts, 16));
    this.#attempts += 1;
    // The delay is randomized, so that not all venues reconnect at the same moment.
    this.#timer = setTimeout(() => this.#connect(), pauseMs * (0.5 + random() / 2));
  }

  #reportLost(error: Error): void {
    const { log, source } = this.#options;
    const fields = { exchange: source.name, message: error.message };
    if (this.#isRunning && this.#attempts === 0) log.warn(fields, 'exchange connection lost');
    else log.debug(fields, 'exchange connection lost');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
