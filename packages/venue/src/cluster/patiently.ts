import { setTimeout as later } from 'node:timers/promises';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { NotNextError } from './block-stream.ts';
import { withinMs } from './within-ms.ts';

const AGAIN_AFTER_MS = 200;
/** The client library gives up earlier, but for lists whose end never comes. */
const ANSWER_MS_MAX = 10_000;

/** Asks again for as long as nobody can answer, or does not; what can't get better by waiting is thrown. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await withinMs(ask(), ANSWER_MS_MAX);
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
