import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { expectReadable } from './support/expect-readable.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { pageReady } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Opens the documentation site in a browser. Every visit also checks for console errors, violations
 * of the content security policy and requests to other hosts.
 */

const KILOBYTES_MAX = 100;
const SEED = freshSeed('PAGES_SEED');
const random = seededRandom(SEED);

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  await pageReady(`${venue.url}/docs`);
});
afterEach(() => browser.leaveAll());

async function openPage(path: string) {
  const { page } = await browser.visit(venue.url);
  await page.goto(venue.url + path);
  await page.locator('main h1').waitFor();
  return page;
}

test('the home screen and the trading screen link to the documentation, even on a phone', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  for (const path of ['/', '/trade/BTC-USDC']) {
    await visit.open(path);
    await page.getByRole('banner').getByRole('link', { name: 'Docs' }).click();
    await page.waitForURL(`${venue.url}/docs`);
    await page.locator('main h1').waitFor();
  }
  await page.setViewportSize({ ...PHONE });
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('button', { name: 'Settings' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Documentation' }).press('Enter');
  await page.waitForURL(`${venue.url}/docs`);
});

const LOOKS = [
  { theme: 'dark', size: DESKTOP },
  { theme: 'light', size: PHONE },
] as const;

/** These pages have every kind of content between them: cards, diagrams, tabs, tables and forms. */
const PAGES = ['/docs', '/docs/trade/orders', '/docs/exchange/order', '/docs/errors', '/docs/try'];

test.each(PAGES)('the page %s is accessible in both themes and fits on a phone', async (path) => {
  const page = await openPage(path);
  if (path === '/docs/try') await page.getByRole('button', { name: 'Send' }).waitFor();
  for (const look of LOOKS) await expectReadable(page, path, look);
});

test(`sampled pages are accessible, PAGES_SEED=${SEED}`, async () => {
  const text = await (await fetch(`${venue.url}/llms.txt`)).text();
  const all = [...text.matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, path]) => path!);
  const page = await openPage('/docs');
  for (const path of sampledCases(all, 4, random)) {
    await page.goto(venue.url + path);
    for (const look of sampledCases(LOOKS, 1, random)) await expectReadable(page, path, look);
  }
});

test('the search is opened, used and followed with the keyboard', async () => {
  const page = await openPage('/docs');
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('reduceonly');
  await page.getByRole('status').getByText('results').waitFor();
  await page.getByRole('searchbox').fill('l2Book');
  await page
    .getByRole('link', { name: /^l2Book/ })
    .first()
    .waitFor();
  await expectReadable(page, 'search', LOOKS[0]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/(?:info|streams)\/l2Book$/);
  await page.getByRole('heading', { level: 1, name: 'l2Book' }).waitFor();
});

test('the language chosen for samples applies to all pages', async () => {
  const page = await openPage('/docs/info/l2Book');
  const tab = (name: string) => page.getByRole('tab', { name });
  await tab('TypeScript').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('client.info.l2_book(').waitFor();
  await page.goto(`${venue.url}/docs/exchange/order`);
  await expect.poll(() => tab('Python').getAttribute('aria-selected')).toBe('true');
  await page.getByText('client.order(').waitFor();
});

test('the theme is shared with the trading page', async () => {
  const page = await openPage('/docs');
  const theme = () => page.evaluate(() => document.documentElement.dataset['theme']);
  const first = await theme();
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  const second = await theme();
  expect(new Set([first, second])).toEqual(new Set(['light', 'dark']));
  await page.goto(venue.url);
  await page.locator('main#screen > *').first().waitFor();
  expect(await theme()).toBe(second);
});

test('the page for trying requests queries this venue and follows its channels', async () => {
  const page = await openPage('/docs/try#l2Book');
  const answer = page.getByRole('region', { name: 'Answer' });
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => answer.textContent()).toContain('"coin": "BTC-USDC"');
  await page.getByLabel('Query or channel').selectOption('/ws:l2Book');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await expect.poll(() => answer.textContent()).toContain('"channel": "l2Book"');
});

test('the menu on a phone lists the sections', async () => {
  const page = await openPage('/docs/trade/orders');
  await page.setViewportSize({ ...PHONE });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'How margin works', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'How margin works' }).waitFor();
});

test(`a first page load takes at most ${KILOBYTES_MAX} kB`, async () => {
  const get = (path: string) =>
    fetch(venue.url + path, { headers: { accept: 'text/html', 'accept-encoding': 'gzip' } });
  const page = await get('/docs');
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)];
  const paths = new Set(files.map(([, path]) => path!));
  // These are the scripts, the styles and the font.
  expect(paths.size).toBe(4);
  const sizes = [page, ...(await Promise.all([...paths].map(get)))].map(({ headers }) =>
    Number(headers.get('content-length')),
  );
  expect(sizes.every((size) => size > 0)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThan(KILOBYTES_MAX);
});
