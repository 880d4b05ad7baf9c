import { createClient } from '@oddlot/sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** A venue that began a moment ago and where nobody has traded: it has a past to look at, which counts nowhere. */

const WEEK_MS = 7 * 86_400_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  const flags = ['--oracle', 'simulated', '--no-bots', '--no-limits', '--web'];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
});
afterAll(() => venue.stop());
afterEach(() => browser.leaveAll());

test('the past is told as what it is, ends where the venue begins, and is in no figure of the wire', async () => {
  const { info } = createClient({ url: venue.url });
  const asked = { symbol: 'btc', startTime: 0, endTime: Date.now(), variant: 'before' };
  const past = await info.cryptoPriceHistory(asked);
  expect([past.symbol, past.source]).toEqual(['BTC', 'simulated']);
  const [first, last] = [past.data[0]!, past.data.at(-1)!];
  expect(last.value).toBe('97000');
  expect(last.timestamp - first.timestamp).toBe(WEEK_MS);
  expect(await info.cryptoPriceHistory(asked)).toEqual(past);
  const span = { startTime: first.timestamp, endTime: Date.now() };
  expect(await info.candleSnapshot({ coin: '1', interval: '15m', ...span })).toEqual([]);
  expect((await info.cryptoPriceHistory({ ...asked, symbol: 'NOTHING' })).data).toEqual([]);
});

test('chart, lines and changes have something to stand beside from the first second, and say what', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/');
  const row = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => row.locator('svg polyline').count()).toBe(2);
  const change = row.getByTitle('Simulated history');
  expect(await change.innerText()).toMatch(/%$/);
  await visit.open('/trade/BTC-USDC');
  await page.getByTitle('Simulated history').waitFor();
  // Nobody has traded, and the chart is not empty.
  await page.getByText('Trades appear here in real time.').waitFor();
  const chart = page.getByRole('region', { name: 'Price chart' });
  await chart.locator('canvas').first().waitFor();
  await expect.poll(() => chart.getByText('No trades yet').count()).toBe(0);
  // The line says what it is, wherever it is.
  await chart.getByText('simulated history').waitFor();
  expect(await faultsFound(page)).toEqual([]);
});

test('a portfolio that has not moved stands beside it, until somebody does not want that or has traded', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount('/portfolio');
  const beside = page.getByRole('button', { name: 'BTC (simulated)', pressed: true });
  await beside.waitFor({ timeout: 60_000 });
  expect(await beside.getAttribute('title')).toContain('Simulated history, display only');
  const curve = page.getByRole('img', { name: /Equity/ });
  await curve.locator('canvas').waitFor();
  // Left of where the account begins: lines of the grid are at a few heights, the past is at many.
  const heights = (): Promise<number> =>
    curve.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { height, width } = canvas;
      const copy = new OffscreenCanvas(width, height);
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(canvas, 0, 0);
      const [across, down] = [Math.floor(width / 2), Math.floor(height * 0.8)];
      const { data } = context.getImageData(0, 0, across, down);
      const inked = new Set<number>();
      for (let at = 3; at < data.length; at += 4) {
        if (data[at]! > 200) inked.add(Math.floor(at / 4 / across));
      }
      return inked.size;
    });
  await expect.poll(heights, { timeout: 60_000 }).toBeGreaterThan(40);
  expect(await faultsFound(page)).toEqual([]);
  await beside.press('Enter');
  await page.waitForURL(/beside=no/);
  await expect.poll(heights, { timeout: 60_000 }).toBeLessThan(30);
  await page.getByRole('radio', { name: 'PnL' }).first().click();
  await page.getByRole('button', { name: 'BTC (simulated)', pressed: false }).press('Enter');
  await page.waitForURL(/beside=yes/);
  // Nothing of it is in the figures.
  await page.getByText('1,000.00').first().waitFor();
});
