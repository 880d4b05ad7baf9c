import type { Live } from './live.ts';

/** Rows that came together while the page was open. */
export type Arrival<Row> = { readonly rows: readonly Row[]; readonly atMs: number };

/** The code that tells news is loaded after the screen: what came in between is news still. */
const NEWS_MS = 10_000;

/** With one more, and without those that are news no longer. */
export function withArrival<Row>(
  arrivals: readonly Arrival<Row>[],
  rows: readonly Row[],
  nowMs = Date.now(),
): readonly Arrival<Row>[] {
  return [...arrivals.filter(({ atMs }) => nowMs - atMs < NEWS_MS), { rows, atMs: nowMs }];
}

/**
 * Tells each arrival once, however often it begins anew, and at once: of two messages in one frame both are news.
 * Whoever tells in another way has one of its own.
 */
export function createTeller<Row>(
  lists: Live<string, { readonly arrivals: readonly Arrival<Row>[] }>,
): (user: string, tell: (rows: readonly Row[]) => void) => () => void {
  const told = new WeakSet<Arrival<Row>>();
  return (user, tell) => {
    const { release, store } = lists.acquire(user);
    const look = (): void => {
      const nowMs = Date.now();
      for (const arrival of store.getState().arrivals) {
        if (told.has(arrival)) continue;
        told.add(arrival);
        if (nowMs - arrival.atMs < NEWS_MS) tell(arrival.rows);
      }
    };
    const leave = store.subscribe(look);
    look();
    return () => {
      leave();
      release();
    };
  };
}
