import { setTimeout as later } from 'node:timers/promises';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { NotNextError } from './stream-error.ts';

const AGAIN_AFTER_MS = 200;
/** The client library has a shorter timeout, except for lists whose end never arrives. */
const ANSWER_MS_MAX = 10_000;

/** Retries a query until a server responds. Throws errors that waiting cannot resolve. */
export async function retryUntilAnswered<T>(ask: () => Promise<T>): Promise<T> {
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

/** Thrown if a result has exceeded its time limit. The result may still arrive. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/**
 * Waits for a promise with a time limit. The caller is responsible for a later result or failure.
 */
export async function withinMs<T>(asked: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const timeout = later(ms, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new TooLateError(`no response within ${ms} ms`);
  });
  timeout.catch(() => undefined);
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, timeout]);
  } finally {
    over.abort();
  }
}
