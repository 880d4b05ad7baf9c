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

/** The queries of /info, bound to a venue. */
export type InfoClient = QueryMethods<OtherMethods> & OtherMethods;

type OtherMethods = ReturnType<typeof moreThanQueries>;

/**
 * Binds the queries to a venue. Each query of the protocol is a method, with the types and the
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

/** Methods that send something other than their parameters, or more than one query. */
function moreThanQueries(context: InfoContext) {
  const { allRows, bind } = bindersTo(context);
  return {
    /** Candles of an instrument, oldest first: the latest 5,000 of the period. */
    candleSnapshot: bind(candleSnapshot),
    /** The signer of a request and, if the venue does not know the signer, the mistake that explains it. Nothing is executed. */
    explainSignature: bind(explainSignature),
    /** A page of events with their markets. The cursor of a page selects the next page. */
    outcomeMeta: bind(outcomeMeta),
    /** One event with its markets, in any status. */
    outcomeEvent: bind(outcomeEvent),
    /** All matching events, page by page. Sort by a fixed key such as `newest`; otherwise events may be repeated or missed. */
    outcomeEvents: bind(outcomeEvents),
    /** All liquidations, newest first. The next page is requested when it is needed. */
    allLiquidations: allRows('liquidations', (rows) => rows),
    /** All fills of an account, newest first. The next page is requested when it is needed. */
    allUserFills: allRows('userFills', (fills) => fills),
    /**
     * All orders of an account, sorted by their last change, latest first. Orders that change during the reading follow
     * at the end in their new state: none is missed, and an order may be repeated. The next page is requested when it is
     * needed.
     */
    allHistoricalOrders: allRows('historicalOrders', (orders) => orders),
    /** All funding payments of an account, newest first. The next page is requested when it is needed. */
    allUserFundings: allRows('userFundings', ({ data }) => data),
    /** All changes of an account other than by trading and funding, newest first. The next page is requested when it is needed. */
    allUserNonFundingLedgerUpdates: allRows('userNonFundingLedgerUpdates', (updates) => updates),
    /** All withdrawals of an account, newest first. The next page is requested when it is needed. */
    allWithdrawals: bind(allWithdrawals),
    /** All earnings of a builder, one row per order, newest first. The next page is requested when it is needed. */
    allBuilderMeEarned: allRows('builderMeEarned', ({ items }) => items),
    /** All claims of a builder, newest first. The next page is requested when it is needed. */
    allBuilderMeClaimed: allRows('builderMeClaimed', ({ items }) => items),
    /** All blocks from the newest to the first. The next page is requested when it is needed. */
    allBlocks: bind(allBlocks),
    /** Sends a query about the past, and returns its data with the block up to which they are complete and the next cursor. */
    historyPage: <Type extends InfoType, Data>(
      request: InfoParameters<Type> & { readonly type: Type },
      options?: InfoOptions,
    ): Promise<HistoryPage<Data>> => historyPage<Type, Data>(context, request, options),
  };
}

function bindersTo(context: InfoContext) {
  return {
    /** The rows of all pages. */
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

/** Parameters of `candleSnapshot`: the instrument id as text, the interval, and a period. */
export type CandleSnapshotParameters = InfoParameters<'candleSnapshot'>['req'];

/** Candles of an instrument, oldest first: the latest 5,000 of the period. */
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
   * The whole body of a request to /exchange, as text or as an object. Pass the text that was sent:
   * the venue hashes the order of its keys and the spelling of its numbers.
   */
  readonly envelope: string | object;
  /** The expected signer. */
  readonly expect?: string | undefined;
};

/**
 * Returns the signer of a request with all intermediate values and, if the venue does not know the
 * signer, the mistake that explains it. Nothing is executed and no nonce is used.
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
  // Concatenated as text, so that the envelope arrives unchanged.
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
