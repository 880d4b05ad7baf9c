import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChainClient, localEndpoint } from '@oddlot/custody/chain';
import { localKeys } from '@oddlot/custody/local-keys';
import { type EndpointFault, TEST_CHAIN_ID } from '@oddlot/testing/custody';
import { type Address, address, hash } from '@oddlot/units';
import fc from 'fast-check';
import { type Hex, keccak256, numberToHex, pad } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, test } from 'vitest';
import { TestSettlement } from '@oddlot/testing/venue/test-settlement';
import { DepositWatcher, verifyChain } from './deposit-watcher.ts';
import { startOf, WatchFile } from './watch-file.ts';

/**
 * Tests R-deposit on a real chain with reorganisations, restarts, and endpoints that are
 * unavailable, lag behind or return false data.
 */

const open: TestSettlement[] = [];

async function settled(endpoints = 1): Promise<TestSettlement> {
  const settlement = await TestSettlement.open(endpoints);
  open.push(settlement);
  return settlement;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function readAll(watcher: DepositWatcher): Promise<void> {
  while (await watcher.step()) continue;
}

test('R-deposit: a deposit is credited once it has its confirmations, and no earlier', async () => {
  const settlement = await settled();
  const { chain } = settlement.bridged;
  const watcher = settlement.watcher(settlement.bridged.client(3));
  await chain.rpc('eth_sendRawTransaction', [await settlement.bridged.transfer(0, 7_000_000n)]);
  await readAll(watcher);
  await chain.mine();
  await readAll(watcher);
  expect(settlement.credited).toBe(0n);
  await chain.mine();
  await readAll(watcher);
  expect(settlement.credited).toBe(7_000_000n);
  expect(watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
});

test('R-deposit: a reorganisation of unconfirmed blocks affects only which block a deposit is in', async () => {
  const settlement = await settled();
  const { chain } = settlement.bridged;
  const watcher = settlement.watcher(settlement.bridged.client(3));
  const raw = await settlement.bridged.transfer(0, 7_000_000n);
  await chain.rpc('eth_sendRawTransaction', [raw]);
  await readAll(watcher);
  await chain.reorg(1, { blocks: [[], [raw]] });
  await readAll(watcher);
  for (let block = 0; block < 4; block++) await chain.mine();
  await readAll(watcher);
  expect(settlement.credited).toBe(7_000_000n);
});

test('R-deposit: a reorganisation of confirmed blocks stops crediting and is reported', async () => {
  const settlement = await settled();
  const { chain } = settlement.bridged;
  const watcher = settlement.watcher(settlement.bridged.client(1));
  const raw = await settlement.bridged.transfer(0, 7_000_000n);
  await chain.rpc('eth_sendRawTransaction', [raw]);
  await readAll(watcher);
  expect(settlement.credited).toBe(7_000_000n);
  await chain.reorg(1);
  await chain.rpc('eth_sendRawTransaction', [await settlement.bridged.transfer(1, 8_000_000n)]);
  await readAll(watcher);
  expect(watcher.status).toMatchObject({ state: 'reorganised', isCurrent: false });
  expect(settlement.credited).toBe(7_000_000n);
  const vanished = [{ account: settlement.bridged.users[0], amount: '7000000' }];
  expect(watcher.status.reorganisation?.vanished).toMatchObject(vanished);
  // Crediting is not resumed by a restart, by losing the position, or by accepting the wrong block.
  rmSync(join(settlement.bridged.directory, 'watched.json'));
  const other: Hex = `0x${'77'.repeat(32)}`;
  const again = settlement.watcher(settlement.bridged.client(1), { accepted: other });
  await readAll(again);
  expect(again.status.state).toBe('reorganised');
  const accepted = again.status.reorganisation?.is;
  const going = settlement.watcher(settlement.bridged.client(1), { accepted });
  await readAll(going);
  expect(going.status).toMatchObject({ state: 'ok', isCurrent: true, reorganisation: undefined });
  expect(settlement.credited).toBe(15_000_000n);
  expect(going.status.book.vanished).toMatchObject(vanished);
  // The deposit reappears after another one, with a different log number. It was already credited.
  const before = await settlement.bridged.transfer(2, 9_000_000n);
  await chain.setAutomine(false);
  for (const each of [before, raw]) await chain.rpc('eth_sendRawTransaction', [each]);
  await chain.mine();
  await readAll(settlement.watcher(settlement.bridged.client(1)));
  expect(settlement.credited).toBe(24_000_000n);
  const last = settlement.watcher(settlement.bridged.client(1));
  await readAll(last);
  expect(last.status.book.vanished).toEqual([]);
});

test('a damaged record of the last block read is treated as missing', async () => {
  const settlement = await settled();
  await settlement.bridged.chain.rpc('eth_sendRawTransaction', [
    await settlement.bridged.transfer(0, 3_000_000n),
  ]);
  await readAll(settlement.watcher(settlement.bridged.client(1)));
  const file = join(settlement.bridged.directory, 'watched.json');
  const content = readFileSync(file);
  content[content.length >> 1]! ^= 1;
  writeFileSync(file, content);
  await settlement.bridged.chain.rpc('eth_sendRawTransaction', [
    await settlement.bridged.transfer(0, 4_000_000n),
  ]);
  const watcher = settlement.watcher(settlement.bridged.client(1));
  await readAll(watcher);
  expect(settlement.credited).toBe(7_000_000n);
  expect(watcher.status.book.pots).toEqual({});
  expect(readFileSync(`${file}.damaged`)).toEqual(content);
});

test('a chain that ends before the last block read is reported as lagging and not as changed', async () => {
  const settlement = await settled();
  await settlement.bridged.chain.rpc('eth_sendRawTransaction', [
    await settlement.bridged.transfer(0, 7_000_000n),
  ]);
  const watcher = settlement.watcher(settlement.bridged.client(1));
  await readAll(watcher);
  const { block } = watcher.status;
  const file = join(settlement.bridged.directory, 'watched.json');
  const start = { chainId: TEST_CHAIN_ID, bridge: settlement.bridged.contracts.bridge };
  const notes = new WatchFile(file);
  notes.write({ ...notes.last(startOf(start, 0)), block: block + 50 });
  notes.close();
  const other = settlement.watcher(settlement.bridged.client(1));
  await readAll(other);
  expect(other.status).toMatchObject({ state: 'unavailable', isCurrent: false });
  expect(other.status.error).toMatch(/is at block \d+, but block \d+ was read earl/);
});

test('R-agents: a deposit to a bound address is held, then credited when the binding ends', async () => {
  const settlement = await settled();
  const { replica } = settlement;
  const { chain, users } = settlement.bridged;
  const [owner, agent] = users as [Address, Address];
  replica.credit(owner, 100);
  let nonce = replica.state.timeMs;
  const signed = (signer: Address) => ({
    signer,
    nonce: ++nonce,
    txHash: hash(`0x${'1'.repeat(64)}`),
  });
  const bind = (to: Address) =>
    replica.apply({ type: 'approveAgent', authority: signed(owner), agent: to, label: 'bot' });
  expect(bind(agent).outcome.reject).toBeUndefined();
  // The agent key has since acted for its owner, so a deposit from that key no longer ends the
  // binding.
  replica.apply({ type: 'cancelAll', authority: signed(agent) });
  const watcher = settlement.watcher(settlement.bridged.client(1));
  await chain.rpc('eth_sendRawTransaction', [await settlement.bridged.transfer(1, 7_000_000n)]);
  await readAll(watcher);
  expect(settlement.credited).toBe(0n);
  const aside = [{ reason: 'bound', account: agent, amount: '7000000' }];
  expect(watcher.status.book.aside.filter(({ reason }) => reason === 'bound')).toMatchObject(aside);
  bind(address(`0x${'0'.repeat(40)}`));
  await watcher.step();
  await watcher.step();
  expect(settlement.credited).toBe(7_000_000n);
  expect(watcher.status.book.aside.filter(({ reason }) => reason === 'bound')).toEqual([]);
});

test('the watcher does not start on the wrong chain or with unexpected contracts', async () => {
  const settlement = await settled();
  const { bridge, token } = settlement.bridged.contracts;
  const options = {
    fromBlock: 0,
    rules: { minMicroUsdc: 5_000_000, operators: new Set<Address>(), isMinter: false },
    file: join(settlement.bridged.directory, 'watched.json'),
    state: () => settlement.replica.state,
    propose: async () => expect.unreachable('nothing may be credited'),
  };
  const endpoint = localEndpoint('one', (method, params) =>
    settlement.bridged.chain.rpc(method, params),
  );
  const verified = async (chainId: number, contracts: typeof settlement.bridged.contracts) => {
    const client = new ChainClient({ endpoints: [endpoint], chainId, confirmations: 1 });
    const watcher = new DepositWatcher({ ...options, client, contracts });
    return { isRight: await watcher.verify(), ...watcher.status };
  };
  const nobody: Hex = `0x${'11'.repeat(20)}`;
  expect(await verified(TEST_CHAIN_ID, { bridge, token })).toMatchObject({ isRight: true });
  expect(await verified(1, { bridge, token })).toMatchObject({
    isRight: false,
    state: 'disagrees',
    error: 'the endpoint serves chain 421614, not 1',
  });
  expect(await verified(TEST_CHAIN_ID, { bridge: nobody, token })).toMatchObject({
    isRight: false,
    state: 'failed',
    error: `bridgeContract: no contract at ${nobody}`,
  });
  expect(await verified(TEST_CHAIN_ID, { bridge, token: bridge })).toMatchObject({
    state: 'failed',
    error: `the bridge uses the token ${token}, not usdcContract ${bridge}`,
  });
});

test('the guardian and the validators are read from the bridge', async () => {
  const settlement = await settled();
  const { guardian, validators } = settlement.bridged.keys;
  const operators = await verifyChain(settlement.bridged.client(1), settlement.bridged.contracts);
  const expected = [guardian, ...validators].map((key) =>
    privateKeyToAccount(key).address.toLowerCase(),
  );
  expect(new Set(operators)).toEqual(new Set(expected));
});

test('a chain whose keys are missing is not recreated, and the missing keys are reported', async () => {
  const settlement = await settled();
  const chainFile = join(settlement.bridged.directory, 'chain', 'chain.log');
  expect(localKeys(settlement.bridged.directory, chainFile)).toEqual(settlement.bridged.keys);
  rmSync(join(settlement.bridged.directory, 'keys.json'));
  expect(() => localKeys(settlement.bridged.directory, chainFile)).toThrow(/keys\.json is missing/);
});

describe("the watcher's state reflects endpoint faults", () => {
  test.each<[string, readonly EndpointFault[], string, bigint]>([
    ['one of three down', ['down', 'none', 'none'], 'ok', 7_000_000n],
    ['one of three behind', ['stale', 'none', 'none'], 'ok', 7_000_000n],
    ['two of three down', ['down', 'down', 'none'], 'unavailable', 0n],
    ['one of two down', ['none', 'down'], 'unavailable', 0n],
    ['one of two behind', ['none', 'stale'], 'ok', 0n],
    ['one of two reports false data', ['none', 'false'], 'disagrees', 0n],
    ['one of three reports false data', ['none', 'false', 'none'], 'ok', 7_000_000n],
    ['one of three reports false data and one is down', ['none', 'false', 'down'], 'disagrees', 0n],
    ['two of four report false data', ['none', 'false', 'none', 'false'], 'disagrees', 0n],
  ])('%s', async (_, faults, state, credited) => {
    const settlement = await settled(faults.length);
    const watcher = settlement.watcher(settlement.bridged.client(1));
    await readAll(watcher);
    faults.forEach((fault, at) => (settlement.bridged.faults[at] = fault));
    const raw = await settlement.bridged.transfer(0, 7_000_000n);
    await settlement.bridged.chain.rpc('eth_sendRawTransaction', [raw]);
    await readAll(watcher);
    expect(watcher.status.state).toBe(state);
    expect(settlement.credited).toBe(credited);
    settlement.bridged.faults.fill('none');
    for (let step = 0; step < 12; step++) await watcher.step();
    expect(watcher.status.state).toBe('ok');
    expect(settlement.credited).toBe(7_000_000n);
  });
});

type Step =
  | { readonly kind: 'deposit'; readonly user: number; readonly amount: number }
  | { readonly kind: 'fault'; readonly at: number; readonly fault: EndpointFault }
  | { readonly kind: 'reorg' | 'mine' | 'read' | 'crash' | 'lost' };

test('R-deposit: in random fault histories, every deposit on the chain is credited once', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      kind: fc.constant('deposit' as const),
      user: fc.nat(2),
      amount: fc.integer({ min: 5_000_000, max: 9_000_000 }),
    }),
    fc.record({
      kind: fc.constant('fault' as const),
      at: fc.nat(1),
      fault: fc.constantFrom<EndpointFault>('none', 'none', 'down', 'stale', 'false'),
    }),
    fc.record({
      kind: fc.constantFrom(
        'reorg' as const,
        'mine' as const,
        'read' as const,
        'read' as const,
        'crash' as const,
        'lost' as const,
      ),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const settlement = await TestSettlement.open(2);
      try {
        const { chain } = settlement.bridged;
        const client = settlement.bridged.client(3);
        let watcher = settlement.watcher(client);
        let sent = 0n;
        let last: `0x${string}` | undefined = undefined;
        for (const each of steps) {
          if (each.kind === 'deposit') {
            const raw = await settlement.bridged.transfer(each.user, BigInt(each.amount));
            await chain.rpc('eth_sendRawTransaction', [raw]);
            sent += BigInt(each.amount);
            last = raw;
          } else if (each.kind === 'fault') settlement.bridged.faults[each.at] = each.fault;
          else if (each.kind === 'reorg' && last !== undefined) {
            // The newest deposit moves to a later block.
            await chain.reorg(1, { blocks: [[], [last]] });
            last = undefined;
          } else if (each.kind === 'mine') {
            await chain.mine();
            last = undefined;
          } else if (each.kind === 'read') await watcher.step();
          else {
            if (each.kind === 'lost')
              rmSync(join(settlement.bridged.directory, 'watched.json'), { force: true });
            watcher = settlement.watcher(client);
          }
          expect(settlement.credited).toBeLessThanOrEqual(sent);
        }
        settlement.bridged.faults.fill('none');
        for (let block = 0; block < 3; block++) await chain.mine();
        for (let round = 0; round < 20; round++) await watcher.step();
        expect(watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
        expect(settlement.credited).toBe(sent);
      } finally {
        await settlement.close();
      }
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) / 4 },
  );
});

test('R-deposit: senders of zero amounts cause no queries; other senders are queried in small groups', async () => {
  const settlement = await settled();
  const { bridge, token } = settlement.bridged.contracts;
  const senders = Array.from({ length: 300 }, (_, n) => numberToHex(n + 1, { size: 32 }));
  let asking = 0;
  let most = 0;
  const asked: unknown[] = [];
  /**
   * Reports a block full of transfers: a third are zero, a third are dust, and a third are one
   * cent.
   */
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (method === 'eth_getCode' && (params[0] as string).startsWith('0x0000')) {
      asking += 1;
      most = Math.max(most, asking);
      asked.push(params[0]);
      await new Promise((resolve) => setImmediate(resolve));
      asking -= 1;
      return '0x';
    }
    const answer = await settlement.bridged.chain.rpc(method, params);
    const filter = (params[0] ?? {}) as { address?: string; toBlock?: Hex; topics?: Hex[] };
    if (method !== 'eth_getLogs' || filter.address !== token) return answer;
    const blockHash = keccak256('0x01');
    const logs = senders.map((sender, n) => ({
      address: token,
      topics: [filter.topics![0], sender, pad(bridge)],
      data: numberToHex([0, 9_999, 10_000][n % 3]!, { size: 32 }),
      blockNumber: filter.toBlock,
      blockHash,
      transactionHash: blockHash,
      logIndex: numberToHex(1_000 + n),
    }));
    return [...(answer as unknown[]), ...logs];
  };
  const endpoints = [{ name: 'full', request }];
  const client = new ChainClient({ endpoints, chainId: TEST_CHAIN_ID, confirmations: 1 });
  const watcher = settlement.watcher(client);
  await readAll(watcher);
  expect(watcher.status).toMatchObject({ state: 'ok' });
  expect(new Set(asked).size).toBe(100);
  expect(most).toBeLessThanOrEqual(16);
  expect(Object.keys(watcher.status.book.pots)).toHaveLength(100);
});
