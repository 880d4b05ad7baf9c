import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  // The page must find the venue again where it was.
  const flags = [
    '--port',
    String(await freePort()),
    '--oracle',
    'simulated',
    '--no-limits',
    '--web',
  ];
  [venue, browser] = await Promise.all([startWebVenue(flags), WebBrowser.start()]);
}, 90_000);
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await browser?.close();
  await venue?.remove();
});

test('a venue that is killed and comes back is found again: a banner meanwhile, no reload, live prices', async () => {
  const visit = await browser.visit(venue.url, { expectedErrors: /ERR_|WebSocket|Failed to load/ });
  const { page } = visit;
  await visit.open();
  const price = page
    .getByRole('row', { name: /BTC-USDC/ })
    .getByRole('cell')
    .nth(1);
  await expect.poll(() => price.innerText()).toMatch(/^\d/);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

  await venue.kill();
  const banner = page.getByText(/Connection lost \d+ s ago/);
  await banner.waitFor();
  const shown = await price.innerText();
  expect(shown).toMatch(/^\d/);

  await venue.startAgain();
  await banner.waitFor({ state: 'detached' });
  await expect.poll(() => price.innerText(), { timeout: 10_000 }).not.toBe(shown);
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  expect(await page.getByRole('row', { name: /-USDC/ }).count()).toBe(3);
}, 60_000);

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
