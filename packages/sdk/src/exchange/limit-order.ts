import type { OrderEntry } from './order.ts';

/** What all kinds of order have in common, in words. */
export type OrderBasics = {
  /** Instrument id. */
  readonly asset: number;
  readonly side: 'buy' | 'sell';
  /** A decimal text. */
  readonly size: string;
  /** The margin mode to trade in; the instrument's current one by default. */
  readonly marginMode?: 'cross' | 'isolated' | undefined;
  /** 16 bytes, as UUID text or `0x` and 32 hex digits. */
  readonly cloid?: string | undefined;
};

/** A limit order, in words. */
export type LimitOrder = OrderBasics & {
  readonly price: string;
  /** In hedge mode a reduce-only buy closes the short position, a reduce-only sell the long one. */
  readonly reduceOnly?: boolean | undefined;
} & (
    | {
        readonly tif?: 'Gtc' | 'Alo' | 'Ioc' | 'FrontendMarket' | undefined;
        readonly expireTime?: undefined;
      }
    | { readonly tif: 'Gtd'; /** Consensus time in milliseconds. */ readonly expireTime: number }
  );

/** Writes a limit order as the wire spells it; Gtc unless it says otherwise. */
export function limitOrder(order: LimitOrder): OrderEntry {
  const { price, reduceOnly = false, tif = 'Gtc', expireTime } = order;
  const limit = expireTime === undefined ? { tif } : { tif, expireTime };
  return { ...basics(order, price, reduceOnly), t: { limit }, ...extras(order) };
}

/** The fields before the kind of an order. */
export function basics({ asset, side, size }: OrderBasics, price: string, reduceOnly: boolean) {
  return { a: asset, b: side === 'buy', p: price, s: size, r: reduceOnly };
}

/** The fields behind the kind of an order; absent ones are not signed. */
export function extras({ marginMode, cloid }: OrderBasics): Pick<OrderEntry, 'm' | 'c'> {
  return {
    ...(marginMode === undefined ? {} : { m: marginMode }),
    ...(cloid === undefined ? {} : { c: cloid }),
  };
}
