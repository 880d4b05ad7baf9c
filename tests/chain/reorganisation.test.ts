import { JsonRpcProvider } from 'ethers';
import { type Hex, keccak256 } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GUESTBOOK_ABI, GUESTBOOK_BYTECODE } from '../fixtures/guestbook/guestbook.ts';
import {
  OTHER,
  UNFUNDED_KEY,
  FUNDED_KEY,
  type TestChain,
  openChain,
  payment,
  startChain,
} from '../support/local-chain.ts';

let world: TestChain;
let provider: JsonRpcProvider;

beforeEach(async () => {
  world = await startChain();
  provider = new JsonRpcProvider(world.url, undefined, { cacheTimeout: -1 });
});

afterEach(async () => {
  provider.destroy();
  await world.close();
});

const send = async (raw: Hex): Promise<Hex> =>
  (await world.chain.rpc('eth_sendRawTransaction', [raw])) as Hex;

test('both clients see a transaction disappear with its block and the amount come back', async () => {
  const { chain, reads } = world;
  await send(await payment({ nonce: 0, value: 1n }));
  const base = chain.head;
  const hash = await send(await payment({ nonce: 1, value: 10n }));
  const removed = chain.head;
  await chain.reorg(1);
  expect(chain.head.number).toBe(removed.number + 1);
  expect((await reads.getBlock({ blockNumber: BigInt(base.number) })).hash).toBe(base.hash);
  const replaced = await reads.getBlock({ blockNumber: BigInt(removed.number) });
  expect(replaced).toMatchObject({ parentHash: base.hash, transactions: [] });
  expect(replaced.hash).not.toBe(removed.hash);
  await expect(reads.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/);
  await expect(reads.getBlock({ blockHash: removed.hash })).rejects.toThrow(/could not be found/);
  expect(await provider.getTransactionReceipt(hash)).toBeNull();
  expect((await provider.getBlock(removed.number))?.hash).toBe(replaced.hash);
  expect(await provider.getBalance(UNFUNDED_KEY.address)).toBe(1n);
  expect(await provider.getTransactionCount(FUNDED_KEY.address, 'pending')).toBe(1);
});

test('a transaction that moves to another block keeps its hash and changes its position', async () => {
  const { chain, reads } = world;
  const raw = await payment({ nonce: 0, value: 10n });
  const hash = await send(raw);
  const before = await reads.getTransactionReceipt({ hash });
  await chain.reorg(1, { blocks: [[], [], [raw]] });
  const after = await reads.getTransactionReceipt({ hash });
  expect(after.blockNumber).toBe(before.blockNumber + 2n);
  expect(after.blockHash).not.toBe(before.blockHash);
  expect((await provider.getTransactionReceipt(hash))?.blockNumber).toBe(Number(after.blockNumber));
});

test('identical transactions at identical positions give different block hashes on another branch', async () => {
  const { chain } = world;
  const raw = await payment({ nonce: 0, value: 10n });
  await send(raw);
  const before = chain.head;
  await chain.reorg(1, { blocks: [[raw]] });
  const after = await world.reads.getBlock({ blockNumber: BigInt(before.number) });
  expect(after.transactions).toEqual(before.transactions.map(({ hash }) => hash));
  expect(after.stateRoot).toBe(before.stateRoot);
  expect(after.hash).not.toBe(before.hash);
});

test('another transaction can replace the one that was reverted', async () => {
  const { chain, reads } = world;
  const hash = await send(await payment({ nonce: 0, value: 10n }));
  const instead = await payment({ nonce: 0, value: 3n });
  await chain.reorg(1, { blocks: [[instead]], rest: 'pool' });
  expect((await reads.getTransactionReceipt({ hash: keccak256(instead) })).status).toBe('success');
  await expect(reads.getTransaction({ hash })).rejects.toThrow(/could not be found/);
  expect(await reads.getBalance({ address: UNFUNDED_KEY.address })).toBe(3n);
});

test('transactions missing from the new branch return to the pool on request', async () => {
  const { chain, reads } = world;
  await chain.setAutomine(false);
  const first = await send(await payment({ nonce: 0 }));
  const other = await send(await payment({ nonce: 0 }, OTHER));
  await chain.mine();
  await chain.reorg(1, { rest: 'pool' });
  for (const hash of [first, other])
    expect(await reads.getTransaction({ hash })).toMatchObject({ blockHash: null });
  expect(await chain.drop(first)).toBe(true);
  expect(await chain.drop(first)).toBe(false);
  const block = await chain.mine();
  expect(block.transactions.map(({ hash }) => hash)).toEqual([other]);
});

test('logs from reverted blocks are removed, and those from the new branch appear', async () => {
  const { chain, reads, wallet } = world;
  const hash = await wallet.deployContract({
    abi: GUESTBOOK_ABI,
    bytecode: GUESTBOOK_BYTECODE,
    args: [0n],
  });
  const address = (await reads.getTransactionReceipt({ hash })).contractAddress as Hex;
  const call = { address, abi: GUESTBOOK_ABI, functionName: 'sign' } as const;
  for (const text of ['one', 'two', 'three']) await wallet.writeContract({ ...call, args: [text] });
  const texts = async (): Promise<unknown[]> => {
    const events = { address, abi: GUESTBOOK_ABI, eventName: 'Signed', fromBlock: 0n } as const;
    return (await reads.getContractEvents(events)).map(({ args }) => [args.page, args.text]);
  };
  expect(await texts()).toEqual([
    [0n, 'one'],
    [1n, 'two'],
    [2n, 'three'],
  ]);
  const old = await reads.getLogs({ fromBlock: 0n });
  await chain.reorg(2);
  expect(await texts()).toEqual([[0n, 'one']]);
  const lost = old.at(-1)?.blockHash as Hex;
  await expect(reads.getLogs({ blockHash: lost })).rejects.toThrow(/unknown block/);
  await wallet.writeContract({ ...call, args: ['other'] });
  expect(await texts()).toEqual([
    [0n, 'one'],
    [1n, 'other'],
  ]);
});

test('a branch that cannot be executed is rejected and leaves the chain unchanged', async () => {
  const { chain } = world;
  const hash = await send(await payment({ nonce: 0, value: 1n }));
  const gap = await payment({ nonce: 5 });
  await expect(chain.reorg(1, { blocks: [[gap]], rest: 'pool' })).rejects.toThrow(/nonce/);
  expect(chain.head.number).toBe(2);
  expect(await chain.rpc('eth_getTransactionByHash', [hash])).toMatchObject({ blockHash: null });
});

test('a chain cannot be reverted past its first block', async () => {
  const { chain } = world;
  await send(await payment({ nonce: 0 }));
  await expect(chain.reorg(2)).rejects.toThrow(/can be reset to block 0/);
  await expect(chain.reorg(0)).rejects.toThrow(/reset/);
});

test('a reorganised chain has the same blocks after it is reopened', async () => {
  const { chain, directory } = world;
  for (let nonce = 0; nonce < 4; nonce += 1) await send(await payment({ nonce, value: 1n }));
  await chain.reorg(3, { blocks: [[await payment({ nonce: 1, value: 50n })]] });
  await send(await payment({ nonce: 2, value: 5n }));
  const head = chain.head;
  await chain.close();
  const again = await openChain(directory);
  expect(again.head).toEqual(head);
  expect(await again.rpc('eth_getBalance', [UNFUNDED_KEY.address])).toBe('0x38');
  expect(await again.rpc('eth_getBalance', [UNFUNDED_KEY.address, '0x1'])).toBe('0x1');
  await again.reorg(2);
  expect(again.head.number).toBe(head.number + 1);
  await again.close();
});
