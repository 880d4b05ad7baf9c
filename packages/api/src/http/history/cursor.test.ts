import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { CURSOR_KEY_BYTES, cursorSeal } from '@oddlot/translate/cursor-seal';
import { readCursor, writeCursor } from './cursor.ts';

const key = randomBytes(CURSOR_KEY_BYTES);
const seal = cursorSeal(key);
const user = `0x${'a1'.repeat(20)}`;
const query = {
  type: 'userFills',
  user,
  accountType: ['perp', 'outcome'],
  startTime: 5,
  limit: 10,
} as const;
const position = [1_800_000_000_000, 77, 3] as const;
const cursor = writeCursor({ at: position }, query, seal);
const read = (of: object, by = seal) => readCursor({ cursor, ...of }, by);
const refused = { ok: false, error: { code: 10_000, message: 'Invalid cursor' } };

test('a cursor is valid for its list with any page size, and remains so after a restart', () => {
  const found = { ok: true, place: { at: position } };
  expect(read(query)).toEqual(found);
  expect(read({ ...query, limit: 99, minHeight: 4 })).toEqual(found);
  expect(read({ ...query, accountType: ['outcome', 'perp'], endTime: undefined })).toEqual(found);
  expect(read(query, cursorSeal(Uint8Array.from(key)))).toEqual(found);
});

test.each([
  { at: position, since: [1_800_000_000_001, 78, 9] as const },
  { at: position, since: [1_800_000_000_001, 78, 9] as const, isBack: true as const },
])('a cursor of moving rows contains all of its state', (place) => {
  const text = writeCursor(place, query, seal);
  expect(readCursor({ ...query, cursor: text }, seal)).toEqual({ ok: true, place });
});

test.each([
  ['of another query', { ...query, type: 'historicalOrders' }],
  ['of another user', { ...query, user: `0x${'b2'.repeat(20)}` }],
  ['of another span', { ...query, startTime: 6 }],
  ['of fewer filters', { ...query, startTime: undefined }],
  ['of more filters', { ...query, coin: '1' }],
  ['of other account types', { ...query, accountType: ['perp'] }],
])('a cursor %s is rejected', (_, other) => {
  expect(read(other)).toMatchObject(refused);
});

test('a cursor that the venue did not issue is rejected', () => {
  const [, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
  const made = [
    [...position],
    [position[0] - 1, ...rest],
    [...position, ''],
    [...position, 'AAAAAAAAAAAA'],
    [...position, ...rest.slice(-1), 1],
    ['1', 2, 3, 'x'],
    {},
  ].map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));
  for (const text of [...made, `${cursor}=`, cursor.slice(1), '', 'cursor']) {
    expect(readCursor({ ...query, cursor: text }, seal)).toMatchObject(refused);
  }
  expect(read(query, cursorSeal(randomBytes(CURSOR_KEY_BYTES)))).toMatchObject(refused);
});
