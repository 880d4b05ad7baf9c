import { createClient, createReader } from '@oddlot/sdk';
import { freePorts } from '@oddlot/testing/host';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';
import type { Venue } from '../support/venue-process.ts';
import { openTestAccount } from './support/test-account.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * When a replica stops, its page continues on another replica, without a reload and without losing
 * or duplicating rows.
 */

const LONG_MS = 240_000;
const nats = withNatsServer();
let replicas: Venue[] = [];
let browser: WebBrowser;

async function startReplica(name: string): Promise<Venue> {
  const port = String(await freePorts(1));
  const cluster = ['--log', nats.urls[0]!, '--cluster', 'page', '--stream-replicas', '1'];
  const own = ['--replica', name, '--port', port, '--public-url', `http://127.0.0.1:${port}`];
  const calm = ['--oracle', 'still', '--no-bots', '--no-exhibition', '--no-limits', '--web'];
  return startWebVenue([...cluster, ...own, ...calm]);
}

beforeAll(async () => {
  if (!hasNatsServer) return;
  replicas = [await startReplica('a'), await startReplica('b')];
  browser = await workerBrowser();
}, LONG_MS);
afterEach(() => browser?.leaveAll());
afterAll(async () => {
  for (const each of replicas) await each.remove();
});

describe.skipIf(!hasNatsServer)('a page whose replica stops', () => {
  test(
    'the page continues on another replica of the venue and shows which one',
    async () => {
      const [a, b] = replicas as [Venue, Venue];
      const { info } = createReader({ url: a.url });
      await expect
        .poll(async () => (await info.settings()).replicas?.length, { timeout: 60_000 })
        .toBe(2);
      const visit = await browser.visit(a.url, {
        expectedErrors: /ERR_|WebSocket|Failed to load|Failed to fetch|another host/,
      });
      const account = await openTestAccount(visit.page, a.url);
      // The trades are sent to the other replica, which keeps running.
      const owner = createClient({ url: b.url, wallet: account.owner.wallet! });
      const maker = await trader(b.url, 'maker of another replica');
      const perp = await perpNear(maker, 'BTC-USDC');
      const trade = () => tradeBetween(maker, owner, { ...perp, size: '0.01' });
      const page = await visit.page.context().newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(`${a.url}/trade/BTC-USDC?tab=fills`);
      await page.locator('main#screen > *').first().waitFor();
      await trade();
      await fillsAre(page, 1);
      await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
      // Waits for the code that the page loads when idle, because a stopped replica could no longer
      // serve it.
      const hasLater = () =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/overlays-'));
      await expect.poll(() => page.evaluate(hasLater), { timeout: 60_000 }).toBe(true);
      await a.kill();
      await trade();
      await fillsAre(page, 2);
      await page.getByText(new URL(b.url).host).waitFor();
      await trade();
      await fillsAre(page, 3);
      expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true);
    },
    LONG_MS,
  );
});

async function fillsAre(page: Page, count: number): Promise<void> {
  const rows = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(count);
}
