import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Hex, keccak256 } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { ChainDamagedError } from '../../packages/devchain/src/core/chain-lines.ts';
import { startChainThread } from '../../packages/devchain/src/start-chain-thread.ts';
import { chainAction, count, inFolder, perform, view } from '../support/chain-actions.ts';
import {
  CHAIN_ID,
  OTHER,
  UNFUNDED_KEY,
  FUNDED_KEY,
  openChain,
  payment,
} from '../support/local-chain.ts';

const RUNS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 16) / 4);

/** The number of responses before the kill. */
const KILLS = process.env['TEST_LONG'] === undefined ? [10] : [3, 7];

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const sizeOf = async (directory: string): Promise<number> =>
  (await stat(join(directory, 'chain.log'))).size;

test('a reopened chain has the same blocks and continues like the original', async () => {
  const history = fc.array(chainAction, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (actions, where) => {
      await inFolder(async (directory) => {
        const lived = await openChain(directory);
        const moments = [{ size: await sizeOf(directory), seen: await view(lived) }];
        for (const step of actions) {
          await perform(lived, step);
          moments.push({ size: await sizeOf(directory), seen: await view(lived) });
        }
        const [first, last] = [moments[0]?.size ?? 0, moments.at(-1)?.size ?? 0];

        const whole = `${directory}-whole`;
        await cp(directory, whole, { recursive: true });
        const opened = await openChain(whole, { isAutomining: false });
        expect(await view(opened)).toEqual(moments.at(-1)?.seen);
        await lived.setAutomine(false);
        expect((await opened.mine()).hash).toBe((await lived.mine()).hash);
        await Promise.all([opened.close(), lived.close()]);
        await rm(whole, { recursive: true });

        // A kill during a write leaves all acknowledged data and at most part of the pending write.
        const cut = first + (where % (last - first + 1));
        await truncate(join(directory, 'chain.log'), cut);
        const revived = await openChain(directory, { isAutomining: false });
        const size = await sizeOf(directory);
        const answered = moments.filter((moment) => moment.size <= cut).at(-1);
        if (size === answered?.size) expect(await view(revived)).toEqual(answered.seen);
        expect(size).toBeGreaterThanOrEqual(answered?.size ?? 0);
        const nonce = await count(revived, OTHER.address, 'latest');
        const raw = await payment(
          { nonce, maxFeePerGas: 5n * 10n ** 9n, maxPriorityFeePerGas: 5n },
          OTHER,
        );
        await revived.rpc('eth_sendRawTransaction', [raw]);
        expect((await revived.mine()).transactions.map(({ hash }) => hash)).toContain(
          keccak256(raw),
        );
        await revived.close();
      });
    }),
    { numRuns: RUNS },
  );
});

/**
 * Starts the chain with a file size limit, counted in blocks of 1,024 bytes, which simulates a full
 * disk.
 */
async function startChild(
  directory: string,
  fileBlocksMax = 'unlimited',
): Promise<{ child: ChildProcess; url: string }> {
  const program = new URL('../support/local-chain-child.ts', import.meta.url).pathname;
  const command = `ulimit -f ${fileBlocksMax}; exec "$0" "$@"`;
  const child = spawn('bash', ['-c', command, process.execPath, program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

async function post(url: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(url, { method: 'POST', body });
  return ((await reply.json()) as { result: unknown }).result;
}

/** Stores the transaction hash when it is returned, and the receipt later. */
async function sendAndAsk(url: string, raw: Hex, answered: Map<string, unknown>): Promise<void> {
  const hash = String(await post(url, 'eth_sendRawTransaction', [raw]));
  answered.set(hash, undefined);
  answered.set(hash, await post(url, 'eth_getTransactionReceipt', [hash]));
}

test('a killed chain has every acknowledged transaction in the block it reported', async () => {
  await inFolder(async (directory) => {
    const answered = new Map<string, unknown>();
    let nonce = 0;
    for (const killAfter of KILLS) {
      const { child, url } = await startChild(directory);
      nonce = Number(await post(url, 'eth_getTransactionCount', [FUNDED_KEY.address, 'latest']));
      const target = answered.size + killAfter;
      let isKilled = false;
      while (!isKilled) {
        const raw = await payment({ nonce, value: 1n });
        nonce += 1;
        const sent = sendAndAsk(url, raw, answered);
        if (answered.size >= target) {
          // The pending request may never get a response.
          child.kill('SIGKILL');
          isKilled = true;
        }
        await sent.catch(() => {});
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    expect(answered.size).toBeGreaterThanOrEqual(10);
    const chain = await openChain(directory);
    for (const [hash, receipt] of answered) {
      const now = await chain.rpc('eth_getTransactionReceipt', [hash]);
      expect(now).not.toBeNull();
      if (receipt !== undefined) expect(now).toEqual(receipt);
    }
    await chain.close();
  });
});

test('a chain on a full disk stores no partial data and keeps acknowledged transactions', async () => {
  await inFolder(async (directory) => {
    const { child, url } = await startChild(directory, '12');
    const answered: unknown[] = [];
    for (let nonce = 0; ; nonce += 1) {
      const hash = await post(url, 'eth_sendRawTransaction', [await payment({ nonce, value: 1n })]);
      if (hash === undefined) break;
      answered.push(hash);
    }
    expect(answered.length).toBeGreaterThan(2);
    const head = await post(url, 'eth_getBlockByNumber', ['latest', true]);
    const again = await payment({ nonce: answered.length, value: 2n });
    expect(await post(url, 'eth_sendRawTransaction', [again])).toBeUndefined();
    expect(await post(url, 'eth_getBlockByNumber', ['latest', true])).toEqual(head);
    expect(Number(await post(url, 'eth_getBalance', [UNFUNDED_KEY.address]))).toBe(answered.length);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const chain = await openChain(directory);
    expect(await chain.rpc('eth_getBlockByNumber', ['latest', true])).toEqual(head);
    expect(await chain.rpc('eth_sendRawTransaction', [again])).toBe(keccak256(again));
    await chain.close();
  });
});

test('a chain in a separate thread serves its port, keeps its data, and reports why it cannot start', async () => {
  await inFolder(async (directory) => {
    const options = {
      directory,
      chainId: CHAIN_ID,
      allocations: { [FUNDED_KEY.address]: 10n ** 18n },
    };
    const lost: Error[] = [];
    const start = async (chainId: number) =>
      await startChainThread({ ...options, chainId, listen: { port: 0 } }, (error) =>
        lost.push(error),
      );
    const first = await start(CHAIN_ID);
    const hash = await post(first.url, 'eth_sendRawTransaction', [
      await payment({ nonce: 0, value: 7n }),
    ]);
    await first.close();
    const second = await start(CHAIN_ID);
    expect(await post(second.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x1',
    });
    expect(await post(second.url, 'eth_getBalance', [UNFUNDED_KEY.address])).toBe('0x7');
    await second.close();
    const refused = await start(CHAIN_ID + 1).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ChainDamagedError);
    expect(String(refused)).toMatch(/contains chain 421614/);
    expect(lost).toEqual([]);
  });
});
