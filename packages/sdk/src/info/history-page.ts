import type { HistoryAsOf, InfoEnvelope, InfoType } from '@oddlot/protocol';
import {
  askInfo,
  readInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** The queries that are answered page by page. */
export type PagedType =
  | 'userFills'
  | 'historicalOrders'
  | 'userFundings'
  | 'userNonFundingLedgerUpdates'
  | 'liquidations'
  | 'txs'
  | 'builderMeEarned'
  | 'builderMeClaimed';

/** An answer from the history with what stands beside its data. */
export type HistoryPage<Data> = {
  readonly data: Data;
  /** The block up to which it is complete. */
  readonly asOf: HistoryAsOf;
  /** Where the next page begins; null behind the last row, undefined where there are no pages. */
  readonly nextCursor: string | null | undefined;
};

/**
 * Asks a query on the past, of any type, and gives its data with how far the history was and where the
 * next page begins.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function historyPage<Type extends InfoType, Data>(
  context: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  options?: InfoOptions,
): Promise<HistoryPage<Data>> {
  const reply = await askInfo(context, request, options);
  const data = readInfo<Data>(context, reply);
  const { asOf, nextCursor } = reply.body as Extract<InfoEnvelope<Data>, { success: true }>;
  return { data, asOf: asOf ?? { height: 0, time: 0 }, nextCursor };
}

/** One page after the other, to the last row. */
export async function* historyPages<Type extends PagedType, Data>(
  context: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  options?: InfoOptions,
): AsyncGenerator<HistoryPage<Data>, void> {
  let cursor: string | null | undefined;
  do {
    const page = await historyPage<Type, Data>(context, { ...request, cursor }, options);
    yield page;
    cursor = page.nextCursor;
  } while (typeof cursor === 'string');
}
