import { type Hex, hexToNumber, numberToHex } from 'viem';
import {
  ChainDisagreementError,
  chainFault,
  ChainUnavailableError,
  revertOf,
} from './chain-error.ts';
import type { ChainEndpoint } from './chain-endpoint.ts';

export type ChainHead = {
  /** The newest block that enough endpoints know. */
  readonly head: number;
  /** The newest block with as many confirmations as asked for; 0 before there is one. */
  readonly confirmed: number;
};

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

/** What a transaction may cost, in wei a unit of gas. */
export type ChainFees = { readonly baseFee: bigint; readonly priorityFee: bigint };

export type EndpointStatus = {
  readonly name: string;
  readonly state: 'ok' | 'down' | 'stale' | 'disagrees';
  readonly head: number;
  /** What it said last when it failed, or what it said that others did not. */
  readonly error: string | undefined;
};

export type ChainClientOptions = {
  readonly endpoints: readonly ChainEndpoint[];
  readonly chainId: number;
  /** A block counts with this many blocks from itself on; at least 1, the block alone. */
  readonly confirmations: number;
};

type Watched = { readonly endpoint: ChainEndpoint; status: EndpointStatus };
type Ask<Value> = (request: ChainEndpoint['request']) => Promise<Value>;
type Answer<Value> = { readonly watched: Watched; readonly value: Value };

/** Endpoints whose head is this far behind the others' are told to the operator. */
const STALE_BLOCKS = 3;

/**
 * A chain seen through one endpoint or several. With several nothing counts that two have not said
 * alike, and where two answers differ that should not, nobody is believed: an endpoint that lies costs
 * time, never money. Nothing is kept but what the endpoints' own state is.
 */
export class ChainClient {
  readonly chainId: number;
  readonly confirmations: number;
  readonly #watched: readonly Watched[];
  readonly #quorum: number;

  constructor({ chainId, confirmations, endpoints }: ChainClientOptions) {
    this.chainId = chainId;
    this.confirmations = Math.max(1, confirmations);
    this.#quorum = Math.min(2, endpoints.length);
    this.#watched = endpoints.map((endpoint) => {
      const status: EndpointStatus = {
        name: endpoint.name,
        state: 'ok',
        head: 0,
        error: undefined,
      };
      return { endpoint, status };
    });
  }

  get endpoints(): readonly EndpointStatus[] {
    return this.#watched.map(({ status }) => status);
  }

  /** Stops who would otherwise credit the money of another chain. */
  async assertChain(): Promise<void> {
    const chainId = await this.#agreed('eth_chainId', async (request) =>
      hexToNumber((await request('eth_chainId', [])) as Hex),
    );
    if (chainId === this.chainId) return;
    throw new ChainDisagreementError(`the endpoint is of chain ${chainId}, not ${this.chainId}`);
  }

  /** The newest block of the chain: with several endpoints the newest that two know. */
  async head(): Promise<ChainHead> {
    const answers = await this.#ask(async (request) =>
      hexToNumber((await request('eth_blockNumber', [])) as Hex),
    );
    const heads = answers.map(({ value }) => value).sort((a, b) => b - a);
    const head = heads[this.#quorum - 1] ?? 0;
    for (const { value, watched } of answers) {
      const isStale = (heads[0] ?? 0) - value >= STALE_BLOCKS;
      const { error, name, state } = watched.status;
      const next = isStale ? 'stale' : state === 'disagrees' ? state : 'ok';
      watched.status = { name, head: value, state: next, error: next === 'ok' ? undefined : error };
    }
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
        return logs
          .filter(({ removed }) => removed !== true)
          .map(logOf)
          .sort(byPlace);
      },
      toBlock,
    );
  }

  /**
   * The receipt of a transaction that is in a block; undefined while one of those asked has none.
   * Two that differ are no receipt: ChainDisagreementError.
   */
  async receipt(txHash: Hex): Promise<ChainReceipt | undefined> {
    const answers = await this.#ask(async (request) => {
      const receipt = (await request('eth_getTransactionReceipt', [txHash])) as RpcReceipt | null;
      return receipt === null ? undefined : receiptOf(receipt);
    });
    const found = answers.filter(({ value }) => value !== undefined);
    this.#compare(`the receipt of ${txHash}`, found);
    return found.length >= this.#quorum ? found[0]?.value : undefined;
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
    const answers = await this.#ask(
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
    const answers = await this.#ask((request) => request('eth_getTransactionByHash', [txHash]));
    return answers.some(({ value }) => value !== null && value !== undefined);
  }

  /** What a contract answers, at the newest block or at one that is confirmed. */
  call(call: { readonly to: Hex; readonly data: Hex }, blockNumber?: number): Promise<Hex> {
    const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber);
    return this.#agreed(
      `a call of ${call.to}`,
      async (request) => {
        try {
          return (await request('eth_call', [call, block])) as Hex;
        } catch (error) {
          throw revertOf(error) ?? error;
        }
      },
      blockNumber,
    );
  }

  codeAt(address: Hex, blockNumber: number): Promise<Hex> {
    return this.#agreed(
      `the code of ${address}`,
      async (request) => (await request('eth_getCode', [address, numberToHex(blockNumber)])) as Hex,
      blockNumber,
    );
  }

  /** The next nonce of an address: with what waits, or by blocks alone. The highest that is told. */
  async nonceOf(address: Hex, block: 'latest' | 'pending'): Promise<number> {
    const answers = await this.#ask(async (request) =>
      hexToNumber((await request('eth_getTransactionCount', [address, block])) as Hex),
    );
    return Math.max(...answers.map(({ value }) => value));
  }

  /** In wei. The lowest that is told. */
  async balanceOf(address: Hex): Promise<bigint> {
    const answers = await this.#ask(async (request) =>
      BigInt((await request('eth_getBalance', [address, 'latest'])) as Hex),
    );
    return answers.map(({ value }) => value).reduce((least, each) => (each < least ? each : least));
  }

  /** The highest that is told: too little would wait, too much is given back by the chain. */
  async fees(): Promise<ChainFees> {
    const answers = await this.#ask(async (request) => {
      const [block, tip] = await Promise.all([
        request('eth_getBlockByNumber', ['latest', false]),
        request('eth_maxPriorityFeePerGas', []).catch(() => '0x0'),
      ]);
      const { baseFeePerGas } = block as { readonly baseFeePerGas?: Hex };
      return { baseFee: BigInt(baseFeePerGas ?? '0x0'), priorityFee: BigInt(tip as Hex) };
    });
    const highest = (of: (fees: ChainFees) => bigint): bigint =>
      answers.map(({ value }) => of(value)).reduce((most, each) => (each > most ? each : most));
    return {
      baseFee: highest((fees) => fees.baseFee),
      priorityFee: highest((fees) => fees.priorityFee),
    };
  }

  /** The gas of a call; a call that would revert is a ChainRevertError. The highest that is told. */
  async estimateGas(call: {
    readonly from: Hex;
    /** Absent where a contract is made. */
    readonly to?: Hex | undefined;
    readonly data: Hex;
  }): Promise<bigint> {
    const answers = await this.#ask(
      async (request) => {
        try {
          return BigInt((await request('eth_estimateGas', [call])) as Hex);
        } catch (error) {
          throw revertOf(error) ?? error;
        }
      },
      { least: 1 },
    );
    return answers.map(({ value }) => value).reduce((most, each) => (each > most ? each : most));
  }

  /** Gives a signed transaction to all; enough when one has it, had it, or has its block. */
  async sendRaw(raw: Hex): Promise<void> {
    await this.#ask(
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

  /** All who know the block must say the same, and at least two where there are two. */
  async #agreed<Value>(name: string, ask: Ask<Value>, blockNumber = 0): Promise<Value> {
    const answers = await this.#ask(ask, { head: blockNumber });
    return this.#compare(name, answers) as Value;
  }

  #compare<Value>(name: string, answers: readonly Answer<Value>[]): Value | undefined {
    const first = answers[0];
    if (first === undefined) return undefined;
    const said = textOf(first.value);
    const other = answers.find(({ value }) => textOf(value) !== said);
    if (other === undefined) {
      for (const { watched } of answers) {
        const { head, name: endpoint, state } = watched.status;
        if (state !== 'disagrees') continue;
        watched.status = { name: endpoint, head, state: 'ok', error: undefined };
      }
      return first.value;
    }
    const error = `endpoints disagree about ${name}`;
    for (const { watched } of [first, other]) {
      watched.status = { ...watched.status, state: 'disagrees', error };
    }
    const names = [first, other].map(({ watched }) => watched.endpoint.name);
    throw new ChainDisagreementError(`${error}: ${names.join(' and ')}`);
  }

  /** Asks everybody whose head is not known to be below; fails when too few answer. */
  async #ask<Value>(
    ask: Ask<Value>,
    { head = 0, least = this.#quorum }: { readonly head?: number; readonly least?: number } = {},
  ): Promise<readonly Answer<Value>[]> {
    const asked = this.#watched.filter(({ status }) => status.head === 0 || status.head >= head);
    const settled = await Promise.allSettled(
      asked.map(({ endpoint }) => ask((method, params) => endpoint.request(method, params))),
    );
    const answers: Answer<Value>[] = [];
    let failure: unknown = undefined;
    for (const [at, result] of settled.entries()) {
      const watched = asked[at];
      if (watched === undefined) continue;
      const { head: known, name, state } = watched.status;
      if (result.status === 'fulfilled') {
        answers.push({ watched, value: result.value });
        if (state === 'down') watched.status = { name, head: known, state: 'ok', error: undefined };
        continue;
      }
      failure = result.reason;
      const isAnswer = revertOf(failure) !== undefined;
      if (!isAnswer)
        watched.status = { name, head: known, state: 'down', error: chainFault(failure) };
    }
    if (answers.length >= Math.max(1, least)) return answers;
    const revert = revertOf(failure);
    if (revert !== undefined) throw revert;
    const why = failure === undefined ? 'they lag behind' : chainFault(failure);
    throw new ChainUnavailableError(`${answers.length} of ${least} endpoints answered: ${why}`, {
      cause: failure,
    });
  }
}

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

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

function deepText(error: unknown): string {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) texts.push(chainFault(at));
  return texts.join(' ');
}
