import { HttpError } from '../errors.ts';

/** The delays between attempts. */
export type Backoff = {
  /** The upper bound of the first delay, in milliseconds. */
  readonly baseMs: number;
  /** The upper bound of every delay, in milliseconds. */
  readonly maxMs: number;
  /** Returns a number from 0 up to, but not including, 1. Tests replace it. */
  readonly random: () => number;
};

/** The delays between attempts to send a request. */
export const REQUEST_BACKOFF: Backoff = { baseMs: 250, maxMs: 8000, random: Math.random };

/**
 * The delays for a venue that is down. They never exceed half a second, so that streams resume
 * within a second of the venue becoming available. The random part prevents all clients from
 * connecting at once.
 */
export const STREAM_BACKOFF: Backoff = { baseMs: 200, maxMs: 500, random: Math.random };

/**
 * The delays for a venue that closes the connection before sending a frame, or that cannot serve a
 * subscription yet.
 */
export const HANG_UP_BACKOFF: Backoff = { baseMs: 200, maxMs: 10_000, random: Math.random };

/**
 * Returns the delay after a number of failed attempts. It is a random value between half and all of
 * a bound that doubles each time, so that clients that failed together do not retry together.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random }: Backoff): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return bound / 2 + (random() * bound) / 2;
}

/** Resolves after a delay, or rejects if the signal is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): HttpError =>
      new HttpError('The request was aborted', { cause: signal?.reason });
    if (signal?.aborted === true) {
      reject(aborted());
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
