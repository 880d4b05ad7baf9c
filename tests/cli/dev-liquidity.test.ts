import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buyYes, createClient, limitOrder, privateKeyWallet } from '@oddlot/sdk';
import { startVenue } from '@oddlot/testkit';
import { afterEach, expect, test } from 'vitest';
import { ExampleMakers } from '../../packages/cli/src/example-makers.ts';
import { runCli } from '../../packages/cli/src/run-cli.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: the examples provide liquidity on a venue. Method: run `oddlot dev` as a process and trade
 * with a new account.
 */

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

test('an order fills against the example market maker, which exits along with the venue', async () => {
  const flags = ['dev', '--liquidity', 'examples', '--port', '0', '--accounts', '1', '--json'];
  child = spawn(NODE, [join(REPOSITORY, 'packages/cli/src/main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const { accounts, makers, url } = JSON.parse(line);
  expect(makers.map(({ name }: { name: string }) => name)).toEqual([
    'market-maker',
    'outcome-maker',
  ]);
  const wallet = privateKeyWallet(accounts[0].privateKey);
  const client = createClient({ url, network: 'testnet', wallet });
  const bookOf = async (id: number) => (await client.info.l2Book({ coin: String(id) })).levels;

  await expect.poll(async () => (await bookOf(1))[1].length).toBeGreaterThan(0);
  const filled = async () => {
    const [, asks] = await bookOf(1);
    const price = asks[0]?.px ?? '1';
    const order = limitOrder({ asset: 1, side: 'buy', price, size: '0.001', tif: 'Ioc' });
    const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
    return reply.status === 'executed' ? reply.orders[0]?.filledSz : undefined;
  };
  // The maker may requote between the query for its quote and the order.
  await expect.poll(filled).toBe('0.001');
  const sold = async () => (await client.info.userFills({ user: makers[0].address }))[0];
  await expect.poll(sold).toMatchObject({ side: 'A', sz: '0.001', tradeSide: 'Maker' });
  client.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('an order for shares fills against the example outcome maker', async () => {
  // Markets in a series get a strike only at the next quarter hour, but this market has one now.
  await using venue = await startVenue({ ports: true, time: Date.now() });
  const underlying = { symbol: 'BTC', source: 'oracle', priceToBeat: '97000' } as const;
  const market = await venue.createMarket({ underlying });
  const price = { symbol: 'BTC', source: 'oracle', px: '97000', time: venue.now } as const;
  const { outcomeDeploy } = venue.admin.client.exchange;
  await outcomeDeploy.pushPrice({ prices: [price] }, { confirm: 'executed' });
  const [first, second, newcomer] = venue.accounts;
  const makers = new ExampleMakers(venue.url, [first!, second!]);
  try {
    const { exchange, info } = newcomer!.client;
    const bought = async () => {
      const { levels } = await info.l2Book({ coin: String(market.id) });
      const [best] = levels[1];
      if (best === undefined) return undefined;
      const order = buyYes({ asset: market.id, price: best.px, size: '5' });
      await exchange.order({ orders: [order] }, { confirm: 'executed' });
      const [fill] = await info.userFills({ user: second!.address, accountType: ['outcome'] });
      return fill;
    };
    await expect
      .poll(bought)
      .toMatchObject({ outcome: 'No', px: '0.47', sz: '5', tradeSide: 'Maker' });
  } finally {
    await makers.stop();
  }
});

test.each([
  ['--liquidity mine', 'Invalid --liquidity. Use `examples`.'],
  ['--liquidity examples --controls 0', '--liquidity and --controls cannot be combined'],
])('dev %s is rejected with a message', async (flags, sentence) => {
  const printed: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    expect(await runCli(['dev', '--port', '0', ...flags.split(' ')], {})).toBe(2);
  } finally {
    process.stderr.write = write;
  }
  expect(printed.join('')).toContain(sentence);
});
