import { join } from 'node:path';
import fc from 'fast-check';
import { type Hex, keccak256, parseGwei, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { mintData, TEST_CHAIN_ID, BridgedChain } from '@oddlot/testing/custody/bridged-chain';
import { ChainClient } from '../chain/chain-client.ts';
import type { ChainEndpoint } from '../chain/endpoints.ts';
import { Relayer } from './relayer.ts';
import { SendJournal } from './send-journal.ts';

const receiver = (n: number): Hex => `0x${keccak256(toHex(`receiver ${n}`)).slice(-40)}`;

function relayerOf(
  settlement: BridgedChain,
  { client = settlement.client(2), file = 'minter.jsonl' } = {},
): Relayer {
  return new Relayer({
    client,
    account: privateKeyToAccount(settlement.keys.minter),
    file: join(settlement.directory, file),
    now: () => settlement.nowMs,
    bumpAfterMs: 30_000,
  });
}

/** Returns an endpoint of the chain that forges the response to one method. */
function claims(settlement: BridgedChain, method: string, result: Hex): ChainEndpoint {
  const request: ChainEndpoint['request'] = async (asked, params) =>
    asked === method ? result : await settlement.chain.rpc(asked, params);
  return { name: `${method} ${result}`, request };
}

test('a transaction that no block includes is resent with a higher fee and the same nonce', async () => {
  const settlement = await BridgedChain.open();
  const { chain } = settlement;
  await chain.setAutomine(false);
  const relayer = relayerOf(settlement);
  const data = mintData(receiver(1), 5n);
  const first = await relayer.submit({ key: 'a', to: settlement.contracts.token, data });
  await relayer.step();
  expect(relayer.find('a')?.attempts).toHaveLength(1);
  settlement.nowMs += 31_000;
  await relayer.step();
  const { attempts = [], nonce } = relayer.find('a') ?? {};
  expect(nonce).toBe(first.nonce);
  expect(attempts).toHaveLength(2);
  expect(BigInt(attempts[1]!.maxFee)).toBeGreaterThanOrEqual(
    (BigInt(attempts[0]!.maxFee) * 11n) / 10n,
  );
  await chain.mine();
  await relayer.step();
  expect(relayer.find('a')?.mined).toMatchObject({
    txHash: attempts[1]!.txHash,
    isConfirmed: false,
  });
  await chain.mine();
  await relayer.step();
  expect(relayer.find('a')?.mined).toMatchObject({ succeeded: true, isConfirmed: true });
  expect(relayer.waiting()).toEqual([]);
  expect(await settlement.balanceOf(receiver(1))).toBe(5n);
  relayer.close();
  await settlement.close();
});

describe('the tip of a transaction is limited', () => {
  const LIMIT = parseGwei('2');

  const tipsOf = async (settlement: BridgedChain, asked: readonly string[]) => {
    await settlement.chain.setAutomine(false);
    const endpoints = asked.map((gwei) =>
      claims(settlement, 'eth_maxPriorityFeePerGas', toHex(parseGwei(gwei))),
    );
    const relayer = relayerOf(settlement, {
      client: new ChainClient({
        endpoints,
        chainId: TEST_CHAIN_ID,
        confirmations: 2,
        maxPriorityFee: LIMIT,
      }),
    });
    const data = mintData(receiver(1), 5n);
    await relayer.submit({ key: 'a', to: settlement.contracts.token, data, gas: 200_000n });
    for (let round = 0; round < 6; round++) {
      settlement.nowMs += 31_000;
      await relayer.step();
    }
    return relayer;
  };

  test.each([
    { asked: ['400', '400', '1'], offered: ['2'] },
    { asked: ['1', '1', '400'], offered: ['1', '1.25', '1.56', '1.95'] },
  ])(
    'follows the suggestion of $asked gwei up to a limit and is offered as $offered',
    async (row) => {
      const settlement = await BridgedChain.open();
      const relayer = await tipsOf(settlement, row.asked);
      const { attempts = [], trouble } = relayer.find('a') ?? {};
      const tips = attempts.map(({ priorityFee }) => BigInt(priorityFee) / 10_000_000n);
      expect(tips).toEqual(row.offered.map((gwei) => parseGwei(gwei) / 10_000_000n));
      expect(trouble).toBe('a higher tip would exceed the limit of 2000000000 wei');
      for (const _ of [1, 2]) {
        await settlement.chain.mine();
        await relayer.step();
      }
      expect(relayer.find('a')).toMatchObject({ mined: { isConfirmed: true }, trouble: undefined });
      expect(await settlement.balanceOf(receiver(1))).toBe(5n);
      relayer.close();
      await settlement.close();
    },
  );
});

test('nonces used by other senders are reported, and no fees are paid for them', async () => {
  const settlement = await BridgedChain.open();
  const { address } = privateKeyToAccount(settlement.keys.minter);
  const used = await settlement.client(1).nonceOf(address, 'latest');
  const ahead = new ChainClient({
    endpoints: [claims(settlement, 'eth_getTransactionCount', toHex(used + 5))],
    chainId: TEST_CHAIN_ID,
    confirmations: 2,
  });
  const misled = relayerOf(settlement, { client: ahead, file: 'misled.jsonl' });
  const data = mintData(receiver(1), 5n);
  const request = { key: 'a', to: settlement.contracts.token, data, gas: 200_000n };
  const { usedBefore: _, ...record } = await misled.submit(request);
  misled.close();
  // This record was written by a release that did not store the number of used nonces.
  const journal = new SendJournal(join(settlement.directory, 'earlier.jsonl'));
  journal.put(record);
  journal.close();
  const relayer = relayerOf(settlement, { file: 'earlier.jsonl' });
  for (let round = 0; round < 3; round++) {
    await relayer.step();
    await settlement.chain.mine();
    expect(relayer.find('a')?.trouble).toBe(
      `nonces ${used} to ${used + 4} are unused, but this relayer never sent transactions with them`,
    );
    settlement.nowMs += 31_000;
  }
  expect(relayer.keys()).toEqual(['a']);
  expect(await settlement.client(1).nonceOf(address, 'latest')).toBe(used);
  relayer.close();
  await settlement.close();
});

test('a call that would revert is rejected before it is signed', async () => {
  const settlement = await BridgedChain.open();
  const relayer = new Relayer({
    client: settlement.client(1),
    account: privateKeyToAccount(settlement.keys.relayer),
    file: join(settlement.directory, 'relayer.jsonl'),
    now: () => settlement.nowMs,
  });
  const data = mintData(receiver(1), 5n);
  const asked = relayer.submit({ key: 'a', to: settlement.contracts.token, data });
  await expect(asked).rejects.toMatchObject({ name: 'ChainRevertError' });
  expect(relayer.find('a')).toBeUndefined();
  relayer.close();
  await settlement.close();
});

describe('a pending transaction can lose its nonce to another sender', () => {
  const mint = (settlement: BridgedChain) => {
    const data = mintData(receiver(1), 5n);
    return { key: 'a', to: settlement.contracts.token, data, gas: 200_000n };
  };

  /** Runs steps and mines blocks for five minutes of simulated time. */
  const live = async (settlement: BridgedChain, relayer: Relayer): Promise<void> => {
    for (let round = 0; round < 10; round++) {
      await relayer.step();
      await settlement.chain.mine();
      settlement.nowMs += 31_000;
    }
  };

  test('a transaction is not sent twice if an endpoint lacks only its receipt', async () => {
    const settlement = await BridgedChain.open();
    let isHidden = true;
    const endpointOf = (name: string, hides: boolean): ChainEndpoint => ({
      name,
      request: async (method, params) =>
        hides && isHidden && method === 'eth_getTransactionReceipt'
          ? null
          : await settlement.chain.rpc(method, params),
    });
    const endpoints = [endpointOf('behind', true), endpointOf('current', false)];
    const relayer = new Relayer({
      client: new ChainClient({ endpoints, chainId: TEST_CHAIN_ID, confirmations: 2 }),
      account: privateKeyToAccount(settlement.keys.minter),
      file: join(settlement.directory, 'minter.jsonl'),
      now: () => settlement.nowMs,
    });
    await relayer.submit(mint(settlement));
    await live(settlement, relayer);
    expect(relayer.find('a')).toMatchObject({ mined: undefined, attempts: [{}] });
    isHidden = false;
    await relayer.step();
    expect(relayer.find('a')?.mined).toMatchObject({ succeeded: true, isConfirmed: true });
    expect(await settlement.balanceOf(receiver(1))).toBe(5n);
    relayer.close();
    await settlement.close();
  });

  test('a transaction is replaced only once another transaction with its nonce has been confirmed', async () => {
    const settlement = await BridgedChain.open();
    const { chain } = settlement;
    await chain.setAutomine(false);
    const relayer = relayerOf(settlement);
    const first = await relayer.submit(mint(settlement));
    await chain.drop(first.attempts[0]!.txHash);
    const data = mintData(receiver(2), 7n);
    await settlement.send(settlement.keys.minter, { data, nonce: first.nonce });
    await chain.mine();
    settlement.nowMs += 300_000;
    for (const _ of [1, 2]) {
      // The relayer waits indefinitely, because a reorganisation can still restore the first
      // transaction.
      await relayer.step();
      settlement.nowMs += 300_000;
      expect(relayer.find('a')?.attempts).toHaveLength(1);
    }
    await live(settlement, relayer);
    expect(relayer.find('a')?.mined).toMatchObject({ succeeded: true, isConfirmed: true });
    expect(relayer.find('a')?.nonce).toBeGreaterThan(first.nonce);
    expect(await settlement.balanceOf(receiver(1))).toBe(5n);
    expect(await settlement.balanceOf(receiver(2))).toBe(7n);
    relayer.close();
    await settlement.close();
  });
});

type Step =
  | 'submit'
  | 'again'
  | 'step'
  | 'mine'
  | 'drop'
  | 'reorg'
  | 'kill'
  | 'wait'
  | 'down'
  | 'up';

test('in random histories of drops, reorganisations, kills and delays, each request is executed once', async () => {
  const step = fc.constantFrom<Step>(
    'submit',
    'submit',
    'again',
    'step',
    'step',
    'mine',
    'drop',
    'reorg',
    'kill',
    'wait',
    'down',
    'up',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const settlement = await BridgedChain.open();
      const { chain } = settlement;
      await chain.setAutomine(false);
      let relayer = relayerOf(settlement);
      let asked = 0;
      try {
        for (const each of steps) {
          if (each === 'submit' || each === 'again') {
            if (each === 'submit') asked += 1;
            const n = Math.max(1, asked);
            asked = n;
            const data = mintData(receiver(n), BigInt(n));
            const request = {
              key: `mint ${n}`,
              to: settlement.contracts.token,
              data,
              gas: 200_000n,
            };
            await relayer.submit(request).catch(() => undefined);
          } else if (each === 'step') await relayer.step().catch(() => undefined);
          else if (each === 'mine') await chain.mine();
          else if (each === 'drop') {
            const [first] = relayer.waiting();
            const txHash = first?.attempts.at(-1)?.txHash;
            if (txHash !== undefined) await chain.drop(txHash);
          } else if (each === 'reorg') await chain.reorg(1, { rest: 'drop' });
          else if (each === 'kill') {
            relayer.close();
            relayer = relayerOf(settlement);
          } else if (each === 'wait') settlement.nowMs += 31_000;
          else settlement.faults[0] = each === 'down' ? 'down' : 'none';
        }
        settlement.faults.fill('none');
        for (let n = 1; n <= asked; n++) {
          const data = mintData(receiver(n), BigInt(n));
          const request = { key: `mint ${n}`, to: settlement.contracts.token, data, gas: 200_000n };
          await relayer.submit(request);
        }
        for (let round = 0; round < 12 && relayer.waiting().length > 0; round++) {
          await relayer.step();
          await chain.mine();
          settlement.nowMs += 31_000;
        }
        expect(relayer.waiting()).toEqual([]);
        for (let n = 1; n <= asked; n++) {
          expect(await settlement.balanceOf(receiver(n))).toBe(BigInt(n));
        }
      } finally {
        relayer.close();
        await settlement.close();
      }
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) / 4 },
  );
});
