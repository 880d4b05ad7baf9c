import type { PerpMetaDetail } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `perpMetaDetail` takes. */
export type PerpMetaDetailParameters = InfoParameters<'perpMetaDetail'>;

/** One base asset, its perps and their margin tables. */
export function perpMetaDetail(
  context: InfoContext,
  parameters: PerpMetaDetailParameters,
  options?: InfoOptions,
): Promise<PerpMetaDetail> {
  return queryInfo(context, { type: 'perpMetaDetail', ...parameters }, options);
}
