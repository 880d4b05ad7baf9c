import { expect, test } from 'vitest';
import type { ChainBlock, Hex } from './chain-block.ts';
import { ChainMemory, UNDO_BLOCKS_MAX } from './chain-memory.ts';
import { chainCommon, seal } from './machine.ts';
import { TransactionPool } from './transaction-pool.ts';
import { formatBalance } from './world-state.ts';

const ACCOUNT: Hex = `0x${'11'.repeat(20)}`;
const common = chainCommon(1);
const memory = new ChainMemory(new TransactionPool(common));

/** Returns a block that sets an account's balance to the block number. */
async function block(number: number): Promise<ChainBlock> {
  const parent = number === 0 ? undefined : memory.block(number - 1);
  const place = { number, parent, timestamp: number, baseFeePerGas: 1n, branch: 0 };
  return await seal(common, place, [], { [`a${ACCOUNT}`]: formatBalance(BigInt(number)) });
}

test('the states of the most recent blocks are kept, and all of these blocks can be undone', async () => {
  const newest = UNDO_BLOCKS_MAX + 5;
  memory.apply({ step: 'genesis', chainId: 1, block: await block(0) });
  for (let number = 1; number <= newest; number += 1)
    memory.apply({ step: 'block', block: await block(number) });
  const balanceAt = async (number: number): Promise<bigint> =>
    await memory.atBlock(number, async () => memory.state.account(ACCOUNT).balance);
  expect(memory.oldestState).toBe(5);
  expect(await balanceAt(5)).toBe(5n);
  expect(await balanceAt(newest - 1)).toBe(BigInt(newest - 1));
  await expect(balanceAt(4)).rejects.toThrow('the state of block 4 is no longer kept');
  expect(memory.state.account(ACCOUNT).balance).toBe(BigInt(newest));
  const undone = memory.block(6)?.hash as Hex;
  memory.apply({ step: 'rewind', to: 5 });
  expect(memory.state.account(ACCOUNT).balance).toBe(5n);
  expect([memory.head.number, memory.oldestState, memory.blockByHash(undone)]).toEqual([
    5,
    5,
    undefined,
  ]);
  expect(() => memory.apply({ step: 'rewind', to: 4 })).toThrow('cannot be reset any further');
});
