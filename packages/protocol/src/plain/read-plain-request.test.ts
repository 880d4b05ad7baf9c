import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanEnvelope } from '../json/scan.ts';
import { parseAction, parseEnvelope } from '../parse.ts';
import { createAgentRequestHasher, hashAgentAction } from '../signing/agent-hash.ts';
import { createHasher } from '../signing/hasher.ts';
import { signatureBytes } from '../signing/signature.ts';
import { txHash } from '../signing/hash-envelope.ts';
import { NETWORKS } from '../network.ts';
import { plainOrderAction, type PlainRequest, readPlainRequest } from './read-plain-request.ts';

/** Every field's values are usually valid, with occasional invalid or unusual ones. */
const odd = fc.constantFrom(undefined, null, -1, 2 ** 32, 'x', '', true, [], {}, '1e3', 'a', 'b');
const mostly = (usual: fc.Arbitrary<unknown>, ...unusual: unknown[]) =>
  fc.oneof(
    { weight: 60, arbitrary: usual },
    { weight: 1, arbitrary: fc.oneof(odd, fc.constantFrom(undefined, ...unusual)) },
  );
const rarely = <Value>(unusual: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: unusual });
/**
 * Generates objects with their keys in any order. An undefined value represents an absent key,
 * because JSON has no undefined.
 */
const json = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model) =>
  fc
    .tuple(
      fc.record(model),
      fc.shuffledSubarray(Object.keys(model), { minLength: Object.keys(model).length }),
    )
    .map(([value, keys]) =>
      Object.fromEntries(
        keys.map((key) => [key, value[key]]).filter(([, each]) => each !== undefined),
      ),
    );

const dec = mostly(
  fc.constantFrom('0', '1', '-2.50', '97000.5', '0.00001', '007'),
  '.5',
  '5.',
  '+1',
);
const tif = mostly(
  fc.constantFrom('Gtc', 'Alo', 'Ioc', 'FrontendMarket'),
  'Gtd',
  'gtc',
  'post_only',
);
const hex = mostly(
  fc.constantFrom('0x1', `0x${'ab'.repeat(32)}`, `0x${'AB'.repeat(31)}`),
  '0x',
  `0x${'1'.repeat(65)}`,
  'ab',
  '0xg',
);
const order = json({
  a: mostly(fc.nat(99_999), 100_000, 2 ** 32 - 1),
  b: mostly(fc.boolean()),
  p: dec,
  s: dec,
  r: mostly(fc.boolean()),
  t: mostly(
    json({
      limit: mostly(json({ tif: tif, expireTime: rarely(odd) })),
      trigger: rarely(odd),
    }),
  ),
  m: rarely(odd),
  c: fc.oneof(fc.constant(undefined), mostly(fc.oneof(fc.string(), fc.uuid()))),
  z: rarely(odd),
});
const action = json({
  type: mostly(fc.constant('order')),
  grouping: mostly(fc.constant('na'), 'NA', 'normalTpsl'),
  orders: mostly(fc.array(mostly(order), { minLength: 1, maxLength: 3 })),
  builder: rarely(odd),
});
const body = json({
  action: mostly(action),
  signature: mostly(
    json({
      r: hex,
      s: hex,
      v: mostly(fc.constantFrom(0, 1, 27, 28), 29),
      z: rarely(odd),
    }),
  ),
  nonce: mostly(fc.nat()),
  confirm: fc.oneof(fc.constant(undefined), mostly(fc.constant('executed'), 'Executed')),
  expiresAfter: fc.oneof(fc.constant(undefined), mostly(fc.constantFrom(null, 5, 2 ** 53 - 1))),
  vaultAddress: rarely(fc.constantFrom(null, `0x${'11'.repeat(20)}`)),
  signatureChainId: rarely(odd),
});

const hasher = createHasher(NETWORKS.testnet);
const hashPlain = createAgentRequestHasher(hasher);

/** Expects the plain request to equal the schemas' result and to have the same hash. */
function expectSame(text: string, plain: PlainRequest): void {
  const parsed = parseEnvelope(JSON.parse(text));
  if (!parsed.ok) throw new Error(parsed.error.message);
  const { confirm, expiresAfter, nonce, signature, vaultAddress = null } = parsed.envelope;
  expect(plain).toMatchObject({ nonce, isConfirmed: confirm !== undefined });
  expect(plain.expiresAfter ?? null).toBe(expiresAfter ?? null);
  expect(vaultAddress).toBeNull();
  expect(plain.signature).toEqual(signatureBytes(signature));
  const read = parseAction(parsed.envelope.action);
  if (!read.ok) throw new Error(read.error.message);
  expect(plainOrderAction(plain.orders)).toStrictEqual(read.action);
  const scanned = scanEnvelope(text);
  if (!scanned.ok || scanned.action === undefined) throw new Error('refused');
  // The scan has just overwritten the buffer that held the plain request's bytes.
  const { digest, preimage } = hashAgentAction(hasher, scanned.action, { nonce, expiresAfter });
  const again = readPlainRequest(text) as PlainRequest;
  expect(again.msgpack).toEqual(scanned.action);
  const named = txHash(preimage, plain.signature, hasher.keccak);
  expect(hashPlain(again)).toEqual({ digest, txHash: named });
}

test('a recognised plain request equals the schemas’ result in every field', () => {
  let recognised = 0;
  fc.assert(
    fc.property(body, fc.constantFrom(undefined, 1), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const plain = readPlainRequest(text);
      if (plain === undefined) return;
      recognised += 1;
      expectSame(text, plain);
    }),
    { numRuns: 4_000 },
  );
  expect(recognised).toBeGreaterThan(200);
});

describe('requests are divided between the fast reader and the schemas', () => {
  const one = { a: 1, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
  const signature = { r: '0x1', s: '0x2', v: 27 };
  const orders = (...given: unknown[]) => ({ type: 'order', grouping: 'na', orders: given });
  const of = (given: object, more: object = {}) =>
    JSON.stringify({ action: given, signature, nonce: 5, ...more });
  const plainOf = (text: string) => readPlainRequest(text);

  test('limit orders without optional fields are read as a plain request', () => {
    const many = Array.from({ length: 50 }, () => one);
    for (const given of [[one], many, [{ ...one, c: 'x' }]]) {
      const text = of(orders(...given), { confirm: 'executed', expiresAfter: 7 });
      expect(plainOf(text)).toMatchObject({ nonce: 5, expiresAfter: 7, isConfirmed: true });
      expectSame(text, plainOf(text) as PlainRequest);
    }
  });

  const cases: [string, string][] = [
    ['no order', of(orders())],
    ['more orders than an action holds', of(orders(...Array.from({ length: 51 }, () => one)))],
    ['a trigger', of(orders({ ...one, t: { trigger: {} } }))],
    ['a builder', of({ ...orders(one), builder: { b: '0x', f: 1 } })],
    ['a time in force in other case', of(orders({ ...one, t: { limit: { tif: 'gtc' } } }))],
    ['both exchanges', of(orders(one, { ...one, a: 100_000 }))],
    ['a key that nothing names', of(orders(one), { more: 1 })],
    ['a key twice', of(orders(one)).replace('"nonce":5', '"nonce":5,"nonce":5')],
    ['a number that is not an integer', of(orders(one)).replace('"nonce":5', '"nonce":5.0')],
    ['a client order id beyond ASCII', of(orders({ ...one, c: 'é' }))],
    ['a vault', of(orders(one), { vaultAddress: `0x${'11'.repeat(20)}` })],
    ['a signature for another chain', of(orders(one), { signatureChainId: 1 })],
    ['no signature', of(orders(one), { signature: undefined })],
    ['a signature that is none', of(orders(one), { signature: { ...signature, v: 29 } })],
    [
      'a wrong word where a key could stand',
      of({ grouping: 'type', order: 'grouping', na: 'orders' }),
    ],
    ['no object', '[]'],
    ['no JSON', '{'],
  ];
  test.each(cases)('the fast reader leaves a request with %s to the schemas', (_, text) => {
    expect(plainOf(text)).toBeUndefined();
  });
});
