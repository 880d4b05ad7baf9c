import { createClient, limitOrder, privateKeyWallet, type Client } from '@oddlot/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotArrivedError } from '../lib/explain-error.ts';
import { doneOnce } from './sent-once.ts';

/**
 * The tests use an SDK client that loses the responses to `/exchange` but whose queries succeed.
 */

const ORDER_LIFE_MS = 5_000;
const START_MS = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Returns a client that receives the venue's receipt for an action. Before the given time, the
 * receipt is unknown.
 */
function clientOf(known: { readonly fromMs: number; readonly receipt: object }): Client {
  const fetch = async (url: string): Promise<Response> => {
    if (url.endsWith('/exchange')) throw new TypeError('Failed to fetch');
    const isKnown = Date.now() - START_MS >= known.fromMs;
    const data = isKnown ? known.receipt : { status: 'unknown' };
    return Response.json({ success: true, data });
  };
  return createClient({
    url: 'http://127.0.0.1:8690',
    network: 'testnet',
    wallet: privateKeyWallet(`0x${'1'.repeat(64)}`),
    fetch,
    orderLifeMs: ORDER_LIFE_MS,
  });
}

const NEVER = { fromMs: Infinity, receipt: {} };
const RESULT = { type: 'TokenSend', statuses: ['success'] };
const DONE = { status: 'executed', error: null, nonce: 1, block: { height: 7 }, result: RESULT };

const transfer = ({ exchange }: Client) =>
  exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '1' }, { confirm: 'executed' });
const order = ({ exchange }: Client) =>
  exchange.order({
    orders: [limitOrder({ asset: 1, side: 'buy', price: '1', size: '1', tif: 'Gtc' })],
  });

/** Returns the result of an action and the time at which it was known. */
async function outcomeOf(client: Client, run: Parameters<typeof doneOnce>[1]) {
  const ended = doneOnce(client, run).then(
    () => ({ error: undefined, atMs: Date.now() - START_MS }),
    (error: unknown) => ({ error, atMs: Date.now() - START_MS }),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  return ended;
}

describe('an action with a lost response is not sent twice', () => {
  test('an action without an expiry can still be executed after the wait for a lost response', async () => {
    const { atMs, error } = await outcomeOf(clientOf(NEVER), transfer);
    expect(error).toBeInstanceOf(NotArrivedError);
    expect(error).toMatchObject({ mayStill: true, txHash: expect.stringMatching(/^0x/) });
    expect(atMs).toBeGreaterThan(10_000);
  });

  test('an action with an expiry is not executed after it', async () => {
    const { atMs, error } = await outcomeOf(clientOf(NEVER), order);
    expect(error).toBeInstanceOf(NotArrivedError);
    expect(error).toMatchObject({ mayStill: false });
    expect(atMs).toBeGreaterThan(ORDER_LIFE_MS);
  });

  test('an action with a lost response succeeds once the venue knows its hash, even if that is late', async () => {
    const { atMs, error } = await outcomeOf(clientOf({ fromMs: 8_000, receipt: DONE }), transfer);
    expect(error).toBeUndefined();
    expect(atMs).toBeGreaterThanOrEqual(8_000);
  });
});
