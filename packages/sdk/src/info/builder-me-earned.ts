import type { BuilderEarning, BuilderRows } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `builderMeEarned` takes. */
export type BuilderMeEarnedParameters = InfoParameters<'builderMeEarned'>;

/** What a builder has earned, one row an order, newest first. */
export function builderMeEarned(
  context: InfoContext,
  parameters: BuilderMeEarnedParameters,
  options?: InfoOptions,
): Promise<BuilderRows<BuilderEarning>> {
  return queryInfo(context, { type: 'builderMeEarned', ...parameters }, options);
}
