import { refusal } from '@oddlot/protocol';
import type { Restriction } from '../edge/admission-guard.ts';
import type { LogTrouble } from '../cluster/cluster-log-options.ts';

/** What a stream without a leader, or one that lost blocks, keeps from /exchange: all of it. */
export function logRestriction(trouble: LogTrouble | undefined): Restriction | undefined {
  if (trouble === undefined) return undefined;
  const error =
    trouble.kind === 'lost' ? refusal('logLost', [trouble.error.from]) : refusal('logSilent', []);
  return { stops: 'all', error };
}
