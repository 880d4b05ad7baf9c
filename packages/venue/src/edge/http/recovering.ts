import { UnavailableError } from '@oddlot/host/http';
import { RecoverUnavailableError } from '../recover-pool.ts';

/** An answer of the recover threads; a pool that can't answer now is told to the client as such. */
export async function recovering<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RecoverUnavailableError) {
      throw new UnavailableError('signature recovery is temporarily unavailable', { cause });
    }
    throw cause;
  }
}
