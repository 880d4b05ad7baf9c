import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier, VenueParameters } from './parameters.ts';

/**
 * All requests to the engine. A command is plain data that survives JSON: numbers are integers in the units of
 * R-units, money is a safe integer of micro-USDC. It names its signer; authority is checked at execution.
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

/** Commands from operators, and commands that the venue itself adds to the log. */
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

/** Present when the holder of a lease proposed the command (R-terms). */
type OfTerm = { readonly term?: HolderTerm };

/**
 * A term during which one process holds a lease, that is, a task that only one process of the venue
 * may perform at a time.
 */
export type HolderTerm = {
  readonly lease: string;
  /** Starts at 1 and increases with each term of the lease. */
  readonly number: number;
  /** The process, so that two of them with the same number cannot both hold the lease. */
  readonly holder: string;
};

/** The first command of every log: the parameters that the rulebook leaves to configuration. */
type GenesisCommand = { readonly type: 'genesis'; readonly parameters: VenueParameters };

/**
 * The hash that a replica computed for an earlier block. It changes no state: each replica compares
 * it and stops if its own hash differs.
 */
type AttestCommand = {
  readonly type: 'attest';
  readonly height: number;
  readonly hash: Hash;
  /** The attesting replica; attestations without a name cannot be contested. */
  readonly replica?: string;
  /** For a block with a snapshot: the keccak hash of its content, which is the whole state. */
  readonly snapshot?: Hash;
};

/**
 * An operator requests another rules version (R-era). It changes no state: replicas without those
 * rules accept no orders afterwards, and one with them opens the era. 0 withdraws the request.
 */
type AnnounceEraCommand = { readonly type: 'announceEra'; readonly rules: number };

/**
 * The first command of an era (R-era): afterwards these rules apply. It changes no state itself; a
 * replica stops if its state differs from the hash.
 */
export type OpenEraCommand = {
  readonly type: 'openEra';
  readonly rules: number;
  /** The hash of the canonical dump at the start of the era. */
  readonly stateHash: Hash;
  /** The hash of the last block of the previous era. */
  readonly previousHash: Hash;
};

export type SignedCommand = Extract<Command, { authority: Authority }>;

/** True for commands that an account signed. */
export function isSigned(command: Command): command is SignedCommand {
  return (command as Partial<SignedCommand>).authority !== undefined;
}

export type UnsignedCommand = Exclude<Command, SignedCommand>;

/** Commands of the operator. They are signed unless they come from the process itself. */
export type OperatorCommand = Extract<Command, { readonly operator?: Operator }>;

/** Deployers sign commands for outcome markets, admins all others. */
export type OperatorRole = SetOperatorsCommand['role'];

export type PlaceOrdersCommand = {
  readonly type: 'placeOrders';
  readonly authority: Authority;
  readonly orders: readonly OrderRequest[];
  readonly grouping?: Grouping;
  readonly builder?: BuilderTerms;
};

/** R-builder: the builder that charges for an order, in tenths of a basis point of its notional. */
export type BuilderTerms = { readonly address: Address; readonly feeTenthsBp: number };

/** The lifetime of an order (R-tif). `market` is an `ioc` whose price is clamped near the mark. */
export type TimeInForce = 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';

/**
 * An order as it was requested. Price and size are unchecked integers; a decimal that is not on the
 * instrument's grid is rounded down and flagged, so that all orders pass the same checks.
 */
export type OrderRequest = {
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly expireMs?: TimeMs;
  /** The requested margin mode; by default the instrument's current one. */
  readonly marginMode?: MarginMode;
  /** Present on an order that waits off the book for the mark (R-trigger). */
  readonly trigger?: TriggerRequest;
  /** The client's id as it was sent; two ids are equal when their 16 bytes are (R-cloid). */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
  /** The builder of the order's action; set by the engine, never on the wire. */
  readonly builder?: BuilderTerms;
};

export type MarginMode = 'cross' | 'isolated';

export type TriggerRequest = {
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: number;
  /** A market order within the slippage cap, or a limit order at the order's price. */
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

/** Amends price and size of a resting order; `size` is the new total (R-modify). */
export type ModifyOrderCommand = {
  readonly type: 'modifyOrder';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly target: { readonly orderId: number } | { readonly clientOrderId: string };
  readonly price: number;
  readonly size: number;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

/** Cancels every resting and waiting order in its scope. */
type CancelAllCommand = {
  readonly type: 'cancelAll';
  readonly authority: Authority;
  readonly instrumentId?: InstrumentId;
  readonly subAccount?: SubAccount;
};

/** The dead man's switch; without a time the schedule is removed. */
type ScheduleCancelCommand = {
  readonly type: 'scheduleCancel';
  readonly authority: Authority;
  readonly atMs?: TimeMs;
};

/** Closes a position and opens the same size on the other side, as far as the book permits. */
export type ReversePositionCommand = {
  readonly type: 'reversePosition';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Selects the long or the short leg in hedge mode. */
  readonly isBuy?: boolean;
};

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Signed only in hedge mode with isolated margin, where the sign selects the side. */
  readonly leverage: number;
  readonly marginMode?: MarginMode;
};

type UpdateMarginModeCommand = {
  readonly type: 'updateMarginMode';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly marginMode: MarginMode;
};

export type UpdateIsolatedMarginCommand = {
  readonly type: 'updateIsolatedMargin';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Selects the long or the short leg in hedge mode. */
  readonly isBuy: boolean;
  /** Positive adds, negative removes. */
  readonly amountMicroUsdc: number;
};

type UpdatePositionModeCommand = {
  readonly type: 'updatePositionMode';
  readonly authority: Authority;
  readonly mode: 'oneWay' | 'hedge';
};

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_PATTERN = /^0x[0-9a-fA-F]{32}$/;

// Caches the last text: an order asks for its key twice, a cancel three times.
let lastText = '';
let lastKey: string | undefined;

/**
 * The 16 bytes of a client order id (R-cloid) as 32 lower-case hex digits, so that a UUID and a hex
 * text of the same bytes are one id. Undefined when the text is neither.
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

/** Lists an event, or changes the texts of one without resolved markets. */
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
  /** R-event-sets: exactly one of its markets resolves YES. */
  readonly mutuallyExclusive: boolean;
  readonly startMs: TimeMs;
  readonly endMs: TimeMs;
  /** Assigned when absent. */
  readonly eventId?: number;
};

/** The units, limits and fees of trading on a market. */
export type MarketGrid = {
  readonly szDecimals: number;
  /** In price units of 10^-(6 − szDecimals); divides 1.00. */
  readonly priceTick: number;
  /** Lots. */
  readonly minOrderSize: number;
  readonly maxOrderSize: number;
  readonly takerFeeE8: number;
  /** R-delay. */
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
  /** The names of YES and NO. */
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

/** R-series: lists a series, or changes its markets that are not yet listed. */
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
  /** A multiple of the period. */
  readonly firstStartMs: TimeMs;
  readonly listAhead: number;
  readonly enabled: boolean;
  /** W of R-series. */
  readonly windowSeconds: 30 | 60;
  /** Appended to every description, such as the source of the prices. */
  readonly note?: string;
};

export type Recurrence = '15m' | '1h' | '4h' | '1d';
export type PriceSource = 'spot' | 'oracle';

/** R-phases: opens, halts or closes markets; all of them or none. */
export type SetTradingCommand = {
  readonly type: 'setTrading';
  readonly operator?: Operator;
  readonly instrumentIds: readonly InstrumentId[];
  readonly to: 'open' | 'halted' | 'closed';
};

/** Reports reference prices of underlyings. */
export type PushPriceCommand = {
  readonly type: 'pushPrice';
  readonly operator?: Operator;
  readonly prices: readonly ReferencePrice[];
};

export type ReferencePrice = {
  readonly symbol: string;
  readonly source: PriceSource;
  /** 10^-8. */
  readonly priceE8: number;
  readonly observedMs: TimeMs;
};

/** R-settlement: the result is final. */
export type ResolveMarketCommand = {
  readonly type: 'resolveMarket';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  /** The payout of a YES share, in price units of the market. */
  readonly fraction: number;
  readonly fractionInexact?: true;
  /** The provider's statement, for information only. */
  readonly oracleOutcome: string | null;
  readonly evidence: string | null;
};

/** R-split-merge: all entries or none. */
export type OperateOutcomeCommand = {
  readonly type: 'operateOutcome';
  readonly authority: Authority;
  readonly kind: 'split' | 'merge';
  readonly entries: readonly OperateEntry[];
};

export type OperateEntry = {
  readonly instrumentId: InstrumentId;
  /** Lots. */
  readonly size: number;
  readonly sizeInexact?: true;
};

/** The inputs of a time-weighted price, as exact sums in text, for receipts. */
export type TwapInputs = {
  readonly sumE8: string;
  readonly samples: readonly { readonly atMs: number; readonly priceE8: number }[];
};

/** R-phases. */
export type MarketPhase = 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';

/** R-one-book: YES or NO; the wire expresses it by `b` and `r` together. */
export type OutcomeLeg = 'yes' | 'no';

/** Binds, rebinds or (with the zero address) revokes the agent with a label. */
export type ApproveAgentCommand = {
  readonly type: 'approveAgent';
  readonly authority: Authority;
  readonly agent: Address;
  /** The empty label denotes the single unnamed agent. */
  readonly label: string;
};

/** R-builder: allows a builder to charge up to a rate, or changes the rate. */
type ApproveBuilderCommand = {
  readonly type: 'approveBuilder';
  readonly authority: Authority;
  readonly builder: Address;
  /** In 10^-8; absent when the text is not a rate above 0 and up to 1%. */
  readonly maxFeeE8?: number;
  /** The rate as it was sent. */
  readonly maxFeeText: string;
};

type RevokeBuilderCommand = {
  readonly type: 'revokeBuilder';
  readonly authority: Authority;
  readonly builder: Address;
};

/** R-multisig: gives the account a set of signers, replaces it, or (with null) drops it. */
export type ConvertToMultiSigCommand = {
  readonly type: 'convertToMultiSig';
  readonly authority: Authority;
  /** Absent when the text is not a set of signers. */
  readonly signers?: MultiSigSet | null;
};

/** The signers of a multi-sig account and their required number. */
export type MultiSigSet = { readonly users: readonly Address[]; readonly threshold: number };

/** The signer of a command, the account it acts for, and the nonce that makes it unique. */
export type Authority = {
  /** The owner of the nonce: the sender of the envelope when a multi-sig account acts. */
  readonly signer: Address;
  readonly nonce: number;
  readonly txHash: Hash;
  /** The command is rejected when consensus time is later than this. */
  readonly expiresAfterMs?: TimeMs;
  /** Acts for this vault, whose leader is the acting account (R-vault). */
  readonly vault?: Address;
  /** Acts for a multi-sig account: the distinct signers of the inner action (R-multisig). */
  readonly multiSig?: { readonly user: Address; readonly signers: readonly Address[] };
};

/** The operator's signature, on commands that were received over the wire. */
export type Operator = Authority;

export type SubAccount = 'perp' | 'outcome';

/** Pays out test funds. The edge limits how often. */
export type CreditFaucetCommand = {
  readonly type: 'creditFaucet';
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amountMicroUsdc: number;
};

/** R-transfer: between the sender's sub-accounts, or to another account. */
export type SendTokenCommand = {
  readonly type: 'sendToken';
  readonly authority: Authority;
  readonly destination: Address;
  /** 0 is USDC, the only token. */
  readonly token: number;
  readonly amountMicroUsdc: number;
  /** The amount had more decimals than money, and was rounded down. */
  readonly amountInexact?: true;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** R-withdraw: from the perp balance, on hold until the bridge has paid. */
export type WithdrawCommand = {
  readonly type: 'withdraw';
  readonly authority: Authority;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/** Moves all rewards of a builder into its perp balance. */
type ClaimBuilderRewardsCommand = {
  readonly type: 'claimBuilderRewards';
  readonly authority: Authority;
};

/** The bridge contracts of the settlement chain, sent by the process when they change. */
export type OpenBridgeCommand = {
  readonly type: 'openBridge';
  readonly chainId: number;
  readonly bridge: Address;
  readonly token: Address;
};

/** The position of a deposit on its chain, by which it is credited only once (R-deposit). */
export type DepositSource = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
  readonly blockNumber: number;
};

/** R-deposit: a deposit that the bridge has received for an address. */
export type CreditDepositCommand = {
  readonly type: 'creditDeposit';
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  /** The address itself sent it, or signed the permit that moved it (R-agents). */
  readonly isOwn: boolean;
};

/** Registers relay addresses: the first send to one costs no opening fee (R-limits-of-state). */
type RegisterPegsCommand = {
  readonly type: 'registerPegs';
  readonly addresses: readonly Address[];
};

/**
 * The liabilities at a height and the assets of the bridge at that time, for public verification. Liabilities less
 * the shortfall equal the assets plus the unsettled and unbacked amounts; otherwise money is missing.
 */
export type PublishReservesCommand = {
  readonly type: 'publishReserves';
  readonly height: number;
  /** The root of the Merkle tree over all liabilities, and its number of leaves. */
  readonly root: Hash;
  readonly leaves: number;
  readonly liabilitiesMicroUsdc: number;
  /** The total deficit of scopes below zero, which reduces no other liability. */
  readonly shortfallMicroUsdc: number;
  /** The block of the settlement chain for all fields below. */
  readonly blockNumber: number;
  /** The bridge's balance less uncredited deposits, which belong to no account yet. */
  readonly assetsMicroUsdc: number;
  readonly keptAsideMicroUsdc: number;
  /** Withdrawals that the bridge had paid and the venue still held. */
  readonly unsettledMicroUsdc: number;
  /** Test funds that were paid out without a deposit on the chain. */
  readonly unbackedMicroUsdc: number;
};

type RegisterPerpCommand = {
  readonly type: 'registerPerp';
  readonly operator?: Operator;
  readonly perp: PerpListing;
};

/** Reports reference prices observed at `observedMs`. */
export type PushOracleCommand = {
  readonly type: 'pushOracle';
  readonly operator?: Operator;
  readonly prices: readonly OraclePrice[];
  readonly observedMs: TimeMs;
};

export type OraclePrice = {
  readonly instrumentId: InstrumentId;
  readonly oracle: number;
  /** A perpetual price from another venue: C of R-mark. */
  readonly external?: number;
};

/** Changes a listed perpetual; absent fields are unchanged. */
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

/** R-gate: changes which accounts may add risk on a channel, by additions and removals. */
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

/** 0 is the main exchange, 1 the exchange of outcome markets. */
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
  /** In units of 10^-6 share. */
  readonly shares?: readonly { readonly user: Address; readonly shares: number }[];
};

/** Changes the admins or deployers. Additions apply before removals. */
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

/** Ends a withdrawal: paid on the settlement chain, or impossible and returned. */
export type SettleWithdrawalCommand = {
  readonly type: 'settleWithdrawal';
  readonly withdrawalId: number;
  readonly paid: boolean;
  /** The settlement chain's transaction that paid or cancelled it, if known. */
  readonly txHash?: Hash;
  /** The block of the settlement chain at which its end was observed. */
  readonly blockNumber?: number;
  /** The reason of a returned withdrawal, for its owner. */
  readonly error?: string;
};

/** A listed perpetual. Prices, sizes and rates are integers (R-units). */
export type PerpDefinition = {
  readonly instrumentId: InstrumentId;
  /** For example "BTC-USDC". */
  readonly name: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: 'USDC';
  /** Decimals of a lot; negative means multiples of ten. pxDecimals is 6 minus this. */
  readonly szDecimals: number;
  /** In price units. */
  readonly priceTick: number;
  /** The price steps for displaying the book, in price units, finest first. */
  readonly bookTicks: readonly number[];
  readonly maxLimitOrderSize: number;
  readonly maxMarketOrderSize: number;
  readonly takerFeeE8: number;
  readonly makerFeeE8: number;
  readonly onlyIsolated: boolean;
  /** R-funding, micro-USDC. */
  readonly impactNotionalMicroUsdc: number;
  /** R-mark: maximum distance of the mark from the oracle, 10^-8. Default: from the tiers. */
  readonly markBandE8?: number;
  /** R-funding: maximum distance of a sample, 10^-8. Default: `LIMITS.premiumCapE8`. */
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

/** A perpetual to be listed: the venue supplies missing fields. */
export type PerpListing = Omit<PerpDefinition, 'instrumentId' | 'asset'> & {
  /** By default one above the highest in use. */
  readonly instrumentId?: InstrumentId;
  /** By default asset 100 + instrument id, without further data. */
  readonly asset?: PerpDefinition['asset'];
};

/** The changeable fields of a listed perpetual; the units of prices and sizes are permanent. */
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

/** R-tiers: leverage and maintenance of positions between two sizes (in lots). */
export type MarginTier = {
  readonly tier: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLeverage: number;
  readonly mmrE8: number;
};
