import type { OutcomeEventPage } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
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
