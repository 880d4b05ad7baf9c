import { type Client, createClient, privateKeyWallet } from '@oddlot/sdk';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { addressOf, keyOf } from '../../tests/support/wallet.ts';
import { findChromium } from '../../tests/web/support/find-chromium.ts';
import { DESKTOP } from '../../tests/web/support/visit.ts';
import { startWebVenue } from '../../tests/web/support/web-venue.ts';
import type { Row } from '../report.ts';

export type PageScale = 'full' | 'quick';

/**
 * The setup shared by all sections: a venue with simulated traders that serves its page, and a
 * browser.
 */
export type Stage = {
  readonly scale: PageScale;
  readonly url: string;
  readonly browser: Browser;
  /** A client that may list markets. */
  readonly admin: Client;
  close(): Promise<void>;
};

/** Rows for the table, and details for the JSON file. */
export type Measured = { readonly rows: readonly Row[]; readonly details: unknown };
export type PageSection = (stage: Stage) => Promise<Measured>;

/** The time, in milliseconds, that bots need before they quote on a new venue. */
const WARM_UP_MS = 15_000;

export async function setStage(scale: PageScale): Promise<Stage> {
  const key = keyOf('measuring admin');
  const flags = ['--oracle', 'simulated', '--no-limits', '--web', '--admins', addressOf(key)];
  const venue = await startWebVenue(flags);
  const browser = await startBrowser();
  const admin = createClient({ url: venue.url, wallet: privateKeyWallet(key) });
  await wait(WARM_UP_MS);
  return {
    scale,
    url: venue.url,
    browser,
    admin,
    async close() {
      admin.close();
      await browser.close();
      await venue.remove();
    },
  };
}

/** A visitor with an empty browser cache and a DevTools session. */
type Visitor = {
  readonly page: Page;
  readonly instruments: CDPSession;
  leave(): Promise<void>;
};

/** The timeout, in milliseconds, for a page on a busy machine. */
const PATIENCE_MS = 60_000;

async function startBrowser(): Promise<Browser> {
  const { args, path } = await findChromium();
  return chromium.launch({ executablePath: path, args: [...args] });
}

type VisitorOptions = {
  /** Runs in the page before the page's own scripts. */
  readonly script?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
};

export async function visit(
  browser: Browser,
  { script, viewport = DESKTOP }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { ...viewport },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const instruments = await context.newCDPSession(page);
  await instruments.send('Performance.enable');
  await instruments.send('HeapProfiler.enable');
  return { page, instruments, leave: () => context.close() };
}

export async function openTestAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Trade with a test account' }).first().click();
  await page.getByRole('button', { name: /^0x.*test/ }).waitFor();
}

/** The memory that the page uses after unreachable objects have been collected. */
export type Held = {
  /** The size of the whole JavaScript heap, including compiled code. */
  readonly heapBytes: number;
  /** The size of the objects allocated by the program. */
  readonly programBytes: number;
  readonly nodes: number;
  readonly listeners: number;
};

/** Some objects are freed only by a second or third collection. */
const COLLECTIONS = 3;

export async function heldBy({ instruments }: Visitor): Promise<Held> {
  for (let round = 0; round < COLLECTIONS; round++) {
    await instruments.send('HeapProfiler.collectGarbage');
  }
  const { usedSize } = await instruments.send('Runtime.getHeapUsage');
  const { jsEventListeners, nodes } = await instruments.send('Memory.getDOMCounters');
  const programBytes = await programHeap(instruments);
  return { heapBytes: usedSize, programBytes, nodes, listeners: jsEventListeners };
}

/** Returns the page thread's work since the page was opened, in seconds by category. */
export async function workOf({ instruments }: Visitor): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await instruments.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

export async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** A trace event. Times are in microseconds; `tdur` is CPU time. */
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

/** Returns the events on the page's thread, which is the thread with the most function calls. */
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

/** Returns the smallest of the values that this percentage of them does not exceed. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredths) / 100) - 1);
  const value = sorted[Math.max(0, at)];
  if (value === undefined) throw new RangeError('a percentile of nothing');
  return value;
}

/** Returns the slope of the least-squares line through the points. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const spread = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  return points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spread;
}

/**
 * Returns the bytes of the program's own objects, closures, strings and arrays. Compiled code is
 * excluded: it grows for minutes while the engine optimises, which is not a leak.
 */
async function programHeap(instruments: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const collect = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk);
  instruments.on('HeapProfiler.addHeapSnapshotChunk', collect);
  await instruments.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  instruments.off('HeapProfiler.addHeapSnapshotChunk', collect);
  return bytesOf(JSON.parse(chunks.join('')) as Snapshot);
}

type Snapshot = {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
};

/**
 * Node types that are excluded: compiled code, browser objects and nodes of the snapshot itself.
 */
const OTHERS = new Set(['code', 'native', 'synthetic', 'hidden', 'object shape']);

export function bytesOf({ nodes, snapshot }: Snapshot): number {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + typeAt] ?? 0] ?? '';
    if (!OTHERS.has(type)) bytes += nodes[at + sizeAt] ?? 0;
  }
  return bytes;
}
