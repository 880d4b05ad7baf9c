import { expect } from 'vitest';
import type { Json } from './client.ts';

/**
 * Checks the fields of responses. Missing and mistyped fields are mismatches. Unknown fields are
 * not, because the API may add fields within a version.
 */

type Shape = (value: Json, path: string) => string[];

export function expectShape(value: Json, shape: Shape): void {
  expect(shape(value, 'data'), JSON.stringify(value)?.slice(0, 2000)).toEqual([]);
}

export const text: Shape = when((value) => typeof value === 'string', 'text');
export const flag: Shape = when((value) => typeof value === 'boolean', 'a boolean');
export const integer: Shape = when(Number.isSafeInteger, 'an integer');
export const number: Shape = when((value) => typeof value === 'number', 'a number');
export const decimal: Shape = matching(/^-?\d+(\.\d+)?$/, 'a decimal as text');
/** A canonical decimal has no leading or trailing zeros. */
export const price: Shape = matching(/^(0|[1-9]\d*)(\.\d*[1-9])?$/, 'a canonical decimal as text');
/** Money has at most six decimals. */
export const money: Shape = matching(/^-?\d+(\.\d{1,6})?$/, 'money as text');
export const decimalOrUnset: Shape = matching(/^(-?\d+(\.\d+)?)?$/, 'a decimal as text, or ""');
export const address: Shape = matching(/^0x[0-9a-f]{40}$/, 'a lower-case address');
export const hash: Shape = matching(/^0x[0-9a-f]{64}$/, 'a lower-case hash');
export const uuid: Shape = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID');
/** A time between 2017 and 2096, in milliseconds. */
export const time: Shape = when(
  (value) => Number.isSafeInteger(value) && value > 1_500_000_000_000 && value < 4_000_000_000_000,
  'a time in milliseconds',
);

export function exactly(...allowed: (string | number | boolean | null)[]): Shape {
  return when((value) => allowed.includes(value), `one of ${JSON.stringify(allowed)}`);
}

export function nullable(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path));
}

export function optional(shape: Shape): Shape {
  return (value, path) => (value === undefined ? [] : shape(value, path));
}

export function listOf(shape: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => shape(item, `${path}[${index}]`))
      : [`${path} is not a list`];
}

export function pairOf(shape: Shape): Shape {
  return (value, path) =>
    Array.isArray(value) && value.length === 2
      ? listOf(shape)(value, path)
      : [`${path} is not a pair`];
}

export function record(fields: Record<string, Shape>): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [`${path} is not an object`];
    }
    return Object.entries(fields).flatMap(([key, shape]) => shape(value[key], `${path}.${key}`));
  };
}

function when(accepts: (value: Json) => boolean, what: string): Shape {
  return (value, path) =>
    accepts(value) ? [] : [`${path} is ${JSON.stringify(value)}, not ${what}`];
}

function matching(pattern: RegExp, what: string): Shape {
  return when((value) => typeof value === 'string' && pattern.test(value), what);
}

export const marginSummary = record({
  accountValue: money,
  totalMarginUsed: money,
  totalNtlPos: money,
  totalRawUsd: money,
});

export const positionRecord = record({
  type: exactly('OneWay'),
  tpsl: listOf(record({})),
  position: record({
    adlQuantile: integer,
    asset: matching(/^\d+$/, 'an instrument id as text'),
    coin: text,
    cumFunding: record({ allTime: money, sinceChange: money, sinceOpen: money }),
    cumFee: money,
    closedPnl: money,
    entryPx: decimal,
    leverage: record({ rawUsd: exactly(''), type: exactly('Cross'), value: integer }),
    liquidationPx: decimalOrUnset,
    marginRatio: decimal,
    marginUsed: money,
    markPx: price,
    maxLeverage: integer,
    positionValue: money,
    returnOnEquity: decimal,
    szi: decimal,
    unrealizedPnl: money,
    updateTime: time,
  }),
});

export const clearinghouseState = record({
  accountValuePlusWithdrawHold: money,
  assetPositions: listOf(positionRecord),
  crossMaintenanceMarginUsed: money,
  crossMarginRatio: decimal,
  crossMarginSummary: marginSummary,
  marginSummary,
  time,
  totalRawUsdPlusWithdrawHold: money,
  vaultEquity: money,
  withdrawable: money,
  activeReverseJobs: listOf(record({})),
});

export const level = record({ px: price, sz: price, n: integer });

export const book = record({ coin: text, time, levels: pairOf(listOf(level)) });

export const openOrder = record({
  coin: text,
  symbol: text,
  side: exactly('B', 'A'),
  limitPx: price,
  sz: price,
  origSz: price,
  oid: integer,
  timestamp: time,
  triggerCondition: text,
  isTrigger: flag,
  triggerPx: decimal,
  children: listOf(record({})),
  isPositionTpsl: flag,
  reduceOnly: flag,
  dir: text,
  orderType: exactly('Market', 'Limit'),
  tif: exactly('GTC', 'GTD', 'ALO', 'IOC'),
  expireTime: optional(time),
  cloid: nullable(text),
  avgFillPrice: nullable(decimal),
  positionMode: exactly('OneWay', 'Hedge'),
  marginMode: exactly('Cross', 'Isolated'),
  leverage: integer,
  instrumentId: integer,
  instrumentType: exactly('perps'),
  marketType: exactly('perps'),
  status: exactly('open'),
});

export const orderResult = record({
  i: integer,
  oid: nullable(integer),
  cloid: nullable(text),
  state: exactly('open', 'filled', 'cancelled', 'rejected'),
  filledSz: price,
  avgPx: nullable(decimal),
  error: nullable(text),
});

export const simulation = record({
  height: integer,
  time,
  accepted: flag,
  error: nullable(record({ code: integer, name: text, message: text })),
  orders: listOf((value, path) => [
    ...orderResult(value, path),
    ...record({
      restingSz: price,
      fee: money,
      feeRate: decimal,
      builderFee: money,
      delayMs: exactly(0),
    })(value, path),
  ]),
  margin: nullable(
    record({
      accountValue: money,
      initialMargin: money,
      maintenanceMargin: money,
      crossMarginRatio: decimal,
      withdrawable: money,
    }),
  ),
  outcome: nullable(record({ available: money, reserved: exactly('0') })),
  positions: listOf(
    record({
      instrumentId: integer,
      szi: decimal,
      entryPx: decimal,
      leverage: integer,
      marginUsed: money,
      liquidationPx: decimalOrUnset,
    }),
  ),
  warnings: listOf(record({ code: text, message: text })),
});
