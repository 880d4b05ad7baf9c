import type { BuilderClaim, BuilderRows } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `builderMeClaimed` takes. */
export type BuilderMeClaimedParameters = InfoParameters<'builderMeClaimed'>;

/** What a builder has claimed, newest first. */
export function builderMeClaimed(
  context: InfoContext,
  parameters: BuilderMeClaimedParameters,
  options?: InfoOptions,
): Promise<BuilderRows<BuilderClaim>> {
  return queryInfo(context, { type: 'builderMeClaimed', ...parameters }, options);
}
