import { refusal, type WireError } from '@oddlot/protocol';
import { StreamLostError } from '../cluster/stream-error.ts';
import { HistoryAwayError } from '../history/history.ts';
import { LaterReleaseError } from '../replica/replica.ts';

/** Of an action that was on its way to the log: its block may have been written, or be written yet. */
const MAY_EXECUTE =
  'the action was being written to the log and may still execute: query actionStatus, ' +
  'then send the same request again';

/** The refusal of a request that may be answered later or by another replica; undefined for a fault of the program. */
export function downRefusal(error: unknown): WireError | undefined {
  if (error instanceof StreamLostError)
    return refusal('logLost', [error.from], { why: MAY_EXECUTE });
  if (error instanceof LaterReleaseError)
    return refusal('rulesAnnounced', [error.rules, error.own], { why: MAY_EXECUTE });
  if (error instanceof HistoryAwayError)
    return refusal('unavailable', [], { why: 'the history database is unavailable' });
  return undefined;
}
