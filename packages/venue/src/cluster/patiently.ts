import { setTimeout as later } from 'node:timers/promises';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { NotNextError } from './block-stream.ts';

const AGAIN_AFTER_MS = 200;

/** Asks again for as long as nobody can answer; what can't get better by waiting is thrown. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isFinal =
        error instanceof NotNextError ||
        error instanceof ClosedConnectionError ||
        error instanceof DrainingConnectionError;
      if (isFinal) throw error;
      await later(AGAIN_AFTER_MS);
    }
  }
}
