import { setTimeout as later } from 'node:timers/promises';

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
