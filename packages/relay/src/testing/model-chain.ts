import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  lower,
  type ModelCall,
  ModelChain as ChainCore,
  type ModelResult,
  type ModelWorld,
} from '@oddlot/custody/testing';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  numberToHex,
} from 'viem';

/** A chain as small as it can be: a token and a bridge that takes deposits, without a machine. */

export const TOKEN: Hex = `0x${'70'.repeat(20)}`;
export const BRIDGE: Hex = `0x${'b0'.repeat(20)}`;

type Balances = ReadonlyMap<Hex, bigint>;
type State = {
  readonly usdc: Balances;
  readonly ether: Balances;
  /** What the bridge may take of somebody. */
  readonly allowed: Balances;
};
type Result = ModelResult<State>;

/** More than a relay sends for gas at first. */
const GAS_WEI = 1_000_000n;
const ETHER = 10n ** 24n;
const ZERO: Hex = `0x${'0'.repeat(40)}`;
const REVERTED = { ok: false, output: '0x' } as const;

export class ModelChain {
  readonly chainId: number;
  /** Addresses that the token pays nothing to. */
  readonly blocked = new Set<Hex>();
  readonly #core: ChainCore<State>;

  constructor(chainId: number, rich: readonly { readonly owner: Hex; readonly usdc: bigint }[]) {
    this.chainId = chainId;
    const start: State = {
      usdc: new Map(rich.map(({ owner, usdc }) => [owner, usdc])),
      ether: new Map(rich.map(({ owner }) => [owner, ETHER])),
      allowed: new Map(),
    };
    this.#core = new ChainCore(relayWorld(chainId, start, this.blocked), () => 0);
    this.#core.baseFee = 1n;
  }

  get head(): number {
    return this.#core.head.number;
  }

  allowedOf(owner: Hex): bigint {
    return of(this.#core.head.state.allowed, owner);
  }

  usdcOf(owner: Hex): bigint {
    return of(this.#core.head.state.usdc, owner);
  }

  /** What the bridge took for whom, in blocks of at least this depth. */
  deposits(confirmations: number): readonly { key: string; hash: Hex; user: Hex; usd: bigint }[] {
    const { blocks } = this.#core;
    const deep = blocks.slice(0, Math.max(0, blocks.length - confirmations + 1));
    const mined = deep.flatMap((block) => block.mined);
    return mined.flatMap(({ data, hash, ok, to }) => {
      if (to !== BRIDGE || !ok) return [];
      const { args } = decodeFunctionData({ abi: BRIDGE_ABI, data });
      const [user, usd] = args as unknown as readonly [Hex, bigint];
      return [{ key: hash, hash, user: lower(user), usd }];
    });
  }

  /** Of somebody who is not the relay: in the next block, whatever else waits. */
  pay(from: Hex, to: Hex, amount: bigint): void {
    const call = { abi: TEST_USDC_ABI, functionName: 'transfer', args: [to, amount] } as const;
    this.#core.act({ from, to: TOKEN, data: encodeFunctionData(call) });
  }

  mine(): void {
    this.#core.mine();
  }

  /** The newest blocks go; what they held waits again or is lost. Payments of others stay. */
  reorganise(depth: number, isLost: boolean): void {
    for (const each of this.#core.cut(depth)) {
      if (each.nonce < 0) this.#core.act(each);
      else if (!isLost) this.#core.giveBack(each);
    }
    while (this.head < 1) this.mine();
    this.mine();
  }

  /** The newest blocks go with all that they held. */
  forget(depth: number): void {
    this.#core.cut(depth);
  }

  drop(): void {
    this.#core.drop();
  }

  rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#core.rpc(method, params);
  }
}

function relayWorld(chainId: number, start: State, blocked: ReadonlySet<Hex>): ModelWorld<State> {
  return {
    chainId,
    start,
    gasWei: GAS_WEI,
    etherOf: ({ ether }, owner) => of(ether, owner),
    charge: (state, from) => ({ ...state, ether: moved(state.ether, from, ZERO, GAS_WEI) }),
    run: (state, call) => {
      const { data, from, to, value } = call;
      if (data === '0x') return done({ ...state, ether: moved(state.ether, from, to, value) });
      if (to === TOKEN) return runToken(state, call, blocked);
      return to === BRIDGE ? deposit(state, call, blocked) : REVERTED;
    },
  };
}

function runToken(state: State, { data, from }: ModelCall, blocked: ReadonlySet<Hex>): Result {
  const { args = [], functionName } = decodeFunctionData({ abi: TEST_USDC_ABI, data });
  const [whom, amount] = args as unknown as readonly [Hex, bigint];
  switch (functionName) {
    case 'balanceOf':
      return { ...done(state), output: word(of(state.usdc, lower(whom))) };
    case 'allowance':
      return { ...done(state), output: word(of(state.allowed, lower(whom))) };
    case 'approve':
      return done({ ...state, allowed: new Map(state.allowed).set(from, amount) });
    default:
      return transfer(state, { from, to: lower(whom), amount }, blocked);
  }
}

function deposit(state: State, { data, from }: ModelCall, blocked: ReadonlySet<Hex>): Result {
  const { args } = decodeFunctionData({ abi: BRIDGE_ABI, data });
  const [, amount] = args as unknown as readonly [Hex, bigint];
  const allowed = of(state.allowed, from);
  if (allowed < amount) return REVERTED;
  const left = { ...state, allowed: new Map(state.allowed).set(from, allowed - amount) };
  return transfer(left, { from, to: BRIDGE, amount }, blocked);
}

function transfer(
  state: State,
  { amount, from, to }: { readonly from: Hex; readonly to: Hex; readonly amount: bigint },
  blocked: ReadonlySet<Hex>,
): Result {
  if (blocked.has(to) || of(state.usdc, from) < amount) return REVERTED;
  const topics = encodeEventTopics({
    abi: TEST_USDC_ABI,
    eventName: 'Transfer',
    args: { from, to },
  });
  const data = encodeAbiParameters([{ type: 'uint256' }], [amount]);
  const logs = [{ address: TOKEN, topics: topics as readonly Hex[], data }];
  return { ...done({ ...state, usdc: moved(state.usdc, from, to, amount) }), logs };
}

function done(state: State): Extract<Result, { readonly ok: true }> {
  return { ok: true, state, logs: [], output: word(1n) };
}

function moved(balances: Balances, from: Hex, to: Hex, amount: bigint): Balances {
  const taken = new Map(balances).set(from, of(balances, from) - amount);
  return taken.set(to, of(taken, to) + amount);
}

function of(balances: Balances, owner: Hex): bigint {
  return balances.get(owner) ?? 0n;
}

function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}
