import { StreamLostError } from '../cluster/stream-error.ts';
import { exceptNoRoom, LaterReleaseError, TermOverError } from '../replica/replica.ts';

/**
 * Hands errors on, but for those that pass without the process ending: what could not be written for want of room is
 * written when there is some again (R-disk), what a stream that lost blocks refused, when it is whole again, and a replica whose
 * rules are no longer those of the log shows what it has (R-era). What a holder could not do in its term, the next holder does.
 */
export function exceptPassing(onFatal: (error: unknown) => void): (error: unknown) => void {
  return exceptNoRoom((error) => {
    const isPassing =
      error instanceof StreamLostError ||
      error instanceof LaterReleaseError ||
      error instanceof TermOverError;
    if (!isPassing) onFatal(error);
  });
}
