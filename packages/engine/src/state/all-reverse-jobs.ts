import { present } from '@oddlot/units';
import { holdingKey } from './account.ts';
import type { ReverseJob } from './reverse-job.ts';
import type { State } from './state.ts';

/** The jobs under way: by start, then address, then leg. */
export function allReverseJobs(state: State): ReverseJob[] {
  const addressOf = ({ accountIndex }: ReverseJob): string =>
    present(state.accounts[accountIndex], 'the account of a job').address;
  return [...state.reverseJobs.values()].sort((a, b) => {
    if (a.startedMs !== b.startedMs) return a.startedMs - b.startedMs;
    if (a.accountIndex !== b.accountIndex) return addressOf(a) < addressOf(b) ? -1 : 1;
    return holdingKey(a.instrumentId, a.leg) - holdingKey(b.instrumentId, b.leg);
  });
}
