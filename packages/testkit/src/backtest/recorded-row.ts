import { isDecimalText, parseDecimal } from '@oddlot/units';

/** One event of a recording. Prices and sizes are decimal text, as recorded. */
export type RecordedRow = RecordedCandle | RecordedTrade | RecordedBook | RecordedOracle;

export type RecordedCandle = {
  readonly kind: 'candle';
  /** The first millisecond of the candle. */
  readonly timeMs: number;
  /** The first millisecond of the next candle. */
  readonly endMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** The traded volume in coins, or `0` if there were no trades. */
  readonly volume: string;
};

export type RecordedTrade = {
  readonly kind: 'trade';
  readonly timeMs: number;
  readonly price: string;
  readonly size: string;
  /** True if the taker bought. */
  readonly isBuy: boolean;
};

/** The whole book, or its recorded top levels. */
export type RecordedBook = {
  readonly kind: 'book';
  readonly timeMs: number;
  readonly bids: readonly RecordedLevel[];
  readonly asks: readonly RecordedLevel[];
};

export type RecordedLevel = { readonly price: string; readonly size: string };

/**
 * An oracle price. If a recording has oracle prices, its trades and books do not move the oracle.
 */
export type RecordedOracle = {
  readonly kind: 'oracle';
  readonly timeMs: number;
  readonly price: string;
};

/** A line's named fields, from a table or from JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** One book level, from a table with one level per line. Lines with the same time form one book. */
export type LevelLine = RecordedLevel & {
  readonly kind: 'level';
  readonly timeMs: number;
  readonly isBid: boolean;
};

/** A candle whose line gives no end time. */
export type OpenCandle = Omit<Extract<RecordedRow, { kind: 'candle' }>, 'endMs'> & {
  readonly endMs: number | undefined;
};

type ReadLine = Exclude<RecordedRow, { kind: 'candle' }> | OpenCandle | LevelLine;

/**
 * Reads a line by its field names. It accepts the project's own format, the project's exports,
 * Hyperliquid's answers and archives, and Binance's dumps. Returns undefined for a line that is not
 * a trade, and a message for an invalid line.
 */
export function rowOf(fields: Fields): ReadLine | undefined | string {
  const inner = wrapped(fields);
  if (inner !== undefined) return rowOf(inner);
  const timeMs = timeOf(first(fields, TIME_NAMES));
  if (typeof timeMs === 'string') return timeMs;
  if ('levels' in fields || 'bids' in fields) return bookOf(fields, timeMs);
  if ('book' in fields) return levelOf(fields, timeMs);
  if ('oracle' in fields) return oracleOf(fields, timeMs);
  if ('open' in fields || 'o' in fields) return candleOf(fields, timeMs);
  if ('price' in fields || 'px' in fields) return tradeOf(fields, timeMs);
  return (
    'it is not a candle, trade, book or oracle price; its fields are ' +
    `${Object.keys(fields).slice(0, 12).join(', ')}`
  );
}

const TIME_NAMES = ['time', 'open_time', 'transact_time', 't'];
const END_NAMES = ['end', 'close_time', 'T'];

/** Returns the content of a live or archived stream message, or undefined for other lines. */
function wrapped(fields: Fields): Fields | undefined {
  const { data, raw } = fields;
  const inner = isFields(raw) ? raw : data;
  return isFields(inner) ? inner : undefined;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first(fields: Fields, names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined);
}

/** Parses a time in milliseconds, in microseconds (Binance since 2025) or in ISO 8601. */
function timeOf(value: unknown): number | string {
  const text = String(value ?? '').trim();
  if (text === '') return 'it has no time';
  const ms = /^\d+$/.test(text)
    ? Number(text.length >= 16 ? text.slice(0, -3) : text)
    : Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  const isTime = Number.isSafeInteger(ms) && ms >= EARLIEST_MS && ms < LATEST_MS;
  return isTime ? ms : `Invalid time "${text}". Use milliseconds or ISO 8601`;
}

/** A time in seconds would fall before this range, and other numbers after it. */
const EARLIEST_MS = Date.parse('2000-01-01T00:00:00Z');
const LATEST_MS = Date.parse('2200-01-01T00:00:00Z');

/**
 * Parses decimal text that must be positive. On request, zero is also allowed. Returns an error
 * text if the text is invalid.
 */
export function decimalOf(
  value: unknown,
  what: string,
  isZeroFine = false,
): { text: string } | string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && isDecimalText(text)) {
    const { floor, exact } = parseDecimal(text, SIGN_DECIMALS)!;
    if (floor > 0n || (isZeroFine && floor === 0n && exact)) return { text };
  }
  const shown =
    value === undefined || value === '' ? 'it has no' : `"${String(value)}" is not a valid`;
  return `${shown} ${what}. Use a decimal number ${isZeroFine ? 'from zero' : 'above zero'}`;
}

/** No price or size has this many decimals. */
const SIGN_DECIMALS = 18;

function candleOf(fields: Fields, timeMs: number): OpenCandle | string {
  const given = [
    decimalOf(first(fields, ['open', 'o']), 'open'),
    decimalOf(first(fields, ['high', 'h']), 'high'),
    decimalOf(first(fields, ['low', 'l']), 'low'),
    decimalOf(first(fields, ['close', 'c']), 'close'),
    decimalOf(first(fields, ['volume', 'v']) ?? '0', 'volume', true),
  ];
  const fault = given.find((each) => typeof each === 'string');
  if (fault !== undefined) return fault;
  const [open, high, low, close, volume] = given.map((each) => (each as { text: string }).text);
  const outside = candleFault({ open: open!, high: high!, low: low!, close: close! });
  if (outside !== undefined) return outside;
  const end = first(fields, END_NAMES);
  const lastMs = end === undefined ? undefined : timeOf(end);
  if (typeof lastMs === 'string') return lastMs;
  // Other formats give the last millisecond, whereas `end` is the first millisecond after the
  // candle.
  const endMs = lastMs === undefined || 'end' in fields ? lastMs : lastMs + 1;
  if (endMs !== undefined && endMs <= timeMs) return 'it ends before it begins';
  return {
    kind: 'candle',
    timeMs,
    endMs,
    open: open!,
    high: high!,
    low: low!,
    close: close!,
    volume: volume!,
  };
}

/**
 * Checks that the decimal prices are consistent: the high is the highest and the low is the lowest.
 */
export function candleFault(
  candle: Pick<OpenCandle, 'open' | 'high' | 'low' | 'close'>,
): string | undefined {
  const { close, high, low, open } = candle;
  const scale = (text: string): bigint => parseDecimal(text, SIGN_DECIMALS)!.floor;
  const isInside = [open, close].every((each) => {
    return scale(each) <= scale(high) && scale(each) >= scale(low);
  });
  if (isInside) return undefined;
  return `open and close must be between its low ${low} and its high ${high}`;
}

function tradeOf(fields: Fields, timeMs: number): ReadLine | undefined | string {
  // An export of fills also includes position transfers that were not traded on a book.
  if ('crossed' in fields && (fields['crossed'] === null || fields['crossed'] === '')) {
    return undefined;
  }
  const price = decimalOf(first(fields, ['price', 'px']), 'price');
  if (typeof price === 'string') return price;
  const size = decimalOf(first(fields, ['size', 'sz', 'qty', 'quantity']), 'size');
  if (typeof size === 'string') return size;
  const isBuy = takerBought(fields);
  if (typeof isBuy === 'string') return isBuy;
  return { kind: 'trade', timeMs, price: price.text, size: size.text, isBuy };
}

function takerBought(fields: Fields): boolean | string {
  const flag = first(fields, ['is_buyer_maker', 'isBuyerMaker', 'm']);
  if (flag !== undefined) {
    const text = String(flag).toLowerCase();
    if (text === 'true' || text === 'false') return text === 'false';
    return `Invalid buyer-maker flag "${String(flag)}". Use true or false`;
  }
  const side = String(fields['side'] ?? '').toLowerCase();
  if (!Object.hasOwn(SIDES, side)) {
    return `Invalid side "${String(fields['side'] ?? '')}". Use buy or sell, the side of the taker`;
  }
  const isOwn = SIDES[side]!;
  // A fill's side is the account's side, and the account may have been the maker.
  return String(fields['crossed'] ?? 'true') === 'false' ? !isOwn : isOwn;
}

const SIDES: Readonly<Record<string, boolean>> = {
  buy: true,
  b: true,
  bid: true,
  sell: false,
  s: false,
  a: false,
  ask: false,
};

function bookOf(fields: Fields, timeMs: number): ReadLine | string {
  const levels = fields['levels'] ?? [fields['bids'], fields['asks']];
  if (!Array.isArray(levels) || levels.length !== 2) return 'its levels must contain bids and asks';
  const [bids, asks] = levels.map((side) => levelsOf(side));
  if (typeof bids === 'string') return bids;
  if (typeof asks === 'string') return asks;
  if (bids === undefined || asks === undefined) return 'its levels must contain bids and asks';
  return { kind: 'book', timeMs, bids, asks };
}

/** Reads the levels of one side: pairs, or objects as in Hyperliquid's answers. */
function levelsOf(side: unknown): readonly RecordedLevel[] | string {
  if (!Array.isArray(side)) return 'a side of the book must be a list of levels';
  const levels: RecordedLevel[] = [];
  for (const each of side as unknown[]) {
    const pair = Array.isArray(each) ? { px: each[0], sz: each[1] } : each;
    if (!isFields(pair)) return 'a level of the book must be a pair or an object';
    const price = decimalOf(first(pair, ['px', 'price']), 'price');
    if (typeof price === 'string') return price;
    const size = decimalOf(first(pair, ['sz', 'size']), 'size', true);
    if (typeof size === 'string') return size;
    levels.push({ price: price.text, size: size.text });
  }
  return levels;
}

function levelOf(fields: Fields, timeMs: number): LevelLine | string {
  const side = String(fields['book']).toLowerCase();
  if (side !== 'bid' && side !== 'ask') return `Invalid side "${side}" of a book. Use bid or ask`;
  const price = decimalOf(fields['price'], 'price');
  if (typeof price === 'string') return price;
  const size = decimalOf(fields['size'], 'size', true);
  if (typeof size === 'string') return size;
  return { kind: 'level', timeMs, isBid: side === 'bid', price: price.text, size: size.text };
}

function oracleOf(fields: Fields, timeMs: number): ReadLine | string {
  const price = decimalOf(fields['oracle'], 'oracle price');
  return typeof price === 'string' ? price : { kind: 'oracle', timeMs, price: price.text };
}

/**
 * Validates a row created by a program, by the same rules as for files. Returns undefined if it is
 * valid.
 */
export function rowFault(row: unknown): string | undefined {
  if (!isFields(row)) return `${String(row)} is not a row`;
  const { timeMs } = row;
  if (!Number.isSafeInteger(timeMs)) return `Invalid timeMs ${String(timeMs)}. Use milliseconds`;
  return faultByKind(row as unknown as RecordedRow);
}

function faultByKind(row: RecordedRow): string | undefined {
  switch (row.kind) {
    case 'candle': {
      const { close, endMs, high, low, open, timeMs, volume } = row;
      const given = Object.entries({ open, high, low, close });
      const fault = firstOf(given.map(([what, value]) => decimalFault(value, what)));
      if (fault !== undefined) return fault;
      return decimalFault(volume, 'volume', true) ?? endFault(timeMs, endMs) ?? candleFault(row);
    }
    case 'trade':
      if (typeof row.isBuy !== 'boolean')
        return `Invalid isBuy ${String(row.isBuy)}. Use a boolean`;
      return decimalFault(row.price, 'price') ?? decimalFault(row.size, 'size');
    case 'book':
      return levelsFault(row.bids, 'bids') ?? levelsFault(row.asks, 'asks');
    case 'oracle':
      return decimalFault(row.price, 'oracle price');
    default: {
      const { kind } = row as { readonly kind?: unknown };
      return `Unknown kind of row ${String(kind)}. Use candle, trade, book or oracle`;
    }
  }
}

function endFault(timeMs: number, endMs: unknown): string | undefined {
  if (!Number.isSafeInteger(endMs)) return `Invalid endMs ${String(endMs)}. Use milliseconds`;
  return (endMs as number) > timeMs ? undefined : 'it ends before it begins';
}

function levelsFault(levels: unknown, side: string): string | undefined {
  if (!Array.isArray(levels)) return `its ${side} must be a list of levels`;
  // As in a file, a level with size zero means that the level was removed.
  return firstOf(
    levels.map((level: unknown) => {
      if (!isFields(level)) return 'a level of the book must be an object';
      return decimalFault(level['price'], 'price') ?? decimalFault(level['size'], 'size', true);
    }),
  );
}

function decimalFault(value: unknown, what: string, isZeroFine = false): string | undefined {
  if (typeof value === 'number') return `Invalid ${what} ${value}. Use a string`;
  const given = decimalOf(value, what, isZeroFine);
  return typeof given === 'string' ? given : undefined;
}

function firstOf(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}
