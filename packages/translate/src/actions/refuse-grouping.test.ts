import { parseAction } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { refuseUnsupported } from '../action-to-command.ts';

type Order = { a?: number; b?: boolean; r?: boolean; t?: object };

const LIMIT = { limit: { tif: 'Gtc' } };
const trigger = (tpsl: 'tp' | 'sl') => ({ trigger: { isMarket: true, triggerPx: '90', tpsl } });
const parent: Order = { b: true, r: false, t: LIMIT };
const tp: Order = { b: false, r: true, t: trigger('tp') };
const sl: Order = { b: false, r: true, t: trigger('sl') };

function refused(grouping: string, orders: readonly Order[]) {
  const full = orders.map((order) => {
    const { a = 1, b, r, t } = order;
    return { a, b, p: '100', s: '1', r, t };
  });
  const parsed = parseAction({ type: 'order', grouping, orders: full });
  if (!parsed.ok || parsed.action.type !== 'order') throw new Error('not an order');
  return refuseUnsupported(parsed.action);
}

test.each<[string, string, Order[]]>([
  ['independent orders of any kind', 'na', [parent, tp, { ...sl, a: 2, r: false }]],
  ['a parent with one child', 'normalTpsl', [parent, sl]],
  ['a parent with two children', 'normalTpsl', [parent, tp, sl]],
  ['a trigger as parent', 'normalTpsl', [{ b: true, r: false, t: trigger('sl') }, tp]],
  ['one order on a position', 'positionTpsl', [tp]],
  ['a stop-loss and a take-profit on a position', 'positionTpsl', [sl, tp]],
])('%s is accepted', (_, grouping, orders) => {
  expect(refused(grouping, orders)).toBeUndefined();
});

test.each<[string, string, Order[], string, string]>([
  ['no child', 'normalTpsl', [parent], 'orders', 'orders must hold 2 to 3 entries'],
  [
    'three children',
    'normalTpsl',
    [parent, tp, sl, tp],
    'orders',
    'orders must hold 2 to 3 entries',
  ],
  [
    'a child of another perp',
    'normalTpsl',
    [parent, { ...tp, a: 2 }],
    'orders[1].a',
    'Invalid a: must be the same instrument as orders[0]',
  ],
  [
    'a child on its side',
    'normalTpsl',
    [parent, { ...tp, b: true }],
    'orders[1].b',
    'Invalid b: must be the opposite side of orders[0]',
  ],
  [
    'a limit child',
    'normalTpsl',
    [parent, sl, { ...tp, t: LIMIT }],
    'orders[2].t',
    'Invalid t: must be a trigger order',
  ],
  [
    'a child that opens',
    'normalTpsl',
    [parent, { ...tp, r: false }],
    'orders[1].r',
    'Invalid r: must be true',
  ],
  [
    'a limit on a position',
    'positionTpsl',
    [{ ...tp, t: LIMIT }],
    'orders[0].t',
    'Invalid t: must be a trigger order',
  ],
  [
    'an opening one',
    'positionTpsl',
    [{ ...tp, r: false }],
    'orders[0].r',
    'Invalid r: must be true',
  ],
  [
    'three on a position',
    'positionTpsl',
    [tp, sl, tp],
    'orders',
    'orders must hold 1 to 2 entries',
  ],
  [
    'two perps',
    'positionTpsl',
    [tp, { ...sl, a: 2 }],
    'orders[1].a',
    'Invalid a: must be the same instrument as orders[0]',
  ],
  [
    'two sides',
    'positionTpsl',
    [tp, { ...sl, b: true }],
    'orders[1].b',
    'Invalid b: must be the same side as orders[0]',
  ],
  [
    'two alike',
    'positionTpsl',
    [tp, tp],
    'orders[1].t.trigger.tpsl',
    'Invalid tpsl: must differ from that of orders[0]',
  ],
])('%s is malformed', (_, grouping, orders, field, message) => {
  expect(refused(grouping, orders)).toMatchObject({
    code: 10002,
    httpStatus: 400,
    message,
    details: { field },
  });
});
