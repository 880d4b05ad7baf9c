import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier, VenueParameters } from './parameters.ts';

/**
 * All requests to the engine. A command is plain data that can be stored as JSON: numbers are
 * integers in the units of R-units, and money is a safe integer of micro-USDC. A command contains
 * its signer, whose authority is checked when the command executes.
 */
export type Command =
  | ApproveAgentCommand
  | ApproveBuilderCommand
  | RevokeBuilderCommand
  | ConvertToMultiSigCommand
  | SendTokenCommand
  | WithdrawCommand
  | ClaimBuilderRewardsCommand
  | PlaceOrdersCommand
  | CancelOrdersCommand
  | CancelByClientIdCommand
  | ModifyOrderCommand
  | CancelAllCommand
  | ScheduleCancelCommand
  | ReversePositionCommand
  | UpdateLeverageCommand
  | UpdateMarginModeCommand
  | UpdateIsolatedMarginCommand
  | UpdatePositionModeCommand
  | OperateOutcomeCommand
  | (CommandOfClass0 & OfTerm);

/** A command of an operator, or one that the venue itself adds to the log. */
type CommandOfClass0 =
  | GenesisCommand
  | AttestCommand
  | AnnounceEraCommand
  | OpenEraCommand
  | RegisterPerpCommand
  | PushOracleCommand
  | SetPerpCommand
  | SetFeeTiersCommand
  | SetGateCommand
  | RegisterVaultCommand
  | TreasurySendCommand
  | SetOperatorsCommand
  | SettleWithdrawalCommand
  | RegisterEventCommand
  | RegisterMarketCommand
  | RegisterSeriesCommand
  | SetTradingCommand
  | PushPriceCommand
  | ResolveMarketCommand
  | CreditFaucetCommand
  | OpenBridgeCommand
  | CreditDepositCommand
  | RegisterPegsCommand
  | PublishReservesCommand;

/** The term is set if the holder of a lease proposed the command (R-terms). */
type OfTerm = { readonly term?: HolderTerm };

/**
 * A term during which one process holds a lease. A lease is the right to perform a task that only
 * one process of the venue may perform at a time.
 */
export type HolderTerm = {
  readonly lease: string;
  /** The number of the term, which starts at 1 and increases with each term of the lease. */
  readonly number: number;
  /**
   * The process that holds the lease, so that two processes with the same term number cannot both
   * hold it.
   */
  readonly holder: string;
};

/**
 * The first command of every log, with the parameters that the rulebook leaves to configuration.
 */
type GenesisCommand = { readonly type: 'genesis'; readonly parameters: VenueParameters };

/**
 * Records the hash that a replica computed for an earlier block. The command does not change the
 * state: each replica compares the hash with its own and stops if they differ.
 */
type AttestCommand = {
  readonly type: 'attest';
  readonly height: number;
  readonly hash: Hash;
  /** The name of the attesting replica; an attestation without a name cannot be contested. */
  readonly replica?: string;
  /**
   * The keccak hash of the snapshot, which contains the whole state, if the block has a snapshot.
   */
  readonly snapshot?: Hash;
};

/**
 * Records that an operator requests another rules version (R-era). The command does not change the
 * state: replicas without those rules reject orders from then on, and a replica that has them opens
 * the era. Version 0 withdraws the request.
 */
type AnnounceEraCommand = { readonly type: 'announceEra'; readonly rules: number };

/**
 * The first command of an era, after which its rules apply (R-era). The command itself does not
 * change the state; a replica stops if the hash of its state differs.
 */
export type OpenEraCommand = {
  readonly type: 'openEra';
  readonly rules: number;
  readonly stateHash: Hash;
  readonly previousHash: Hash;
};

export type SignedCommand = Extract<Command, { authority: Authority }>;

export function isSigned(command: Command): command is SignedCommand {
  return (command as Partial<SignedCommand>).authority !== undefined;
}

export type UnsignedCommand = Exclude<Command, SignedCommand>;

/** A command of the operator, which is signed unless the venue's own process sends it. */
export type OperatorCommand = Extract<Command, { readonly operator?: Operator }>;

/**
 * The role that must sign an operator command: deployers for outcome markets, admins for all
 * others.
 */
export type OperatorRole = SetOperatorsCommand['role'];

export type PlaceOrdersCommand = {
  readonly type: 'placeOrders';
  readonly authority: Authority;
  readonly orders: readonly OrderRequest[];
  readonly grouping?: Grouping;
  readonly builder?: BuilderTerms;
  /** The live orders that the orders replace, one for each (R-replace). */
  readonly replaces?: readonly OrderTarget[];
  /** True if each order is admitted regardless of faults in the others (R-independent). */
  readonly areIndependent?: true;
};

/** A live order of the account, identified by either of its ids. */
export type OrderTarget = { readonly orderId: number } | { readonly clientOrderId: string };

/** The builder of an order and its fee, in tenths of a basis point of the notional (R-builder). */
export type BuilderTerms = { readonly address: Address; readonly feeTenthsBp: number };

/**
 * The lifetime of an order (R-tif). `market` is an `ioc` order whose price is clamped near the
 * mark.
 */
export type TimeInForce = 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';

/**
 * An order as the client requested it. Price and size are unchecked integers. A decimal that is not
 * on the instrument's grid is rounded down and flagged, so that all orders pass through the same
 * checks.
 */
export type OrderRequest = {
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly expireMs?: TimeMs;
  /** The requested margin mode; the default is the current mode of the instrument. */
  readonly marginMode?: MarginMode;
  /** Set on an order that waits outside the book for the mark (R-trigger). */
  readonly trigger?: TriggerRequest;
  /**
   * The client order id as the client sent it; two ids are equal if their 16 bytes are equal
   * (R-cloid).
   */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
  /**
   * The builder of the action that contains the order. The engine sets this field; requests never
   * contain it.
   */
  readonly builder?: BuilderTerms;
};

export type MarginMode = 'cross' | 'isolated';

export type TriggerRequest = {
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: number;
  /**
   * True for a market order limited by the slippage cap, false for a limit order at the order's
   * price.
   */
  readonly isMarket: boolean;
  readonly priceInexact?: true;
};

/** The relation between the orders of an action (R-grouping). */
export type Grouping = 'none' | 'normal' | 'position';

export type CancelOrdersCommand = {
  readonly type: 'cancelOrders';
  readonly authority: Authority;
  readonly cancels: readonly { readonly instrumentId: InstrumentId; readonly orderId: number }[];
};

export type CancelByClientIdCommand = {
  readonly type: 'cancelByClientId';
  readonly authority: Authority;
  readonly cancels: readonly {
    readonly instrumentId: InstrumentId;
    readonly clientOrderId: string;
  }[];
};

/** Amends the price and size of a resting order; `size` is the new total size (R-modify). */
export type ModifyOrderCommand = {
  readonly type: 'modifyOrder';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly target: OrderTarget;
  readonly price: number;
  readonly size: number;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

/** Cancels all resting and waiting orders, or only those of the given instrument or sub-account. */
type CancelAllCommand = {
  readonly type: 'cancelAll';
  readonly authority: Authority;
  readonly instrumentId?: InstrumentId;
  readonly subAccount?: SubAccount;
};

/**
 * Schedules the cancellation of the account's orders. Without a time, the command removes the
 * schedule.
 */
type ScheduleCancelCommand = {
  readonly type: 'scheduleCancel';
  readonly authority: Authority;
  readonly atMs?: TimeMs;
};

/**
 * Closes a position and opens one of the same size on the opposite side, as far as the book
 * permits.
 */
export type ReversePositionCommand = {
  readonly type: 'reversePosition';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Selects the long or short position in hedge mode. */
  readonly isBuy?: boolean;
};

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /**
   * The value is positive, except in hedge mode with isolated margin, where the sign selects the
   * side.
   */
  readonly leverage: number;
  readonly marginMode?: MarginMode;
  /** The instrument is also switched to the margin mode (R-leverage). */
  readonly switchesMode?: true;
};

export type UpdateMarginModeCommand = {
  readonly type: 'updateMarginMode';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly marginMode: MarginMode;
};

export type UpdateIsolatedMarginCommand = {
  readonly type: 'updateIsolatedMargin';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Selects the long or short position in hedge mode. */
  readonly isBuy: boolean;
  /** A positive amount adds margin, a negative amount removes it. */
  readonly amountMicroUsdc: number;
};

type UpdatePositionModeCommand = {
  readonly type: 'updatePositionMode';
  readonly authority: Authority;
  readonly mode: 'oneWay' | 'hedge';
};

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_PATTERN = /^0x[0-9a-fA-F]{32}$/;

// The last string is cached, because placing an order needs its key twice and a cancel needs it
// three times.
let lastText = '';
let lastKey: string | undefined;

/**
 * Returns the 16 bytes of a client order id (R-cloid) as 32 lower-case hex digits, so that a UUID
 * and a hex string of the same bytes are the same id. Returns undefined for any other string.
 */
export function clientOrderKey(text: string): string | undefined {
  if (text === lastText) return lastKey;
  lastKey = keyOf(text);
  lastText = text;
  return lastKey;
}

function keyOf(text: string): string | undefined {
  if (HEX_PATTERN.test(text)) return text.slice(2).toLowerCase();
  if (UUID_PATTERN.test(text)) return text.replaceAll('-', '').toLowerCase();
  return undefined;
}

/** Lists an event, or changes the texts of an event without resolved markets. */
export type RegisterEventCommand = {
  readonly type: 'registerEvent';
  readonly operator?: Operator;
  readonly event: EventListing;
};

export type EventListing = {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  readonly icon: string | null;
  /** True if exactly one market of the event resolves to YES (R-event-sets). */
  readonly mutuallyExclusive: boolean;
  readonly startMs: TimeMs;
  readonly endMs: TimeMs;
  /** The id of the event; if absent, the venue assigns one. */
  readonly eventId?: number;
};

/** The units, limits and fees of an outcome market. */
export type MarketGrid = {
  readonly szDecimals: number;
  /** The price step in price units of 10^-(6 − szDecimals); 1.00 must be a multiple of it. */
  readonly priceTick: number;
  /** The minimum and maximum order size in lots. */
  readonly minOrderSize: number;
  readonly maxOrderSize: number;
  readonly takerFeeE8: number;
  /** The delay between the acceptance of an order and its entry into the book (R-delay). */
  readonly orderDelayMs: number;
};

export type RegisterMarketCommand = {
  readonly type: 'registerMarket';
  readonly operator?: Operator;
  readonly market: MarketListing;
};

export type MarketListing = MarketGrid & {
  readonly eventSlug: string;
  readonly slug: string;
  readonly question: string;
  readonly groupTitle: string | null;
  readonly description: string;
  readonly resolutionSource: string;
  /** The display names of YES and NO. */
  readonly outcomes: readonly [string, string];
  readonly startMs: TimeMs;
  readonly endMs: TimeMs;
  readonly underlying: Underlying | null;
  readonly instrumentId?: InstrumentId;
};

type Underlying = {
  readonly symbol: string;
  readonly source: 'spot' | 'oracle' | 'twap';
  readonly priceToBeat: string | null;
};

/** Lists a series, or changes those of its markets that are not listed yet (R-series). */
export type RegisterSeriesCommand = {
  readonly type: 'registerSeries';
  readonly operator?: Operator;
  readonly series: SeriesListing;
};

export type SeriesListing = MarketGrid & {
  readonly slug: string;
  readonly title: string;
  readonly symbol: string;
  readonly recurrence: Recurrence;
  readonly source: PriceSource;
  readonly category: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  readonly icon: string | null;
  /** The start of the first market, which is a multiple of the series' period. */
  readonly firstStartMs: TimeMs;
  readonly listAhead: number;
  readonly enabled: boolean;
  /** The averaging window of the reference price, called W in R-series. */
  readonly windowSeconds: 30 | 60;
  /** A text that is appended to every market description, such as the source of the prices. */
  readonly note?: string;
};

export type Recurrence = '15m' | '1h' | '4h' | '1d';
export type PriceSource = 'spot' | 'oracle';

/** Opens, halts or closes markets; the change applies to all of them or to none (R-phases). */
export type SetTradingCommand = {
  readonly type: 'setTrading';
  readonly operator?: Operator;
  readonly instrumentIds: readonly InstrumentId[];
  readonly to: 'open' | 'halted' | 'closed';
};

export type PushPriceCommand = {
  readonly type: 'pushPrice';
  readonly operator?: Operator;
  readonly prices: readonly ReferencePrice[];
};

export type ReferencePrice = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly priceE8: number;
  readonly observedMs: TimeMs;
};

/** Resolves a market; the result is final (R-settlement). */
export type ResolveMarketCommand = {
  readonly type: 'resolveMarket';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  /** The payout of a YES share, in price units of the market. */
  readonly fraction: number;
  readonly fractionInexact?: true;
  /** The statement of the oracle provider, recorded for information only. */
  readonly oracleOutcome: string | null;
  readonly evidence: string | null;
};

/**
 * Splits USDC into pairs of YES and NO or merges pairs. Either all entries are executed or none
 * (R-split-merge).
 */
export type OperateOutcomeCommand = {
  readonly type: 'operateOutcome';
  readonly authority: Authority;
  readonly kind: 'split' | 'merge';
  readonly entries: readonly OperateEntry[];
};

export type OperateEntry = {
  readonly instrumentId: InstrumentId;
  /** The number of pairs to split or merge, in lots. */
  readonly size: number;
  readonly sizeInexact?: true;
};

/**
 * The inputs of a time-weighted average price as exact sums in decimal text, for resolution
 * records.
 */
export type TwapInputs = {
  readonly sumE8: string;
  readonly samples: readonly { readonly atMs: number; readonly priceE8: number }[];
};

/** The phase of an outcome market (R-phases). */
export type MarketPhase = 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';

/**
 * One of the two outcomes of a market (R-one-book). The API expresses it with `b` and `r` together.
 */
export type OutcomeLeg = 'yes' | 'no';

/**
 * Binds or rebinds the agent with the given label, or revokes it if the address is the zero
 * address.
 */
export type ApproveAgentCommand = {
  readonly type: 'approveAgent';
  readonly authority: Authority;
  readonly agent: Address;
  /** The name of the agent; an empty label denotes the single unnamed agent. */
  readonly label: string;
};

/** Allows a builder to charge up to a given rate, or changes that rate (R-builder). */
type ApproveBuilderCommand = {
  readonly type: 'approveBuilder';
  readonly authority: Authority;
  readonly builder: Address;
  /** The rate in 10^-8. It is absent if the text is not a rate above 0 and at most 1%. */
  readonly maxFeeE8?: number;
  /** The rate as the client sent it. */
  readonly maxFeeText: string;
};

type RevokeBuilderCommand = {
  readonly type: 'revokeBuilder';
  readonly authority: Authority;
  readonly builder: Address;
};

/**
 * Sets or replaces the signers of a multisig account, or removes them if they are null
 * (R-multisig).
 */
export type ConvertToMultiSigCommand = {
  readonly type: 'convertToMultiSig';
  readonly authority: Authority;
  /** The set is absent if the client's text is not valid. */
  readonly signers?: MultiSigSet | null;
};

/** The signers of a multisig account and the number of signatures that it requires. */
export type MultiSigSet = { readonly users: readonly Address[]; readonly threshold: number };

/**
 * The signer of a command, the account for which it acts, and the nonce that makes the command
 * unique.
 */
export type Authority = {
  /** The owner of the nonce; for a multisig account this is the sender of the envelope. */
  readonly signer: Address;
  readonly nonce: number;
  readonly txHash: Hash;
  /** The command is rejected if the consensus time is later than this. */
  readonly expiresAfterMs?: TimeMs;
  /** Set if the command acts for this vault; the acting account must be its leader (R-vault). */
  readonly vault?: Address;
  /**
   * Set if the command acts for a multisig account; lists the distinct signers of the inner action
   * (R-multisig).
   */
  readonly multiSig?: { readonly user: Address; readonly signers: readonly Address[] };
};

/** The signature of the operator on commands that arrive over the API. */
export type Operator = Authority;

export type SubAccount = 'perp' | 'outcome';

/** Pays out test funds. The API server, and not the engine, limits the rate. */
export type CreditFaucetCommand = {
  readonly type: 'creditFaucet';
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amountMicroUsdc: number;
};

/** Transfers money between the sender's sub-accounts, or to another account (R-transfer). */
export type SendTokenCommand = {
  readonly type: 'sendToken';
  readonly authority: Authority;
  readonly destination: Address;
  /** The token id; 0 is USDC, the only token. */
  readonly token: number;
  readonly amountMicroUsdc: number;
  /** Set if the amount had more than 6 decimals and was rounded down. */
  readonly amountInexact?: true;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/**
 * Requests a withdrawal from the perp balance; the amount is held until the bridge has paid
 * (R-withdraw).
 */
export type WithdrawCommand = {
  readonly type: 'withdraw';
  readonly authority: Authority;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/** Moves all unclaimed rewards of a builder to its perp balance. */
type ClaimBuilderRewardsCommand = {
  readonly type: 'claimBuilderRewards';
  readonly authority: Authority;
};

/**
 * Sets the bridge contracts of the settlement chain. The venue's own process sends this command
 * when they change.
 */
export type OpenBridgeCommand = {
  readonly type: 'openBridge';
  readonly chainId: number;
  readonly bridge: Address;
  readonly token: Address;
};

/**
 * The position of a deposit on its chain, which ensures that the deposit is credited only once
 * (R-deposit).
 */
export type DepositSource = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
  readonly blockNumber: number;
};

/** Credits a deposit that the bridge received for an address (R-deposit). */
export type CreditDepositCommand = {
  readonly type: 'creditDeposit';
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  /** True if the address itself sent the deposit or signed the permit that moved it (R-agents). */
  readonly isOwn: boolean;
};

/**
 * Registers relay withdrawal addresses; the first transfer to each one costs no opening fee
 * (R-limits-of-state).
 */
type RegisterPegsCommand = {
  readonly type: 'registerPegs';
  readonly addresses: readonly Address[];
};

/**
 * Publishes the liabilities at a height and the bridge's assets at that time, for public
 * verification. The liabilities less the shortfall must equal the assets plus the unsettled and
 * unbacked amounts; otherwise money is missing.
 */
export type PublishReservesCommand = {
  readonly type: 'publishReserves';
  readonly height: number;
  /** The root of the Merkle tree over all liabilities, and the number of its leaves. */
  readonly root: Hash;
  readonly leaves: number;
  readonly liabilitiesMicroUsdc: number;
  /**
   * The total deficit of margin accounts with negative equity, which does not reduce other
   * liabilities.
   */
  readonly shortfallMicroUsdc: number;
  /** The block of the settlement chain to which all fields below refer. */
  readonly blockNumber: number;
  /** The bridge's balance less uncredited deposits, which do not belong to any account yet. */
  readonly assetsMicroUsdc: number;
  readonly keptAsideMicroUsdc: number;
  /** The withdrawals that the bridge had already paid while the venue still held them. */
  readonly unsettledMicroUsdc: number;
  /** The test funds that were paid out without a deposit on the chain. */
  readonly unbackedMicroUsdc: number;
};

type RegisterPerpCommand = {
  readonly type: 'registerPerp';
  readonly operator?: Operator;
  readonly perp: PerpListing;
};

export type PushOracleCommand = {
  readonly type: 'pushOracle';
  readonly operator?: Operator;
  readonly prices: readonly OraclePrice[];
  readonly observedMs: TimeMs;
};

export type OraclePrice = {
  readonly instrumentId: InstrumentId;
  readonly oracle: number;
  /** The price of the perpetual on another venue, called C in R-mark. */
  readonly external?: number;
};

/** Changes a listed perpetual; absent fields stay unchanged. */
export type SetPerpCommand = {
  readonly type: 'setPerp';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  readonly halted?: boolean;
  readonly delisted?: true;
  readonly changes: PerpChanges;
};

type SetFeeTiersCommand = {
  readonly type: 'setFeeTiers';
  readonly operator?: Operator;
  readonly tiers: readonly FeeTier[];
};

/**
 * Adds and removes entries of a channel's access control, which determines the accounts that can
 * increase risk there (R-gate).
 */
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

/** The exchange: 0 for perpetuals, 1 for outcome markets. */
export type Exchange = 0 | 1;

export type GateMode = 'open' | 'whitelist' | 'accessCode' | 'closed';

export type ListChange<Added, Removed = Added> = {
  readonly add?: readonly Added[];
  readonly remove?: readonly Removed[];
};

/**
 * Makes an account a vault, or replaces its leader, its name and, if given, its shares (R-vault).
 */
export type RegisterVaultCommand = {
  readonly type: 'registerVault';
  readonly operator?: Operator;
  readonly vault: Address;
  readonly leader: Address;
  readonly name: string;
  /** The share register, with shares in units of 10^-6. */
  readonly shares?: readonly { readonly user: Address; readonly shares: number }[];
};

/** Changes the admins or deployers; additions apply before removals. */
export type SetOperatorsCommand = {
  readonly type: 'setOperators';
  readonly operator?: Operator;
  readonly role: 'admins' | 'deployers';
  readonly add?: readonly Address[];
  readonly remove?: readonly Address[];
};

/** Pays collected fees to the perp balance of an account (R-treasury). */
export type TreasurySendCommand = {
  readonly type: 'treasurySend';
  readonly operator?: Operator;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/**
 * Ends a withdrawal: either it was paid on the settlement chain, or it cannot be paid and the money
 * is returned.
 */
export type SettleWithdrawalCommand = {
  readonly type: 'settleWithdrawal';
  readonly withdrawalId: number;
  readonly paid: boolean;
  /** The transaction on the settlement chain that paid or cancelled the withdrawal, if known. */
  readonly txHash?: Hash;
  /** The block of the settlement chain at which the settlement of the withdrawal was observed. */
  readonly blockNumber?: number;
  /** The reason why the withdrawal was returned, shown to its owner. */
  readonly error?: string;
};

/** A listed perpetual. Prices, sizes and rates are integers (R-units). */
export type PerpDefinition = {
  readonly instrumentId: InstrumentId;
  /** The name of the perpetual, for example "BTC-USDC". */
  readonly name: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: 'USDC';
  /**
   * The number of decimals of a lot; if negative, lots are multiples of ten. `pxDecimals` is 6
   * minus this number.
   */
  readonly szDecimals: number;
  /** The smallest price step, in price units. */
  readonly priceTick: number;
  /** The price steps for displaying the book, in price units, finest first. */
  readonly bookTicks: readonly number[];
  readonly maxLimitOrderSize: number;
  readonly maxMarketOrderSize: number;
  readonly takerFeeE8: number;
  readonly makerFeeE8: number;
  readonly onlyIsolated: boolean;
  /**
   * The value in micro-USDC of the market orders from which impact prices are computed (R-funding).
   */
  readonly impactNotionalMicroUsdc: number;
  /**
   * The maximum distance of the mark from the oracle, in 10^-8 (R-mark). By default the tiers
   * determine it.
   */
  readonly markBandE8?: number;
  /**
   * The maximum distance of a premium sample from the oracle, in 10^-8 (R-funding). The default is
   * `LIMITS.premiumCapE8`.
   */
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

/** A perpetual to be listed; the venue supplies missing fields. */
export type PerpListing = Omit<PerpDefinition, 'instrumentId' | 'asset'> & {
  /** The requested id; by default, one above the highest id in use. */
  readonly instrumentId?: InstrumentId;
  /** The asset of the perpetual; by default, asset id 100 + instrument id without further data. */
  readonly asset?: PerpDefinition['asset'];
};

/**
 * The fields of a listed perpetual that can change; the units of its prices and sizes are
 * permanent.
 */
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

/** The maximum leverage and maintenance rate of positions between two sizes in lots (R-tiers). */
export type MarginTier = {
  readonly tier: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLeverage: number;
  readonly mmrE8: number;
};
