import type { BuilderState } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `builderState` takes. */
export type BuilderStateParameters = InfoParameters<'builderState'>;

/** What a builder earned and claimed, and whether it earns at all right now. */
export function builderState(
  context: InfoContext,
  parameters: BuilderStateParameters,
  options?: InfoOptions,
): Promise<BuilderState> {
  return queryInfo(context, { type: 'builderState', ...parameters }, options);
}
