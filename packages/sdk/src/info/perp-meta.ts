import type { PerpUniverse } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `perpMeta` takes. */
export type PerpMetaParameters = InfoParameters<'perpMeta'>;

/** Every perp with its precision and limits. */
export function perpMeta(
  context: InfoContext,
  parameters: PerpMetaParameters = {},
  options?: InfoOptions,
): Promise<PerpUniverse> {
  return queryInfo(context, { type: 'perpMeta', ...parameters }, options);
}
