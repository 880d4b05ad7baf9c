import { limitOrder, type Client } from '@oddlot/sdk';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { quoteMarket } from './support/market-maker.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { listPerp, type OwnPerp } from './support/own-perp.ts';
import { button, choose, size, trading } from './support/terminal.ts';
import { trader } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Checks that the terminal's figures are labelled and do not contradict each other. */

const LONG_MS = 120_000;
const EXECUTED = { confirm: 'executed' } as const;
const PATIENT = { timeout: 60_000 };
const GRID = { price: '100', tick: '0.01', szDecimals: 2 };

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  'an isolated position shows its own margin ratio, its direction in words, and its margin ahead of the buttons',
  async () => {
    const perp = await listPerp(venue.url, { ...GRID, operator: WHO_DEPLOYS });
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount(`/trade/${perp.name}`);
    await isolate(owner, perp);
    await buyFrom(perp, owner, '10');
    await perp.push('99');
    const meter = page.getByRole('meter', { name: `${perp.name} isolated margin ratio` });
    await meter.waitFor();
    const user = owner.wallet!.address;
    const due = async (): Promise<number> => {
      const { assetPositions } = await owner.info.clearinghouseState({ user });
      return 100 / Number(assetPositions[0]?.position.marginRatio);
    };
    await expect
      .poll(async () => Math.abs(Number(await meter.getAttribute('aria-valuenow')) - (await due())))
      .toBeLessThan(0.01);
    const box = page.getByRole('region', { name: 'Account', exact: true });
    expect(await box.getByText('no positions').count()).toBe(0);
    expect(await box.getByText('Cross maintenance margin').count()).toBe(0);
    const row = page.getByRole('row', { name: new RegExp(perp.name) });
    await row.getByText('Long 20× Isolated').waitFor();
    await expect.poll(() => row.innerText()).toMatch(/\d+\.\d%\s*\+\s*−/);
    expect(await faultsFound(page)).toEqual([]);
    // Closing all positions asks for confirmation first, and no conditional orders remain.
    await button(page, 'Close all').click();
    const dialog = page.getByRole('dialog', { name: 'Close all positions' });
    await dialog.getByText(perp.name).first().waitFor();
    expect(await dialog.innerText()).not.toContain('conditional');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /^Trade history/ }).click();
    await page.getByRole('cell', { name: 'Open long' }).waitFor();
  },
  LONG_MS,
);

test('an order that the venue would reject cannot be sent, and one press corrects its size', async () => {
  const page = await trading(browser, venue.url);
  await page.getByRole('textbox', { name: 'Price' }).fill('96900');
  await size(page).fill('1000000');
  const alert = page.getByRole('alert');
  await alert.getByRole('button', { name: /^Reduce size to/ }).waitFor();
  const send = button(page, /^Buy 1,000,000 BTC/);
  await expect.poll(() => send.isDisabled()).toBe(true);
  await alert.getByRole('button', { name: /^Reduce size to 0\.\d+ BTC$/ }).click();
  await alert.waitFor({ state: 'detached' });
  await expect.poll(() => button(page, /^Buy 0\.\d+ BTC at 96,900/).isEnabled()).toBe(true);
});

test('the ticket shows how much of the book a market order consumes and how much liquidity is lacking', async () => {
  const perp = await listPerp(venue.url, { ...GRID, operator: WHO_DEPLOYS });
  await quoteMarket(venue.url, { market: perp.name, bids: ['99'], asks: ['101'], size: '2' });
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount(`/trade/${perp.name}`);
  await choose(page, 'Market');
  await size(page).fill('1');
  const line = page.locator('p', { hasText: 'Of the top 20 asks' });
  await expect.poll(() => line.innerText(), PATIENT).toMatch(/50% of 2 T\d+$/);
  await size(page).fill('5');
  await page.getByText('the book has nothing for the remaining 3').waitFor();
  await expect.poll(() => line.innerText()).toMatch(/100% of 2 T\d+$/);
  const box = page.getByRole('region', { name: 'Account', exact: true });
  await box.getByText('A market order also reserves its fee').waitFor();
});

test('the mark between the two sides of the book is labelled, and the spread is shown as a price', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  const book = page.getByRole('region', { name: 'Order book' });
  await book.getByText(/^Mark 9\d,\d{3}\.\d$/).waitFor();
  await book.getByText(/^Spread \d+\.\d · \d+\.\d{4}%$/).waitFor();
});

test('a slow connection is reported as slow', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await page.route('**/info', async (route) => {
    const isProbe = route.request().postData()?.includes('"stateHash"') === true;
    if (isProbe) await new Promise((resolve) => setTimeout(resolve, 1_200));
    await route.continue();
  });
  await visit.open('/trade/BTC-USDC');
  await page.getByText(/^slow · 1,\d{3} ms$/).waitFor();
});

/** Sets the isolated margin mode and the maximum leverage. */
async function isolate(owner: Client, { asset }: OwnPerp): Promise<void> {
  await owner.exchange.updateMarginMode({ asset, isCross: false }, EXECUTED);
  await owner.exchange.updateLeverage({ asset, leverage: 20 }, EXECUTED);
}

async function buyFrom({ asset, name }: OwnPerp, owner: Client, amount: string): Promise<void> {
  const maker = await trader(venue.url, `who sells ${name}`);
  const order = { asset, price: '100', size: amount };
  await maker.exchange.order({ orders: [limitOrder({ ...order, side: 'sell' })] }, EXECUTED);
  await owner.exchange.order({ orders: [limitOrder({ ...order, side: 'buy' })] }, EXECUTED);
}
