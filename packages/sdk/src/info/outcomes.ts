import type { OutcomeEventMeta, OutcomeEventPage } from '@oddlot/protocol';
import {
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
  queryInfo,
} from './query-info.ts';

/** The parameters of `outcomeMeta`. To request one event by its slug, use `outcomeEvent`. */
export type OutcomeMetaParameters = Omit<
  InfoParameters<'outcomeMeta'>,
  'eventSlug' | 'after_cursor'
>;

/** Returns a page of events with their markets. The cursor of a page selects the next page. */
export function outcomeMeta(
  context: InfoContext,
  parameters: OutcomeMetaParameters = {},
  options?: InfoOptions,
): Promise<OutcomeEventPage> {
  const request = { type: 'outcomeMeta', ...parameters } as const;
  // If no slug is given, the response is a page.
  return queryInfo(context, request, options) as Promise<OutcomeEventPage>;
}

/** The parameters of `outcomeEvent`. */
export type OutcomeEventParameters = { readonly eventSlug: string };

/**
 * Returns one event with its markets, in any status.
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

/** The parameters of `outcomeEvents`; `limit` is the size of a page. */
export type OutcomeEventsParameters = Omit<OutcomeMetaParameters, 'cursor'>;

/**
 * Yields all matching events; pages are requested as needed. Sort by a key that does not change,
 * such as `newest`; otherwise events can be repeated or missed.
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
