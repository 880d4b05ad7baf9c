import type { ReservesProof } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `reservesProof` takes. */
export type ReservesProofParameters = InfoParameters<'reservesProof'>;

/** That an address is counted in what was published last; null when it had no account then. Check it with `npm run verify-reserves`, or by hand. */
export function reservesProof(
  context: InfoContext,
  parameters: ReservesProofParameters,
  options?: InfoOptions,
): Promise<ReservesProof | null> {
  return queryInfo(context, { type: 'reservesProof', ...parameters }, options);
}
