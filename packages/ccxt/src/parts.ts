import type { Candle, HistOrder, InfoRequestOf, L2Book, Side } from '@oddlot/protocol';
import type { BaseExchange, Dict, Market } from 'ccxt';
import { BadSymbol } from 'ccxt';
import type { Link, Page } from './link.ts';

/** The only currency of balances, fees and margin. */
export const USDC = 'USDC';

/** The candle intervals, which have the same names in ccxt and in the API. */
export const TIMEFRAMES: Readonly<Record<string, string>> = Object.fromEntries(
  ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w', '1M'].map(
    (name) => [name, name],
  ),
);

const SIDES: Readonly<Record<Side, 'buy' | 'sell'>> = { B: 'buy', A: 'sell' };

export const sideOf = (side: Side): 'buy' | 'sell' => SIDES[side];

const STATUSES: Readonly<Record<string, string>> = {
  open: 'open',
  triggered: 'open',
  filled: 'closed',
  cancelled: 'canceled',
  rejected: 'rejected',
};

export const statusOf = (status: string): string => STATUSES[status] ?? status;

const TIMES_IN_FORCE: Readonly<Record<HistOrder['tif'], string>> = {
  GTC: 'GTC',
  GTD: 'GTD',
  ALO: 'PO',
  IOC: 'IOC',
};

export const timeInForceOf = (tif: string): string | undefined =>
  TIMES_IN_FORCE[tif as HistOrder['tif']];

/** Converts an unset string from the API to undefined. */
export const given = (text: string | null | undefined): string | undefined =>
  text === null || text === '' ? undefined : text;

/** Returns a row's fee in ccxt's format. */
export const feeOf = (exchange: BaseExchange, cost: string | undefined): Dict | undefined =>
  cost === undefined ? undefined : { cost: exchange.parseNumber(cost), currency: USDC };

/** Returns a row's time in ccxt's format. */
export const timeOf = (exchange: BaseExchange, timestamp: number | undefined): Dict => ({
  timestamp,
  datetime: exchange.iso8601(timestamp),
});

/** An exchange's markets, by instrument id and by the names used in API rows. */
const INDEXES = new WeakMap<object, ReadonlyMap<string, Market>>();

/** The fields by which API rows identify their instrument. */
type Instrumented = {
  readonly instrumentId?: number | string;
  readonly asset?: string;
  readonly coin?: string;
};

/**
 * Finds a row's market. There is none if the instrument was listed after the markets were loaded.
 */
export function marketIn(exchange: BaseExchange, row: Instrumented): Market | undefined {
  const { markets } = exchange;
  if (markets === undefined) return undefined;
  const index = INDEXES.get(markets) ?? indexOf(markets);
  INDEXES.set(markets, index);
  return index.get(String(row.instrumentId ?? row.asset ?? row.coin));
}

function indexOf(markets: Readonly<Record<string, Market>>): ReadonlyMap<string, Market> {
  const index = new Map<string, Market>();
  for (const market of Object.values(markets)) {
    const { name } = market.info as { readonly name?: string };
    index.set(market.id, market);
    if (name !== undefined) index.set(name, market);
  }
  return index;
}

/** Finds the markets of the given symbols, or all markets if no symbols are given. */
export function marketsOf(
  exchange: BaseExchange,
  symbols: readonly string[] | undefined,
): readonly Market[] {
  const named = exchange.marketSymbols(symbols) ?? Object.keys(exchange.markets ?? {});
  return named.map((symbol) => exchange.market(symbol));
}

/** Returns rows as an object keyed by symbol. */
export function bySymbol(
  exchange: BaseExchange,
  rows: readonly Dict[],
  symbols: readonly string[] | undefined,
): Dict {
  const selected = exchange.marketSymbols(symbols);
  const kept = rows.filter(
    ({ symbol }) => selected === undefined || selected.includes(String(symbol)),
  );
  return Object.fromEntries(kept.map((row) => [String(row['symbol']), row]));
}

/** The maximum number of pages that a method reads, of up to 2,000 rows each. */
const PAGES_MAX = 50;

/**
 * Reads rows from the history. The venue returns the newest rows first. If no start is given, one
 * page therefore has the newest `limit` rows; otherwise all pages are read to find the oldest rows.
 */
export async function rowsOf<Row>(
  ask: (page: { limit: number; cursor?: string }) => Promise<Page<readonly Row[]>>,
  { limit, max, since }: { limit?: number | undefined; max: number; since?: number | undefined },
): Promise<Row[]> {
  const rows: Row[] = [];
  const size = since === undefined ? Math.min(limit ?? max, max) : max;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await ask({ limit: size, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...answer.data);
    cursor = answer.nextCursor ?? undefined;
    const isEnough = since === undefined && rows.length >= (limit ?? 1);
    if (cursor === undefined || isEnough) break;
  }
  return rows;
}

/** Returns the start of a query's time range, and its end if `params` has one. */
export function spanOf(
  exchange: BaseExchange,
  since: number | undefined,
  params: Dict,
): { startTime?: number; endTime?: number } {
  const until = exchange.safeInteger(params, 'until');
  return {
    ...(since === undefined ? {} : { startTime: since }),
    ...(until === undefined ? {} : { endTime: until }),
  };
}

/** Reads an instrument's book. */
export async function bookOf(link: Link, id: string): Promise<L2Book> {
  return link.info({ type: 'l2Book', coin: id });
}

type OhlcvOptions = {
  readonly id: string;
  readonly timeframe: string;
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly params: Dict;
};

/** The maximum number of candles in a response. */
const CANDLES_MAX = 5000;
/** The number of candles if neither a start nor a limit is given. */
const CANDLES_DEFAULT = 500;

type Interval = InfoRequestOf<'candleSnapshot'>['req']['interval'];

/** Reads candles. If no start is given, the newest ones are read. */
export async function candlesOf(
  exchange: BaseExchange,
  link: Link,
  { id, limit, params, since, timeframe }: OhlcvOptions,
): Promise<readonly Candle[]> {
  const interval = exchange.timeframes[timeframe] ?? timeframe;
  const stepMs = exchange.parseTimeframe(timeframe) * 1000;
  const count = Math.min(limit ?? CANDLES_DEFAULT, CANDLES_MAX);
  const until = exchange.safeInteger(params, 'until');
  const newest = until ?? exchange.milliseconds();
  // A month in ccxt has 30 days, so one extra interval covers longer months.
  const startTime = Math.max(0, since ?? newest - stepMs * (count + 1));
  const endTime = until ?? (since === undefined ? undefined : since + stepMs * (count + 1));
  const span = { startTime, ...(endTime === undefined ? {} : { endTime }) };
  const req = { coin: id, interval: interval as Interval, ...span };
  const candles = await link.info({ type: 'candleSnapshot', req });
  return since === undefined ? candles.slice(-count) : candles.slice(0, count);
}

/** Returns a candle in ccxt's format. */
export function ohlcvOf(exchange: BaseExchange, { t, o, h, l, c, v }: Candle) {
  return [t, ...[o, h, l, c, v].map((text) => exchange.parseNumber(text))];
}

/** Returns a symbol's market; the symbol is required. */
export function namedMarket(exchange: BaseExchange, symbol: string | undefined): Market {
  if (symbol === undefined) throw new BadSymbol(`${exchange.id} requires a symbol`);
  return exchange.market(symbol);
}
