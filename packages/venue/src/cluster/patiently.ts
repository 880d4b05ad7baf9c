import { setTimeout as later } from 'node:timers/promises';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { NotNextError } from './block-stream.ts';

const AGAIN_AFTER_MS = 200;
/** The client library gives up earlier, but for lists whose end never comes. */
const ANSWER_MS_MAX = 10_000;

/** Asks again for as long as nobody can answer, or does not; what can't get better by waiting is thrown. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await answered(ask());
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

async function answered<T>(asked: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = later(ANSWER_MS_MAX, undefined, { signal: over.signal }).then(() => {
    throw new Error('nobody answers');
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
