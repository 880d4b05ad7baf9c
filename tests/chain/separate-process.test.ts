import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { type NatsServers, startNatsServers } from '../support/venue/nats/nats-servers.ts';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainOf, post } from '../support/chain.ts';
import { eventually } from '../support/client.ts';
import { usdc } from '../support/money-world.ts';
import {
  FIXED_PRICE_FLAGS,
  NODE,
  REPOSITORY,
  temporaryData,
  Venue,
} from '../support/venue-process.ts';

const PROGRAM = join(REPOSITORY, 'packages/venue/src/run-chain.ts');
const SERVING =
  /^Oddlot chain is serving at (http:\S+) \(replicas: (--chain http:\S+ --chain-keys (\S+) --settlement-rpc-url \1)\)\n$/;

type Run = {
  readonly url: string;
  /** Flags for replicas, as printed by the program. */
  readonly flags: readonly string[];
  kill(signal?: NodeJS.Signals): Promise<number | null>;
};

const children: ChildProcess[] = [];
const venues: Venue[] = [];
let servers: NatsServers | undefined;

beforeAll(async () => {
  if (!hasNatsServer) return;
  servers = await startNatsServers();
  await servers.ready();
});
afterEach(async () => {
  for (const venue of venues.splice(0)) await venue.remove();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await servers?.stop();
});

async function runChain(data: string, flags: readonly string[] = ['--port', '0']): Promise<Run> {
  const child = spawn(NODE, [PROGRAM, '--data', data, ...flags], { cwd: REPOSITORY });
  children.push(child);
  let output = '';
  let complained = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.endsWith('\n')) resolve();
    });
    void ended.then(() => reject(new Error(complained)));
  });
  const [, url = '', named = ''] = SERVING.exec(output) ?? [];
  expect(url, output).not.toBe('');
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> => {
    child.kill(signal);
    return await ended;
  };
  return { url, flags: named.split(' '), kill };
}

async function rpc(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers, body });
  return ((await response.json()) as { readonly result: unknown }).result;
}

test('a chain program restarts with the same blocks, contracts and keys', async () => {
  const data = await temporaryData();
  const first = await runChain(data);
  const blocks = await rpc(first.url, 'eth_blockNumber');
  expect(existsSync(join(data, 'keys', 'keys.json'))).toBe(true);
  await first.kill();
  const again = await runChain(data);
  expect(await rpc(again.url, 'eth_blockNumber')).toBe(blocks);
  expect(await rpc(again.flags[1]!, 'eth_blockNumber')).toBe(blocks);
  await expect(runChain(data)).rejects.toThrow(/another process|is in use|locked/i);
  await again.kill('SIGTERM');
});

test('a chain program whose port is in use names the port and its flag, and creates no files', async () => {
  const held = await runChain(await temporaryData());
  const data = join(await temporaryData(), 'chain');
  const { port } = new URL(held.url);
  const flags = [
    ['--port', port],
    ['--port', '0', '--owner-port', port],
  ];
  for (const each of flags) {
    await expect(runChain(data, each)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is already in use. Choose another one with ${each.at(-2)}.`,
    );
  }
  expect(existsSync(data)).toBe(false);
});

test('a chain program rejects invalid settings with a message', async () => {
  const data = await temporaryData();
  await expect(runChain(data, ['--port', 'x'])).rejects.toThrow(
    '--port must be a whole number from 0 to 65535: x',
  );
  await expect(runChain(data, ['--ports', '1'])).rejects.toThrow('Did you mean --port?');
});

test("a venue does not start without the chain's keys", async () => {
  const chain = await runChain(await temporaryData());
  const flags = ['--chain', chain.flags[1]!, '--chain-keys', await temporaryData()];
  await expect(Venue.start([...FIXED_PRICE_FLAGS, ...flags])).rejects.toThrow(
    /chainKeys: .*keys\S* is missing/,
  );
});

test.skipIf(!hasNatsServer)(
  'replicas sharing a chain credit a deposit once and pay a withdrawal once, even if the active one is killed',
  async () => {
    const chain = await runChain(await temporaryData());
    const cluster = ['--log', servers!.url, '--cluster', 'laptop', '--stream-replicas', '1'];
    for (const name of ['a', 'b']) {
      const flags = [...FIXED_PRICE_FLAGS, ...chain.flags, ...cluster, '--replica', name];
      venues.push(await Venue.start(flags));
    }
    const [first, second] = venues as [Venue, Venue];
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    const user = account.address.toLowerCase() as `0x${string}`;
    // Any replica hands out test funds on the chain, but only once.
    const fund = { user, onChain: true };
    // There may be no active replica yet. A repeated request still leads to only one payment.
    await eventually(async () => {
      const { status } = await post(second.url, '/request-fund', fund);
      expect([200, 429]).toContain(status);
    });
    expect(await post(first.url, '/request-fund', fund)).toMatchObject({ status: 429 });
    const money = await chainOf(second.url);
    await expect.poll(() => money.balanceOf(user)).toBe(usdc('1000'));
    const holder = await eventually(async () => {
      for (const venue of venues) {
        const response = await fetch(`${venue.operations}/settlement`);
        const { isElsewhere } = (await response.json()) as { readonly isElsewhere?: boolean };
        if (isElsewhere !== true) return venue;
      }
      throw new Error('no replica works on the chain');
    });
    const survivor = holder === first ? second : first;
    await money.wallet(account).transfer(money.bridge, usdc('100'));
    await holder.kill();
    const held = async (): Promise<unknown> =>
      (await post(survivor.url, '/info', { type: 'clearinghouseState', user })).data.withdrawable;
    await expect.poll(held).toBe('100');
    const client = createClient({ url: survivor.url, wallet: privateKeyWallet(key) });
    await client.exchange.withdraw3({ destination: user, amount: '40' }, { confirm: 'executed' });
    await holder.startAgain();
    await survivor.kill();
    const last = createClient({ url: holder.url, wallet: privateKeyWallet(key) });
    await expect
      .poll(async () => (await last.info.withdrawals({ user }))[0]?.status)
      .toBe('confirmed');
    expect(await money.balanceOf(user)).toBe(usdc('939.9'));
    const ledger = { type: 'userNonFundingLedgerUpdates', user };
    const { data } = await post(holder.url, '/info', ledger);
    const kinds = (data as { readonly delta: { readonly type: string } }[]).map(
      ({ delta }) => delta.type,
    );
    expect(kinds.filter((kind) => kind === 'deposit')).toHaveLength(1);
  },
  300_000,
);
