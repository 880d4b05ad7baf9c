import type { BuilderShares } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `builderMeShare` takes. */
export type BuilderMeShareParameters = InfoParameters<'builderMeShare'>;

/** The parts of users or instruments in a builder's fees, the largest first. */
export function builderMeShare(
  context: InfoContext,
  parameters: BuilderMeShareParameters,
  options?: InfoOptions,
): Promise<BuilderShares> {
  return queryInfo(context, { type: 'builderMeShare', ...parameters }, options);
}
