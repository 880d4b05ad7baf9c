import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INFO_QUERIES } from '@oddlot/protocol';
import { WORK_LIMITS } from '../../packages/host/src/ports/work-budget.ts';
import { Actor, order, orderAction } from '../support/actors.ts';
import { Client } from '../support/client.ts';
import { type Answer, postFrom } from '../support/from-address.ts';
import { readMarket, type Market } from '../support/market.ts';
import { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/**
 * Measures the cost of queries for an account that has a full page of rows. The venue's work budget
 * for each client hardly refills during this test, so the cost is how much the budget decreases.
 */

const BURST_MS = 1_000_000;
const ASKED = 20;
const PER_SECOND = 50;

let venue: Venue;
let client: Client;
let sol: Market;
const agent = new Agent({ keepAlive: true });
const actor = (name: string): Actor => new Actor(name, keyOf(`light ${name}`), () => client);
const alice = actor('alice');
const bob = actor('bob');

const post = (path: string, body: unknown, localAddress: string): Promise<Answer> =>
  postFrom({ agent, localAddress, url: new URL(path, venue.url) }, body);

beforeAll(async () => {
  venue = await Venue.start([
    '--oracle',
    'still',
    '--faucet-usdc',
    '1000000',
    '--work-ms-per-second',
    '1',
    '--work-ms-burst',
    String(BURST_MS),
  ]);
  client = new Client(venue.url);
  for (const { address } of [alice, bob]) await client.post('/request-fund', { user: address });
  sol = await readMarket(client, 'SOL-USDC', alice.address);
  await fill();
});
afterAll(async () => {
  agent.destroy();
  await venue.remove();
});

/** Creates 600 ended orders and 250 fills. */
async function fill(): Promise<void> {
  let sent = 0;
  const send = async (sender: Actor, action: Record<string, unknown>): Promise<void> => {
    const { envelope } = await sender.sign(action as never);
    const from = `127.0.1.${sent++ % 20}`;
    const { json } = await post('/exchange', { ...envelope, confirm: 'executed' }, from);
    expect(json.status, JSON.stringify(json)).toBe('ok');
  };
  const many = (side: 'buy' | 'sell', price: string, count: number) =>
    orderAction(
      ...Array.from({ length: count }, () =>
        order({ market: sol, side, price, size: sol.worth(14) }),
      ),
    );
  for (let index = 0; index < 12; index++) await send(alice, many('buy', sol.at(-1_000), 50));
  await send(alice, { type: 'cancelAll' });
  for (let index = 0; index < 5; index++) {
    await send(alice, many('sell', sol.at(0), 50));
    await send(bob, many('buy', sol.at(0), 50));
  }
}

test('R-requests: fifty default queries of any type per second stay within the work budget', async () => {
  const costs = new Map<string, number>();
  const now = Date.now();
  for (const [index, type] of Object.keys(INFO_QUERIES).entries()) {
    const from = `127.0.3.${index + 1}`;
    // A query may have unknown fields; they are ignored.
    const query = {
      type,
      user: alice.address,
      builder: alice.address,
      coin: String(sol.id),
      ...(type === 'candleSnapshot' ? { interval: '1m', startTime: now - 3_600_000 } : {}),
      ...(type === 'simulate' ? { action: { type: 'cancelAll' } } : {}),
    };
    const first = await post('/info', query, from);
    if (first.status !== 200 || first.json.success !== true) continue;
    let asked = 1;
    for (; asked < ASKED; asked++) {
      const { status } = await post('/info', query, from);
      // Two query types have a separate limit.
      if (status === 429 && ['simulate', 'explainSignature'].includes(type)) break;
      expect([type, status]).toEqual([type, 200]);
    }
    const { json } = await post('/info', { type: 'rateLimit' }, from);
    expect(json.data.work.limit_ms_per_second).toBe(1);
    costs.set(type, (BURST_MS - json.data.work.remaining_ms) / asked);
  }
  expect(costs.size).toBeGreaterThan(30);
  expect([...costs.keys()]).toEqual(
    expect.arrayContaining(['historicalOrders', 'userFills', 'userFundings', 'portfolio']),
  );
  for (const [type, ms] of costs) {
    expect(ms * PER_SECOND, `${type}: ${ms} ms`).toBeLessThan(WORK_LIMITS.msPerSecond);
  }
  const { json } = await post(
    '/info',
    { type: 'historicalOrders', user: alice.address },
    '127.0.2.1',
  );
  expect(json.data).toHaveLength(500);
});
