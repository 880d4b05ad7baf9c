import type { Block } from '@ethereumjs/block';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { type ChainBlock, type Hex, toQuantity } from '../core/chain-block.ts';
import type { ChainCore } from '../core/chain-core.ts';
import {
  blockView,
  findLogs,
  minedView,
  pendingBlockView,
  receiptView,
  sentView,
} from './rpc-views.ts';
import { invalidParams, refused, reverted } from '../core/rpc-error.ts';
import {
  type BlockReference,
  type CallRequest,
  isObject,
  readAddress,
  readBlockReference,
  readBytes,
  readCall,
  readHash,
  readQuantity,
  readSlot,
} from './rpc-params.ts';
import type { Common } from '@ethereumjs/common';
import { divFloor } from '@oddlot/units';
import { createTx } from '@ethereumjs/tx';
import type { RunTxResult } from '@ethereumjs/vm';
import type { ChainMemory } from '../core/chain-memory.ts';
import type { Machine } from '../core/machine.ts';

/**
 * A supported method. It is called with the chain and its parameters; only one call runs at a time.
 */
type RpcMethod = (core: ChainCore, params: readonly unknown[]) => unknown;

/** No tip is needed, because there is no competition for block space. */
const TIP_PER_GAS = 0n;

export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries<RpcMethod>({
    web3_clientVersion: () => 'oddlot-local-chain/1',
    net_version: ({ memory }) => String(memory.chainId),
    net_listening: () => true,
    eth_chainId: ({ memory }) => toQuantity(memory.chainId),
    eth_syncing: () => false,
    eth_accounts: () => [],
    eth_blockNumber: ({ memory }) => toQuantity(memory.head.number),
    eth_gasPrice: ({ memory }) => toQuantity(BigInt(memory.head.baseFeePerGas) + TIP_PER_GAS),
    eth_maxPriorityFeePerGas: () => toQuantity(TIP_PER_GAS),
    eth_feeHistory: ({ memory }, params) => feeHistory(memory, params),
    eth_getBalance: (core, [address, block]) =>
      onState(core, block, () =>
        toQuantity(core.memory.state.account(readAddress(address)).balance),
      ),
    eth_getTransactionCount: transactionCount,
    eth_getCode: (core, [address, block]) =>
      onState(core, block, async () =>
        bytesToHex(await core.memory.state.getCode(accountAt(address))),
      ),
    eth_getStorageAt: (core, [address, slot, block]) =>
      onState(core, block, async () => {
        const value = await core.memory.state.getStorage(
          accountAt(address),
          hexToBytes(readSlot(slot)),
        );
        return `0x${bytesToHex(value).slice(2).padStart(64, '0')}`;
      }),
    eth_call: call,
    eth_estimateGas: async (core, [request, block]) => {
      const reference =
        block === undefined ? { tag: 'pending' as const } : readBlockReference(block);
      const run = async (): Promise<Hex> =>
        toQuantity(await estimateGas(core, readCall(request), environmentOf(core, reference)));
      return await core.memory.atBlock(stateNumber(core, reference), run);
    },
    eth_getTransactionByHash: ({ memory, common }, [hash]) => {
      const key = readHash(hash);
      const place = memory.place(key);
      if (place !== undefined) return minedView(place, common);
      const pooled = memory.pool.get(key);
      return pooled === undefined ? null : sentView(pooled, common);
    },
    eth_getRawTransactionByHash: ({ memory }, [hash]) =>
      memory.place(readHash(hash))?.transaction.raw ?? memory.pool.get(readHash(hash))?.raw ?? null,
    eth_getTransactionByBlockNumberAndIndex: (core, [block, index]) =>
      transactionAt(core, findBlock(core, readBlockReference(block)), index),
    eth_getTransactionByBlockHashAndIndex: (core, [hash, index]) =>
      transactionAt(core, core.memory.blockByHash(readHash(hash)), index),
    eth_getTransactionReceipt: ({ memory }, [hash]) => {
      const place = memory.place(readHash(hash));
      return place === undefined ? null : receiptView(place);
    },
    eth_getBlockReceipts: (core, [block]) => {
      const found = findBlock(core, readBlockReference(block));
      if (found === undefined) return null;
      return found.transactions.map((transaction, index) =>
        receiptView({ block: found, index, transaction }),
      );
    },
    eth_getBlockByNumber: (core, [block, isFull]) => {
      const reference = readBlockReference(block);
      if ('tag' in reference && reference.tag === 'pending')
        return pendingBlock(core, isFull === true);
      const found = findBlock(core, reference);
      return found === undefined ? null : blockView(found, isFull === true, core.common);
    },
    eth_getBlockByHash: ({ memory, common }, [hash, isFull]) => {
      const found = memory.blockByHash(readHash(hash));
      return found === undefined ? null : blockView(found, isFull === true, common);
    },
    eth_getBlockTransactionCountByNumber: (core, [block]) => {
      const found = findBlock(core, readBlockReference(block));
      return found === undefined ? null : toQuantity(found.transactions.length);
    },
    eth_getBlockTransactionCountByHash: ({ memory }, [hash]) => {
      const found = memory.blockByHash(readHash(hash));
      return found === undefined ? null : toQuantity(found.transactions.length);
    },
    eth_getLogs: ({ memory }, [filter]) => findLogs(memory, filter),
  }),
);

/**
 * Returns the nonce of an account. The pending count includes executable transactions in the pool.
 */
async function transactionCount(
  core: ChainCore,
  [address, block]: readonly unknown[],
): Promise<Hex> {
  const sender = readAddress(address);
  const reference = readBlockReference(block);
  const { memory } = core;
  return await onState(core, block, () => {
    let { nonce } = memory.state.account(sender);
    if ('tag' in reference && reference.tag === 'pending')
      while (memory.pool.at(sender, nonce) !== undefined) nonce += 1n;
    return toQuantity(nonce);
  });
}

async function call(
  core: ChainCore,
  [request, block, overrides]: readonly unknown[],
): Promise<Hex> {
  if (isObject(overrides) && Object.keys(overrides).length > 0)
    throw invalidParams('state overrides are not supported');
  const { from = ZERO_ADDRESS, to, data, value, gas } = readCall(request);
  const reference = readBlockReference(block);
  const message = {
    caller: createAddressFromString(from),
    data: hexToBytes(data),
    value,
    gasLimit: gas === undefined || gas > TRANSACTION_GAS_MAX ? TRANSACTION_GAS_MAX : gas,
    ...(to === undefined ? {} : { to: createAddressFromString(to) }),
  };
  return await core.memory.atBlock(stateNumber(core, reference), async () => {
    const result = await core.machine.call(message, environmentOf(core, reference));
    const failure = result.exceptionError?.error;
    if (failure === 'revert') throw reverted(bytesToHex(result.returnValue));
    if (failure === 'insufficient balance') throw refused('insufficient funds for transfer');
    if (failure !== undefined) throw refused(failure);
    return bytesToHex(result.returnValue);
  });
}

/**
 * Returns the block environment of a call. For the newest block, it uses the current time: on
 * another chain, blocks would have been mined in the meantime, and a call that has become due must
 * not fail.
 */
function environmentOf(core: ChainCore, reference: BlockReference): Block {
  const next = core.nextPlace;
  const block = findBlock(core, reference);
  if (block === undefined) return core.machine.environment(next);
  const isNewest = block.number === core.memory.head.number;
  return core.machine.environment({
    ...next,
    number: block.number,
    parent: core.memory.block(block.number - 1),
    timestamp: isNewest ? next.timestamp : block.timestamp,
  });
}

async function onState<Result>(
  core: ChainCore,
  block: unknown,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  const number = stateNumber(core, readBlockReference(block));
  return await core.memory.atBlock(number, async () => await read());
}

function stateNumber(core: ChainCore, reference: BlockReference): number {
  if ('tag' in reference && reference.tag === 'pending') return core.memory.head.number;
  const block = findBlock(core, reference);
  if (block === undefined) throw refused('header not found');
  if (block.number < core.memory.oldestState)
    throw refused(`missing trie node: the state of block ${block.number} is no longer kept`);
  return block.number;
}

/** Returns undefined for an unknown block, and for the pending block, which does not exist yet. */
function findBlock({ memory }: ChainCore, reference: BlockReference): ChainBlock | undefined {
  if ('hash' in reference) return memory.blockByHash(reference.hash);
  if ('number' in reference) return memory.block(Number(reference.number));
  if (reference.tag === 'earliest') return memory.block(0);
  return reference.tag === 'latest' ? memory.head : undefined;
}

function pendingBlock({ memory, common, nextTimestamp }: ChainCore, isFull: boolean): unknown {
  const nonceOf = (sender: Hex): bigint => memory.state.account(sender).nonce;
  const ready = memory.pool.ready(nonceOf, BigInt(memory.head.baseFeePerGas));
  const transactions = ready.map((pooled) => (isFull ? sentView(pooled, common) : pooled.hash));
  return pendingBlockView(memory.head, nextTimestamp, transactions);
}

function transactionAt(
  { common }: ChainCore,
  block: ChainBlock | undefined,
  position: unknown,
): unknown {
  const index = Number(readQuantity(position, 'index'));
  const transaction = block?.transactions[index];
  if (block === undefined || transaction === undefined) return null;
  return minedView({ block, index, transaction }, common);
}

const accountAt = (address: unknown): ReturnType<typeof createAddressFromString> =>
  createAddressFromString(readBytes(address, 'address', 20));

/** The maximum gas of one transaction under the rules of the Osaka fork. */
const TRANSACTION_GAS_MAX = 16_777_216n;
const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;
const TRANSFER_GAS = 21_000n;

/**
 * Returns the minimum gas with which a transaction succeeds. It can exceed the gas used, because a
 * program withholds part of its remaining gas from calls, and refunds come last. The search starts
 * at the gas used, which is usually close, and then bisects to a precision of one part in 64.
 */
async function estimateGas(
  { memory, machine, common }: { memory: ChainMemory; machine: Machine; common: Common },
  request: CallRequest,
  environment: Block,
): Promise<bigint> {
  const limit = mostGas(memory, request);
  const trial = async (gas: bigint): Promise<RunTxResult | undefined> =>
    await runOnce({ memory, machine, common }, request, environment, gas);
  const most = await trial(limit);
  if (most === undefined) throw refused(`gas required exceeds allowance (${limit})`);
  const failure = most.execResult.exceptionError?.error;
  if (failure === 'revert') throw reverted(bytesToHex(most.execResult.returnValue));
  if (failure === 'out of gas') throw refused(`gas required exceeds allowance (${limit})`);
  if (failure !== undefined) throw refused(failure);
  let [tooLittle, enough] = [most.totalGasSpent - 1n, limit];
  let next = most.totalGasSpent;
  let more = divFloor(most.totalGasSpent, 128n) + 1n;
  while (enough - tooLittle > 1n && (enough - tooLittle) * 64n > enough) {
    const result = await trial(next);
    const isEnough = result !== undefined && result.execResult.exceptionError === undefined;
    if (isEnough) enough = next;
    else tooLittle = next;
    const isBounded = isEnough || enough < limit;
    if (!isBounded) more *= 4n;
    const middle = divFloor(tooLittle + enough, 2n);
    const above = tooLittle + more;
    next = isBounded || above > middle ? middle : above;
  }
  return enough;
}

/** Returns the sender's gas limit, reduced to what its balance can pay for. */
function mostGas(memory: ChainMemory, { from, value, gas, maxFeePerGas }: CallRequest): bigint {
  const requested = gas ?? TRANSACTION_GAS_MAX;
  const most = requested < TRANSACTION_GAS_MAX ? requested : TRANSACTION_GAS_MAX;
  const { balance } = memory.state.account(from ?? ZERO_ADDRESS);
  if (value > balance)
    throw refused(`insufficient funds for transfer: address ${from} have ${balance} want ${value}`);
  if (maxFeePerGas === undefined || maxFeePerGas === 0n) return most;
  const payable = divFloor(balance - value, maxFeePerGas);
  if (payable < TRANSFER_GAS)
    throw refused(
      `insufficient funds for gas * price + value: address ${from} have ${balance} want ${TRANSFER_GAS * maxFeePerGas + value}`,
    );
  return payable < most ? payable : most;
}

/**
 * Executes a transaction with this amount of gas. Returns undefined if the gas does not cover the
 * transaction's base cost.
 */
async function runOnce(
  { memory, machine, common }: { memory: ChainMemory; machine: Machine; common: Common },
  { from = ZERO_ADDRESS, to, data, value, accessList }: CallRequest,
  environment: Block,
  gas: bigint,
): Promise<RunTxResult | undefined> {
  const price = environment.header.baseFeePerGas ?? 0n;
  const fields = { data, value, nonce: memory.state.account(from).nonce, gasLimit: gas };
  const fees = { maxFeePerGas: price, maxPriorityFeePerGas: 0n };
  const list = accessList.map(({ address, storageKeys }) => ({
    address,
    storageKeys: [...storageKeys],
  }));
  const transaction = createTx(
    { type: 2, ...fields, ...fees, accessList: list, ...(to === undefined ? {} : { to }) },
    { common, freeze: false },
  );
  // The transaction has no signature, so its sender is set explicitly.
  Object.assign(transaction, { getSenderAddress: () => createAddressFromString(from) });
  memory.state.begin();
  try {
    return await machine.trial(transaction, environment);
  } catch (error) {
    if (error instanceof Error && /gas/i.test(error.message)) return undefined;
    throw refused(error instanceof Error ? error.message : String(error));
  } finally {
    memory.state.undo();
  }
}

const BLOCKS_MAX = 1024n;
const PERCENTILES_MAX = 100;

/**
 * Returns recent gas prices (`eth_feeHistory`). The base fee is constant, and the tips are those
 * offered.
 */
function feeHistory(
  memory: ChainMemory,
  [count, newest, percentiles = []]: readonly unknown[],
): unknown {
  const requested =
    typeof count === 'number' ? BigInt(Math.trunc(count)) : readQuantity(count, 'blockCount');
  const reference = readBlockReference(newest);
  const last = numberOf(memory, reference);
  if (last > memory.head.number) throw refused('request beyond head block');
  const ranks = readPercentiles(percentiles);
  const length = Math.min(Number(requested < BLOCKS_MAX ? requested : BLOCKS_MAX), last + 1);
  const blocks = Array.from({ length }, (_, at) => memory.block(last + 1 - length + at)).filter(
    (block) => block !== undefined,
  );
  const baseFee = memory.head.baseFeePerGas;
  return {
    oldestBlock: toQuantity(last + 1 - length),
    baseFeePerGas: [...blocks.map((block) => block.baseFeePerGas), baseFee],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    ...(ranks.length === 0 ? {} : { reward: blocks.map((block) => tipsAt(block, ranks)) }),
  };
}

function numberOf(memory: ChainMemory, reference: BlockReference): number {
  if ('number' in reference) return Number(reference.number);
  if ('hash' in reference) throw invalidParams('newestBlock must be a number or a name');
  return reference.tag === 'earliest' ? 0 : memory.head.number;
}

function readPercentiles(value: unknown): readonly number[] {
  if (value === null) return [];
  const isFit = (rank: unknown): rank is number =>
    typeof rank === 'number' && rank >= 0 && rank <= 100;
  if (!Array.isArray(value) || value.length > PERCENTILES_MAX || !value.every(isFit))
    throw invalidParams('rewardPercentiles must be a list of numbers from 0 to 100');
  const falls = value.some((rank: number, at) => at > 0 && rank <= (value[at - 1] as number));
  if (falls) throw invalidParams('rewardPercentiles must be in ascending order');
  return value;
}

/** Returns the tips at given percentiles of a block's gas, cheapest first. */
function tipsAt(
  { transactions, baseFeePerGas, gasUsed }: ChainBlock,
  ranks: readonly number[],
): Hex[] {
  const tips = transactions
    .map((transaction) => ({
      tip: BigInt(transaction.effectiveGasPrice) - BigInt(baseFeePerGas),
      gas: Number(transaction.gasUsed),
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : 1));
  return ranks.map((rank) => {
    let sum = 0;
    const found = tips.find(({ gas }) => (sum += gas) >= (Number(gasUsed) * rank) / 100);
    return toQuantity(found?.tip ?? 0n);
  });
}
