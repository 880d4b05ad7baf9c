import {
  abs,
  ceil,
  cheaper,
  clamped,
  initialOf,
  isNear,
  isReducing,
  isTooFar,
  maintenanceOf,
  max,
  min,
  ONE,
  paidFor,
  premiumOf,
  rateOf,
  type ReferenceOrder,
  type ReferencePerp,
  type ReferenceRequest,
  type ReferenceResult,
  shapeFault,
} from './reference-perps.ts';

/**
 * A reference perpetual venue, written solely from the rulebook. It is slow, uses bigints, and
 * shares no code with the engine. It scans a single list of orders for every match and has no
 * caches. Each charge is the order's total fee minus what has already been paid. The model supports
 * one-way cross margin, and takes the mark as an input.
 */

type Position = { size: bigint; cost: bigint };

const LIQUIDATION_FEE_E8 = 500_000n;
const MIN_VALUE = 10_000_000n;
const [SAMPLE_MS, HOUR_MS] = [5_000, 3_600_000];

export class ReferenceVenue {
  nowMs = 0;
  treasury = 0n;
  nextId = 1;
  orders: ReferenceOrder[] = [];
  readonly perps = new Map<number, ReferencePerp>();
  readonly balances = new Map<string, bigint>();
  readonly positions = new Map<string, Position>();

  credit(owner: string, amount: bigint): void {
    this.balances.set(owner, (this.balances.get(owner) ?? 0n) + amount);
  }

  position(owner: string, perp: number): Position {
    const key = `${owner} ${perp}`;
    const found = this.positions.get(key) ?? { size: 0n, cost: 0n };
    this.positions.set(key, found);
    return found;
  }

  /** R-tif: removes expired orders before any other work. */
  advance(nowMs: number): void {
    this.nowMs = nowMs;
    this.orders = this.orders.filter(({ expireMs }) => expireMs === undefined || expireMs > nowMs);
  }

  cancel(owner: string, perp: number, matches: (order: ReferenceOrder) => boolean): boolean {
    const found = this.orders.find(
      (order) => order.owner === owner && order.perp === perp && matches(order),
    );
    if (found !== undefined) this.#drop(found);
    return found !== undefined;
  }

  place(owner: string, request: ReferenceRequest): ReferenceResult {
    const id = this.nextId++;
    const reason = this.#refusal(owner, request);
    const refused = reason ?? (this.#wouldTrade(owner, request) ? 'postOnlyWouldTrade' : undefined);
    if (refused !== undefined) {
      return { state: 'rejected', reason: refused, filled: 0n, filledNotional: 0n };
    }
    const perp = this.#perp(request.perp);
    const most = request.reduceOnly ? this.#reducible(owner, request) : request.size;
    const size = min(request.size, most);
    const order: ReferenceOrder = {
      ...request,
      price: request.tif === 'market' ? clamped(perp, request) : request.price,
      id,
      owner,
      original: size,
      remaining: size,
      filledNotional: 0n,
      roleNotional: 0n,
      rolePaid: 0n,
    };
    const state = this.#execute(order);
    const filled = order.original - order.remaining;
    return { state, reason: undefined, filled, filledNotional: order.filledNotional };
  }

  /** Returns the balance plus the unrealised PnL at the marks. */
  value(owner: string): bigint {
    let sum = this.balances.get(owner) ?? 0n;
    for (const perp of this.perps.values()) {
      const { size, cost } = this.position(owner, perp.id);
      sum += size * perp.mark - cost;
    }
    return sum;
  }

  /** R-initial: checks the margin across all instruments as if `pending` were a resting order. */
  initial(owner: string, pending?: ReferenceOrder | ReferenceRequest, size = 0n): bigint {
    let sum = 0n;
    for (const perp of this.perps.values()) {
      const extra = pending?.perp === perp.id ? pending : undefined;
      sum += initialOf(perp, this.exposure(owner, perp.id, extra, size));
    }
    return sum;
  }

  maintenance(owner: string): bigint {
    let sum = 0n;
    for (const perp of this.perps.values()) {
      sum += maintenanceOf(perp, abs(this.position(owner, perp.id).size));
    }
    return sum;
  }

  notional(owner: string): bigint {
    let sum = 0n;
    for (const perp of this.perps.values()) {
      sum += abs(this.position(owner, perp.id).size) * perp.mark;
    }
    return sum;
  }

  withdrawable(owner: string): bigint {
    const reserved = max(this.initial(owner), ceil(this.notional(owner), 10n));
    return max(0n, min(this.balances.get(owner) ?? 0n, this.#judged(owner) - reserved));
  }

  /** R-oracle-stale: returns the account value minus twice the notional of stale positions. */
  #judged(owner: string): bigint {
    let sum = this.value(owner);
    for (const perp of this.perps.values()) {
      if (this.#isStale(perp)) sum -= 2n * abs(this.position(owner, perp.id).size) * perp.mark;
    }
    return sum;
  }

  #isMarginRestricted(owner: string): boolean {
    const holdsStale = [...this.perps.values()].some(
      (perp) => this.#isStale(perp) && this.position(owner, perp.id).size !== 0n,
    );
    return holdsStale && this.#judged(owner) < this.initial(owner);
  }

  /** Returns max(|pos + buys|, |pos − sells|), excluding reduce-only orders. */
  exposure(
    owner: string,
    perp: number,
    pending?: ReferenceOrder | ReferenceRequest,
    size = 0n,
  ): bigint {
    let buys = 0n;
    let sells = 0n;
    for (const order of this.#own(owner, perp)) {
      if (order.reduceOnly) continue;
      if (order.isBuy) buys += order.remaining;
      else sells += order.remaining;
    }
    if (pending !== undefined && !pending.reduceOnly) {
      if (pending.isBuy) buys += size;
      else sells += size;
    }
    const held = this.position(owner, perp).size;
    return max(abs(held + buys), abs(held - sells));
  }

  #own(owner: string, perp: number): ReferenceOrder[] {
    return this.orders.filter((order) => order.owner === owner && order.perp === perp);
  }

  #perp(id: number): ReferencePerp {
    const perp = this.perps.get(id);
    if (perp === undefined) throw new Error(`no perp ${id}`);
    return perp;
  }

  #isStale(perp: ReferencePerp): boolean {
    return perp.oracle === 0n || this.nowMs - perp.oracleMs > 30_000;
  }

  #drop(order: ReferenceOrder): void {
    this.orders = this.orders.filter((other) => other !== order);
  }

  #reducible(owner: string, request: ReferenceRequest): bigint {
    const { size } = this.position(owner, request.perp);
    if (size === 0n || size > 0n === request.isBuy) return 0n;
    const resting = this.#own(owner, request.perp)
      .filter((order) => order.reduceOnly && order.isBuy === request.isBuy)
      .reduce((sum, order) => sum + order.remaining, 0n);
    return max(0n, abs(size) - resting);
  }

  #refusal(owner: string, request: ReferenceRequest): string | undefined {
    const perp = this.perps.get(request.perp);
    if (perp === undefined) return 'instrumentUnknown';
    const { isBuy, size, tif } = request;
    const before = this.exposure(owner, perp.id);
    const after = this.exposure(owner, perp.id, request, size);
    if (this.#isStale(perp) && after > before) return 'oracleStale';
    const now = this.position(owner, perp.id).size;
    const mayOpen = !request.reduceOnly && !isReducing(now, isBuy ? size : -size);
    if (mayOpen && this.#isMarginRestricted(owner)) return 'oracleStale';
    const misshapen = shapeFault(perp, request);
    if (misshapen !== undefined) return misshapen;
    const isMarket = tif === 'market';
    const price = isMarket ? clamped(perp, request) : request.price;
    if (isTooFar(perp, price) && !isMarket) return 'priceTooFar';
    const held = this.position(owner, perp.id).size;
    const isClosing = held !== 0n && held > 0n !== isBuy;
    const closesAll = isClosing && (request.reduceOnly ? size >= abs(held) : size === abs(held));
    if (price * size < MIN_VALUE && !closesAll) return 'valueBelowMin';
    if (tif === 'gtd' && (request.expireMs ?? 0) < this.nowMs + 5_000) return 'expiryTooSoon';
    const live = this.orders.filter((order) => order.owner === owner);
    const isTaken = live.some(({ client }) => client === request.client);
    if (request.client !== undefined && isTaken) return 'clientOrderIdDuplicate';
    if (live.length >= 5_000) return 'ordersFull';
    if (request.reduceOnly && this.#reducible(owner, request) === 0n) return 'reduceOnlyIncreases';
    if (after > before) {
      if (after > (perp.tiers.at(-1)?.maxSize ?? 0n)) return 'positionLimit';
      const fee = ceil(price * size * perp.takerFeeE8, ONE);
      const needed = this.initial(owner, request, size) + fee;
      if (this.#judged(owner) < needed) return 'marginInsufficient';
    }
    return undefined;
  }

  /**
   * R-tif: an `Alo` order is rejected if it crosses one of its own account's orders or an order
   * that could fill. Crossed orders that could not fill are cancelled. If R-fillable does not
   * apply, crossing any order causes the rejection.
   */
  #wouldTrade(owner: string, { isBuy, perp: id, price, tif }: ReferenceRequest): boolean {
    const perp = this.#perp(id);
    for (;;) {
      const met = tif === 'alo' ? this.#best(id, !isBuy, price) : undefined;
      if (met === undefined) return false;
      if (this.#isStale(perp) || met.owner === owner || this.#isFillable(met)) return true;
      this.#drop(met);
    }
  }

  /** R-fillable: returns true if the order could fill its whole remaining size as a maker. */
  #isFillable(order: ReferenceOrder): boolean {
    const { makerFeeE8 } = this.#perp(order.perp);
    return this.#survives(order, order.price, order.remaining, makerFeeE8);
  }

  /**
   * Cancels the orders on one side that could not fill, starting with the best price, until the
   * remaining orders reach a notional.
   */
  #test(perp: ReferencePerp, isBuy: boolean, worth: bigint): void {
    if (this.#isStale(perp) || perp.mark === 0n) return;
    let value = 0n;
    for (const order of this.#side(perp.id, isBuy)) {
      if (!this.#isFillable(order)) {
        this.#drop(order);
        continue;
      }
      value += order.price * order.remaining;
      if (value >= worth) return;
    }
  }

  /** R-fillable: tests the best orders before a mark is computed from the book. */
  testBest(id: number): void {
    for (const isBuy of [true, false]) this.#test(this.#perp(id), isBuy, 0n);
  }

  /** R-funding-gaps: pays the hours that ended before this entry, at the prices from before it. */
  passHour(previousMs: number, nowMs: number): void {
    const dueMs = previousMs - (previousMs % HOUR_MS) + HOUR_MS;
    if (dueMs < nowMs) for (const perp of this.perps.values()) this.#payHour(perp, dueMs);
  }

  /**
   * R-funding: samples the latest sampling instant since the previous entry, using this entry's
   * marks.
   */
  sample(previousMs: number): void {
    if (this.nowMs - (this.nowMs % SAMPLE_MS) <= previousMs) return;
    for (const perp of this.perps.values()) {
      if (this.nowMs % HOUR_MS === 0) this.#payHour(perp, this.nowMs);
      if (this.#isStale(perp)) continue;
      const bid = this.#side(perp.id, true)[0]?.price ?? 0n;
      const ask = this.#side(perp.id, false)[0]?.price ?? perp.oracle;
      if (bid > perp.oracle) this.#test(perp, true, perp.impactNotional);
      else if (ask < perp.oracle) this.#test(perp, false, perp.impactNotional);
      if (this.orders.every((order) => order.perp !== perp.id)) continue;
      perp.samples += 1;
      perp.premiums += premiumOf(perp, this.#side(perp.id, true), this.#side(perp.id, false));
    }
  }

  /**
   * Longs pay shorts. The insurance fund gets the rounding remainders, because it has no position
   * in this model.
   */
  #payHour(perp: ReferencePerp, dueMs: number): void {
    const premium = perp.premiums / 720n;
    const isStill = perp.oracle === 0n || dueMs - perp.oracleMs > 30_000;
    const isPaid = perp.samples > 0 && !isStill;
    perp.premiums = 0n;
    perp.samples = 0;
    if (!isPaid) return;
    const rate = rateOf(premium);
    for (const [key, { size }] of this.positions) {
      const [owner = '', id] = key.split(' ');
      if (Number(id) !== perp.id) continue;
      const paid = paidFor(size * perp.oracle * rate);
      this.credit(owner, -paid);
      this.treasury += paid;
    }
  }

  /** Returns the resting order that an incoming order with this limit matches first. */
  #best(perp: number, isBuySide: boolean, limit: bigint): ReferenceOrder | undefined {
    return this.#side(perp, isBuySide).find(({ price }) =>
      isBuySide ? price >= limit : price <= limit,
    );
  }

  #side(perp: number, isBuySide: boolean): ReferenceOrder[] {
    return this.orders
      .filter((order) => order.perp === perp && order.isBuy === isBuySide)
      .sort((a, b) => (isBuySide ? cheaper(b, a) : cheaper(a, b)) || a.id - b.id);
  }

  #execute(taker: ReferenceOrder): ReferenceResult['state'] {
    const perp = this.#perp(taker.perp);
    for (;;) {
      if (taker.remaining === 0n) return 'filled';
      const maker = this.#best(perp.id, !taker.isBuy, taker.price);
      if (maker === undefined) break;
      if (maker.owner === taker.owner) {
        this.#drop(maker);
        continue;
      }
      const size = min(taker.remaining, maker.remaining);
      if (!this.#survives(maker, maker.price, size, perp.makerFeeE8)) {
        this.#drop(maker);
        continue;
      }
      if (!this.#survives(taker, maker.price, size, perp.takerFeeE8)) return 'cancelled';
      this.#fill(taker, maker.price, size, perp.takerFeeE8);
      this.#fill(maker, maker.price, size, perp.makerFeeE8);
      if (maker.remaining === 0n) this.#drop(maker);
      this.#cut(maker.owner, perp.id);
      this.#cut(taker.owner, perp.id);
    }
    if (taker.tif === 'ioc' || taker.tif === 'market') return 'cancelled';
    const raises =
      this.exposure(taker.owner, perp.id, taker, taker.remaining) >
      this.exposure(taker.owner, perp.id);
    const isPartial = taker.remaining < taker.original;
    const needed = this.initial(taker.owner, taker, taker.remaining);
    if (isPartial && raises && this.#judged(taker.owner) < needed) return 'cancelled';
    taker.roleNotional = 0n;
    taker.rolePaid = 0n;
    this.orders.push(taker);
    return 'open';
  }

  /** R-fill-check: simulates the fill and checks the account that would result. */
  #survives(order: ReferenceOrder, price: bigint, size: bigint, rateE8: bigint): boolean {
    const { owner } = order;
    const position = this.position(owner, order.perp);
    const reserved = { ...position };
    const balance = this.balances.get(owner) ?? 0n;
    const remaining = order.remaining;
    const before = { value: this.value(owner), risk: this.#risk(owner) };
    const reduces = isReducing(reserved.size, order.isBuy ? size : -size);
    const perp = this.#perp(order.perp);
    if (!reduces && this.#isStale(perp)) return false;
    if (this.#isMarginRestricted(owner) && !(reduces && isNear(perp, order.isBuy, price)))
      return false;

    this.#move(order, price, size, this.#feeDue(order, price * size, rateE8));
    order.remaining -= size;
    const after = { value: this.value(owner), risk: this.#risk(owner) };
    const isCovered = this.#judged(owner) >= this.initial(owner);

    order.remaining = remaining;
    position.size = reserved.size;
    position.cost = reserved.cost;
    this.balances.set(owner, balance);
    if (isCovered) return true;
    if (!reduces || after.value < 0n) return false;
    return after.value * before.risk >= before.value * after.risk;
  }

  /** R-ratio: returns the divisor of the margin ratio. */
  #risk(owner: string): bigint {
    return this.maintenance(owner) + ceil(this.notional(owner) * LIQUIDATION_FEE_E8, ONE);
  }

  #feeDue(order: ReferenceOrder, value: bigint, rateE8: bigint): bigint {
    return ceil((order.roleNotional + value) * rateE8, ONE) - order.rolePaid;
  }

  #fill(order: ReferenceOrder, price: bigint, size: bigint, rateE8: bigint): void {
    const fee = this.#feeDue(order, price * size, rateE8);
    this.#move(order, price, size, fee);
    this.treasury += fee;
    order.rolePaid += fee;
    order.roleNotional += price * size;
    order.filledNotional += price * size;
    order.remaining -= size;
  }

  /**
   * Changes position, cost and balance. A fill first closes the position, and any remaining size
   * opens a new one.
   */
  #move(order: ReferenceOrder, price: bigint, size: bigint, fee: bigint): void {
    const position = this.position(order.owner, order.perp);
    const sign = order.isBuy ? 1n : -1n;
    const held = abs(position.size);
    const isClosing = position.size !== 0n && position.size > 0n !== order.isBuy;
    const closed = isClosing ? min(held, size) : 0n;
    let realised = 0n;
    if (closed > 0n) {
      // Bigint division truncates towards zero.
      const released = closed === held ? position.cost : (position.cost * closed) / held;
      realised = -sign * closed * price - released;
      position.cost -= released;
      position.size += sign * closed;
    }
    position.size += sign * (size - closed);
    position.cost += sign * (size - closed) * price;
    this.credit(order.owner, realised - fee);
  }

  /**
   * R-reduce: reduces the newest orders first, for as long as the total size of reduce-only orders
   * exceeds the position.
   */
  #cut(owner: string, perp: number): void {
    const { size } = this.position(owner, perp);
    for (const isBuy of [true, false]) {
      const behind = isBuy ? max(0n, -size) : max(0n, size);
      const orders = this.#own(owner, perp)
        .filter((order) => order.reduceOnly && order.isBuy === isBuy)
        .sort((a, b) => b.id - a.id);
      let excess = orders.reduce((sum, { remaining }) => sum + remaining, 0n) - behind;
      for (const order of orders) {
        if (excess <= 0n) break;
        const cut = min(excess, order.remaining);
        order.remaining -= cut;
        order.original -= cut;
        excess -= cut;
        if (order.remaining === 0n) this.#drop(order);
      }
    }
  }
}
