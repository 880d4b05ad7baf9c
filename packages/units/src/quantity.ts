import { assert } from './assert.ts';
import { divCeil, divFloor, divTowardsZero } from './division.ts';
import {
  bigintOf,
  countOf,
  isScalable,
  overScaleDown,
  overScaleUp,
  scaledDown,
  scaledUp,
} from './exact.ts';

declare const unit: unique symbol;

/**
 * An integer with its unit in the type (R-units). The unit exists only at compile time. Prices and
 * sizes are numbers, and money is bigint. Adding a size to money is therefore a compile-time error,
 * and a run-time error if the types are cast away.
 */
type Quantity<Base extends number | bigint, Unit extends string> = Base & {
  readonly [unit]: Unit;
};

/** A price as a count of `10^-pxDecimals` USDC. */
export type Price = Quantity<number, 'Price'>;
/** A size as a count of `10^-szDecimals` of the instrument. */
export type Lots = Quantity<number, 'Lots'>;
/** A position: positive is long or YES, negative is short or NO. */
export type SignedLots = Quantity<number, 'SignedLots'>;
/** A signed amount of money as a count of `10^-6` USDC. */
export type MicroUsdc = Quantity<bigint, 'MicroUsdc'>;
/** A rate (fees, maintenance margin, caps) as a count of `10^-8`. */
export type RateE8 = Quantity<number, 'RateE8'>;
/** The consensus time in milliseconds. */
export type TimeMs = Quantity<number, 'TimeMs'>;
/** The id of an order, unique for the life of the venue. */
export type OrderId = Quantity<number, 'OrderId'>;
/** The id of an instrument: perp ids are below 100,000; outcome market ids start there. */
export type InstrumentId = Quantity<number, 'InstrumentId'>;
/** An EVM address in lower case, with `0x` and 40 hex digits. */
export type Address = `0x${string}` & { readonly [unit]: 'Address' };
/** A 32-byte hash in lower case, with `0x` and 64 hex digits. */
export type Hash = `0x${string}` & { readonly [unit]: 'Hash' };

/** A quarter of the largest safe integer. */
const QUARTER = 2 ** 51;
export const RATE_ONE = 100_000_000;
const RATE_ONE_BIG = 100_000_000n;

/**
 * The number of decimals of a USDC amount, and the sum of an instrument's price and size decimals.
 */
export const MONEY_DECIMALS = 6;

function safeCount(value: number, what: string, min: number): number {
  if (!Number.isSafeInteger(value) || value < min) {
    throw new RangeError(`${what} must be an integer of at least ${min}: ${value}`);
  }
  return value;
}

export const price = (value: number): Price => safeCount(value, 'price', 1) as Price;
export const lots = (value: number): Lots => safeCount(value, 'size', 0) as Lots;
export const signedLots = (value: number): SignedLots =>
  safeCount(value, 'position', -Number.MAX_SAFE_INTEGER) as SignedLots;
export const microUsdc = (value: bigint | number): MicroUsdc =>
  (typeof value === 'bigint' ? value : bigintOf(value)) as MicroUsdc;
export const rateE8 = (value: number): RateE8 => safeCount(value, 'rate', 0) as RateE8;
export const timeMs = (value: number): TimeMs => safeCount(value, 'time', 0) as TimeMs;
export const orderId = (value: number): OrderId => safeCount(value, 'order id', 0) as OrderId;
export const instrumentId = (value: number): InstrumentId =>
  safeCount(value, 'instrument id', 0) as InstrumentId;

const ADDRESS_PATTERN = /^0x[0-9a-f]{40}$/;
const HASH_PATTERN = /^0x[0-9a-f]{64}$/;

/** Brands a lower-case address; rejects any other string. */
export function address(text: string): Address {
  if (!ADDRESS_PATTERN.test(text)) throw new RangeError(`not a lower-case address: ${text}`);
  return text as Address;
}

/** Brands a lower-case 32-byte hash; rejects any other string. */
export function hash(text: string): Hash {
  if (!HASH_PATTERN.test(text)) throw new RangeError(`not a lower-case hash: ${text}`);
  return text as Hash;
}

export const ZERO_USDC = 0n as MicroUsdc;

/**
 * Returns the exact value of `price × size`. Because pxDecimals + szDecimals = 6, one price unit
 * times one lot is one micro-USDC. A signed size gives a signed result.
 */
export function notional(atPrice: number, size: number): MicroUsdc {
  const product = atPrice * size;
  if (Number.isSafeInteger(product)) return bigintOf(product) as MicroUsdc;
  return (BigInt(atPrice) * BigInt(size)) as MicroUsdc;
}

/** Returns true if `price × size` is at least `microUsdcMin`. */
export function isWorth(atPrice: number, size: number, microUsdcMin: number): boolean {
  const product = atPrice * size;
  if (Number.isSafeInteger(product)) return product >= microUsdcMin;
  return notional(atPrice, size) >= BigInt(microUsdcMin);
}

/** Returns the margin required for a notional at a given leverage, rounded up. */
export function marginFor(value: MicroUsdc, leverage: number): MicroUsdc {
  return divCeil(value, BigInt(leverage)) as MicroUsdc;
}

/** Returns the proportional part of an amount, rounded towards zero. */
export function partOf(
  amount: MicroUsdc,
  { part, whole }: { readonly part: number; readonly whole: number },
): MicroUsdc {
  const product = (countOf(amount) ?? Infinity) * part;
  if (Number.isSafeInteger(product)) return bigintOf(Math.trunc(product / whole)) as MicroUsdc;
  return divTowardsZero(amount * BigInt(part), BigInt(whole)) as MicroUsdc;
}

/**
 * Returns the margin for a position of a given price and size, rounded up. The division uses
 * numbers if the product is a safe integer.
 */
export function marginAt(atPrice: number, size: number, leverage: number): MicroUsdc {
  const product = atPrice * size;
  if (!Number.isSafeInteger(product) || product < 0) {
    return marginFor(notional(atPrice, size), leverage);
  }
  return bigintOf(Math.ceil(product / leverage)) as MicroUsdc;
}

/** Returns the fee on a notional, rounded up. */
export function feeUp(value: MicroUsdc, rate: RateE8): MicroUsdc {
  const fee = scaledUp(countOf(value) ?? -1, rate);
  if (fee !== undefined) return bigintOf(fee) as MicroUsdc;
  return divCeil(value * BigInt(rate), RATE_ONE_BIG) as MicroUsdc;
}

/** Returns the fee on a price and a size, rounded up. */
export function feeAt(atPrice: number, size: number, rate: RateE8): MicroUsdc {
  const fee = scaledUp(atPrice * size, rate);
  return fee === undefined ? feeUp(notional(atPrice, size), rate) : (bigintOf(fee) as MicroUsdc);
}

/** Returns a share of an amount, rounded down. */
export function shareDown(value: MicroUsdc, rate: RateE8): MicroUsdc {
  const share = scaledDown(countOf(value) ?? -1, rate);
  if (share !== undefined) return bigintOf(share) as MicroUsdc;
  return divFloor(value * BigInt(rate), RATE_ONE_BIG) as MicroUsdc;
}

/**
 * Returns `⌈(size × rate − deduction) × price / 10^8⌉`, the margin for a rate that increases with
 * the size. The deduction is in lots × 10^-8 (R-tiers).
 */
export function tieredUp(
  size: number,
  rate: number,
  deduction: bigint,
  atPrice: number,
): MicroUsdc {
  const weighted = size * rate - (countOf(deduction) ?? Infinity);
  const value = Number.isSafeInteger(size * rate) ? scaledUp(weighted, atPrice) : undefined;
  if (value !== undefined) return bigintOf(value) as MicroUsdc;
  const exact = BigInt(size) * BigInt(rate) - deduction;
  return divCeil(exact * BigInt(atPrice), RATE_ONE_BIG) as MicroUsdc;
}

/**
 * Returns the fee of the next fill of an order. The fee rounds up once per order and role, not once
 * per fill (R-rounding). `overpaid` is the amount that earlier fills paid in excess of the exact
 * fee, in 10^-8 micro-USDC and within [0, 10^8), so that many partial fills cost the same as one
 * fill.
 */
export function accrueFee(
  value: MicroUsdc,
  rate: RateE8,
  overpaid: number,
): { fee: MicroUsdc; overpaid: number } {
  const dueCount = (countOf(value) ?? Infinity) * rate - overpaid;
  if (isScalable(dueCount)) {
    const count = overScaleUp(dueCount);
    return { fee: bigintOf(count) as MicroUsdc, overpaid: count * RATE_ONE - dueCount };
  }
  const due = value * BigInt(rate) - BigInt(overpaid);
  const fee = divCeil(due, RATE_ONE_BIG);
  const left = Number(fee * RATE_ONE_BIG - due);
  assert(left >= 0 && left < RATE_ONE, 'accrueFee: the remainder stays below one micro-USDC');
  return { fee: fee as MicroUsdc, overpaid: left };
}

/**
 * Returns the fee of the next fill of an order on an outcome market: `rate × size × p × (1 − p)`,
 * rounded up once per order (R-outcome-fee). Prices are in units of 1/`unit`; `overpaid` is the
 * amount that earlier fills paid in excess of the exact fee, in 10^-8 / `unit` micro-USDC.
 */
export function accrueOutcomeFee(
  fill: { readonly size: number; readonly price: number; readonly unit: number },
  rate: RateE8,
  overpaid: number,
): { fee: MicroUsdc; overpaid: number } {
  const { price: atPrice, size, unit: one } = fill;
  const inParts = accrueInParts(rate * size, atPrice * (one - atPrice), one, overpaid);
  if (inParts !== undefined) return inParts;
  const weight = BigInt(atPrice) * BigInt(one - atPrice);
  const due = BigInt(rate) * BigInt(size) * weight - BigInt(overpaid);
  const scale = RATE_ONE_BIG * BigInt(one);
  const fee = divCeil(due, scale);
  const left = Number(fee * scale - due);
  assert(left >= 0 && BigInt(left) < scale, 'accrueOutcomeFee: less than one micro-USDC is left');
  return { fee: fee as MicroUsdc, overpaid: left };
}

/**
 * A divisor of the scale 10^8, chosen so that the product of a rate in these parts and a squared
 * price is a safe integer.
 */
const RATE_PART = 1_000_000;

/**
 * Returns the fee computed using numbers, with the weighted size split into two parts, or undefined
 * if a step would not be exact.
 */
function accrueInParts(
  weightedSize: number,
  weight: number,
  one: number,
  overpaid: number,
): { fee: MicroUsdc; overpaid: number } | undefined {
  const parts = Math.floor(weightedSize / RATE_PART);
  const high = parts * weight;
  const low = (weightedSize - parts * RATE_PART) * weight;
  const scale = RATE_ONE * one;
  // Each value is at most a quarter of the safe range, so that sums and differences are also safe.
  const isExact = isQuarter(weightedSize) && isQuarter(high) && isQuarter(low) && isQuarter(scale);
  if (!isExact) return undefined;
  const perMicro = (RATE_ONE / RATE_PART) * one;
  const micros = Math.floor(high / perMicro);
  const due = (high - micros * perMicro) * RATE_PART + low - overpaid;
  const more = Math.ceil(due / scale);
  const left = more * scale - due;
  assert(left >= 0 && left < scale, 'accrueOutcomeFee: less than one micro-USDC is left');
  return { fee: bigintOf(micros + more) as MicroUsdc, overpaid: left };
}

/** Also returns false for a negative value. */
function isQuarter(count: number): boolean {
  return count >= 0 && count <= QUARTER;
}

/**
 * Returns the fee of the next fill of an order, for a fee that rounds down. `owed` is the part of
 * the exact fee that earlier fills left uncharged, in 10^-8 micro-USDC and within [0, 10^8).
 */
export function accrueFeeDown(
  value: MicroUsdc,
  rate: RateE8,
  owed: number,
): { fee: MicroUsdc; owed: number } {
  const dueCount = (countOf(value) ?? Infinity) * rate + owed;
  if (isScalable(dueCount)) {
    const count = overScaleDown(dueCount);
    return { fee: bigintOf(count) as MicroUsdc, owed: dueCount - count * RATE_ONE };
  }
  const due = value * BigInt(rate) + BigInt(owed);
  const fee = divFloor(due, RATE_ONE_BIG);
  const left = Number(due - fee * RATE_ONE_BIG);
  assert(left >= 0 && left < RATE_ONE, 'accrueFeeDown: the remainder stays below one micro-USDC');
  return { fee: fee as MicroUsdc, owed: left };
}

/** Returns the number nearest to an amount, or the amount itself if it is a safe integer. */
export const nearestNumber = (amount: bigint): number => countOf(amount) ?? Number(amount);

export const addUsdc = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a + b) as MicroUsdc;
export const subUsdc = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a - b) as MicroUsdc;
export const negUsdc = (a: MicroUsdc): MicroUsdc => -a as MicroUsdc;
/** Returns a sum after one of its parts has changed from `before` to `after`. */
export const exchangeUsdc = (sum: MicroUsdc, before: MicroUsdc, after: MicroUsdc): MicroUsdc =>
  (sum - before + after) as MicroUsdc;
export const minUsdc = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a < b ? a : b);
export const maxUsdc = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a > b ? a : b);

/** Parses an integer amount from a state dump. */
export const usdcFromText = (text: string): MicroUsdc => BigInt(text) as MicroUsdc;
