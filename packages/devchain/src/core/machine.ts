import {
  type Block,
  createBlock,
  createBlockHeader,
  genTransactionsTrieRoot,
} from '@ethereumjs/block';
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, EVMError, type EVMResult } from '@ethereumjs/evm';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import type { TypedTransaction } from '@ethereumjs/tx';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import { Bloom, createVM, encodeReceipt, runTx, type RunTxResult, type VM } from '@ethereumjs/vm';
import {
  type ChainBlock,
  type ChainLog,
  type Hex,
  type MinedTransaction,
  toQuantity,
} from './chain-block.ts';
import type { ChainMemory } from './chain-memory.ts';
import { type PooledTransaction, tipOf } from './transaction-pool.ts';
import { stateDigest, type Writes } from './world-state.ts';
import { createRequire } from 'node:module';

/**
 * Executes programs on the chain's state. The machine does not change the state; it returns the
 * changes made by a block.
 */

const BLOCK_GAS_MAX = 30_000_000n;
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

export type BlockPlace = {
  readonly number: number;
  readonly parent: ChainBlock | undefined;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  /** Distinguishes the blocks of a new branch from those it replaced. */
  readonly branch: number;
};

/**
 * A transaction that could not be executed at all. It stays in the pool, unless it exceeded the
 * time limit.
 */
type Unexecuted = { readonly hash: Hex; readonly why: string; readonly isTooLong: boolean };

export function chainCommon(chainId: number): Common {
  const ecrecover = nativeRecoverKey();
  const customCrypto = ecrecover === undefined ? {} : { ecrecover };
  const options = { hardfork: Hardfork.Osaka, customCrypto };
  return createCustomCommon({ chainId, name: 'oddlot' }, Mainnet, options);
}

export class Machine {
  readonly #common: Common;
  readonly #memory: ChainMemory;
  readonly #vm: VM;
  readonly #evm: EVM;
  readonly #clock = new ProgramClock();

  private constructor(common: Common, memory: ChainMemory, vm: VM, evm: EVM) {
    this.#common = common;
    this.#memory = memory;
    this.#vm = vm;
    this.#evm = evm;
    this.#clock.watch(evm);
  }

  /**
   * Limits the thread time used by all calls within `run` together, and by each transaction
   * separately. A call that exceeds the limit fails with an `OutOfTimeError`.
   */
  within<Result>(boundMs: number, run: () => Promise<Result>): Promise<Result> {
    return this.#clock.within(boundMs, run);
  }

  static async create(common: Common, memory: ChainMemory): Promise<Machine> {
    const blockchain = {
      getBlock: async (number: number) => ({
        hash: () => hexToBytes(memory.block(number)?.hash ?? ZERO_HASH),
      }),
      putBlock: async () => {},
      shallowCopy: () => blockchain,
    };
    const stateManager = memory.state;
    const evm = await createEVM({ common, stateManager, blockchain });
    const vm = await createVM({ common, stateManager, blockchain, evm });
    return new Machine(common, memory, vm, evm);
  }

  /** Returns the next block with as many transactions as are executable and fit. */
  async makeBlock(
    place: BlockPlace,
    candidates: readonly PooledTransaction[],
  ): Promise<{ readonly block: ChainBlock; readonly unexecuted: readonly Unexecuted[] }> {
    const { state } = this.#memory;
    const environment = this.environment(place);
    const executed: { readonly pooled: PooledTransaction; readonly result: RunTxResult }[] = [];
    const unexecuted: Unexecuted[] = [];
    let gasUsed = 0n;
    state.begin();
    try {
      for (const pooled of candidates) {
        if (gasUsed + pooled.transaction.gasLimit > BLOCK_GAS_MAX) continue;
        state.begin();
        try {
          const result = await this.#run(pooled.transaction, environment, gasUsed);
          gasUsed += result.totalGasSpent;
          executed.push({ pooled, result });
          await state.commit();
        } catch (error) {
          state.undo();
          const isTooLong = error instanceof OutOfTimeError;
          unexecuted.push({ hash: pooled.hash, why: messageOf(error), isTooLong });
        }
      }
      return { block: await seal(this.#common, place, executed, state.written()), unexecuted };
    } finally {
      state.undoAll();
    }
  }

  /** Executes a message without a transaction, on the state that `atBlock` has set. */
  async call(
    message: Parameters<EVM['runCall']>[0],
    environment: Block,
  ): Promise<EVMResult['execResult']> {
    try {
      const { execResult } = await this.#clock.inTime(() =>
        this.#evm.runCall({ ...message, block: environment }),
      );
      return execResult;
    } finally {
      this.#evm.journal.cleanJournal();
      this.#evm.transientStorage.clear();
      this.#memory.state.originalStorageCache.clear();
    }
  }

  /** Executes a transaction without checking its signature. The caller undoes its changes. */
  async trial(transaction: TypedTransaction, environment: Block): Promise<RunTxResult> {
    return await this.#clock.inTime(() =>
      runTx(this.#vm, {
        tx: transaction,
        block: environment,
        skipBalance: true,
        skipNonce: true,
        skipHardForkValidation: true,
      }),
    );
  }

  /** Returns the block environment in which programs run. */
  environment({ number, parent, timestamp, baseFeePerGas }: BlockPlace): Block {
    const header = {
      number,
      timestamp,
      baseFeePerGas,
      gasLimit: BLOCK_GAS_MAX,
      parentHash: parent?.hash ?? ZERO_HASH,
      mixHash: parent?.hash ?? ZERO_HASH,
    };
    return createBlock({ header }, { common: this.#common, skipConsensusFormatValidation: true });
  }

  async #run(
    transaction: TypedTransaction,
    environment: Block,
    blockGasUsed: bigint,
  ): Promise<RunTxResult> {
    this.#clock.restart();
    const options = { tx: transaction, block: environment, blockGasUsed };
    return await this.#clock.inTime(() =>
      runTx(this.#vm, { ...options, skipHardForkValidation: true }),
    );
  }
}

/** Returns the block that results from the execution. Its hash commits to all its content. */
export async function seal(
  common: Common,
  place: BlockPlace,
  executed: readonly { readonly pooled: PooledTransaction; readonly result: RunTxResult }[],
  writes: Writes,
): Promise<ChainBlock> {
  const { number, parent, timestamp, baseFeePerGas } = place;
  const receipts = new MerklePatriciaTrie();
  const bloom = new Bloom();
  for (const [index, { pooled, result }] of executed.entries()) {
    const encoded = encodeReceipt(result.receipt, pooled.transaction.type);
    await receipts.put(RLP.encode(index), encoded);
    bloom.or(result.bloom);
  }
  const transactions = executed.map(({ pooled, result }) => mined(pooled, result, baseFeePerGas));
  const transactionsTrie = await genTransactionsTrieRoot(
    executed.map(({ pooled }) => pooled.transaction),
  );
  const fields = {
    parentHash: parent?.hash ?? ZERO_HASH,
    stateRoot: stateDigest(parent?.stateRoot ?? ZERO_HASH, writes),
    logsBloom: bytesToHex(bloom.bitvector),
    gasUsed: transactions.at(-1)?.cumulativeGasUsed ?? toQuantity(0),
    gasLimit: toQuantity(BLOCK_GAS_MAX),
    baseFeePerGas: toQuantity(baseFeePerGas),
    extraData: bytesToHex(RLP.encode(place.branch)),
  };
  const roots = { transactionsTrie, receiptTrie: receipts.root(), mixHash: fields.parentHash };
  const header = createBlockHeader(
    { ...fields, ...roots, number, timestamp },
    { common, skipConsensusFormatValidation: true },
  );
  return {
    ...fields,
    number,
    timestamp,
    hash: bytesToHex(header.hash()),
    transactionsRoot: bytesToHex(transactionsTrie),
    receiptsRoot: bytesToHex(receipts.root()),
    size: header.serialize().length + transactions.reduce((sum, { raw }) => sum + bytesIn(raw), 0),
    transactions,
    writes,
  };
}

function mined(
  { hash, raw, from, transaction }: PooledTransaction,
  result: RunTxResult,
  baseFee: bigint,
): MinedTransaction {
  return {
    hash,
    raw,
    from,
    isSuccess: result.execResult.exceptionError === undefined,
    type: toQuantity(transaction.type),
    to: (transaction.to?.toString() as Hex | undefined) ?? null,
    gasUsed: toQuantity(result.totalGasSpent),
    cumulativeGasUsed: toQuantity(result.receipt.cumulativeBlockGasUsed),
    effectiveGasPrice: toQuantity(baseFee + tipOf(transaction, baseFee)),
    contractAddress: (result.createdAddress?.toString() as Hex | undefined) ?? null,
    logsBloom: bytesToHex(result.bloom.bitvector),
    logs: result.receipt.logs.map(([address, topics, data]): ChainLog => ({
      address: bytesToHex(address),
      topics: topics.map((topic) => bytesToHex(topic)),
      data: bytesToHex(data),
    })),
  };
}

const bytesIn = (hex: Hex): number => (hex.length - 2) / 2;

/**
 * Removes the location in brackets that the library appends, because it does not help the sender.
 */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(vm hf=.*/s, '');
}

/** The number of program steps between two checks of the clock. */
const STEPS_PER_LOOK = 512;

/**
 * The precompiled programs that take milliseconds per chunk of input, with the chunk length in
 * bytes.
 */
const EXPENSIVE_PROGRAMS: Readonly<Record<string, number>> = {
  // These programs compute BN254 pairings, and BLS12-381 multi-scalar products and pairings.
  '0000000000000000000000000000000000000008': 192,
  '000000000000000000000000000000000000000c': 160,
  '000000000000000000000000000000000000000e': 288,
  '000000000000000000000000000000000000000f': 384,
};
/**
 * The number of chunks that a time-limited program can use, because a precompiled program cannot be
 * interrupted.
 */
const EXPENSIVE_PIECES_MAX = 8;

export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

/** Stops programs that exceed their limit of thread time, in milliseconds. */
class ProgramClock {
  #boundMs = Infinity;
  #startedMs = 0;
  #steps = 0;
  #isOutOfTime = false;

  /**
   * Checks the time limit at each step of a program. The machine calls `listenerCount` before each
   * step, so this method replaces that function; a listener would make a step several times slower.
   * Once the limit is exceeded, each frame ends as if it had run out of gas.
   */
  watch(evm: EVM): void {
    const { events, precompiles } = evm;
    const countOf = events.listenerCount.bind(events);
    events.listenerCount = (name, ...rest): number => {
      if (name === 'step') this.#step();
      return countOf(name, ...rest);
    };
    for (const [address, pieceBytes] of Object.entries(EXPENSIVE_PROGRAMS)) {
      const run = precompiles.get(address);
      if (run === undefined) continue;
      precompiles.set(address, (input) => {
        const isExpensive = input.data.length > EXPENSIVE_PIECES_MAX * pieceBytes;
        if (this.#boundMs === Infinity || !isExpensive) return run(input);
        this.#isOutOfTime = true;
        const exceptionError = new EVMError(EVMError.errorMessages.OUT_OF_GAS);
        const returnValue = new Uint8Array(0);
        return { returnValue, executionGasUsed: input.gasLimit, exceptionError };
      });
    }
  }

  /** Runs programs that together may use at most the given thread time, in milliseconds. */
  async within<Result>(boundMs: number, run: () => Promise<Result>): Promise<Result> {
    this.#boundMs = boundMs;
    this.restart();
    try {
      return await run();
    } finally {
      this.#boundMs = Infinity;
    }
  }

  restart(): void {
    this.#startedMs = workMs();
  }

  /**
   * Runs one program. For the machine, a stopped program has run out of gas; this function reports
   * it as stopped.
   */
  async inTime<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#steps = 0;
    this.#isOutOfTime = false;
    const result = await run();
    if (this.#isOutOfTime) {
      throw new OutOfTimeError(`execution aborted (timeout = ${this.#boundMs}ms)`);
    }
    return result;
  }

  #step(): void {
    this.#steps += 1;
    if (this.#boundMs === Infinity) return;
    if (!this.#isOutOfTime && this.#steps % STEPS_PER_LOOK === 0) {
      this.#isOutOfTime = workMs() - this.#startedMs > this.#boundMs;
    }
    if (this.#isOutOfTime) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  }
}

/** Returns the CPU time of this thread in milliseconds, without the time of other processes. */
function workMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1000;
}

/**
 * Recovers signers with a native library if it is available, because with the JavaScript code,
 * recovery would take most of the time of a transaction, and of every payout that a bridge
 * verifies. The library is an optional dependency. Without it, the machine's own slower code is
 * used.
 */
export type RecoverKey = (
  digest: Uint8Array,
  v: bigint,
  r: Uint8Array,
  s: Uint8Array,
  chainId?: bigint,
) => Uint8Array;

type Native = {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    bit: number,
    digest: Uint8Array,
    isCompressed: boolean,
  ) => Uint8Array;
};

const COMPONENT_BYTES = 32;

/**
 * Returns a function that recovers the public key as 64 bytes and throws for an invalid signature.
 * Returns undefined if the library is not available.
 */
export function nativeRecoverKey(): RecoverKey | undefined {
  let native: Native;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as Native;
  } catch {
    return undefined;
  }
  return (digest, v, r, s, chainId) => {
    const signature = new Uint8Array(2 * COMPONENT_BYTES);
    signature.set(r, COMPONENT_BYTES - r.length);
    signature.set(s, 2 * COMPONENT_BYTES - s.length);
    return native.ecdsaRecover(signature, recoveryBit(v, chainId), digest, false).slice(1);
  };
}

/**
 * Returns the recovery bit of `v`. Legacy transactions encode their chain in `v`, typed
 * transactions use the bit alone, and programs use 27 and 28.
 */
function recoveryBit(v: bigint, chainId: bigint | undefined): number {
  if (v === 0n || v === 1n) return Number(v);
  const bit = chainId === undefined ? v - 27n : v - (2n * chainId + 35n);
  if (bit !== 0n && bit !== 1n) throw new RangeError('invalid v of a signature');
  return Number(bit);
}
