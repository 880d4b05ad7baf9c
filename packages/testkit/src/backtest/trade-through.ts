import type { CrowdOrder } from './replayed-market.ts';

type Standing = {
  readonly orderId: number;
  readonly price: number;
  readonly remaining: number;
  /** Undefined of the bot. */
  readonly member: unknown;
};

type Through<Order> = {
  /** What is left of each order of the crowd that was traded with. */
  readonly used: readonly { readonly order: Order; readonly remaining: number }[];
  /** Lots that the bot is traded for. */
  readonly reached: number;
};

/** Who is traded with by an order that takes, by price and then by age. */
export function tradeThrough<Order extends Standing>(
  standing: readonly Order[],
  { isBuy, price, size }: Omit<CrowdOrder, 'timeInForce'>,
): Through<Order> {
  const sign = isBuy ? 1 : -1;
  const inTheWay = standing
    .filter((order) => sign * order.price <= sign * price)
    .sort((a, b) => sign * (a.price - b.price) || a.orderId - b.orderId);
  const used: { order: Order; remaining: number }[] = [];
  let left = size;
  let reached = 0;
  for (const order of inTheWay) {
    const taken = Math.min(left, order.remaining);
    if (taken === 0) break;
    if (order.member === undefined) reached += taken;
    else used.push({ order, remaining: order.remaining - taken });
    left -= taken;
  }
  return { used, reached };
}
