import { limitOrder, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { listPerp, type OwnPerp } from './support/own-perp.ts';
import { button } from './support/terminal.ts';
import { trader, tradeBetween } from './support/trading.ts';
import { PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Tests the available margin and the margin ratio, which are shown below the ticket, in the header
 * and in early warnings.
 */

const LONG_MS = 120_000;
const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;
let perp: OwnPerp;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  const grid = { base: 'BOX', price: '50', tick: '0.01', szDecimals: 2 };
  perp = await listPerp(venue.url, { ...grid, operator: WHO_DEPLOYS });
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  "the margin box shows the venue's values, and a notice warns before margin runs out",
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount(`/trade/${perp.name}`);
    const box = page.getByRole('region', { name: 'Account', exact: true });
    await box.getByText('no positions').waitFor();
    await expect.poll(() => figure(page, 'Equity')).toBe('1,000.00');
    await expect.poll(() => figure(page, 'Outcome balance')).toBe('0.00');
    expect(await faultsFound(page)).toEqual([]);

    // 300 units at 50 require a margin of three percent of 15,000; 1,000 is available.
    await buyAll(owner, '300');
    const header = page.getByRole('banner').getByRole('link', { name: /^Margin/ });
    await expect.poll(() => agrees(page, owner)).toBe(true);
    await expect.poll(() => figure(page, 'Account leverage')).toMatch(/^15\.\d\d×$/);
    expect(await header.count()).toBe(0);

    await perp.push('49');
    await header.waitFor();
    await expect.poll(() => agrees(page, owner)).toBe(true);
    expect(await page.getByText('Cross margin ratio:').count()).toBe(0);
    await perp.push('48.4');
    await visit.waitForNotice('Cross margin ratio: 8');
    await expect.poll(() => header.innerText()).toMatch(/^Margin 8\d/);
    // A lower warning threshold takes effect in the header immediately.
    await page.goto(`${venue.url}/account?tab=preferences`);
    await header.waitFor();
    await page
      .getByRole('radiogroup', { name: 'Margin ratio in header' })
      .getByRole('radio', { name: /^70/ })
      .press('Space');
    await perp.push('49');
    await header.waitFor({ state: 'detached' });
  },
  LONG_MS,
);

test("on a phone the margin box is in the ticket's sheet, next to every way to move money", async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  const { page } = visit;
  await visit.openWithAccount(`/trade/${perp.name}`);
  for (const [way, form] of [
    ['Deposit', 'Deposit'],
    ['Transfer', 'Transfer'],
    ['Withdraw', 'Withdraw'],
  ] as const) {
    await button(page, 'Buy / long').click();
    const sheet = page.getByRole('dialog', { name: perp.name });
    await sheet.getByRole('meter', { name: 'Cross margin ratio' }).waitFor();
    await sheet.getByRole('link', { name: way }).click();
    await page.getByRole('radio', { name: form, checked: true }).waitFor();
    await page.goBack();
  }
});

test('on a phone a notice does not cover any element of the screen or of a sheet', async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  const { page } = visit;
  const { owner } = await visit.openWithAccount(`/trade/${perp.name}`);
  await visit.waitForChannel('userFills');
  const maker = await trader(venue.url, 'who sells for a notice');
  const buy = (size: string): Promise<void> =>
    tradeBetween(maker, owner, { asset: perp.asset, price: '50', size });
  // Two notices appear at the same time, but only the newer one is shown.
  await buy('1');
  await buy('2');
  await expect.poll(() => visit.notices(), patience).toContainEqual(aloneIs('Bought 2.00'));
  await page.locator('li[data-swipe-direction]').first().waitFor({ state: 'detached' });
  await button(page, 'Buy / long').click();
  await page.getByRole('meter', { name: 'Cross margin ratio' }).waitFor();
  await buy('3');
  await expect.poll(() => visit.notices(), patience).toContainEqual(aloneIs('Bought 3.00'));
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
});

/** Matches a single notice that does not cover any elements. */
const aloneIs = (text: string) => ({ texts: [expect.stringContaining(text)], covered: [] });
const patience = { timeout: 60_000 };

async function figure(page: Page, name: string): Promise<string> {
  const box = page.getByRole('region', { name: 'Account', exact: true });
  const line = box.locator('dl > div', { has: page.getByText(name, { exact: true }) });
  return line.locator('dd').innerText();
}

/** Returns true if every figure in the box equals the venue's value, to the cent. */
async function agrees(page: Page, owner: Client): Promise<boolean> {
  const user = owner.wallet!.address;
  const state = await owner.info.clearinghouseState({ user, accountType: 'perp' });
  const { availableToTrade } = await owner.info.activeAssetData({ user, coin: String(perp.asset) });
  const pnl = state.assetPositions.reduce(
    (all, row) => all + Number(row.position.unrealizedPnl),
    0,
  );
  const meter = page.getByRole('meter', { name: 'Cross margin ratio' });
  const share = Number(await meter.getAttribute('aria-valuenow'));
  const due: readonly (readonly [string, number])[] = [
    ['Equity', Number(state.marginSummary.accountValue)],
    ['Available to trade', Number(availableToTrade[0])],
    ['Withdrawable', Number(state.withdrawable)],
    ['Cross maintenance margin', Number(state.crossMaintenanceMarginUsed)],
    ['Unrealised PnL', pnl],
  ];
  for (const [name, value] of due) {
    const shown = Number((await figure(page, name)).replace(/[,+]/g, '').replace('−', '-'));
    if (!(Math.abs(shown - value) < 0.011)) return false;
  }
  return Math.abs(share - 100 / Number(state.crossMarginRatio)) < 0.01;
}

/** Buys using an account with equal funds. Both accounts use the maximum leverage. */
async function buyAll(owner: Client, size: string): Promise<void> {
  const maker = await trader(venue.url, `who sells ${perp.name}`);
  const { asset } = perp;
  for (const client of [maker, owner]) {
    await client.exchange.updateLeverage({ asset, leverage: 20 }, EXECUTED);
  }
  const order = { asset, price: '50', size };
  const ask = limitOrder({ ...order, side: 'sell' });
  await maker.exchange.order({ orders: [ask] }, EXECUTED);
  const bid = limitOrder({ ...order, side: 'buy' });
  const reply = await owner.exchange.order({ orders: [bid] }, EXECUTED);
  expect(reply).toMatchObject({ status: 'executed', orders: [{ state: 'filled' }] });
}
