import type { OrderEntry, OrderParameters } from './orders.ts';

/** The fields common to all kinds of orders. */
export type OrderBasics = {
  /** The instrument id. */
  readonly asset: number;
  readonly side: 'buy' | 'sell';
  /** The size as a decimal string. */
  readonly size: string;
  /** The margin mode of the position; by default the instrument's current one. */
  readonly marginMode?: 'cross' | 'isolated' | undefined;
  /** The client order id of 16 bytes, as a UUID or as `0x` with 32 hex digits. */
  readonly cloid?: string | undefined;
};

/** A limit order, for `limitOrder`. */
export type LimitOrder = OrderBasics & {
  readonly price: string;
  /**
   * True for a reduce-only order. In hedge mode, a reduce-only buy closes the short position, and a
   * reduce-only sell the long one.
   */
  readonly reduceOnly?: boolean | undefined;
} & (
    | {
        readonly tif?: 'Gtc' | 'Alo' | 'Ioc' | 'FrontendMarket' | undefined;
        readonly expireTime?: undefined;
      }
    | { readonly tif: 'Gtd'; /** Consensus time in milliseconds. */ readonly expireTime: number }
  );

/** Builds a limit order in the form in which it is sent. The default is Gtc. */
export function limitOrder(order: LimitOrder): OrderEntry {
  const { price, reduceOnly = false, tif = 'Gtc', expireTime } = order;
  const limit = expireTime === undefined ? { tif } : { tif, expireTime };
  return { ...basics(order, price, reduceOnly), t: { limit }, ...extras(order) };
}

/** Returns the fields that precede the kind of an order. */
function basics({ asset, side, size }: OrderBasics, price: string, reduceOnly: boolean) {
  return { a: asset, b: side === 'buy', p: price, s: size, r: reduceOnly };
}

/** Returns the fields that follow the kind of an order. Absent fields are not signed. */
function extras({ marginMode, cloid }: OrderBasics): Pick<OrderEntry, 'm' | 'c'> {
  return {
    ...(marginMode === undefined ? {} : { m: marginMode }),
    ...(cloid === undefined ? {} : { c: cloid }),
  };
}

/** A take-profit or stop-loss, for `triggerOrder`. */
export type TriggerOrderInput = OrderBasics & {
  readonly kind: 'tp' | 'sl';
  /**
   * The mark at which the order triggers. Sell stop-losses and buy take-profits trigger at or below
   * this mark; the others trigger at or above it.
   */
  readonly triggerPrice: string;
  /** The limit price of the resulting order. If it is absent, the order is a market order. */
  readonly limitPrice?: string | undefined;
  /** True for a reduce-only order, which is the default. */
  readonly reduceOnly?: boolean | undefined;
};

/** Builds a trigger order in the form in which it is sent. */
export function triggerOrder(order: TriggerOrderInput): OrderEntry {
  const { kind: tpsl, triggerPrice: triggerPx, limitPrice, reduceOnly = true } = order;
  // The price of a market trigger has no effect, but the field is required.
  const trigger = { isMarket: limitPrice === undefined, triggerPx, tpsl };
  return {
    ...basics(order, limitPrice ?? triggerPx, reduceOnly),
    t: { trigger },
    ...extras(order),
  };
}

/**
 * The trigger price and limit price of a take-profit or stop-loss. If there is no limit price, it
 * is a market order.
 */
export type Exit = {
  readonly triggerPrice: string;
  readonly limitPrice?: string | undefined;
  readonly cloid?: string | undefined;
};

/** An order with a take-profit, a stop-loss or both, for `bracketOrder`. */
export type BracketOrder = {
  /** The parent order, built by `limitOrder` or `triggerOrder`. */
  readonly parent: OrderEntry;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/**
 * Builds an order with a take-profit, a stop-loss or both, as parameters of `order`. They become
 * active when the parent fills, and whichever fills first cancels the other.
 */
export function bracketOrder({ parent, takeProfit, stopLoss }: BracketOrder): OrderParameters {
  const { a: asset, b: isBuy, s: size, m: marginMode } = parent;
  const side = isBuy ? 'sell' : 'buy';
  const children = exitsOf({ takeProfit, stopLoss }).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, marginMode, ...exit }),
  );
  return { grouping: 'normalTpsl', orders: [parent, ...children] };
}

/** Lists the given TP/SL orders, take-profit first. */
function exitsOf({
  takeProfit,
  stopLoss,
}: Pick<BracketOrder, 'takeProfit' | 'stopLoss'>): ['tp' | 'sl', Exit][] {
  return [
    ...(takeProfit === undefined ? [] : [['tp', takeProfit] as ['tp', Exit]]),
    ...(stopLoss === undefined ? [] : [['sl', stopLoss] as ['sl', Exit]]),
  ];
}

/** A take-profit, a stop-loss or both for a position, for `positionTpsl`. */
export type PositionTpslOrder = {
  /** The instrument id. */
  readonly asset: number;
  /** The side of the position, opposite to that of its TP/SL orders. */
  readonly position: 'long' | 'short';
  /** The size to close; by default the whole position at the time of the trigger. */
  readonly size?: string | undefined;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/**
 * Builds a take-profit, a stop-loss or both for a position, as parameters of `order`. They apply to
 * the position and end with it.
 */
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
