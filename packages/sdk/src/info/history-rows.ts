import type { InfoAnswerOf } from '@oddlot/protocol';
import { historyPages, type PagedType } from './history-page.ts';
import type { InfoContext, InfoOptions, InfoParameters } from './query-info.ts';

/** What asking for all rows takes: where a page begins is not the caller's to say. */
export type RowsParameters<Type extends PagedType> = Omit<
  InfoParameters<Type>,
  'cursor' | 'offset' | 'page'
>;

/** What `allUserFills` takes; `limit` is the size of a page. */
export type AllUserFillsParameters = RowsParameters<'userFills'>;

/** What `allHistoricalOrders` takes; `limit` is the size of a page. */
export type AllHistoricalOrdersParameters = RowsParameters<'historicalOrders'>;

/** What `allUserFundings` takes; `limit` is the size of a page. */
export type AllUserFundingsParameters = RowsParameters<'userFundings'>;

/** What `allUserNonFundingLedgerUpdates` takes; `limit` is the size of a page. */
export type AllUserNonFundingLedgerUpdatesParameters =
  RowsParameters<'userNonFundingLedgerUpdates'>;

/** What `allBuilderMeEarned` takes; `pageSize` is the size of a page. */
export type AllBuilderMeEarnedParameters = RowsParameters<'builderMeEarned'>;

/** What `allBuilderMeClaimed` takes; `pageSize` is the size of a page. */
export type AllBuilderMeClaimedParameters = RowsParameters<'builderMeClaimed'>;

/** The rows of a page. */
export type RowsOf<Type extends PagedType, Row> = (data: InfoAnswerOf<Type>) => readonly Row[];

/** All rows of what the venue answers page by page. The next page is asked for when it is needed. */
export async function* historyRows<Type extends PagedType, Row>(
  context: InfoContext,
  asked: {
    readonly request: RowsParameters<Type> & { readonly type: Type };
    readonly rowsOf: RowsOf<Type, Row>;
  },
  options?: InfoOptions,
): AsyncGenerator<Row, void> {
  const request = asked.request as InfoParameters<Type> & { readonly type: Type };
  for await (const page of historyPages<Type, InfoAnswerOf<Type>>(context, request, options)) {
    yield* asked.rowsOf(page.data);
  }
}
