import type { Settings } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `settings` takes. */
export type SettingsParameters = InfoParameters<'settings'>;

/** The settings of the deployment; snake case, as on the wire. */
export function settings(
  context: InfoContext,
  parameters: SettingsParameters = {},
  options?: InfoOptions,
): Promise<Settings> {
  return queryInfo(context, { type: 'settings', ...parameters }, options);
}
