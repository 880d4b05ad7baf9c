import type { Client, Wallet } from '@oddlot/sdk';
import type { Address } from '@oddlot/units';

/** Somebody with a key and, unless it was said otherwise, test money. */
export type TestAccount = {
  readonly name: string;
  readonly address: Address;
  readonly privateKey: `0x${string}`;
  readonly wallet: Wallet;
  /** Signs with the account's own key. */
  readonly client: Client;
};

/** What an account is given, in USDC as decimal text. */
export type Money = {
  readonly perp?: string | undefined;
  readonly outcome?: string | undefined;
};
