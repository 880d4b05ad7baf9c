import type { HistOrderRow } from '@oddlot/protocol';
import { historyPages } from './history-page.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';
import type { HistoricalOrdersParameters } from './historical-orders.ts';

/** What `allHistoricalOrders` takes; `limit` is the size of a page. */
export type AllHistoricalOrdersParameters = Omit<HistoricalOrdersParameters, 'cursor'>;

/**
 * All orders of an account, the one that changed last first. Behind them come those that changed while they were read, as
 * they are then: none is left out, and one may come more than once. The next page is asked for when it is needed.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* allHistoricalOrders(
  context: InfoContext,
  parameters: AllHistoricalOrdersParameters,
  options?: InfoOptions,
): AsyncGenerator<HistOrderRow, void> {
  const request = { type: 'historicalOrders', ...parameters } as const;
  for await (const { data } of historyPages<'historicalOrders', HistOrderRow[]>(
    context,
    request,
    options,
  )) {
    yield* data;
  }
}
