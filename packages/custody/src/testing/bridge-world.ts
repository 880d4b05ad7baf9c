import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { recoverSigner, type SignatureHex } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import {
  type Abi,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  hashTypedData,
  hexToBytes,
  parseAbiParameters,
  toFunctionSelector,
  toHex,
} from 'viem';
import type { BridgeContracts } from '../bridge-contract/deposit-logs.ts';
import { LOCAL_BRIDGE } from '../bridge-contract/local-contracts.ts';
import {
  lower,
  type ModelCall,
  type ModelLog,
  type ModelResult,
  type ModelWorld,
} from './model-chain.ts';
import { type BridgeSignature, bridgeTypedData, type Payout } from '../signing/validators.ts';

/**
 * The bridge and its token as far as payouts need them, in plain code: what the contracts do, without a
 * machine to run them. The same histories run against the contracts themselves in a smaller number.
 */

type ModelState = {
  readonly balances: ReadonlyMap<Hex, bigint>;
  readonly blacklisted: ReadonlySet<Hex>;
  readonly isPaused: boolean;
  readonly states: ReadonlyMap<bigint, number>;
  readonly queued: ReadonlyMap<bigint, Payout & { readonly payableAt: bigint }>;
};

type ModelRules = {
  readonly contracts: BridgeContracts;
  readonly chainId: number;
  readonly validators: readonly Hex[];
  readonly guardian: Hex;
  readonly minter: Hex;
};

const EMPTY_STATE: ModelState = {
  balances: new Map(),
  blacklisted: new Set(),
  isPaused: false,
  states: new Map(),
  queued: new Map(),
};

type Result = ModelResult<ModelState>;

const [QUEUED, PAID, CANCELLED] = [1, 2, 3];
const PAUSED = encodeErrorResult({ abi: BRIDGE_ABI, errorName: 'EnforcedPause' });

/** Finding a function in a long list costs a hash for each of them. */
const TOKEN_ITEMS = itemsOf(TEST_USDC_ABI);
const BRIDGE_ITEMS = itemsOf(BRIDGE_ABI);

function itemsOf<const List extends Abi>(abi: List): ReadonlyMap<string, List> {
  const items = abi.filter((item) => item.type === 'function');
  return new Map(items.map((item) => [toFunctionSelector(item), [item] as unknown as List]));
}

function itemOf<List extends Abi>(items: ReadonlyMap<string, List>, data: Hex): List {
  return present(items.get(data.slice(0, 10)), 'a function that the model knows');
}

export function bridgeWorld(rules: ModelRules): ModelWorld<ModelState> {
  const run = (state: ModelState, call: ModelCall): Result => runModel(rules, state, call);
  return { chainId: rules.chainId, start: EMPTY_STATE, run };
}

function runModel(rules: ModelRules, state: ModelState, call: ModelCall): Result {
  const { bridge, token } = rules.contracts;
  if (call.to === token) return runToken(rules, state, call);
  if (call.to !== bridge) return { ok: true, state, logs: [], output: '0x' };
  return new BridgeRun(rules, state, call).run();
}

function runToken({ minter }: ModelRules, state: ModelState, call: ModelCall): Result {
  const { args, functionName } = decodeFunctionData({
    abi: itemOf(TOKEN_ITEMS, call.data),
    data: call.data,
  });
  const done = (next: ModelState): Result => ({
    ok: true,
    state: next,
    logs: [],
    output: '0x',
  });
  if (functionName === 'balanceOf') {
    const balance = state.balances.get(lower(args[0])) ?? 0n;
    return { ok: true, state, logs: [], output: toHex(balance, { size: 32 }) };
  }
  if (functionName === 'transfer') return transferred(state, call.from, lower(args[0]), args[1]);
  if (call.from !== minter) return { ok: false, output: '0x' };
  if (functionName === 'mint') {
    const to = lower(args[0]);
    return done({
      ...state,
      balances: new Map(state.balances).set(to, (state.balances.get(to) ?? 0n) + args[1]),
    });
  }
  const listed = new Set(state.blacklisted);
  if (functionName === 'blacklist') listed.add(lower(args[0]));
  else if (functionName === 'unBlacklist') listed.delete(lower(args[0]));
  else throw new Error(`the model does not know ${functionName}`);
  return done({ ...state, blacklisted: listed });
}

function transferred(state: ModelState, from: Hex, to: Hex, usd: bigint): Result {
  const { balances, blacklisted } = state;
  const held = balances.get(from) ?? 0n;
  if (blacklisted.has(from) || blacklisted.has(to) || held < usd) {
    return { ok: false, output: '0x' };
  }
  const moved = new Map(balances).set(from, held - usd);
  const next = { ...state, balances: moved.set(to, (moved.get(to) ?? 0n) + usd) };
  return { ok: true, state: next, logs: [], output: toHex(1, { size: 32 }) };
}

class BridgeRun {
  readonly #rules: ModelRules;
  readonly #call: ModelCall;
  #state: ModelState;
  readonly #logs: ModelLog[] = [];

  constructor(rules: ModelRules, state: ModelState, call: ModelCall) {
    this.#rules = rules;
    this.#state = state;
    this.#call = call;
  }

  run(): Result {
    const { data, from } = this.#call;
    const { args, functionName } = decodeFunctionData({ abi: itemOf(BRIDGE_ITEMS, data), data });
    switch (functionName) {
      case 'stateOf':
        return this.#answer(toHex(this.#stateOf(args[0]), { size: 32 }));
      case 'paused':
        return this.#answer(toHex(this.#state.isPaused ? 1 : 0, { size: 32 }));
      case 'threshold':
        return this.#answer(toHex(LOCAL_BRIDGE.threshold, { size: 32 }));
      case 'largeUsd':
        return this.#answer(toHex(LOCAL_BRIDGE.largeUsd, { size: 32 }));
      case 'validators': {
        const result = [...this.#rules.validators];
        return this.#answer(encodeFunctionResult({ abi: BRIDGE_ABI, functionName, result }));
      }
      case 'queued':
        return this.#answer(this.#queuedWords(args[0]));
      case 'pause':
      case 'unpause':
        if (from !== this.#rules.guardian || this.#state.isPaused === (functionName === 'pause'))
          return { ok: false, output: '0x' };
        this.#state = { ...this.#state, isPaused: functionName === 'pause' };
        return this.#answer('0x');
      case 'payOut':
        return this.#ended(this.#pauseOr(this.#payOut(args[0], args[1])));
      case 'batchPayOut':
        return this.#batch(args[0], args[1]);
      case 'finish':
        return this.#ended(this.#pauseOr(this.#finish(args[0])));
      case 'cancel':
        return this.#ended(this.#cancel(args[0], args[1]));
      case 'cancelQueued':
        if (from !== this.#rules.guardian) return this.#ended(16);
        if (this.#stateOf(args[0]) !== QUEUED) return this.#ended(10);
        return this.#ended(this.#end(args[0]));
      default:
        throw new Error(`the model does not know ${functionName}`);
    }
  }

  #stateOf(id: bigint): number {
    return this.#state.states.get(id) ?? 0;
  }

  #answer(output: Hex): Result {
    return { ok: true, state: this.#state, logs: this.#logs, output };
  }

  #ended(code: number | 'paused'): Result {
    if (code === 0) return this.#answer('0x');
    if (code === 'paused') return { ok: false, output: PAUSED };
    return {
      ok: false,
      output: encodeErrorResult({ abi: BRIDGE_ABI, errorName: 'Refused', args: [code] }),
    };
  }

  #pauseOr(code: number): number | 'paused' {
    return this.#state.isPaused ? 'paused' : code;
  }

  #batch(payouts: readonly Payout[], signatures: readonly (readonly BridgeSignature[])[]): Result {
    if (this.#state.isPaused) return this.#ended('paused');
    for (const [at, payout] of payouts.entries()) {
      const code = this.#payOut(payout, signatures[at] ?? []);
      if (code !== 0)
        this.#log('PayoutFailed', payout.withdrawalId, undefined, words('uint32', [code]));
    }
    return this.#answer('0x');
  }

  #payOut(payout: Payout, signatures: readonly BridgeSignature[]): number {
    const { destination, usd, user, withdrawalId } = payout;
    const state = this.#stateOf(withdrawalId);
    if (state !== 0) return state;
    if (usd === 0n) return 4;
    const code = this.#checkSigned({ type: 'payout', payout }, signatures);
    if (code !== 0) return code;
    if (usd < LOCAL_BRIDGE.largeUsd) return this.#pay(payout);
    const payableAt = this.#call.time + LOCAL_BRIDGE.delaySeconds;
    this.#mark(withdrawalId, QUEUED!);
    const queued = new Map(this.#state.queued).set(withdrawalId, { ...payout, payableAt });
    this.#state = { ...this.#state, queued };
    const data = words('address, uint64, uint64', [destination, usd, payableAt]);
    this.#log('Queued', withdrawalId, user, data);
    return 0;
  }

  #pay(payout: Payout): number {
    const { destination, usd, user, withdrawalId } = payout;
    const { balances, blacklisted } = this.#state;
    const { bridge } = this.#rules.contracts;
    const held = balances.get(bridge) ?? 0n;
    const to = lower(destination);
    if (blacklisted.has(bridge) || blacklisted.has(to) || held < usd) return 9;
    const moved = new Map(balances).set(bridge, held - usd);
    this.#state = { ...this.#state, balances: moved.set(to, (moved.get(to) ?? 0n) + usd) };
    this.#mark(withdrawalId, PAID!);
    this.#log('Paid', withdrawalId, user, words('address, uint64', [destination, usd]));
    return 0;
  }

  #finish(id: bigint): number {
    const waiting = this.#state.queued.get(id);
    if (this.#stateOf(id) !== QUEUED || waiting === undefined) return 10;
    return this.#call.time < waiting.payableAt ? 11 : this.#pay(waiting);
  }

  #cancel(id: bigint, signatures: readonly BridgeSignature[]): number {
    const state = this.#stateOf(id);
    if (state === PAID || state === CANCELLED) return state;
    const about = { type: 'cancellation', withdrawalId: id, user: '0x', reason: '' } as const;
    const code = this.#checkSigned(about, signatures);
    return code === 0 ? this.#end(id) : code;
  }

  #end(id: bigint): number {
    this.#mark(id, CANCELLED!);
    this.#log('Cancelled', id, undefined, '0x');
    return 0;
  }

  #mark(id: bigint, state: number): void {
    this.#state = { ...this.#state, states: new Map(this.#state.states).set(id, state) };
  }

  #checkSigned(
    request: Parameters<typeof bridgeTypedData>[1],
    signatures: readonly BridgeSignature[],
  ): number {
    const { chainId, contracts, validators } = this.#rules;
    if (signatures.length < Number(LOCAL_BRIDGE.threshold)) return 5;
    let last = '';
    for (const signature of signatures) {
      const signer = signerOf({ chainId, bridge: contracts.bridge }, request, signature);
      if (!validators.includes(signer)) return 7;
      if (signer <= last) return 8;
      last = signer;
    }
    return 0;
  }

  #log(
    eventName: 'Paid' | 'Queued' | 'Cancelled' | 'PayoutFailed',
    withdrawalId: bigint,
    user: Hex | undefined,
    data: Hex,
  ): void {
    const args = user === undefined ? { withdrawalId } : { withdrawalId, user };
    const topics = encodeEventTopics({ abi: BRIDGE_ABI, eventName, args } as never) as Hex[];
    this.#logs.push({ address: this.#rules.contracts.bridge, topics, data });
  }

  #queuedWords(id: bigint): Hex {
    const { destination, payableAt, usd, user } = this.#state.queued.get(id) ?? NOTHING;
    return words('address, uint64, address, uint64', [user, usd, destination, payableAt]);
  }
}

const ZERO: Hex = `0x${'0'.repeat(40)}`;
const NOTHING = { user: ZERO, usd: 0n, destination: ZERO, payableAt: 0n };

/** Recovering is slow, and histories sign the same things again and again. */
const signers = new Map<string, Hex>();

function signerOf(
  domain: { readonly chainId: number; readonly bridge: Hex },
  request: Parameters<typeof bridgeTypedData>[1],
  { r, s, v }: BridgeSignature,
): Hex {
  const typed = bridgeTypedData(domain, request);
  const key = [domain.bridge, typed.primaryType, ...Object.values(typed.message), r, s, v].join();
  const known = signers.get(key);
  if (known !== undefined) return known;
  const digest = hexToBytes(hashTypedData(typed));
  const signature = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), v: v === 27 ? 27 : 28 };
  const signer = recoverSigner(digest, signature as SignatureHex) ?? '0x';
  signers.set(key, signer);
  return signer;
}

function words(types: string, values: readonly unknown[]): Hex {
  return encodeAbiParameters(parseAbiParameters(types) as never, values as never);
}
