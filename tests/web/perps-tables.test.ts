import { limitOrder, triggerOrder, type Client } from '@oddlot/sdk';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startAt } from '../fixtures/people.ts';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { temporaryData, type Venue } from '../support/venue-process.ts';
import { buildPageOnce } from './support/build-once.ts';
import { cutFigures, DESKS } from './support/cut-figures.ts';
import { quoteMarket } from './support/market-maker.ts';
import { button, choose, position, size } from './support/terminal.ts';
import { ownerOf, perpNear } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { pageReady, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** Checks the contents of the tables below the market at every screen width. */

const LONG_MS = 120_000;
const HOUR_MS = 3_600_000;
const BEFORE_HOUR_MS = 20_000;
/** A premium is sampled every five seconds, and a price becomes stale after thirty seconds. */
const STEP_MS = 5_000;
const PATIENCE = { timeout: LONG_MS, interval: 100 };
const TABS = [
  'Positions',
  'Open orders',
  'Conditional orders',
  'Trade history',
  'Order history',
  'Funding history',
  'Account history',
] as const;
const TABLET = 834;
const PHONE = 390;
/** The number of widths tested per run. `npm run test:long` tests all widths. */
const WIDTHS = 2;
const SEED = freshSeed('WIDTHS_SEED');
const random = seededRandom(SEED);

let venue: Venue;
let browser: WebBrowser;
let clockFile: string;

beforeAll(async () => {
  await buildPageOnce();
  clockFile = join(await temporaryData(), 'ahead');
  writeFileSync(clockFile, '0');
  const clock = clockEnvironment(`ahead:${clockFile}`);
  [venue, browser] = await Promise.all([
    startAt(await temporaryData(), clock, WITH_PAGE),
    workerBrowser(),
  ]);
  await pageReady(venue.url);
  const quotes = { market: 'BTC-USDC', bids: ['96990'], asks: ['97010'], size: '0.04' };
  await quoteMarket(venue.url, quotes);
}, LONG_MS);
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

test(
  `the tables do not truncate even the largest figures at any width, WIDTHS_SEED=${SEED}`,
  async () => {
    const page = await withRowsInAllTables();
    const cut: string[] = [];
    for (const width of sampledCases([...DESKS, TABLET, PHONE], WIDTHS, random)) {
      await page.setViewportSize({ width, height: 900 });
      for (const tab of TABS) {
        const name = new RegExp(`^${tab}`);
        await page.getByRole('tab', { name }).click();
        await page.getByRole('tabpanel', { name }).getByRole('row').nth(1).waitFor();
        for (const isLarge of [false, true]) {
          const found = await cutFigures(page, { isLarge });
          cut.push(...found.map((figure) => `${tab} at ${width}: ${figure}`));
        }
      }
    }
    // At the narrowest width, the list of markets must fit too.
    await page.setViewportSize({ width: PHONE, height: 900 });
    await page.keyboard.press('/');
    await page.getByRole('dialog', { name: 'Markets' }).getByRole('row').nth(1).waitFor();
    cut.push(...(await cutFigures(page, { isLarge: true })));
    expect(cut).toEqual([]);
  },
  LONG_MS,
);

/**
 * Creates a position with TP/SL, an order, a trigger order, and an hour of funding for the
 * position.
 */
async function withRowsInAllTables(): Promise<Page> {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await button(page, 'Trade with a test account').click();
  await page.getByText(/^Max \d/).waitFor();
  await button(page, 'Cross').click();
  await page.getByRole('radio', { name: /^Isolated/ }).click();
  await button(page, 'Save').click();
  await button(page, 'Isolated').waitFor();
  await choose(page, 'Market');
  await size(page).fill('0.01');
  await button(page, 'Buy 0.01 BTC at market').click();
  await position(page).waitFor();
  await button(page, /TP\/SL of BTC/).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'TP' }).fill('98000');
  await dialog.getByRole('textbox', { name: 'SL' }).fill('96000');
  await dialog.getByRole('button', { name: 'Set TP/SL' }).click();
  await dialog.waitFor({ state: 'detached' });
  await button(page, /^0x/).click();
  await page.getByRole('menuitem', { name: 'Copy address' }).click();
  const user = await page.evaluate(() => navigator.clipboard.readText());
  const owner = await ownerOf(page, venue.url, user);
  const { asset } = await perpNear(owner, 'BTC-USDC');
  const common = { asset, size: '0.001', marginMode: 'isolated' } as const;
  const stop = { ...common, side: 'sell', kind: 'sl', triggerPrice: '95000' } as const;
  await owner.exchange.order(
    { orders: [triggerOrder({ ...stop, limitPrice: '94000' })] },
    { confirm: 'executed' },
  );
  const bid = limitOrder({ ...common, side: 'buy', price: '96500' });
  await overTheHour(owner, () => owner.exchange.order({ orders: [bid] }, { confirm: 'executed' }));
  return page;
}

/**
 * Advances to just before the end of an hour, performs an action that needs a recent price, and
 * then advances slowly, so that a premium is sampled at that price. By R-funding-gaps, an hour
 * without a sample or with a stale price pays no funding.
 */
async function overTheHour({ info, wallet }: Client, first: () => Promise<unknown>): Promise<void> {
  const query = { type: 'userFundings', user: wallet!.address } as const;
  // A venue's clock cannot go back, so the next hour is used if the current one ends too soon.
  const hourMs = Math.ceil((Date.now() + BEFORE_HOUR_MS) / HOUR_MS) * HOUR_MS;
  setAhead(hourMs - BEFORE_HOUR_MS);
  await vi.waitFor(first, PATIENCE);
  for (let timeMs = hourMs - BEFORE_HOUR_MS; timeMs <= hourMs; timeMs += STEP_MS) {
    setAhead(timeMs);
    await vi.waitFor(async () => {
      const { asOf } = await info.historyPage(query);
      expect(asOf.time).toBeGreaterThan(timeMs);
    }, PATIENCE);
  }
}

const setAhead = (timeMs: number): void => {
  writeFileSync(clockFile, String(timeMs - Date.now()));
};
