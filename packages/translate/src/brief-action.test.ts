import { expect, test } from 'vitest';
import { briefAction } from './explorer.ts';

test('briefAction keeps the first entry of a list and counts all entries', () => {
  const action = { type: 'order', orders: [{ a: 1 }, { a: 2 }, { a: 3 }], grouping: 'na' };
  expect(briefAction(action)).toEqual({
    action: { type: 'order', orders: [{ a: 1 }], grouping: 'na' },
    entries: 3,
  });
  expect(action.orders).toHaveLength(3);
});

test('briefAction keeps the first of the orders that a Hyperliquid client modifies', () => {
  const action = { type: 'batchModify', modifies: [{ oid: 1 }, { oid: 2 }] };
  expect(briefAction(action)).toEqual({
    action: { type: 'batchModify', modifies: [{ oid: 1 }] },
    entries: 2,
  });
});

test('briefAction leaves an action without a list unchanged', () => {
  const action = { type: 'tokenSend', amount: '25', destination: '0xab' };
  expect(briefAction(action)).toEqual({ action, entries: 1 });
});

test('briefAction shortens the inner action of a multi-sig action', () => {
  const inner = { type: 'cancel', cancels: [{ o: 1 }, { o: 2 }] };
  const action = {
    type: 'multiSig',
    signatures: [{}, {}],
    payload: { multiSigUser: '0xab', action: inner },
  };
  expect(briefAction(action)).toEqual({
    action: {
      type: 'multiSig',
      signatures: [{}, {}],
      payload: { multiSigUser: '0xab', action: { type: 'cancel', cancels: [{ o: 1 }] } },
    },
    entries: 2,
  });
});
