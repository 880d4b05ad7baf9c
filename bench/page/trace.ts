import type { CDPSession } from 'playwright-core';

/** An entry of the browser's own record. Times are in microseconds; `tdur` is time on the processor. */
export type TraceEvent = {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly tts?: number;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args: Readonly<Record<string, unknown>>;
};

const CATEGORIES = ['devtools.timeline', 'blink.user_timing', 'loading', 'toplevel', 'v8'];

/** What the browser records of itself while something goes on. */
export async function traced(
  instruments: CDPSession,
  work: () => Promise<void>,
  categories: readonly string[] = CATEGORIES,
): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly object[] }): void => {
    for (const event of value) events.push(event as TraceEvent);
  };
  instruments.on('Tracing.dataCollected', collect);
  await instruments.send('Tracing.start', {
    traceConfig: { includedCategories: [...categories], recordMode: 'recordAsMuchAsPossible' },
    transferMode: 'ReportEvents',
  });
  try {
    await work();
  } finally {
    const complete = new Promise((resolve) => {
      instruments.once('Tracing.tracingComplete', resolve);
    });
    await instruments.send('Tracing.end');
    await complete;
    instruments.off('Tracing.dataCollected', collect);
  }
  return events;
}

/** The thread that runs the page: the one that calls most of its functions. */
export function pageThread(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const calls = new Map<string, number>();
  const keyOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  for (const event of events) {
    if (event.name !== 'FunctionCall') continue;
    calls.set(keyOf(event), (calls.get(keyOf(event)) ?? 0) + 1);
  }
  const [busiest] = [...calls].toSorted(([, a], [, b]) => b - a);
  if (busiest === undefined) throw new Error('Nothing of the page ran while it was recorded');
  return events.filter((event) => keyOf(event) === busiest[0]);
}
