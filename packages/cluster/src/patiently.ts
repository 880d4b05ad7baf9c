import { setTimeout as later } from 'node:timers/promises';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { NotNextError } from './stream-error.ts';

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

/** What was asked for took longer than it may; it may still come. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** Waits for something, but no longer than this; what comes later, and how it fails, is up to whoever began it. */
export async function withinMs<T>(asked: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = later(ms, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new TooLateError(`no answer within ${ms} ms`);
  });
  late.catch(() => undefined);
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort();
  }
}
