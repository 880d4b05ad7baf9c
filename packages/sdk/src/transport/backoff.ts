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

/** The waits of lost streams, which should be back soon. */
export const STREAM_BACKOFF: Backoff = { baseMs: 200, maxMs: 10_000, random: Math.random };

/**
 * The wait before the attempt after `failures` failed ones: between half and all of a bound that
 * doubles each time. Chance keeps clients that failed together from coming back together.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random }: Backoff): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return bound / 2 + (random() * bound) / 2;
}

/** Resolves after a while; rejects with the signal's reason when it is aborted before. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
