import type { OutcomeEventMeta } from '@oddlot/protocol';
import { outcomeMeta, type OutcomeMetaParameters } from './outcome-meta.ts';
import type { InfoContext, InfoOptions } from './query-info.ts';

/** What `outcomeEvents` takes; `limit` is the size of a page. */
export type OutcomeEventsParameters = Omit<OutcomeMetaParameters, 'cursor'>;

/**
 * All events that match, one after the other; the next page is asked for when it is needed. Sort by
 * what stands still, such as `newest`: where the key of an event moves between two pages, it may be
 * given twice or left out.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* outcomeEvents(
  context: InfoContext,
  parameters: OutcomeEventsParameters = {},
  options?: InfoOptions,
): AsyncGenerator<OutcomeEventMeta, void> {
  let cursor: string | null | undefined;
  do {
    const page = await outcomeMeta(context, { ...parameters, cursor }, options);
    yield* page.events;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
