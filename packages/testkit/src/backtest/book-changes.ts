/** A level in units of the market. */
export type Level = { readonly price: number; readonly size: number };

/** Both sides, best first. */
export type Levels = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

/** An order of the crowd that rests. */
type Standing = {
  readonly orderId: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly remaining: number;
};

type Changes<Order> = {
  readonly cancelled: readonly Order[];
  readonly lowered: readonly { readonly order: Order; readonly remaining: number }[];
  readonly missing: readonly (Level & { readonly isBuy: boolean })[];
};

/**
 * What turns the orders that rest into a recorded book. Who came last leaves first: what stays keeps its place in the queue, and
 * so does the bot behind it.
 */
export function bookChanges<Order extends Standing>(
  standing: readonly Order[],
  { asks, bids }: Levels,
): Changes<Order> {
  const wanted = new Map<string, number>();
  const keyOf = ({ isBuy, price }: { isBuy: boolean; price: number }): string =>
    `${isBuy ? 'bid' : 'ask'} ${price}`;
  const levels = [
    ...bids.map((level) => ({ ...level, isBuy: true })),
    ...asks.map((level) => ({ ...level, isBuy: false })),
  ];
  for (const level of levels) {
    wanted.set(keyOf(level), (wanted.get(keyOf(level)) ?? 0) + level.size);
  }
  const cancelled: Order[] = [];
  const lowered: { order: Order; remaining: number }[] = [];
  // The oldest takes its part of a level first.
  for (const order of standing.toSorted((a, b) => a.orderId - b.orderId)) {
    const left = wanted.get(keyOf(order)) ?? 0;
    const remaining = Math.min(left, order.remaining);
    if (remaining === 0) cancelled.push(order);
    else if (remaining < order.remaining) lowered.push({ order, remaining });
    wanted.set(keyOf(order), left - remaining);
  }
  const missing = levels.flatMap((level) => {
    const size = wanted.get(keyOf(level)) ?? 0;
    // A price that stands twice in a recording is one level.
    wanted.set(keyOf(level), 0);
    return size > 0 ? [{ isBuy: level.isBuy, price: level.price, size }] : [];
  });
  return { cancelled, lowered, missing };
}
