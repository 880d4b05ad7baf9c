import { HttpError } from '../errors.ts';

/** How long to wait between attempts. */
export type Backoff = {
  /** Upper bound of the first wait. */
  readonly baseMs: number;
  /** Upper bound of every wait. */
  readonly maxMs: number;
  /** A number in [0, 1); replaced in tests. */
  readonly random: () => number;
};

/** The waits of requests. */
export const REQUEST_BACKOFF: Backoff = { baseMs: 250, maxMs: 8000, random: Math.random };

/**
 * The waits for a venue that is down. However long it was, streams are back within a second of it: half
 * a second for the wait, the rest to connect and subscribe. The half that is chance spreads the clients.
 */
export const STREAM_BACKOFF: Backoff = { baseMs: 200, maxMs: 500, random: Math.random };

/** The waits for a venue that is there, but hangs up before it has answered anything, or cannot serve a subscription yet. */
export const HANG_UP_BACKOFF: Backoff = { baseMs: 200, maxMs: 10_000, random: Math.random };

/**
 * The wait before the attempt after `failures` failed ones: between half and all of a bound that
 * doubles each time. Chance keeps clients that failed together from coming back together.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random }: Backoff): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return bound / 2 + (random() * bound) / 2;
}

/** Resolves after a while; rejects when the signal is aborted before. */
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
