import { BRIDGE_ABI } from '@oddlot/contracts';
import { localContracts } from '@oddlot/custody/bridge-contract';
import type { LocalKeys } from '@oddlot/custody/local-keys';
import { keyValidator, type Validator } from '@oddlot/custody/signing';
import { rememberSender } from '@oddlot/testing/custody';
import { encodeFunctionData, type Hex, keccak256, parseSignature, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** Fixed keys for all payout histories, and the lifetimes of the process of their venue. */

export const CHAIN_ID = 421_614;
export const key = (name: string): Hex => keccak256(toHex(`payout world: ${name}`));

/**
 * Accounts are cached and registered as known signers, because deriving keys and recovering signers
 * are both slow.
 */
const accounts = new Map<Hex, PrivateKeyAccount>();

export function accountOf(secret: Hex): PrivateKeyAccount {
  const known = accounts.get(secret);
  if (known !== undefined) return known;
  const account = privateKeyToAccount(secret);
  const signTransaction: typeof account.signTransaction = async (transaction, options) => {
    const raw = await account.signTransaction(transaction, options);
    rememberSender(raw as Hex, account.address);
    return raw;
  };
  const remembering = { ...account, signTransaction };
  accounts.set(secret, remembering);
  return remembering;
}

export function addressOf(secret: Hex): Hex {
  return accountOf(secret).address.toLowerCase() as Hex;
}

export const KEYS: LocalKeys = {
  relayer: key('relayer'),
  minter: key('minter'),
  guardian: key('guardian'),
  validators: ['one', 'two', 'three'].map(key),
};
export const OUTSIDER = key('stranger');
export const CONTRACTS = localContracts(KEYS);

/**
 * One lifetime of the venue's process. The process is killed at a given call, after which all calls
 * fail.
 */
export class Life {
  isOver = false;
  #fuse: number;
  readonly #onEnd: () => void;

  constructor(fuse: number, onEnd: () => void) {
    this.#fuse = fuse;
    this.#onEnd = onEnd;
  }

  set fuse(calls: number) {
    this.#fuse = calls;
  }

  /**
   * Counts a call twice, before and after its effect, because the process can be killed at either
   * point.
   */
  pass(): void {
    if (!this.isOver) {
      this.#fuse -= 1;
      if (this.#fuse >= 0) return;
      this.isOver = true;
      this.#onEnd();
    }
    throw new Error('the process has ended');
  }
}

const validators = new Map<Hex, Validator>();

export function validatorOf(secret: Hex): Validator {
  const domain = { chainId: CHAIN_ID, bridge: CONTRACTS.bridge };
  const known = validators.get(secret) ?? keyValidator(secret, domain);
  validators.set(secret, known);
  return known;
}

const signatures = new Map<string, ReturnType<Validator['sign']>>();

/** Caches signatures, because the histories keep requesting the same few. */
export function remembered(
  ...[validator, request, signal]: [Validator, ...Parameters<Validator['sign']>]
) {
  const about = request.type === 'payout' ? Object.values(request.payout) : [request.withdrawalId];
  const name = [validator.name, request.type, ...about].join();
  const known = signatures.get(name) ?? validator.sign(request, signal);
  signatures.set(name, known);
  return known;
}

const ROTATION = [
  { name: 'validators', type: 'address[]' },
  { name: 'threshold', type: 'uint256' },
  { name: 'guardian', type: 'address' },
  { name: 'nonce', type: 'uint64' },
] as const;

/**
 * Returns a bridge call, signed by all validators, that replaces the validator with the lowest
 * address.
 */
export async function rotationData(): Promise<Hex> {
  const sorted = KEYS.validators.toSorted((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1));
  const message = {
    validators: [OUTSIDER, ...sorted.slice(1)].map(addressOf),
    threshold: 2n,
    guardian: addressOf(KEYS.guardian),
    nonce: 0n,
  };
  const domain = { name: 'OddlotBridge', version: '1', chainId: CHAIN_ID };
  const signed = await Promise.all(
    sorted.map(async (secret) => {
      const text = await accountOf(secret).signTypedData({
        domain: { ...domain, verifyingContract: CONTRACTS.bridge },
        types: { Rotation: ROTATION },
        primaryType: 'Rotation',
        message,
      });
      const { r, s, yParity } = parseSignature(text);
      return { r: BigInt(r), s: BigInt(s), v: 27 + yParity };
    }),
  );
  const { guardian, nonce, threshold, validators: next } = message;
  const args = [next, threshold, guardian, nonce, signed] as const;
  return encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'rotate', args });
}
