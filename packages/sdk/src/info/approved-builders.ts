import type { ApprovedBuilder } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `approvedBuilders` takes. */
export type ApprovedBuildersParameters = InfoParameters<'approvedBuilders'>;

/** Whom an account allows to charge it, and how much, by builder. */
export function approvedBuilders(
  context: InfoContext,
  parameters: ApprovedBuildersParameters,
  options?: InfoOptions,
): Promise<ApprovedBuilder[]> {
  return queryInfo(context, { type: 'approvedBuilders', ...parameters }, options);
}
