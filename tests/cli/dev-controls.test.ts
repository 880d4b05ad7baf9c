import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, limitOrder, privateKeyWallet } from '@oddlot/sdk';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../../packages/cli/src/run-cli.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: clients control the clock and the prices of `oddlot dev --controls`. Method: run the
 * process and send HTTP requests to both its ports.
 */

const HOUR_MS = 3_600_000;

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

async function ask(url: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

test('an external bot fills a book, trades, advances time, and receives its funding', async () => {
  const flags = ['dev', '--controls', '0', '--port', '0', '--accounts', '1', '--json'];
  child = spawn(NODE, [join(REPOSITORY, 'packages/cli/src/main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const { accounts, controlsUrl, url } = JSON.parse(line);
  expect([url, controlsUrl]).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  ]);
  const held = await ask(`${controlsUrl}/clock/hold`, {});
  expect(held).toMatchObject({ status: 'ok', isHeld: true });
  // The clock advances to the next full hour, because an hour with only seconds left has no premium
  // and pays no funding.
  await ask(`${controlsUrl}/clock/advance`, { by: HOUR_MS - (Number(held['now']) % HOUR_MS) });
  const wallet = privateKeyWallet(accounts[0].privateKey);
  const client = createClient({ url, network: 'testnet', wallet, orderLifeMs: Infinity });
  const user = wallet.address;
  expect((await client.info.clearinghouseState({ user })).withdrawable).toBe('100000');
  await ask(`${controlsUrl}/book`, { instrument: 'BTC-USDC' });
  const order = limitOrder({ asset: 1, side: 'sell', price: '96000', size: '0.1', tif: 'Ioc' });
  await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  await ask(`${controlsUrl}/clock/advance`, { by: '2h' });
  const { data } = await client.info.userFundings({ user });
  expect(data.map(({ usdc }) => Number(usdc) > 0)).toEqual([true, true]);
  client.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.each(['--port', '--port 0 --controls'])(
  'dev reports that a port is in use (%s) and leaves no folder behind',
  async (flags) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const place = await mkdtemp(join(tmpdir(), 'oddlot-place-'));
    const args = ['dev', '--accounts', '0', ...flags.split(' '), String(port)];
    const ended = spawnSync(NODE, [join(REPOSITORY, 'packages/cli/src/main.ts'), ...args], {
      env: { ...process.env, TMPDIR: place },
      encoding: 'utf8',
      timeout: 60_000,
    });
    taken.close();
    const left = await readdir(place);
    await rm(place, { recursive: true });
    expect(ended).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`Port ${port} is already in use`),
    });
    expect(left).toEqual([]);
  },
);

test.each([
  ['--controls 70000', 'Invalid --controls. Use a port from 0 to 65535.'],
  ['--hyperliquid 70000', 'Invalid --hyperliquid. Use a port from 0 to 65535.'],
  ['--controls here', 'Invalid --controls. Use a port from 0 to 65535.'],
  ['--controls 0 --port x', 'Invalid --port. Use a port from 0 to 65535.'],
  ['--controls 0 --data ./kept', '--data and --controls cannot be combined'],
  ['--controls 0 --accounts many', 'Invalid --accounts. Use a whole number from 0 to 100.'],
])('dev %s is rejected with a message', async (flags, sentence) => {
  const printed: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    expect(await runCli(['dev', ...flags.split(' ')], {})).toBe(2);
  } finally {
    process.stderr.write = write;
  }
  expect(printed.join('')).toContain(sentence);
});
