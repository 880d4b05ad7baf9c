import { keccak256, toHex, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

export type Key = {
  readonly privateKey: Hex;
  readonly address: Address;
  readonly account: PrivateKeyAccount;
};

export function keyOf(name: string): Key {
  const privateKey = keccak256(toHex(`oddlot contracts ${name}`));
  const account = privateKeyToAccount(privateKey);
  return { privateKey, address: account.address, account };
}

/** Sorts keys by address. The bridge requires signatures in this order. */
export function sortKeys(keys: readonly Key[]): Key[] {
  return keys.toSorted((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
}
