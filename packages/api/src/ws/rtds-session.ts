import { randomBytes } from 'node:crypto';
import { checkJson, RTDS_TOPICS, type RtdsSeries, type RtdsTopic } from '@oddlot/protocol';
import type { Connection } from './connection.ts';
import { errorFrame, RATE_LIMITED, textFrame, type WsError } from './frame.ts';
import type { EngineEvent, State } from '@oddlot/engine';
import { divHalfUp, formatDecimal } from '@oddlot/units';
import type { ReferencePrices } from '@oddlot/translate/read-models/reference-prices';
import type { AppliedBlock } from '@oddlot/replica/block';
import { Pace, type Timing } from './timing.ts';
import type { WsLimits } from '../ws-limits.ts';

/** The maximum number of subscriptions in one frame. A frame with more is invalid. */
const ENTRIES_MAX = 50;
/** The maximum length of a symbol. All valid symbols are shorter, so a longer one is invalid. */
const SYMBOL_LENGTH_MAX = 32;

const PONG = textFrame(Buffer.from('PONG'));

const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame must be PING or a JSON object with action and subscriptions',
};

/** The symbols a client has subscribed to on one topic. */
type TopicSymbols = { all: boolean; readonly symbols: Set<string> };
type Entry = { readonly topic: RtdsTopic; readonly symbol: string | undefined };

/**
 * The session of one client on /ws-rtds, which has its own conventions: pings are plain text, a
 * frame can name several topics, and subscriptions are not confirmed.
 */
export class RtdsSession implements PriceListener {
  readonly connectionId = randomBytes(12).toString('hex');
  readonly #connection: Connection;
  readonly #topics: PriceTopics;
  readonly #symbolsMax: number;
  readonly #wishes = new Map<RtdsTopic, TopicSymbols>();

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
    const topicSymbols = this.#wishes.get(topic);
    return topicSymbols !== undefined && (topicSymbols.all || topicSymbols.symbols.has(symbol));
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
    const topicSymbols = this.#wishes.get(topic) ?? { all: false, symbols: new Set() };
    this.#wishes.set(topic, topicSymbols);
    if (symbol === undefined) {
      topicSymbols.all = true;
      return undefined;
    }
    if (topicSymbols.symbols.size >= this.#symbolsMax) {
      const message = `Too many subscriptions: ${this.#symbolsMax}`;
      return { code: 'TOO_MANY_SUBSCRIPTIONS', message };
    }
    topicSymbols.symbols.add(symbol);
    this.send(this.#topics.dump(topic, symbol, this));
    return undefined;
  }

  /** If no symbol is given, all subscriptions to the topic end. */
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

/** Reads the filters, which are JSON text within a JSON string. An empty string means no filter. */
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

/** The part of a session used by its topics. */
interface PriceListener {
  /** The id included in every frame to this client. */
  readonly connectionId: string;
  wants(topic: RtdsTopic, symbol: string): boolean;
  send(frame: Buffer): void;
}

type PriceTopicsOptions = {
  readonly state: () => State;
  readonly prices: ReferencePrices;
  readonly limits: Pick<WsLimits, 'priceIntervalMs'>;
  readonly timing: Timing;
};

type PriceTaken = Extract<EngineEvent, { type: 'referencePriceTaken' }>;
/** A price and its time. `e18` has 18 decimals and `value` at most 8. */
type Quote = { readonly timeMs: number; readonly value: string; readonly e18: bigint };

const SECOND_MS = 1_000;
const DUMP_SECONDS = 60;
const E8_TO_E18 = 10n ** 10n;
const WINDOW_SECONDS = { twap30: 30, twap60: 60 } as const;

const TOPICS = Object.entries(RTDS_TOPICS) as [RtdsTopic, RtdsSeries][];

/**
 * The topics of /ws-rtds. Prices are published as they arrive, at most once per second and symbol.
 * Averages are published with the first block of each second, from the samples that R-series
 * defines.
 */
export class PriceTopics {
  readonly #options: PriceTopicsOptions;
  readonly #listeners = new Set<PriceListener>();
  /** The pace for each source and symbol. */
  readonly #paces = new Map<string, Pace>();
  #secondMs = 0;

  constructor(options: PriceTopicsOptions) {
    this.#options = options;
  }

  add(listener: PriceListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: PriceListener): void {
    this.#listeners.delete(listener);
  }

  onBlock(block: AppliedBlock): void {
    const secondMs = block.timeMs - (block.timeMs % SECOND_MS);
    const isNewSecond = secondMs > this.#secondMs;
    this.#secondMs = secondMs;
    if (this.#listeners.size === 0) return;
    for (const event of block.result.events) {
      if (event.type === 'referencePriceTaken') this.#paceOf(event).ask();
    }
    if (isNewSecond) this.#publishAverages(secondMs);
  }

  /** Builds a frame with a symbol's last minute of prices for one client. */
  dump(topic: RtdsTopic, shown: string, { connectionId }: PriceListener): Buffer {
    const series = RTDS_TOPICS[topic];
    const symbol = this.#symbols().find((each) => shownSymbol(series, each) === shown);
    const quotes = symbol === undefined ? [] : this.#lastMinute(series, symbol);
    const data = quotes.map(({ timeMs, value }) => `{"timestamp":${timeMs},"value":${value}}`);
    const payload = `{"symbol":${JSON.stringify(shown)},"data":[${data.join(',')}]}`;
    return closedFrame(this.#openFrame(topic, 'subscribe', payload), connectionId);
  }

  close(): void {
    for (const pace of this.#paces.values()) pace.stop();
    this.#listeners.clear();
  }

  #paceOf({ source, symbol }: PriceTaken): Pace {
    const key = `${source}/${symbol}`;
    const known = this.#paces.get(key);
    if (known !== undefined) return known;
    const { limits, prices, timing } = this.#options;
    const pace = new Pace(timing, limits.priceIntervalMs, () => {
      const latest = prices.latest(symbol, source);
      if (latest === undefined) return false;
      return this.#publish(source, symbol, quoteOf(latest.atMs, latest.priceE8));
    });
    this.#paces.set(key, pace);
    return pace;
  }

  #publishAverages(secondMs: number): void {
    for (const symbol of this.#symbols()) {
      for (const series of ['twap30', 'twap60'] as const) {
        const quote = this.#average(series, symbol, secondMs);
        if (quote !== undefined) this.#publish(series, symbol, quote);
      }
    }
  }

  /** Returns false if there are no subscribers. */
  #publish(series: RtdsSeries, symbol: string, { e18, timeMs, value }: Quote): boolean {
    const shown = shownSymbol(series, symbol);
    const price = `"timestamp":${timeMs},"value":${value},"full_accuracy_value":"${e18}"`;
    const payload = `{"symbol":${JSON.stringify(shown)},${price}}`;
    let isWanted = false;
    for (const [topic, of] of TOPICS) {
      if (of !== series) continue;
      let body: Buffer | undefined;
      for (const listener of this.#listeners) {
        if (!listener.wants(topic, shown)) continue;
        isWanted = true;
        body ??= this.#openFrame(topic, 'update', payload);
        listener.send(closedFrame(body, listener.connectionId));
      }
    }
    return isWanted;
  }

  /** Builds the text of a frame up to its connection id, which differs between clients. */
  #openFrame(topic: RtdsTopic, type: 'subscribe' | 'update', payload: string): Buffer {
    const { timeMs } = this.#options.state();
    return Buffer.from(
      `{"topic":"${topic}","type":"${type}","timestamp":${timeMs},"payload":${payload}`,
    );
  }

  #symbols(): string[] {
    const feeds = this.#options.state().outcomes.prices.values();
    return [...new Set([...feeds].map(({ symbol }) => symbol))];
  }

  #lastMinute(series: RtdsSeries, symbol: string): Quote[] {
    const { prices, state } = this.#options;
    const toMs = state().timeMs;
    if (series === 'spot' || series === 'oracle') {
      const span = { fromMs: toMs - DUMP_SECONDS * SECOND_MS, toMs, max: 2 * DUMP_SECONDS };
      const points = prices.history(symbol, series, span);
      return points.map(({ atMs, priceE8 }) => quoteOf(atMs, priceE8));
    }
    const quotes: Quote[] = [];
    const lastMs = toMs - (toMs % SECOND_MS);
    for (let second = DUMP_SECONDS - 1; second >= 0; second--) {
      const quote = this.#average(series, symbol, lastMs - second * SECOND_MS);
      if (quote !== undefined) quotes.push(quote);
    }
    return quotes;
  }

  /** Uses oracle prices if the symbol has any, otherwise spot prices. */
  #average(series: 'twap30' | 'twap60', symbol: string, atMs: number): Quote | undefined {
    const { prices } = this.#options;
    const source = prices.latest(symbol, 'oracle') === undefined ? 'spot' : 'oracle';
    const twap = prices.twap(symbol, source, atMs, WINDOW_SECONDS[series]);
    if (twap === undefined) return undefined;
    const samples = BigInt(twap.samples);
    return {
      timeMs: atMs,
      value: formatDecimal(divHalfUp(twap.sumE8, samples), 8),
      e18: divHalfUp(twap.sumE8 * E8_TO_E18, samples),
    };
  }
}

function quoteOf(timeMs: number, priceE8: number): Quote {
  return { timeMs, value: formatDecimal(priceE8, 8), e18: BigInt(priceE8) * E8_TO_E18 };
}

/**
 * Returns the symbol in the spelling of its topic: `btcusdt` for spot prices, otherwise `btc/usd`.
 */
function shownSymbol(series: RtdsSeries, symbol: string): string {
  const base = symbol.toLowerCase();
  return series === 'spot' ? `${base}usdt` : `${base}/usd`;
}

function closedFrame(body: Buffer, connectionId: string): Buffer {
  return textFrame(body, `,"connection_id":"${connectionId}"}`);
}
