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
 * Models a JSON-RPC chain with reorganisations and lost transactions, without an EVM, so that
 * hundreds of histories can run within a minute. A `ModelWorld` defines the effect of each
 * transaction.
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
  /** The block time, in seconds. */
  readonly time: bigint;
  /** Transaction hash. It is absent for read-only calls. */
  readonly hash?: Hex;
};

export type ModelResult<State> =
  | {
      readonly ok: true;
      readonly state: State;
      readonly logs: readonly ModelLog[];
      readonly output: Hex;
    }
  | { readonly ok: false; readonly output: Hex };

/**
 * Defines the state of a chain and the effect of a call. States are immutable, because blocks may
 * be reverted.
 */
export type ModelWorld<State> = {
  readonly chainId: number;
  readonly start: State;
  readonly run: (state: State, call: ModelCall) => ModelResult<State>;
  /** The ether balance, in wei. By default, all accounts have enough ether. */
  readonly etherOf?: (state: State, owner: Hex) => bigint;
  /** Charges the cost of a transaction, whether or not it succeeds. */
  readonly charge?: (state: State, from: Hex) => State;
  readonly gasWei?: bigint;
  /** The code at an address. By default, all addresses have code. */
  readonly codeOf?: (owner: Hex) => Hex;
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
/**
 * The nonce of transactions that have no known signer. Such a transaction can go into any block.
 */
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
  #blocks: ModelBlock<State>[] = [];
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

  /**
   * A reorganisation creates a new array, so a caller holding the old one still sees the old
   * branch.
   */
  get blocks(): readonly ModelBlock<State>[] {
    return this.#blocks;
  }

  /** Answers a JSON-RPC request based on the given blocks. */
  async rpc(
    method: string,
    params: readonly unknown[] = [],
    blocks: Blocks<State> = this.#blocks,
  ): Promise<unknown> {
    const [first, second] = params as readonly [Hex, Hex];
    switch (method) {
      case 'eth_chainId':
        return toHex(this.#world.chainId);
      case 'eth_blockNumber':
        return toHex(blocks.length - 1);
      case 'eth_getBlockByNumber':
        return this.#blockView(blockAt(blocks, first));
      case 'eth_getTransactionReceipt':
        return receiptOf(blocks, first);
      case 'eth_getTransactionByHash':
        return this.#pool.get(first) ?? placeOf(blocks, first)?.mined ?? null;
      case 'eth_getTransactionCount':
        return toHex(this.#nonce(first, second, blocks));
      case 'eth_getBalance':
        return toHex(this.#etherOf(lower(first)));
      case 'eth_getCode':
        return this.#world.codeOf?.(lower(first)) ?? '0x01';
      case 'eth_maxPriorityFeePerGas':
        return PRIORITY_FEE;
      case 'eth_call':
        return this.#call(first as never, found(blocks, second));
      case 'eth_estimateGas':
        this.#call(first as never, this.head);
        return toHex(GAS);
      case 'eth_getLogs':
        return logsOf(blocks, first as never);
      case 'eth_sendRawTransaction':
        return await this.#accept(first);
      default:
        throw new ModelError(`the model does not know ${method}`);
    }
  }

  /**
   * Mines a block with these transactions and all executable pending ones. The block may be empty.
   */
  mine(first: readonly Sent[] = []): void {
    const ready = [...this.#pool.values()].filter(
      ({ maxFee, nonce }) => nonce === NO_NONCE || maxFee >= this.baseFee,
    );
    this.seal([...first, ...ready.sort((a, b) => a.nonce - b.nonce)]);
  }

  /** Mines a block with exactly these transactions, leaving out any with a wrong nonce. */
  seal(list: readonly Sent[]): void {
    let { state } = this.head;
    const nonces = new Map(this.head.nonces);
    const mined: ModelMined[] = [];
    for (const sent of list) {
      const isSigned = sent.nonce !== NO_NONCE;
      if (isSigned && sent.nonce !== (nonces.get(sent.from) ?? 0)) continue;
      if (isSigned) nonces.set(sent.from, sent.nonce + 1);
      const charged = (isSigned ? this.#world.charge?.(state, sent.from) : undefined) ?? state;
      const result = this.#world.run(charged, { ...sent, time: BigInt(this.#nextTime) });
      state = result.ok ? result.state : charged;
      mined.push({ ...sent, ok: result.ok, logs: result.ok ? result.logs : [] });
      this.#pool.delete(sent.hash);
    }
    this.#push({ state, nonces, mined });
    for (const { from, hash, nonce } of this.#pool.values()) {
      if (nonce !== NO_NONCE && nonce < (nonces.get(from) ?? 0)) this.#pool.delete(hash);
    }
  }

  /** Creates a transaction without a signature, nonce or gas cost. */
  make(call: Pick<ModelCall, 'from' | 'to' | 'data'>): Sent {
    this.#serial += 1;
    const hash = keccak256(toHex(`made ${this.#world.chainId} ${this.#serial}`));
    return { ...call, hash, raw: '0x', value: 0n, nonce: NO_NONCE, maxFee: 0n, tip: 0n };
  }

  /** Mines a block with one unsigned transaction, which must succeed. */
  act({ data, from, to }: Pick<ModelCall, 'from' | 'to' | 'data'>): void {
    this.seal([this.make({ from, to, data })]);
    if (this.head.mined[0]?.ok !== true) throw new ModelError('execution reverted', REVERTED);
  }

  /** Removes the newest blocks and returns their transactions. The first block is never removed. */
  cut(depth: number): readonly ModelMined[] {
    const from = Math.max(1, this.#blocks.length - depth);
    const cut = this.#blocks.slice(from);
    this.#blocks = this.#blocks.slice(0, from);
    return cut.flatMap(({ mined }) => mined);
  }

  /**
   * Adds a transaction to the pool, unless the pool already has one with the same sender and nonce.
   */
  wait(sent: Sent): void {
    const isTaken = this.waiting(sent.from).some(({ nonce }) => nonce === sent.nonce);
    if (!isTaken || sent.nonce === NO_NONCE) this.#pool.set(sent.hash, sent);
  }

  waiting(from: Hex): readonly Sent[] {
    return [...this.#pool.values()].filter((sent) => sent.from === from);
  }

  /** Replaces the newest blocks with empty ones, adding one more than it removes. */
  reorg(depth: number, { rest }: { readonly rest: 'pool' | 'drop' }): void {
    const removed = this.cut(depth);
    for (let at = 0; at <= depth; at++) this.seal([]);
    if (rest === 'pool') for (const sent of removed) this.wait(sent);
  }

  /** Removes a pending transaction (by default, the oldest). */
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

  #etherOf(owner: Hex): bigint {
    return this.#world.etherOf?.(this.head.state, owner) ?? ETHER;
  }

  #nonce(owner: Hex, block: Place, blocks: Blocks<State>): number {
    const from = lower(owner);
    let nonce = found(blocks, block).nonces.get(from) ?? 0;
    if (block !== 'pending') return nonce;
    const waiting = new Set(this.waiting(from).map((sent) => sent.nonce));
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  #blockView(block: ModelBlock<State> | undefined): object | null {
    if (block === undefined) return null;
    const { hash, number, time } = block;
    const baseFeePerGas = toHex(this.baseFee);
    return { number: toHex(number), hash, timestamp: toHex(time), baseFeePerGas };
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
    if (this.#pool.has(hash) || placeOf(this.#blocks, hash) !== undefined)
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
    const before = this.waiting(from).find((sent) => sent.nonce === nonce);
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

/** Records the signer of a raw transaction, because recovering it is slow. */
export function rememberSender(raw: Hex, from: Hex): void {
  senders.set(keccak256(raw), lower(from));
}

export function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

type Blocks<State = unknown> = readonly ModelBlock<State>[];
type Place = Hex | 'latest' | 'pending';

function blockAt<State>(blocks: Blocks<State>, place: Place): ModelBlock<State> | undefined {
  const isNewest = place === 'latest' || place === 'pending';
  return isNewest ? blocks.at(-1) : blocks[hexToNumber(place)];
}

function found<State>(blocks: Blocks<State>, place: Place): ModelBlock<State> {
  const block = blockAt(blocks, place);
  if (block === undefined) throw new ModelError('header not found');
  return block;
}

function placeOf(blocks: Blocks, hash: Hex) {
  for (const block of blocks.toReversed()) {
    const mined = block.mined.find((each) => each.hash === hash);
    if (mined !== undefined) return { block, mined };
  }
  return undefined;
}

function receiptOf(blocks: Blocks, hash: Hex): object | null {
  const place = placeOf(blocks, hash);
  if (place === undefined) return null;
  const { block, mined } = place;
  return {
    transactionHash: hash,
    blockNumber: toHex(block.number),
    blockHash: block.hash,
    status: mined.ok ? '0x1' : '0x0',
    logs: placedLogs(block).filter(({ transactionHash }) => transactionHash === hash),
  };
}

function logsOf(
  blocks: Blocks,
  filter: {
    readonly address?: Hex;
    readonly topics: readonly (Hex | readonly Hex[] | null)[];
    readonly fromBlock: Hex;
    readonly toBlock: Hex;
  },
): readonly object[] {
  const { address } = filter;
  const topics = filter.topics.map((topic) => topic && new Set([topic].flat()));
  const [from, to] = [hexToNumber(filter.fromBlock), hexToNumber(filter.toBlock)];
  return blocks
    .slice(from, to + 1)
    .flatMap(placedLogs)
    .filter((log) => address === undefined || log.address === address)
    .filter((log) => topics.every((wanted, at) => wanted?.has(log.topics[at] ?? '0x') ?? true));
}

/** Returns the logs of a block in JSON-RPC format. */
export function placedLogs({ hash, mined, number }: ModelBlock<unknown>) {
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
