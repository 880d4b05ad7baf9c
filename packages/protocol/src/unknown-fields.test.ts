import { describe, expect, test } from 'vitest';
import { INFO_QUERIES, parseInfo } from './info/registry.ts';
import { parseServiceRequest } from './info/service-requests.ts';
import { LIMITS } from './limits.ts';
import { checkUnknownFields, ENVELOPE_NAMED, namedBy } from './unknown-fields.ts';

const USER = `0x${'a'.repeat(40)}`;
/** Returns a string whose JSON, including its quotes, has this number of bytes. */
const text = (bytes: number): string => 'x'.repeat(bytes - 2);
const MAX = LIMITS.unknownBytesMax;

const ORDER = { a: 1, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
const envelope = (action: object, more: object = {}): object => ({
  action,
  signature: { r: '0x1', s: '0x2', v: 27 },
  nonce: 1,
  ...more,
});
const order = (more: object = {}, orderMore: object = {}): object => ({
  type: 'order',
  grouping: 'na',
  orders: [{ ...ORDER, ...orderMore }],
  ...more,
});
const refused = (body: object): boolean =>
  checkUnknownFields(ENVELOPE_NAMED, body)?.message === 'Unknown fields exceed 1024 bytes';

describe('R-requests: unknown fields in an envelope are capped', () => {
  test.each<[string, (junk: object) => object]>([
    ['the envelope', (junk) => envelope(order(), junk)],
    ['the signature', (junk) => envelope(order(), { signature: { r: '', s: '', v: 0, ...junk } })],
    ['the action', (junk) => envelope(order(junk))],
    ['an order', (junk) => envelope(order({}, junk))],
    ['the kind of an order', (junk) => envelope(order({}, { t: { limit: { ...junk } } }))],
    ['a builder', (junk) => envelope(order({ builder: { b: USER, f: 1, ...junk } }))],
    [
      'the inner action of a wrapper',
      (junk) =>
        envelope({
          type: 'multiSig',
          signatures: [],
          payload: { multiSigUser: USER, outerSigner: USER, action: order(junk) },
        }),
    ],
  ])('unknown fields in %s are accepted up to the limit', (_, body) => {
    expect(refused(body({ junk: text(MAX) }))).toBe(false);
    expect(refused(body({ junk: text(MAX + 1) }))).toBe(true);
    expect(refused(body({ [text(MAX)]: 0 }))).toBe(false);
    expect(refused(body({ [text(MAX + 1)]: 0 }))).toBe(true);
  });

  test('unknown fields in all parts of a request count together', () => {
    const half = { junk: text(MAX / 2) };
    expect(refused(envelope(order(half), half))).toBe(false);
    expect(refused(envelope(order(half, { junk: 0 }), half))).toBe(true);
  });

  test('unknown fields are counted in bytes of JSON text, whatever they contain', () => {
    expect(refused(envelope(order(), { junk: 'é'.repeat(511) }))).toBe(false);
    expect(refused(envelope(order(), { junk: 'é'.repeat(512) }))).toBe(true);
    expect(refused(envelope(order(), { junk: [[{ deep: text(MAX) }]] }))).toBe(true);
  });

  test.each<[unknown]>([[[]], [{}], [[1, 'a', null, true]], [{ a: [{ b: '"' }], c: -1 }]])(
    'an unknown field %j counts with the length of its JSON text',
    (value) => {
      const rest = MAX - JSON.stringify([value, '']).length;
      expect(refused(envelope(order(), { junk: [value, 'x'.repeat(rest)] }))).toBe(false);
      expect(refused(envelope(order(), { junk: [value, 'x'.repeat(rest + 1)] }))).toBe(true);
    },
  );

  test('a deeply nested unknown field is rejected as too large', () => {
    const junk: unknown = JSON.parse('['.repeat(30_000) + ']'.repeat(30_000));
    expect(refused(envelope(order({ junk })))).toBe(true);
  });

  test('the largest order action without unknown fields is accepted', () => {
    const orders = Array.from({ length: LIMITS.ordersMax }, () => ({ ...ORDER, c: USER }));
    expect(refused(envelope({ type: 'order', grouping: 'na', orders }))).toBe(false);
  });
});

describe('R-requests: unknown fields in queries are capped', () => {
  test.each<[string, object]>([
    ['a query', { type: 'perpMeta' }],
    ['a query with aliases', { type: 'agentOwner', user: USER }],
    ['a query without req', { type: 'candleSnapshot', coin: '1', interval: '1m', startTime: 0 }],
    ['simulate', { type: 'simulate', user: USER, action: order() }],
    ['explainSignature', { type: 'explainSignature', envelope: envelope(order()) }],
  ])('unknown fields of %s are accepted up to the limit', (_, body) => {
    expect(parseInfo(body).ok).toBe(true);
    expect(parseInfo({ ...body, junk: text(900) }).ok).toBe(true);
    expect(parseInfo({ ...body, junk: text(MAX + 1) })).toMatchObject({
      ok: false,
      error: { code: 10002, httpStatus: 400, message: 'Unknown fields exceed 1024 bytes' },
    });
  });

  test('unknown fields inside an action or envelope in a query are also counted', () => {
    const junk = { junk: text(MAX + 1) };
    const span = { coin: '1', interval: '1m', startTime: 0 };
    expect(parseInfo({ type: 'candleSnapshot', req: { ...span, ...junk } }).ok).toBe(false);
    expect(parseInfo({ type: 'simulate', user: USER, action: order({}, junk) }).ok).toBe(false);
    const sent = { type: 'explainSignature', envelope: envelope(order(), junk) };
    expect(parseInfo(sent).ok).toBe(false);
  });

  test('unknown fields in requests to other endpoints are capped as well', () => {
    const body = { user: USER };
    expect(parseServiceRequest('requestFund', { ...body, junk: text(MAX) }).ok).toBe(true);
    expect(parseServiceRequest('requestFund', { ...body, junk: text(MAX + 1) })).toMatchObject({
      error: { code: 10002 },
    });
  });

  test('the known keys of every query schema include its type', () => {
    for (const [type, { schema }] of Object.entries(INFO_QUERIES)) {
      expect([...(namedBy(schema).keys?.keys() ?? [])], type).toContain('type');
    }
  });
});
