import type { OrderRequest, PlaceOrdersCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';

/** Judges whether the orders of an action can belong together as it says (R-grouping). */
export function checkGrouping({ grouping, orders }: PlaceOrdersCommand): Reject | undefined {
  if (grouping === undefined || grouping === 'none') return undefined;
  const why = grouping === 'normal' ? normalFault(orders) : positionFault(orders);
  return why === undefined ? undefined : { reason: 'groupingInvalid', why };
}

/** A parent, then one or two triggers that reduce what it opens. */
function normalFault(orders: readonly OrderRequest[]): string | undefined {
  const [parent, ...children] = orders;
  if (parent === undefined || children.length < 1 || children.length > 2) {
    return 'a parent takes one or two children';
  }
  if (children.some((child) => child.trigger === undefined)) return 'children are trigger orders';
  if (children.some((child) => !child.reduceOnly)) return 'children are reduce-only';
  if (children.some((child) => child.instrumentId !== parent.instrumentId)) {
    return 'parent and children are of one instrument';
  }
  return children.some((child) => child.isBuy === parent.isBuy)
    ? 'children are on the side opposite to their parent'
    : undefined;
}

/** A take-profit, a stop-loss or one of each, for one position. */
function positionFault(orders: readonly OrderRequest[]): string | undefined {
  const [first, second] = orders;
  if (first === undefined || orders.length > 2) return 'a position takes one or two orders';
  if (orders.some((order) => order.trigger === undefined)) return 'its orders are trigger orders';
  if (orders.some((order) => !order.reduceOnly)) return 'its orders are reduce-only';
  if (second === undefined) return undefined;
  if (first.instrumentId !== second.instrumentId || first.isBuy !== second.isBuy) {
    return 'its orders are for one position';
  }
  return first.trigger?.kind === second.trigger?.kind
    ? 'it takes one take-profit and one stop-loss'
    : undefined;
}
