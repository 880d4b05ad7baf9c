import { buyYes } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import { OutcomePeople, WHO_DEPLOYS } from './support/outcome-people.ts';
import { listPerp, type OwnPerp } from './support/own-perp.ts';
import { button } from './support/terminal.ts';
import { trader, tradeBetween } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Tests alerts in the page, as browser notifications and with sound. Each account has its own
 * alerts.
 */

const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;
let perp: OwnPerp;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  const grid = { base: 'ALERT', price: '50', tick: '0.01', szDecimals: 2 };
  perp = await listPerp(venue.url, { ...grid, operator: WHO_DEPLOYS });
});
afterEach(() => browser.leaveAll());

const list = (page: Page) => page.getByRole('list', { name: 'Alerts', exact: true });

/**
 * Replaces notifications and sounds with functions that record them, as if in a browser that
 * permits notifications.
 */
const WATCHED = `{
  globalThis.notices = [];
  globalThis.tones = 0;
  globalThis.Notification = class extends EventTarget {
    static get permission() { return localStorage.getItem('test.permission') ?? 'default'; }
    static async requestPermission() { localStorage.setItem('test.permission', 'granted'); return 'granted'; }
    constructor(title, { body }) { super(); globalThis.notices.push(title + ' | ' + body); }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...args) { globalThis.tones++; return start.apply(this, args); };
}`;

/** Adds an alert for the market whose list is open, using only the keyboard. */
async function wait(page: Page, bound: string): Promise<void> {
  await page.getByRole('textbox', { name: 'When the mark price reaches' }).fill(bound);
  await page.keyboard.press('Enter');
}

test('a price alert is shown once, both in the page and as a notification with sound, and the list shows when', async () => {
  const visit = await browser.visit(venue.url, { script: WATCHED });
  const { page } = visit;
  await visit.openWithAccount(`/trade/${perp.name}`);
  await button(page, `${perp.name} alerts`).press('Enter');
  await page.getByRole('dialog', { name: 'Alerts' }).waitFor();
  await wait(page, '51');
  await wait(page, '49');
  await list(page).getByText(`${perp.name} rises to 51`).waitFor();
  await list(page).getByText(`${perp.name} falls to 49`).waitFor();
  // The page asks for the browser's permission only after a button press.
  expect(await page.evaluate(() => Notification.permission)).toBe('default');
  await page.getByRole('checkbox', { name: 'Also as a browser notification' }).press('Space');
  await expect.poll(() => page.evaluate(() => Notification.permission)).toBe('granted');
  await expectReadableForm(page, 'alerts');
  await page.keyboard.press('Escape');
  await perp.push('51.5');
  await page.getByText(`${perp.name} rose to 51`).first().waitFor();
  const shownNotices = () => page.evaluate(() => (globalThis as { notices?: string[] }).notices!);
  await expect.poll(shownNotices).toHaveLength(1);
  expect((await shownNotices())[0]).toMatch(
    new RegExp(`^${perp.name} rose to 51 \\| Mark price: 51\\.\\d+$`),
  );
  expect(await page.evaluate(() => (globalThis as { tones?: number }).tones)).toBe(1);

  // A reload keeps the alert and does not trigger it again. The other alert is still pending.
  await visit.open(`/trade/${perp.name}`);
  await page.keyboard.press('a');
  await list(page)
    .getByText(/^triggered at/)
    .waitFor();
  expect(
    await list(page)
      .getByText(/^triggered at/)
      .count(),
  ).toBe(1);
  await perp.push('48.5');
  await page.getByText(`${perp.name} fell to 49`).first().waitFor();
  await expect.poll(shownNotices).toEqual([expect.stringMatching(`^${perp.name} fell to 49 `)]);
  await button(page, `Remove: ${perp.name} rises to 51`).press('Enter');
  await expect.poll(() => list(page).getByRole('listitem').count()).toBe(1);
  await perp.push('50');
});

test('each account has its own alerts, and so does a visitor without an account', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open(`/trade/${perp.name}`);
  await page.getByRole('form', { name: 'Order ticket' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('No alerts yet.').waitFor();
  expect(await page.getByRole('checkbox', { name: /orders fill$/ }).count()).toBe(0);
  await page.getByRole('combobox', { name: 'Market' }).selectOption({ label: perp.name });
  await page.getByRole('dialog').getByRole('radio', { name: 'Funding' }).click();
  await page.getByRole('textbox', { name: 'When the hourly rate reaches' }).fill('3');
  await button(page, 'Add alert').click();
  await list(page).getByText(`${perp.name} funding reaches 3% per hour`).waitFor();

  await visit.openWithAccount(`/trade/${perp.name}`);
  await page.getByText(/^Max \d/).waitFor();
  await page.keyboard.press('a');
  await page.getByText('No alerts yet.').waitFor();
  await page.getByRole('checkbox', { name: /orders fill$/ }).press('Space');
  await page.getByRole('radio', { name: '80' }).click();
  await page.reload();
  await page.getByText(/^Max \d/).waitFor();
  await page.keyboard.press('a');
  await expect
    .poll(() => page.getByRole('checkbox', { name: /orders fill$/ }).isChecked())
    .toBe(true);
  expect(await page.getByRole('radio', { name: '80' }).isChecked()).toBe(true);
});

test('tampered browser storage runs no code and breaks nothing', async () => {
  const name = '"><img src=x onerror="globalThis.hasRun=true">';
  const rows = [
    { id: '1', kind: 'above', coin: '1', market: name, bound: '1000000' },
    { id: '2', kind: 'script', coin: '1', market: name, bound: 'x' },
  ];
  const stored = JSON.stringify({ rows, marginFrom: {} });
  const script = `localStorage.setItem('oddlot.alerts.nobody', ${JSON.stringify(stored)});`;
  const visit = await browser.visit(venue.url, { script });
  await visit.open('/trade/BTC-USDC');
  await visit.page.getByRole('form', { name: 'Order ticket' }).waitFor();
  await visit.page.keyboard.press('a');
  await list(visit.page).getByText(`${name} rises to 1,000,000`).waitFor();
  expect(await list(visit.page).getByRole('listitem').count()).toBe(1);
  expect(await visit.page.evaluate('globalThis.hasRun')).toBeUndefined();
});

test('fills, low margin and markets about to end trigger notifications outside the page', async () => {
  const people = new OutcomePeople(venue.url);
  const eventSlug = await people.event({ title: 'Does the bell ring?' });
  const endTime = Date.now() + 30 * 60_000;
  const market = await people.market({ endTime }, eventSlug);
  await people.quote(market);
  const visit = await browser.visit(venue.url, { script: WATCHED });
  const { page } = visit;
  const { address, owner } = await visit.openWithAccount('/');
  await page.evaluate(
    ([key, stored]) => {
      localStorage.setItem(key!, stored!);
      localStorage.setItem('test.permission', 'granted');
    },
    [
      `oddlot.alerts.${address.toLowerCase()}`,
      JSON.stringify({
        hasFills: true,
        marginFrom: 50,
        endMinutes: 60,
        hasSound: false,
        isOutside: true,
      }),
    ],
  );
  await visit.open('/portfolio');
  await page.getByRole('banner').getByText('1,000.00').waitFor();
  await visit.waitForChannel('userFills');
  const notices = (): Promise<string> =>
    page.evaluate(() => (globalThis as { notices?: string[] }).notices!.join('\n'));

  await owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '20' }, EXECUTED);
  const orders = [buyYes({ asset: market.id, price: '0.46', size: '10' })];
  await owner.exchange.order({ orders }, EXECUTED);
  await expect.poll(notices).toMatch(/^Bought 10 Yes \| Will it\? at 46/m);
  await expect.poll(notices).toContain('Does the bell ring? closes soon | in 2');

  // A position of 300 at 50 uses 450 of 980. At 49.4, it uses more than half of the remaining
  // money.
  const maker = await trader(venue.url, `who sells ${perp.name}`);
  for (const client of [maker, owner]) {
    await client.exchange.updateLeverage({ asset: perp.asset, leverage: 20 }, EXECUTED);
  }
  await tradeBetween(maker, owner, { asset: perp.asset, price: '50', size: '300' });
  await expect.poll(notices).toContain(`Bought 300.00 ${perp.name} | at 50.00`);
  expect(await notices()).not.toContain('margin ratio');
  await perp.push('49.4');
  await expect.poll(notices).toMatch(/Cross margin ratio: 5\d\.\d/);
  await perp.push('50');
});
