import { outcomeAccountView, outcomeOpenOrders, type OrderSnapshot } from '@oddlot/engine';
import { LIMITS } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { Replica } from '../replica/replica.ts';
import type { BotMarket, FairValues } from './fair-values.ts';
import { QuotingStyle } from './quoting-style.ts';
import { difference, type Rung } from './ladder.ts';
import { type FreeShares, shareLadder, shareOrder, shareStep } from './share-ladder.ts';
import type { BotShareOrder, Trader } from './trader.ts';

/** Rungs of one maker, each side of a book. */
const LEVELS = 3;
/** The value may leave its rung by so many steps before the quotes follow: every move is in the log. */
const BAND_STEPS = 1.25;
/** Pairs of at least this many shares are turned into money again. */
const MERGE_SHARES = 200;

type Change = {
  readonly market: BotMarket;
  readonly stale: readonly OrderSnapshot[];
  readonly missing: readonly Rung[];
};

/** Keeps its share of every outcome market's book filled around the fair value, on both legs. */
export class ShareMaker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #values: FairValues;
  readonly #place: { readonly maker: number; readonly makers: number };
  readonly #habits: QuotingStyle;
  /** The rung that the quotes of a market stand around, by instrument id. */
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

  /** Cancels what the value has left behind. All makers do so before any of them quotes anew. */
  async withdraw(): Promise<void> {
    const stale = this.#changes().flatMap((change) => change.stale);
    if (stale.length > 0) await this.#trader.cancel(stale.slice(0, LIMITS.cancelsMax));
  }

  /** Fills the rungs that are empty; post-only, so that a maker never takes. */
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
    for (let from = 0; from < missing.length; from += LIMITS.ordersMax) {
      const batch = missing.slice(from, from + LIMITS.ordersMax);
      if (!(await this.#trader.placeShares(batch))) await this.#placeApart(batch);
    }
  }

  /** Turns pairs into money again: makers buy both legs all the time. */
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

  /** One market that refuses orders must not keep the others empty. */
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
      const wanted = shareLadder(market, anchor, { levels: LEVELS, ...this.#place });
      const own = (live.get(market.definition.instrumentId) ?? []).map((order) => ({
        ...order,
        price: order.outcome?.leg === 'no' ? market.unit - order.price : order.price,
      }));
      return { market, ...difference(wanted, own) };
    });
  }

  /** It follows only a value that has really moved. */
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

/** What an account could sell, by instrument id. */
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
