import type { OutcomeEventMeta } from '@oddlot/protocol';
import { queryInfo, type InfoContext, type InfoOptions } from './query-info.ts';

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
