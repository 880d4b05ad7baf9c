import {
  accountView,
  bookLevels,
  openOrders,
  type OrderSnapshot,
  outcomeAccountView,
  outcomeOpenOrders,
  type PerpDefinition,
  perpDefinitions,
  perpView,
} from '@oddlot/engine';
import { LIMITS } from '@oddlot/protocol';
import { MONEY_DECIMALS, present } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import {
  bestRungs,
  crossedSize,
  difference,
  type FreeShares,
  gridStep,
  ladder,
  QuotingStyle,
  type Rung,
  shareLadder,
  shareOrder,
  shareStep,
} from './ladder.ts';
import type { BotOrder, BotShareOrder, Trader } from './trader.ts';
import type { BotMarket, FairValues } from './fair-values.ts';

/** The number of rungs per maker on each side of a perp's book. */
const PERP_LEVELS = 10;
/**
 * Quotes on a perp are moved when the price is further from their centre than this fraction of a
 * step.
 */
const BAND_SHARE = 0.75;

/** A maker does not fill orders that would increase its position in a perp beyond this value. */
const INVENTORY_USDC = 250_000;
/** The number of price levels of other accounts that a maker checks in each round. */
const TAKEN_LEVELS_MAX = 100;

/**
 * The grid is replaced when the step that fits the current price differs from it by more than this
 * factor.
 */
const REGRID_FACTOR = 2;

type Anchor = { readonly step: number; rung: number };

/** Keeps one maker's part of every perp's book filled around the oracle price. */
export class Maker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #place: { readonly maker: number; readonly makers: number };
  readonly #habits: QuotingStyle;
  /**
   * The centre rung of the quotes and the grid step, by perp. The step is kept as long as it suits
   * the price.
   */
  readonly #anchors = new Map<number, Anchor>();

  constructor(
    trader: Trader,
    replica: Replica,
    place: { readonly maker: number; readonly makers: number },
  ) {
    this.#trader = trader;
    this.#replica = replica;
    this.#place = place;
    this.#habits = new QuotingStyle(trader.address);
  }

  /**
   * Cancels quotes that no longer match the current price. All makers cancel before any of them
   * places new quotes.
   */
  async withdraw(): Promise<void> {
    const stale = this.#changes().flatMap((change) => change.stale);
    if (stale.length > 0) await this.#trader.cancel(stale.slice(0, LIMITS.cancelsMax));
  }

  /**
   * Fills other accounts' orders that cross the maker's best quotes, because post-only quotes would
   * be rejected there.
   */
  async take(): Promise<void> {
    const orders = this.#changes().flatMap(({ perp, rungs }) =>
      bestRungs(rungs).flatMap((rung) => this.#crossing(perp, rung)),
    );
    await this.#placeAll(orders);
  }

  #crossing(perp: PerpDefinition, rung: Rung): BotOrder[] {
    const { instrumentId, maxMarketOrderSize: max } = perp;
    const others = bookLevels(this.#replica.state, instrumentId, !rung.isBuy, TAKEN_LEVELS_MAX);
    const inventoryLeft = this.#inventoryLeft(instrumentId, rung);
    const orders: BotOrder[] = [];
    for (let left = Math.min(crossedSize(rung, others), inventoryLeft); left > 0; left -= max) {
      orders.push({ perp, ...rung, size: Math.min(left, max), tif: 'Ioc' });
    }
    return orders.slice(0, LIMITS.ordersMax);
  }

  /** Returns the number of lots that the maker can still buy or sell within its inventory limit. */
  #inventoryLeft(instrumentId: number, { isBuy, price }: Rung): number {
    const { positions = [] } = accountView(this.#replica.state, this.#trader.address) ?? {};
    const held = positions.find((position) => position.instrumentId === instrumentId)?.size ?? 0;
    const max = Math.floor((INVENTORY_USDC * 10 ** MONEY_DECIMALS) / price);
    return Math.max(0, isBuy ? max - held : max + held);
  }

  /** Places post-only orders on the empty rungs, because the price can move before they arrive. */
  async quote(): Promise<void> {
    const missing = this.#changes().flatMap(({ perp, missing: rungs }) =>
      rungs.map((rung): BotOrder => {
        const bounds = { min: 1, max: perp.maxLimitOrderSize };
        return { perp, tif: 'Alo', ...rung, size: this.#habits.sizeNear(rung.size, bounds) };
      }),
    );
    await this.#placeAll(missing);
  }

  async #placeAll(orders: readonly BotOrder[]): Promise<void> {
    for (let from = 0; from < orders.length; from += LIMITS.ordersMax) {
      const batch = orders.slice(from, from + LIMITS.ordersMax);
      if (!(await this.#trader.place(batch))) await this.#placeApart(batch);
    }
  }

  /**
   * Places the orders of each perp in a separate request, so that if one perp rejects orders, the
   * others still get theirs.
   */
  async #placeApart(batch: readonly BotOrder[]): Promise<void> {
    const byPerp = Map.groupBy(batch, ({ perp }) => perp.instrumentId);
    if (byPerp.size < 2) return;
    for (const orders of byPerp.values()) await this.#trader.place(orders);
  }

  #changes() {
    const { state } = this.#replica;
    const live = Map.groupBy(openOrders(state, this.#trader.address), (each) => each.instrumentId);
    return perpDefinitions(state).flatMap((perp) => {
      const view = perpView(state, perp.instrumentId);
      if (view?.oracle === undefined || view.halted || view.delisted) return [];
      const { rung, step } = this.#anchorOf(perp, view.oracle);
      // The rungs closest to the price are always quoted; some of the others are omitted.
      const touch = this.#place.makers * step;
      const rungs = ladder(perp, rung, { step, levels: PERP_LEVELS, ...this.#place }).filter(
        ({ price }) => Math.abs(price - rung * step) <= touch || this.#habits.quotesAt(price),
      );
      return [{ perp, rungs, ...difference(rungs, live.get(perp.instrumentId) ?? []) }];
    });
  }

  /**
   * Returns the grid and the centre rung of a perp's quotes. They change only on significant price
   * moves.
   */
  #anchorOf({ instrumentId, priceTick }: PerpDefinition, price: number): Anchor {
    let anchor = this.#anchors.get(instrumentId);
    const fitting = gridStep(price, priceTick);
    if (anchor === undefined || isFarFrom(anchor.step, fitting)) {
      anchor = { step: fitting, rung: Math.round(price / fitting) };
      this.#anchors.set(instrumentId, anchor);
    }
    const { rung, step } = anchor;
    if (Math.abs(price - rung * step) > BAND_SHARE * step) anchor.rung = Math.round(price / step);
    return anchor;
  }
}

/**
 * An operator can change a price by any factor, so the steps of the old grid may be larger than the
 * new price.
 */
function isFarFrom(step: number, fitting: number): boolean {
  return Math.max(step / fitting, fitting / step) > REGRID_FACTOR;
}

/** The number of rungs per maker on each side of an outcome market's book. */
const SHARE_LEVELS = 3;
/**
 * Quotes on an outcome market are moved when its fair value is more than this many steps from their
 * centre. The band is wide, because every change goes into the log.
 */
const BAND_STEPS = 1.25;
/** A maker merges pairs of shares when it holds at least this many. */
const MERGE_SHARES = 200;

/** A maker does not fill orders that would leave it with more shares of one outcome than this. */
const INVENTORY_SHARES = 5_000;

/** A taker order that does not fill immediately rests on the book for this many milliseconds. */
const TAKEN_LIFE_MS = 10_000;

type Change = {
  readonly market: BotMarket;
  readonly rungs: readonly Rung[];
  readonly stale: readonly OrderSnapshot[];
  readonly missing: readonly Rung[];
};

/**
 * Keeps one maker's part of every outcome market's book filled around the fair value, for both
 * outcomes.
 */
export class ShareMaker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #values: FairValues;
  readonly #place: { readonly maker: number; readonly makers: number };
  readonly #habits: QuotingStyle;
  /** The centre rung of the quotes by instrument id. */
  readonly #anchors = new Map<number, number>();

  constructor(
    trader: Trader,
    replica: Replica,
    values: FairValues,
    place: { readonly maker: number; readonly makers: number },
  ) {
    this.#trader = trader;
    this.#replica = replica;
    this.#values = values;
    this.#place = place;
    this.#habits = new QuotingStyle(trader.address);
  }

  /**
   * Cancels quotes that no longer match the current fair value. All makers cancel before any of
   * them places new quotes.
   */
  async withdraw(): Promise<void> {
    const stale = this.#changes().flatMap((change) => change.stale);
    if (stale.length > 0) await this.#trader.cancel(stale.slice(0, LIMITS.cancelsMax));
  }

  async take(): Promise<void> {
    const free = this.#freeShares();
    const expireTime = this.#replica.state.timeMs + TAKEN_LIFE_MS;
    const orders = this.#changes().flatMap(({ market, rungs }) => {
      const held = free.get(market.definition.instrumentId) ?? { yes: 0, no: 0 };
      return bestRungs(rungs).flatMap((rung): BotShareOrder[] => {
        const size = takenSize(market, rung, held);
        if (size === 0) return [];
        const order = shareOrder({ ...rung, size }, held, market.unit);
        return [{ ...order, market: market.definition, limit: { tif: 'Gtd', expireTime } }];
      });
    });
    await this.#placeAll(orders);
  }

  /** Places post-only orders on the empty rungs, because the price can move before they arrive. */
  async quote(): Promise<void> {
    const free = this.#freeShares();
    const missing = this.#changes().flatMap(({ market, missing: rungs }) => {
      const held = free.get(market.definition.instrumentId) ?? { yes: 0, no: 0 };
      const { maxOrderSize: max, minOrderSize: min } = market.definition;
      return rungs.map((rung): BotShareOrder => {
        const size = this.#habits.sizeNear(rung.size, { min, max });
        const order = shareOrder({ ...rung, size }, held, market.unit);
        return { ...order, market: market.definition, limit: { tif: 'Alo' } };
      });
    });
    await this.#placeAll(missing);
  }

  /**
   * Merges pairs of YES and NO shares, which accumulate because makers continuously buy both
   * outcomes.
   */
  async merge(): Promise<void> {
    const free = this.#freeShares();
    const pairs = [...this.#values.markets.keys()].flatMap(({ definition }) => {
      const { no, yes } = free.get(definition.instrumentId) ?? { yes: 0, no: 0 };
      const size = Math.min(yes, no);
      return size < MERGE_SHARES * 10 ** definition.szDecimals
        ? []
        : [{ market: definition, size }];
    });
    if (pairs.length > 0) await this.#trader.operate('merge', pairs);
  }

  async #placeAll(orders: readonly BotShareOrder[]): Promise<void> {
    for (let from = 0; from < orders.length; from += LIMITS.ordersMax) {
      const batch = orders.slice(from, from + LIMITS.ordersMax);
      if (!(await this.#trader.placeShares(batch))) await this.#placeApart(batch);
    }
  }

  /**
   * Places the orders of each market in a separate request, so that if one market rejects orders,
   * the others still get theirs.
   */
  async #placeApart(batch: readonly BotShareOrder[]): Promise<void> {
    const byMarket = Map.groupBy(batch, ({ market }) => market.instrumentId);
    if (byMarket.size < 2) return;
    for (const orders of byMarket.values()) await this.#trader.placeShares(orders);
  }

  #changes(): Change[] {
    const orders = outcomeOpenOrders(this.#replica.state, this.#trader.address);
    const live = Map.groupBy(orders, (order) => order.instrumentId as number);
    for (const id of this.#anchors.keys()) {
      if (!this.#replica.state.outcomes.markets.has(id)) this.#anchors.delete(id);
    }
    return [...this.#values.markets].map(([market, probability]) => {
      const anchor = this.#anchorOf(market, probability * market.unit);
      const rungs = shareLadder(market, anchor, { levels: SHARE_LEVELS, ...this.#place });
      const own = (live.get(market.definition.instrumentId) ?? []).map((order) => ({
        ...order,
        price: order.outcome?.leg === 'no' ? market.unit - order.price : order.price,
      }));
      return { market, rungs, ...difference(rungs, own) };
    });
  }

  /**
   * Returns the centre rung of a market's quotes. It changes only on significant moves in the fair
   * value.
   */
  #anchorOf(market: BotMarket, value: number): number {
    const id = market.definition.instrumentId;
    const step = shareStep(market);
    const nearest = Math.min(
      Math.max(1, Math.round(value / step)),
      Math.ceil(market.unit / step) - 1,
    );
    const anchor = this.#anchors.get(id);
    if (anchor === undefined || Math.abs(value - anchor * step) > BAND_STEPS * step) {
      this.#anchors.set(id, nearest);
    }
    return present(this.#anchors.get(id), 'the anchor that was just set');
  }

  #freeShares(): Map<number, FreeShares> {
    return freeSharesOf(this.#replica, this.#trader);
  }
}

/**
 * Returns the number of shares to fill of orders that cross a rung, in YES prices. Another
 * account's bid is filled by selling YES or by buying NO, so the inventory limit applies to the
 * outcome whose holding grows.
 */
function takenSize({ book, definition }: BotMarket, rung: Rung, held: FreeShares): number {
  const { maxOrderSize, minOrderSize, szDecimals } = definition;
  const net = rung.isBuy ? held.yes - held.no : held.no - held.yes;
  const inventoryLeft = INVENTORY_SHARES * 10 ** szDecimals - net;
  const crossed = crossedSize(rung, book.levels(!rung.isBuy, TAKEN_LEVELS_MAX));
  const size = Math.min(crossed, inventoryLeft, maxOrderSize);
  return size < minOrderSize ? 0 : size;
}

/** Returns the number of shares that an account can sell, by instrument id. */
export function freeSharesOf(replica: Replica, trader: Trader): Map<number, FreeShares> {
  const free = new Map<number, FreeShares>();
  const positions = outcomeAccountView(replica.state, trader.address)?.positions ?? [];
  for (const { instrumentId, leg, reserved, size } of positions) {
    const held = free.get(instrumentId) ?? { yes: 0, no: 0 };
    held[leg] = size - reserved;
    free.set(instrumentId, held);
  }
  return free;
}
