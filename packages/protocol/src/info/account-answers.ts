/** An account's margin. `totalRawUsd` is the account value minus the value of its positions. */
export type MarginSummary = {
  accountValue: string;
  totalMarginUsed: string;
  totalNtlPos: string;
  totalRawUsd: string;
};

/** The leverage of a position; `rawUsd` is empty for cross margin. */
export type PositionLeverage = { rawUsd: string; type: 'Cross' | 'Isolated'; value: number };

/**
 * A position on a perp, or in the shares of an outcome market. On outcome markets, `szi` is
 * positive for YES and negative for NO.
 */
export type Position = {
  adlQuantile: number;
  /** The instrument id as a decimal string. */
  asset: string;
  coin: string;
  /** The position's funding: amounts received are positive, and amounts paid are negative. */
  cumFunding: { allTime: string; sinceChange: string; sinceOpen: string };
  entryPx: string;
  leverage: PositionLeverage;
  liquidationPx: string;
  marginRatio: string;
  marginUsed: string;
  markPx: string;
  maxLeverage: number;
  positionValue: string;
  returnOnEquity: string;
  szi: string;
  unrealizedPnl: string;
  updateTime: number;
  /** The position's fees; negative if fees were paid. */
  cumFee: string;
  closedPnl: string;
  /** The title; only outcome positions have this and the following fields. */
  title?: string;
  slug?: string;
  outcomeNames?: [string, string];
  priceDecimals?: number;
  sizeDecimals?: number;
  resolutionStatus?: 'prepared' | 'resolved';
};

/** A take-profit and a stop-loss of a position. Unlike elsewhere, the order ids are strings. */
export type PositionTpsl = {
  createTime: number;
  quantity: string;
  slOid: string;
  slOrderPrice: string;
  slOrderType: string;
  slTriggerPrice: string;
  tpOid: string;
  tpOrderPrice: string;
  tpOrderType: string;
  tpTriggerPrice: string;
};

export type AssetPosition = { position: Position; tpsl: PositionTpsl[]; type: 'OneWay' | 'Hedge' };

/** A position reversal in progress. */
export type ReverseJob = {
  asset: string;
  coin: string;
  filledCloseQty: string;
  marginMode: string;
  phase: 'Closing' | 'Opening' | 'Done' | 'Failed';
  positionSzAtStart: string;
};

export type ClearinghouseState = {
  accountValuePlusWithdrawHold: string;
  assetPositions: AssetPosition[];
  crossMaintenanceMarginUsed: string;
  /** The ratio of equity to risk, so a higher value is safer; liquidation starts at 1. */
  crossMarginRatio: string;
  crossMarginSummary: MarginSummary;
  marginSummary: MarginSummary;
  time: number;
  totalRawUsdPlusWithdrawHold: string;
  vaultEquity: string;
  withdrawable: string;
  activeReverseJobs: ReverseJob[];
};

/** An account's leverage in one instrument. */
export type AssetLeverage = {
  mode: 'OneWay' | 'Hedge';
  type: 'Cross' | 'Isolated';
  value: number;
  rawUsd: string;
};

/** The largest orders that a user can place in one instrument. */
export type ActiveAssetData = {
  user: string;
  coin: string;
  leverage: AssetLeverage;
  /** The leverage of the short side in hedge mode, if it differs. */
  leverageShort?: AssetLeverage;
  /** The maximum size of a buy and of a sell, in the base asset. */
  maxTradeSzs: [string, string];
  /** The available margin for a buy and for a sell, in USDC. */
  availableToTrade: [string, string];
  markPx: string;
  onlyIsolated: boolean;
};

/** An agent of an account. The name is empty for the unnamed agent. */
export type ApprovedAgent = {
  agentAddress: string;
  agentName: string;
  createTime: number;
  updateTime: number;
  validUntil: null;
};

/** The owner of an agent; null if the address is not an agent. */
export type AgentOwner = { agent: string; owner: string | null; agentName: string | null };

/** An address's access code on a channel, masked. */
export type AccessCodeStatus = {
  user: string;
  channel: number;
  required: boolean;
  granted: boolean;
  accessCode: string | null;
  grantedTime: number | null;
};

/** A builder that may charge an account. The rate is the text sent by the user. */
export type ApprovedBuilder = { builder: string; maxFeeRate: string; updateTime: number };

/** The signers of a multi-sig account; null for an ordinary account. */
export type MultiSigSignerSet = { authorizedUsers: string[]; threshold: number } | null;

/** A builder's rewards: unclaimed, total and claimed. */
export type BuilderState = {
  builder: string;
  unclaimedRewards: string;
  totalEarned: string;
  totalClaimed: string;
  perpAccountBalance: string;
  minPerpBalance: string;
  /** True if the builder currently earns fees. */
  eligible: boolean;
};

/**
 * Whether an address may trade on a channel. This is only a preliminary check; the binding check is
 * made for each action.
 */
export type AccountStatus = {
  user: string;
  channel: number;
  /** True if the address has an account; valid only if `checked` is true. */
  exists: boolean;
  checked: boolean;
  eligible: boolean;
  /** The reason; present only if `eligible` is false. */
  reason?: string;
};

/**
 * A funding payment of one position. Positive amounts were received; `usdc` and `amount` are equal.
 */
export type FundingRow = {
  time: number;
  coin: string;
  usdc: string;
  szi: string;
  /** The rate per hour, as a fraction. */
  fundingRate: string;
  amount: string;
};

/** A page of funding payments. `total` is absent if it is unknown. */
export type UserFundings = { data: FundingRow[]; hasMore: boolean; total?: number };

/** A step in an account's liquidation, with the figures that caused it. */
type LiquidationDelta = {
  type: 'liquidation';
  liquidatedNtlPos: string;
  accountValue: string;
  leverageType: 'Cross' | 'Isolated';
  liquidatedPositions: { coin: string; szi: string }[];
  step: 'cancel' | 'market' | 'net' | 'insurance' | 'adl';
  markPx: string;
  maintenanceMargin: string;
};

/** The closing of the account's position against a bankrupt one (auto-deleveraging). */
type DeleverageDelta = {
  type: 'adl';
  instrumentId: number;
  coin: string;
  sz: string;
  px: string;
  closedPnl: string;
};

/** A withdrawal to the settlement chain. The amount includes the fee. */
type WithdrawDelta = {
  type: 'withdraw';
  amount: string;
  token: 'USDC';
  fee: string;
  nonce: number;
  destination: string;
  status: 'pending' | 'completed' | 'failed';
};

/** A transfer between two accounts. The sender pays the fee on top of the amount. */
type TransferDelta = {
  type: 'send' | 'receive';
  amount: string;
  token: 'USDC';
  user: string;
  destination: string;
  fee: string;
  fromAccountType: string;
  toAccountType: string;
};

/** A transfer between an account's sub-accounts. */
type AccountTransferDelta = {
  type: 'accountTransfer';
  amount: string;
  token: 'USDC';
  fromAccountType: string;
  toAccountType: string;
};

/**
 * A ledger update of an account, other than trades and funding. Clients should ignore unknown
 * types, because more will be added.
 */
export type LedgerDelta =
  | LiquidationDelta
  | DeleverageDelta
  | WithdrawDelta
  | TransferDelta
  | AccountTransferDelta
  | { type: 'outcomeSplit' | 'outcomeMerge'; amount: string; instrumentId: number; sz: string }
  | OutcomeSettlementDelta
  | { type: 'builderRewardsClaim'; amount: string; token: 'USDC' }
  | { type: 'deposit'; amount: string; token: 'USDC' }
  | { type: 'faucet'; amount: string; token: 'USDC' };

/** The payout for one outcome of a resolved market. The fraction is the payout of a YES share. */
export type OutcomeSettlementDelta = {
  type: 'outcomeSettlement';
  amount: string;
  instrumentId: number;
  outcome: 'Yes' | 'No';
  sz: string;
  settlementFraction: string;
};

export type LedgerUpdate = { time: number; hash: string; delta: LedgerDelta };
