import { formatDecimal, parseExact } from '@oddlot/units';
import { ValidationError } from '../errors.ts';
import type { OrderEntry } from './orders.ts';

/** An order on an outcome market. */
export type OutcomeOrder = {
  /** The market's `instrument_id`. */
  readonly asset: number;
  /** The price of one share of the leg, above 0 and below 1: a decimal text. */
  readonly price: string;
  /** Shares: a decimal text. */
  readonly size: string;
  /** 16 bytes, as UUID text or `0x` and 32 hex digits. */
  readonly cloid?: string | undefined;
} & (
  | { readonly tif?: 'Gtc' | 'Alo' | undefined; readonly expireTime?: undefined }
  | { readonly tif: 'Gtd'; /** Consensus time in milliseconds. */ readonly expireTime: number }
);

/**
 * Buys YES shares. The market has one book, in YES prices; on the wire, two flags select the leg
 * and side, and the price is that of the leg.
 */
export function buyYes(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: true, r: false });
}

/** Buys NO shares; on the book this is an ask at one minus the price. */
export function buyNo(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: false, r: false });
}

/** Sells YES shares that the account holds. */
export function sellYes(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: false, r: true });
}

/** Sells NO shares that the account holds; on the book this is a bid at one minus the price. */
export function sellNo(order: OutcomeOrder): OrderEntry {
  return outcomeOrder(order, { b: true, r: true });
}

/** The price of the other leg; both legs together are worth 1. */
export function otherLegPrice(price: string): string {
  const units = parseExact(price, PRICE_DECIMALS);
  if (units === undefined || units < 0n || units > ONE) {
    throw new ValidationError(`Not a valid outcome market price: ${price}`);
  }
  return formatDecimal(ONE - units, PRICE_DECIMALS);
}

/** No market has a finer price. */
const PRICE_DECIMALS = 6;
const ONE = 1_000_000n;

function outcomeOrder(order: OutcomeOrder, { b, r }: { b: boolean; r: boolean }): OrderEntry {
  const { asset, price, size, tif = 'Gtc', expireTime, cloid } = order;
  const limit = expireTime === undefined ? { tif } : { tif, expireTime };
  const entry = { a: asset, b, p: price, s: size, r, t: { limit } };
  return cloid === undefined ? entry : { ...entry, c: cloid };
}
