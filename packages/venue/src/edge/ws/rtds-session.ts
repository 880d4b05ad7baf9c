import { randomBytes } from 'node:crypto';
import { checkJson, RTDS_TOPICS, type RtdsTopic } from '@oddlot/protocol';
import type { Connection } from './connection.ts';
import { textFrame } from './frame.ts';
import type { PriceListener, PriceTopics } from './price-topics.ts';
import { errorFrame, RATE_LIMITED, type WsError } from './ws-error.ts';

/** Subscriptions in one frame that are answered one by one. */
const ENTRIES_MAX = 50;
/** No symbol is longer. */
const SYMBOL_LENGTH_MAX = 32;

const PONG = textFrame(Buffer.from('PONG'));

const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame is PING or a JSON object with action and subscriptions',
};

/** What a client wants of one topic. */
type Wish = { all: boolean; readonly symbols: Set<string> };
type Entry = { readonly topic: RtdsTopic; readonly symbol: string | undefined };

/**
 * The conversation with one client of /ws-rtds, which has a convention of its own: pings are bare
 * words, a frame names several topics, and what is understood is not confirmed.
 */
export class RtdsSession implements PriceListener {
  readonly connectionId = randomBytes(12).toString('hex');
  readonly #connection: Connection;
  readonly #topics: PriceTopics;
  readonly #symbolsMax: number;
  readonly #wishes = new Map<RtdsTopic, Wish>();

  constructor(
    connection: Connection,
    { topics, symbolsMax }: { readonly topics: PriceTopics; readonly symbolsMax: number },
  ) {
    this.#connection = connection;
    this.#topics = topics;
    this.#symbolsMax = symbolsMax;
    topics.add(this);
  }

  wants(topic: RtdsTopic, symbol: string): boolean {
    const wish = this.#wishes.get(topic);
    return wish !== undefined && (wish.all || wish.symbols.has(symbol));
  }

  send(frame: Buffer): void {
    this.#connection.send(frame);
  }

  receive(text: string | undefined): void {
    if (text === 'PING' || text === 'ping') {
      this.send(PONG);
      return;
    }
    if (!this.#connection.budget.take()) {
      this.#fail(RATE_LIMITED);
      return;
    }
    const frame = text === undefined ? undefined : readFrame(text);
    if (frame === undefined) {
      this.#fail(INVALID_FRAME);
      return;
    }
    for (const sent of frame.subscriptions) {
      const entry = readEntry(sent);
      const error = entry.ok ? this.#obey(frame.action, entry) : entry.error;
      if (error !== undefined) this.#fail({ ...error, subscription: sent }, entry.topic);
    }
  }

  close(): void {
    this.#topics.remove(this);
  }

  #obey(action: Frame['action'], entry: Entry): WsError | undefined {
    if (action === 'subscribe') return this.#subscribe(entry);
    this.#unsubscribe(entry);
    return undefined;
  }

  #subscribe({ symbol, topic }: Entry): WsError | undefined {
    const wish = this.#wishes.get(topic) ?? { all: false, symbols: new Set() };
    this.#wishes.set(topic, wish);
    if (symbol === undefined) {
      wish.all = true;
      return undefined;
    }
    if (wish.symbols.size >= this.#symbolsMax) {
      const message = `Too many subscriptions: ${this.#symbolsMax}`;
      return { code: 'TOO_MANY_SUBSCRIPTIONS', message };
    }
    wish.symbols.add(symbol);
    this.send(this.#topics.dump(topic, symbol, this));
    return undefined;
  }

  /** Without a symbol it ends everything of the topic. */
  #unsubscribe({ symbol, topic }: Entry): void {
    if (symbol === undefined) this.#wishes.delete(topic);
    else this.#wishes.get(topic)?.symbols.delete(symbol);
  }

  #fail(error: WsError, topic?: string): void {
    this.send(errorFrame('wsRtds', error, topic));
  }
}

type Frame = {
  readonly action: 'subscribe' | 'unsubscribe';
  readonly subscriptions: readonly unknown[];
};

function readFrame(text: string): Frame | undefined {
  if (!checkJson(text).ok) return undefined;
  const frame = JSON.parse(text) as { action?: unknown; subscriptions?: unknown } | null;
  if (frame?.action !== 'subscribe' && frame?.action !== 'unsubscribe') return undefined;
  const { action, subscriptions } = frame;
  if (!Array.isArray(subscriptions) || subscriptions.length > ENTRIES_MAX) return undefined;
  return { action, subscriptions };
}

type ReadEntry =
  | ({ readonly ok: true } & Entry)
  | { readonly ok: false; readonly topic: string; readonly error: WsError };

function readEntry(value: unknown): ReadEntry {
  const sent = (value ?? {}) as { topic?: unknown; type?: unknown; filters?: unknown };
  const topic = typeof sent.topic === 'string' ? sent.topic : '';
  if (!isTopic(topic)) {
    return { ok: false, topic, error: { code: 'UNKNOWN_CHANNEL', message: 'topic not found' } };
  }
  if (sent.type !== 'update' && sent.type !== '*') {
    return { ok: false, topic, error: { code: 'INVALID_PARAMS', message: 'type not found' } };
  }
  const filters = readFilters(sent.filters ?? '');
  if (filters === undefined) {
    return { ok: false, topic, error: { code: 'INVALID_PARAMS', message: 'invalid filters' } };
  }
  return { ok: true, topic, symbol: filters.symbol };
}

function isTopic(topic: string): topic is RtdsTopic {
  return Object.hasOwn(RTDS_TOPICS, topic);
}

/** Filters are JSON inside JSON; the empty text filters nothing. */
function readFilters(text: unknown): { readonly symbol: string | undefined } | undefined {
  if (typeof text !== 'string') return undefined;
  if (text === '') return { symbol: undefined };
  if (!checkJson(text).ok) return undefined;
  const filters: unknown = JSON.parse(text);
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return undefined;
  const { symbol } = filters as { symbol?: unknown };
  if (symbol === undefined) return { symbol };
  if (typeof symbol !== 'string' || symbol.length > SYMBOL_LENGTH_MAX) return undefined;
  return { symbol: symbol.toLowerCase() };
}
