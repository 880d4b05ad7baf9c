import type { OrderEntry, OrderParameters } from './orders.ts';

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
function basics({ asset, side, size }: OrderBasics, price: string, reduceOnly: boolean) {
  return { a: asset, b: side === 'buy', p: price, s: size, r: reduceOnly };
}

/** The fields behind the kind of an order; absent ones are not signed. */
function extras({ marginMode, cloid }: OrderBasics): Pick<OrderEntry, 'm' | 'c'> {
  return {
    ...(marginMode === undefined ? {} : { m: marginMode }),
    ...(cloid === undefined ? {} : { c: cloid }),
  };
}

/** A take-profit or stop-loss, in words. */
export type TriggerOrderInput = OrderBasics & {
  readonly kind: 'tp' | 'sl';
  /** The mark at which it fires: of a selling stop and a buying take-profit from above. */
  readonly triggerPrice: string;
  /** The price of the order that it places; without one it takes the market. */
  readonly limitPrice?: string | undefined;
  /** True by default. */
  readonly reduceOnly?: boolean | undefined;
};

/** Writes a trigger order as the wire spells it. */
export function triggerOrder(order: TriggerOrderInput): OrderEntry {
  const { kind: tpsl, triggerPrice: triggerPx, limitPrice, reduceOnly = true } = order;
  // A market trigger does not use its price, but the field must be there.
  const trigger = { isMarket: limitPrice === undefined, triggerPx, tpsl };
  return {
    ...basics(order, limitPrice ?? triggerPx, reduceOnly),
    t: { trigger },
    ...extras(order),
  };
}

/** Where a take-profit or stop-loss fires, and at which price; without one it takes the market. */
export type Exit = {
  readonly triggerPrice: string;
  readonly limitPrice?: string | undefined;
  readonly cloid?: string | undefined;
};

/** An order and its exits; at least one of the two. */
export type BracketOrder = {
  /** Made by `limitOrder` or `triggerOrder`. */
  readonly parent: OrderEntry;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/**
 * An order with a take-profit, a stop-loss or both, for `order`. They go live when the parent has
 * filled, and the one that fills cancels the other.
 */
export function bracketOrder({ parent, takeProfit, stopLoss }: BracketOrder): OrderParameters {
  const { a: asset, b: isBuy, s: size, m: marginMode } = parent;
  const side = isBuy ? 'sell' : 'buy';
  const children = exitsOf({ takeProfit, stopLoss }).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, marginMode, ...exit }),
  );
  return { grouping: 'normalTpsl', orders: [parent, ...children] };
}

/** The exits that are given, the take-profit first. */
function exitsOf({
  takeProfit,
  stopLoss,
}: Pick<BracketOrder, 'takeProfit' | 'stopLoss'>): ['tp' | 'sl', Exit][] {
  return [
    ...(takeProfit === undefined ? [] : [['tp', takeProfit] as ['tp', Exit]]),
    ...(stopLoss === undefined ? [] : [['sl', stopLoss] as ['sl', Exit]]),
  ];
}

/** The exits of a position; at least one of the two. */
export type PositionTpslOrder = {
  /** Instrument id. */
  readonly asset: number;
  /** The side of the position, not that of the exits. */
  readonly position: 'long' | 'short';
  /** A part of the position; by default all of it, whatever it is when an exit fires. */
  readonly size?: string | undefined;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/** A take-profit, a stop-loss or both that follow a position and end with it, for `order`. */
export function positionTpsl({
  asset,
  position,
  size = '0',
  ...exits
}: PositionTpslOrder): OrderParameters {
  const side = position === 'long' ? 'sell' : 'buy';
  const orders = exitsOf(exits).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, ...exit }),
  );
  return { grouping: 'positionTpsl', orders };
}
