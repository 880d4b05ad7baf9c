import {
  accountView,
  bookLevels,
  openOrders,
  perpDefinitions,
  perpView,
  type PerpDefinition,
} from '@oddlot/engine';
import { LIMITS } from '@oddlot/protocol';
import { MONEY_DECIMALS } from '@oddlot/units';
import type { Replica } from '../replica/replica.ts';
import { QuotingStyle } from './quoting-style.ts';
import { bestRungs, crossedSize, difference, gridStep, ladder, type Rung } from './ladder.ts';
import type { BotOrder, Trader } from './trader.ts';

/** Rungs of one maker, each side of a book. */
const LEVELS = 10;
/** The price may leave its rung by this share of a step before the quotes follow. */
const BAND_SHARE = 0.75;

/** A maker takes no order that would make its position in a perp larger than this. */
const INVENTORY_USDC = 250_000;
/** How many price levels of others it looks at in a round. */
const TAKEN_LEVELS_MAX = 100;

/** A grid of another coarseness is laid when the one that would fit now is this many times finer or coarser. */
const REGRID_FACTOR = 2;

type Anchor = { readonly step: number; rung: number };

/** Keeps its share of every perp's book filled around the oracle. */
export class Maker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #place: { readonly maker: number; readonly makers: number };
  readonly #habits: QuotingStyle;
  /** Where the quotes of a perp stand. The grid is kept as long as it fits the price. */
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

  /** Cancels what the price has left behind. All makers do so before any of them quotes anew. */
  async withdraw(): Promise<void> {
    const stale = this.#changes().flatMap((change) => change.stale);
    if (stale.length > 0) await this.#trader.cancel(stale.slice(0, LIMITS.cancelsMax));
  }

  /** Takes orders of others that cross its best quotes: post-only quotes would be rejected because of them. */
  async take(): Promise<void> {
    const orders = this.#changes().flatMap(({ perp, wanted }) =>
      bestRungs(wanted).flatMap((rung) => this.#crossing(perp, rung)),
    );
    await this.#placeAll(orders);
  }

  #crossing(perp: PerpDefinition, rung: Rung): BotOrder[] {
    const { instrumentId, maxMarketOrderSize: max } = perp;
    const others = bookLevels(this.#replica.state, instrumentId, !rung.isBuy, TAKEN_LEVELS_MAX);
    const room = this.#room(instrumentId, rung);
    const orders: BotOrder[] = [];
    for (let left = Math.min(crossedSize(rung, others), room); left > 0; left -= max) {
      orders.push({ perp, ...rung, size: Math.min(left, max), tif: 'Ioc' });
    }
    return orders.slice(0, LIMITS.ordersMax);
  }

  /** Lots that it may still buy or sell. */
  #room(instrumentId: number, { isBuy, price }: Rung): number {
    const { positions = [] } = accountView(this.#replica.state, this.#trader.address) ?? {};
    const held = positions.find((position) => position.instrumentId === instrumentId)?.size ?? 0;
    const max = Math.floor((INVENTORY_USDC * 10 ** MONEY_DECIMALS) / price);
    return Math.max(0, isBuy ? max - held : max + held);
  }

  /** Fills the rungs that are empty; post-only, because the price may move before the order arrives. */
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

  /** One perp that refuses orders must not keep the others empty. */
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
      // The rungs at the touch are always there; of the others some are left out.
      const touch = this.#place.makers * step;
      const wanted = ladder(perp, rung, { step, levels: LEVELS, ...this.#place }).filter(
        ({ price }) => Math.abs(price - rung * step) <= touch || this.#habits.likes(price),
      );
      return [{ perp, wanted, ...difference(wanted, live.get(perp.instrumentId) ?? []) }];
    });
  }

  /** The rung that the quotes stand around; it follows only a price that has really moved. */
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

/** An operator can move a price by any factor: rungs that were fine for the old one may be further apart than the new one is from 0. */
function isFarFrom(step: number, fitting: number): boolean {
  return Math.max(step / fitting, fitting / step) > REGRID_FACTOR;
}
