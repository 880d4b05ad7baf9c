import {
  type Hex,
  hexToNumber,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from 'viem';

/**
 * A chain that answers JSON-RPC, takes back blocks and loses transactions, like the local chain but without a machine: hundreds
 * of histories fit into a minute. What transactions do is the business of a world.
 */

export type ModelLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
};

export type ModelCall = {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
  /** Of the block, in seconds. */
  readonly time: bigint;
};

export type ModelResult<State> =
  | {
      readonly ok: true;
      readonly state: State;
      readonly logs: readonly ModelLog[];
      readonly output: Hex;
    }
  | { readonly ok: false; readonly output: Hex };

/** What there is on a chain, and what a call makes of it. A state is never changed: blocks can be taken back. */
export type ModelWorld<State> = {
  readonly chainId: number;
  readonly start: State;
  readonly run: (state: State, call: ModelCall) => ModelResult<State>;
  /** In wei; where it is left out everybody is rich, and gas costs nothing. */
  readonly etherOf?: (state: State, owner: Hex) => bigint;
  /** Takes what a transaction costs, whatever becomes of it. */
  readonly charge?: (state: State, from: Hex) => State;
  readonly gasWei?: bigint;
};

type Sent = Omit<ModelCall, 'time'> & {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  readonly maxFee: bigint;
  readonly tip: bigint;
};
type ModelMined = Sent & { readonly ok: boolean; readonly logs: readonly ModelLog[] };
type ModelBlock<State> = {
  readonly number: number;
  readonly hash: Hex;
  readonly time: number;
  readonly state: State;
  readonly nonces: ReadonlyMap<Hex, number>;
  readonly mined: readonly ModelMined[];
};

const REVERTED = 3;
const GAS = 300_000;
const ETHER = 10n ** 24n;
const BASE_FEE = 10_000_000n;
const PRIORITY_FEE = '0x0';
/** Of who is not known to sign: in whatever block it is wanted. */
const NO_NONCE = -1;

class ModelError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(message: string, code = -32_000, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class ModelChain<State> {
  readonly #world: ModelWorld<State>;
  readonly #nowMs: () => number;
  readonly #blocks: ModelBlock<State>[] = [];
  readonly #pool = new Map<Hex, Sent>();
  #serial = 0;
  baseFee = BASE_FEE;

  constructor(world: ModelWorld<State>, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
    this.#push({ state: world.start, nonces: new Map(), mined: [] });
  }

  get head(): ModelBlock<State> {
    return this.#blocks.at(-1)!;
  }

  get blocks(): readonly ModelBlock<State>[] {
    return this.#blocks;
  }

  async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const [first, second] = params as readonly [Hex, Hex];
    switch (method) {
      case 'eth_chainId':
        return toHex(this.#world.chainId);
      case 'eth_blockNumber':
        return toHex(this.head.number);
      case 'eth_getBlockByNumber':
        return this.#blockView(this.#find(first));
      case 'eth_getTransactionReceipt':
        return this.#receipt(first);
      case 'eth_getTransactionByHash':
        return this.#pool.get(first) ?? this.#place(first)?.mined ?? null;
      case 'eth_getTransactionCount':
        return toHex(this.#nonce(first, second));
      case 'eth_getBalance':
        return toHex(this.#etherOf(lower(first)));
      case 'eth_getCode':
        return '0x01';
      case 'eth_maxPriorityFeePerGas':
        return PRIORITY_FEE;
      case 'eth_call':
        return this.#call(first as never, this.#find(second));
      case 'eth_estimateGas':
        this.#call(first as never, this.head);
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
  mine(): void {
    let { state } = this.head;
    const nonces = new Map(this.head.nonces);
    const mined: ModelMined[] = [];
    for (const sent of [...this.#pool.values()].sort((a, b) => a.nonce - b.nonce)) {
      if (sent.nonce !== (nonces.get(sent.from) ?? 0) || sent.maxFee < this.baseFee) continue;
      nonces.set(sent.from, sent.nonce + 1);
      const charged = this.#world.charge?.(state, sent.from) ?? state;
      const result = this.#world.run(charged, { ...sent, time: BigInt(this.#nextTime) });
      state = result.ok ? result.state : charged;
      mined.push({ ...sent, ok: result.ok, logs: result.ok ? result.logs : [] });
    }
    this.#push({ state, nonces, mined });
    for (const sent of this.#pool.values()) {
      if (sent.nonce < (nonces.get(sent.from) ?? 0)) this.#pool.delete(sent.hash);
    }
  }

  /** A block of one call, which needs neither a signature nor gas. */
  act(call: Pick<ModelCall, 'from' | 'to' | 'data'>): void {
    const result = this.#world.run(this.head.state, { ...call, value: 0n, time: 0n });
    if (!result.ok) throw new ModelError('execution reverted', REVERTED, result.output);
    const { logs, state } = result;
    const hash = keccak256(toHex(`act ${this.#world.chainId} ${this.#serial}`));
    const sent = { ...call, hash, raw: '0x', value: 0n, nonce: NO_NONCE, maxFee: 0n } as const;
    const mined = [{ ...sent, tip: 0n, ok: true, logs }];
    this.#push({ state, nonces: this.head.nonces, mined });
  }

  /** The newest blocks go, but never the first one. Gives what they held. */
  cut(depth: number): readonly ModelMined[] {
    const from = Math.max(1, this.#blocks.length - depth);
    return this.#blocks.splice(from).flatMap(({ mined }) => mined);
  }

  /** Waits again, unless another one has its place. */
  giveBack(sent: ModelMined): void {
    const isTaken = this.#pending(sent.from).some(({ nonce }) => nonce === sent.nonce);
    if (!isTaken && sent.nonce !== NO_NONCE) this.#pool.set(sent.hash, sent);
  }

  /** An empty branch, longer by one, takes the place of the newest blocks. */
  reorg(depth: number, { rest }: { readonly rest: 'pool' | 'drop' }): void {
    const removed = this.cut(depth);
    const { nonces, state } = this.head;
    for (let at = 0; at <= depth; at++) this.#push({ state, nonces, mined: [] });
    if (rest === 'pool') for (const sent of removed) this.giveBack(sent);
  }

  /** Takes one out of the pool, the oldest where none is named. */
  drop(hash = this.#pool.keys().next().value): boolean {
    return hash !== undefined && this.#pool.delete(hash);
  }

  get #nextTime(): number {
    return Math.max(Math.floor(this.#nowMs() / 1000), this.#blocks.at(-1)?.time ?? 0);
  }

  #push(content: Pick<ModelBlock<State>, 'state' | 'nonces' | 'mined'>): void {
    this.#serial += 1;
    const hash = keccak256(toHex(`block ${this.#world.chainId} ${this.#serial}`));
    this.#blocks.push({ number: this.#blocks.length, hash, time: this.#nextTime, ...content });
  }

  #find(block: Hex | 'latest' | 'pending'): ModelBlock<State> {
    const isNewest = block === 'latest' || block === 'pending';
    const found = isNewest ? this.head : this.#blocks[hexToNumber(block)];
    if (found === undefined) throw new ModelError('header not found');
    return found;
  }

  #etherOf(owner: Hex): bigint {
    return this.#world.etherOf?.(this.head.state, owner) ?? ETHER;
  }

  #pending(from: Hex): readonly Sent[] {
    return [...this.#pool.values()].filter((sent) => sent.from === from);
  }

  #nonce(owner: Hex, block: Hex | 'latest' | 'pending'): number {
    const from = lower(owner);
    let nonce = this.#find(block).nonces.get(from) ?? 0;
    if (block !== 'pending') return nonce;
    const waiting = new Set(this.#pending(from).map((sent) => sent.nonce));
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  #blockView({ hash, number, time }: ModelBlock<State>): object {
    return {
      number: toHex(number),
      hash,
      timestamp: toHex(time),
      baseFeePerGas: toHex(this.baseFee),
    };
  }

  #place(hash: Hex): { readonly block: ModelBlock<State>; readonly mined: ModelMined } | undefined {
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
    readonly address?: Hex;
    readonly topics: readonly (Hex | readonly Hex[] | null)[];
    readonly fromBlock: Hex;
    readonly toBlock: Hex;
  }): readonly object[] {
    const { address } = filter;
    const topics = filter.topics.map((topic) => topic && new Set([topic].flat()));
    const [from, to] = [hexToNumber(filter.fromBlock), hexToNumber(filter.toBlock)];
    return this.#blocks
      .slice(from, to + 1)
      .flatMap(logViews)
      .filter((log) => address === undefined || log.address === address)
      .filter((log) => topics.every((wanted, at) => wanted?.has(log.topics[at] ?? '0x') ?? true));
  }

  #call(
    { data, from = '0x', to }: { readonly from?: Hex; readonly to: Hex; readonly data: Hex },
    { state }: ModelBlock<State>,
  ): Hex {
    const call = { from: lower(from), to: lower(to), data, value: 0n };
    const result = this.#world.run(state, { ...call, time: BigInt(this.#nextTime) });
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
    const { data = '0x', nonce = 0, to, value = 0n, ...fees } = parseTransaction(raw);
    const { maxFeePerGas: maxFee = 0n, maxPriorityFeePerGas: tip = 0n } = fees;
    if (nonce < (this.head.nonces.get(from) ?? 0)) throw new ModelError('nonce too low');
    if (maxFee < this.baseFee) throw new ModelError('max fee per gas less than block base fee');
    if (this.#etherOf(from) < value + (this.#world.gasWei ?? 0n))
      throw new ModelError('insufficient funds');
    const before = this.#pending(from).find((sent) => sent.nonce === nonce);
    if (before !== undefined) {
      const isRaised = maxFee * 10n >= before.maxFee * 11n && tip * 10n >= before.tip * 11n;
      if (!isRaised) throw new ModelError('replacement transaction underpriced');
      this.#pool.delete(before.hash);
    }
    const sent = { hash, raw, from, data, nonce, value, maxFee, tip };
    this.#pool.set(hash, { ...sent, to: lower(to ?? '0x') });
    return hash;
  }
}

const senders = new Map<Hex, Hex>();

/** Who signed it need not be computed where it is known. */
export function rememberSender(raw: Hex, from: Hex): void {
  senders.set(keccak256(raw), lower(from));
}

export function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

function logViews({ hash, mined, number }: Omit<ModelBlock<unknown>, 'state'>) {
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
