import { formatDecimal, parseExact } from '@oddlot/units';
import { ValidationError } from '../errors.ts';
import type { OrderEntry } from './orders.ts';

/** An order on an outcome market. */
export type OutcomeOrder = {
  /** The `instrument_id` of the market. */
  readonly asset: number;
  /** The price of one share of the outcome as a decimal string, above 0 and below 1. */
  readonly price: string;
  /** The number of shares as a decimal string. */
  readonly size: string;
  /** The client order id of 16 bytes, as a UUID or as `0x` with 32 hex digits. */
  readonly cloid?: string | undefined;
} & (
  | { readonly tif?: 'Gtc' | 'Alo' | undefined; readonly expireTime?: undefined }
  | { readonly tif: 'Gtd'; /** Consensus time in milliseconds. */ readonly expireTime: number }
);

/**
 * Builds an order to buy YES shares. A market has one book, quoted in YES prices, but an order
 * gives the price of its own outcome; two flags select the outcome and the side.
 */
export function buyYes(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: true, r: false });
}

/** Builds an order to buy NO shares, which rests on the book as an ask at one minus the price. */
export function buyNo(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: false, r: false });
}

/** Builds an order to sell YES shares that the account holds. */
export function sellYes(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: false, r: true });
}

/**
 * Builds an order to sell NO shares that the account holds, which rests on the book as a bid at one
 * minus the price.
 */
export function sellNo(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: true, r: true });
}

/** Returns the price of the other outcome. One share of each outcome together are worth 1. */
export function otherLegPrice(price: string): string {
  const units = parseExact(price, PRICE_DECIMALS);
  if (units === undefined || units < 0n || units > ONE) {
    throw new ValidationError(`Not a valid outcome market price: ${price}`);
  }
  return formatDecimal(ONE - units, PRICE_DECIMALS);
}

/** The maximum number of decimals in an outcome market's price. */
const PRICE_DECIMALS = 6;
const ONE = 1_000_000n;

function outcomeOrder(order: OutcomeOrder, { b, r }: { b: boolean; r: boolean }): OrderEntry {
  const { asset, price, size, tif = 'Gtc', expireTime, cloid } = order;
  const limit = expireTime === undefined ? { tif } : { tif, expireTime };
  const entry = { a: asset, b, p: price, s: size, r, t: { limit } };
  return cloid === undefined ? entry : { ...entry, c: cloid };
}
