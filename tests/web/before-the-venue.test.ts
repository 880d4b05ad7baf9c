import { createClient } from '@oddlot/sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { quoteMarket } from './support/market-maker.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** A new venue without trades shows simulated history, which is not included in any figure. */

const WEEK_MS = 7 * 86_400_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  const flags = ['--oracle', 'simulated', '--no-bots', '--no-limits', '--web'];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
});
afterAll(() => venue.stop());
afterEach(() => browser.leaveAll());

test('simulated history is labelled, ends when the venue starts, and does not affect any figure in the API', async () => {
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

test('charts and price changes include no simulated history, and the chart shows it only on request', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/');
  const row = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => row.getByText('–', { exact: true }).count()).toBeGreaterThan(0);
  expect(await row.locator('svg polyline').count()).toBe(0);
  await visit.open('/trade/BTC-USDC');
  const chart = page.getByRole('region', { name: 'Price chart' });
  await chart.getByText('No trades yet').waitFor();
  expect(await chart.getByText('simulated history').count()).toBe(0);
  const showPast = async (): Promise<void> => {
    await chart.getByRole('button', { name: 'More tools' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Simulated history' }).press('Enter');
  };
  await showPast();
  await chart.getByText('simulated history').waitFor();
  await expect.poll(() => chart.getByText('No trades yet').count()).toBe(0);
  expect(await faultsFound(page)).toEqual([]);
  await showPast();
  await chart.getByText('No trades yet').waitFor();
});

test("a young market's price change is measured from its first trade, and the page says so", async () => {
  await quoteMarket(venue.url, { market: 'SOL-USDC', bids: [], asks: ['150'], size: '1' });
  await quoteMarket(venue.url, { market: 'SOL-USDC', bids: ['150'], asks: [], size: '1' });
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/SOL-USDC');
  await page.getByText('Since start', { exact: true }).waitFor();
  await visit.open('/');
  await page
    .getByRole('row', { name: /SOL-USDC/ })
    .getByText('since start')
    .waitFor();
});
