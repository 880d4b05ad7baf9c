import type { OrderBlock, PackedDump } from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import {
  ContentHasher,
  decodeColumns,
  decodeSnapshot,
  encodeColumns,
  encodeSnapshot,
  type PackedPayload,
} from './snapshot-codec.ts';
import { GENESIS_HEAD } from './block-hash.ts';

const BLOCK: OrderBlock = {
  orderId: Uint32Array.of(70_000, 70_001, 70_002),
  accountIndex: Uint8Array.of(0, 1, 0),
  instrument: Uint8Array.of(1, 1, 2),
  flags: Uint8Array.of(1, 0, 3),
  tif: Uint8Array.of(0, 1, 0),
  price: Uint32Array.of(900_000, 900_001, 5),
  remaining: Uint16Array.of(20, 300, 1),
  original: Uint16Array.of(20, 300, 1),
  filledNotional: Float64Array.of(0, 2 ** 40, 0),
  acceptedMs: Float64Array.of(1_767_225_600_000, 1_767_225_600_001, 1_767_225_600_002),
  rank: Uint8Array.of(1, 2, 3),
  queueMs: Float64Array.of(1_767_225_600_000, 1_767_225_600_001, 1_767_225_600_002),
  expireMs: Uint8Array.of(0, 0, 0),
  feeOverpaid: Float64Array.of(0, -5, 0),
  takerOverpaid: Uint8Array.of(0, 0, 0),
  clientOrderIds: [[1, '0x00000000000000000000000000000007']],
  reserves: [[2, '18446744073709551616']],
};

function payloadOf(...orders: readonly OrderBlock[]): PackedPayload {
  const state = { format: 7 as never, treasury: '12', orders } as Partial<PackedDump> as PackedDump;
  const companions = { words: ['größer', '☃', '\u{1f600}'] };
  const head = { ...GENESIS_HEAD, height: 9, timeMs: timeMs(5) };
  return { rules: 3, head, heads: [head], state, companions, versions: { words: 2 } };
}

const bytesOf = (payload: PackedPayload): Buffer => Buffer.concat([...encodeSnapshot(payload)]);

test('a snapshot is read back unchanged, including all orders', () => {
  const payload = payloadOf(BLOCK, BLOCK);
  const read = decodeSnapshot(bytesOf(payload));
  expect({ ...read, state: undefined }).toEqual({ ...payload, state: undefined });
  expect(read.state).toEqual(payload.state);
});

test('the encoding of columns does not change', () => {
  // If these bytes change, a new format is needed, because snapshots from former releases must
  // remain readable.
  expect(encodeColumns({ a: Uint16Array.of(1, 258), b: Float64Array.of(-1), c: ['x'] })).toEqual(
    Buffer.concat([
      Buffer.from('4000000000000000', 'hex'),
      Buffer.from('{"columns":[["a","u16le",2],["b","f64le",1]],"rest":{"c":["x"]}}'),
      Buffer.from('0100020100000000', 'hex'),
      Buffer.from('000000000000f0bf', 'hex'),
    ]),
  );
});

test.each([
  ['by release 0.3.0, with the state in its text', () => STATE_IN_TEXT],
  ['by this release', () => GOLDEN],
])('a snapshot that was written %s is read', (_, golden) => {
  const { companions, state } = decodeSnapshot(Buffer.from(golden(), 'base64'));
  expect({ companions, state }).toEqual({
    companions: payloadOf(BLOCK).companions,
    state: payloadOf(BLOCK).state,
  });
});

test('the encoding of a snapshot does not change', () => {
  expect(bytesOf(payloadOf(BLOCK)).toString('base64')).toBe(GOLDEN);
});

test("a projection's dump is parsed only when it is read", () => {
  const bytes = bytesOf(payloadOf(BLOCK));
  bytes.write('x', bytes.indexOf('["gr'));
  const read = decodeSnapshot(bytes);
  expect(read.state).toEqual(payloadOf(BLOCK).state);
  expect(() => read.companions['words']).toThrow(SyntaxError);
});

test("a projection's dump written in many pieces is read back in full", () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `word ${at}`);
  const read = decodeSnapshot(bytesOf({ ...payloadOf(BLOCK), companions: { words, none: [] } }));
  expect(read.companions).toEqual({ words, none: [] });
});

test.each([
  [
    'a frame of an unknown kind',
    'unknown kind of frame: 9',
    (bytes: Buffer) => bytes.writeUInt32LE(9, 0),
  ],
  ['a frame that is too long', 'beyond', (bytes: Buffer) => bytes.writeUInt32LE(bytes.length, 4)],
])('decoding rejects %s', (_, why, damage) => {
  const bytes = bytesOf(payloadOf(BLOCK));
  damage(bytes);
  expect(() => decodeSnapshot(bytes)).toThrow(why);
});

test('columns that are truncated or in another byte order are rejected', () => {
  const bytes = encodeColumns({ price: Uint32Array.of(70_000) });
  expect(() => decodeColumns(bytes.subarray(0, -8))).toThrow('beyond its block');
  const other = Buffer.from(bytes.toString('latin1').replace('u32le', 'u32be'), 'latin1');
  expect(() => decodeColumns(other)).toThrow('u32be');
});

test('R-snapshots: the content hash covers the head and the state, but not the projections', async () => {
  const hasher = await ContentHasher.create();
  const hashed = (payload: PackedPayload) => hasher.of(payload, bytesOf(payload));
  const payload = payloadOf(BLOCK, BLOCK);
  const own = hashed(payload);
  hasher.begin(payload);
  for (const frame of encodeSnapshot(payload)) hasher.add(frame);
  expect(hasher.end()).toBe(own);
  const { head, state } = payload;
  expect(hashed({ ...payload, heads: [], companions: {}, versions: {} })).toBe(own);
  const others: PackedPayload[] = [
    { ...payload, rules: 4 },
    { ...payload, head: { ...head, timeMs: timeMs(6) } },
    { ...payload, state: { ...state, treasury: '13' } },
    { ...payload, state: { ...state, orders: [BLOCK] } },
    {
      ...payload,
      state: { ...state, orders: [BLOCK, { ...BLOCK, rank: Uint8Array.of(1, 2, 4) }] },
    },
  ];
  expect(new Set([own, ...others.map(hashed)]).size).toBe(others.length + 1);
});

const STATE_IN_TEXT = [
  'AQAAANIBAAB7InJ1bGVzIjozLCJoZWFkIjp7ImhlaWdodCI6OSwidGltZU1zIjo1LCJoYXNoIjoiMHgwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwIiwic3RhdGVIYXNoIjoiMHgwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwIn0sImhlYWRzIjpb',
  'eyJoZWlnaHQiOjksInRpbWVNcyI6NSwiaGFzaCI6IjB4MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCIsInN0YXRlSGFzaCI6IjB4MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9XSwic3RhdGUiOnsiZm9ybWF0Ijo3LCJ0cmVhc3VyeSI6IjEy',
  'In0sImNvbXBhbmlvbnMiOnt9LCJ2ZXJzaW9ucyI6eyJ3b3JkcyI6Mn19AAAAAAAAAwAAACIAAAAFAAAAd29yZHNbImdyw7bD',
  'n2VyIiwi4piDIiwi8J+YgCJdAAAAAAAAAgAAAJgCAADEAQAAAAAAAHsiY29sdW1ucyI6W1sib3JkZXJJZCIsInUzMmxlIiwz',
  'XSxbImFjY291bnRJbmRleCIsInU4IiwzXSxbImluc3RydW1lbnQiLCJ1OCIsM10sWyJmbGFncyIsInU4IiwzXSxbInRpZiIs',
  'InU4IiwzXSxbInByaWNlIiwidTMybGUiLDNdLFsicmVtYWluaW5nIiwidTE2bGUiLDNdLFsib3JpZ2luYWwiLCJ1MTZsZSIs',
  'M10sWyJmaWxsZWROb3Rpb25hbCIsImY2NGxlIiwzXSxbImFjY2VwdGVkTXMiLCJmNjRsZSIsM10sWyJyYW5rIiwidTgiLDNd',
  'LFsicXVldWVNcyIsImY2NGxlIiwzXSxbImV4cGlyZU1zIiwidTgiLDNdLFsiZmVlT3ZlcnBhaWQiLCJmNjRsZSIsM10sWyJ0',
  'YWtlck92ZXJwYWlkIiwidTgiLDNdXSwicmVzdCI6eyJjbGllbnRPcmRlcklkcyI6W1sxLCIweDAwMDAwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDA3Il1dLCJyZXNlcnZlcyI6W1syLCIxODQ0Njc0NDA3MzcwOTU1MTYxNiJdXX19AAAAAHARAQBxEQEA',
  'chEBAAAAAAAAAQAAAAAAAAEBAgAAAAAAAQADAAAAAAAAAQAAAAAAAKC7DQChuw0ABQAAAAAAAAAUACwBAQAAABQALAEBAAAA',
  'AAAAAAAAAAAAAAAAAABwQgAAAAAAAAAAAACAqm23eUIAEICqbbd5QgAggKptt3lCAQIDAAAAAAAAAICqbbd5QgAQgKptt3lC',
  'ACCAqm23eUIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFMAAAAAAAAAAAAAAAAAAAAAA',
].join('');

const GOLDEN = [
  'AQAAALgBAAB7InJ1bGVzIjozLCJoZWFkIjp7ImhlaWdodCI6OSwidGltZU1zIjo1LCJoYXNoIjoiMHgwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwIiwic3RhdGVIYXNoIjoiMHgwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwIn0sImhlYWRzIjpb',
  'eyJoZWlnaHQiOjksInRpbWVNcyI6NSwiaGFzaCI6IjB4MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCIsInN0YXRlSGFzaCI6IjB4MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9XSwic3RhdGUiOnt9LCJjb21wYW5pb25zIjp7fSwidmVyc2lv',
  'bnMiOnsid29yZHMiOjJ9fQQAAAAcAAAAeyJmb3JtYXQiOjcsInRyZWFzdXJ5IjoiMTIifQAAAAADAAAAIgAAAAUAAAB3b3Jk',
  'c1siZ3LDtsOfZXIiLCLimIMiLCLwn5iAIl0AAAAAAAACAAAAmAIAAMQBAAAAAAAAeyJjb2x1bW5zIjpbWyJvcmRlcklkIiwi',
  'dTMybGUiLDNdLFsiYWNjb3VudEluZGV4IiwidTgiLDNdLFsiaW5zdHJ1bWVudCIsInU4IiwzXSxbImZsYWdzIiwidTgiLDNd',
  'LFsidGlmIiwidTgiLDNdLFsicHJpY2UiLCJ1MzJsZSIsM10sWyJyZW1haW5pbmciLCJ1MTZsZSIsM10sWyJvcmlnaW5hbCIs',
  'InUxNmxlIiwzXSxbImZpbGxlZE5vdGlvbmFsIiwiZjY0bGUiLDNdLFsiYWNjZXB0ZWRNcyIsImY2NGxlIiwzXSxbInJhbmsi',
  'LCJ1OCIsM10sWyJxdWV1ZU1zIiwiZjY0bGUiLDNdLFsiZXhwaXJlTXMiLCJ1OCIsM10sWyJmZWVPdmVycGFpZCIsImY2NGxl',
  'IiwzXSxbInRha2VyT3ZlcnBhaWQiLCJ1OCIsM11dLCJyZXN0Ijp7ImNsaWVudE9yZGVySWRzIjpbWzEsIjB4MDAwMDAwMDAw',
  'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDciXV0sInJlc2VydmVzIjpbWzIsIjE4NDQ2NzQ0MDczNzA5NTUxNjE2Il1dfX0AAAAA',
  'cBEBAHERAQByEQEAAAAAAAABAAAAAAAAAQECAAAAAAABAAMAAAAAAAABAAAAAAAAoLsNAKG7DQAFAAAAAAAAABQALAEBAAAA',
  'FAAsAQEAAAAAAAAAAAAAAAAAAAAAAHBCAAAAAAAAAAAAAICqbbd5QgAQgKptt3lCACCAqm23eUIBAgMAAAAAAAAAgKptt3lC',
  'ABCAqm23eUIAIICqbbd5QgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAUwAAAAAAAAAAAAAAAAAAAAAA=',
].join('');
