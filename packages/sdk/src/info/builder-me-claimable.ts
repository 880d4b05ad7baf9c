import type { BuilderClaimable } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `builderMeClaimable` takes. */
export type BuilderMeClaimableParameters = InfoParameters<'builderMeClaimable'>;

/** What a builder can claim, as far as the history has come. */
export function builderMeClaimable(
  context: InfoContext,
  parameters: BuilderMeClaimableParameters,
  options?: InfoOptions,
): Promise<BuilderClaimable> {
  return queryInfo(context, { type: 'builderMeClaimable', ...parameters }, options);
}
