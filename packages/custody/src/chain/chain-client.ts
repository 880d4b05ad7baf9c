import { type Hex, hexToNumber, numberToHex } from 'viem';
import {
  type Ask,
  ChainDisagreementError,
  type ChainEndpoint,
  chainFault,
  ChainRevertError,
  EndpointPool,
  type EndpointStatus,
  revertOf,
} from './endpoints.ts';
export type { EndpointStatus } from './endpoints.ts';

type ChainHead = {
  /** The newest block that enough endpoints know. */
  readonly head: number;
  /** The newest block with as many confirmations as asked for; 0 before there is one. */
  readonly confirmed: number;
};

/** What a transaction may cost, in wei a unit of gas. */
export type ChainFees = { readonly baseFee: bigint; readonly priorityFee: bigint };

/** What endpoints must say alike of a call; their words for a refusal differ, its data does not. */
type CallOutcome = { readonly result?: Hex; readonly refused?: string };

type ChainClientOptions = {
  readonly endpoints: readonly ChainEndpoint[];
  readonly chainId: number;
  /** A block counts with this many blocks from itself on; at least 1, the block alone. */
  readonly confirmations: number;
  /** No tip above this is believed to be needed, in wei. */
  readonly maxPriorityFee?: bigint | undefined;
};

const MAX_PRIORITY_FEE = 20_000_000_000n;

/**
 * A chain seen through one endpoint or several. With several nothing counts that two have not said alike,
 * against less than half of those who answer: of three one may lie about anything and nothing comes of it. Numbers that
 * honest endpoints tell differently never follow the highest or the lowest. Nothing is kept but what the endpoints' own state is.
 */
export class ChainClient {
  readonly chainId: number;
  readonly confirmations: number;
  readonly #pool: EndpointPool;
  readonly maxPriorityFee: bigint;

  constructor({ chainId, confirmations, endpoints, maxPriorityFee }: ChainClientOptions) {
    this.chainId = chainId;
    this.maxPriorityFee = maxPriorityFee ?? MAX_PRIORITY_FEE;
    this.confirmations = Math.max(1, confirmations);
    this.#pool = new EndpointPool(endpoints);
  }

  get endpoints(): readonly EndpointStatus[] {
    return this.#pool.statuses;
  }

  /** Stops who would otherwise credit the money of another chain. */
  async assertChain(): Promise<void> {
    const chainId = await this.#agreed('eth_chainId', async (request) =>
      hexToNumber((await request('eth_chainId', [])) as Hex),
    );
    if (chainId === this.chainId) return;
    throw new ChainDisagreementError(`the endpoint serves chain ${chainId}, not ${this.chainId}`);
  }

  /** The newest block of the chain: with several endpoints the newest that two know. */
  async head(): Promise<ChainHead> {
    const answers = await this.#pool.ask(async (request) =>
      hexToNumber((await request('eth_blockNumber', [])) as Hex),
    );
    const head = this.#pool.judgeHeads(answers);
    return { head, confirmed: Math.max(0, head - this.confirmations + 1) };
  }

  /** The hash of a block, asked of those who know it; undefined when it is not there. */
  blockHash(blockNumber: number): Promise<Hex | undefined> {
    const name = `block ${blockNumber}`;
    return this.#agreed(
      name,
      async (request) => {
        const params = [numberToHex(blockNumber), false];
        const block = (await request('eth_getBlockByNumber', params)) as { hash: Hex } | null;
        return block?.hash;
      },
      blockNumber,
    );
  }

  /** The time of a block, in seconds. */
  async blockTime(blockNumber: number): Promise<number | undefined> {
    return this.#agreed(
      `the time of block ${blockNumber}`,
      async (request) => {
        const params = [numberToHex(blockNumber), false];
        const block = (await request('eth_getBlockByNumber', params)) as { timestamp: Hex } | null;
        return block === null ? undefined : hexToNumber(block.timestamp);
      },
      blockNumber,
    );
  }

  /** The logs of a contract in a range of blocks, both ends included, in their order. */
  logs(range: {
    readonly address: Hex;
    /** By place; null stands for any, a list for any of it. */
    readonly topics: readonly (Hex | readonly Hex[] | null)[];
    readonly fromBlock: number;
    readonly toBlock: number;
  }): Promise<readonly ChainLog[]> {
    const { address, fromBlock, toBlock, topics } = range;
    const filter = {
      address,
      topics,
      fromBlock: numberToHex(fromBlock),
      toBlock: numberToHex(toBlock),
    };
    return this.#agreed(
      `logs ${fromBlock} to ${toBlock}`,
      async (request) => {
        const logs = (await request('eth_getLogs', [filter])) as readonly RpcLog[];
        const found = logs
          .filter(({ removed }) => removed !== true)
          .map(logOf)
          .sort(byPlace);
        // Some nodes tell a log twice.
        return found.filter((log, at) => at === 0 || byPlace(log, found[at - 1] ?? log) !== 0);
      },
      toBlock,
    );
  }

  /**
   * The receipt of a transaction that is in a block; undefined while two do not have it.
   * Two that differ are no receipt unless others decide it: ChainDisagreementError.
   */
  async receipt(txHash: Hex): Promise<ChainReceipt | undefined> {
    const answers = await this.#pool.ask(async (request) => {
      const receipt = (await request('eth_getTransactionReceipt', [txHash])) as RpcReceipt | null;
      return receipt === null ? undefined : receiptOf(receipt);
    });
    const found = answers.filter(({ value }) => value !== undefined);
    if (found.length < this.#pool.quorum) return undefined;
    return this.#pool.agree(`the receipt of ${txHash}`, found);
  }

  /** True when an endpoint has the transaction in a block, whatever others say. */
  async isInSomeBlock(txHash: Hex): Promise<boolean> {
    const answers = await this.#pool.ask((request) =>
      request('eth_getTransactionReceipt', [txHash]),
    );
    return answers.some(({ value }) => value !== null && value !== undefined);
  }

  /**
   * True when a nonce of an address is used up at a block, and no block has any of these transactions:
   * all who answer say so, at least two where there are two. Whoever sends such a call again under
   * another nonce can rely on it.
   */
  async isUsedByOther(
    place: { readonly address: Hex; readonly nonce: number; readonly blockNumber: number },
    txHashes: readonly Hex[],
  ): Promise<boolean> {
    const { address, blockNumber, nonce } = place;
    const answers = await this.#pool.ask(
      async (request) => {
        const params = [address, numberToHex(blockNumber)];
        const used = hexToNumber((await request('eth_getTransactionCount', params)) as Hex);
        if (used <= nonce) return false;
        for (const txHash of txHashes) {
          const receipt = await request('eth_getTransactionReceipt', [txHash]);
          if (receipt !== null && receipt !== undefined) return false;
        }
        return true;
      },
      { head: blockNumber },
    );
    return answers.every(({ value }) => value);
  }

  /** True when an endpoint has the transaction in a block or waits to put it there. */
  async knows(txHash: Hex): Promise<boolean> {
    const answers = await this.#pool.ask((request) =>
      request('eth_getTransactionByHash', [txHash]),
    );
    return answers.some(({ value }) => value !== null && value !== undefined);
  }

  /**
   * What a contract answers, at the newest block or at one that is confirmed. A refusal is an answer like
   * any other: a ChainRevertError when all say so, never on the word of one beside whom others were served.
   */
  async call(
    call: { readonly from?: Hex; readonly to: Hex; readonly data: Hex },
    blockNumber?: number,
  ): Promise<Hex> {
    const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber);
    const reverts = new Map<string, ChainRevertError>();
    const { refused = '', result } = await this.#agreed<CallOutcome>(
      `a call to ${call.to}`,
      async (request) => {
        try {
          return { result: (await request('eth_call', [call, block])) as Hex };
        } catch (error) {
          return { refused: noteRevert(error, reverts) };
        }
      },
      blockNumber,
    );
    if (result !== undefined) return result;
    throw reverts.get(refused) ?? new ChainRevertError('execution reverted', refused);
  }

  codeAt(address: Hex, blockNumber: number): Promise<Hex> {
    return this.#agreed(
      `the code of ${address}`,
      async (request) => (await request('eth_getCode', [address, numberToHex(blockNumber)])) as Hex,
      blockNumber,
    );
  }

  /** The next nonce of an address: with what waits, or by blocks alone. The highest that two have come to. */
  async nonceOf(address: Hex, block: 'latest' | 'pending'): Promise<number> {
    const answers = await this.#pool.ask(async (request) =>
      hexToNumber((await request('eth_getTransactionCount', [address, block])) as Hex),
    );
    return this.#pool.reachedBy(answers);
  }

  /** In wei. */
  async balanceOf(address: Hex): Promise<bigint> {
    const answers = await this.#pool.ask(async (request) =>
      BigInt((await request('eth_getBalance', [address, 'latest'])) as Hex),
    );
    return this.#pool.median(answers);
  }

  /** Those in the middle, each by itself: what turns out too low is offered again for more, and a tip has a limit. */
  async fees(): Promise<ChainFees> {
    const answers = await this.#pool.ask(async (request) => {
      const [block, tip] = await Promise.all([
        request('eth_getBlockByNumber', ['latest', false]),
        request('eth_maxPriorityFeePerGas', []).catch(() => '0x0'),
      ]);
      const { baseFeePerGas } = block as { readonly baseFeePerGas?: Hex };
      return { baseFee: BigInt(baseFeePerGas ?? '0x0'), priorityFee: BigInt(tip as Hex) };
    });
    const middle = (of: (fees: ChainFees) => bigint): bigint =>
      this.#pool.median(answers.map(({ value, watched }) => ({ watched, value: of(value) })));
    const tip = middle((fees) => fees.priorityFee);
    const priorityFee = tip < this.maxPriorityFee ? tip : this.maxPriorityFee;
    return { baseFee: middle((fees) => fees.baseFee), priorityFee };
  }

  /** The gas of a call, the estimate in the middle; a call that would revert is a ChainRevertError. */
  async estimateGas(call: {
    readonly from: Hex;
    /** Absent where a contract is made. */
    readonly to?: Hex | undefined;
    readonly data: Hex;
  }): Promise<bigint> {
    const reverts = new Map<string, ChainRevertError>();
    const answers = await this.#pool.ask(async (request) => {
      try {
        return BigInt((await request('eth_estimateGas', [call])) as Hex);
      } catch (error) {
        return noteRevert(error, reverts);
      }
    });
    const refusals = answers.map(({ value, watched }) => {
      return { watched, value: typeof value === 'string' ? value : undefined };
    });
    const refused = this.#pool.agree('the gas estimate of a call', refusals);
    if (refused !== undefined) {
      throw reverts.get(refused) ?? new ChainRevertError('execution reverted', refused);
    }
    return this.#pool.median(
      answers.flatMap(({ value, watched }) =>
        typeof value === 'bigint' ? [{ value, watched }] : [],
      ),
    );
  }

  /** Gives a signed transaction to all; enough when one has it, had it, or has its block. */
  async sendRaw(raw: Hex): Promise<void> {
    await this.#pool.ask(
      async (request) => {
        try {
          await request('eth_sendRawTransaction', [raw]);
        } catch (error) {
          if (
            !/already known|already exists|known transaction|nonce too low/i.test(deepText(error))
          )
            throw error;
        }
      },
      { least: 1 },
    );
  }

  /** What more than half of those who know the block say, at least two where there are two. */
  async #agreed<Value>(name: string, ask: Ask<Value>, blockNumber = 0): Promise<Value> {
    const answers = await this.#pool.ask(ask, { head: blockNumber });
    return this.#pool.agree(name, answers) as Value;
  }
}

/** What a call was refused with, and the error for whoever says so; other errors are none of the chain. */
function noteRevert(error: unknown, reverts: Map<string, ChainRevertError>): string {
  const known = revertOf(error);
  if (known === undefined) throw error;
  const data = known.data ?? '';
  if (!reverts.has(data)) reverts.set(data, known);
  return data;
}

function deepText(error: unknown): string {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) texts.push(chainFault(at));
  return texts.join(' ');
}

/** What endpoints say of logs and receipts, in the venue's own shapes. */

export type ChainLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  readonly logIndex: number;
};

export type ChainReceipt = {
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly succeeded: boolean;
  readonly logs: readonly ChainLog[];
};

type RpcLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly removed?: boolean;
};

type RpcReceipt = {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly status: Hex;
  readonly logs: readonly RpcLog[];
};

function logOf(log: RpcLog): ChainLog {
  return {
    address: lower(log.address),
    topics: log.topics.map(lower),
    data: log.data,
    blockNumber: hexToNumber(log.blockNumber),
    blockHash: lower(log.blockHash),
    txHash: lower(log.transactionHash),
    logIndex: hexToNumber(log.logIndex),
  };
}

function receiptOf(receipt: RpcReceipt): ChainReceipt {
  return {
    txHash: lower(receipt.transactionHash),
    blockNumber: hexToNumber(receipt.blockNumber),
    blockHash: lower(receipt.blockHash),
    succeeded: hexToNumber(receipt.status) === 1,
    logs: receipt.logs.map(logOf),
  };
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

function byPlace(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}
