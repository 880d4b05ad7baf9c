import {
  accountView,
  type Authority,
  type Command,
  type MarketView,
  netPosition,
  openOrders,
  type OrderRequest,
  outcomeAccountView,
  outcomeOpenOrders,
  type PerpDefinition,
  type State,
  triggerOrders,
} from '@oddlot/engine';
import {
  type Address,
  formatDecimal,
  type InstrumentId,
  instrumentId as toInstrumentId,
  parseDecimal,
} from '@oddlot/units';

/** A crowd order, with its price on the book. */
export type CrowdOrder = Pick<OrderRequest, 'isBuy' | 'price' | 'size' | 'timeInForce'>;

/** A resting order, with its price on the book. */
export type BookOrder = {
  readonly orderId: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly remaining: number;
  readonly filled: number;
};

/**
 * The properties in which perps and outcome markets differ in a replay. Sizes are in lots, prices
 * in price units.
 */
export type ReplayedMarket = {
  readonly instrumentId: InstrumentId;
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
  readonly priceMax: number;
  /** The largest sizes of a taker order and of a resting order. */
  readonly takeMax: number;
  readonly restMax: number;
  /** The largest position of one crowd account before another account is used. */
  readonly roomMax: number;
  /** The delay of taker orders (R-delay). */
  readonly orderDelayMs: number;
  readonly subAccount: 'perp' | 'outcome';
  /** The symbol whose oracle price is set. Undefined if the market has no oracle price. */
  readonly oracleSymbol: string | undefined;
  /** Returns the distance from the price to the best quote and between levels. */
  gapAt(price: number, gap: number | undefined): number;
  /** Returns the smallest order size at a price, in lots. */
  lotsMin(state: State, price: number): number;
  /** Returns the commands an account must send before its first order. */
  prepare(authority: Authority): readonly Command[];
  /** Returns an order in the engine's form. */
  requestOf(order: CrowdOrder): OrderRequest;
  /** Returns the resting orders of an account in this market, oldest first. */
  ordersOf(state: State, account: Address): readonly BookOrder[];
  /** Returns an account's position, negative if it is short or in NO. */
  heldBy(state: State, account: Address): number;
};

/** The maximum position per account, as a fraction of the largest allowed position. */
const ROOM_SHARE = 0.4;
/** The default distance between quotes, as a fraction of the price. */
const GAP = 0.0001;

/**
 * Stands in for the position ranks, which would require scanning all accounts and are not used in a
 * replay.
 */
const unranked = (): number => 0;

export function replayedPerp(perp: PerpDefinition): ReplayedMarket {
  const { instrumentId, maxLimitOrderSize, maxMarketOrderSize, name, priceTick } = perp;
  return {
    instrumentId,
    name,
    szDecimals: perp.szDecimals,
    priceTick,
    priceMax: Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % priceTick),
    takeMax: maxMarketOrderSize,
    restMax: maxLimitOrderSize,
    roomMax: (perp.tiers.at(-1)?.maxSize ?? Infinity) * ROOM_SHARE,
    orderDelayMs: 0,
    subAccount: 'perp',
    oracleSymbol: perp.baseCurrency,
    gapAt: (price, gap = GAP) => price * gap,
    lotsMin: ({ parameters }, price) =>
      Math.max(1, Math.ceil(parameters!.minOrderValueMicroUsdc / price)),
    // Every margin tier allows this leverage.
    prepare: (authority) => {
      const leverage = Math.min(...perp.tiers.map(({ maxLeverage }) => maxLeverage));
      return [{ type: 'updateLeverage', authority, instrumentId, leverage }];
    },
    requestOf: (order) => ({ ...order, instrumentId, reduceOnly: false }),
    ordersOf: (state, account) =>
      openOrders(state, account)
        .filter((order) => order.instrumentId === instrumentId)
        .sort((a, b) => a.orderId - b.orderId),
    heldBy: (state, account) => netPosition(state, account, instrumentId),
  };
}

/**
 * Returns the properties of an outcome market, with YES prices. Crowd accounts only ever buy YES or
 * NO, and pairs are minted (R-mint-burn), so no account needs shares to begin with.
 */
export function replayedOutcome({ definition, unit }: MarketView): ReplayedMarket {
  const { maxOrderSize, minOrderSize, priceTick, slug, szDecimals } = definition;
  const id = toInstrumentId(definition.instrumentId);
  return {
    instrumentId: id,
    name: slug,
    szDecimals,
    priceTick,
    priceMax: unit - priceTick,
    takeMax: maxOrderSize,
    restMax: maxOrderSize,
    roomMax: Infinity,
    orderDelayMs: definition.orderDelayMs,
    subAccount: 'outcome',
    oracleSymbol: undefined,
    // The distance is a fraction of 1, because near 0 a fraction of the price would be less than a
    // tick.
    gapAt: (_, gap) => (gap === undefined ? priceTick : unit * gap),
    lotsMin: () => minOrderSize,
    prepare: () => [],
    requestOf: ({ isBuy, price, size, timeInForce }) => ({
      instrumentId: id,
      isBuy,
      price: isBuy ? price : unit - price,
      size,
      reduceOnly: false,
      // The unfilled part is cancelled afterwards, because outcome markets have no
      // immediate-or-cancel orders (R-tif).
      timeInForce: timeInForce === 'ioc' ? 'gtc' : timeInForce,
    }),
    ordersOf: (state, account) =>
      outcomeOpenOrders(state, account)
        .filter((order) => order.instrumentId === id)
        .map((order) => ({
          orderId: order.orderId,
          isBuy: order.isBuy,
          price: order.outcome?.leg === 'no' ? unit - order.price : order.price,
          remaining: order.remaining,
          filled: order.filled,
        }))
        .sort((a, b) => a.orderId - b.orderId),
    heldBy: (state, account) =>
      (outcomeAccountView(state, account)?.positions ?? [])
        .filter((shares) => shares.instrumentId === id)
        .reduce((sum, { leg, size }) => sum + (leg === 'yes' ? size : -size), 0),
  };
}

/** R-units: price times size is in micro-USDC. */
const MONEY_DECIMALS = 6;

/** A market's price and size steps. Recordings from other venues can have finer steps. */
export class MarketGrid {
  readonly market: ReplayedMarket;
  readonly #priceDecimals: number;

  constructor(market: ReplayedMarket) {
    this.market = market;
    this.#priceDecimals = MONEY_DECIMALS - market.szDecimals;
  }

  /**
   * Parses a price and rounds it to a tick, to at least one tick and at most the highest allowed
   * price.
   */
  price(text: string, to: 'down' | 'up' | 'near'): number {
    const { priceMax, priceTick: tick } = this.market;
    const { exact, floor } = parseDecimal(text, this.#priceDecimals)!;
    const units = Number(floor);
    const isOnTick = exact && units % tick === 0;
    const below = units - (units % tick);
    const isUp = to === 'up' || (to === 'near' && 2 * (units - below) >= tick);
    return Math.min(priceMax, Math.max(tick, isOnTick || !isUp ? below : below + tick));
  }

  onTick(units: number, to: 'down' | 'up'): number {
    const tick = this.market.priceTick;
    const ticks = to === 'down' ? Math.floor(units / tick) : Math.ceil(units / tick);
    return Math.max(1, ticks) * tick;
  }

  /** Parses a size and rounds it down to whole lots. */
  lots(text: string): number {
    return Number(parseDecimal(text, this.market.szDecimals)!.floor);
  }

  priceText(units: number): string {
    return formatDecimal(units, this.#priceDecimals);
  }
}

/**
 * Returns the next price along the way at which one of the account's trigger orders or TP/SL orders
 * triggers, or the account is liquidated. The market stops there before moving on, even if the
 * recorded prices are far apart.
 */
export function nextStop(
  state: State,
  { account, instrumentId }: { readonly account: Address; readonly instrumentId: InstrumentId },
  {
    from,
    onTick,
    to,
  }: {
    readonly from: number;
    readonly to: number;
    readonly onTick: (price: number, to: 'down' | 'up') => number;
  },
): number | undefined {
  const isUp = to > from;
  const triggers = triggerOrders(state, account)
    .map(({ order }) => order)
    .filter((order) => order.instrumentId === instrumentId && order.isTriggered !== true)
    .map(({ trigger }) => trigger?.price);
  const positions = accountView(state, account, unranked)?.positions ?? [];
  const held = positions
    .filter((position) => position.instrumentId === instrumentId)
    .flatMap(({ liquidationPrice, tpsl }) => [
      liquidationPrice,
      ...tpsl.flatMap(({ stopLoss, takeProfit }) => [
        stopLoss?.triggerPrice,
        takeProfit?.triggerPrice,
      ]),
    ]);
  const between = [...triggers, ...held]
    .flatMap((price) => (price === undefined ? [] : [onTick(price, isUp ? 'up' : 'down')]))
    .filter((price) => (isUp ? price > from && price < to : price < from && price > to));
  if (between.length === 0) return undefined;
  return isUp ? Math.min(...between) : Math.max(...between);
}
