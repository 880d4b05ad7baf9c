import type { ActionStatus, OrderResult } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { orderStateOf, isOver, type OrderStatesData, type OutcomeUpdate } from './draft.ts';

const SENT = { id: 1, words: 'Buy 20 Yes', sentMs: 0, delayMs: 250, traceId: 'trace' };
const NOTHING: OrderStatesData = { releases: new Map(), updates: new Map() };

const released = (success: boolean): OrderStatesData => ({
  releases: new Map([
    [
      'trace',
      {
        done: true,
        success,
        traceId: 'trace',
        user: '0x1',
        time: 1,
        i: 0,
        cloid: null,
        ...(success ? { oid: 7 } : {}),
        body: { code: success ? 0 : 10_000, message: success ? 'Released' : 'Trading is halted' },
      },
    ],
  ]),
  updates: new Map(),
});

function update(status: OutcomeUpdate['status'], filledSz: string): OutcomeUpdate {
  const order = {
    oid: 7,
    instrumentId: 100_001,
    coin: 'OUTCOME-100001',
    outcome: 'Yes' as const,
    side: 'B' as const,
    reduceOnly: false,
    limitPx: '0.48',
    sz: '20',
    origSz: '20',
    filledSz,
    avgPx: '0.46',
    timestamp: 1,
    tif: 'Gtd',
    cloid: null,
  };
  return {
    order,
    status,
    statusTimestamp: 1,
    ...(status === 'cancelled' && { reason: 'expired' }),
  };
}

const atBook = (status: OutcomeUpdate['status'], filledSz: string): OrderStatesData => ({
  ...released(true),
  updates: new Map([[7, update(status, filledSz)]]),
});

describe('the ticket shows the status of an order for shares', () => {
  test.each([
    ['sent', NOTHING, undefined],
    ['queued', NOTHING, 'trace'],
    ['queued', released(true), 'trace'],
    ['failed', released(false), 'trace'],
    ['book', atBook('open', '5'), 'trace'],
    ['filled', atBook('filled', '20'), 'trace'],
    ['ended', atBook('cancelled', '5'), 'trace'],
    ['ended', atBook('rejected', '0'), 'trace'],
  ] as const)('the status is shown as %s', (at, state, traceId) => {
    expect(orderStateOf({ ...SENT, traceId }, state, undefined).at).toBe(at);
  });

  test('the status gives the reason for a failure', () => {
    expect(orderStateOf(SENT, released(false), undefined)).toMatchObject({
      message: 'Trading is halted',
    });
  });
});

test('the status is taken from the receipt if the response was lost', () => {
  const result: OrderResult = {
    i: 0,
    oid: 7,
    cloid: null,
    state: 'open',
    filledSz: '5',
    avgPx: '0.46',
    error: null,
  };
  const lost = { ...SENT, traceId: undefined };
  expect(orderStateOf({ ...lost, isAskedFor: true }, NOTHING, undefined)).toEqual({ at: 'sent' });
  expect(orderStateOf({ ...lost, result }, NOTHING, undefined)).toMatchObject({
    at: 'book',
    filled: '5',
  });
});

test('the status is taken from the receipt if stream events are missing', () => {
  const result = (state: OrderResult['state'], error: string | null): ActionStatus =>
    ({
      status: 'executed',
      error: null,
      result: {
        type: 'PlaceOrder',
        statuses: ['success'],
        orders: [{ i: 0, oid: 7, cloid: null, state, filledSz: '20', avgPx: '0.46', error }],
      },
    }) as unknown as ActionStatus;
  expect(orderStateOf(SENT, NOTHING, result('filled', null))).toEqual({
    at: 'filled',
    filled: '20',
    average: '0.46',
  });
  const failed = orderStateOf(SENT, NOTHING, result('rejected', 'Market is closed'));
  expect(failed).toMatchObject({ at: 'failed', message: 'Market is closed' });
  expect([isOver(failed), isOver({ at: 'queued' })]).toEqual([true, false]);
});
