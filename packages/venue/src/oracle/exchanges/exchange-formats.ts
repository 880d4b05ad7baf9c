import { parseDecimal } from '@oddlot/units';
import { REFERENCE_DECIMALS } from '../reference-feed.ts';
import { z } from 'zod';

/** The best bid and ask of a symbol, in units of 10^-8 USD. */
type Quote = { readonly symbol: string; readonly bidE8: number; readonly askE8: number };

export type ExchangeFormat = {
  readonly url: string;
  address(url: string, symbols: readonly string[]): string;
  greetings(symbols: readonly string[]): readonly string[];
  /**
   * Returns the quotes in a frame. The list is empty for frames without quotes, such as heartbeats,
   * and undefined for an invalid frame.
   */
  read(frame: Frame): readonly Quote[] | undefined;
};

type Frame = Readonly<Record<string, unknown>>;

/** A quote whose spread is wider than this fraction of the ask price is not used. */
const SPREAD_SHARE_MAX = 0.02;

/** Returns a quote with the bid and ask from a frame, or undefined if they are not valid prices. */
function quote(symbol: unknown, bid: unknown, ask: unknown): Quote | undefined {
  const [bidE8, askE8] = [priceE8(bid), priceE8(ask)];
  if (typeof symbol !== 'string' || bidE8 === undefined || askE8 === undefined) return undefined;
  if (bidE8 > askE8 || askE8 - bidE8 > askE8 * SPREAD_SHARE_MAX) return undefined;
  return { symbol, bidE8, askE8 };
}

export function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a price, which exchanges send as text or as a JSON number. */
function priceE8(value: unknown): number | undefined {
  const count =
    typeof value === 'string'
      ? Number(parseDecimal(value, REFERENCE_DECIMALS)?.floor ?? 0n)
      : typeof value === 'number'
        ? Math.round(value * 10 ** REFERENCE_DECIMALS)
        : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

const QUOTE_CURRENCY = 'USDT';

/** Combined streams of the best bid and ask; the symbols are part of the address. */
export const binance: ExchangeFormat = {
  url: 'wss://stream.binance.com:9443',
  address(url, symbols) {
    const streams = symbols.map((symbol) => `${symbol}${QUOTE_CURRENCY}`.toLowerCase());
    return `${url}/stream?streams=${streams.map((stream) => `${stream}@bookTicker`).join('/')}`;
  },
  greetings: () => [],
  read({ data, stream }) {
    if (typeof stream !== 'string' || !isFrame(data)) return undefined;
    const { a: ask, b: bid, s: pair } = data;
    if (typeof pair !== 'string' || !pair.endsWith(QUOTE_CURRENCY)) return undefined;
    const found = quote(pair.slice(0, -QUOTE_CURRENCY.length), bid, ask);
    return found === undefined ? undefined : [found];
  },
};

const COINBASE_SUFFIX = '-USD';

/**
 * The ticker is sent with every trade, and the heartbeat every second. Each symbol has its own
 * subscription, because one unknown symbol fails the whole request.
 */
export const coinbase: ExchangeFormat = {
  url: 'wss://ws-feed.exchange.coinbase.com',
  address: (url) => url,
  greetings: (symbols) =>
    symbols.map((symbol) =>
      JSON.stringify({
        type: 'subscribe',
        product_ids: [`${symbol}${COINBASE_SUFFIX}`],
        channels: ['ticker', 'heartbeat'],
      }),
    ),
  read(frame) {
    if (typeof frame['type'] !== 'string') return undefined;
    if (frame['type'] !== 'ticker') return [];
    const product = frame['product_id'];
    if (typeof product !== 'string' || !product.endsWith(COINBASE_SUFFIX)) return undefined;
    const symbol = product.slice(0, -COINBASE_SUFFIX.length);
    const found = quote(symbol, frame['best_bid'], frame['best_ask']);
    return found === undefined ? undefined : [found];
  },
};

const KRAKEN_SUFFIX = '/USD';

/** Version 2 of the API, in which prices are JSON numbers and heartbeats need no subscription. */
export const kraken: ExchangeFormat = {
  url: 'wss://ws.kraken.com/v2',
  address: (url) => url,
  greetings: (symbols) =>
    symbols.map((symbol) =>
      JSON.stringify({
        method: 'subscribe',
        params: { channel: 'ticker', symbol: [`${symbol}${KRAKEN_SUFFIX}`], event_trigger: 'bbo' },
      }),
    ),
  read(frame) {
    if (frame['channel'] !== 'ticker') {
      return typeof frame['channel'] === 'string' || 'method' in frame ? [] : undefined;
    }
    if (!Array.isArray(frame['data'])) return undefined;
    const quotes = frame['data'].map(quoteOf);
    return quotes.every((each) => each !== undefined) ? quotes : undefined;
  },
};

function quoteOf(row: unknown): Quote | undefined {
  if (!isFrame(row)) return undefined;
  const { ask, bid, symbol } = row;
  if (typeof symbol !== 'string' || !symbol.endsWith(KRAKEN_SUFFIX)) return undefined;
  return quote(symbol.slice(0, -KRAKEN_SUFFIX.length), bid, ask);
}

const FORMATS = { binance, coinbase, kraken } satisfies Record<string, ExchangeFormat>;

export const EXCHANGE_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

const ExchangeName = z.enum(EXCHANGE_NAMES);

const ExchangeTable = z.strictObject({
  name: ExchangeName,
  url: z.url({ protocol: /^wss?$/ }).optional(),
  weight: z.number().positive().max(1_000).optional(),
});

/** An exchange as a price source, given as its name or as a table with an address and a weight. */
export const ExchangeSetting = z.union([ExchangeName, ExchangeTable]).transform((setting) => {
  const { name, url, weight }: z.infer<typeof ExchangeTable> =
    typeof setting === 'string' ? { name: setting } : setting;
  const format: ExchangeFormat = FORMATS[name];
  return { name, format, url: url ?? format.url, weight: weight ?? 1 };
});

export type ExchangeSource = z.infer<typeof ExchangeSetting>;
