import type { AccessCodeStatus } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `accessCodeStatus` takes. */
export type AccessCodeStatusParameters = InfoParameters<'accessCodeStatus'>;

/** Whether a channel asks for an access code, and whether the user has one. */
export function accessCodeStatus(
  context: InfoContext,
  parameters: AccessCodeStatusParameters,
  options?: InfoOptions,
): Promise<AccessCodeStatus> {
  return queryInfo(context, { type: 'accessCodeStatus', ...parameters }, options);
}
