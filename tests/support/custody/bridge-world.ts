import { BRIDGE_ABI } from '@oddlot/contracts';
import { recoverSigner, type SignatureHex } from '@oddlot/protocol';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  hashTypedData,
  hexToBytes,
  parseAbiParameters,
} from 'viem';
import { LOCAL_BRIDGE } from '../../../packages/custody/src/bridge-contract/local-contracts.ts';
import {
  lower,
  type ModelCall,
  type ModelLog,
  type ModelResult,
  type ModelWorld,
} from './model-chain.ts';
import {
  itemOf,
  itemsOf,
  noted,
  REVERTED,
  runToken,
  takenByBridge,
  type TokenRules,
  type TokenState,
  transferred,
  word,
} from './model-token.ts';
import {
  type BridgeSignature,
  bridgeTypedData,
  type Payout,
} from '../../../packages/custody/src/signing/bridge-signatures.ts';

/**
 * Models the bridge contract's deposits and payouts in plain code, without an EVM. Some of the same
 * histories also run against the real contracts.
 */

export type BridgeState = TokenState & {
  readonly ether: ReadonlyMap<Hex, bigint>;
  readonly isPaused: boolean;
  readonly states: ReadonlyMap<bigint, number>;
  readonly queued: ReadonlyMap<bigint, Payout & { readonly payableAt: bigint }>;
};

type BridgeRules = TokenRules & {
  readonly chainId: number;
  readonly validators?: readonly Hex[];
  readonly guardian?: Hex;
  readonly start?: Partial<Pick<BridgeState, 'balances' | 'ether'>>;
  /** Gas price in wei. By default, gas is free and every account has unlimited ether. */
  readonly gasWei?: bigint;
};

const EMPTY_STATE: BridgeState = {
  balances: new Map(),
  allowed: new Map(),
  permitNonces: new Map(),
  blacklisted: new Set(),
  ether: new Map(),
  isPaused: false,
  states: new Map(),
  queued: new Map(),
  received: [],
};

type Result = ModelResult<BridgeState>;

const [QUEUED, PAID, CANCELLED] = [1, 2, 3];
const PERMIT_REFUSED = 5;
const PAUSED = encodeErrorResult({ abi: BRIDGE_ABI, errorName: 'EnforcedPause' });
const BRIDGE_ITEMS = itemsOf(BRIDGE_ABI);

export function bridgeWorld(rules: BridgeRules): ModelWorld<BridgeState> {
  const { chainId, gasWei } = rules;
  const run = (state: BridgeState, call: ModelCall): Result => runModel(rules, state, call);
  const world = { chainId, start: { ...EMPTY_STATE, ...rules.start }, run };
  if (gasWei === undefined) return world;
  return {
    ...world,
    gasWei,
    etherOf: ({ ether }, owner) => ether.get(owner) ?? 0n,
    charge: (state, from) => withEther(state, from, ZERO, gasWei),
  };
}

function runModel(rules: BridgeRules, state: BridgeState, call: ModelCall): Result {
  const { from, to, value } = call;
  if (to === rules.contracts.token) return runToken(rules, state, call);
  if (to === rules.contracts.bridge) return new BridgeRun(rules, state, call).run();
  return { ok: true, state: withEther(state, from, to, value), logs: [], output: '0x' };
}

function withEther(state: BridgeState, from: Hex, to: Hex, wei: bigint): BridgeState {
  if (wei === 0n) return state;
  const taken = new Map(state.ether).set(from, (state.ether.get(from) ?? 0n) - wei);
  return { ...state, ether: taken.set(to, (taken.get(to) ?? 0n) + wei) };
}

class BridgeRun {
  readonly #rules: BridgeRules;
  readonly #call: ModelCall;
  #state: BridgeState;
  readonly #logs: ModelLog[] = [];

  constructor(rules: BridgeRules, state: BridgeState, call: ModelCall) {
    this.#rules = rules;
    this.#state = state;
    this.#call = call;
  }

  run(): Result {
    const { data, from } = this.#call;
    const { args, functionName } = decodeFunctionData({ abi: itemOf(BRIDGE_ITEMS, data), data });
    switch (functionName) {
      case 'stateOf':
        return this.#answer(word(BigInt(this.#stateOf(args[0]))));
      case 'paused':
        return this.#answer(word(this.#state.isPaused ? 1n : 0n));
      case 'threshold':
        return this.#answer(word(LOCAL_BRIDGE.threshold));
      case 'largeUsd':
        return this.#answer(word(LOCAL_BRIDGE.largeUsd));
      case 'validators': {
        const result = [...(this.#rules.validators ?? [])];
        return this.#answer(encodeFunctionResult({ abi: BRIDGE_ABI, functionName, result }));
      }
      case 'queued':
        return this.#answer(this.#queuedWords(args[0]));
      case 'nextPermitNonce':
        return this.#answer(word(this.#state.permitNonces.get(lower(args[0])) ?? 0n));
      case 'depositFor':
        return this.#deposited(from, { user: lower(args[0]), usd: args[1] })
          ? this.#answer('0x')
          : REVERTED;
      case 'batchedDepositWithPermit':
        for (const permit of args[0]) this.#depositByPermit(permit);
        return this.#answer('0x');
      case 'pause':
      case 'unpause':
        if (from !== this.#rules.guardian || this.#state.isPaused === (functionName === 'pause'))
          return REVERTED;
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

  #deposited(from: Hex, { usd, user }: { readonly user: Hex; readonly usd: bigint }): boolean {
    const result = takenByBridge(this.#rules, this.#state, { from, usd });
    if (!result.ok) return false;
    const { hash = '0x' } = this.#call;
    this.#state = noted(result.state, { hash, user, usd, kind: 'event' });
    this.#logs.push(...result.logs);
    this.#log('Deposit', { user }, word(usd));
    return true;
  }

  /** A permit grants an allowance that is consumed by the same call. */
  #depositByPermit({ deadline, signature, usd, user: owner }: DepositWithPermit): void {
    const { chainId, contracts } = this.#rules;
    const user = lower(owner);
    const nonce = this.#state.permitNonces.get(user) ?? 0n;
    const domain = { name: 'USD Coin', version: '2', chainId, verifyingContract: contracts.token };
    const message = { owner: user, spender: contracts.bridge, value: usd, nonce, deadline };
    const typed = { domain, types: PERMIT_TYPES, primaryType: 'Permit', message } as const;
    const isGood = signerOf(typed, signature) === user && deadline >= this.#call.time;
    const before = this.#state;
    if (isGood) {
      const allowed = new Map(before.allowed).set(user, usd);
      const permitNonces = new Map(before.permitNonces).set(user, nonce + 1n);
      this.#state = { ...before, allowed, permitNonces };
      if (this.#deposited(user, { user, usd })) return;
      this.#state = before;
    }
    this.#log('FailedPermitDeposit', { user }, words('uint64, uint32', [usd, PERMIT_REFUSED]));
  }

  #batch(payouts: readonly Payout[], signatures: readonly (readonly BridgeSignature[])[]): Result {
    if (this.#state.isPaused) return this.#ended('paused');
    for (const [at, payout] of payouts.entries()) {
      const code = this.#payOut(payout, signatures[at] ?? []);
      if (code !== 0)
        this.#log('PayoutFailed', { withdrawalId: payout.withdrawalId }, words('uint32', [code]));
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
    this.#log('Queued', { withdrawalId, user }, data);
    return 0;
  }

  #pay(payout: Payout): number {
    const { destination, usd, user, withdrawalId } = payout;
    const { bridge } = this.#rules.contracts;
    const move = { from: bridge, to: lower(destination), usd };
    const result = transferred(this.#rules, this.#state, move);
    if (!result.ok) return 9;
    this.#state = result.state;
    this.#logs.push(...result.logs);
    this.#mark(withdrawalId, PAID!);
    this.#log('Paid', { withdrawalId, user }, words('address, uint64', [destination, usd]));
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
    this.#log('Cancelled', { withdrawalId: id }, '0x');
    return 0;
  }

  #mark(id: bigint, state: number): void {
    this.#state = { ...this.#state, states: new Map(this.#state.states).set(id, state) };
  }

  #checkSigned(
    request: Parameters<typeof bridgeTypedData>[1],
    signatures: readonly BridgeSignature[],
  ): number {
    const { chainId, contracts, validators = [] } = this.#rules;
    const typed = bridgeTypedData({ chainId, bridge: contracts.bridge }, request);
    if (signatures.length < Number(LOCAL_BRIDGE.threshold)) return 5;
    let last = '';
    for (const signature of signatures) {
      const signer = signerOf(typed, signature);
      if (!validators.includes(signer)) return 7;
      if (signer <= last) return 8;
      last = signer;
    }
    return 0;
  }

  #log(eventName: string, args: object, data: Hex): void {
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

type DepositWithPermit = {
  readonly user: Hex;
  readonly usd: bigint;
  readonly deadline: bigint;
  readonly signature: BridgeSignature;
};

const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

/**
 * Results are cached, because recovering a signer is slow and the same signatures occur many times
 * in a history.
 */
const signers = new Map<string, Hex>();

function signerOf(typed: Parameters<typeof hashTypedData>[0], { r, s, v }: BridgeSignature): Hex {
  const { domain, message, primaryType } = typed;
  const at = (domain as { readonly verifyingContract: Hex }).verifyingContract;
  const key = [at, primaryType, ...Object.values(message), r, s, v].join();
  const known = signers.get(key);
  if (known !== undefined) return known;
  const digest = hexToBytes(hashTypedData(typed));
  const signature = { r: word(r), s: word(s), v: v === 27 ? 27 : 28 };
  const signer = recoverSigner(digest, signature as SignatureHex) ?? '0x';
  signers.set(key, signer);
  return signer;
}

function words(types: string, values: readonly unknown[]): Hex {
  return encodeAbiParameters(parseAbiParameters(types) as never, values as never);
}
