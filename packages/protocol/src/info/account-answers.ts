/** The answers to account queries. All amounts are decimal texts; unset ones are empty. */

/** A margin summary; `totalRawUsd` is the account value without the positions' value. */
export type MarginSummary = {
  accountValue: string;
  totalMarginUsed: string;
  totalNtlPos: string;
  totalRawUsd: string;
};

/** Leverage in position records; `rawUsd` is empty for cross margin. */
export type PositionLeverage = { rawUsd: string; type: 'Cross' | 'Isolated'; value: number };

/** A position; on outcome markets the sign of `szi` is the leg. */
export type Position = {
  adlQuantile: number;
  /** The instrument id as text. */
  asset: string;
  coin: string;
  /** Positive is received. */
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
  /** Negative is paid. */
  cumFee: string;
  closedPnl: string;
  /** The following fields occur only on outcome positions. */
  title?: string;
  slug?: string;
  outcomeNames?: [string, string];
  priceDecimals?: number;
  sizeDecimals?: number;
  resolutionStatus?: 'prepared' | 'resolved';
};

/** A take-profit and stop-loss pair of a position; the order ids are texts here. */
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

/** An element of `assetPositions`. */
export type AssetPosition = { position: Position; tpsl: PositionTpsl[]; type: 'OneWay' | 'Hedge' };

/** A running job that reverses a position. */
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
  /** Higher is safer; liquidation starts at 1. */
  crossMarginRatio: string;
  crossMarginSummary: MarginSummary;
  marginSummary: MarginSummary;
  time: number;
  totalRawUsdPlusWithdrawHold: string;
  vaultEquity: string;
  withdrawable: string;
  activeReverseJobs: ReverseJob[];
};

/** Leverage in activeAssetData. */
export type AssetLeverage = {
  mode: 'OneWay' | 'Hedge';
  type: 'Cross' | 'Isolated';
  value: number;
  rawUsd: string;
};

/** The largest orders of a user in one instrument. */
export type ActiveAssetData = {
  user: string;
  coin: string;
  leverage: AssetLeverage;
  /** In hedge mode with another leverage on the short side. */
  leverageShort?: AssetLeverage;
  /** Buy and sell, in base size. */
  maxTradeSzs: [string, string];
  /** Buy and sell, in USDC of margin. */
  availableToTrade: [string, string];
  markPx: string;
  onlyIsolated: boolean;
};

/** An agent of an account; the empty name is the unnamed one. */
export type ApprovedAgent = {
  agentAddress: string;
  agentName: string;
  createTime: number;
  updateTime: number;
  validUntil: null;
};

/** The owner of an agent; null when the address is not an agent. */
export type AgentOwner = { agent: string; owner: string | null; agentName: string | null };

/** The access code status of an address on a channel; the code is masked. */
export type AccessCodeStatus = {
  user: string;
  channel: number;
  required: boolean;
  granted: boolean;
  accessCode: string | null;
  grantedTime: number | null;
};

/** A builder that may charge an account; the rate is as it was sent. */
export type ApprovedBuilder = { builder: string; maxFeeRate: string; updateTime: number };

/** The signers of a multi-sig account; null for an ordinary one. */
export type MultiSigSignerSet = { authorizedUsers: string[]; threshold: number } | null;

/** The rewards of a builder: in total, claimed, and unclaimed. */
export type BuilderState = {
  builder: string;
  unclaimedRewards: string;
  totalEarned: string;
  totalClaimed: string;
  perpAccountBalance: string;
  minPerpBalance: string;
  /** True while its fees accrue. */
  eligible: boolean;
};

/** The eligibility of an address; a best-effort check before the binding one. */
export type AccountStatus = {
  user: string;
  channel: number;
  /** Valid only if `checked`. */
  exists: boolean;
  checked: boolean;
  eligible: boolean;
  /** Only when not eligible. */
  reason?: string;
};

/** One funding payment; positive amounts are received, `usdc` and `amount` are equal. */
export type FundingRow = {
  time: number;
  coin: string;
  usdc: string;
  szi: string;
  /** A fraction per hour. */
  fundingRate: string;
  amount: string;
};

/** A page of funding payments; the total is absent when it is unknown. */
export type UserFundings = { data: FundingRow[]; hasMore: boolean; total?: number };

/** A liquidation step of an account, and the numbers that caused it. */
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

/** A notice to the owner of a position that was closed against a bankrupt one. */
type DeleverageDelta = {
  type: 'adl';
  instrumentId: number;
  coin: string;
  sz: string;
  px: string;
  closedPnl: string;
};

/** A withdrawal to the settlement chain; the amount includes the fee. */
type WithdrawDelta = {
  type: 'withdraw';
  amount: string;
  token: 'USDC';
  fee: string;
  nonce: number;
  destination: string;
  status: 'pending' | 'completed' | 'failed';
};

/** A transfer between two accounts; the sender pays the fee in addition to the amount. */
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

/** A change of an account other than by trading and funding; more kinds will follow. */
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

/** The payout of one leg of a resolved market; the fraction is the payout of a YES share. */
export type OutcomeSettlementDelta = {
  type: 'outcomeSettlement';
  amount: string;
  instrumentId: number;
  outcome: 'Yes' | 'No';
  sz: string;
  settlementFraction: string;
};

/** A row of userNonFundingLedgerUpdates. */
export type LedgerUpdate = { time: number; hash: string; delta: LedgerDelta };
