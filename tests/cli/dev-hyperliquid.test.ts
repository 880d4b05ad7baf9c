import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: `oddlot dev --hyperliquid` serves unmodified Hyperliquid clients, with and without
 * controls. Method: run the process and trade with one of its accounts.
 */

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

test.each([
  ['by the clock', ['--no-bots', '--still']],
  ['with controls', ['--controls', '0']],
])('a venue %s serves an unmodified client of Hyperliquid', async (_, more) => {
  const flags = ['dev', '--hyperliquid', '0', '--port', '0', '--accounts', '1', '--json', ...more];
  child = spawn(NODE, [join(REPOSITORY, 'packages/cli/src/main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const { accounts, hyperliquidUrl: apiUrl } = JSON.parse(line);
  const transport = new HttpTransport({ isTestnet: true, apiUrl });
  const wallet = privateKeyToAccount(accounts[0].privateKey);
  const orders = [
    { a: 1, b: true, p: '96000', s: '0.01', r: false, t: { limit: { tif: 'Gtc' as const } } },
  ];
  await new ExchangeClient({ transport, wallet }).order({ orders, grouping: 'na' });
  const open = await new InfoClient({ transport }).openOrders({ user: wallet.address });
  expect(open).toMatchObject([{ coin: 'BTC', side: 'B', limitPx: '96000', sz: '0.01' }]);
  // A new key's account gets test funds when its balance is queried.
  const { address: user } = privateKeyToAccount(generatePrivateKey());
  const { marginSummary } = await new InfoClient({ transport }).clearinghouseState({ user });
  expect(marginSummary.accountValue).toBe('100000');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
