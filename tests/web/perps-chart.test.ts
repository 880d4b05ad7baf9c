import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { button } from './support/terminal.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** The chart as somebody sets it up: intervals, indicators, and a picture to take along. */

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, 120_000);
afterEach(() => browser.leaveAll());

test('any interval of the venue is a press away and kept, indicators are drawn in panes, and a picture is saved', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByText(/^O [\d,]/).waitFor();
  const asked = (interval: string): boolean =>
    visit.sent.some(({ body }) => body.includes('"candle') && body.includes(`"${interval}"`));
  for (const interval of ['3m', '1w']) {
    await button(page, 'More intervals').press('Enter');
    await page.getByRole('menuitemradio', { name: interval, exact: true }).press('Enter');
    await page.getByRole('radio', { name: interval, checked: true }).waitFor();
    await expect.poll(() => asked(interval)).toBe(true);
  }
  const before = await panes(page);
  for (const name of ['Moving average (20)', 'Relative strength (RSI 14)', 'MACD (12, 26, 9)']) {
    await button(page, 'Indicators').click();
    await page.getByRole('menuitemcheckbox', { name }).click();
  }
  await expect.poll(() => panes(page)).toBe(before + 2);
  expect(await faultsFound(page)).toEqual([]);
  await page.reload();
  await page.getByRole('radio', { name: '1w', checked: true }).waitFor();
  await expect.poll(() => panes(page)).toBe(before + 2);
  await button(page, 'Indicators').click();
  await page.getByRole('menuitemcheckbox', { name: 'MACD', checked: true }).click();
  await expect.poll(() => panes(page)).toBe(before + 1);

  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Picture').click(),
  ]);
  expect(picture.suggestedFilename()).toBe('BTC-USDC 1w.png');
  const bytes = readFileSync(await picture.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});

/** How many places for series there are over each other. */
async function panes(page: Page): Promise<number> {
  const chart = page.getByRole('img', { name: 'Price chart' });
  return chart
    .locator('table tr')
    .evaluateAll((rows) => rows.filter((row) => row.querySelectorAll('canvas').length > 2).length);
}
