/**
 * A reference outcome market, written solely from the rulebook. It is slow, uses bigints, and
 * shares no code with the engine. All orders are in one list. Each match scans the list by outcome,
 * at each outcome's own prices rather than a common book price. Each charge is the order's total
 * fee minus what has already been paid. Free money and free shares are recomputed from balances and
 * open orders.
 */

export type Leg = 'yes' | 'no';

export type OutcomeRules = {
  /** The price 1.00, in price units. */
  readonly unit: bigint;
  readonly tick: bigint;
  readonly minSize: bigint;
  readonly maxSize: bigint;
  readonly feeE8: bigint;
  readonly delayMs: number;
};

export type OutcomeRequest = {
  readonly leg: Leg;
  readonly isSell: boolean;
  /** The price of the order's own outcome. */
  readonly price: bigint;
  readonly size: bigint;
  readonly tif: 'gtc' | 'gtd' | 'alo' | 'ioc';
  readonly client: string | undefined;
  readonly expireMs: number | undefined;
};

export type LiveOrder = {
  readonly owner: string;
  readonly request: OutcomeRequest;
  /** The order id, or 0 while the order is in the delay queue. */
  id: number;
  price: bigint;
  size: bigint;
  filled: bigint;
  filledNotional: bigint;
  /**
   * R-modify: `queueMs` ranks the order within its price level, and `acceptedMs` is when it was
   * accepted.
   */
  queueMs: number;
  acceptedMs: number;
  rank: number;
  dueMs: number;
  /** Exact taker fees, where one unit is 10^-8 / `unit` micro-USDC, and the amount already paid. */
  feesOwed: bigint;
  feesPaid: bigint;
};

export type OutcomeResult = {
  readonly state: 'open' | 'filled' | 'cancelled' | 'rejected' | 'queued';
  readonly reason: string | undefined;
  readonly filled: bigint;
  readonly filledNotional: bigint;
};

export type OutcomeFunds = { money: bigint; yes: bigint; no: bigint };

export type OutcomeFill = {
  readonly taker: number;
  readonly maker: number;
  readonly size: bigint;
  /** The taker's and the maker's price. */
  readonly prices: readonly [bigint, bigint];
  readonly fee: bigint;
};

const E8 = 100_000_000n;
const MINUTE_MS = 60_000;
const EXPIRY_MS = 5_000;

const ceil = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

export class ReferenceOutcome {
  readonly rules: OutcomeRules;
  nowMs = 0;
  phase: 'open' | 'halted' = 'open';
  treasury = 0n;
  fills: OutcomeFill[] = [];
  /** The orders in the book, sorted by time of acceptance. */
  live: LiveOrder[] = [];
  /** The orders in the delay queue, sorted by time of arrival. */
  queue: LiveOrder[] = [];
  readonly fundsByAccount = new Map<string, OutcomeFunds>();
  #nextId = 1;
  #nextRank = 1;

  constructor(rules: OutcomeRules) {
    this.rules = rules;
  }

  funds(owner: string): OutcomeFunds {
    const known = this.fundsByAccount.get(owner) ?? { money: 0n, yes: 0n, no: 0n };
    this.fundsByAccount.set(owner, known);
    return known;
  }

  /**
   * Returns the reserves of an owner's open and queued orders, optionally excluding one of them.
   */
  reserved(owner: string, except?: LiveOrder): OutcomeFunds {
    const sum = { money: 0n, yes: 0n, no: 0n };
    for (const order of [...this.live, ...this.queue]) {
      if (order.owner !== owner || order === except) continue;
      const rest = order.size - order.filled;
      if (order.request.isSell) sum[order.request.leg] += rest;
      else sum.money += this.#worstCase(order, order.price, rest);
    }
    return sum;
  }

  /** Removes expired orders before any other work in an entry. */
  advance(nowMs: number): void {
    this.nowMs = nowMs;
    this.live = this.live.filter(({ request }) => (request.expireMs ?? Infinity) > nowMs);
  }

  /** Releases due orders, sorted by due time and then by arrival. */
  release(): void {
    for (;;) {
      const due = this.queue
        .filter(({ dueMs }) => dueMs <= this.nowMs)
        .sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) return;
      this.queue.splice(this.queue.indexOf(due), 1);
      const isOver = (due.request.expireMs ?? Infinity) <= this.nowMs;
      if (this.phase === 'open' && !isOver) this.#enter(due);
    }
  }

  place(owner: string, request: OutcomeRequest): OutcomeResult {
    const reason = this.#refusal(owner, request);
    if (reason !== undefined) return rejected(reason);
    const order = this.#draft(owner, request);
    const takes = this.#next(order, order.price) !== undefined;
    if (takes && request.tif === 'alo') {
      this.#nextId += 1;
      return rejected('postOnlyWouldTrade');
    }
    if (takes && this.rules.delayMs > 0) {
      this.queue.push(order);
      return { state: 'queued', reason: undefined, filled: 0n, filledNotional: 0n };
    }
    return this.#enter(order);
  }

  cancel(owner: string, id: number): boolean {
    const found = this.#own(owner, id);
    if (found !== undefined) this.#drop(found);
    return found !== undefined;
  }

  amend(owner: string, id: number, price: bigint, size: bigint): OutcomeResult {
    const order = this.#own(owner, id);
    if (order === undefined) return rejected('orderUnknown');
    // A rejected amend leaves its order unchanged, and returns it.
    const stays = (reason: string): OutcomeResult => ({ ...resultOf(order, 'open'), reason });
    if (this.phase === 'halted') return stays('tradingHalted');
    if (size >= 0n && size <= order.filled) {
      this.#drop(order);
      return resultOf(order, 'cancelled');
    }
    const rest = size - order.filled;
    const reason =
      this.#shape(size, price) ?? this.#minimum(order, rest) ?? this.#funds(order, price, rest);
    if (reason !== undefined) return stays(reason);
    if (this.#next(order, price) !== undefined) {
      if (order.request.tif === 'alo') return stays('postOnlyWouldTrade');
      if (this.rules.delayMs > 0) return stays('amendWouldTake');
    }
    if (price !== order.price) {
      order.queueMs = Math.max(order.acceptedMs, this.nowMs - MINUTE_MS);
    }
    order.price = price;
    order.size = size;
    return this.#trade(order);
  }

  /** Splits money into pairs. A negative number of lots merges pairs. */
  operate(owner: string, lots: bigint): string | undefined {
    if (lots > 0n && this.phase === 'halted') return 'tradingHalted';
    const funds = this.funds(owner);
    const held = this.reserved(owner);
    const cost = lots * this.rules.unit;
    if (lots > 0n && cost > funds.money - held.money) return 'balanceInsufficient';
    const isShort = funds.yes - held.yes < -lots || funds.no - held.no < -lots;
    if (lots < 0n && isShort) return 'pairsInsufficient';
    funds.money -= cost;
    funds.yes += lots;
    funds.no += lots;
    return undefined;
  }

  #draft(owner: string, request: OutcomeRequest): LiveOrder {
    return {
      owner,
      request,
      id: 0,
      price: request.price,
      size: request.size,
      filled: 0n,
      filledNotional: 0n,
      queueMs: 0,
      acceptedMs: 0,
      rank: 0,
      dueMs: this.nowMs + this.rules.delayMs,
      feesOwed: 0n,
      feesPaid: 0n,
    };
  }

  #refusal(owner: string, request: OutcomeRequest): string | undefined {
    if (this.phase === 'halted') return 'tradingHalted';
    const draft = this.#draft(owner, request);
    const { client, expireMs, price, size, tif } = request;
    const isUsed = (order: LiveOrder): boolean =>
      order.owner === owner && client !== undefined && order.request.client === client;
    return (
      this.#shape(size, price) ??
      this.#minimum(draft, size) ??
      (tif === 'ioc' ? 'iocOnOutcome' : undefined) ??
      (tif === 'gtd' && (expireMs ?? 0) < this.nowMs + EXPIRY_MS ? 'expiryTooSoon' : undefined) ??
      ([...this.live, ...this.queue].some(isUsed) ? 'clientOrderIdDuplicate' : undefined) ??
      this.#funds(draft, price, size)
    );
  }

  /**
   * R-sizes, R-reserve: returns why the size or price of the whole order is rejected, or undefined
   * if both are valid.
   */
  #shape(size: bigint, price: bigint): string | undefined {
    const { maxSize, tick, unit } = this.rules;
    if (size <= 0n) return 'sizeBelowMin';
    if (size > maxSize) return 'sizeAboveMax';
    if (price <= 0n || price >= unit) return 'priceOutOfRange';
    return price % tick === 0n ? undefined : 'priceOffTick';
  }

  #minimum(order: LiveOrder, rest: bigint): string | undefined {
    if (rest >= this.rules.minSize) return undefined;
    const sellsAll = order.request.isSell && rest === this.#freeShares(order);
    return sellsAll ? undefined : 'sizeBelowMin';
  }

  #funds(order: LiveOrder, price: bigint, rest: bigint): string | undefined {
    if (order.request.isSell) {
      return rest > this.#freeShares(order) ? 'sharesInsufficient' : undefined;
    }
    const free = this.funds(order.owner).money - this.reserved(order.owner, order).money;
    return this.#worstCase(order, price, rest) > free ? 'balanceInsufficient' : undefined;
  }

  /**
   * Returns the free shares of the order's outcome. The order's own reserve does not count against
   * them.
   */
  #freeShares(order: LiveOrder): bigint {
    const { leg } = order.request;
    return this.funds(order.owner)[leg] - this.reserved(order.owner, order)[leg];
  }

  /**
   * R-reserve: returns price × size plus the taker fee at the limit, minus the fees already paid.
   */
  #worstCase(order: LiveOrder, price: bigint, rest: bigint): bigint {
    const owed = order.feesOwed + this.#exactFee(price, rest);
    return price * rest + ceil(owed, E8 * this.rules.unit) - order.feesPaid;
  }

  #exactFee(price: bigint, size: bigint): bigint {
    return this.rules.feeE8 * size * price * (this.rules.unit - price);
  }

  #enter(order: LiveOrder): OutcomeResult {
    order.id = this.#nextId++;
    order.acceptedMs = this.nowMs;
    order.queueMs = this.nowMs;
    return this.#trade(order);
  }

  #trade(order: LiveOrder): OutcomeResult {
    this.live = this.live.filter((other) => other !== order);
    while (order.filled < order.size) {
      const maker = this.#next(order, order.price);
      if (maker === undefined) break;
      if (maker.owner === order.owner) this.#drop(maker);
      else this.#fill(order, maker);
    }
    if (order.filled === order.size) return resultOf(order, 'filled');
    if (order.rank === 0) order.rank = this.#nextRank++;
    this.live.push(order);
    return resultOf(order, 'open');
  }

  /**
   * Returns the resting order that an order with this limit matches first. A buy matches sells of
   * its outcome at or below the limit, and buys of the other outcome if the two together pay at
   * least 1.00. A sell matches buys of its outcome at or above the limit, and sells of the other
   * outcome if the two together ask at most 1.00.
   */
  #next(order: LiveOrder, limit: bigint): LiveOrder | undefined {
    const { isSell, leg } = order.request;
    const own = (other: LiveOrder): bigint =>
      other.request.leg === leg ? other.price : this.rules.unit - other.price;
    const meets = (other: LiveOrder): boolean => {
      const isOpposite = (other.request.leg === leg) === (other.request.isSell !== isSell);
      return isOpposite && (isSell ? own(other) >= limit : own(other) <= limit);
    };
    return this.live
      .filter((other) => other !== order && meets(other))
      .sort((a, b) => {
        const better = isSell ? own(b) - own(a) : own(a) - own(b);
        return Number(better) || a.queueMs - b.queueMs || a.rank - b.rank;
      })[0];
  }

  #fill(taker: LiveOrder, maker: LiveOrder): void {
    const { unit } = this.rules;
    const [left, right] = [taker.size - taker.filled, maker.size - maker.filled];
    const size = left < right ? left : right;
    const isSameLeg = taker.request.leg === maker.request.leg;
    const price = isSameLeg ? maker.price : unit - maker.price;
    taker.feesOwed += this.#exactFee(price, size);
    const fee = ceil(taker.feesOwed, E8 * unit) - taker.feesPaid;
    taker.feesPaid += fee;
    this.treasury += fee;
    this.funds(taker.owner).money -= fee;
    this.#move(taker, price, size);
    this.#move(maker, maker.price, size);
    const prices = [price, maker.price] as const;
    this.fills.push({ taker: taker.id, maker: maker.id, size, prices, fee });
    if (maker.filled === maker.size) this.#drop(maker);
  }

  #move(order: LiveOrder, price: bigint, size: bigint): void {
    const funds = this.funds(order.owner);
    const sign = order.request.isSell ? -1n : 1n;
    funds.money -= sign * price * size;
    funds[order.request.leg] += sign * size;
    order.filled += size;
    order.filledNotional += price * size;
  }

  #own(owner: string, id: number): LiveOrder | undefined {
    return this.live.find((order) => order.owner === owner && order.id === id);
  }

  #drop(order: LiveOrder): void {
    this.live = this.live.filter((other) => other !== order);
  }
}

function rejected(reason: string): OutcomeResult {
  return { state: 'rejected', reason, filled: 0n, filledNotional: 0n };
}

function resultOf({ filled, filledNotional }: LiveOrder, state: OutcomeResult['state']) {
  return { state, reason: undefined, filled, filledNotional };
}
