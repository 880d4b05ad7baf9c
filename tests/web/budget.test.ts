import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';
import { buildPageOnce } from './support/build-once.ts';
import { countTraffic, VISIT_KILOBYTES_MAX } from './support/traffic.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Limits the bytes that a browser must load before a screen is usable. The charts' code is not
 * included, because it is loaded later.
 */
const KILOBYTES_MAX = 220;
const VISIT_REQUESTS_MAX = 30;
const SHIFT_MAX = 0.02;
const PAGE = join(REPOSITORY, 'packages', 'web', 'dist', 'page');

type Chunk = {
  readonly file: string;
  readonly isEntry?: true;
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: true;
};

let browser: WebBrowser;
let manifest: Readonly<Record<string, Chunk>>;

beforeAll(async () => {
  await buildPageOnce();
  browser = await workerBrowser();
  manifest = JSON.parse(readFileSync(join(PAGE, '.vite', 'manifest.json'), 'utf8'));
});

afterEach(() => browser.leaveAll());

/** Returns a chunk along with all its static imports. */
function needed(key: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(key)) return found;
  found.add(key);
  for (const other of chunk.imports ?? []) needed(other, found);
  return found;
}

function kilobytes(keys: Iterable<string>): number {
  const files = new Set(
    [...keys].map((key) => manifest[key]!.file).filter((file) => file.endsWith('.js')),
  );
  const bytes = [...files].map((file) => sizeOf(file)).reduce((sum, size) => sum + size, 0);
  return bytes / 1024;
}

/** Returns the size as sent. Files are gzipped unless they are too small to benefit. */
function sizeOf(file: string): number {
  try {
    return readFileSync(join(PAGE, `${file}.gz`)).length;
  } catch {
    return readFileSync(join(PAGE, file)).length;
  }
}

test(`every screen loads at most ${KILOBYTES_MAX} KB of JavaScript, without the chart`, () => {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry === true)!;
  const screens = Object.keys(manifest).filter((key) => key.endsWith('-screen.tsx'));
  expect(screens).toContain('src/features/markets/markets-screen.tsx');
  const sizes = screens.map((key) => [
    key,
    Math.round(kilobytes([...needed(entry), ...needed(key)])),
  ]);
  const heavy = sizes.filter(([, size]) => Number(size) > KILOBYTES_MAX);
  expect(heavy).toEqual([]);
  // The signing code is loaded only if the browser has keys. Viewing prices does not need it.
  const first = [...needed(entry)].map((key) => manifest[key]!.file).join(' ');
  expect(first).not.toMatch(/\/signing|lightweight|uplot/i);
});

test("the browser compiles the first screen's code while it arrives", () => {
  const keys = [...needed('index.html'), ...needed('src/features/markets/markets-screen.tsx')];
  for (const key of keys) {
    const { file } = manifest[key]!;
    const code = readFileSync(join(PAGE, file), 'utf8');
    expect([file, code.split('\n', 1)[0]]).toEqual([file, '//# allFunctionsCalledOnLoad']);
  }
});

test(`a first visit to the terminal loads at most ${VISIT_KILOBYTES_MAX} KB in ${VISIT_REQUESTS_MAX} requests, without layout shifts`, async () => {
  const venue = await workerVenue();
  // A script option, whatever its content, requires a new browser context.
  const script = `{
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
    }).observe({ type: 'layout-shift', buffered: true });
  }`;
  const visit = await browser.visit(venue.url, { script });
  const { kilobytes, requests } = await countTraffic(visit.page);
  await visit.open('/trade/BTC-USDC');
  await visit.page.locator('section[aria-label="Price chart"] canvas').first().waitFor();
  await visit.page.getByRole('slider', { name: 'Bids' }).waitFor();
  await visit.page.waitForLoadState('networkidle');
  // A page that loads next to nothing would also be below the limit.
  expect(kilobytes()).toBeGreaterThan(200);
  expect(kilobytes()).toBeLessThanOrEqual(VISIT_KILOBYTES_MAX);
  expect(requests()).toBeLessThanOrEqual(VISIT_REQUESTS_MAX);
  expect(visit.sent.filter(({ url }) => /overlays|signing|account-table/.test(url))).toEqual([]);
  const shift = await visit.page.evaluate(() => (globalThis as { shift?: number }).shift!);
  expect(shift).toBeLessThanOrEqual(SHIFT_MAX);
});

test(`a first visit to the markets loads at most ${VISIT_KILOBYTES_MAX} KB in ${VISIT_REQUESTS_MAX} requests`, async () => {
  const venue = await workerVenue();
  const visit = await browser.visit(venue.url, { script: '' });
  const { kilobytes, requests } = await countTraffic(visit.page);
  await visit.open('/');
  await visit.page.getByRole('link', { name: /BTC/ }).first().waitFor();
  await visit.page.waitForLoadState('networkidle');
  expect(kilobytes()).toBeGreaterThan(150);
  expect(kilobytes()).toBeLessThanOrEqual(VISIT_KILOBYTES_MAX);
  expect(requests()).toBeLessThanOrEqual(VISIT_REQUESTS_MAX);
});
