import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test('a page whose program is missing reports this, and loads automatically once the program is available', async () => {
  const visit = await browser.visit(venue.url, { expectedErrors: /429/ });
  const { page } = visit;
  let hasRefused = false;
  await page.route('**/assets/*.js', (route) => {
    if (hasRefused) return route.continue();
    return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, body: 'slow down' });
  });
  await page.goto(venue.url);
  const note = page.getByText('The page has not loaded completely.');
  await expect.poll(() => note.evaluate((it) => getComputedStyle(it).opacity)).not.toBe('0');
  expect(await page.getByRole('link', { name: 'reload it now' }).count()).toBe(1);
  hasRefused = true;
  await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  expect(await note.count()).toBe(0);
});

test('a program that arrives late is not loaded again', async () => {
  const visit = await browser.visit(venue.url, { locale: 'de-DE' });
  const { page } = visit;
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/assets/de-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.clock.install();
  // The German texts are loaded after the check for a missing program.
  await page.goto(venue.url);
  await page.clock.fastForward(2_500);
  expect(await page.locator('.late').count()).toBe(1);
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
  answer();
  await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  await page.clock.fastForward(10_000);
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true);
});

test('a table that is still loading looks different from an empty table', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/info', async (route) => {
    if (route.request().postData()?.includes('approvedAgents') === true) await held;
    await route.continue();
  });
  await visit.openWithAccount('/account?tab=keys');
  const agents = page.getByRole('group', { name: 'Agents' });
  await agents.getByRole('status').getByText('Loading').waitFor({ state: 'attached' });
  expect(await page.getByText('No approved agents').count()).toBe(0);
  answer();
  await page.getByRole('row', { name: /this browser/ }).waitFor();
  expect(await agents.getByRole('status').count()).toBe(0);
});

test.each([
  ['/nowhere', 'Page not found'],
  ['/portfolio', 'No account connected'],
  ['/account', 'No account connected'],
  ['/builder', 'No account connected'],
  ['/trade/NOTHING', 'NOTHING'],
  ['/events/nothing', 'event'],
  ['/series/nothing', 'series'],
])('the address %s without content has one heading that names its state', async (path, words) => {
  const visit = await browser.visit(venue.url, { expectedErrors: /404/ });
  await visit.open(path);
  const { page } = visit;
  await page.getByRole('heading', { level: 1 }).filter({ hasText: words }).waitFor();
  expect(await page.locator('h1').count()).toBe(1);
  await expectReadableForm(page, path);
});
