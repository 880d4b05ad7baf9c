import { limitOrder, type Client } from '@oddlot/sdk';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DEPLOYER } from '../support/deployer.ts';
import { freePorts } from '@oddlot/testing/host';
import type { Venue } from '../support/venue-process.ts';
import { OutcomePeople, type Listed } from './support/outcome-people.ts';
import { button, choose, size } from './support/terminal.ts';
import { openTestAccount } from './support/test-account.ts';
import { perpNear, tradeBetween, trader, type Perp } from './support/trading.ts';
import type { Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { pageReady, startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * Tests the screens while the venue or the network is down or requests are being limited, and after
 * recovery.
 */

const LONG_MS = 120_000;
/** Long enough for the page to query an order's status several times. */
const DOWN_MS = 3_000;
const FLAGS = ['--oracle', 'still', '--no-bots', '--web', '--deployers', DEPLOYER];

let port: string;
let venue: Venue;
let browser: WebBrowser;
let market: Listed;

beforeAll(async () => {
  // The venue must restart on the same port, so that the page finds it again.
  port = String(await freePorts(1));
  const flags = [...FLAGS, '--no-limits', '--port', port];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
  market = await new OutcomePeople(venue.url).market();
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

test(
  'every screen reconnects to a restarted venue without a reload and without losing or duplicating rows',
  async () => {
    const { visit, trade } = await tradingVisit('killed');
    const [markets, terminal, event, portfolio] = await Promise.all(
      ['/', '/trade/BTC-USDC?tab=fills', `/events/${market.eventSlug}`, '/portfolio?tab=fills'].map(
        (path) => tabAt(visit, path),
      ),
    );
    const all = [markets!, terminal!, event!, portfolio!];
    await trade();
    await fillsAre(terminal!, 1);
    await fillsAre(portfolio!, 1);
    const traded = markets!.getByRole('row', { name: /BTC-USDC/ });
    await expect.poll(() => traded.innerText()).toMatch(/970/);
    for (const page of all) await page.evaluate(() => Object.assign(globalThis, { isSame: true }));

    await venue.kill();
    for (const page of all) {
      await page.getByText(/^Connection lost. Data as of \d\d:\d\d:\d\d/).waitFor();
      // The message counts down to the next attempt and shows when the attempt begins.
      await page.getByText(/^Reconnecting(?: in \d s|…)$/).waitFor();
    }
    expect(await terminal!.getByRole('row', { name: /BTC-USDC/ }).count()).toBe(1);

    await venue.startAgain();
    for (const page of all) await waitForNoBanner(page);
    await trade();
    await fillsAre(terminal!, 2);
    await fillsAre(portfolio!, 2);
    await expect.poll(() => traded.innerText()).toMatch(/1\.9\sK/);
    expect(await markets!.getByRole('row', { name: /-USDC/ }).count()).toBe(3);
    await new OutcomePeople(venue.url).quote(market);
    await event!
      .getByText(/46\.?0?¢/)
      .first()
      .waitFor();
    for (const page of all) expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true);
  },
  LONG_MS,
);

test.each([
  ['after', async (route: Route) => void (await route.fetch())],
  ['before', async () => undefined],
] as const)(
  'an order is reported as the venue executed it if the venue is killed %s it receives the order',
  async (when, arrive) => {
    const { maker, owner, visit } = await tradingVisit(`killed ${when}`);
    const { page } = visit;
    const { asset } = await perpNear(maker, 'BTC-USDC');
    const offer = limitOrder({ asset, side: 'sell', price: '97000', size: '0.01' });
    await maker.exchange.order({ orders: [offer] }, { confirm: 'executed' });
    await visit.open('/trade/BTC-USDC');
    await choose(page, 'Market');
    await size(page).fill('0.01');
    await page.evaluate(recordOutcomes);
    await page.route(
      '**/exchange',
      async (route) => {
        await arrive(route);
        await venue.kill();
        await route.abort();
      },
      { times: 1 },
    );
    await button(page, 'Buy 0.01 BTC at market').click();
    await page.getByText(/^Response lost/).waitFor();
    await page.waitForTimeout(DOWN_MS);
    expect(await page.evaluate(outcomes)).toEqual([]);
    await venue.startAgain();
    await expect.poll(() => page.evaluate(outcomes), { timeout: LONG_MS }).toHaveLength(1);
    const [told] = await page.evaluate(outcomes);
    const { assetPositions } = await owner.info.clearinghouseState({ user: owner.wallet!.address });
    const bought = assetPositions.length > 0;
    expect(told).toBe(bought ? 'Filled 0.01 at 97,000.0' : 'Request expired and was not executed');
    if (when === 'after') expect(bought).toBe(true);
  },
  LONG_MS,
);

test('a page that could not query its account opens it once the venue responds', async () => {
  const visit = await browser.visit(venue.url, { expectedErrors: /ERR_FAILED|Failed to load/ });
  const { page } = visit;
  let isRefusing = true;
  let refused = 0;
  await page.route('**/info', (route) => {
    if (!isRefusing || route.request().postData()?.includes('"agentOwner"') !== true) {
      return route.continue();
    }
    refused += 1;
    return route.abort();
  });
  const { address } = await visit.openWithAccount('/');
  await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Connect' }).waitFor();
  isRefusing = false;
  await page.getByRole('button', { name: new RegExp(address.slice(0, 6), 'i') }).waitFor();
});

test(
  'the page reports that the network is down and shows the missed events after recovery',
  async () => {
    const { visit, trade } = await tradingVisit('offline');
    const page = await tabAt(visit, '/trade/BTC-USDC?tab=fills');
    await trade();
    await fillsAre(page, 1);
    await page.context().setOffline(true);
    await page.getByText(/^You are offline\. Data as of/).waitFor();
    await trade();
    expect(await page.getByRole('row', { name: /BTC-USDC/ }).count()).toBe(1);
    await page.context().setOffline(false);
    await waitForNoBanner(page);
    await fillsAre(page, 2);
  },
  LONG_MS,
);

test(
  'the page waits for a rate-limiting venue, shows a single message, and then shows all data',
  async () => {
    await venue.stop();
    await venue.startAgain([...FLAGS, '--port', port, '--info-per-second', '3']);
    await pageReady(venue.url);
    const visit = await browser.visit(venue.url, { expectedErrors: /429/ });
    await visit.open('/');
    const { page } = visit;
    await page.getByText('Rate limit reached.').waitFor();
    await page.getByText(/^Resuming in \d+ s$/).waitFor();
    await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
    await page.getByRole('button', { name: 'Trade with a test account' }).waitFor();
    await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
    // A proxy may limit requests with a message of its choosing. This is not a lost connection
    // either.
    const headers = { 'retry-after': '1', 'content-type': 'application/json' };
    const body = '{"success":false,"code":429,"message":"slow down"}';
    await page.route('**/info', (route) => route.fulfill({ status: 429, headers, body }));
    await Promise.all([
      page.waitForResponse(
        (reply) =>
          reply.status() === 429 && reply.request().postData()?.includes('stateHash') === true,
      ),
      page.evaluate(() => dispatchEvent(new Event('online'))),
    ]);
    await page.waitForTimeout(1_500);
    expect(await page.getByText(/^Connection lost/).count()).toBe(0);
  },
  LONG_MS,
);

type Recording = typeof globalThis & { outcomes?: Set<string> };

/** Runs in the page and records every text that states the outcome of an order. */
function recordOutcomes(): void {
  const found = new Set<string>();
  Object.assign(globalThis, { outcomes: found });
  const look = (): void => {
    const ticket = document.querySelector('#ticket')?.textContent ?? '';
    for (const [text] of ticket.matchAll(
      // The preview of the next order says "No fill at current prices" if the book is empty.
      /No fill(?! at)|Request expired[a-z ]+|Filled [\d.]+ at [\d.,]+\d/g,
    )) {
      found.add(text);
    }
  };
  new MutationObserver(look).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

function outcomes(): readonly string[] {
  return [...((globalThis as Recording).outcomes ?? [])];
}

/** Opens the page with a test account that trades against another account through the SDK. */
async function tradingVisit(
  name: string,
): Promise<{ maker: Client; owner: Client; visit: Visit; trade: () => Promise<void> }> {
  const visit = await browser.visit(venue.url, {
    expectedErrors: /ERR_|WebSocket|Failed to load|Failed to fetch/,
  });
  const { owner } = await openTestAccount(visit.page, venue.url);
  const maker = await trader(venue.url, `maker of ${name}`);
  const perp = await perpNear(maker, 'BTC-USDC');
  return { maker, owner, visit, trade: () => once(maker, owner, perp) };
}

async function once(maker: Client, owner: Client, perp: Perp): Promise<void> {
  await tradeBetween(maker, owner, { ...perp, size: '0.01' });
}

/** Opens another tab for the same visitor. */
async function tabAt({ page, url }: Visit, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  tab.setDefaultTimeout(60_000);
  await tab.goto(url + path);
  await tab.locator('main#screen > *').first().waitFor();
  return tab;
}

async function fillsAre(page: Page, count: number): Promise<void> {
  const rows = page.getByRole('row', { name: /BTC-USDC/ });
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(count);
}

async function waitForNoBanner(page: Page): Promise<void> {
  await page.getByText(/Data as of/).waitFor({ state: 'detached' });
}
