import type { DepositSource } from '@oddlot/engine';
import type { Address, Hash } from '@oddlot/units';

/** What is known of money that reached the bridge and is not credited. */

/** Why money that the bridge has got is nobody's for now. */
export type AsideReason =
  /** Made out of nothing, and not by the venue. */
  | 'fromZero'
  | 'fromOperator'
  /** Exchanges and contracts pay for many; nobody knows for whom. */
  | 'fromContract'
  /** More than the venue counts exactly. */
  | 'tooLarge'
  /** An event of the bridge that no transfer stands behind: the contract is not what it should be. */
  | 'noTransfer'
  /** The address is bound as an agent and has no account (R-agents). */
  | 'bound';

/** Kept outside of the engine, for the operator to return, or until what is in the way is gone. */
export type Aside = {
  readonly reason: AsideReason;
  /** Whom it would be credited to, or who sent it. */
  readonly account: Address;
  /** Decimal text of micro-USDC. */
  readonly amount: string;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  /** The payout that gave it back. */
  readonly returned?: Hash;
};

/** Credited, and no longer where it was: the chain gave up a block that had all its confirmations. */
export type Vanished = {
  readonly account: Address;
  /** Decimal text of micro-USDC. */
  readonly amount: string;
  readonly source: DepositSource;
};

/** Amounts below the minimum that wait for more. */
export type Pot = { readonly amount: number; readonly parts: number; readonly isOwn: boolean };

/** What is too small to be told apart, or was beyond what is kept: a sum, and of how many. */
export type Dust = { readonly amount: string; readonly parts: number };

export type DepositBook = {
  /** By account. */
  readonly pots: Readonly<Record<Address, Pot>>;
  readonly aside: readonly Aside[];
  /** What the venue made itself, to stand behind what its faucet gave; decimal text of micro-USDC. */
  readonly minted: string;
  /** What an operator has accepted as lost; one that comes back to the chain is not credited again. */
  readonly vanished: readonly Vanished[];
  readonly dust: Dust;
};

/** What stands in the logs of a transaction for somebody. */
export type Found = {
  readonly account: Address;
  readonly amount: bigint;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  /** A transfer that no event of the bridge accounts for. */
  readonly isPlain: boolean;
  readonly isBacked: boolean;
};
