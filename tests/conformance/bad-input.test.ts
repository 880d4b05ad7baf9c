import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Actor,
  aSharedVenue,
  cancelAction,
  factsOf,
  order,
  orderAction,
  twoFundedTraders,
} from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { exact, show } from '../support/exact.ts';
import { BAD, type Expected, expectHarmless, missing, wrong } from '../support/refusals.ts';

const world = aSharedVenue();

let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  [alice, bob] = await twoFundedTraders(world);
});

describe('malformed orders are rejected', () => {
  const good = () => {
    const { btc } = world;
    return order({ market: btc, side: 'buy', price: btc.at(-1000), size: btc.worth(20) });
  };
  const INVALID: Expected = [200, 10000];

  const changedOrders: [string, () => Json, Expected][] = [
    ['without an instrument', () => ({ a: undefined }), missing('orders[0].a')],
    ['without a side', () => ({ b: undefined }), missing('orders[0].b')],
    ['without a price', () => ({ p: undefined }), missing('orders[0].p')],
    ['without a size', () => ({ s: undefined }), missing('orders[0].s')],
    ['without reduce-only', () => ({ r: undefined }), missing('orders[0].r')],
    ['without a time in force', () => ({ t: undefined }), missing('orders[0].t')],
    ['with an instrument id as text', () => ({ a: '0' }), wrong('orders[0].a')],
    ['with a negative instrument id', () => ({ a: -1 }), BAD],
    ['with an instrument id of 2^32', () => ({ a: 4_294_967_296 }), BAD],
    ['with an instrument id of null', () => ({ a: null }), BAD],
    ['of an unknown instrument', () => ({ a: 99_999 }), [200, 10404, 'Instrument not found']],
    ['of an unknown outcome market', () => ({ a: 100_000 }), [200, 10404, 'Instrument not found']],
    ['with a side as text', () => ({ b: 'true' }), wrong('orders[0].b')],
    ['with a side as a number', () => ({ b: 1 }), wrong('orders[0].b')],
    ['with a price as a number', () => ({ p: 50_000 }), wrong('orders[0].p')],
    ['with an empty price', () => ({ p: '' }), BAD],
    ['with a price that is not a number', () => ({ p: 'market' }), BAD],
    ['with a price of NaN', () => ({ p: 'NaN' }), BAD],
    ['with an infinite price', () => ({ p: 'Infinity' }), BAD],
    ['with a price with an exponent', () => ({ p: '5e4' }), BAD],
    ['with a price in hex', () => ({ p: '0xc350' }), BAD],
    ['with a price with a plus', () => ({ p: '+50000' }), BAD],
    ['with a price with spaces', () => ({ p: ' 50000' }), BAD],
    ['with a price with a comma', () => ({ p: '50,000' }), BAD],
    ['with a price in Arabic digits', () => ({ p: '٥٠٠٠٠' }), BAD],
    ['with a price of two points', () => ({ p: '50.000.0' }), BAD],
    ['with a price that ends in a point', () => ({ p: '50000.' }), BAD],
    ['with a price that starts with a point', () => ({ p: '.5' }), BAD],
    ['with a price of 33 characters', () => ({ p: '1'.repeat(33) }), BAD],
    ['with a price of zero', () => ({ p: '0' }), [200, 10000, 'Price is out of range']],
    ['with a price of 32 nines', () => ({ p: '9'.repeat(32) }), INVALID],
    ['with a price of 2^53 units', () => ({ p: '9007199254740993' }), INVALID],
    [
      'with an off-tick price',
      () => ({ p: show(exact(world.btc.at(-1000)) + world.btc.tick / 10n) }),
      [200, 10000, /^Price precision does not match the tick size: /],
    ],
    [
      'far above the oracle',
      () => ({ p: world.btc.at(9000) }),
      [200, 10000, 'Price is too far from the oracle'],
    ],
    ['with a size as a number', () => ({ s: 1 }), wrong('orders[0].s')],
    ['with an empty size', () => ({ s: '' }), BAD],
    ['with a size of zero', () => ({ s: '0' }), INVALID],
    ['with a size of 0.0', () => ({ s: '0.0' }), INVALID],
    [
      'with a size of 32 nines',
      () => ({ s: '9'.repeat(32) }),
      [200, 10000, /^Order size exceeds the maximum: /],
    ],
    [
      'with a size of 2^53',
      () => ({ s: '9007199254740992' }),
      [200, 10000, /^Order size exceeds the maximum: /],
    ],
    [
      'with too fine a size',
      () => ({ s: `${world.btc.lots(7)}1` }),
      [200, 10000, /^Size precision does not match the lot size: /],
    ],
    [
      'with 30 decimals in the size',
      () => ({ s: `0.${'0'.repeat(29)}1` }),
      [200, 10000, /^Size precision does not match the lot size: /],
    ],
    [
      'with a size worth cents',
      () => ({ s: world.btc.lots(1) }),
      [200, 10000, 'Order must have a minimum value of 10 USDC'],
    ],
    ['with reduce-only as text', () => ({ r: 'false' }), wrong('orders[0].r')],
    ['with an empty time in force', () => ({ t: {} }), BAD],
    ['with a time in force as text', () => ({ t: 'Gtc' }), wrong('orders[0].t')],
    ['with a limit of null', () => ({ t: { limit: null } }), BAD],
    ['with a limit without a tif', () => ({ t: { limit: {} } }), missing('orders[0].t.limit.tif')],
    ['with an unknown tif', () => ({ t: { limit: { tif: 'Fok' } } }), BAD],
    [
      'with a tif as a number',
      () => ({ t: { limit: { tif: 1 } } }),
      wrong('orders[0].t.limit.tif'),
    ],
    [
      'Gtd without an expiry',
      () => ({ t: { limit: { tif: 'Gtd' } } }),
      missing('orders[0].t.limit.expireTime'),
    ],
    [
      'Gtd with an expiry in text',
      () => ({ t: { limit: { tif: 'Gtd', expireTime: 'soon' } } }),
      wrong('orders[0].t.limit.expireTime'),
    ],
    [
      'Gtd that expired',
      () => ({ t: { limit: { tif: 'Gtd', expireTime: 1 } } }),
      [200, 10011, 'Expire time must be at least 5 s ahead'],
    ],
    ['with a malformed cloid', () => ({ c: 'mine' }), [200, 10011, 'Invalid cloid format']],
    ['with a cloid as a number', () => ({ c: 7 }), wrong('orders[0].c')],
    ['with an unknown margin mode', () => ({ m: 'portfolio' }), BAD],
    [
      'beyond the account’s means',
      () => ({ s: world.btc.worth(100_000), p: world.btc.at(-10) }),
      [200, 10010, 'Insufficient margin'],
    ],
    [
      'reduce-only in the direction of the position',
      () => ({ r: true }),
      [200, 10011, 'Reduce only order would increase position'],
    ],
  ];

  test.each(changedOrders)('the venue rejects an order %s', async (_what, changes, expected) => {
    const bad = JSON.parse(JSON.stringify({ ...good(), ...changes() }));
    const signed = await alice.sign(orderAction(bad));
    await expectHarmless([alice, bob], () => world.client.executed(signed), expected);
  });

  test.each([
    ['size', 's'],
    ['price', 'p'],
  ])('the venue rejects an order with a negative %s', async (_what, field) => {
    const signed = await alice.sign(orderAction({ ...good(), [field]: '-1' }));
    const before = await factsOf(alice, bob);
    const reply = await world.client.executed(signed);
    expect([10000, 10002], reply.text).toContain(reply.json.code);
    expect(reply.json.details.field).toBe(`orders[0].${field}`);
    expect(await factsOf(alice, bob)).toEqual(before);
  });

  const actions: [string, () => Json, Expected][] = [
    ['without orders', () => ({ orders: undefined }), missing('orders')],
    ['with no order', () => ({ orders: [] }), [400, 10002, 'orders must hold 1 to 50 entries']],
    [
      'with 51 orders',
      () => ({ orders: Array.from({ length: 51 }, good) }),
      [400, 10002, 'orders must hold 1 to 50 entries'],
    ],
    [
      'with 10,000 empty orders',
      () => ({ orders: Array.from({ length: 10_000 }, () => ({})) }),
      [400, 10002, 'orders must hold 1 to 50 entries'],
    ],
    ['with orders as an object', () => ({ orders: { 0: good() } }), wrong('orders')],
    ['with an order of null', () => ({ orders: [null] }), wrong('orders[0]')],
    ['with an order as a list', () => ({ orders: [[]] }), BAD],
    ['without a grouping', () => ({ grouping: undefined }), missing('grouping')],
    ['with an unknown grouping', () => ({ grouping: 'all' }), BAD],
    [
      'with a builder without a fee',
      () => ({ builder: { b: `0x${'1'.repeat(40)}` } }),
      missing('builder.f'),
    ],
    ['with a builder without an address', () => ({ builder: { b: 'me', f: 1 } }), BAD],
    [
      'with one good and one bad order',
      () => ({ orders: [good(), { ...good(), s: '0' }] }),
      INVALID,
    ],
  ];
  test.each(actions)('the venue rejects an order action %s', async (_what, changes, expected) => {
    const action = JSON.parse(JSON.stringify({ ...orderAction(good()), ...changes() }));
    const signed = await alice.sign(action);
    await expectHarmless([alice, bob], () => world.client.executed(signed), expected);
  });
});

describe('malformed cancels are rejected', () => {
  const entry = () => ({ a: world.btc.id, o: 1 });
  const actions: [string, () => Json, Expected][] = [
    ['without cancels', () => ({ type: 'cancel' }), missing('cancels')],
    ['with no entry', () => cancelAction(), [400, 10002, 'cancels must hold 1 to 200 entries']],
    [
      'with 201 entries',
      () => cancelAction(...Array.from({ length: 201 }, entry)),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'without an order id',
      () => ({ type: 'cancel', cancels: [{ a: 1 }] }),
      missing('cancels[0].o'),
    ],
    [
      'without an instrument',
      () => ({ type: 'cancel', cancels: [{ o: 1 }] }),
      missing('cancels[0].a'),
    ],
    [
      'with an order id that is not a number',
      () => ({ type: 'cancel', cancels: [{ a: 1, o: 'first' }] }),
      wrong('cancels[0].o'),
    ],
    ['with a negative order id', () => ({ type: 'cancel', cancels: [{ a: 1, o: -1 }] }), BAD],
    [
      'with an order id beyond 2^53 as text',
      () => ({ type: 'cancel', cancels: [{ a: 1, o: '9007199254740993' }] }),
      BAD,
    ],
    ['with cancels as text', () => ({ type: 'cancel', cancels: 'all' }), wrong('cancels')],
    [
      'by cloid with no entry',
      () => ({ type: 'cancelByCloid', cancels: [] }),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'by cloid with 201 entries',
      () => ({
        type: 'cancelByCloid',
        cancels: Array.from({ length: 201 }, () => ({ asset: 0, cloid: `0x${'1'.repeat(32)}` })),
      }),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'by cloid without a cloid',
      () => ({ type: 'cancelByCloid', cancels: [{ asset: 0 }] }),
      missing('cancels[0].cloid'),
    ],
    [
      'by cloid in the spelling of cancel',
      () => ({ type: 'cancelByCloid', cancels: [{ a: 0, o: 1 }] }),
      BAD,
    ],
    [
      'by a malformed cloid',
      () => ({ type: 'cancelByCloid', cancels: [{ asset: world.btc.id, cloid: 'mine' }] }),
      [200, 10011, 'Invalid cloid format'],
    ],
  ];
  test.each(actions)('the venue rejects a cancel %s', async (_what, action, expected) => {
    const signed = await alice.sign(action());
    await expectHarmless([alice, bob], () => world.client.executed(signed), expected);
  });
});
