import { assert } from '@oddlot/units';

/** An order as the reference book keeps it. */
type ReferenceOrder = {
  readonly orderId: number;
  readonly isBuy: boolean;
  /** In price units. */
  readonly price: number;
  /** Lots still to trade. */
  readonly size: number;
  /** Order of acceptance. */
  readonly rank: number;
  /** The time by which the order queues at its price, in ms; 0 when absent. */
  readonly queueMs?: number;
};

/**
 * The book as one flat list, searched from the start every time.
 *
 * It is the specification that `LevelBook` is tested against, so it stays too simple to be wrong:
 * no index, no cached best price, no state that could fall out of step with the list. It shares no
 * helper with `LevelBook`: a comparison of the two cannot see a mistake that both import.
 */
export class ReferenceBook {
  #orders: ReferenceOrder[] = [];

  copy(): ReferenceBook {
    const copy = new ReferenceBook();
    copy.#orders = [...this.#orders];
    return copy;
  }

  /** Adds an order with an id that is not yet there. */
  add(order: ReferenceOrder): void {
    assert(!this.#orders.some((each) => each.orderId === order.orderId), 'the order id is new');
    this.#orders.push({ ...order });
  }

  /** Takes out an order that is there. */
  remove(orderId: number): void {
    this.get(orderId);
    this.#orders = this.#orders.filter((each) => each.orderId !== orderId);
  }

  /** Trades a part of an order. With nothing left it stays until it is removed. */
  fill(orderId: number, size: number): void {
    const left = this.get(orderId).size - size;
    assert(size > 0 && left >= 0, 'a fill is at most what is left');
    this.resize(orderId, left);
  }

  /** Gives an order a new open size; it keeps its place. */
  resize(orderId: number, size: number): void {
    this.get(orderId);
    this.#orders = this.#orders.map((each) =>
      each.orderId === orderId ? { ...each, size } : each,
    );
  }

  /** The order with this id, which is there. */
  get(orderId: number): ReferenceOrder {
    const found = this.#orders.find((each) => each.orderId === orderId);
    assert(found !== undefined, 'the order is in the book');
    return found;
  }

  /** The order that trades first on a side. */
  best(isBuy: boolean): number | undefined {
    return this.priority(isBuy)[0];
  }

  /** The ids of a side, first to trade first. */
  priority(isBuy: boolean): number[] {
    const side = this.#orders.filter((each) => each.isBuy === isBuy);
    return side.toSorted(compareForTrade).map((each) => each.orderId);
  }

  /** Up to `max` levels of a side, best first. */
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

  /** The lots that trade before an order at its price. */
  aheadOf(orderId: number): number {
    const own = this.get(orderId);
    const before = this.#orders.filter(
      (each) =>
        each.isBuy === own.isBuy && each.price === own.price && compareForTrade(each, own) < 0,
    );
    return before.reduce((sum, each) => sum + each.size, 0);
  }

  /** Whether an incoming order of this side and limit price would trade at once. */
  crosses(isBuy: boolean, price: number): boolean {
    return this.#orders.some((each) => {
      if (isBuy) return !each.isBuy && each.price <= price;
      return each.isBuy && each.price >= price;
    });
  }
}

/** Negative when `a` trades before `b`, both of one side. */
function compareForTrade(a: ReferenceOrder, b: ReferenceOrder): number {
  if (a.price !== b.price) return a.isBuy ? b.price - a.price : a.price - b.price;
  const timeDifference = (a.queueMs ?? 0) - (b.queueMs ?? 0);
  return timeDifference !== 0 ? timeDifference : a.rank - b.rank;
}
