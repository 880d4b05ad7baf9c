import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier } from '../parameters.ts';
import type { Operator } from './keys.ts';

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

/** A perpetual as it is listed. Prices, sizes and rates are integers (R-units). */
export type PerpDefinition = {
  readonly instrumentId: InstrumentId;
  /** "BTC-USDC". */
  readonly name: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: 'USDC';
  /** Decimals of a lot; negative means multiples of ten. pxDecimals is 6 minus this. */
  readonly szDecimals: number;
  /** In price units. */
  readonly priceTick: number;
  /** Steps that a book may be shown in, in price units, finest first. */
  readonly bookTicks: readonly number[];
  readonly maxLimitOrderSize: number;
  readonly maxMarketOrderSize: number;
  readonly takerFeeE8: number;
  readonly makerFeeE8: number;
  readonly onlyIsolated: boolean;
  /** R-funding, micro-USDC. */
  readonly impactNotionalMicroUsdc: number;
  /** R-mark: widest distance of the mark from the oracle, 10^-8. Absent: as wide as the margin table allows. */
  readonly markBandE8?: number;
  /** R-funding: widest distance of a sampled price from the oracle, 10^-8. Absent: `LIMITS.premiumCapE8`. */
  readonly premiumCapE8?: number;
  readonly tiers: readonly MarginTier[];
  readonly asset: {
    readonly assetId: number;
    readonly weiDecimals: number;
    readonly maxSupply: string;
    readonly initialWei: string;
    readonly archorTokenWei: string;
  };
  readonly tagIds: readonly number[];
};

/** A perpetual to be listed: the venue fills in what is left out. */
export type PerpListing = Omit<PerpDefinition, 'instrumentId' | 'asset'> & {
  /** By default the next after the largest in use. */
  readonly instrumentId?: InstrumentId;
  /** By default asset 100 + instrument id, of which nothing more is known. */
  readonly asset?: PerpDefinition['asset'];
};

/** What may change about a listed perpetual; prices and sizes keep their units for ever. */
export type PerpChanges = Partial<
  Pick<
    PerpDefinition,
    | 'priceTick'
    | 'bookTicks'
    | 'maxLimitOrderSize'
    | 'maxMarketOrderSize'
    | 'takerFeeE8'
    | 'makerFeeE8'
    | 'onlyIsolated'
    | 'impactNotionalMicroUsdc'
    | 'markBandE8'
    | 'premiumCapE8'
    | 'tiers'
    | 'tagIds'
  >
>;

/** R-tiers: what a position between two sizes (in lots) may and must. */
export type MarginTier = {
  readonly tier: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLeverage: number;
  readonly mmrE8: number;
};
