import {
  MESSAGES,
  refusal,
  wireError,
  type ActionOf,
  type Details,
  type WireError,
} from '@oddlot/protocol';

/**
 * What makes the orders of one action belong together (R-grouping), as far as the text alone tells.
 * An action that says one thing and holds another is malformed: it is refused before any rule of
 * trading is asked, and the refusal names the order that does not fit.
 */

type OrderAction = ActionOf<'order'>;
type WireOrder = OrderAction['orders'][number];

export function refuseGrouping({ grouping, orders }: OrderAction): WireError | undefined {
  if (grouping === 'na') return undefined;
  return grouping === 'normalTpsl' ? refuseFamily(orders) : refuseOnPosition(orders);
}

const FAMILY = { min: 2, max: 3 };
const ON_POSITION = { min: 1, max: 2 };

/** A parent, then one or two triggers that reduce what it opens. */
function refuseFamily(orders: readonly WireOrder[]): WireError | undefined {
  const [parent, ...children] = orders;
  if (parent === undefined || !isWithin(orders.length, FAMILY)) return wrongCount(FAMILY);
  for (const [index, child] of children.entries()) {
    const at = index + 1;
    if (child.a !== parent.a) return otherInstrument(at, child, parent);
    if (child.b === parent.b) {
      return wrong(at, 'b', 'must be the other side than that of orders[0]');
    }
    const refused = refuseReducing(child, at);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** A take-profit, a stop-loss or one of each, for one position. */
function refuseOnPosition(orders: readonly WireOrder[]): WireError | undefined {
  const [first, second] = orders;
  if (first === undefined || !isWithin(orders.length, ON_POSITION)) return wrongCount(ON_POSITION);
  for (const [index, order] of orders.entries()) {
    const refused = refuseReducing(order, index);
    if (refused !== undefined) return refused;
  }
  if (second === undefined) return undefined;
  if (second.a !== first.a) return otherInstrument(1, second, first);
  if (second.b !== first.b) return wrong(1, 'b', 'must be the side of orders[0]');
  const kind = second.t.trigger?.tpsl;
  if (kind !== first.t.trigger?.tpsl) return undefined;
  const why = 'must be the other kind than that of orders[0]';
  return wrong(1, 't.trigger.tpsl', why, kind === undefined ? {} : { got: kind });
}

function refuseReducing(order: WireOrder, index: number): WireError | undefined {
  if (order.t.trigger === undefined) {
    return wrong(index, 't', 'must be a trigger', { allowed: ['trigger'] });
  }
  return order.r ? undefined : wrong(index, 'r', 'must be true');
}

function isWithin(length: number, { min, max }: { min: number; max: number }): boolean {
  return length >= min && length <= max;
}

function wrongCount({ min, max }: { min: number; max: number }): WireError {
  return wireError('BAD_REQUEST', MESSAGES.entryCount('orders', min, max), { field: 'orders' });
}

function otherInstrument(index: number, order: WireOrder, first: WireOrder): WireError {
  const why = 'must be the instrument of orders[0]';
  return wrong(index, 'a', why, { got: order.a, allowed: [first.a] });
}

function wrong(index: number, part: string, why: string, details: Details = {}): WireError {
  const name = part.slice(part.lastIndexOf('.') + 1);
  return refusal('invalidValue', [name, why], { field: `orders[${index}].${part}`, ...details });
}
