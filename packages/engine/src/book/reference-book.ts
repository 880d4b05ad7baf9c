import { assert } from '@oddlot/units';

type ReferenceOrder = {
  readonly orderId: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly rank: number;
  /**
   * The time in milliseconds that determines the queue position of the order at its price; 0 if
   * absent.
   */
  readonly queueMs?: number;
};

/**
 * A reference model of the book as one flat list that is searched from the start every time.
 * `LevelBook` is tested against it, so it stays simple: it has no index, no cached best price and
 * no state that could diverge from the list. It shares no helper with `LevelBook`, because the
 * comparison would not find a mistake in code that both use.
 */
export class ReferenceBook {
  #orders: ReferenceOrder[] = [];

  copy(): ReferenceBook {
    const copy = new ReferenceBook();
    copy.#orders = [...this.#orders];
    return copy;
  }

  add(order: ReferenceOrder): void {
    assert(!this.#orders.some((each) => each.orderId === order.orderId), 'the order id is new');
    this.#orders.push({ ...order });
  }

  remove(orderId: number): void {
    this.get(orderId);
    this.#orders = this.#orders.filter((each) => each.orderId !== orderId);
  }

  /** Fills part of an order. A fully filled order stays until it is removed. */
  fill(orderId: number, size: number): void {
    const left = this.get(orderId).size - size;
    assert(size > 0 && left >= 0, 'a fill is at most what is left');
    this.resize(orderId, left);
  }

  /** Changes the open size of an order, which keeps its queue position. */
  resize(orderId: number, size: number): void {
    this.get(orderId);
    this.#orders = this.#orders.map((each) =>
      each.orderId === orderId ? { ...each, size } : each,
    );
  }

  get(orderId: number): ReferenceOrder {
    const found = this.#orders.find((each) => each.orderId === orderId);
    assert(found !== undefined, 'the order is in the book');
    return found;
  }

  best(isBuy: boolean): number | undefined {
    return this.priority(isBuy)[0];
  }

  priority(isBuy: boolean): number[] {
    const side = this.#orders.filter((each) => each.isBuy === isBuy);
    return side.toSorted(compareForTrade).map((each) => each.orderId);
  }

  levels(isBuy: boolean, max: number): { price: number; size: number; count: number }[] {
    const side = this.#orders.filter((each) => each.isBuy === isBuy);
    const prices = [...new Set(side.map((each) => each.price))];
    prices.sort((a, b) => (isBuy ? b - a : a - b));
    return prices.slice(0, max).map((price) => {
      const here = side.filter((each) => each.price === price);
      const size = here.reduce((sum, each) => sum + each.size, 0);
      return { price, size, count: here.length };
    });
  }

  aheadOf(orderId: number): number {
    const own = this.get(orderId);
    const before = this.#orders.filter(
      (each) =>
        each.isBuy === own.isBuy && each.price === own.price && compareForTrade(each, own) < 0,
    );
    return before.reduce((sum, each) => sum + each.size, 0);
  }

  /** Returns true if an incoming order with this side and limit price would trade immediately. */
  crosses(isBuy: boolean, price: number): boolean {
    return this.#orders.some((each) => {
      if (isBuy) return !each.isBuy && each.price <= price;
      return each.isBuy && each.price >= price;
    });
  }
}

/** Returns a negative number if `a` trades before `b`; both must be on the same side. */
function compareForTrade(a: ReferenceOrder, b: ReferenceOrder): number {
  if (a.price !== b.price) return a.isBuy ? b.price - a.price : a.price - b.price;
  const timeDifference = (a.queueMs ?? 0) - (b.queueMs ?? 0);
  return timeDifference !== 0 ? timeDifference : a.rank - b.rank;
}
