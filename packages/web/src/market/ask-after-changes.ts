/** Between two questions of one kind: orders may change in every block. */
const ASK_EVERY_MS = 250;
/** After a question that failed, or whose answer was not all. */
const ASK_AGAIN_MS = 2_000;

/** An answer that lacks what is known to be there is asked for again. */
type Answer = 'whole' | 'partial';

type Asking = {
  /** Something has changed. */
  again(): void;
  /**
   * Once more when a stream of changes stands: it tells what happens from there on, and the first answer may be of
   * before. What was done in between is in neither.
   */
  onceHeard(stream: { readonly ready: Promise<void> }): void;
  stop(): void;
};

/** Asks now, and once more after whatever changed meanwhile; one question is under way at a time. */
export function askAfterChanges(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { everyMs = ASK_EVERY_MS } = {},
): Asking {
  const leaving = new AbortController();
  let isAsking = false;
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async (): Promise<void> => {
    isAsking = true;
    hasChanged = false;
    const answer = await ask(leaving.signal).catch(() => 'partial' as const);
    if (leaving.signal.aborted) return;
    timer = setTimeout(
      () => {
        isAsking = false;
        if (hasChanged || answer === 'partial') void run();
      },
      answer === 'partial' ? ASK_AGAIN_MS : everyMs,
    );
  };
  const again = (): void => {
    if (leaving.signal.aborted) return;
    hasChanged = true;
    if (!isAsking) void run();
  };
  void run();
  return {
    again,
    onceHeard({ ready }) {
      // One that was refused tells nothing, and what it says then is said elsewhere.
      ready.then(again, () => undefined);
    },
    stop() {
      clearTimeout(timer);
      leaving.abort();
    },
  };
}
