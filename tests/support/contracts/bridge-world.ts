import type { Abi, Hex } from 'viem';
import { BRIDGE_ABI, BRIDGE_BYTECODE } from '../../../packages/contracts/src/outputs/bridge.ts';
import {
  TEST_USDC_ABI,
  TEST_USDC_BYTECODE,
} from '../../../packages/contracts/src/outputs/test-usdc.ts';
import { Evm, type Contract, type Outcome } from './evm.ts';
import { HOSTILE_TOKEN_ABI, HOSTILE_TOKEN_BYTECODE } from './hostile-token.ts';
import { keyOf, sortKeys, type Key } from './keys.ts';
import { signMessage, type Domain, type Payout, type Signature } from './sign.ts';

/** Payouts of at least 1,000 USDC are delayed by one hour. The unit is micro-USDC. */
export const LARGE_USD = 1_000_000_000n;
export const DELAY_SECONDS = 3600;

/** Three validators in ascending address order. Two of them must sign. */
export const VALIDATORS: readonly Key[] = sortKeys(
  ['one', 'two', 'three'].map((name) => keyOf(`validator ${name}`)),
);
export const THRESHOLD = 2n;
export const GUARDIAN = keyOf('guardian');
export const MINTER = keyOf('minter');
/** This key sends calls that any address may make. */
export const UNPRIVILEGED_KEY = keyOf('anyone');
export const ALICE = keyOf('alice');
export const BOB = keyOf('bob');
export const CAROL = keyOf('carol');

/** These codes are copied from `Refusals.sol`; a test compares the two. */
export const CODES = {
  ALREADY_QUEUED: 1,
  ALREADY_PAID: 2,
  ALREADY_CANCELLED: 3,
  INVALID_REQUEST: 4,
  TOO_FEW_SIGNATURES: 5,
  BAD_SIGNATURE: 6,
  NOT_A_VALIDATOR: 7,
  UNSORTED_SIGNATURES: 8,
  TRANSFER_FAILED: 9,
  NOT_QUEUED: 10,
  TOO_EARLY: 11,
  PERMIT_EXPIRED: 12,
  PERMIT_REFUSED: 13,
  PERMIT_ALREADY_USED: 14,
  WRONG_NONCE: 15,
  NOT_THE_GUARDIAN: 16,
  INVALID_VALIDATORS: 17,
  WRONG_AMOUNT: 18,
  NOT_ENOUGH_GAS: 19,
} as const;

/** These modes are copied from `HostileToken.sol`. */
export const HOSTILE = {
  Honest: 0,
  ReturnFalse: 1,
  ReturnNothing: 2,
  Lie: 3,
  TakeFee: 4,
  TakeMore: 5,
  Reenter: 6,
  BurnPermits: 7,
  BurnTransfers: 8,
} as const;

export type CodeName = keyof typeof CODES;

export function refused(name: CodeName): string {
  return `Refused(${CODES[name]})`;
}

export class BridgeWorld {
  readonly evm: Evm;
  readonly token: Contract;
  readonly bridge: Contract;

  private constructor(evm: Evm, token: Contract, bridge: Contract) {
    this.evm = evm;
    this.token = token;
    this.bridge = bridge;
  }

  static async open(
    options: {
      readonly evm?: Evm;
      readonly isHostile?: boolean;
    } = {},
  ): Promise<BridgeWorld> {
    const evm = options.evm ?? (await Evm.open());
    const token =
      options.isHostile === true
        ? await evm.deploy(MINTER, codeOf(HOSTILE_TOKEN_ABI, HOSTILE_TOKEN_BYTECODE, []))
        : await evm.deploy(MINTER, codeOf(TEST_USDC_ABI, TEST_USDC_BYTECODE, [MINTER.address]));
    const bridge = await evm.deploy(UNPRIVILEGED_KEY, bridgeCode(token));
    return new BridgeWorld(evm, token, bridge);
  }

  get domain(): Domain {
    return { chainId: this.evm.chainId, verifyingContract: this.bridge.address };
  }

  call(from: Key, name: string, args: readonly unknown[] = [], gas?: bigint): Promise<Outcome> {
    const limit = gas === undefined ? {} : { gas };
    return this.evm.send(from, this.bridge, { name, args, ...limit });
  }

  read(name: string, args: readonly unknown[] = []): Promise<unknown> {
    return this.evm.read(this.bridge, name, args);
  }

  async tokenCall(from: Key, name: string, args: readonly unknown[] = []): Promise<Outcome> {
    const outcome = await this.evm.send(from, this.token, { name, args });
    if (!outcome.ok) throw new Error(`${name}: ${outcome.error}`);
    return outcome;
  }

  async balanceOf(address: string): Promise<bigint> {
    return (await this.evm.read(this.token, 'balanceOf', [address])) as bigint;
  }

  async fund(user: Key, usd: bigint): Promise<void> {
    await this.tokenCall(MINTER, 'mint', [user.address, usd]);
  }

  /** Mints USDC directly to the bridge, with the same effect as a plain transfer. */
  async fill(usd: bigint): Promise<void> {
    await this.tokenCall(MINTER, 'mint', [this.bridge.address, usd]);
  }

  signPayout(payout: Payout, keys: readonly Key[] = VALIDATORS): Promise<Signature[]> {
    return signMessage(keys, this.domain, 'Payout', payout);
  }

  async payOut(payout: Payout, keys: readonly Key[] = VALIDATORS): Promise<Outcome> {
    return this.call(UNPRIVILEGED_KEY, 'payOut', [payout, await this.signPayout(payout, keys)]);
  }

  async cancel(withdrawalId: bigint, keys: readonly Key[] = VALIDATORS): Promise<Outcome> {
    const signatures = await signMessage(keys, this.domain, 'Cancellation', { withdrawalId });
    return this.call(UNPRIVILEGED_KEY, 'cancel', [withdrawalId, signatures]);
  }

  async unpause(nonce: bigint, keys: readonly Key[] = VALIDATORS): Promise<Outcome> {
    const signatures = await signMessage(keys, this.domain, 'Unpause', { nonce });
    return this.call(UNPRIVILEGED_KEY, 'unpauseBySignatures', [nonce, signatures]);
  }

  async rotate(
    next: {
      readonly validators: readonly Key[];
      readonly threshold: bigint;
      readonly guardian: Key;
      readonly nonce: bigint;
    },
    keys: readonly Key[] = VALIDATORS,
  ): Promise<Outcome> {
    const validators = next.validators.map(({ address }) => address);
    const { threshold, nonce } = next;
    const guardian = next.guardian.address;
    const message = { validators, threshold, guardian, nonce };
    const signatures = await signMessage(keys, this.domain, 'Rotation', message);
    return this.call(UNPRIVILEGED_KEY, 'rotate', [
      validators,
      threshold,
      guardian,
      nonce,
      signatures,
    ]);
  }
}

export function payoutOf(withdrawalId: bigint, rest: Partial<Payout> = {}): Payout {
  return {
    withdrawalId,
    user: ALICE.address,
    destination: BOB.address,
    usd: 5_000_000n,
    ...rest,
  };
}

export function bridgeCode(
  token: Contract,
  rest: {
    readonly validators?: readonly string[];
    readonly threshold?: bigint;
    readonly guardian?: string;
    readonly delaySeconds?: number;
  } = {},
) {
  return codeOf(BRIDGE_ABI, BRIDGE_BYTECODE, [
    token.address,
    rest.validators ?? VALIDATORS.map(({ address }) => address),
    rest.threshold ?? THRESHOLD,
    rest.guardian ?? GUARDIAN.address,
    LARGE_USD,
    rest.delaySeconds ?? DELAY_SECONDS,
  ]);
}

function codeOf(abi: unknown, bytecode: Hex, args: readonly unknown[]) {
  return { abi: abi as Abi, bytecode, args };
}
