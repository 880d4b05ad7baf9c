import type {
  AccessCodeStatus,
  ActiveAssetData,
  AgentOwner,
  ApprovedAgent,
  ApprovedBuilder,
  AssetPosition,
  BuilderState,
  ClearinghouseState,
  LedgerUpdate,
  MultiSigSignerSet,
  UserFundings,
} from './account-answers.ts';
import type {
  LargestTrades,
  Liquidation,
  OpenInterestRow,
  OutcomeHolders,
} from './figure-answers.ts';
import type {
  BlockDetail,
  BlockRow,
  BuilderClaim,
  BuilderClaimable,
  BuilderEarning,
  BuilderRows,
  BuilderShares,
  Leaderboard,
  Portfolio,
  TxBrief,
  TxDetail,
  Withdrawal,
} from './history-answers.ts';
import type {
  Candle,
  FundingHistoryRow,
  L2Book,
  PerpMetaDetail,
  PerpUniverse,
} from './market-answers.ts';
import type {
  Fill,
  HistOrderRow,
  OpenOrder,
  OutcomeOpenOrder,
  TriggerOrder,
} from './order-answers.ts';
import type {
  CryptoPrice,
  CryptoPriceHistory,
  OutcomeAssetCtx,
  OutcomeEventMeta,
  OutcomeEventPage,
  OutcomeProbability,
  OutcomeResolution,
  OutcomeSeriesTimeline,
} from './outcome-answers.ts';
import type { ExecutionReport } from './report-answers.ts';
import type { Reserves, ReservesProof } from './reserves-answers.ts';
import type {
  ActionStatus,
  ExplainedSignature,
  FeeTierInfo,
  FeeTierRates,
  GateLists,
  PermitDeposit,
  RateLimit,
  Settings,
  SimulatedAction,
  StateHash,
  VenueHealth,
  VenueStatus,
} from './venue-answers.ts';

/** What each query of /info answers with: the `data` of its envelope. */
export type InfoAnswers = {
  perpMeta: PerpUniverse;
  perpMetaDetail: PerpMetaDetail;
  l2Book: L2Book;
  candleSnapshot: Candle[];
  fundingHistory: FundingHistoryRow[];
  openInterestHistory: OpenInterestRow[];
  liquidations: Liquidation[];
  largestTrades: LargestTrades;
  leaderboard: Leaderboard;
  outcomeHolders: OutcomeHolders;
  outcomeMeta: OutcomeEventPage | OutcomeEventMeta;
  outcomeAssetCtxs: OutcomeAssetCtx[];
  outcomeProbability: OutcomeProbability;
  outcomeSeriesTimeline: OutcomeSeriesTimeline;
  outcomeResolution: OutcomeResolution;
  cryptoPrice: CryptoPrice;
  cryptoPriceHistory: CryptoPriceHistory;
  clearinghouseState: ClearinghouseState;
  perpClearinghouseState: ClearinghouseState;
  activeAssetData: ActiveAssetData;
  frontendOpenOrders: OpenOrder[];
  outcomePositions: AssetPosition[];
  outcomeFrontendOpenOrders: OutcomeOpenOrder[];
  triggerOrders: TriggerOrder[];
  userFills: Fill[];
  historicalOrders: HistOrderRow[];
  executionReport: ExecutionReport;
  userFundings: UserFundings;
  userNonFundingLedgerUpdates: LedgerUpdate[];
  portfolio: Portfolio;
  withdrawals: Withdrawal[];
  builderMeEarned: BuilderRows<BuilderEarning>;
  builderMeClaimed: BuilderRows<BuilderClaim>;
  builderMeShare: BuilderShares;
  builderMeClaimable: BuilderClaimable;
  approvedAgents: ApprovedAgent[];
  agentOwner: AgentOwner;
  approvedBuilders: ApprovedBuilder[];
  builderState: BuilderState;
  multiSigSigners: MultiSigSignerSet;
  multiSigChanges: string[];
  accessCodeStatus: AccessCodeStatus;
  settings: Settings;
  depositWithPermit: PermitDeposit;
  feeTierInfo: FeeTierInfo;
  feeTierRates: FeeTierRates;
  actionStatus: ActionStatus;
  explainSignature: ExplainedSignature;
  simulate: SimulatedAction;
  rateLimit: RateLimit;
  reserves: Reserves;
  reservesProof: ReservesProof | null;
  venueHealth: VenueHealth;
  venueStatus: VenueStatus;
  gateLists: GateLists;
  stateHash: StateHash;
  blocks: BlockRow[];
  block: BlockDetail;
  tx: TxDetail;
  txs: TxBrief[];
};
