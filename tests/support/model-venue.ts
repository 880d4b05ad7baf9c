/**
 * A minimal reference venue: one perp, no margin, and a single list as the book. It implements
 * R-book, R-tif, R-stp, R-reduce, R-rounding and position arithmetic in integers. Prices are in
 * price units, sizes in lots and money in micro-USDC, so that price × size is money (R-units).
 */

export type Side = 'buy' | 'sell';
export type Tif = 'Gtc' | 'Alo' | 'Ioc';

export type ModelOrder = {
  readonly cloid: string;
  readonly owner: string;
  readonly side: Side;
  readonly price: bigint;
  size: bigint;
  readonly reduceOnly: boolean;
  /**
   * The notional that the order has traded in each role. Fees are rounded per order and role, not
   * per fill.
   */
  taken: bigint;
  made: bigint;
};

export type ModelTrade = {
  readonly price: bigint;
  readonly size: bigint;
  readonly aggressor: Side;
  readonly buyer: string;
  readonly seller: string;
};

export type ModelAccount = { balance: bigint; size: bigint; cost: bigint };

export type ModelResult = {
  readonly state: 'open' | 'filled' | 'cancelled' | 'rejected' | 'refused';
  readonly filled: bigint;
};

/** One unit of a fee rate is 10^-8. */
const RATE_UNIT = 100_000_000n;

export class ModelVenue {
  resting: ModelOrder[] = [];
  readonly trades: ModelTrade[] = [];
  readonly accounts = new Map<string, ModelAccount>();
  #rates: { readonly taker: bigint; readonly maker: bigint };

  constructor(rates: { taker: bigint; maker: bigint }) {
    this.#rates = rates;
  }

  open(owner: string, balance: bigint): void {
    this.accounts.set(owner, { balance, size: 0n, cost: 0n });
  }

  place(wanted: Omit<ModelOrder, 'taken' | 'made'>, tif: Tif): ModelResult {
    const incoming = { ...wanted, taken: 0n, made: 0n };
    if (incoming.reduceOnly) {
      incoming.size = least(incoming.size, this.#reducible(incoming.owner, incoming.side));
      if (incoming.size <= 0n) return { state: 'refused', filled: 0n };
    }
    if (tif === 'Alo' && this.#best(incoming)) return { state: 'rejected', filled: 0n };
    const asked = incoming.size;
    for (let maker = this.#best(incoming); maker; maker = this.#best(incoming)) {
      if (incoming.size === 0n) break;
      if (maker.owner === incoming.owner) this.#remove(maker);
      else this.#trade(incoming, maker);
    }
    const filled = asked - incoming.size;
    if (incoming.size === 0n) return { state: 'filled', filled };
    if (tif === 'Ioc') return { state: 'cancelled', filled };
    this.resting.push(incoming);
    return { state: 'open', filled };
  }

  cancel(cloid: string): boolean {
    const order = this.resting.find((one) => one.cloid === cloid);
    if (order) this.#remove(order);
    return order !== undefined;
  }

  /** Returns the resting order that the incoming order would match first. */
  #best(incoming: ModelOrder): ModelOrder | undefined {
    const buys = incoming.side === 'buy';
    let best: ModelOrder | undefined;
    for (const order of this.resting) {
      if (order.side === incoming.side) continue;
      if (buys ? order.price > incoming.price : order.price < incoming.price) continue;
      if (!best || (buys ? order.price < best.price : order.price > best.price)) best = order;
    }
    return best;
  }

  #trade(taker: ModelOrder, maker: ModelOrder): void {
    const size = least(taker.size, maker.size);
    const { price } = maker;
    const [buyer, seller] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
    this.trades.push({
      price,
      size,
      aggressor: taker.side,
      buyer: buyer.owner,
      seller: seller.owner,
    });
    taker.size -= size;
    maker.size -= size;
    if (maker.size === 0n) this.#remove(maker);
    const notional = price * size;
    const takerFee =
      fee(taker.taken + notional, this.#rates.taker) - fee(taker.taken, this.#rates.taker);
    const makerFee =
      fee(maker.made + notional, this.#rates.maker) - fee(maker.made, this.#rates.maker);
    taker.taken += notional;
    maker.made += notional;
    this.#move(taker.owner, taker.side === 'buy' ? size : -size, price, takerFee);
    this.#move(maker.owner, maker.side === 'buy' ? size : -size, price, makerFee);
  }

  /** Changes a position, credits its realised PnL and charges the fee. */
  #move(owner: string, change: bigint, price: bigint, paid: bigint): void {
    const account = this.accounts.get(owner)!;
    account.balance -= paid;
    const reduces = account.size !== 0n && account.size > 0n !== change > 0n;
    const closed = reduces ? least(magnitude(account.size), magnitude(change)) : 0n;
    if (closed > 0n) {
      const signed = account.size > 0n ? closed : -closed;
      // Bigint division rounds towards zero. Closing the last lot releases the remaining cost.
      const released = (account.cost * closed) / magnitude(account.size);
      account.balance += signed * price - released;
      account.cost -= released;
      account.size -= signed;
    }
    const opened = change > 0n ? change - closed : change + closed;
    account.size += opened;
    account.cost += opened * price;
    if (closed > 0n) this.#cutReducing(owner);
  }

  /**
   * Shrinks reduce-only orders, newest first, until their total size no longer exceeds the
   * position.
   */
  #cutReducing(owner: string): void {
    for (const side of ['buy', 'sell'] as const) {
      const mine = this.resting.filter(
        (order) => order.owner === owner && order.reduceOnly && order.side === side,
      );
      let excess = total(mine) - this.#position(owner, side);
      for (const order of mine.toReversed()) {
        if (excess <= 0n) break;
        const cut = least(order.size, excess);
        order.size -= cut;
        excess -= cut;
        if (order.size === 0n) this.#remove(order);
      }
    }
  }

  /** Returns the size of the position that an order on this side would reduce. */
  #position(owner: string, side: Side): bigint {
    const { size } = this.accounts.get(owner)!;
    const against = side === 'sell' ? size : -size;
    return against > 0n ? against : 0n;
  }

  #reducible(owner: string, side: Side): bigint {
    const mine = this.resting.filter(
      (order) => order.owner === owner && order.reduceOnly && order.side === side,
    );
    return this.#position(owner, side) - total(mine);
  }

  #remove(order: ModelOrder): void {
    this.resting = this.resting.filter((one) => one !== order);
  }
}

function fee(notional: bigint, rate: bigint): bigint {
  return (notional * rate + RATE_UNIT - 1n) / RATE_UNIT;
}

function total(orders: readonly ModelOrder[]): bigint {
  return orders.reduce((sum, order) => sum + order.size, 0n);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
