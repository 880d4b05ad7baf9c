import type { OrderEntry, OrderParameters } from './orders.ts';

/** The common fields of all kinds of order. */
export type OrderBasics = {
  /** Instrument id. */
  readonly asset: number;
  readonly side: 'buy' | 'sell';
  /** A decimal text. */
  readonly size: string;
  /** By default the instrument's current margin mode. */
  readonly marginMode?: 'cross' | 'isolated' | undefined;
  /** 16 bytes, as UUID text or `0x` and 32 hex digits. */
  readonly cloid?: string | undefined;
};

/** A limit order. */
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

/** Builds a limit order for the wire; Gtc by default. */
export function limitOrder(order: LimitOrder): OrderEntry {
  const { price, reduceOnly = false, tif = 'Gtc', expireTime } = order;
  const limit = expireTime === undefined ? { tif } : { tif, expireTime };
  return { ...basics(order, price, reduceOnly), t: { limit }, ...extras(order) };
}

/** The fields before the kind of an order. */
function basics({ asset, side, size }: OrderBasics, price: string, reduceOnly: boolean) {
  return { a: asset, b: side === 'buy', p: price, s: size, r: reduceOnly };
}

/** The fields after the kind of an order; absent ones are not signed. */
function extras({ marginMode, cloid }: OrderBasics): Pick<OrderEntry, 'm' | 'c'> {
  return {
    ...(marginMode === undefined ? {} : { m: marginMode }),
    ...(cloid === undefined ? {} : { c: cloid }),
  };
}

/** A take-profit or stop-loss. */
export type TriggerOrderInput = OrderBasics & {
  readonly kind: 'tp' | 'sl';
  /** The mark at which it fires: from above for a selling stop and a buying take-profit. */
  readonly triggerPrice: string;
  /** The price of the resulting order; without one it is a market order. */
  readonly limitPrice?: string | undefined;
  /** True by default. */
  readonly reduceOnly?: boolean | undefined;
};

/** Builds a trigger order for the wire. */
export function triggerOrder(order: TriggerOrderInput): OrderEntry {
  const { kind: tpsl, triggerPrice: triggerPx, limitPrice, reduceOnly = true } = order;
  // A market trigger does not use its price, but the field is required.
  const trigger = { isMarket: limitPrice === undefined, triggerPx, tpsl };
  return {
    ...basics(order, limitPrice ?? triggerPx, reduceOnly),
    t: { trigger },
    ...extras(order),
  };
}

/** The trigger price and limit price of a take-profit or stop-loss; without a limit it is a market order. */
export type Exit = {
  readonly triggerPrice: string;
  readonly limitPrice?: string | undefined;
  readonly cloid?: string | undefined;
};

/** An order with its TP/SL; at least one of the two. */
export type BracketOrder = {
  /** Made by `limitOrder` or `triggerOrder`. */
  readonly parent: OrderEntry;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/**
 * Builds an order with a take-profit, a stop-loss or both, for `order`. They become active when the
 * parent has filled, and the one that fills cancels the other.
 */
export function bracketOrder({ parent, takeProfit, stopLoss }: BracketOrder): OrderParameters {
  const { a: asset, b: isBuy, s: size, m: marginMode } = parent;
  const side = isBuy ? 'sell' : 'buy';
  const children = exitsOf({ takeProfit, stopLoss }).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, marginMode, ...exit }),
  );
  return { grouping: 'normalTpsl', orders: [parent, ...children] };
}

/** The given TP/SL orders, the take-profit first. */
function exitsOf({
  takeProfit,
  stopLoss,
}: Pick<BracketOrder, 'takeProfit' | 'stopLoss'>): ['tp' | 'sl', Exit][] {
  return [
    ...(takeProfit === undefined ? [] : [['tp', takeProfit] as ['tp', Exit]]),
    ...(stopLoss === undefined ? [] : [['sl', stopLoss] as ['sl', Exit]]),
  ];
}

/** The TP/SL of a position; at least one of the two. */
export type PositionTpslOrder = {
  /** Instrument id. */
  readonly asset: number;
  /** The side of the position, not of its TP/SL orders. */
  readonly position: 'long' | 'short';
  /** A part of the position; by default all of it at the time of the trigger. */
  readonly size?: string | undefined;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/** Builds a take-profit, a stop-loss or both that follow a position and end with it, for `order`. */
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
