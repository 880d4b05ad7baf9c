import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier } from '../fee-tier.ts';
import type { PerpChanges, PerpListing } from '../perp-definition.ts';
import type { Operator } from './authority.ts';

/** What the operator asks. Without a signature a command comes from the process itself. */

/** Lists a perpetual. */
export type RegisterPerpCommand = {
  readonly type: 'registerPerp';
  readonly operator?: Operator;
  readonly perp: PerpListing;
};

/** Reports what the reference markets say, observed at `observedMs`. */
export type PushOracleCommand = {
  readonly type: 'pushOracle';
  readonly operator?: Operator;
  readonly prices: readonly OraclePrice[];
  readonly observedMs: TimeMs;
};

export type OraclePrice = {
  readonly instrumentId: InstrumentId;
  readonly oracle: number;
  /** A perpetual price from elsewhere: C of R-mark. */
  readonly external?: number;
};

/** Changes a listed perpetual; absent fields stay. */
export type SetPerpCommand = {
  readonly type: 'setPerp';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  readonly halted?: boolean;
  readonly delisted?: true;
  readonly changes: PerpChanges;
};

export type SetFeeTiersCommand = {
  readonly type: 'setFeeTiers';
  readonly operator?: Operator;
  readonly tiers: readonly FeeTier[];
};

/** R-gate: who may take new risk on a channel. Lists are added to and taken from. */
export type SetGateCommand = {
  readonly type: 'setGate';
  readonly operator?: Operator;
  readonly channel: Exchange;
  readonly mode?: GateMode;
  readonly whitelist?: ListChange<Address>;
  readonly blacklist?: ListChange<Address>;
  readonly accessCodes?: ListChange<{ readonly code: string; readonly maxUses: number }, string>;
  readonly grants?: ListChange<{ readonly user: Address; readonly code: string }, Address>;
};

/** 0 is the main exchange, 1 that of outcome markets. */
export type Exchange = 0 | 1;

export type GateMode = 'open' | 'whitelist' | 'accessCode' | 'closed';

export type ListChange<Added, Removed = Added> = {
  readonly add?: readonly Added[];
  readonly remove?: readonly Removed[];
};

/** R-vault: makes an account a vault, or replaces its leader, name and, when given, its shares. */
export type RegisterVaultCommand = {
  readonly type: 'registerVault';
  readonly operator?: Operator;
  readonly vault: Address;
  readonly leader: Address;
  readonly name: string;
  /** Counts of 10^-6 share. */
  readonly shares?: readonly { readonly user: Address; readonly shares: number }[];
};

/** Changes who may send the operator's commands; what is added is there before anything is removed. */
export type SetOperatorsCommand = {
  readonly type: 'setOperators';
  readonly operator?: Operator;
  readonly role: 'admins' | 'deployers';
  readonly add?: readonly Address[];
  readonly remove?: readonly Address[];
};

/** R-treasury: pays collected fees to an account's perp balance. */
export type TreasurySendCommand = {
  readonly type: 'treasurySend';
  readonly operator?: Operator;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/** What became of a withdrawal on the settlement chain: paid, or impossible and returned. */
export type SettleWithdrawalCommand = {
  readonly type: 'settleWithdrawal';
  readonly withdrawalId: number;
  readonly paid: boolean;
  /** The settlement chain's transaction that paid or cancelled it, where one is known. */
  readonly txHash?: Hash;
  /** The block of the settlement chain by which its end was seen. */
  readonly blockNumber?: number;
  /** Why it came back, for its owner. */
  readonly error?: string;
};
