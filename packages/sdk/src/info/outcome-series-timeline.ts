import type { OutcomeSeriesTimeline } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomeSeriesTimeline` takes. */
export type OutcomeSeriesTimelineParameters = InfoParameters<'outcomeSeriesTimeline'>;

/** The markets of a series with strikes and results, newest start first. */
export function outcomeSeriesTimeline(
  context: InfoContext,
  parameters: OutcomeSeriesTimelineParameters,
  options?: InfoOptions,
): Promise<OutcomeSeriesTimeline> {
  return queryInfo(context, { type: 'outcomeSeriesTimeline', ...parameters }, options);
}
