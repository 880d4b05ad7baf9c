import { TEST_USDC_ABI } from '@oddlot/contracts';
import { present } from '@oddlot/units';
import {
  type Abi,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  toFunctionSelector,
  toHex,
} from 'viem';
import type { BridgeContracts } from '../../../packages/custody/src/bridge-contract/deposit-logs.ts';
import { lower, type ModelCall, type ModelResult } from './model-chain.ts';

type Amounts = ReadonlyMap<Hex, bigint>;

export type TokenState = {
  readonly balances: Amounts;
  /** The amount that each account allows the bridge to spend. */
  readonly allowed: Amounts;
  readonly permitNonces: Amounts;
  readonly blacklisted: ReadonlySet<Hex>;
  /** USDC received by the bridge, as a simple chain reader would list it. */
  readonly received: readonly Received[];
};

type Received = {
  readonly hash: Hex;
  readonly user: Hex;
  readonly usd: bigint;
  readonly kind: 'event' | 'plain';
};

export type TokenRules = {
  readonly contracts: BridgeContracts;
  /** The account that can mint tokens and blacklist accounts. */
  readonly minter?: Hex;
  /** The default balance and allowance of every account. */
  readonly everybody?: bigint;
  /** The token rejects transfers that involve these accounts, in every block. */
  readonly blocked?: ReadonlySet<Hex>;
};

export const REVERTED = { ok: false, output: '0x' } as const;
const DONE = toHex(1, { size: 32 });
/** ERC-20 represents minting as a transfer from the zero address. */
const NOBODY: Hex = `0x${'00'.repeat(20)}`;

export function word(value: bigint): Hex {
  return toHex(value, { size: 32 });
}

/** Caches functions by selector, because searching a long ABI hashes every function. */
export function itemsOf<const List extends Abi>(abi: List): ReadonlyMap<string, List> {
  const items = abi.filter((item) => item.type === 'function');
  return new Map(items.map((item) => [toFunctionSelector(item), [item] as unknown as List]));
}

export function itemOf<List extends Abi>(items: ReadonlyMap<string, List>, data: Hex): List {
  return present(items.get(data.slice(0, 10)), 'a function that the model knows');
}

const ITEMS = itemsOf(TEST_USDC_ABI);

export function runToken<State extends TokenState>(
  rules: TokenRules,
  state: State,
  { data, from, hash = '0x' }: ModelCall,
): ModelResult<State> {
  const { args, functionName } = decodeFunctionData({ abi: itemOf(ITEMS, data), data });
  const done = (next: Partial<TokenState>, output: Hex = DONE): ModelResult<State> => {
    return { ok: true, state: { ...state, ...next }, logs: [], output };
  };
  switch (functionName) {
    case 'name':
    case 'version': {
      const result = functionName === 'name' ? 'USD Coin' : '2';
      return done({}, encodeFunctionResult({ abi: TEST_USDC_ABI, functionName, result }));
    }
    case 'balanceOf':
      return done({}, word(balanceOf(rules, state, lower(args[0]))));
    case 'allowance':
      return done({}, word(allowanceOf(rules, state, lower(args[0]))));
    case 'nonces':
      return done({}, word(state.permitNonces.get(lower(args[0])) ?? 0n));
    // The model verifies the permit only when the bridge uses it.
    case 'permit':
      return done({}, '0x');
    case 'approve':
      return done({ allowed: new Map(state.allowed).set(from, args[1]) });
    case 'transfer': {
      const [to, usd] = [lower(args[0]), args[1]];
      const result = transferred(rules, state, { from, to, usd });
      if (!result.ok || to !== rules.contracts.bridge) return result;
      return { ...result, state: noted(result.state, { hash, user: from, usd, kind: 'plain' }) };
    }
    default:
  }
  if (from !== rules.minter) return REVERTED;
  const account = lower(args?.[0] as Hex);
  const blacklisted = new Set(state.blacklisted);
  if (functionName === 'mint') {
    const held = balanceOf(rules, state, account);
    const balances = new Map(state.balances).set(account, held + args[1]);
    const logs = [transferLog(rules, { from: NOBODY, to: account, usd: args[1] })];
    return { ok: true, state: { ...state, balances }, logs, output: DONE };
  }
  if (functionName === 'blacklist') blacklisted.add(account);
  else if (functionName === 'unBlacklist') blacklisted.delete(account);
  else throw new Error(`the model does not know ${functionName}`);
  return done({ blacklisted });
}

function balanceOf(rules: TokenRules, { balances }: TokenState, owner: Hex): bigint {
  return balances.get(owner) ?? rules.everybody ?? 0n;
}

function allowanceOf(rules: TokenRules, { allowed }: TokenState, owner: Hex): bigint {
  return allowed.get(owner) ?? rules.everybody ?? 0n;
}

export function transferred<State extends TokenState>(
  rules: TokenRules,
  state: State,
  { from, to, usd }: { readonly from: Hex; readonly to: Hex; readonly usd: bigint },
): ModelResult<State> {
  const isListed = (holder: Hex): boolean =>
    state.blacklisted.has(holder) || rules.blocked?.has(holder) === true;
  const held = balanceOf(rules, state, from);
  if (isListed(from) || isListed(to) || held < usd) return REVERTED;
  const taken = { ...state, balances: new Map(state.balances).set(from, held - usd) };
  const balances = new Map(taken.balances).set(to, balanceOf(rules, taken, to) + usd);
  const logs = [transferLog(rules, { from, to, usd })];
  return { ok: true, state: { ...state, balances }, logs, output: DONE };
}

function transferLog(
  { contracts }: TokenRules,
  { from, to, usd }: { readonly from: Hex; readonly to: Hex; readonly usd: bigint },
) {
  const event = { abi: TEST_USDC_ABI, eventName: 'Transfer', args: { from, to } } as const;
  return { address: contracts.token, topics: encodeEventTopics(event) as Hex[], data: word(usd) };
}

export function noted<State extends TokenState>(state: State, received: Received): State {
  return { ...state, received: [...state.received, received] };
}

/** Returns the state after the bridge has transferred approved USDC from the owner to itself. */
export function takenByBridge<State extends TokenState>(
  rules: TokenRules,
  state: State,
  { from, usd }: { readonly from: Hex; readonly usd: bigint },
): ModelResult<State> {
  const left = allowanceOf(rules, state, from) - usd;
  if (left < 0n) return REVERTED;
  const allowed = new Map(state.allowed).set(from, left);
  return transferred(rules, { ...state, allowed }, { from, to: rules.contracts.bridge, usd });
}
