import { bracketOrder, limitOrder } from '@oddlot/sdk';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { quoteMarket } from './support/market-maker.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { listPerp } from './support/own-perp.ts';
import { button, exitPrices, position, size } from './support/terminal.ts';
import { perpNear } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Tests preferences for sending and moving orders: closing all positions, confirmations, and moving
 * orders on the chart.
 */

const LONG_MS = 120_000;
const LONG_WAIT = { timeout: 60_000 };
const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  'a single confirmation that names each position closes them all and cancels their TP/SL',
  async () => {
    const grid = { base: 'ALL', price: '50', tick: '0.01', szDecimals: 2 };
    const perp = await listPerp(venue.url, { ...grid, operator: WHO_DEPLOYS });
    const quotes = { market: perp.name, bids: ['49.95'], asks: ['50.05'], size: '2' };
    await quoteMarket(venue.url, quotes);
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
    const { asset } = await perpNear(owner, 'BTC-USDC');
    const parent = limitOrder({ asset, side: 'buy', price: '97010', size: '0.002' });
    const stopLoss = { triggerPrice: '95900' };
    await owner.exchange.order(bracketOrder({ parent, stopLoss }), EXECUTED);
    const other = limitOrder({ asset: perp.asset, side: 'buy', price: '50.05', size: '1' });
    await owner.exchange.order({ orders: [other] }, EXECUTED);
    await position(page).waitFor();
    await page.getByRole('row', { name: perp.name }).waitFor();
    await button(page, 'Close all').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Close all positions' });
    const named = dialog.getByRole('list', { name: 'Positions' });
    await named.getByText('BTC-USDC').waitFor();
    await named.getByText(perp.name).waitFor();
    await dialog.getByText('including 1 conditional order').waitFor();
    expect(await faultsFound(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close 2 positions' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No open positions').waitFor();
    expect(await owner.info.triggerOrders({ user: owner.wallet!.address })).toEqual([]);
  },
  LONG_MS,
);

test(
  'orders above a set value need confirmation, a press on the book sends an order, and notes survive a reload',
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { address, owner } = await visit.openWithAccount('/account?tab=preferences');
    await page.getByRole('radio', { name: 'Above a value' }).click();
    await page.getByRole('textbox', { name: 'Value in USDC' }).fill('100');
    await page.getByRole('checkbox', { name: 'Place orders by clicking a level' }).click();
    await page.getByRole('textbox', { name: 'Preset order sizes' }).fill('150 50');
    expect(await faultsFound(page)).toEqual([]);
    await visit.open('/trade/BTC-USDC');
    const orders = async (): Promise<readonly string[]> =>
      (await owner.info.frontendOpenOrders({ user: address })).map(
        ({ limitPx, origSz, side }) => `${side} ${origSz} ${limitPx}`,
      );
    const bids = page.getByRole('slider', { name: 'Bids' });
    await page.getByText(/^Max \d/).waitFor();
    await button(page, '150 USDC').click();
    await bids.press('ArrowDown');
    await expect.poll(() => bids.getAttribute('aria-valuetext')).toMatch(/^96,990/);
    await bids.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Place this order?' });
    await dialog.getByText('Order value: 149.36 USDC.').waitFor();
    expect(await orders()).toEqual([]);
    await dialog.getByRole('button', { name: 'Buy 0.00154 BTC at 96,990' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(orders, LONG_WAIT).toEqual(['B 0.00154 96990']);
    // A key press sends a smaller order immediately, without a dialog.
    await button(page, '50 USDC').click();
    await bids.press('ArrowDown');
    await bids.press('Enter');
    await expect.poll(orders, LONG_WAIT).toContain('B 0.00051 96990');
    // With no size entered, the key press only copies the price into the ticket.
    await expect.poll(() => size(page).inputValue()).toBe('');
    await bids.press('ArrowDown');
    await bids.press('Enter');
    expect(await orders()).toHaveLength(2);

    await page.getByRole('tab', { name: 'Open orders 2' }).click();
    await page
      .getByRole('button', { name: /^Add note to order/ })
      .first()
      .click();
    await page.getByRole('textbox', { name: 'Note' }).fill('<b id=x>scalp');
    await button(page, 'Save').click();
    await page.reload();
    await page.getByRole('button', { name: /^Note on order \d+: <b id=x>scalp/ }).waitFor();
    expect(await page.locator('b#x').count()).toBe(0);
  },
  LONG_MS,
);

test(
  "TP/SL can be dragged off a position's line, and an order can be enlarged with the keyboard",
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { address, owner } = await visit.openWithAccount('/trade/BTC-USDC');
    const { asset } = await perpNear(owner, 'BTC-USDC');
    const order = { asset, side: 'buy', size: '0.002' } as const;
    await owner.exchange.order({ orders: [limitOrder({ ...order, price: '97010' })] }, EXECUTED);
    await position(page).waitFor();
    const line = page.getByRole('slider', { name: 'TP/SL of the long' });
    await drag(page, line, -60);
    await expect.poll(() => exitPrices(page), LONG_WAIT).toMatch(/^97,\d{3}\.\d \/ –$/);
    const [profit] = (await exitPrices(page)).split(' / ');
    await drag(page, line, 60);
    // The existing order is unchanged.
    await expect.poll(() => exitPrices(page), LONG_WAIT).toMatch(/ \/ 9\d,\d{3}\.\d$/);
    expect((await exitPrices(page)).split(' / ')[0]).toBe(profit);

    await owner.exchange.order({ orders: [limitOrder({ ...order, price: '96900' })] }, EXECUTED);
    const own = page.getByRole('slider', { name: 'Buy 0.00200' });
    await own.press('Shift+ArrowRight');
    await own.press('ArrowRight');
    await own.press('ArrowLeft');
    await expect.poll(() => own.getAttribute('aria-valuetext')).toContain('new size 0.0021');
    await own.press('Enter');
    await expect
      .poll(
        async () => (await owner.info.frontendOpenOrders({ user: address }))[0]?.origSz,
        LONG_WAIT,
      )
      .toBe('0.0021');

    // The ticket has that order's price. Both labels are readable, and a press on a displaced label
    // moves nothing.
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('96900');
    const [ordered, drafted] = ['Buy 0.00210', 'Ticket: buy'].map((name) =>
      page.getByRole('slider', { name }),
    );
    await expect.poll(() => overlap(ordered!, drafted!)).toBe(0);
    const { x, y, height } = (await drafted!.boundingBox())!;
    await page.mouse.move(x + 20, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 10, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(Number(await price.inputValue())).toBe(96_900);

    await button(page, 'Bracket').click();
    const takeProfit = page.getByRole('textbox', { name: 'TP' });
    const before = Number(await takeProfit.inputValue());
    await page.getByRole('slider', { name: 'Ticket: take profit' }).press('Shift+ArrowUp');
    expect(Number(await takeProfit.inputValue())).toBeCloseTo(before + 1, 5);
    await page.getByRole('slider', { name: 'Ticket: stop loss' }).waitFor();
    // Only the ticket's button sends the order.
    expect(await owner.info.frontendOpenOrders({ user: address })).toHaveLength(1);
  },
  LONG_MS,
);

/** Returns the overlap of two elements in pixels, or undefined if one is missing. */
async function overlap(one: Locator, other: Locator): Promise<number | undefined> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()]);
  if (a === null || b === null) return undefined;
  return Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
}

/**
 * Drags vertically with the pointer once the line has stopped moving, because a chart rescales
 * while it loads candles.
 */
async function drag(page: Page, line: Locator, pixels: number): Promise<void> {
  await line.waitFor();
  let box = (await line.boundingBox())!;
  await expect
    .poll(async () => {
      const before = box;
      box = (await line.boundingBox())!;
      return Math.abs(box.y - before.y);
    }, LONG_WAIT)
    .toBe(0);
  const [x, y] = [box.x + 20, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + pixels, { steps: 4 });
  await page.mouse.up();
}
