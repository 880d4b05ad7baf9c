import { UnavailableError } from '@oddlot/host/http';
import { RecoverUnavailableError } from '../recover-pool.ts';
import type { Recovered } from '../recover-worker.ts';

/** An answer of the recover threads; a pool that can't answer now is told to the client as such. */
export async function recovering(answer: Promise<Recovered>): Promise<Recovered> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RecoverUnavailableError) {
      throw new UnavailableError('signatures cannot be recovered now', { cause });
    }
    throw cause;
  }
}
