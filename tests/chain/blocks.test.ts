import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, encodeFunctionData, getContractAddress, keccak256 } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalChain } from '../../packages/devchain/src/local-chain.ts';
import { GUESTBOOK_ABI, GUESTBOOK_BYTECODE } from '../fixtures/guestbook/guestbook.ts';
import {
  CHAIN_ID,
  OTHER,
  FUNDED_KEY,
  type TestChain,
  openChain,
  payment,
  startChain,
} from '../support/local-chain.ts';

let world: TestChain;

beforeEach(async () => {
  world = await startChain();
});

afterEach(async () => await world.close());

const send = async (raw: Hex): Promise<Hex> =>
  (await world.chain.rpc('eth_sendRawTransaction', [raw])) as Hex;

const tip = (maxPriorityFeePerGas: bigint) => ({ maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas });

test("a block takes the highest tips first but keeps each sender's nonce order", async () => {
  const { chain } = world;
  await chain.setAutomine(false);
  const rich = [
    await send(await payment({ nonce: 0, ...tip(1n) })),
    await send(await payment({ nonce: 1, ...tip(9n) })),
  ];
  const other = [
    await send(await payment({ nonce: 0, ...tip(5n) }, OTHER)),
    await send(await payment({ nonce: 1, ...tip(2n) }, OTHER)),
  ];
  const waits = await send(await payment({ nonce: 3, ...tip(9n) }, OTHER));
  const pending = (await chain.rpc('eth_getBlockByNumber', ['pending', false])) as object;
  const block = await chain.mine();
  const order = [other[0], other[1], rich[0], rich[1]];
  expect(block.transactions.map(({ hash }) => hash)).toEqual(order);
  expect(pending).toMatchObject({ transactions: order, hash: null });
  const gas = block.transactions.map(({ cumulativeGasUsed }) => Number(cumulativeGasUsed));
  expect(gas).toEqual([21_000, 42_000, 63_000, 84_000]);
  expect(Number(block.gasUsed)).toBe(84_000);
  expect((await chain.mine()).transactions).toEqual([]);
  expect(await chain.rpc('eth_getTransactionByHash', [waits])).toMatchObject({ blockHash: null });
});

test('the logs in a block are numbered across all its transactions', async () => {
  const { chain, wallet } = world;
  await wallet.deployContract({ abi: GUESTBOOK_ABI, bytecode: GUESTBOOK_BYTECODE, args: [0n] });
  const to = getContractAddress({ from: FUNDED_KEY.address, nonce: 0n });
  const data = encodeFunctionData({ abi: GUESTBOOK_ABI, functionName: 'sign', args: ['x'] });
  const call = { type: 'eip1559', chainId: CHAIN_ID, to, data, gas: 200_000n, ...tip(0n) } as const;
  await chain.setAutomine(false);
  for (const nonce of [1, 2]) await send(await FUNDED_KEY.signTransaction({ ...call, nonce }));
  await send(await OTHER.signTransaction({ ...call, nonce: 0 }));
  const { number, hash } = await chain.mine();
  const logs = (await chain.rpc('eth_getLogs', [{ blockHash: hash }])) as Record<string, unknown>[];
  expect(logs.map(({ logIndex, transactionIndex }) => [logIndex, transactionIndex])).toEqual([
    ['0x0', '0x0'],
    ['0x1', '0x1'],
    ['0x2', '0x2'],
  ]);
  const receipts = await chain.rpc('eth_getBlockReceipts', [`0x${number.toString(16)}`]);
  expect((receipts as { logs: unknown[] }[]).flatMap((receipt) => receipt.logs)).toEqual(logs);
});

test('block time never goes back with the clock, even after a restart', async () => {
  const { chain, clock, directory } = world;
  const first = await chain.mine();
  clock.ms -= 5_000;
  expect((await chain.mine()).timestamp).toBe(first.timestamp);
  clock.ms += 7_000;
  const later = await chain.mine();
  expect(later.timestamp).toBe(first.timestamp + 2);
  await chain.close();
  clock.ms -= 60_000;
  const again = await openChain(directory, { clock });
  expect((await again.mine()).timestamp).toBe(later.timestamp);
  await again.close();
});

test('with an interval set, the chain automatically mines the transactions sent since the last block', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-chain-'));
  const allocations = { [FUNDED_KEY.address]: 10n ** 18n };
  const options = { directory, chainId: CHAIN_ID, nowMs: () => 0, allocations, intervalMs: 20 };
  const chain = await LocalChain.open(options);
  try {
    const raw = await payment({ nonce: 0 });
    const before = chain.head.number;
    expect(await chain.rpc('eth_sendRawTransaction', [raw])).toBe(keccak256(raw));
    let receipt: unknown = null;
    while (receipt === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      receipt = await chain.rpc('eth_getTransactionReceipt', [keccak256(raw)]);
    }
    while (chain.head.number < before + 3) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(chain.head.transactions).toEqual([]);
  } finally {
    await chain.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('pending transactions are executed after the chain is reopened', async () => {
  const { chain, directory } = world;
  await chain.setAutomine(false);
  const hash = await send(await payment({ nonce: 0 }));
  await chain.close();
  const again = await openChain(directory);
  expect(await again.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  await again.close();
});

test('eth_feeHistory up to the first block returns only that block, and accepts null as params', async () => {
  const { chain, url, close } = await startChain();
  for (let block = 0; block < 3; block += 1) await chain.mine();
  const earliest = (await chain.rpc('eth_feeHistory', ['0x4', 'earliest', [25, 75]])) as object;
  expect(earliest).toMatchObject({ oldestBlock: '0x0', gasUsedRatio: [0] });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: null });
  const reply = await fetch(url, { method: 'POST', body });
  expect(await reply.json()).toMatchObject({ result: '0x3' });
  await close();
});
