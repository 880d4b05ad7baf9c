import { expect } from 'vitest';
import type { Json } from '../../support/client.ts';

/**
 * The checks that ccxt makes on returned structures: their fields with types, times and signs, and
 * the order of lists. They follow the public description of ccxt's structures, because the package
 * does not include ccxt's own tests.
 */

/** A field's type. A question mark allows undefined, but the field itself must be there. */
type FieldType = `${'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'}${'' | '?'}`;

type Fields = Readonly<Record<string, FieldType>>;

const TIMES: Fields = { timestamp: 'number', datetime: 'string' };
const LATE_TIMES: Fields = { timestamp: 'number?', datetime: 'string?' };
const INFO: Fields = { info: 'any' };
const PRICES: Fields = {
  ...INFO,
  ...TIMES,
  high: 'number?',
  low: 'number?',
  bid: 'number?',
  bidVolume: 'number?',
  ask: 'number?',
  askVolume: 'number?',
  open: 'number?',
  close: 'number?',
  last: 'number?',
  change: 'number?',
  percentage: 'number?',
  average: 'number?',
  baseVolume: 'number?',
  quoteVolume: 'number?',
};
const TRADE: Fields = {
  ...INFO,
  ...TIMES,
  id: 'string',
  order: 'string?',
  side: 'string',
  takerOrMaker: 'string?',
  price: 'number',
  amount: 'number',
  cost: 'number',
  fee: 'object?',
};
const ORDER: Fields = {
  ...INFO,
  ...LATE_TIMES,
  id: 'string',
  clientOrderId: 'string?',
  lastTradeTimestamp: 'number?',
  type: 'string?',
  timeInForce: 'string?',
  side: 'string?',
  price: 'number?',
  amount: 'number?',
  cost: 'number?',
  average: 'number?',
  filled: 'number?',
  remaining: 'number?',
  status: 'string',
  fee: 'object?',
  trades: 'array',
};
const POSITION: Fields = {
  ...INFO,
  ...TIMES,
  contracts: 'number',
  contractSize: 'number',
  side: 'string',
  notional: 'number',
  entryPrice: 'number',
  markPrice: 'number',
  unrealizedPnl: 'number',
  percentage: 'number',
  collateral: 'number?',
};
const TRANSACTION: Fields = {
  ...INFO,
  ...TIMES,
  id: 'string',
  txid: 'string?',
  address: 'string?',
  addressTo: 'string?',
  addressFrom: 'string?',
  tag: 'string?',
  tagTo: 'string?',
  tagFrom: 'string?',
  type: 'string',
  amount: 'number',
  currency: 'string',
  status: 'string',
  updated: 'number?',
  fee: 'object?',
};
const OUTCOME: Fields = { outcome: 'string', outcomeId: 'string', market: 'string' };
const SYMBOL: Fields = { symbol: 'string' };

/** The structures' fields, by name. */
export const STRUCTURES = {
  market: {
    ...INFO,
    ...SYMBOL,
    id: 'string',
    base: 'string',
    quote: 'string',
    settle: 'string',
    baseId: 'string',
    quoteId: 'string',
    settleId: 'string',
    taker: 'number',
    maker: 'number',
    active: 'boolean',
    type: 'string',
    spot: 'boolean',
    margin: 'boolean?',
    swap: 'boolean',
    future: 'boolean',
    option: 'boolean',
    contract: 'boolean',
    linear: 'boolean',
    inverse: 'boolean',
    contractSize: 'number',
    expiry: 'number?',
    expiryDatetime: 'string?',
    strike: 'number?',
    optionType: 'string?',
    precision: 'object',
    limits: 'object',
    marginModes: 'object',
    created: 'number?',
  },
  outcomeMarket: {
    ...INFO,
    id: 'string',
    market: 'string',
    event: 'string',
    marketType: 'string',
    title: 'string',
    outcomes: 'array',
    active: 'boolean',
    resolved: 'boolean',
    precision: 'object',
    limits: 'object',
  },
  event: {
    ...INFO,
    id: 'string',
    event: 'string',
    slug: 'string',
    title: 'string',
    markets: 'array',
    active: 'boolean',
    resolved: 'boolean',
    volume: 'number',
  },
  currency: {
    ...INFO,
    id: 'string',
    code: 'string',
    precision: 'number',
    active: 'boolean',
    deposit: 'boolean',
    withdraw: 'boolean',
    fee: 'number?',
    networks: 'object',
    limits: 'object',
  },
  ticker: { ...PRICES, ...SYMBOL, previousClose: 'number?', vwap: 'number?' },
  outcomeTicker: { ...PRICES, ...OUTCOME },
  book: { ...SYMBOL, ...TIMES, bids: 'array', asks: 'array', nonce: 'number?' },
  outcomeBook: { ...OUTCOME, ...TIMES, bids: 'array', asks: 'array', nonce: 'number?' },
  trade: { ...TRADE, ...SYMBOL },
  outcomeTrade: { ...TRADE, ...OUTCOME },
  order: { ...ORDER, ...SYMBOL },
  anyOrder: ORDER,
  outcomeOrder: { ...ORDER, ...OUTCOME },
  position: {
    ...POSITION,
    ...SYMBOL,
    initialMargin: 'number',
    initialMarginPercentage: 'number',
    maintenanceMargin: 'number?',
    maintenanceMarginPercentage: 'number?',
    leverage: 'number',
    marginRatio: 'number?',
    liquidationPrice: 'number?',
    marginMode: 'string',
    hedged: 'boolean',
  },
  outcomePosition: { ...POSITION, ...OUTCOME, resolved: 'boolean' },
  fundingRate: {
    ...INFO,
    ...SYMBOL,
    ...TIMES,
    markPrice: 'number?',
    indexPrice: 'number?',
    interestRate: 'number?',
    estimatedSettlePrice: 'number?',
    fundingRate: 'number',
    fundingTimestamp: 'number',
    fundingDatetime: 'string',
    nextFundingRate: 'number?',
    previousFundingRate: 'number?',
    interval: 'string',
  },
  fundingRateHistory: { ...INFO, ...SYMBOL, ...TIMES, fundingRate: 'number' },
  funding: { ...INFO, ...SYMBOL, ...TIMES, code: 'string', id: 'string', amount: 'number' },
  openInterest: {
    ...INFO,
    ...SYMBOL,
    ...TIMES,
    openInterestAmount: 'number',
    openInterestValue: 'number',
  },
  outcomeInterest: { ...INFO, ...OUTCOME, ...TIMES, openInterestAmount: 'number' },
  leverageTier: {
    ...INFO,
    tier: 'number',
    minNotional: 'number',
    maxNotional: 'number',
    maintenanceMarginRate: 'number',
    maxLeverage: 'number',
  },
  liquidation: {
    ...INFO,
    ...SYMBOL,
    ...TIMES,
    contracts: 'number',
    contractSize: 'number',
    price: 'number',
    baseValue: 'number',
    quoteValue: 'number',
  },
  tradingFee: { ...INFO, ...SYMBOL, maker: 'number', taker: 'number' },
  outcomeFee: { ...INFO, ...OUTCOME, maker: 'number', taker: 'number' },
  leverage: {
    ...INFO,
    ...SYMBOL,
    marginMode: 'string',
    longLeverage: 'number',
    shortLeverage: 'number',
  },
  marginMode: { ...INFO, ...SYMBOL, marginMode: 'string' },
  positionMode: { ...INFO, hedged: 'boolean' },
  marginModification: {
    ...INFO,
    ...SYMBOL,
    type: 'string',
    amount: 'number',
    code: 'string',
    status: 'string',
  },
  ledgerEntry: {
    ...INFO,
    ...TIMES,
    id: 'string',
    direction: 'string',
    account: 'string',
    referenceId: 'string',
    referenceAccount: 'string?',
    type: 'string',
    currency: 'string',
    amount: 'number',
    before: 'number?',
    after: 'number?',
    status: 'string',
    fee: 'object?',
  },
  transaction: TRANSACTION,
  transfer: {
    ...INFO,
    ...TIMES,
    id: 'string',
    currency: 'string',
    amount: 'number',
    fromAccount: 'string',
    toAccount: 'string',
    status: 'string',
  },
  settlement: { ...INFO, ...TIMES, ...OUTCOME, amount: 'number', payout: 'number', won: 'boolean' },
  status: { ...INFO, status: 'string', updated: 'number', eta: 'number?', url: 'string?' },
  actionResult: INFO,
} as const satisfies Readonly<Record<string, Fields>>;

export type StructureName = keyof typeof STRUCTURES;

/** The values a field may have if it is present. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  takerOrMaker: ['taker', 'maker'],
  timeInForce: ['GTC', 'GTD', 'PO', 'IOC'],
  marginMode: ['cross', 'isolated'],
  direction: ['in', 'out'],
};

const SIDES: Partial<Record<StructureName, readonly string[]>> = {
  position: ['long', 'short'],
  outcomePosition: ['long'],
};

const STATUSES: Partial<Record<StructureName, readonly string[]>> = {
  status: ['ok', 'maintenance', 'shutdown', 'error'],
  transaction: ['ok', 'pending', 'failed', 'canceled'],
  transfer: ['ok', 'pending', 'failed', 'canceled'],
  ledgerEntry: ['ok', 'pending', 'failed', 'canceled'],
  marginModification: ['ok'],
};

const ORDER_STATUSES = ['open', 'closed', 'canceled', 'expired', 'rejected'];

/** Fields that must be positive if they are present. */
const POSITIVE = [
  'price',
  'amount',
  'cost',
  'bid',
  'ask',
  'high',
  'low',
  'open',
  'last',
  'contracts',
];

/** 3 January 2009 and 19 January 2038. ccxt requires every time to be between the two. */
const TIME_MIN_MS = 1_230_940_800_000;
const TIME_MAX_MS = 2_147_483_648_000;

/** Checks one of ccxt's structures. */
export function expectStructure(name: StructureName, row: Json): void {
  expect(row, name).toBeTypeOf('object');
  for (const [field, spec] of Object.entries(STRUCTURES[name])) {
    expect(Object.keys(row), `${name}: field ${field}`).toContain(field);
    const value = row[field];
    const isOptional = spec.endsWith('?');
    if (isOptional && value === undefined) continue;
    expect(value, `${name}.${field}`).toBeDefined();
    const type = spec.replace('?', '');
    if (type === 'array') expect(value, `${name}.${field}`).toBeInstanceOf(Array);
    else if (type !== 'any') expect(value, `${name}.${field}`).toBeTypeOf(type as 'string');
  }
  expectTimes(name, row);
  expectValues(name, row);
  for (const fee of [row.fee, ...(Array.isArray(row.fees) ? row.fees : [])]) {
    if (fee === undefined || Object.keys(fee).length === 0 || typeof fee !== 'object') continue;
    if (fee.cost === undefined) continue;
    expect(fee, `${name}.fee`).toMatchObject({ currency: 'USDC', cost: expect.any(Number) });
  }
}

function expectTimes(name: string, row: Json): void {
  const { datetime, timestamp } = row;
  if (typeof timestamp !== 'number') return;
  expect(Number.isInteger(timestamp), `${name}.timestamp`).toBe(true);
  expect(timestamp).toBeGreaterThan(TIME_MIN_MS);
  expect(timestamp).toBeLessThan(TIME_MAX_MS);
  expect(new Date(datetime).getTime(), `${name}.datetime`).toBe(timestamp);
}

function expectValues(name: StructureName, row: Json): void {
  for (const [field, allowed] of Object.entries(VALUES)) {
    if (row[field] !== undefined) expect(allowed, `${name}.${field}`).toContain(row[field]);
  }
  const isOrder = /order$/i.test(name);
  if (typeof row.side === 'string') {
    expect(SIDES[name] ?? ['buy', 'sell'], `${name}.side`).toContain(row.side);
  }
  const statuses = isOrder ? ORDER_STATUSES : STATUSES[name];
  if (statuses !== undefined) expect(statuses, `${name}.status`).toContain(row.status);
  const isSigned = isOrder || ['funding', 'marginModification'].includes(name);
  for (const field of isSigned ? ['price'] : POSITIVE) {
    if (typeof row[field] === 'number') expect(row[field], `${name}.${field}`).toBeGreaterThan(0);
  }
  if (isOrder && [row.amount, row.filled, row.remaining].every((each) => each !== undefined)) {
    expect(row.filled + row.remaining, `${name}: filled + remaining`).toBeCloseTo(row.amount, 8);
  }
  if (row.bid !== undefined && row.ask !== undefined) expect(row.ask).toBeGreaterThan(row.bid);
  if (name === 'ticker') expect(row.last).toBe(row.close);
  if (name === 'market') expectMarket(row);
}

function expectMarket(market: Json): void {
  expect(market).toMatchObject({ type: 'swap', swap: true, linear: true, inverse: false });
  expect(market.precision.amount).toBeGreaterThan(0);
  expect(market.precision.price).toBeGreaterThan(0);
  for (const limit of ['amount', 'price', 'cost', 'leverage']) {
    const { max, min } = market.limits[limit];
    if (min !== undefined && max !== undefined) expect(max).toBeGreaterThanOrEqual(min);
  }
  expect(Object.keys(market.marginModes)).toEqual(['cross', 'isolated']);
}

/** Checks a list of structures: ascending in time and without duplicate ids. */
export function expectRows(name: StructureName, rows: Json, { min = 1 } = {}): void {
  expect(rows, name).toBeInstanceOf(Array);
  expect(rows.length, `number of ${name} rows`).toBeGreaterThanOrEqual(min);
  for (const row of rows) expectStructure(name, row);
  const times = rows.map(({ timestamp }: Json) => timestamp).filter(Number.isInteger);
  expect(times, `${name}: order of time`).toEqual([...times].sort((a, b) => a - b));
}

/** Checks an object that is keyed by the names of its rows. */
export function expectKeyed(name: StructureName, rows: Json, key: string): void {
  expect(Object.keys(rows).length, name).toBeGreaterThan(0);
  for (const [id, row] of Object.entries<Json>(rows)) {
    expectStructure(name, row);
    expect(row[key]).toBe(id);
  }
}

/** Checks a book: prices start with the best one, and the sides do not cross. */
export function expectBook(name: 'book' | 'outcomeBook', book: Json): void {
  expectStructure(name, book);
  const prices = (levels: Json): number[] => levels.map(([price]: number[]) => price);
  expect(prices(book.bids)).toEqual(prices(book.bids).toSorted((a, b) => b - a));
  expect(prices(book.asks)).toEqual(prices(book.asks).toSorted((a, b) => a - b));
  expect(book.bids.length * book.asks.length, 'levels').toBeGreaterThan(0);
  expect(book.asks[0][0]).toBeGreaterThan(book.bids[0][0]);
  for (const [, amount] of [...book.bids, ...book.asks]) expect(amount).toBeGreaterThan(0);
}

/** Checks candles, which consist of time, open, high, low, close and volume. */
export function expectCandles(rows: Json): void {
  expect(rows.length).toBeGreaterThan(0);
  let last = 0;
  for (const [time, open, high, low, close, volume] of rows) {
    expect(time % 60_000).toBe(0);
    expect(time).toBeGreaterThan(last);
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close, low));
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
    expect(volume).toBeGreaterThanOrEqual(0);
    last = time;
  }
}

/** Checks a balance: the total equals free plus used. */
export function expectBalance(balance: Json): void {
  expect(balance).toMatchObject({ info: expect.anything(), timestamp: expect.any(Number) });
  const { free, total, used } = balance.USDC;
  expect(free + used).toBeCloseTo(total, 6);
  expect([balance.free.USDC, balance.used.USDC, balance.total.USDC]).toEqual([free, used, total]);
}
