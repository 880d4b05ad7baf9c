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
  /** The number of the newest block that enough endpoints report. */
  readonly head: number;
  /** The number of the newest block with the required confirmations; 0 if there is none yet. */
  readonly confirmed: number;
};

/** The fees of a transaction, in wei per unit of gas. */
export type ChainFees = { readonly baseFee: bigint; readonly priorityFee: bigint };

/**
 * The part of a call's result that endpoints must agree on. A refusal's text differs between
 * endpoints, but its data does not.
 */
type CallOutcome = { readonly result?: Hex; readonly refused?: string };

type ChainClientOptions = {
  readonly endpoints: readonly ChainEndpoint[];
  readonly chainId: number;
  /** The number of blocks from a confirmed block to the head, both inclusive; at least 1. */
  readonly confirmations: number;
  /** The upper limit of the suggested tip, in wei. */
  readonly maxPriorityFee?: bigint | undefined;
};

const MAX_PRIORITY_FEE = 20_000_000_000n;

/**
 * Reads a chain through one or several endpoints. With several endpoints, a response is accepted
 * only if at least two of them, and more than half of those that respond, agree. If one of three
 * endpoints returns false data, this therefore has no effect. Where honest endpoints may report
 * different numbers, neither the highest nor the lowest is used. The client has no state apart from
 * that of its endpoints.
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

  /**
   * Throws unless the endpoints belong to the expected chain, so that funds on another chain are
   * never credited.
   */
  async assertChain(): Promise<void> {
    const chainId = await this.#agreed('eth_chainId', async (request) =>
      hexToNumber((await request('eth_chainId', [])) as Hex),
    );
    if (chainId === this.chainId) return;
    throw new ChainDisagreementError(`the endpoint serves chain ${chainId}, not ${this.chainId}`);
  }

  /**
   * Returns the newest block of the chain. With several endpoints, this is the newest block that at
   * least two of them have.
   */
  async head(): Promise<ChainHead> {
    const answers = await this.#pool.ask(async (request) =>
      hexToNumber((await request('eth_blockNumber', [])) as Hex),
    );
    const head = this.#pool.judgeHeads(answers);
    return { head, confirmed: Math.max(0, head - this.confirmations + 1) };
  }

  /**
   * Returns the hash of a block, or undefined if it does not exist. Only endpoints that have
   * reached the block are queried.
   */
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

  /** Returns the time of a block, in seconds. */
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

  /** Returns a contract's logs in a range of blocks, both ends inclusive, in order. */
  logs(range: {
    readonly address: Hex;
    /** The topics by position. Null matches any topic, and a list matches any of its topics. */
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
        // Some nodes return a log twice.
        return found.filter((log, at) => at === 0 || byPlace(log, found[at - 1] ?? log) !== 0);
      },
      toBlock,
    );
  }

  /**
   * Returns the receipt of a transaction in a block, or undefined if fewer than two endpoints have
   * it. If two receipts differ and the other endpoints do not settle the question, a
   * ChainDisagreementError is thrown.
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

  /** Returns true if any endpoint has the transaction in a block. */
  async isInSomeBlock(txHash: Hex): Promise<boolean> {
    const answers = await this.#pool.ask((request) =>
      request('eth_getTransactionReceipt', [txHash]),
    );
    return answers.some(({ value }) => value !== null && value !== undefined);
  }

  /**
   * Returns true if, as of a block, an address's nonce has been used and no block contains any of
   * these transactions. All responding endpoints must agree, and at least two must respond if there
   * are two. The caller can then safely send the same call under another nonce.
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

  /** Returns true if any endpoint has the transaction in a block or in its pool. */
  async hasTransaction(txHash: Hex): Promise<boolean> {
    const answers = await this.#pool.ask((request) =>
      request('eth_getTransactionByHash', [txHash]),
    );
    return answers.some(({ value }) => value !== null && value !== undefined);
  }

  /**
   * Returns the result of a contract call at the newest block or at a given one. A refusal is
   * treated like any other result: a ChainRevertError is thrown only if enough endpoints agree.
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

  /**
   * Returns the next nonce of an address, with or without counting pending transactions. The result
   * is the highest nonce that two endpoints have reached.
   */
  async nonceOf(address: Hex, block: 'latest' | 'pending'): Promise<number> {
    const answers = await this.#pool.ask(async (request) =>
      hexToNumber((await request('eth_getTransactionCount', [address, block])) as Hex),
    );
    return this.#pool.reachedBy(answers);
  }

  /** Returns the balance in wei. */
  async balanceOf(address: Hex): Promise<bigint> {
    const answers = await this.#pool.ask(async (request) =>
      BigInt((await request('eth_getBalance', [address, 'latest'])) as Hex),
    );
    return this.#pool.median(answers);
  }

  /**
   * Returns the median of each fee. A fee that is too low is raised later, and the tip is limited.
   */
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

  /**
   * Returns the median estimate of a call's gas, or throws a ChainRevertError if the call would
   * revert.
   */
  async estimateGas(call: {
    readonly from: Hex;
    /** The recipient; undefined when creating a contract. */
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

  /**
   * Sends a signed transaction to all endpoints. It is sufficient for one of them to accept it, or
   * to have it already in its pool or in a block.
   */
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

  /**
   * Returns the response given by more than half of the endpoints that have reached the block, and
   * by at least two if there are two.
   */
  async #agreed<Value>(name: string, ask: Ask<Value>, blockNumber = 0): Promise<Value> {
    const answers = await this.#pool.ask(ask, { head: blockNumber });
    return this.#pool.agree(name, answers) as Value;
  }
}

/**
 * Records the error of a refusal and returns its data. Other errors are not results from the chain
 * and are thrown.
 */
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
