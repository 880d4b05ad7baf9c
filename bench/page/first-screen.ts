import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { REPOSITORY } from '../../tests/support/venue-process.ts';
import { countTraffic, VISIT_KILOBYTES_MAX } from '../../tests/web/support/traffic.ts';
import { atMost, median, noted, type Row } from '../report.ts';
import {
  type Measured,
  type PageScale,
  pageThread,
  type Stage,
  traced,
  type TraceEvent,
  visit,
  wait,
} from './stage.ts';

/**
 * Measures how long it takes a first visit to show content and become usable. The CPU is slowed
 * down to a quarter of its speed.
 */

const SLOWER = 4;
const PAINT_MS_MAX = 1_000;
const INTERACTIVE_MS_MAX = 2_000;
const KILOBYTES_MAX = 220;
/** A page counts as interactive after this many milliseconds without a long task. */
const QUIET_MS = 500;
const LOOKED_AT_MS_MAX = 40_000;
const ROUNDS: Readonly<Record<PageScale, number>> = { full: 7, quick: 3 };

type Screen = {
  readonly name: string;
  readonly path: string;
  /** An expression that is true once the screen's main function is available. */
  readonly isUsable: string;
  /** Elements that are present once everything has loaded. */
  readonly isComplete: readonly string[];
};

const SCREENS: readonly Screen[] = [
  {
    name: 'markets',
    path: '/',
    isUsable: `document.querySelectorAll('main table tbody tr a[href^="/trade/"]').length > 2`,
    isComplete: ['main table tbody tr a[href^="/trade/"]'],
  },
  {
    name: 'trade',
    path: '/trade/BTC-USDC',
    isUsable: `[...document.querySelectorAll('main form button')].some((button) => /test account/.test(button.textContent) && !button.disabled)`,
    isComplete: ['section[aria-label="Price chart"] canvas', '[role="slider"][aria-label="Bids"]'],
  },
];

/** Returns a script that records the first paint, long tasks and when the screen becomes usable. */
function watching({ isUsable }: Screen): string {
  return `(() => {
    const seen = (globalThis.measured = { tasks: [], scripts: [], usableMs: undefined, paintMs: undefined });
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) seen.tasks.push([startTime, duration]);
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) {
        if (name === 'first-contentful-paint') seen.paintMs = startTime;
      }
    }).observe({ type: 'paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) {
        if (name.endsWith('.js')) seen.scripts.push([startTime, new URL(name).pathname]);
      }
    }).observe({ type: 'resource', buffered: true });
    const look = () => {
      if (document.readyState !== 'loading' && ${isUsable}) seen.usableMs = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  })();`;
}

type Seen = {
  readonly tasks: readonly (readonly [startMs: number, durationMs: number])[];
  readonly scripts: readonly (readonly [startMs: number, path: string])[];
  readonly usableMs: number | undefined;
  readonly paintMs: number | undefined;
};

type Load = {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly interactiveMs: number;
  /** The CPU time in ms, excluding other processes on the machine. */
  readonly paintWorkMs: number;
  readonly usableWorkMs: number;
  /** The total time by which long tasks exceeded 50 ms each, until the page was interactive. */
  readonly blockedMs: number;
  readonly kilobytes: number;
};

export async function firstScreen({ browser, scale, url }: Stage): Promise<Measured> {
  const rows: Row[] = [];
  const details: Record<string, readonly Load[]> = {};
  for (const screen of SCREENS) {
    const loads: Load[] = [];
    for (let round = 0; round < ROUNDS[scale]; round++) {
      loads.push(await load(browser, url, screen));
    }
    details[screen.name] = loads;
    rows.push(...rowsOf(screen.name, loads), await traffic(browser, url, screen));
  }
  return { rows, details };
}

function rowsOf(name: string, loads: readonly Load[]): readonly Row[] {
  const of = (key: keyof Load): readonly number[] => loads.map((one) => one[key]);
  const spread = (key: keyof Load): string =>
    `${Math.round(Math.min(...of(key)))} to ${Math.round(Math.max(...of(key)))}`;
  return [
    atMost(
      `${name}: first contentful paint`,
      `${spread('paintMs')} ms in ${loads.length} visits; ${Math.round(median(of('paintWorkMs')))} ms of work`,
      median(of('paintMs')),
      PAINT_MS_MAX,
      ' ms',
    ),
    atMost(
      `${name}: interactive`,
      `${spread('interactiveMs')} ms; usable at ${Math.round(median(of('usableMs')))} ms, ${Math.round(median(of('usableWorkMs')))} ms of work`,
      median(of('interactiveMs')),
      INTERACTIVE_MS_MAX,
      ' ms',
    ),
    noted(
      `${name}: blocked until then`,
      'long tasks beyond 50 ms each',
      median(of('blockedMs')),
      ' ms',
    ),
    atMost(
      `${name}: JavaScript before the chart`,
      'as gzip, what the browser asked for until it was usable',
      median(of('kilobytes')),
      KILOBYTES_MAX,
      ' KB',
    ),
  ];
}

/**
 * Counts the bytes of a complete first visit, including the chart, the font and the API responses.
 */
async function traffic(browser: Browser, url: string, screen: Screen): Promise<Row> {
  const { leave, page } = await visit(browser);
  try {
    const { kilobytes, requests } = await countTraffic(page);
    await page.goto(url + screen.path);
    for (const selector of screen.isComplete) await page.locator(selector).first().waitFor();
    await page.waitForLoadState('networkidle');
    return atMost(
      `${screen.name}: bytes of a first visit`,
      `as received, ${requests()} requests`,
      kilobytes(),
      VISIT_KILOBYTES_MAX,
      ' KB',
    );
  } finally {
    await leave();
  }
}

async function load(browser: Browser, url: string, screen: Screen): Promise<Load> {
  const visitor = await visit(browser, { script: watching(screen) });
  const { instruments, page } = visitor;
  try {
    await instruments.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    let seen: Seen = { tasks: [], scripts: [], usableMs: undefined, paintMs: undefined };
    const events = await traced(instruments, async () => {
      await page.goto(url + screen.path, { waitUntil: 'commit' });
      seen = await settled(() => page.evaluate<Seen>('globalThis.measured'));
    }, ['toplevel', 'devtools.timeline', 'blink.user_timing']);
    const workBefore = workUntil(pageThread(events));
    const interactiveMs = interactiveAt(seen);
    const blockedMs = seen.tasks
      .filter(([startMs]) => startMs < interactiveMs)
      .reduce((sum, [, durationMs]) => sum + durationMs - 50, 0);
    return {
      paintMs: seen.paintMs ?? Number.NaN,
      usableMs: seen.usableMs ?? Number.NaN,
      interactiveMs,
      paintWorkMs: workBefore(seen.paintMs ?? 0),
      usableWorkMs: workBefore(seen.usableMs ?? 0),
      blockedMs,
      kilobytes: await kilobytesOf(scriptsBefore(seen)),
    };
  } finally {
    await visitor.leave();
  }
}

/** Returns the page thread's CPU time from the start of the visit to a given time. */
function workUntil(events: readonly TraceEvent[]): (atMs: number) => number {
  const begun = events.find(({ name }) => name === 'navigationStart')?.ts ?? 0;
  const tasks = events.filter(({ name, ts }) => name.endsWith('RunTask') && ts >= begun);
  return (atMs) => {
    const before = tasks.filter(({ ts }) => ts < begun + atMs * 1_000);
    return before.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000;
  };
}

/** Returns the observations once the screen has become usable and a quiet period has followed. */
async function settled(look: () => Promise<Seen>): Promise<Seen> {
  const deadline = Date.now() + LOOKED_AT_MS_MAX;
  let seen = await look();
  while (seen.usableMs === undefined && Date.now() < deadline) {
    await wait(100);
    seen = await look();
  }
  // The browser reports tasks only after they have ended, sometimes much later.
  await wait(QUIET_MS * 4);
  return look();
}

/**
 * Returns the first time at which the screen is usable and no long task is running or begins within
 * `QUIET_MS`.
 */
export function interactiveAt({ tasks, usableMs }: Pick<Seen, 'tasks' | 'usableMs'>): number {
  if (usableMs === undefined) throw new Error('The screen was never usable');
  let atMs = usableMs;
  for (const [startMs, durationMs] of tasks.toSorted(([a], [b]) => a - b)) {
    const endMs = startMs + durationMs;
    if (endMs > atMs && startMs < atMs + QUIET_MS) atMs = endMs;
  }
  return atMs;
}

/** Returns the scripts requested before the screen was usable and before the chart. */
function scriptsBefore({ scripts, usableMs = Infinity }: Seen): readonly string[] {
  const chart = scripts.find(([, path]) => /(?:price|make)-chart/.test(path))?.[0] ?? Infinity;
  return scripts.filter(([startMs]) => startMs < Math.min(usableMs, chart)).map(([, path]) => path);
}

const PAGE = join(REPOSITORY, 'packages', 'web', 'dist', 'page');

async function kilobytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all([...new Set(paths)].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_024;
}

/**
 * Returns a file's transferred size. Files are sent uncompressed if compression does not make them
 * smaller.
 */
async function sizeOf(path: string): Promise<number> {
  const bytes = await readFile(join(PAGE, `${path}.gz`)).catch(() => readFile(join(PAGE, path)));
  return bytes.length;
}
