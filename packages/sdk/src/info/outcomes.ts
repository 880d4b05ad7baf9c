import type { OutcomeEventMeta, OutcomeEventPage } from '@oddlot/protocol';
import {
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
  queryInfo,
} from './query-info.ts';

/** What `outcomeMeta` takes; `outcomeEvent` asks for one event by its slug. */
export type OutcomeMetaParameters = Omit<
  InfoParameters<'outcomeMeta'>,
  'eventSlug' | 'after_cursor'
>;

/** A page of events with their markets. The cursor of a page asks for the one after it. */
export function outcomeMeta(
  context: InfoContext,
  parameters: OutcomeMetaParameters = {},
  options?: InfoOptions,
): Promise<OutcomeEventPage> {
  const request = { type: 'outcomeMeta', ...parameters } as const;
  // Without a slug it is a page.
  return queryInfo(context, request, options) as Promise<OutcomeEventPage>;
}

/** What `outcomeEvent` takes. */
export type OutcomeEventParameters = { readonly eventSlug: string };

/**
 * One event with its markets, whatever its status.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export function outcomeEvent(
  context: InfoContext,
  { eventSlug }: OutcomeEventParameters,
  options?: InfoOptions,
): Promise<OutcomeEventMeta> {
  const request = { type: 'outcomeMeta', eventSlug } as const;
  return queryInfo(context, request, options) as Promise<OutcomeEventMeta>;
}

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
