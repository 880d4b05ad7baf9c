import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Hex, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem';
import type { LocalChain } from '../../packages/devchain/src/local-chain.ts';
import { GUESTBOOK_ABI, GUESTBOOK_BYTECODE } from '../fixtures/guestbook/guestbook.ts';
import { CHAIN_ID, OTHER, UNFUNDED_KEY, FUNDED_KEY, payment } from './local-chain.ts';

const GUESTBOOK = getContractAddress({ from: FUNDED_KEY.address, nonce: 0n });

export type ChainAction =
  | {
      readonly kind: 'pay';
      readonly isRich: boolean;
      readonly ahead: number;
      readonly value: bigint;
    }
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'mine' }
  | { readonly kind: 'automine'; readonly isOn: boolean }
  | { readonly kind: 'reorg'; readonly depth: number; readonly rest: 'pool' | 'drop' };

export const chainAction: fc.Arbitrary<ChainAction> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      isRich: fc.boolean(),
      ahead: fc.constantFrom(0, 0, 0, 1, 2),
      value: fc.bigInt(0n, 1000n),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('sign' as const), text: fc.string({ maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mine' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('automine' as const), isOn: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 3 }),
      rest: fc.constantFrom('pool' as const, 'drop' as const),
    }),
  },
);

export const count = async (chain: LocalChain, sender: Hex, block: string): Promise<number> =>
  Number(await chain.rpc('eth_getTransactionCount', [sender, block]));

/** Performs a step and ignores its error, because a random step may be invalid. */
export async function perform(chain: LocalChain, step: ChainAction): Promise<void> {
  if (step.kind === 'mine') await chain.mine();
  else if (step.kind === 'automine') await chain.setAutomine(step.isOn);
  else if (step.kind === 'reorg') await chain.reorg(step.depth, step).catch(() => {});
  else {
    const isRich = step.kind === 'sign' || step.isRich;
    const account = isRich ? FUNDED_KEY : OTHER;
    const nonce = await count(chain, account.address, 'pending');
    const raw =
      step.kind === 'pay'
        ? await payment({ nonce: nonce + step.ahead, value: step.value }, account)
        : await guestbookCall(nonce, step.text);
    await chain.rpc('eth_sendRawTransaction', [raw]).catch(() => {});
  }
}

async function guestbookCall(nonce: number, text: string): Promise<Hex> {
  const plain = {
    type: 'eip1559',
    chainId: CHAIN_ID,
    gas: 1_000_000n,
    maxFeePerGas: 10n ** 9n,
    nonce,
  } as const;
  if (nonce === 0) {
    const data = encodeDeployData({ abi: GUESTBOOK_ABI, bytecode: GUESTBOOK_BYTECODE, args: [0n] });
    return await FUNDED_KEY.signTransaction({ ...plain, data });
  }
  const data = encodeFunctionData({ abi: GUESTBOOK_ABI, functionName: 'sign', args: [text] });
  return await FUNDED_KEY.signTransaction({ ...plain, data, to: GUESTBOOK });
}

/** Returns everything that a client can query from the chain. */
export async function view(chain: LocalChain): Promise<unknown> {
  const seen: unknown[] = [];
  for (let number = 0; number <= chain.head.number; number += 1) {
    const at = `0x${number.toString(16)}`;
    seen.push(await chain.rpc('eth_getBlockByNumber', [at, true]));
    seen.push(await chain.rpc('eth_getBlockReceipts', [at]));
    // The chain no longer serves the state at old blocks, so the error is compared instead.
    seen.push(await chain.rpc('eth_getBalance', [UNFUNDED_KEY.address, at]).catch(String));
  }
  for (const { address } of [FUNDED_KEY, OTHER, UNFUNDED_KEY]) {
    seen.push(await chain.rpc('eth_getBalance', [address]));
    seen.push(await count(chain, address, 'latest'), await count(chain, address, 'pending'));
  }
  seen.push(await chain.rpc('eth_getStorageAt', [GUESTBOOK, '0x1']));
  seen.push(await chain.rpc('eth_getCode', [GUESTBOOK]));
  seen.push(await chain.rpc('eth_getLogs', [{ fromBlock: '0x0' }]));
  seen.push(await chain.rpc('eth_getBlockByNumber', ['pending', true]));
  return seen;
}

export async function inFolder(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-chain-crash-'));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
