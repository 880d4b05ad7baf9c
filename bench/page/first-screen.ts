import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { REPOSITORY } from '../../tests/support/venue-process.ts';
import { startWebVenue } from '../../tests/web/support/web-venue.ts';
import { atMost, median, noted, type Row } from '../report.ts';
import type { Measured, PageScale } from './page-report.ts';
import { startBrowser, visit, wait } from './visitor.ts';

/** How soon a first visit sees something and can use it, on a machine four times slower than this one. */

const SLOWER = 4;
const PAINT_MS_MAX = 1_000;
const INTERACTIVE_MS_MAX = 2_000;
const KILOBYTES_MAX = 220;
/** Bots need a while to make a market of a new venue. */
const WARM_UP_MS = 15_000;
/** Without a long task for so long the page answers at once. */
const QUIET_MS = 500;
const LOOKED_AT_MS_MAX = 40_000;
const ROUNDS: Readonly<Record<PageScale, number>> = { full: 7, quick: 3 };

type Screen = {
  readonly name: string;
  readonly path: string;
  /** True in the page once a person can do there what the screen is for. */
  readonly isUsable: string;
};

const SCREENS: readonly Screen[] = [
  {
    name: 'markets',
    path: '/',
    isUsable: `document.querySelectorAll('main table tbody tr a[href^="/trade/"]').length > 2`,
  },
  {
    name: 'trade',
    path: '/trade/BTC-USDC',
    isUsable: `[...document.querySelectorAll('main form button')].some((button) => /test account/.test(button.textContent) && !button.disabled)`,
  },
];

/** Watches from inside: the first paint, long tasks, and when the screen became usable. */
function watching({ isUsable }: Screen): string {
  return `(() => {
    const seen = (globalThis.measured = { tasks: [], usableMs: undefined, paintMs: undefined });
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) seen.tasks.push([startTime, duration]);
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) {
        if (name === 'first-contentful-paint') seen.paintMs = startTime;
      }
    }).observe({ type: 'paint', buffered: true });
    const look = () => {
      if (document.readyState !== 'loading' && ${isUsable}) seen.usableMs = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  })();`;
}

type Seen = {
  readonly tasks: readonly (readonly [startMs: number, durationMs: number])[];
  readonly usableMs: number | undefined;
  readonly paintMs: number | undefined;
};

type Load = {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly interactiveMs: number;
  /** What long tasks took beyond 50 ms each, until the page was interactive. */
  readonly blockedMs: number;
  readonly kilobytes: number;
};

export async function firstScreen(scale: PageScale): Promise<Measured> {
  const venue = await startWebVenue(['--oracle', 'simulated', '--no-limits', '--web']);
  const browser = await startBrowser();
  try {
    await wait(WARM_UP_MS);
    const rows: Row[] = [];
    const details: Record<string, readonly Load[]> = {};
    for (const screen of SCREENS) {
      const loads: Load[] = [];
      for (let round = 0; round < ROUNDS[scale]; round++) {
        loads.push(await load(browser, venue.url, screen));
      }
      details[screen.name] = loads;
      rows.push(...rowsOf(screen.name, loads));
    }
    return { rows, details };
  } finally {
    await browser.close();
    await venue.remove();
  }
}

function rowsOf(name: string, loads: readonly Load[]): readonly Row[] {
  const of = (key: keyof Load): readonly number[] => loads.map((one) => one[key]);
  const spread = (key: keyof Load): string =>
    `${Math.round(Math.min(...of(key)))} to ${Math.round(Math.max(...of(key)))}`;
  return [
    atMost(
      `${name}: first contentful paint`,
      `${spread('paintMs')} ms in ${loads.length} visits`,
      median(of('paintMs')),
      PAINT_MS_MAX,
      ' ms',
    ),
    atMost(
      `${name}: interactive`,
      `${spread('interactiveMs')} ms; usable at ${Math.round(median(of('usableMs')))} ms`,
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
      'as gzip, what the browser asked for',
      Math.max(...of('kilobytes')),
      KILOBYTES_MAX,
      ' KB',
    ),
  ];
}

/** One visit with an empty cache. */
async function load(browser: Browser, url: string, screen: Screen): Promise<Load> {
  const visitor = await visit(browser, { script: watching(screen) });
  const { instruments, page } = visitor;
  const scripts: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) scripts.push(pathname);
  });
  try {
    await instruments.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.goto(url + screen.path, { waitUntil: 'commit' });
    const seen = await settled(() => page.evaluate<Seen>('globalThis.measured'));
    const interactiveMs = interactiveAt(seen);
    const blockedMs = seen.tasks
      .filter(([startMs]) => startMs < interactiveMs)
      .reduce((sum, [, durationMs]) => sum + durationMs - 50, 0);
    const chart = scripts.findIndex((path) => path.includes('price-chart'));
    const before = chart < 0 ? scripts : scripts.slice(0, chart);
    return {
      paintMs: seen.paintMs ?? Number.NaN,
      usableMs: seen.usableMs ?? Number.NaN,
      interactiveMs,
      blockedMs,
      kilobytes: await kilobytesOf(before),
    };
  } finally {
    await visitor.leave();
  }
}

/** What was seen, once the screen is usable and a quiet moment has followed. */
async function settled(look: () => Promise<Seen>): Promise<Seen> {
  const deadline = Date.now() + LOOKED_AT_MS_MAX;
  let seen = await look();
  while (seen.usableMs === undefined && Date.now() < deadline) {
    await wait(100);
    seen = await look();
  }
  // Tasks that begin soon after are told after they have ended, which may be much later.
  await wait(QUIET_MS * 4);
  return look();
}

/** When the screen was usable and no long task ran, nor began within the next moment. */
export function interactiveAt({ tasks, usableMs }: Seen): number {
  if (usableMs === undefined) throw new Error('The screen was never usable');
  let atMs = usableMs;
  for (const [startMs, durationMs] of tasks.toSorted(([a], [b]) => a - b)) {
    const endMs = startMs + durationMs;
    if (endMs > atMs && startMs < atMs + QUIET_MS) atMs = endMs;
  }
  return atMs;
}

const PAGE = join(REPOSITORY, 'packages', 'web', 'dist', 'page');

async function kilobytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all([...new Set(paths)].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_024;
}

/** What is too small to gain by compression is sent as it is. */
async function sizeOf(path: string): Promise<number> {
  const bytes = await readFile(join(PAGE, `${path}.gz`)).catch(() => readFile(join(PAGE, path)));
  return bytes.length;
}
