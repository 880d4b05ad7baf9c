import fc from 'fast-check';
import { expect, test } from 'vitest';
import { order as definition } from './order.ts';
import { readPlainOrder } from './read-plain-order.ts';

/** Mostly right, and wrong or unusual in every field now and then. */
const odd = fc.constantFrom(undefined, null, 1.5, -1, 2 ** 32, 'x', '', true, [], {}, '1e3', '+1');
const mostly = <Value>(usual: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: odd });
const dec = fc.constantFrom('0', '1', '-2.50', '97000.5', '0.00001', '007');
const tif = fc.constantFrom('Gtc', 'Alo', 'Ioc', 'FrontendMarket', 'Gtd', 'gtc', 'post_only');
const rarely = <Value>(unusual: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: unusual });
/** JSON has no undefined: a key is there or it is not. */
const json = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model) =>
  fc
    .record(model)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)));

const limit = json({ tif: mostly(tif), expireTime: rarely(odd) });
const kind = json({ limit: mostly(limit), trigger: rarely(odd), extra: rarely(odd) });
const order = json({
  a: mostly(fc.nat(200_000)),
  b: mostly(fc.boolean()),
  p: mostly(dec),
  s: mostly(dec),
  r: mostly(fc.boolean()),
  t: mostly(kind),
  m: rarely(odd),
  c: fc.oneof(fc.constant(undefined), mostly(fc.string())),
  z: rarely(fc.anything()),
});
const action = json({
  type: fc.constant('order'),
  grouping: mostly(fc.constantFrom('na', 'na', 'na', 'NA', 'normalTpsl')),
  orders: mostly(fc.array(mostly(order), { maxLength: 4 })),
  builder: rarely(odd),
  extra: rarely(odd),
});

test('what is recognised as plain is what the schema reads, to the last key', () => {
  let recognised = 0;
  fc.assert(
    fc.property(action, (value) => {
      const plain = readPlainOrder(value);
      if (plain === undefined) return;
      recognised += 1;
      const parsed = definition.schema.safeParse(value);
      expect(parsed.success && parsed.data).toStrictEqual(plain);
    }),
    { numRuns: 3_000 },
  );
  expect(recognised).toBeGreaterThan(100);
});

test('too many or no orders, and anything but limit orders, are left to the schema', () => {
  const one = { a: 1, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
  const of = (...orders: unknown[]) => ({ type: 'order', grouping: 'na', orders });
  expect(readPlainOrder(of(one))?.orders).toHaveLength(1);
  expect(readPlainOrder(of(...Array.from({ length: 50 }, () => one)))?.orders).toHaveLength(50);
  expect(readPlainOrder(of())).toBeUndefined();
  expect(readPlainOrder(of(...Array.from({ length: 51 }, () => one)))).toBeUndefined();
  expect(readPlainOrder(of({ ...one, t: { trigger: {} } }))).toBeUndefined();
  expect(readPlainOrder({ ...of(one), builder: { b: '0x', f: 1 } })).toBeUndefined();
});
