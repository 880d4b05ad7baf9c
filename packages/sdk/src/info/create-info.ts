import { type Candle, type ExplainedSignature, INFO_NAMES, type InfoType } from '@oddlot/protocol';
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
import type { QueryMethods } from './query-methods.ts';

/** The /info queries for one venue. */
export type InfoClient = QueryMethods<OtherMethods> & OtherMethods;

type OtherMethods = ReturnType<typeof moreThanQueries>;

/**
 * Creates the queries of a venue. Each query of the protocol is a method, with the types and the
 * comment of its definition.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export function createInfo(context: InfoContext): InfoClient {
  const queries = INFO_NAMES.map((type) => [
    type,
    (parameters: object | undefined, options?: InfoOptions) =>
      queryInfo(context, { type, ...parameters } as never, options),
  ]);
  return { ...Object.fromEntries(queries), ...moreThanQueries(context) } as InfoClient;
}

/**
 * Creates the methods that send several queries, or whose parameters differ from the fields of
 * their query.
 */
function moreThanQueries(context: InfoContext) {
  const { allRows, bind } = bindersTo(context);
  return {
    /** Returns candles of an instrument, oldest first: the latest 5,000 of the period. */
    candleSnapshot: bind(candleSnapshot),
    /**
     * Returns the signer of a request. If the signer is unknown, the response includes the likely
     * mistake. The request is not executed.
     */
    explainSignature: bind(explainSignature),
    /** Returns a page of events with their markets. The cursor of a page selects the next page. */
    outcomeMeta: bind(outcomeMeta),
    /** Returns one event with its markets, in any status. */
    outcomeEvent: bind(outcomeEvent),
    /**
     * Yields all matching events, page by page. Sort by a key that does not change, such as
     * `newest`; otherwise events can be repeated or missed.
     */
    outcomeEvents: bind(outcomeEvents),
    /** Yields all liquidations, newest first. Pages are requested as needed. */
    allLiquidations: allRows('liquidations', (rows) => rows),
    /** Yields all fills of an account, newest first. Pages are requested as needed. */
    allUserFills: allRows('userFills', (fills) => fills),
    /**
     * Yields all orders of an account, most recently changed first. Orders that change while you
     * are reading are repeated at the end in their new state, so none is missed. Pages are
     * requested as needed.
     */
    allHistoricalOrders: allRows('historicalOrders', (orders) => orders),
    /** Yields all funding payments of an account, newest first. Pages are requested as needed. */
    allUserFundings: allRows('userFundings', ({ data }) => data),
    /**
     * Yields all ledger updates of an account except trades and funding, newest first. Pages are
     * requested as needed.
     */
    allUserNonFundingLedgerUpdates: allRows('userNonFundingLedgerUpdates', (updates) => updates),
    /** Yields all withdrawals of an account, newest first. Pages are requested as needed. */
    allWithdrawals: bind(allWithdrawals),
    /**
     * Yields all of a builder's earnings, one row per order, newest first. Pages are requested as
     * needed.
     */
    allBuilderMeEarned: allRows('builderMeEarned', ({ items }) => items),
    /** Yields all of a builder's claims, newest first. Pages are requested as needed. */
    allBuilderMeClaimed: allRows('builderMeClaimed', ({ items }) => items),
    /** Yields all blocks from the newest to the first. Pages are requested as needed. */
    allBlocks: bind(allBlocks),
    /**
     * Sends a history query and returns its data, the block up to which the data is complete, and
     * the cursor of the next page.
     */
    historyPage: <Type extends InfoType, Data>(
      request: InfoParameters<Type> & { readonly type: Type },
      options?: InfoOptions,
    ): Promise<HistoryPage<Data>> => historyPage<Type, Data>(context, request, options),
  };
}

function bindersTo(context: InfoContext) {
  return {
    /** Creates a method that yields the rows of all pages. */
    allRows:
      <Type extends PagedType, Row>(type: Type, rowsOf: RowsOf<Type, Row>) =>
      (parameters: RowsParameters<Type>, options?: InfoOptions): AsyncGenerator<Row, void> =>
        historyRows(context, { request: { type, ...parameters }, rowsOf }, options),
    bind:
      <Rest extends unknown[], Answer>(query: (context: InfoContext, ...rest: Rest) => Answer) =>
      (...rest: Rest): Answer =>
        query(context, ...rest),
  };
}

/**
 * The parameters of `candleSnapshot`: the instrument id as a string, the interval, and a period.
 */
export type CandleSnapshotParameters = InfoParameters<'candleSnapshot'>['req'];

function candleSnapshot(
  context: InfoContext,
  parameters: CandleSnapshotParameters,
  options?: InfoOptions,
): Promise<Candle[]> {
  return queryInfo(context, { type: 'candleSnapshot', req: parameters }, options);
}

/** Parameters of `explainSignature`. */
export type ExplainSignatureParameters = {
  /**
   * The complete body of a request to /exchange, as a string or as an object. Pass the string that
   * was sent, because the hash depends on the order of its keys and the spelling of its numbers.
   */
  readonly envelope: string | object;
  /** The address that should have signed. */
  readonly expect?: string | undefined;
};

async function explainSignature(
  context: InfoContext,
  { envelope, expect }: ExplainSignatureParameters,
  { signal }: InfoOptions = {},
): Promise<ExplainedSignature> {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  if (!isObjectText(text)) throw new ValidationError('The envelope is not a JSON object');
  const expected = expect === undefined ? '' : `,"expect":${JSON.stringify(expect)}`;
  // The body is concatenated as a string, so that the envelope arrives unchanged.
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
