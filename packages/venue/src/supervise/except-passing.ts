import { StreamLostError } from '../cluster/stream-error.ts';
import { exceptNoRoom, LaterReleaseError } from '../replica/replica-error.ts';

/**
 * Hands errors on, but for those that pass without the process ending: what could not be written for want of room is
 * written when there is some again (R-disk), what a stream that lost blocks refused, when it is whole again, and a replica whose
 * rules are no longer those of the log shows what it has (R-era).
 */
export function exceptPassing(onFatal: (error: unknown) => void): (error: unknown) => void {
  return exceptNoRoom((error) => {
    const isPassing = error instanceof StreamLostError || error instanceof LaterReleaseError;
    if (!isPassing) onFatal(error);
  });
}
