import { createClient, privateKeyWallet, randomPrivateKey } from '@oddlot/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEPLOYER } from '../support/deployer.ts';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { storedKeys } from './support/stored-keys.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

let venue: Venue;
let browser: WebBrowser;
/** The first reference price arrives on a separate socket. */
const PATIENCE = { timeout: 60_000 };
/**
 * R-series: a venue that starts just before a quarter hour lists the first market of a series at
 * that time.
 */
const LISTED_IN = { timeout: 70_000 };

beforeAll(async () => {
  // Prices move and bots trade, so that all the displayed data changes.
  [venue, browser] = await Promise.all([
    startWebVenue(['--oracle', 'simulated', '--no-limits', '--web', '--deployers', DEPLOYER]),
    workerBrowser(),
  ]);
  // The bots' events depend on the time of day.
  const people = new OutcomePeople(venue.url);
  const slug = await people.event({ title: 'Does the tide turn?' });
  await people.market({}, slug);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

describe('the markets screen shows everything that can be traded', () => {
  test('the markets screen lists every perp with a live price, and the open events', async () => {
    const { open, page } = await visiting();
    await open();
    const row = page.getByRole('row', { name: /BTC-USDC/ });
    await row.waitFor();
    expect(await page.getByRole('row', { name: /-USDC/ }).count()).toBe(3);
    const price = row.getByRole('cell').nth(1);
    await expect.poll(() => price.innerText()).toMatch(/^\d{2},\d{3}\.\d$/);
    const first = await price.innerText();
    await expect.poll(() => price.innerText(), { timeout: 60_000 }).not.toBe(first);
    await page.getByRole('heading', { name: 'Does the tide turn?', level: 3 }).waitFor();
    await page.getByRole('heading', { name: 'Ending soon' }).waitFor();
  });

  test('a new venue shows series, events and the next markets', async () => {
    const { open, page } = await visiting();
    await open();
    const series = page.getByRole('region', { name: 'Recurring' });
    for (const name of ['BTC up or down in 15 minutes', 'ETH up or down in an hour']) {
      const card = series.getByRole('listitem').filter({ hasText: name });
      await card.waitFor(LISTED_IN);
      await expect.poll(() => card.innerText(), PATIENCE).toMatch(/(?:starts|ends) in\s+[0-9:]+/);
      // The card shows the live price next to the price to beat, or the time at which that price
      // will be known.
      await expect.poll(() => card.innerText(), PATIENCE).toMatch(/\d,\d{3}\.\d{2}/);
      expect(await card.innerText()).toContain('Price to beat');
    }
    const events = page.getByRole('region', { name: 'Events' });
    for (const title of [/Weather in Demo City/, /Demo Grand Prix/, /Demo Coin/, /Demo election/]) {
      await events.getByRole('heading', { name: title, level: 3 }).first().waitFor();
    }
    // The cards show probabilities, and their buttons show the prices of the shares on offer. A
    // card shows only the likeliest outcomes of its event, which differ from venue to venue.
    expect(await events.innerText()).toMatch(/\d+\s*%/);
    await events
      .getByRole('button', { name: /^(?:Atlas Racing|Comet|Dune GP|Another): Yes [\d.]+¢$/ })
      .first()
      .waitFor();
    // Series have their own cards.
    expect(await events.getByRole('heading', { name: /up or down/ }).count()).toBe(0);
    await page
      .getByRole('region', { name: 'Opening soon' })
      .getByRole('listitem')
      .first()
      .waitFor();
    await series.getByRole('link', { name: 'BTC up or down in 15 minutes' }).click();
    await page.waitForURL(/\/series\/btc-up-or-down-15m/);
    await page.getByText('Price to beat').first().waitFor();
  }, 180_000);

  test.each([
    ['a desk', DESKTOP],
    ['a phone', PHONE],
  ])('loading the markets screen on %s causes no layout shift', async (_, viewport) => {
    const script = `{
      const shifts = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifts.push(value);
      }).observe({ type: 'layout-shift', buffered: true });
    }`;
    const visit = await browser.visit(venue.url, { script, viewport });
    const { page } = visit;
    await visit.open();
    await page.getByRole('region', { name: 'Opening soon' }).waitFor();
    await page.getByRole('heading', { name: 'Ending soon' }).waitFor();
    const shifts = await page.evaluate(() => (globalThis as { shifts?: number[] }).shifts!);
    expect(shifts.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.05);
  });

  test('a slow first connection is not reported as a lost connection', async () => {
    const script = `{
      globalThis.lost = 0;
      const isLost = () => document.documentElement.hasAttribute('data-stale');
      new MutationObserver(() => (globalThis.lost += isLost() ? 1 : 0))
        .observe(document, { attributeFilter: ['data-stale'], subtree: true });
    }`;
    const visit = await browser.visit(venue.url, { script, expectedErrors: /404/ });
    const { page } = visit;
    // Each socket is answered only after the longest time that an established connection may stay
    // silent.
    await page.routeWebSocket(/\/(?:api-)?ws/, async (socket) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      socket.connectToServer();
    });
    // This screen has no streams, but the venue answers.
    await visit.open('/nowhere');
    await page.getByText(/\d ms/).first().waitFor();
    await page.getByRole('main').getByRole('link').first().click();
    const row = page.getByRole('row', { name: /BTC-USDC/ });
    const price = row.getByRole('cell').nth(1);
    await expect.poll(() => price.innerText()).toMatch(/^\d{2},\d{3}\.\d$/);
    const first = await price.innerText();
    await expect.poll(() => price.innerText(), PATIENCE).not.toBe(first);
    expect(await page.evaluate(() => (globalThis as { lost?: number }).lost)).toBe(0);
  });

  test('the code for dialogs is loaded when the pointer moves towards a button', async () => {
    // Here the page never becomes idle, even on a fast machine.
    const script = `{
      const later = globalThis.setTimeout;
      globalThis.setTimeout = (act, ms, ...rest) => later(act, ms === 30_000 ? 2 ** 30 : ms, ...rest);
    }`;
    const visit = await browser.visit(venue.url, { script });
    const { page } = visit;
    const menus = (): number => visit.sent.filter(({ url }) => url.includes('/overlays-')).length;
    await visit.open();
    const row = page.getByRole('row', { name: /BTC-USDC/ });
    await row.waitFor();
    expect(menus()).toBe(0);
    await row.getByRole('link').hover();
    await expect.poll(menus, { timeout: 60_000 }).toBe(1);
  });

  test('one table shows the funding of all perps and can be used with the keyboard', async () => {
    const { open, page } = await visiting();
    await open('/');
    const opener = page.getByRole('button', { name: 'All funding rates' });
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
    await opener.press('Enter');
    const table = page.getByRole('group', { name: 'All funding rates' });
    for (const name of ['BTC-USDC', 'ETH-USDC', 'SOL-USDC']) {
      // No hour has ended, so the table shows the rate but no past payments.
      await table.getByRole('row', { name: new RegExp(`${name} .*%`) }).waitFor();
    }
    await expectReadableForm(page, 'funding of all perps');
  });

  test('the address includes the search, so that a link shows the same results', async () => {
    const { open, page } = await visiting();
    await open('/?q=eth');
    await page.getByRole('row', { name: /ETH-USDC/ }).waitFor();
    expect(await page.getByRole('row', { name: /-USDC/ }).count()).toBe(1);
    expect(await page.title()).toBe('Markets · Oddlot');
    await page.keyboard.press('/');
    expect(await page.getByRole('searchbox').evaluate((it) => it === document.activeElement)).toBe(
      true,
    );
    await page.getByRole('searchbox').fill('nothing is called so');
    await page.getByText('No markets found').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('nothing is called so');
    const lit = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]');
    expect(await lit.filter({ visible: true }).allTextContents()).toEqual(['Markets']);
    await open('/trade/ETH-USDC');
    await expect.poll(() => lit.filter({ visible: true }).allTextContents()).toEqual(['Trade']);
  });

  test('the page reports an unknown address and offers a way back', async () => {
    const visit = await browser.visit(venue.url, { expectedErrors: /404/ });
    const { page } = visit;
    const [reply] = await Promise.all([
      page.waitForResponse(/such/),
      visit.open('/no/such/screen'),
    ]);
    expect(reply.status()).toBe(404);
    await page.getByText('Page not found').waitFor();
    await page.getByRole('link', { name: 'Go to markets' }).click();
    await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  });

  test('on a phone the navigation is at the bottom, and no content is wider than the screen', async () => {
    const { open, page } = await visiting(PHONE);
    await open();
    await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.getByRole('navigation', { name: 'Main' }).last().getByText('Markets').waitFor();
  });
});

describe('a first visit creates a test account', () => {
  test('three visible steps create an account with money and an agent, and a reload finds it again', async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open();
    await page.getByRole('button', { name: 'Trade with a test account' }).click();
    await page.getByText('Your test account is ready').waitFor();
    for (const step of [
      /[Cc]reates? a key in this browser/,
      /1,000 USDC from the faucet/,
      /agent that can only trade/,
    ]) {
      await page.getByRole('listitem').filter({ hasText: step }).waitFor();
    }
    const account = page.getByRole('button', { name: /^0x.{4}….{4}/ });
    const name = await account.innerText();
    await page.getByText('1,000.00').waitFor();
    await page.reload();
    await account.waitFor();
    expect(await account.innerText()).toBe(name);

    const keys = await storedKeys(page);
    expect(keys.map((key) => /^0x[0-9a-f]{64}$/.test(key))).toEqual([true, true]);
    const texts = visit.sent.map(({ body, url }) => url + body).join('\n');
    expect(texts).toContain('approveAgent');
    for (const key of keys) expect(texts).not.toContain(key.slice(2));
  });
});

describe('an open page follows its account', () => {
  test('the page announces account events in words and shows them as text', async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { address: destination } = await visit.openWithAccount();
    // A stream's snapshot is not an event.
    await visit.waitForChannel('userNonFundingLedgerUpdates');
    const sender = createClient({ url: venue.url, wallet: privateKeyWallet(randomPrivateKey()) });
    const { address } = sender.wallet!;
    await sender.faucet({ user: address });
    await sender.exchange.sendTo({ destination, amount: '25' });
    await visit.waitForNotice(
      `Received 25.00 USDC from ${address.slice(0, 6)}…${address.slice(-4)}`,
    );
    await page.getByText('1,025.00').waitFor();
  });
});

async function visiting(viewport?: { width: number; height: number }) {
  const visit = await browser.visit(venue.url, viewport === undefined ? {} : { viewport });
  return { page: visit.page, open: (path?: string) => visit.open(path) };
}
