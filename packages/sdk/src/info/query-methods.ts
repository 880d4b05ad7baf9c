// Made by npm run write-shapes.
import type { QueryMethod } from './query-info.ts';

/** The queries of /info, as methods; some have a special one. */
export type QueryMethods<Special> = {
  /** Every perp with its precision and limits. */
  readonly perpMeta: QueryMethod<'perpMeta', Special>;
  /** One base asset, its perps and their margin tables. */
  readonly perpMetaDetail: QueryMethod<'perpMetaDetail', Special>;
  /** The book of an instrument, at most 20 levels on each side. */
  readonly l2Book: QueryMethod<'l2Book', Special>;
  /** Candles of an instrument, oldest first: the latest 5,000 of the period. */
  readonly candleSnapshot: QueryMethod<'candleSnapshot', Special>;
  /** The funding rate of each hour of a perp, oldest first: the first 500 of the period. */
  readonly fundingHistory: QueryMethod<'fundingHistory', Special>;
  /** The open interest of an instrument at the start of each hour, oldest first: the first 500 of the period. */
  readonly openInterestHistory: QueryMethod<'openInterestHistory', Special>;
  /** Liquidations of one perp or of all perps, newest first. */
  readonly liquidations: QueryMethod<'liquidations', Special>;
  /**
   * The largest trades of a day, a week or a month by notional value: of all perps, of all outcome markets, or of one
   * instrument.
   */
  readonly largestTrades: QueryMethod<'largestTrades', Special>;
  /** The accounts with the highest profit or volume of a window. Rejected if the operator has disabled it. */
  readonly leaderboard: QueryMethod<'leaderboard', Special>;
  /** A page of events with their markets. The cursor of a page selects the next page. */
  readonly outcomeMeta: QueryMethod<'outcomeMeta', Special>;
  /** Prices, volumes and open interest of up to 50 outcome markets. */
  readonly outcomeAssetCtxs: QueryMethod<'outcomeAssetCtxs', Special>;
  /** YES prices of up to 50 markets over time, oldest first. */
  readonly outcomeProbability: QueryMethod<'outcomeProbability', Special>;
  /** The markets of a series with strikes and results, latest start first. */
  readonly outcomeSeriesTimeline: QueryMethod<'outcomeSeriesTimeline', Special>;
  /** The receipt of a settlement; `checkResolution` recomputes it. */
  readonly outcomeResolution: QueryMethod<'outcomeResolution', Special>;
  /** Holders of the shares of a leg, largest first. */
  readonly outcomeHolders: QueryMethod<'outcomeHolders', Special>;
  /** A reference price: the price to beat and the final price. Without times, the latest price. */
  readonly cryptoPrice: QueryMethod<'cryptoPrice', Special>;
  /**
   * Reference prices of a period, oldest first, evenly thinned to at most 2,000. `variant: 'before'` requests
   * simulated prices from before the start of a simulated venue.
   */
  readonly cryptoPriceHistory: QueryMethod<'cryptoPriceHistory', Special>;
  /** Positions and margin of a sub-account. */
  readonly clearinghouseState: QueryMethod<'clearinghouseState', Special>;
  /** Positions and margin of the perp sub-account. */
  readonly perpClearinghouseState: QueryMethod<'perpClearinghouseState', Special>;
  /** Shares of an account: a positive size is YES, a negative one NO. */
  readonly outcomePositions: QueryMethod<'outcomePositions', Special>;
  /** The pending trigger orders of a user. */
  readonly triggerOrders: QueryMethod<'triggerOrders', Special>;
  /** The size that a user can trade in an instrument, and the leverage. */
  readonly activeAssetData: QueryMethod<'activeAssetData', Special>;
  /** The open orders of a user, newest first. */
  readonly frontendOpenOrders: QueryMethod<'frontendOpenOrders', Special>;
  /** Orders of an account that rest on outcome markets, without orders in the delay queue. */
  readonly outcomeFrontendOpenOrders: QueryMethod<'outcomeFrontendOpenOrders', Special>;
  /** The agents of an account, by label. */
  readonly approvedAgents: QueryMethod<'approvedAgents', Special>;
  /** The account whose agent an address is. */
  readonly agentOwner: QueryMethod<'agentOwner', Special>;
  /** Whether a channel requires an access code, and whether the user has one. */
  readonly accessCodeStatus: QueryMethod<'accessCodeStatus', Special>;
  /** The builders that an account has approved, with their maximum fees. */
  readonly approvedBuilders: QueryMethod<'approvedBuilders', Special>;
  /** The signers of an account and the required number of signatures; null for an ordinary account. */
  readonly multiSigSigners: QueryMethod<'multiSigSigners', Special>;
  /** Hashes of the requests that changed the signers of an account, oldest first; `tx` returns each. */
  readonly multiSigChanges: QueryMethod<'multiSigChanges', Special>;
  /** The fills of an account, newest first: trades, and changes by splits, merges and settlements. */
  readonly userFills: QueryMethod<'userFills', Special>;
  /** The open and finished orders of an account, sorted by their last change, latest first. */
  readonly historicalOrders: QueryMethod<'historicalOrders', Special>;
  /**
   * How an order, or the orders of an action, were executed: fills, prices, fees, and progress in the queue. By `oid`,
   * `cloid` or `txHash`.
   */
  readonly executionReport: QueryMethod<'executionReport', Special>;
  /** Changes of an account other than by trading and funding, newest first. */
  readonly userNonFundingLedgerUpdates: QueryMethod<'userNonFundingLedgerUpdates', Special>;
  /** The funding payments of an account, newest first. */
  readonly userFundings: QueryMethod<'userFundings', Special>;
  /** The fee schedule. */
  readonly feeTierInfo: QueryMethod<'feeTierInfo', Special>;
  /** A user's place in the fee schedule, and the requirements of the next tier. */
  readonly feeTierRates: QueryMethod<'feeTierRates', Special>;
  /** A builder's earnings and claims, and whether it can earn now. */
  readonly builderState: QueryMethod<'builderState', Special>;
  /** Claims of a builder, newest first. */
  readonly builderMeClaimed: QueryMethod<'builderMeClaimed', Special>;
  /** Earnings of a builder, one row per order, newest first. */
  readonly builderMeEarned: QueryMethod<'builderMeEarned', Special>;
  /** Shares of users or instruments in a builder's fees, largest first. */
  readonly builderMeShare: QueryMethod<'builderMeShare', Special>;
  /** The amount that a builder can claim, as of the latest block of the history. */
  readonly builderMeClaimable: QueryMethod<'builderMeClaimable', Special>;
  /** The value of an account over time; the last point is the present. */
  readonly portfolio: QueryMethod<'portfolio', Special>;
  /** The withdrawals of an account, newest first. */
  readonly withdrawals: QueryMethod<'withdrawals', Special>;
  /** The settings of the deployment, in snake case as on the wire. */
  readonly settings: QueryMethod<'settings', Special>;
  /** The remaining budgets of this client. */
  readonly rateLimit: QueryMethod<'rateLimit', Special>;
  /** Operators, gates, unassigned funds and the age of prices. */
  readonly venueStatus: QueryMethod<'venueStatus', Special>;
  /** The state of the responding process: its lag, its connections, and whether it follows the settlement chain. */
  readonly venueHealth: QueryMethod<'venueHealth', Special>;
  /** The accounts on the lists of a gate. */
  readonly gateLists: QueryMethod<'gateLists', Special>;
  /** The receipt of an action, by `txHash`, by `traceId`, or by `signer` and `nonce`. */
  readonly actionStatus: QueryMethod<'actionStatus', Special>;
  /**
   * The signer of a request and, if the venue does not know the signer, the mistake that explains it. Nothing is
   * executed.
   */
  readonly explainSignature: QueryMethod<'explainSignature', Special>;
  /**
   * The effects of an action if it were sent now: fills, fees, margin and positions afterwards, or the refusal. Nothing
   * is signed and nothing changes.
   */
  readonly simulate: QueryMethod<'simulate', Special>;
  /** The newest blocks, or those before a height. */
  readonly blocks: QueryMethod<'blocks', Special>;
  /** A block by height or hash, with its transactions. */
  readonly block: QueryMethod<'block', Special>;
  /** A transaction by its hash: the request as received, and its result. */
  readonly tx: QueryMethod<'tx', Special>;
  /** Transactions with a summary: those of a block in order, or the newest ones of all accounts or of one. */
  readonly txs: QueryMethod<'txs', Special>;
  /** The hash of the whole state after a block; by default the latest block. */
  readonly stateHash: QueryMethod<'stateHash', Special>;
  /** Deposits USDC of the settlement chain without ether. The same permit again returns the same transaction. */
  readonly depositWithPermit: QueryMethod<'depositWithPermit', Special>;
  /** Liabilities of the venue and assets of the bridge: as last published, and now. */
  readonly reserves: QueryMethod<'reserves', Special>;
  /**
   * The proof that an address was included in the last publication; null if it had no account then. Check it with
   * `oddlot verify reserves`.
   */
  readonly reservesProof: QueryMethod<'reservesProof', Special>;
};
