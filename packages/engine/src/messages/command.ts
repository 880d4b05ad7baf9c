import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier, VenueParameters } from './parameters.ts';

/**
 * What can be asked of the venue. A command is plain data that survives JSON: numbers are integers
 * in the units of R-units, money is a safe count of micro-USDC. It says who signed, never whether
 * they may: authority is judged when the command executes.
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

/** Commands from operators, and those that the venue adds to the log without a request. */
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

/** A command that the holder of a lease proposes carries its term (R-terms); other commands have none. */
type OfTerm = { readonly term?: HolderTerm };

/** One term of holding a lease, that is a task that a single process of the venue performs at a time. */
export type HolderTerm = {
  readonly lease: string;
  /** Starts at 1 and rises with each term of the lease. */
  readonly number: number;
  /** Identifies the process, so that two that chose the same number cannot both hold the lease. */
  readonly holder: string;
};

/** The first command of every log: the numbers that the rulebook leaves to configuration. */
type GenesisCommand = { readonly type: 'genesis'; readonly parameters: VenueParameters };

/**
 * What a replica computed for an earlier block. It changes nothing: whoever applies it compares, and
 * stops when its own hash differs.
 */
type AttestCommand = {
  readonly type: 'attest';
  readonly height: number;
  readonly hash: Hash;
  /** Who says so, where there are several; those without a name can't be contested. */
  readonly replica?: string;
  /** Of a block with a snapshot: the keccak of the snapshot's content, that is the whole state. */
  readonly snapshot?: Hash;
};

/**
 * An operator wants other rules (R-era). It changes nothing: replicas that don't know them take no orders from here on, and one
 * that does opens their era. 0 takes it back.
 */
type AnnounceEraCommand = { readonly type: 'announceEra'; readonly rules: number };

/**
 * The first command of an era (R-era): from here on these rules hold. It changes nothing by itself; who
 * applies it has the state that the hash names, and stops when it is another.
 */
export type OpenEraCommand = {
  readonly type: 'openEra';
  readonly rules: number;
  /** Of the canonical dump of the state that the era starts from. */
  readonly stateHash: Hash;
  /** Of the last block of the era before. */
  readonly previousHash: Hash;
};

/** Commands that an account signs, directly or through an agent. */
export type SignedCommand = Extract<Command, { authority: Authority }>;

/** True for commands that carry a signature. */
export function isSigned(command: Command): command is SignedCommand {
  return (command as Partial<SignedCommand>).authority !== undefined;
}

/** Commands that no account signs. */
export type UnsignedCommand = Exclude<Command, SignedCommand>;

/** Commands of the operator: signed when they came over the wire, trusted from the process itself. */
export type OperatorCommand = Extract<Command, { readonly operator?: Operator }>;

/** Who may sign which of them: deployers those on outcome markets, admins all others. */
export type OperatorRole = SetOperatorsCommand['role'];

/** What an account asks of the books. */

export type PlaceOrdersCommand = {
  readonly type: 'placeOrders';
  readonly authority: Authority;
  readonly orders: readonly OrderRequest[];
  /** Absent means none. */
  readonly grouping?: Grouping;
  readonly builder?: BuilderTerms;
};

/** R-builder: who charges for an order, in tenths of a basis point of its notional. */
export type BuilderTerms = { readonly address: Address; readonly feeTenthsBp: number };

/** How long an order lives (R-tif). `market` is an `ioc` whose price is clamped near the mark. */
export type TimeInForce = 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';

/**
 * One order as it was asked for. Price and size are unchecked counts; a decimal that does not lie on
 * the instrument's grid is rounded down and flagged, so that one pipeline judges every order.
 */
export type OrderRequest = {
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly expireMs?: TimeMs;
  /** The margin mode that the order asks for; by default the instrument's current one. */
  readonly marginMode?: MarginMode;
  /** Present on an order that waits off the book for the mark (R-trigger). */
  readonly trigger?: TriggerRequest;
  /** The client's own id as it was sent; two are equal when their 16 bytes are (R-cloid). */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
  /** The builder of the action that the order came with; set by the engine, never on the wire. */
  readonly builder?: BuilderTerms;
};

export type MarginMode = 'cross' | 'isolated';

/** When a waiting order fires, and as what. */
export type TriggerRequest = {
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: number;
  /** A market order under the slippage cap, or a limit order at the order's price. */
  readonly isMarket: boolean;
  readonly priceInexact?: true;
};

/** How the orders of one action belong together (R-grouping). */
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

/** Cancels every resting and waiting order in scope. */
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

/** Closes a position and opens the same size on the other side, as far as the book allows. */
export type ReversePositionCommand = {
  readonly type: 'reversePosition';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy?: boolean;
};

/** How an account trades. */

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Signed only in hedge mode with isolated margin, where the sign picks the side. */
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
  /** Picks the long or the short leg in hedge mode. */
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

// The last one that was asked for: an order asks when it is judged and when it rests, a cancel thrice.
let lastText = '';
let lastKey: string | undefined;

/**
 * The 16 bytes of a client order id (R-cloid) as 32 lower-case hex digits, so that a UUID text and a
 * hex text of the same bytes are one id. Undefined when the text is neither.
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

/** Outcome markets: what deployers list, price and resolve, and what holders make of collateral. */

/** Lists an event, or changes the texts of one that has no resolved market. */
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

/** What trading on a market is measured in and costs. */
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
  /** Assigned when absent. */
  readonly instrumentId?: InstrumentId;
};

type Underlying = {
  readonly symbol: string;
  readonly source: 'spot' | 'oracle' | 'twap';
  readonly priceToBeat: string | null;
};

/** R-series: lists a series, or replaces what its markets not yet listed will be. */
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
  /** Markets that are listed in advance. */
  readonly listAhead: number;
  readonly enabled: boolean;
  /** W of R-series. */
  readonly windowSeconds: 30 | 60;
  /** What every description ends with, such as where the prices come from; absent means nothing. */
  readonly note?: string;
};

export type Recurrence = '15m' | '1h' | '4h' | '1d';
export type PriceSource = 'spot' | 'oracle';

/** R-phases: opens, halts or closes markets, all of them or none. */
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

/** R-settlement: final. */
export type ResolveMarketCommand = {
  readonly type: 'resolveMarket';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  /** What a YES share pays, in price units of the market. */
  readonly fraction: number;
  readonly fractionInexact?: true;
  /** The provider's word, for information. */
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

/** What a time-weighted price was computed from: exact sums as text, for receipts. */
export type TwapInputs = {
  readonly sumE8: string;
  readonly samples: readonly { readonly atMs: number; readonly priceE8: number }[];
};

/** R-phases. */
export type MarketPhase = 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';

/** R-one-book: YES or NO, as `b` and `r` name it together. */
export type OutcomeLeg = 'yes' | 'no';

/** Who may act for an account, and who may charge it. Signed by the account's own key. */

/** Binds, rebinds or (with the zero address) revokes the agent under a label. */
export type ApproveAgentCommand = {
  readonly type: 'approveAgent';
  readonly authority: Authority;
  readonly agent: Address;
  /** The empty label is the single unnamed agent. */
  readonly label: string;
};

/** R-builder: allows a builder to charge up to a rate, or changes the rate. */
type ApproveBuilderCommand = {
  readonly type: 'approveBuilder';
  readonly authority: Authority;
  readonly builder: Address;
  /** 10^-8; absent when the text is not a rate above 0 and up to 1 %. */
  readonly maxFeeE8?: number;
  /** The rate as it was written. */
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

/** Who signs for a multi-sig account, and how many of them are needed. */
export type MultiSigSet = { readonly users: readonly Address[]; readonly threshold: number };

/** Who signed a command, for whom, and what makes it unique. */
export type Authority = {
  /** Whose nonce it is; the sender of the envelope when a multi-sig account acts. */
  readonly signer: Address;
  readonly nonce: number;
  readonly txHash: Hash;
  /** The command is refused when consensus time is past this. */
  readonly expiresAfterMs?: TimeMs;
  /** Act for this vault, whose leader the acting account is (R-vault). */
  readonly vault?: Address;
  /** Act for a multi-sig account: who signed the inner action, each once (R-multisig). */
  readonly multiSig?: { readonly user: Address; readonly signers: readonly Address[] };
};

/** The operator's own signature, on commands that came over the wire and not from the venue itself. */
export type Operator = Authority;

export type SubAccount = 'perp' | 'outcome';

/** What moves money. All but a builder's claim are signed by the account's own key. */

/** Test money. The limits on how often are the edge's. */
export type CreditFaucetCommand = {
  readonly type: 'creditFaucet';
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amountMicroUsdc: number;
};

/** R-transfer: to oneself between sub-accounts, or to somebody else. */
export type SendTokenCommand = {
  readonly type: 'sendToken';
  readonly authority: Authority;
  readonly destination: Address;
  /** 0 is USDC, the only one. */
  readonly token: number;
  readonly amountMicroUsdc: number;
  /** The amount had more decimals than money has, and was rounded down. */
  readonly amountInexact?: true;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** R-withdraw: out of the perp balance, held until the bridge has paid. */
export type WithdrawCommand = {
  readonly type: 'withdraw';
  readonly authority: Authority;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/** Moves all that a builder earned into its perp balance. */
type ClaimBuilderRewardsCommand = {
  readonly type: 'claimBuilderRewards';
  readonly authority: Authority;
};

/** What the process tells of the settlement chain. None of it comes over the wire. */

/** The contracts that money comes in and goes out by. Told when they are others than before. */
export type OpenBridgeCommand = {
  readonly type: 'openBridge';
  readonly chainId: number;
  readonly bridge: Address;
  readonly token: Address;
};

/** Where on a chain a deposit was made: what it is credited once by (R-deposit). */
export type DepositSource = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
  readonly blockNumber: number;
};

/** R-deposit: money that the bridge has received for an address. */
export type CreditDepositCommand = {
  readonly type: 'creditDeposit';
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  /** The address itself sent it, or signed the permit that moved it (R-agents). */
  readonly isOwn: boolean;
};

/** Addresses of the relay: the first send to one costs no opening fee (R-limits-of-state). */
type RegisterPegsCommand = {
  readonly type: 'registerPegs';
  readonly addresses: readonly Address[];
};

/**
 * What the venue owed at a height and what the bridge held then, for anybody to compare. What is owed, that
 * is liabilities less the shortfall, is the assets with what is unsettled and unbacked, or money is missing.
 */
export type PublishReservesCommand = {
  readonly type: 'publishReserves';
  readonly height: number;
  /** Of the tree over what everybody is owed, and how many leaves it has. */
  readonly root: Hash;
  readonly leaves: number;
  readonly liabilitiesMicroUsdc: number;
  /** What scopes below zero lack: they are owed nothing, and others are owed no less for it. */
  readonly shortfallMicroUsdc: number;
  /** The block of the settlement chain that everything below is of. */
  readonly blockNumber: number;
  /** What the bridge held less what is kept aside: that is nobody's yet. */
  readonly assetsMicroUsdc: number;
  readonly keptAsideMicroUsdc: number;
  /** Withdrawals that the bridge had paid and the venue still held. */
  readonly unsettledMicroUsdc: number;
  /** Test money that was given and not made on the chain. */
  readonly unbackedMicroUsdc: number;
};

/** What the operator asks. Without a signature a command comes from the process itself. */

/** Lists a perpetual. */
type RegisterPerpCommand = {
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

type SetFeeTiersCommand = {
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
