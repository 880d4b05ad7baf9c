import { freePorts } from '@oddlot/testing/host';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** Starts an installed page with and without its venue. */

const EXPECTED = /ERR_|WebSocket|Failed to (?:load|fetch)|service worker|503/;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  const flags = ['--oracle', 'still', '--no-limits', '--no-bots', '--web'];
  const port = String(await freePorts(1));
  [venue, browser] = await Promise.all([
    startWebVenue([...flags, '--port', port]),
    workerBrowser(),
  ]);
});
afterEach(() => browser.leaveAll());
afterAll(() => venue.remove());

/** Waits until the worker intercepts the page's requests. */
async function installed(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (navigator.serviceWorker.controller === null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

test('an installed page starts without its venue, shows no outdated price, reports the problem, and resumes when the venue answers', async () => {
  const visit = await browser.visit(venue.url, { hasWorker: true, expectedErrors: EXPECTED });
  const { page } = visit;
  await visit.open('/');
  const row = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => row.innerText()).toContain('97,000');
  await installed(page);
  // During the reload, the worker stores all of the screen's files.
  await page.reload();
  await expect.poll(() => row.innerText()).toContain('97,000');

  await venue.kill();
  await page.reload();
  await page.getByRole('heading', { name: 'Perpetuals' }).waitFor();
  await page.getByText('The venue does not answer. Prices and balances appear').waitFor();
  expect(await page.locator('main').innerText()).not.toContain('97,000');

  await page.context().setOffline(true);
  await page.getByText('You are offline. Prices and balances appear').waitFor();
  await page.context().setOffline(false);
  await venue.startAgain();
  await expect.poll(() => row.innerText(), { timeout: 30_000 }).toContain('97,000');
  await page.getByText('The venue does not answer').waitFor({ state: 'detached' });
});

test('a page with a worker has no preloads, which Chromium would report as unused', async () => {
  // After its start, the venue first checks whether its page is current.
  const served = async (): Promise<string> => (await fetch(venue.url)).text();
  await expect.poll(served, { timeout: 30_000 }).toContain('rel="modulepreload"');
  const visit = await browser.visit(venue.url, { hasWorker: true });
  const { page } = visit;
  const first = await page.goto(venue.url);
  expect(await first!.text()).toContain('rel="modulepreload"');
  await installed(page);
  for (const path of ['/', '/trade/BTC-USDC']) {
    const answer = await page.goto(venue.url + path);
    expect([path, answer!.fromServiceWorker()]).toEqual([path, true]);
    const text = await answer!.text();
    expect(text).toContain('<script type="module"');
    expect(text).not.toContain('rel="modulepreload"');
    await page.locator('main#screen > *').first().waitFor();
  }
});

test("the worker stores only the program and none of the venue's responses", async () => {
  const visit = await browser.visit(venue.url, { hasWorker: true, expectedErrors: EXPECTED });
  const { page } = visit;
  await visit.open('/');
  await installed(page);
  await page.reload();
  await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return keys.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain('/');
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
});
