import { limitOrder } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { quoteMarket } from './support/market-maker.ts';
import { listPerp } from './support/own-perp.ts';
import { button, choose, position, size, trading } from './support/terminal.ts';
import { perpNear } from './support/trading.ts';
import { PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** The terminal previews an order without claiming anything about data it does not have. */

const LONG_MS = 120_000;
const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test("a resting order or an untriggered one shows its maker and taker fees at the account's tier", async () => {
  const page = await trading(browser, venue.url);
  const later = page.locator('p', { hasText: /^Fee on fill/ });
  await page.getByRole('textbox', { name: 'Price' }).fill('96000');
  await size(page).fill('0.01');
  // The fees on 960 USDC are 0.015 and 0.045 percent.
  await expect.poll(() => later.innerText()).toBe('Fee on fill\n0.14 maker · 0.43 taker');
  await page.getByRole('checkbox', { name: 'Post only' }).click();
  await expect.poll(() => later.innerText()).toBe('Fee on fill\n0.14 maker');
  await page.getByRole('checkbox', { name: 'Post only' }).click();
  await choose(page, 'Stop');
  await page.getByRole('textbox', { name: 'Trigger price (mark)' }).fill('98000');
  await expect.poll(() => later.innerText()).toBe('Fee on fill\n0.44 taker');
  await choose(page, 'Scale');
  await page.getByRole('textbox', { name: 'Start price' }).fill('96000');
  await page.getByRole('textbox', { name: 'End price' }).fill('94000');
  await expect.poll(() => later.innerText()).toBe('Fee on fill\n0.14 maker · 0.43 taker');
  await choose(page, 'Market');
  await page.getByText(/^Fills 0.01 at/).waitFor();
  expect(await later.count()).toBe(0);
});

test('one press lowers an excessive size, and a size typed in USDC is shown in USDC', async () => {
  const page = await trading(browser, venue.url);
  await page.getByRole('textbox', { name: 'Price' }).fill('96900');
  await size(page).fill('5');
  const alert = page.getByRole('alert');
  await alert.getByText(/Required: [\d,.]+ USDC\. Available: [\d,.]+ USDC\./).waitFor();
  await alert.getByRole('button', { name: /^Reduce size to 0\.\d+ BTC$/ }).click();
  await alert.waitFor({ state: 'detached' });
  await button(page, /^Buy 0\.\d+ BTC at 96,900/).waitFor();
  await size(page).fill('1000000');
  await alert.getByText(/^Max order size: [\d,]+ BTC\./).waitFor();
  await alert.getByRole('button', { name: /^Reduce size to 0\.\d+ BTC$/ }).click();
  await alert.waitFor({ state: 'detached' });

  await size(page).fill('');
  await page.getByText(/^Max 0\.\d+ BTC$/).waitFor();
  await button(page, 'BTC ⇄').click();
  await page.getByText(/^Max [\d,]+\.\d\d USDC$/).waitFor();
  await size(page).fill('500');
  await page.getByText('0.00515 BTC', { exact: true }).waitFor();
});

test.each([
  ['Buy', 'Buy / long'],
  ['Sell', 'Sell / short'],
] as const)(
  'a %s of the maximum at the market follows the mark, fills, and leaves no margin',
  async (does, side) => {
    const grid = { price: '100', tick: '0.01', szDecimals: 2 };
    const perp = await listPerp(venue.url, { ...grid, operator: WHO_DEPLOYS });
    const quotes = { market: perp.name, bids: ['99.98'], asks: ['100.02'], size: '80' };
    for (let count = 0; count < 4; count++) await quoteMarket(venue.url, quotes);
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount(`/trade/${perp.name}`);
    await choose(page, 'Market');
    await choose(page, side);
    await page.getByText(/^Max \d+\.\d+ T/).waitFor();
    await page
      .getByRole('group', { name: 'Preset sizes' })
      .getByRole('button', { name: '100%' })
      .click();
    const first = Number(await size(page).inputValue());
    expect(first).toBeGreaterThan(150);
    await perp.push('100.2');
    await expect.poll(async () => Number(await size(page).inputValue())).not.toBe(first);
    await button(page, new RegExp(`^${does} \\d+\\.\\d+ T\\d+ at market$`)).click();
    await page.getByRole('row', { name: perp.name }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const user = owner.wallet!.address;
    const coin = String(perp.asset);
    const { availableToTrade } = await owner.info.activeAssetData({ user, coin });
    const { assetPositions } = await owner.info.clearinghouseState({ user });
    // The offers did not follow the mark, so the position's unrealised gain can be used to trade
    // again.
    const gain = Math.max(0, Number(assetPositions[0]?.position.unrealizedPnl));
    const left = Number(availableToTrade[does === 'Buy' ? 0 : 1]) - gain;
    expect(left).toBeLessThan(10);
  },
);

test('numbers in common formats are accepted and can be stepped up and down, and invalid ones are rejected', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  const price = page.getByRole('textbox', { name: 'Price' });
  await price.fill('1234,5');
  expect(await price.inputValue()).toBe('1234,5');
  await price.press('ArrowUp');
  expect(await price.inputValue()).toBe('1234.6');
  await price.press('Shift+ArrowDown');
  expect(await price.inputValue()).toBe('1234');
  await price.pressSequentially('x');
  expect(await price.inputValue()).toBe('1234x');
  await page.getByText('“1234x” is not a valid number. Example: 97,174.6').waitFor();
  // The erroneous number would not be sent, so stepping starts at zero.
  await price.press('ArrowUp');
  expect(await price.inputValue()).toBe('0.1');
  await price.fill('12 or so');
  await price.blur();
  expect(await price.inputValue()).toBe('12 or so');
  // The page uses the same format, so numbers copied from it work.
  await price.fill('97,174.6');
  await price.blur();
  expect(await price.inputValue()).toBe('97174.6');
});

test('the terminal claims nothing about an account until its data is loaded', async () => {
  // Records every text drawn below the market, from the first one on.
  const script = `{
    const seen = new Set();
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      for (const panel of document.querySelectorAll('[role=tabpanel]')) seen.add(panel.innerText);
    }).observe(document, { subtree: true, childList: true });
  }`;
  const visit = await browser.visit(venue.url, { script });
  const { page } = visit;
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => void asked.then(() => socket.send(message)));
  });
  await visit.openWithAccount('/trade/BTC-USDC');
  await page.getByRole('tab', { name: 'Positions' }).waitFor();
  await page.getByRole('columnheader', { name: 'Margin' }).waitFor();
  const seen = (): Promise<string> =>
    page.evaluate(() => [...(globalThis as { seen?: Set<string> }).seen!].join('\n'));
  expect(await seen()).not.toMatch(/No open positions|test account/);
  answer();
  await page.getByText('No open positions').waitFor();
  expect(await seen()).not.toContain('test account');
});

test(
  'lines outside the view are shown at the edge with their distance, and labels do not overlap',
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
    const { asset } = await perpNear(owner, 'BTC-USDC');
    const rest = async (prices: readonly string[]): Promise<void> => {
      const orders = prices.map((price) =>
        limitOrder({ asset, side: 'buy', price, size: '0.0002' }),
      );
      await owner.exchange.order({ orders }, EXECUTED);
    };
    await rest(['96950', '96949', '96948']);
    await page
      .getByRole('slider', { name: /^Buy 0\.0002/ })
      .nth(2)
      .waitFor();
    await expect.poll(() => gaps(page)).toEqual([true, true]);
    // The ticket's line is drawn behind the labels at both of its ends.
    await page.getByRole('textbox', { name: 'Price' }).fill('96947');
    await page.getByRole('slider', { name: 'Ticket: buy' }).waitFor();
    await expect.poll(() => crossings(page)).toMatchObject({ isNone: false });
    expect(await crossings(page)).toMatchObject({ struck: [] });
    const axis = async (): Promise<number> => {
      const ends = await Promise.all(
        ['96,950.0', '96,948.0'].map(async (price) => {
          const line = page.locator('li[data-price]', { hasText: price });
          return (await line.boundingBox())!.y;
        }),
      );
      return ends[1]! - ends[0]!;
    };
    const before = await axis();
    // The orders are far below the market, so the price range does not change, and the three
    // nearest orders are shown at the edge.
    await rest(['94000', '93000', '92000', '91000', '90000']);
    await page.getByText(/↓ −3\.1.*94,000\.0/).waitFor();
    await page.getByText('↓ +2').waitFor();
    expect(await axis()).toBeCloseTo(before, 0);
  },
  LONG_MS,
);

/** Returns the lines that cross other labels, and the labels behind them. */
async function crossings(page: Page): Promise<{ isNone: boolean; struck: readonly string[] }> {
  return page.evaluate(() => {
    const lines = [...document.querySelectorAll<HTMLElement>('li[data-price]')];
    // Lines ignore the pointer, so pointer events are enabled on them to find the topmost element.
    for (const { style } of lines) style.pointerEvents = 'auto';
    const tags = lines.map((line) => line.firstElementChild!);
    const crossed = lines.flatMap((line) => {
      const y = line.getBoundingClientRect().top + 0.5;
      return tags.flatMap((tag) => {
        const { bottom, left, top, width } = tag.getBoundingClientRect();
        if (line.contains(tag) || y <= top + 1 || y >= bottom - 1) return [];
        const isOver = tag.contains(document.elementFromPoint(left + width / 2, y));
        return [{ text: tag.textContent, isOver }];
      });
    });
    const struck = crossed.filter(({ isOver }) => !isOver).map(({ text }) => text);
    return { isNone: crossed.length === 0, struck };
  });
}

/** Returns, for each label, whether it is far enough below the previous one. */
async function gaps(page: Page): Promise<readonly boolean[]> {
  const tags = await page.getByRole('slider', { name: /^Buy 0\.0002/ }).all();
  const tops = (await Promise.all(tags.map((tag) => tag.boundingBox()))).map((box) => box!.y);
  const sorted = tops.toSorted((a, b) => a - b);
  return sorted.slice(1).map((top, at) => top - sorted[at]! >= 20);
}

test(
  'a long market name stays on one line, and a phone shows the liquidation price and the progress of a reversal',
  async () => {
    const perp = await listPerp(venue.url, {
      base: 'LONGESTNAME',
      price: '50',
      tick: '0.01',
      szDecimals: 2,
      operator: WHO_DEPLOYS,
    });
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount(`/trade/${perp.name}`);
    const head = page.getByRole('button', { name: /^Size · total/ });
    await head.waitFor();
    expect((await head.boundingBox())!.height).toBeLessThan(24);
    const { asset } = await perpNear(owner, 'BTC-USDC');
    const order = limitOrder({ asset, side: 'buy', price: '97010', size: '0.04' });
    await owner.exchange.order({ orders: [order] }, EXECUTED);
    await page.goto(`${venue.url}/trade/BTC-USDC`);
    await position(page).waitFor();
    await button(page, 'Reverse BTC-USDC').click();
    await page.getByRole('dialog').getByText('5% from mark').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ ...PHONE });
    await position(page)
      .getByText(/^Liq\. price liq\. 7\d,\d{3}\.\d$/)
      .waitFor();
  },
  LONG_MS,
);
