// Made by npm run write-shapes.
import type { QueryMethod } from './query-info.ts';

/** The queries of /info, as methods; some have a special one. */
export type QueryMethods<Special> = {
  /** Returns every perp with its precision and limits. */
  readonly perpMeta: QueryMethod<'perpMeta', Special>;
  /** Returns one base asset, its perps and their margin tables. */
  readonly perpMetaDetail: QueryMethod<'perpMetaDetail', Special>;
  /** Returns the book of an instrument, with at most 20 levels on each side. */
  readonly l2Book: QueryMethod<'l2Book', Special>;
  /** Returns an instrument's candles, oldest first: the latest 5,000 in the period. */
  readonly candleSnapshot: QueryMethod<'candleSnapshot', Special>;
  /** Returns a perp's funding rate for each hour, oldest first: the first 500 in the period. */
  readonly fundingHistory: QueryMethod<'fundingHistory', Special>;
  /**
   * Returns an instrument's open interest at the start of each hour, oldest first: the first 500 in
   * the period.
   */
  readonly openInterestHistory: QueryMethod<'openInterestHistory', Special>;
  /** Returns liquidations in one perp or all perps, newest first. */
  readonly liquidations: QueryMethod<'liquidations', Special>;
  /**
   * Returns the largest trades of a day, a week or a month by notional value: in all perps, in all
   * outcome markets, or in one instrument.
   */
  readonly largestTrades: QueryMethod<'largestTrades', Special>;
  /**
   * Returns the accounts with the highest profit or volume in a window. The query is rejected if
   * the operator has disabled it.
   */
  readonly leaderboard: QueryMethod<'leaderboard', Special>;
  /** Returns a page of events with their markets. A page's cursor selects the next page. */
  readonly outcomeMeta: QueryMethod<'outcomeMeta', Special>;
  /** Returns prices, volumes and open interest for up to 50 outcome markets. */
  readonly outcomeAssetCtxs: QueryMethod<'outcomeAssetCtxs', Special>;
  /** Returns the prices of YES in up to 50 markets over time, oldest first. */
  readonly outcomeProbability: QueryMethod<'outcomeProbability', Special>;
  /** Returns a series' markets with strikes and results, latest start first. */
  readonly outcomeSeriesTimeline: QueryMethod<'outcomeSeriesTimeline', Special>;
  /** Returns a market's resolution record. `checkResolution` recomputes the result. */
  readonly outcomeResolution: QueryMethod<'outcomeResolution', Special>;
  /** Returns the holders of an outcome's shares, largest first. */
  readonly outcomeHolders: QueryMethod<'outcomeHolders', Special>;
  /**
   * Returns a reference price: the price to beat and the final price. If no times are given,
   * returns the latest price.
   */
  readonly cryptoPrice: QueryMethod<'cryptoPrice', Special>;
  /**
   * Returns the reference prices in a period, oldest first, thinned evenly to at most 2,000. With
   * `variant: 'before'`, returns simulated prices from before the start of a simulated venue.
   */
  readonly cryptoPriceHistory: QueryMethod<'cryptoPriceHistory', Special>;
  /** Returns the positions and margin of a sub-account. */
  readonly clearinghouseState: QueryMethod<'clearinghouseState', Special>;
  /** Returns the positions and margin of the perp sub-account. */
  readonly perpClearinghouseState: QueryMethod<'perpClearinghouseState', Special>;
  /** Returns an account's shares as positions: YES has a positive size, NO a negative one. */
  readonly outcomePositions: QueryMethod<'outcomePositions', Special>;
  /** Returns a user's pending trigger orders. */
  readonly triggerOrders: QueryMethod<'triggerOrders', Special>;
  /** Returns the size that a user can trade in an instrument, and the user's leverage. */
  readonly activeAssetData: QueryMethod<'activeAssetData', Special>;
  /** Returns a user's open orders, newest first. */
  readonly frontendOpenOrders: QueryMethod<'frontendOpenOrders', Special>;
  /** Returns an account's resting orders on outcome markets, excluding those in the delay queue. */
  readonly outcomeFrontendOpenOrders: QueryMethod<'outcomeFrontendOpenOrders', Special>;
  /** Returns an account's agents, sorted by label. */
  readonly approvedAgents: QueryMethod<'approvedAgents', Special>;
  /** Returns the account that an agent belongs to. */
  readonly agentOwner: QueryMethod<'agentOwner', Special>;
  /** Returns whether a channel requires an access code, and whether the user has one. */
  readonly accessCodeStatus: QueryMethod<'accessCodeStatus', Special>;
  /** Returns the builders that an account has approved, with their maximum fees. */
  readonly approvedBuilders: QueryMethod<'approvedBuilders', Special>;
  /**
   * Returns an account's signers and the required number of signatures, or null for an ordinary
   * account.
   */
  readonly multiSigSigners: QueryMethod<'multiSigSigners', Special>;
  /**
   * Returns the hashes of the requests that changed an account's signers, oldest first. Query `tx`
   * for each of them.
   */
  readonly multiSigChanges: QueryMethod<'multiSigChanges', Special>;
  /**
   * Returns an account's fills, newest first: trades, and changes through splits, merges and
   * settlements.
   */
  readonly userFills: QueryMethod<'userFills', Special>;
  /** Returns an account's open and finished orders, most recently changed first. */
  readonly historicalOrders: QueryMethod<'historicalOrders', Special>;
  /**
   * Returns how an order, or each order in an action, was executed: its fills, prices and fees, and
   * its position in the queue. Select it by `oid`, `cloid` or `txHash`.
   */
  readonly executionReport: QueryMethod<'executionReport', Special>;
  /** Returns all ledger updates of an account except trades and funding, newest first. */
  readonly userNonFundingLedgerUpdates: QueryMethod<'userNonFundingLedgerUpdates', Special>;
  /** Returns an account's funding payments, newest first. */
  readonly userFundings: QueryMethod<'userFundings', Special>;
  /** Returns the fee schedule. */
  readonly feeTierInfo: QueryMethod<'feeTierInfo', Special>;
  /** Returns a user's tier in the fee schedule and the requirements of the next tier. */
  readonly feeTierRates: QueryMethod<'feeTierRates', Special>;
  /** Returns a builder's earnings and claims, and whether it can earn fees now. */
  readonly builderState: QueryMethod<'builderState', Special>;
  /** Returns a builder's claims, newest first. */
  readonly builderMeClaimed: QueryMethod<'builderMeClaimed', Special>;
  /** Returns a builder's earnings, one row per order, newest first. */
  readonly builderMeEarned: QueryMethod<'builderMeEarned', Special>;
  /** Returns each user's or instrument's share of a builder's fees, largest first. */
  readonly builderMeShare: QueryMethod<'builderMeShare', Special>;
  /**
   * Returns the amount that a builder can claim, as of the latest block in the history database.
   */
  readonly builderMeClaimable: QueryMethod<'builderMeClaimable', Special>;
  /** Returns an account's value over time. The last point is the present. */
  readonly portfolio: QueryMethod<'portfolio', Special>;
  /** Returns an account's withdrawals, newest first. */
  readonly withdrawals: QueryMethod<'withdrawals', Special>;
  /** Returns the settings of the deployment, in snake case as in the API. */
  readonly settings: QueryMethod<'settings', Special>;
  /** Returns the remaining budgets of this client. */
  readonly rateLimit: QueryMethod<'rateLimit', Special>;
  /** Returns the operators, the access control, the venue's own funds and the age of its prices. */
  readonly venueStatus: QueryMethod<'venueStatus', Special>;
  /**
   * Returns the state of the responding process: its lag, its connections, and whether it is
   * following the settlement chain.
   */
  readonly venueHealth: QueryMethod<'venueHealth', Special>;
  /** Returns the accounts on a gate's lists. */
  readonly gateLists: QueryMethod<'gateLists', Special>;
  /**
   * Returns the receipt of an action, selected by `txHash`, by `traceId`, or by `signer` and
   * `nonce`.
   */
  readonly actionStatus: QueryMethod<'actionStatus', Special>;
  /**
   * Returns the signer of a request. If the signer is unknown, the response includes the mistake
   * that explains the signature. The request is not executed.
   */
  readonly explainSignature: QueryMethod<'explainSignature', Special>;
  /**
   * Returns the effects that an action would have now: fills, fees, margin and positions, or the
   * refusal. The action does not need a signature and is not executed.
   */
  readonly simulate: QueryMethod<'simulate', Special>;
  /** Returns the newest blocks, or those before a height. */
  readonly blocks: QueryMethod<'blocks', Special>;
  /** Returns a block by height or hash, with its transactions. */
  readonly block: QueryMethod<'block', Special>;
  /** Returns a transaction by its hash: the request as received, and its result. */
  readonly tx: QueryMethod<'tx', Special>;
  /**
   * Returns summaries of transactions: those in a block, in order, or the newest ones of one
   * account or all accounts.
   */
  readonly txs: QueryMethod<'txs', Special>;
  /** Returns the hash of the whole state after a block; by default, after the latest one. */
  readonly stateHash: QueryMethod<'stateHash', Special>;
  /**
   * Deposits USDC from the settlement chain using a signed permit, so the user does not need ether.
   * Sending the same permit again returns the same transaction.
   */
  readonly depositWithPermit: QueryMethod<'depositWithPermit', Special>;
  /**
   * Returns the venue's liabilities and the bridge's assets, both as last published and as of now.
   */
  readonly reserves: QueryMethod<'reserves', Special>;
  /**
   * Returns proof that the last publication includes an address, or null if the address had no
   * account at that time. Check the proof with `oddlot verify reserves`.
   */
  readonly reservesProof: QueryMethod<'reservesProof', Special>;
};
