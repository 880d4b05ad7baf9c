import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { FairQueue } from '@oddlot/host/ports';
import type { RelayTransfer } from '@oddlot/protocol';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FLOAT, RelayRig, USER_USDC, USERS } from '@oddlot/testing/relay/relay-rig';
import { createRelayServer } from '../port/create-relay-server.ts';
import { relayStatus } from '../port/relay-status.ts';

const [alice, bob] = USERS as [Hex, Hex];
const INTO = { srcChain: 'base', dstChain: 'oddlot', asset: 'USDC', dstAddr: alice };
const OUT = { srcChain: 'oddlot', dstChain: 'base', asset: 'USDC', dstAddr: bob };
const DAY_MS = 86_400_000;

let rig: RelayRig;
beforeEach(() => {
  rig = new RelayRig();
});
afterEach(() => rig.close());

async function depositAddress(more: object = {}): Promise<Hex> {
  const answer = await rig.service.depositAddress({ ...INTO, ...more });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data.address as Hex;
}

async function pegAddress(more: object = {}): Promise<Hex> {
  const answer = await rig.service.pegAddress({ ...OUT, ...more });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data.pegAddress as Hex;
}

function transfersOf(user: Hex): readonly RelayTransfer[] {
  const answer = rig.service.transfers([['user', user]]);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data.items;
}

test('a deposit waits, is confirmed, is relayed and completes', async () => {
  const address = await depositAddress();
  expect(transfersOf(alice)).toMatchObject([{ status: 'waiting', amount: '0', srcTxHash: null }]);
  rig.chains.base.pay(bob, address, 50_000_000n);
  await rig.relay.step();
  expect(transfersOf(alice)).toMatchObject([{ status: 'confirming', amount: '50' }]);
  await rig.mine('base');
  await rig.relay.step();
  expect(transfersOf(alice)).toMatchObject([{ status: 'relaying', dstTxHash: null }]);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'completed', amount: '50', fee: '0.1' }]);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC + 49_900_000n);
});

test('a payment removed by a reorganisation is not paid out', async () => {
  const address = await depositAddress();
  const before = rig.chains.base.usdcOf(bob);
  rig.chains.base.pay(bob, address, 50_000_000n);
  await rig.relay.step();
  rig.chains.base.forget(1);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'waiting', amount: '0' }]);
  expect(rig.chains.base.usdcOf(bob)).toBe(before);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC);
});

test('a relay without funds reports it, and resumes once it is funded', async () => {
  rig.close();
  rig = new RelayRig({ floatUsdc: 10_000_000n });
  const address = await depositAddress();
  rig.chains.base.pay(bob, address, 50_000_000n);
  await rig.settle();
  const trouble = 'Waiting for the relay to be funded on the other chain';
  expect(transfersOf(alice)).toMatchObject([{ status: 'relaying', trouble }]);
  const status = await relayStatus(rig.parts);
  expect(status.troubled).toEqual([
    {
      id: 'deposit-1',
      what: 'float',
      detail: 'the relay has 10 USDC on arbitrum but needs 49.9 USDC',
    },
  ]);
  expect(status.chains).toMatchObject([
    { name: 'arbitrum', usdc: '10', endpoints: [{ state: 'ok' }], waiting: [] },
    { name: 'base', usdc: '60' },
  ]);
  rig.chains.arbitrum.pay(bob, FLOAT, 100_000_000n);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'completed' }]);
  expect(transfersOf(alice)[0]).not.toHaveProperty('trouble');
});

test('an address not paid in time fails, and a late payment is still processed', async () => {
  const address = await depositAddress();
  rig.nowMs += DAY_MS;
  expect(transfersOf(alice)).toMatchObject([{ status: 'failed', amount: '0' }]);
  rig.chains.base.pay(bob, address, 4_000_000n);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'waiting', amount: '4' }]);
  rig.chains.base.pay(bob, address, 1_100_000n);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'completed', amount: '5.1' }]);
});

test('an amount too small for a peg is returned to the sub-account it came from when the peg expires', async () => {
  const peg = await pegAddress();
  rig.venue.send(alice, alice, 3_000_000n, { from: 'perp', to: 'outcome' });
  rig.venue.send(alice, peg, 1_500_000n, { from: 'outcome', to: 'perp' });
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'waiting', amount: '1.5' }]);
  rig.nowMs += DAY_MS;
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'refunded', direction: 'withdraw' }]);
  expect(rig.venue.balanceOf(alice, 'outcome')).toBe(3_000_000n);
});

test('small amounts from both sub-accounts are each returned to their own', async () => {
  const peg = await pegAddress();
  rig.venue.send(alice, alice, 3_000_000n, { from: 'perp', to: 'outcome' });
  rig.venue.send(alice, peg, 1_000_000n);
  rig.venue.send(alice, peg, 500_000n, { from: 'outcome', to: 'perp' });
  rig.nowMs += DAY_MS;
  await rig.settle();
  expect(transfersOf(alice).map(({ amount, status }) => [amount, status])).toEqual([
    ['0.5', 'refunded'],
    ['1', 'refunded'],
  ]);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC - 3_000_000n);
  expect(rig.venue.balanceOf(alice, 'outcome')).toBe(3_000_000n);
});

test('deposits to a peg are also paid out, even two in one transaction', async () => {
  const peg = await pegAddress();
  const hash = `0x${'7'.repeat(64)}` as const;
  for (const amount of [9_000_000n, 8_000_000n]) rig.venue.deposit(peg, hash, amount);
  await rig.settle();
  expect(transfersOf(bob)).toMatchObject([
    { id: 'peg-1-2', status: 'completed', amount: '8' },
    { id: 'peg-1', status: 'completed', amount: '9' },
  ]);
  expect(rig.chains.base.usdcOf(bob)).toBe(USER_USDC + 16_800_000n);
});

test('a payment that the token rejects is returned in full', async () => {
  const peg = await pegAddress();
  rig.chains.base.blocked.add(bob);
  rig.venue.send(alice, peg, 20_000_000n);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'refunded', amount: '20' }]);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC);
});

test('no address is assigned twice, even after a torn line', async () => {
  const first = await depositAddress();
  appendFileSync(join(rig.directory, 'relay.jsonl'), '{"address":{"kind":"depo');
  rig.start();
  expect(await depositAddress()).not.toBe(first);
  expect(
    transfersOf(alice)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['deposit-1', 'deposit-2']);
});

test('a relay does not open an altered journal, and reports where it was altered', async () => {
  await depositAddress();
  await depositAddress();
  const file = join(rig.directory, 'relay.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('deposit-1'));
  lines[at] = lines[at]!.replace('"index":0', '"index":1');
  writeFileSync(file, lines.join('\n'));
  expect(() => rig.start()).toThrow(`relay.jsonl: line ${at + 1} is damaged`);
});

test('the numbers of addresses per client and rows per page are limited', async () => {
  const server = createRelayServer({
    service: rig.service,
    faucet: undefined,
    settings: {
      limits: true,
      requestsPerSecond: 100,
      openAddresses: 1_000,
      openAddressesPerClient: 2,
      expireMs: DAY_MS,
      trustedProxies: ['127.0.0.1'],
      local: false,
      hostNames: [],
      pageOrigins: [],
      venue: 'http://127.0.0.1:8690',
    },
    now: () => rig.nowMs,
    log: createLogger({ level: 'silent' }),
    metrics: new Metrics(),
    queue: new FairQueue(),
  });
  const port = await server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}/api/v1/bridge`;
  const ask = (ip: string): Promise<Response> =>
    fetch(`${url}/deposit-address`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify(INTO),
    });
  const statuses = [];
  for (const ip of ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2']) {
    statuses.push((await ask(ip)).status);
  }
  expect(statuses).toEqual([200, 200, 429, 200]);
  rig.nowMs += DAY_MS + 1;
  expect((await ask('10.0.0.1')).status).toBe(200);
  const page = await fetch(
    `${url}/transfers?user=${alice.toUpperCase().replace('X', 'x')}&page=1&pageSize=3`,
  );
  const { data } = (await page.json()) as { data: { items: unknown[] } };
  expect(data).toMatchObject({ page: 1, pageSize: 3, total: 4 });
  expect(data.items).toHaveLength(1);
  await server.drain();
});

test('a request is refused if it would bring more addresses than the relay can scan', async () => {
  rig.close();
  rig = new RelayRig({ openAddressesMax: 1 });
  await depositAddress();
  const answer = await rig.service.pegAddress(OUT);
  expect(answer).toMatchObject({ ok: false, error: { name: 'UNAVAILABLE', httpStatus: 503 } });
});
