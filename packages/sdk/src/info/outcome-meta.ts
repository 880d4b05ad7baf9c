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
  return queryInfo(context, { type: 'outcomeMeta', ...parameters }, options);
}
