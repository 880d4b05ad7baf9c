import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { HeldSeries, PERIOD_MS } from './support/held-series.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';

let series: HeldSeries;
let browser: WebBrowser;

beforeAll(async () => {
  [series, browser] = await Promise.all([HeldSeries.start(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await series?.remove();
});

/** Returns the current market's price to beat. */
const toBeat = (page: Page, price: string) =>
  page.locator('dt', { hasText: 'Price to beat' }).locator('xpath=..').getByText(price);

test('R-series: an open page follows a market from before its start to its resolution, and on to the next market', async () => {
  const { firstStartMs, people, slug, venue } = series;
  const visit = await browser.visit(venue.url);
  await visit.open(`/series/${slug}`);
  const { page } = visit;
  await page.getByText('Starts in').waitFor();
  await page.getByText(/^Opens in .* Orders are accepted once it is open/).waitFor();
  await page.getByText('No results yet').waitFor();
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByRole('button', { name: 'Buy Up', exact: true }).waitFor();

  await series.priceBefore(firstStartMs, '100');
  // The venue accepts observations up to five seconds late.
  series.passTo(firstStartMs + 6_000);
  await toBeat(page, '100.00').waitFor();
  const { current } = await people.deployer.info.outcomeSeriesTimeline({ seriesSlug: slug });
  expect(current).toMatchObject({ startTime: firstStartMs, openPrice: '100' });
  const market = { id: current!.instrumentId };
  await people.quote(market);
  // The page synchronises with the venue's clock periodically, and whenever the user returns to the
  // page.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('radio', { name: 'Up 46¢' }).waitFor();
  await page.getByLabel('Amount').fill('10');
  await page.getByRole('button', { name: /^Transfer .* USDC$/ }).click();
  await page.getByRole('button', { name: /^Buy [\d.]+ Up for 9\.\d\d$/ }).click();
  await page.getByText(/shares at 46\.0¢/).waitFor();

  await series.priceBefore(firstStartMs + PERIOD_MS, '101');
  series.passTo(firstStartMs + PERIOD_MS + 6_000);
  const dot = page.getByRole('button', { name: /: Up$/ });
  await dot.click();
  const receipt = page.getByRole('dialog');
  await receipt.getByRole('heading', { name: 'Up won' }).waitFor();
  await receipt.getByText('30 + 30').waitFor();
  await receipt.getByText(/^paid \d+\.\d\d USDC$/).waitFor();
  await receipt.getByText(`--instrument ${market.id}`).waitFor();
  await receipt.getByRole('button', { name: 'Verify in browser' }).click();
  for (const checked of ['Price to beat', 'Final price', 'Payout', 'Winner', 'Record hash']) {
    await receipt.getByText(`${checked} matches`).waitFor();
  }
  await receipt.getByText('Payout per Up share').waitFor();
  await receipt.getByText('101.00', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  // The next market appears on the same screen. Its price to beat is the previous market's final
  // price.
  await toBeat(page, '101.00').waitFor();
  await page.getByRole('region', { name: 'Your shares' }).waitFor({ state: 'detached' });
  // The previous market's payout stays visible.
  const payout = page.getByRole('region', { name: 'Your payout' });
  await payout.getByText(/^[\d.]+ Up shares paid out \d+\.\d\d USDC$/).waitFor();
});

test('the chart of a price event shows its shares or its underlying, and the choice is stored', async () => {
  const { people, slug, venue } = series;
  const { items } = await people.deployer.info.outcomeSeriesTimeline({ seriesSlug: slug });
  const visit = await browser.visit(venue.url);
  await visit.open(`/events/${items.at(-1)!.eventSlug}`);
  const { page } = visit;
  const chance = page.getByRole('region', { name: 'Chance over time' });
  const reference = page.getByRole('region', { name: 'Reference price' });
  await chance.waitFor();
  await page.getByRole('radio', { name: 'Up price' }).press('ArrowRight');
  await reference.waitFor();
  expect(await chance.count()).toBe(0);
  await page.reload();
  await reference.waitFor();
  await page.getByRole('radio', { name: 'TIDE price', checked: true }).waitFor();
  await visit.open(`/series/${slug}`);
  await page.getByRole('radio', { name: 'TIDE price', checked: true }).press('ArrowLeft');
  await chance.waitFor();
});

test('R-series: a market that has no prices before its start shows no price to beat', async () => {
  const { firstStartMs, people, slug, venue } = series;
  const startMs = firstStartMs + 2 * PERIOD_MS;
  const visit = await browser.visit(venue.url);
  await visit.open(`/series/${slug}`);
  const { page } = visit;
  // The test pushes no further prices. One second after the start, the price to beat is not due
  // yet.
  series.passTo(startMs + 1_000);
  await toBeat(page, 'none').waitFor();
  await page.getByText('No price to beat: too few prices before the start').waitFor();
  const ticket = page.getByRole('region', { name: 'Order ticket' });
  await ticket
    .getByRole('alert')
    .getByText(/^No price to beat: too few prices before .* The operator/)
    .waitFor();
  await page.getByText('Resolved by the operator with evidence.').waitFor();
  const timeline = () => people.deployer.info.outcomeSeriesTimeline({ seriesSlug: slug });
  const { current } = await timeline();
  expect(current).toMatchObject({ startTime: startMs, strikeStatus: 'missing' });
  await visit.open('/');
  await page.getByText('No price to beat: resolved by the operator').first().waitFor();

  // The previous market had a price to beat but no final price. This market has neither.
  await visit.open(`/series/${slug}`);
  series.passTo(startMs + PERIOD_MS + 6_000);
  await page
    .getByRole('button', { name: /: resolved by the operator$/ })
    .nth(1)
    .waitFor();
  await people.decide({ id: current!.instrumentId }, '0.5', 'there was no price');
  const dot = page.getByRole('button', { name: /: neither; Up paid 0.5$/ });
  await dot.click();
  const receipt = page.getByRole('dialog');
  await receipt.getByRole('heading', { name: 'Up paid 0.5 USDC' }).waitFor();
  await receipt.getByText('No price to beat: too few prices before the start').waitFor();
  await receipt.getByText('there was no price').waitFor();
});
