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
