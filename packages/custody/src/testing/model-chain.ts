import {
  type Hex,
  hexToNumber,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from 'viem';
import {
  EMPTY_STATE,
  type ModelLog,
  type ModelRules,
  type ModelState,
  runModel,
} from './model-bridge.ts';

/**
 * A chain of one bridge that answers JSON-RPC, takes back blocks and loses transactions, like the local
 * chain but without a machine: hundreds of histories fit into a minute.
 */

type Sent = {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly nonce: number;
  readonly maxFee: bigint;
  readonly tip: bigint;
};
type Mined = Sent & { readonly ok: boolean; readonly logs: readonly ModelLog[] };
type Block = {
  readonly number: number;
  readonly hash: Hex;
  readonly time: number;
  readonly state: ModelState;
  readonly mined: readonly Mined[];
};

const REVERTED = 3;
const GAS = 300_000;
const ETHER = 10n ** 24n;
const BASE_FEE = 10_000_000n;

export class ModelError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(message: string, code = -32_000, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class ModelChain {
  readonly #rules: ModelRules;
  readonly #nowMs: () => number;
  #blocks: Block[];
  #pool = new Map<Hex, Sent>();
  #serial = 0;
  baseFee = BASE_FEE;

  constructor(rules: ModelRules, nowMs: () => number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#blocks = [];
    this.#push(EMPTY_STATE, []);
  }

  async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const [first, second] = params as readonly [Hex, Hex];
    switch (method) {
      case 'eth_chainId':
        return toHex(this.#rules.chainId);
      case 'eth_blockNumber':
        return toHex(this.#head.number);
      case 'eth_getBlockByNumber':
        return this.#blockView(this.#find(first));
      case 'eth_getTransactionReceipt':
        return this.#receipt(first);
      case 'eth_getTransactionByHash':
        return this.#pool.get(first) ?? this.#place(first)?.mined ?? null;
      case 'eth_getTransactionCount':
        return toHex(this.#nonce(first, second));
      case 'eth_getBalance':
        return toHex(ETHER);
      case 'eth_getCode':
        return '0x01';
      case 'eth_maxPriorityFeePerGas':
        return '0x0';
      case 'eth_call':
        return await this.#call(first as never, this.#find(second));
      case 'eth_estimateGas':
        await this.#call(first as never, this.#head);
        return toHex(GAS);
      case 'eth_getLogs':
        return this.#logs(first as never);
      case 'eth_sendRawTransaction':
        return await this.#accept(first);
      default:
        throw new ModelError(`the model does not know ${method}`);
    }
  }

  /** A block of everything that can be executed; an empty one where there is nothing. */
  async mine(): Promise<void> {
    let { state } = this.#head;
    const mined: Mined[] = [];
    const waiting = [...this.#pool.values()].sort((a, b) => a.nonce - b.nonce);
    for (const sent of waiting) {
      if (sent.nonce !== (state.nonces.get(sent.from) ?? 0) || sent.maxFee < this.baseFee) continue;
      const time = BigInt(this.#nextTime);
      const result = await runModel(this.#rules, state, { ...sent, time });
      const after = result.ok ? result.state : state;
      state = { ...after, nonces: new Map(after.nonces).set(sent.from, sent.nonce + 1) };
      mined.push({ ...sent, ok: result.ok, logs: result.ok ? result.logs : [] });
    }
    this.#push(state, mined);
    for (const sent of this.#pool.values()) {
      if (sent.nonce < (state.nonces.get(sent.from) ?? 0)) this.#pool.delete(sent.hash);
    }
  }

  /** An empty branch, longer by one, takes the place of the newest blocks. */
  async reorg(depth: number, { rest }: { readonly rest: 'pool' | 'drop' }): Promise<void> {
    const removed = this.#blocks.splice(-depth);
    for (let at = 0; at <= depth; at++) this.#push(this.#head.state, []);
    if (rest === 'drop') return;
    for (const sent of removed.flatMap(({ mined }) => mined)) {
      const isTaken = this.#pending(sent.from).some(({ nonce }) => nonce === sent.nonce);
      if (!isTaken) this.#pool.set(sent.hash, sent);
    }
  }

  async drop(hash: Hex): Promise<boolean> {
    return this.#pool.delete(hash);
  }

  get #head(): Block {
    return this.#blocks.at(-1)!;
  }

  get #nextTime(): number {
    return Math.max(Math.floor(this.#nowMs() / 1000), this.#blocks.at(-1)?.time ?? 0);
  }

  #push(state: ModelState, mined: readonly Mined[]): void {
    this.#serial += 1;
    const hash = keccak256(toHex(`block ${this.#serial}`));
    const time = this.#nextTime;
    this.#blocks.push({ number: this.#blocks.length, hash, time, state, mined });
  }

  #find(block: Hex): Block {
    const found =
      block === ('latest' as Hex) || block === ('pending' as Hex)
        ? this.#head
        : this.#blocks[hexToNumber(block)];
    if (found === undefined) throw new ModelError('header not found');
    return found;
  }

  #pending(from: Hex): readonly Sent[] {
    return [...this.#pool.values()].filter((sent) => sent.from === from);
  }

  #nonce(owner: Hex, block: Hex): number {
    const from = owner.toLowerCase() as Hex;
    let nonce = this.#find(block).state.nonces.get(from) ?? 0;
    if (block !== ('pending' as Hex)) return nonce;
    const waiting = new Set(this.#pending(from).map((sent) => sent.nonce));
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  #blockView({ hash, number, time }: Block): object {
    return {
      number: toHex(number),
      hash,
      timestamp: toHex(time),
      baseFeePerGas: toHex(this.baseFee),
    };
  }

  #place(hash: Hex): { readonly block: Block; readonly mined: Mined } | undefined {
    for (const block of this.#blocks.toReversed()) {
      const mined = block.mined.find((each) => each.hash === hash);
      if (mined !== undefined) return { block, mined };
    }
    return undefined;
  }

  #receipt(hash: Hex): object | null {
    const place = this.#place(hash);
    if (place === undefined) return null;
    const { block, mined } = place;
    return {
      transactionHash: hash,
      blockNumber: toHex(block.number),
      blockHash: block.hash,
      status: mined.ok ? '0x1' : '0x0',
      logs: logViews(block).filter(({ transactionHash }) => transactionHash === hash),
    };
  }

  #logs(filter: {
    readonly address: Hex;
    readonly topics: readonly (Hex | null)[];
    readonly fromBlock: Hex;
    readonly toBlock: Hex;
  }): readonly object[] {
    const { address, topics } = filter;
    const [from, to] = [hexToNumber(filter.fromBlock), hexToNumber(filter.toBlock)];
    return this.#blocks
      .slice(from, to + 1)
      .flatMap(logViews)
      .filter((log) => log.address === address)
      .filter((log) => topics.every((topic, at) => topic === null || topic === log.topics[at]));
  }

  async #call(
    { data, from = '0x', to }: { readonly from?: Hex; readonly to: Hex; readonly data: Hex },
    { state }: Block,
  ): Promise<Hex> {
    const call = { from: from.toLowerCase() as Hex, to, data, time: BigInt(this.#nextTime) };
    const result = await runModel(this.#rules, state, call);
    if (result.ok) return result.output;
    throw new ModelError('execution reverted', REVERTED, result.output);
  }

  async #accept(raw: Hex): Promise<Hex> {
    const hash = keccak256(raw);
    if (this.#pool.has(hash) || this.#place(hash) !== undefined)
      throw new ModelError('already known');
    const from =
      senders.get(hash) ??
      lower(await recoverTransactionAddress({ serializedTransaction: raw as never }));
    const {
      data = '0x',
      maxFeePerGas = 0n,
      maxPriorityFeePerGas = 0n,
      nonce = 0,
      to,
    } = parseTransaction(raw as `0x02${string}`);
    if (nonce < (this.#head.state.nonces.get(from) ?? 0)) throw new ModelError('nonce too low');
    if (maxFeePerGas < this.baseFee)
      throw new ModelError('max fee per gas less than block base fee');
    const before = this.#pending(from).find((sent) => sent.nonce === nonce);
    const sent = { hash, raw, from, data, nonce, to: (to ?? '0x').toLowerCase() as Hex };
    const next = { ...sent, maxFee: maxFeePerGas, tip: maxPriorityFeePerGas };
    if (before !== undefined) {
      const isRaised =
        next.maxFee * 10n >= before.maxFee * 11n && next.tip * 10n >= before.tip * 11n;
      if (!isRaised) throw new ModelError('replacement transaction underpriced');
      this.#pool.delete(before.hash);
    }
    this.#pool.set(hash, next);
    return hash;
  }
}

const senders = new Map<Hex, Hex>();

/** Who signed it need not be computed where it is known. */
export function rememberSender(raw: Hex, from: Hex): void {
  senders.set(keccak256(raw), lower(from));
}

function lower(text: string): Hex {
  return text.toLowerCase() as Hex;
}

function logViews({ hash, mined, number }: Block) {
  let logIndex = 0;
  return mined.flatMap((each) =>
    each.logs.map((log) => ({
      ...log,
      blockNumber: toHex(number),
      blockHash: hash,
      transactionHash: each.hash,
      logIndex: numberToHex(logIndex++),
    })),
  );
}
