import { createClient } from '@oddlot/sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * A venue that has just started without trades shows simulated history, which is not included in
 * any figure.
 */

const WEEK_MS = 7 * 86_400_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  const flags = ['--oracle', 'simulated', '--no-bots', '--no-limits', '--web'];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
});
afterAll(() => venue.stop());
afterEach(() => browser.leaveAll());

test("simulated history is labelled, ends at the venue's start, and is in no figure of the API", async () => {
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

test('charts and price changes show labelled reference data from the first second', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/');
  const row = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => row.locator('svg polyline').count()).toBe(2);
  const change = row.getByTitle('Simulated history');
  expect(await change.innerText()).toMatch(/%$/);
  await visit.open('/trade/BTC-USDC');
  await page.getByTitle('Simulated history').waitFor();
  // There are no trades, but the chart is not empty.
  await page.getByText('Trades appear here in real time.').waitFor();
  const chart = page.getByRole('region', { name: 'Price chart' });
  await chart.locator('canvas').first().waitFor();
  await expect.poll(() => chart.getByText('No trades yet').count()).toBe(0);
  // The line is labelled as simulated everywhere.
  await chart.getByText('simulated history').waitFor();
  expect(await faultsFound(page)).toEqual([]);
});
