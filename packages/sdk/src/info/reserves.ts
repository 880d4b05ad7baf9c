import type { Reserves } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `reserves` takes. */
export type ReservesParameters = InfoParameters<'reserves'>;

/** What the venue owes and what the bridge holds: as it was published last, and now. */
export function reserves(
  context: InfoContext,
  parameters: ReservesParameters = {},
  options?: InfoOptions,
): Promise<Reserves> {
  return queryInfo(context, { type: 'reserves', ...parameters }, options);
}
