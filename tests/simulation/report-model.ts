/**
 * A small book that computes execution reports. Its orders are in a list that every query sorts,
 * and sums are computed over all items. It shares only the rules with the engine and the history.
 */

export type ModelOrder = {
  readonly oid: number;
  readonly user: number;
  readonly isBuy: boolean;
  readonly tif: 'gtc' | 'alo' | 'ioc';
  price: number;
  size: number;
  left: number;
};

type Block = { readonly timeMs: number; readonly height: number };
type Level = { readonly price: number; readonly size: number };

export type ModelReport = {
  entered: Block | undefined;
  arrival: { bid: number; ask: number; mark: number; met: Level[] } | undefined;
  fills: (Block & { price: number; size: number; isTaker: boolean })[];
  resting:
    | { fromMs: number; toMs: number | undefined; price: number; atStart: number; ahead: number }
    | undefined;
  end: (Block & { state: 'filled' | 'cancelled' | 'rejected' }) | undefined;
};

type Resting = ModelOrder & { queueMs: number; rank: number; readonly acceptedMs: number };

/**
 * R-modify: at its new price, an amended order is ranked as if it had been accepted at most one
 * minute ago.
 */
const AMEND_MS = 60_000;

export class ReportModel {
  readonly orders = new Map<number, ModelOrder>();
  readonly #reports = new Map<number, ModelReport>();
  #book: Resting[] = [];
  #ranks = 0;
  nextOid = 1;

  report(oid: number): ModelReport {
    const report = this.#reports.get(oid);
    if (report === undefined) throw new Error(`no order ${oid}`);
    const own = this.#book.find((each) => each.oid === oid);
    if (own !== undefined && report.resting !== undefined) report.resting.ahead = this.#ahead(own);
    return report;
  }

  live(user: number): readonly ModelOrder[] {
    return this.#book.filter((each) => each.user === user);
  }

  place(order: Omit<ModelOrder, 'oid' | 'left'>, at: Block, mark: number): void {
    const oid = this.nextOid;
    this.nextOid += 1;
    const own: ModelOrder = { ...order, oid, left: order.size };
    this.orders.set(oid, own);
    const report: ModelReport = {
      entered: undefined,
      arrival: undefined,
      fills: [],
      resting: undefined,
      end: undefined,
    };
    this.#reports.set(oid, report);
    if (order.tif === 'alo' && this.#first(own) !== undefined) {
      report.end = { ...at, state: 'rejected' };
      return;
    }
    report.entered = at;
    report.arrival = { bid: this.#best(true), ask: this.#best(false), mark, met: [] };
    this.#match(own, at, report.arrival.met);
    this.#settle(own, at, { queueMs: at.timeMs, rank: undefined, acceptedMs: at.timeMs });
  }

  cancel(oid: number, at: Block): void {
    const own = this.#book.find((each) => each.oid === oid);
    if (own === undefined) throw new Error(`order ${oid} does not rest`);
    this.#leave(own, at, 'cancelled');
  }

  amend(oid: number, to: { readonly price: number; readonly size: number }, at: Block): void {
    const own = this.#book.find((each) => each.oid === oid);
    if (own === undefined) throw new Error(`order ${oid} does not rest`);
    const filled = own.size - own.left;
    const amended = { ...own, ...to, left: to.size - filled };
    if (own.tif === 'alo' && this.#first(amended) !== undefined) return;
    const isSame = own.price === to.price;
    const report = this.report(oid);
    this.#book = this.#book.filter((each) => each !== own);
    const stored = this.orders.get(oid);
    if (stored === undefined) throw new Error('an order is known');
    Object.assign(stored, { price: to.price, size: to.size, left: amended.left });
    const taken = this.#first(stored) !== undefined;
    this.#match(stored, at, []);
    if (stored.left === 0 && taken) {
      // A resting order that has filled completely was at the front of its queue.
      if (report.resting !== undefined) report.resting.toMs = at.timeMs;
      report.end = { ...at, state: 'filled' };
      return;
    }
    const queueMs = isSame ? own.queueMs : Math.max(own.acceptedMs, at.timeMs - AMEND_MS);
    this.#settle(stored, at, { queueMs, rank: own.rank, acceptedMs: own.acceptedMs });
  }

  #match(own: ModelOrder, at: Block, met: Level[]): void {
    const levels = this.#levels(own);
    for (;;) {
      const maker = own.left === 0 ? undefined : this.#first(own);
      if (maker === undefined) return;
      if (maker.user === own.user) {
        this.#leave(maker, at, 'cancelled');
        continue;
      }
      const size = Math.min(own.left, maker.left);
      own.left -= size;
      this.#take(maker, size);
      const trade = { ...at, price: maker.price, size };
      this.#reports.get(own.oid)?.fills.push({ ...trade, isTaker: true });
      this.#reports.get(maker.oid)?.fills.push({ ...trade, isTaker: false });
      const level = levels.find(({ price }) => price === maker.price);
      if (level !== undefined && !met.includes(level)) met.push(level);
      if (maker.left === 0) this.#leave(maker, at, 'filled');
    }
  }

  #take(maker: Resting, size: number): void {
    maker.left -= size;
    const stored = this.orders.get(maker.oid);
    if (stored !== undefined) stored.left = maker.left;
  }

  /** Rests the remaining size, or ends the order. */
  #settle(
    own: ModelOrder,
    at: Block,
    { rank, ...place }: { queueMs: number; rank: number | undefined; acceptedMs: number },
  ): void {
    const report = this.report(own.oid);
    if (own.left === 0) report.end = { ...at, state: 'filled' };
    else if (own.tif === 'ioc') report.end = { ...at, state: 'cancelled' };
    else {
      this.#ranks += 1;
      const resting = { ...own, ...place, rank: rank ?? this.#ranks };
      this.#book.push(resting);
      const ahead = this.#ahead(resting);
      const { price } = own;
      report.resting = { fromMs: at.timeMs, toMs: undefined, price, atStart: ahead, ahead };
    }
  }

  #leave(own: Resting, at: Block, state: 'filled' | 'cancelled'): void {
    const report = this.report(own.oid);
    if (report.resting !== undefined) report.resting.toMs = at.timeMs;
    report.end = { ...at, state };
    this.#book = this.#book.filter((each) => each !== own);
  }

  #ahead(own: Resting): number {
    const queue = this.#book.filter(
      ({ isBuy, price }) => isBuy === own.isBuy && price === own.price,
    );
    const before = queue.filter(
      ({ queueMs, rank }) => queueMs < own.queueMs || (queueMs === own.queueMs && rank < own.rank),
    );
    return before.reduce((sum, { left }) => sum + left, 0);
  }

  #best(isBuy: boolean): number {
    const prices = this.#book.filter((each) => each.isBuy === isBuy).map(({ price }) => price);
    if (prices.length === 0) return 0;
    return isBuy ? Math.max(...prices) : Math.min(...prices);
  }

  /** Returns the resting order that an order would match next. */
  #first(own: ModelOrder): Resting | undefined {
    const others = this.#book.filter(
      ({ isBuy, price }) =>
        isBuy !== own.isBuy && (own.isBuy ? price <= own.price : price >= own.price),
    );
    const worse = own.isBuy ? 1 : -1;
    others.sort((a, b) => worse * (a.price - b.price) || a.queueMs - b.queueMs || a.rank - b.rank);
    return others[0];
  }

  #levels({ isBuy }: ModelOrder): Level[] {
    const sizes = new Map<number, number>();
    for (const each of this.#book) {
      if (each.isBuy !== isBuy) sizes.set(each.price, (sizes.get(each.price) ?? 0) + each.left);
    }
    return [...sizes].map(([price, size]) => ({ price, size }));
  }
}
