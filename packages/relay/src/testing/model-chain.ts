import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from 'viem';

/** A chain as small as it can be: blocks, nonces, a token and a bridge, without a machine. */

export const TOKEN: Hex = `0x${'70'.repeat(20)}`;
export const BRIDGE: Hex = `0x${'b0'.repeat(20)}`;

type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex };
type Sent = {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
};
type Mined = Sent & { readonly succeeded: boolean; readonly logs: readonly Log[] };
type World = {
  readonly usdc: Map<Hex, bigint>;
  readonly ether: Map<Hex, bigint>;
  readonly nonces: Map<Hex, number>;
  /** What the bridge may take of somebody. */
  readonly allowed: Map<Hex, bigint>;
};
type Block = { readonly hash: Hex; readonly mined: readonly Mined[]; readonly after: World };

/** More than a relay sends for gas at first. */
const GAS_WEI = 1_000_000n;

export class ModelChain {
  readonly chainId: number;
  /** Addresses that the token pays nothing to. */
  readonly blocked = new Set<Hex>();
  readonly #pool = new Map<Hex, Sent>();
  readonly #blocks: Block[];
  #branch = 0;

  constructor(chainId: number, rich: readonly { readonly owner: Hex; readonly usdc: bigint }[]) {
    this.chainId = chainId;
    const after: World = {
      usdc: new Map(rich.map(({ owner, usdc }) => [owner, usdc])),
      ether: new Map(rich.map(({ owner }) => [owner, 10n ** 24n])),
      nonces: new Map(),
      allowed: new Map(),
    };
    this.#blocks = [{ hash: this.#hash(), mined: [], after }];
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  allowedOf(owner: Hex): bigint {
    return this.#world().allowed.get(owner) ?? 0n;
  }

  usdcOf(owner: Hex): bigint {
    return this.#world().usdc.get(owner) ?? 0n;
  }

  /** What the bridge took for whom, in blocks of at least this depth. */
  deposits(confirmations: number): readonly { key: string; hash: Hex; user: Hex; usd: bigint }[] {
    const blocks = this.#blocks.slice(0, Math.max(0, this.#blocks.length - confirmations + 1));
    return blocks.flatMap(({ mined }) =>
      mined.flatMap(({ data, hash, succeeded, to }) => {
        if (to !== BRIDGE || !succeeded) return [];
        const { args } = decodeFunctionData({ abi: BRIDGE_ABI, data });
        const [user, usd] = args as unknown as readonly [Hex, bigint];
        return [{ key: hash, hash, user: user.toLowerCase() as Hex, usd }];
      }),
    );
  }

  /** Of somebody who is not the relay: in the next block, whatever else waits. */
  pay(from: Hex, to: Hex, amount: bigint): void {
    const world = copyOf(this.#world());
    move(world.usdc, from, to, amount);
    const hash = keccak256(toHex(`payment ${this.chainId} ${this.#branch++} ${this.head}`));
    const logs = [transferLog(from, to, amount)];
    const mined = { hash, from, nonce: -1, to: TOKEN, data: '0x', value: 0n } as const;
    this.#blocks.push({
      hash: this.#hash(),
      mined: [{ ...mined, succeeded: true, logs }],
      after: world,
    });
  }

  mine(): void {
    const world = copyOf(this.#world());
    const mined: Mined[] = [];
    for (let isFound = true; isFound;) {
      isFound = false;
      for (const sent of this.#pool.values()) {
        const nonce = world.nonces.get(sent.from) ?? 0;
        if (sent.nonce < nonce) this.#pool.delete(sent.hash);
        if (sent.nonce !== nonce) continue;
        isFound = true;
        mined.push(this.#execute(world, sent));
        this.#pool.delete(sent.hash);
      }
    }
    this.#blocks.push({ hash: this.#hash(), mined, after: world });
  }

  /** The newest blocks go; what they held waits again or is lost. Payments of others stay. */
  reorganise(depth: number, isLost: boolean): void {
    const removed = this.#blocks.splice(Math.max(1, this.#blocks.length - depth));
    for (const { mined } of removed) {
      for (const each of mined) {
        if (each.nonce >= 0 && !isLost) this.#pool.set(each.hash, each);
        const [log] = each.logs;
        if (each.nonce >= 0 || log === undefined) continue;
        const [, from, to] = log.topics;
        this.pay(plain(from), plain(to), BigInt(log.data));
      }
    }
    while (this.#blocks.length < 2) this.mine();
    this.mine();
  }

  /** The newest blocks go with all that they held. */
  forget(depth: number): void {
    this.#blocks.splice(Math.max(1, this.#blocks.length - depth));
  }

  drop(): void {
    const [first] = this.#pool.keys();
    if (first !== undefined) this.#pool.delete(first);
  }

  async rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const [first, second] = params as readonly [never, never];
    switch (method) {
      case 'eth_chainId':
        return numberToHex(this.chainId);
      case 'eth_blockNumber':
        return numberToHex(this.head);
      case 'eth_getBlockByNumber':
        return { baseFeePerGas: '0x1', hash: this.#blocks[this.#at(first)]?.hash };
      case 'eth_maxPriorityFeePerGas':
        return '0x1';
      case 'eth_getTransactionCount':
        return numberToHex(this.#nonce(lower(first), second));
      case 'eth_getBalance':
        return numberToHex(this.#world().ether.get(lower(first)) ?? 0n);
      case 'eth_call':
        return this.#call(first, this.#blocks[this.#at(second)]?.after ?? this.#world());
      case 'eth_estimateGas':
        return this.#estimate(first);
      case 'eth_sendRawTransaction':
        return await this.#accept(first);
      case 'eth_getTransactionReceipt':
        return this.#receipt(first);
      case 'eth_getTransactionByHash':
        return this.#receipt(first) ?? this.#pool.get(first) ?? null;
      case 'eth_getLogs':
        return this.#logs(first);
      default:
        throw new Error(`no such method: ${method}`);
    }
  }

  #execute(world: World, sent: Sent): Mined {
    world.nonces.set(sent.from, sent.nonce + 1);
    move(world.ether, sent.from, ZERO, GAS_WEI);
    const logs: Log[] = [];
    const succeeded = this.#run(world, sent, logs);
    return { ...sent, succeeded, logs: succeeded ? logs : [] };
  }

  #run(world: World, { data, from, to, value }: Sent, logs: Log[]): boolean {
    if (data === '0x') {
      move(world.ether, from, to, value);
      return true;
    }
    const { args = [], functionName } = decodeFunctionData({
      abi: to === BRIDGE ? BRIDGE_ABI : TEST_USDC_ABI,
      data,
    } as { abi: typeof TEST_USDC_ABI; data: Hex });
    const [whom, amount] = args as unknown as readonly [Hex, bigint];
    if (functionName === 'approve') {
      world.allowed.set(from, amount);
      return true;
    }
    const receiver = to === BRIDGE ? BRIDGE : (whom.toLowerCase() as Hex);
    if (this.blocked.has(receiver) || (world.usdc.get(from) ?? 0n) < amount) return false;
    if (to === BRIDGE) {
      const allowed = world.allowed.get(from) ?? 0n;
      if (allowed < amount) return false;
      world.allowed.set(from, allowed - amount);
    }
    move(world.usdc, from, receiver, amount);
    logs.push(transferLog(from, receiver, amount));
    return true;
  }

  #call({ data, to }: { readonly to: Hex; readonly data: Hex }, world: World): Hex {
    if (to !== TOKEN) throw new Error('execution reverted');
    const { args = [], functionName } = decodeFunctionData({ abi: TEST_USDC_ABI, data });
    const [owner] = args as unknown as readonly [Hex];
    if (functionName === 'allowance') {
      return numberToHex(world.allowed.get(lower(owner)) ?? 0n, { size: 32 });
    }
    return numberToHex(world.usdc.get(owner.toLowerCase() as Hex) ?? 0n, { size: 32 });
  }

  #estimate(call: { readonly from: Hex; readonly to: Hex; readonly data: Hex }): Hex {
    const sent = { hash: '0x', nonce: 0, value: 0n, ...call } as const;
    if (this.#run(copyOf(this.#world()), { ...sent, from: lower(call.from) }, [])) return '0x10000';
    throw Object.assign(new Error('execution reverted'), { code: 3 });
  }

  async #accept(raw: Hex): Promise<Hex> {
    const parsed = parseTransaction(raw);
    const signed = raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction'];
    const from = lower(await recoverTransactionAddress({ serializedTransaction: signed }));
    const { data = '0x', nonce = 0, to, value = 0n } = parsed;
    const hash = keccak256(raw);
    if (this.#receipt(hash) !== null) throw new Error('already known');
    if (nonce < this.#nonce(from, 'latest')) throw new Error('nonce too low');
    if ((this.#world().ether.get(from) ?? 0n) < GAS_WEI + value) {
      throw new Error('insufficient funds');
    }
    for (const [key, waiting] of this.#pool) {
      if (waiting.from === from && waiting.nonce === nonce) this.#pool.delete(key);
    }
    this.#pool.set(hash, { hash, from, nonce, to: lower(to ?? ZERO), data, value });
    return hash;
  }

  #receipt(hash: Hex): object | null {
    for (const [number, block] of this.#blocks.entries()) {
      const found = block.mined.find((each) => each.hash === hash);
      if (found === undefined) continue;
      return {
        transactionHash: hash,
        blockNumber: numberToHex(number),
        blockHash: block.hash,
        status: found.succeeded ? '0x1' : '0x0',
        logs: [],
      };
    }
    return null;
  }

  #logs(filter: {
    readonly fromBlock: Hex;
    readonly toBlock: Hex;
    readonly topics: readonly (Hex | readonly Hex[] | null)[];
  }): readonly object[] {
    const wanted = new Set([filter.topics[2] ?? []].flat());
    const found: object[] = [];
    for (let at = Number(filter.fromBlock); at <= Number(filter.toBlock); at++) {
      const block = this.#blocks[at];
      const all = block?.mined.flatMap(({ hash, logs }) => logs.map((log) => ({ ...log, hash })));
      for (const [index, log] of (all ?? []).entries()) {
        if (!wanted.has(log.topics[2] ?? '0x')) continue;
        const place = { blockNumber: numberToHex(at), blockHash: block?.hash };
        found.push({ ...log, ...place, transactionHash: log.hash, logIndex: numberToHex(index) });
      }
    }
    return found;
  }

  #nonce(from: Hex, block: Hex | 'latest' | 'pending'): number {
    let nonce = this.#blocks[this.#at(block)]?.after.nonces.get(from) ?? 0;
    if (block !== 'pending') return nonce;
    const waiting = new Set(
      [...this.#pool.values()].filter((each) => each.from === from).map((each) => each.nonce),
    );
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  #at(block: Hex | 'latest' | 'pending'): number {
    return block.startsWith('0x') ? Number(block) : this.head;
  }

  #world(): World {
    return this.#blocks.at(-1)!.after;
  }

  #hash(): Hex {
    return keccak256(toHex(`block ${this.chainId} ${this.#branch++}`));
  }
}

const ZERO: Hex = `0x${'0'.repeat(40)}`;

function copyOf({ allowed, ether, nonces, usdc }: World): World {
  return {
    ether: new Map(ether),
    nonces: new Map(nonces),
    usdc: new Map(usdc),
    allowed: new Map(allowed),
  };
}

function move(balances: Map<Hex, bigint>, from: Hex, to: Hex, amount: bigint): void {
  balances.set(from, (balances.get(from) ?? 0n) - amount);
  balances.set(to, (balances.get(to) ?? 0n) + amount);
}

function transferLog(from: Hex, to: Hex, amount: bigint): Log {
  const topics = encodeEventTopics({
    abi: TEST_USDC_ABI,
    eventName: 'Transfer',
    args: { from, to },
  });
  const data = encodeAbiParameters([{ type: 'uint256' }], [amount]);
  return { address: TOKEN, topics: topics as readonly Hex[], data };
}

function plain(topic: Hex | undefined): Hex {
  return `0x${(topic ?? '').slice(-40)}`;
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}
