import type { Candle, ExplainedSignature, InfoAnswerOf, InfoType } from '@oddlot/protocol';
import {
  allBlocks,
  allWithdrawals,
  type HistoryPage,
  historyPage,
  historyRows,
  type PagedType,
  type RowsOf,
  type RowsParameters,
} from './history.ts';
import { outcomeEvent, outcomeEvents, outcomeMeta } from './outcomes.ts';
import {
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
  queryInfo,
  readInfo,
} from './query-info.ts';
import { ValidationError } from '../errors.ts';

/** The queries of /info, bound to a venue. */
export type InfoClient = ReturnType<typeof createInfo>;

/**
 * Binds the queries to a venue. A query that is asked as the venue knows it is a line here: what it takes and gives is
 * in the registry of the protocol.
 *
 * @throws ValidationError, HttpError, ApiError, each of them
 */
export function createInfo(context: InfoContext) {
  const binders = bindersTo(context);
  const { ask, askPlain, allRows, page, bind } = binders;
  return {
    ...outcomeQueries(binders),
    /** Every perp with its precision and limits. */
    perpMeta: askPlain('perpMeta'),
    /** One base asset, its perps and their margin tables. */
    perpMetaDetail: ask('perpMetaDetail'),
    /** The book of an instrument, at most 20 levels a side. */
    l2Book: ask('l2Book'),
    /** Candles of an instrument, oldest first, the latest 5,000 of the span. */
    candleSnapshot: bind(candleSnapshot),
    /** The funding rate of each hour of a perp, oldest first, the first 500 of the span. */
    fundingHistory: ask('fundingHistory'),
    /** What was held of an instrument when each hour had begun, oldest first, the first 500 of the span. */
    openInterestHistory: ask('openInterestHistory'),
    /** What was closed of positions in danger, of one perp or of all, newest first. */
    liquidations: askPlain('liquidations'),
    /** All that was closed of positions in danger, newest first. The next page is asked for when it is needed. */
    allLiquidations: allRows('liquidations', (rows) => rows),
    /** The largest trades of a day, a week or a month, by what the taker paid: of all perps, of all outcome markets, or of one instrument. */
    largestTrades: askPlain('largestTrades'),
    /** Who gained or traded most within a window, with the figures of their portfolios; refused where the operator does not want it told. */
    leaderboard: askPlain('leaderboard'),
    /** A reference price: the one to beat and the one reached; without times the latest. */
    cryptoPrice: ask('cryptoPrice'),
    /** Reference prices of a span, oldest first, thinned evenly to at most 2,000; `variant: 'before'` asks for made-up ones of before a simulated venue. */
    cryptoPriceHistory: ask('cryptoPriceHistory'),
    /** Positions and margin of a sub-account. */
    clearinghouseState: ask('clearinghouseState'),
    /** Positions and margin of the perp sub-account. */
    perpClearinghouseState: ask('perpClearinghouseState'),
    /** What a user can trade in an instrument, and at which leverage. */
    activeAssetData: ask('activeAssetData'),
    /** The open orders of a user, newest first. */
    frontendOpenOrders: ask('frontendOpenOrders'),
    /** Shares of an account: YES has a positive size, NO a negative one. */
    outcomePositions: ask('outcomePositions'),
    /** Orders of an account that rest on outcome markets; queued ones are not among them. */
    outcomeFrontendOpenOrders: ask('outcomeFrontendOpenOrders'),
    /** The trigger orders of a user that wait for their price. */
    triggerOrders: ask('triggerOrders'),
    /** The fills of an account, newest first: trades, and what splits, merges and settlements changed. */
    userFills: ask('userFills'),
    /** All fills of an account, newest first. The next page is asked for when it is needed. */
    allUserFills: allRows('userFills', (fills) => fills),
    /** The orders of an account as they are now or ended, the one that changed last first. */
    historicalOrders: ask('historicalOrders'),
    /**
     * All orders of an account, the one that changed last first. Behind them come those that changed while they were read, as
     * they are then: none is left out, and one may come more than once. The next page is asked for when it is needed.
     */
    allHistoricalOrders: allRows('historicalOrders', (orders) => orders),
    /** How an order, or those of an action, were executed: what it met, got and paid, and how its queue moved. By `oid`, `cloid` or `txHash`. */
    executionReport: ask('executionReport'),
    /** The funding payments of an account, newest first. */
    userFundings: ask('userFundings'),
    /** All funding payments of an account, newest first. The next page is asked for when it is needed. */
    allUserFundings: allRows('userFundings', ({ data }) => data),
    /** What changed an account other than trading and funding, newest first. */
    userNonFundingLedgerUpdates: ask('userNonFundingLedgerUpdates'),
    /** Everything that changed an account other than trading and funding, newest first. The next page is asked for when it is needed. */
    allUserNonFundingLedgerUpdates: allRows('userNonFundingLedgerUpdates', (updates) => updates),
    /** What an account was worth over time; the last point is now. */
    portfolio: ask('portfolio'),
    /** The withdrawals of an account, newest first. */
    withdrawals: ask('withdrawals'),
    /** All withdrawals of an account, newest first. The next page is asked for when it is needed. */
    allWithdrawals: bind(allWithdrawals),
    /** What a builder has earned, one row an order, newest first. */
    builderMeEarned: ask('builderMeEarned'),
    /** Everything that a builder has earned, one row an order, newest first. The next page is asked for when it is needed. */
    allBuilderMeEarned: allRows('builderMeEarned', ({ items }) => items),
    /** What a builder has claimed, newest first. */
    builderMeClaimed: ask('builderMeClaimed'),
    /** Everything that a builder has claimed, newest first. The next page is asked for when it is needed. */
    allBuilderMeClaimed: allRows('builderMeClaimed', ({ items }) => items),
    /** The parts of users or instruments in a builder's fees, the largest first. */
    builderMeShare: ask('builderMeShare'),
    /** What a builder can claim, as far as the history has come. */
    builderMeClaimable: ask('builderMeClaimable'),
    /** The agents of an account, by label. */
    approvedAgents: ask('approvedAgents'),
    /** Whose agent an address is. */
    agentOwner: ask('agentOwner'),
    /** Whom an account allows to charge it, and how much, by builder. */
    approvedBuilders: ask('approvedBuilders'),
    /** What a builder earned and claimed, and whether it earns at all right now. */
    builderState: ask('builderState'),
    /** Who signs for an account, and how many of them are needed; null for an ordinary account. */
    multiSigSigners: ask('multiSigSigners'),
    /** Hashes of the requests that changed who signs for an account, oldest first; `tx` shows each. */
    multiSigChanges: ask('multiSigChanges'),
    /** Whether a channel asks for an access code, and whether the user has one. */
    accessCodeStatus: ask('accessCodeStatus'),
    /** The settings of the deployment; snake case, as on the wire. */
    settings: askPlain('settings'),
    /** Deposits USDC of the settlement chain without ether. The same permit again is the same transaction. */
    depositWithPermit: ask('depositWithPermit'),
    /** The ladder of fee tiers. */
    feeTierInfo: askPlain('feeTierInfo'),
    /** Where a user stands on the ladder of fee tiers, and what is missing to the next level. */
    feeTierRates: ask('feeTierRates'),
    /** The receipt of an action, by `txHash`, by `traceId`, or by `signer` and `nonce`. */
    actionStatus: ask('actionStatus'),
    /** Who signed a request, and, when it is nobody that the venue knows, the mistake that explains it. Nothing is executed. */
    explainSignature: bind(explainSignature),
    /**
     * What an action would do if it were sent now: fills, fees, margin and positions afterwards, or the
     * refusal. Nothing is signed and nothing changes.
     */
    simulate: ask('simulate'),
    /** What is left of the budgets of this client. */
    rateLimit: askPlain('rateLimit'),
    /** What the venue owes and what the bridge holds: as it was published last, and now. */
    reserves: askPlain('reserves'),
    /** That an address is counted in what was published last; null when it had no account then. Check it with `oddlot verify reserves`, or by hand. */
    reservesProof: ask('reservesProof'),
    /** How the process does that answers: its lag, who listens, and whether it follows the settlement chain. */
    venueHealth: askPlain('venueHealth'),
    /** Who operates the venue, its gates, the money that is nobody's, and how old its prices are. */
    venueStatus: askPlain('venueStatus'),
    /** Whom the lists of a gate name. */
    gateLists: askPlain('gateLists'),
    ...chainQueries(binders),
    /** Asks a query on the past and gives its data with how far the history was and where the next page begins. */
    historyPage: page,
  };
}

/** Blocks, and what they executed. */
function chainQueries({ ask, askPlain, bind }: ReturnType<typeof bindersTo>) {
  return {
    /** The hash of the whole state after a block, by default the latest. */
    stateHash: askPlain('stateHash'),
    /** The newest blocks, or those before a height. */
    blocks: askPlain('blocks'),
    /** All blocks, newest first, down to the first one. The next page is asked for when it is needed. */
    allBlocks: bind(allBlocks),
    /** A block by height or hash, with what it executed. */
    block: ask('block'),
    /** A transaction by its hash: the request as it was received, and what became of it. */
    tx: ask('tx'),
    /** Transactions with what they say: of a block in their order, or the newest, of all or of one account. */
    txs: ask('txs'),
  };
}

function outcomeQueries({ ask, bind }: ReturnType<typeof bindersTo>) {
  return {
    /** A page of events with their markets. The cursor of a page asks for the one after it. */
    outcomeMeta: bind(outcomeMeta),
    /** One event with its markets, whatever its status. */
    outcomeEvent: bind(outcomeEvent),
    /** All events that match, page by page. Sort by what stands still, such as `newest`, or some may come twice or not at all. */
    outcomeEvents: bind(outcomeEvents),
    /** Prices, volumes and open interest of up to 50 outcome markets. */
    outcomeAssetCtxs: ask('outcomeAssetCtxs'),
    /** How the YES prices of up to 50 markets moved, oldest first. */
    outcomeProbability: ask('outcomeProbability'),
    /** The markets of a series with strikes and results, newest start first. */
    outcomeSeriesTimeline: ask('outcomeSeriesTimeline'),
    /** The receipt of a settlement; `checkResolution` computes it again. */
    outcomeResolution: ask('outcomeResolution'),
    /** Who holds the shares of a leg, the most first. */
    outcomeHolders: ask('outcomeHolders'),
  };
}

function bindersTo(context: InfoContext) {
  return {
    ask:
      <Type extends InfoType>(type: Type) =>
      (parameters: InfoParameters<Type>, options?: InfoOptions): Promise<InfoAnswerOf<Type>> =>
        queryInfo(context, { type, ...parameters }, options),
    /** For those whose parameters may be left out. */
    askPlain:
      <Type extends InfoType>(type: Type) =>
      (parameters?: InfoParameters<Type>, options?: InfoOptions): Promise<InfoAnswerOf<Type>> =>
        queryInfo(
          context,
          { type, ...parameters } as InfoParameters<Type> & { readonly type: Type },
          options,
        ),
    /** The rows of all pages. */
    allRows:
      <Type extends PagedType, Row>(type: Type, rowsOf: RowsOf<Type, Row>) =>
      (parameters: RowsParameters<Type>, options?: InfoOptions): AsyncGenerator<Row, void> =>
        historyRows(context, { request: { type, ...parameters }, rowsOf }, options),
    page: <Type extends InfoType, Data>(
      request: InfoParameters<Type> & { readonly type: Type },
      options?: InfoOptions,
    ): Promise<HistoryPage<Data>> => historyPage<Type, Data>(context, request, options),
    /** For what is more than a query. */
    bind:
      <Rest extends unknown[], Answer>(query: (context: InfoContext, ...rest: Rest) => Answer) =>
      (...rest: Rest): Answer =>
        query(context, ...rest),
  };
}

/** What `candleSnapshot` takes: the instrument id as text, the interval, and a span of time. */
export type CandleSnapshotParameters = InfoParameters<'candleSnapshot'>['req'];

/** Candles of an instrument, oldest first, the latest 5,000 of the span. */
function candleSnapshot(
  context: InfoContext,
  parameters: CandleSnapshotParameters,
  options?: InfoOptions,
): Promise<Candle[]> {
  return queryInfo(context, { type: 'candleSnapshot', req: parameters }, options);
}

/** What `explainSignature` takes. */
export type ExplainSignatureParameters = {
  /**
   * The whole body of a request to /exchange, as text or as an object. Give the text that was sent:
   * the order of its keys and the spelling of its numbers are what the venue hashes.
   */
  readonly envelope: string | object;
  /** The address that you believe to have signed it with. */
  readonly expect?: string | undefined;
};

/**
 * Who signed a request, every value on the way there, and, when it is nobody that the venue knows, the
 * mistake that explains it. Nothing is executed and no nonce is used.
 *
 * @throws ValidationError, HttpError, ApiError
 */
async function explainSignature(
  context: InfoContext,
  { envelope, expect }: ExplainSignatureParameters,
  { signal }: InfoOptions = {},
): Promise<ExplainedSignature> {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  if (!isObjectText(text)) throw new ValidationError('The envelope is not a JSON object');
  const expected = expect === undefined ? '' : `,"expect":${JSON.stringify(expect)}`;
  // Put together as text, so that the envelope arrives as it was sent.
  const body = `{"type":"explainSignature","envelope":${text}${expected}}`;
  return readInfo(context, await context.http.post('/info', body, { signal }));
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
