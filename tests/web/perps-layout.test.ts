import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { button } from './support/terminal.ts';
import type { Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** The terminal's panels can be moved, resized, closed and saved, also with the keyboard. */

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test('panels can be closed, moved, resized and saved with the keyboard, and survive a reload', async () => {
  const { page } = await terminal();
  expect(await order(page)).toEqual(['chart', 'book', 'trades', 'tables', 'ticket']);
  await inMenu(page, 'Trades', 'Close panel');
  await inMenu(page, 'Order ticket', 'Move left');
  await expect.poll(() => order(page)).toEqual(['ticket', 'chart', 'book', 'tables']);
  const line = page.getByRole('separator', { name: /^Size of Order ticket and/ });
  const before = await width(page, 'ticket');
  for (let times = 0; times < 4; times++) await line.press('ArrowRight');
  await expect.poll(() => width(page, 'ticket')).toBe(before + 64);
  expect(await faultsFound(page)).toEqual([]);
  await page.reload();
  await expect.poll(() => order(page)).toEqual(['ticket', 'chart', 'book', 'tables']);
  expect(await width(page, 'ticket')).toBe(before + 64);

  await inLayout(page, 'menuitem', 'Save layout');
  await page.getByRole('textbox', { name: 'Name' }).fill('Left');
  await page.keyboard.press('Enter');
  await inLayout(page, 'menuitem', 'Default layout');
  await expect.poll(() => order(page)).toEqual(['chart', 'book', 'trades', 'tables', 'ticket']);
  await inLayout(page, 'menuitem', 'Left');
  await expect.poll(() => order(page)).toEqual(['ticket', 'chart', 'book', 'tables']);
  await inLayout(page, 'menuitem', 'Save layout');
  await button(page, 'Remove layout Left').press('Enter');
  await page.keyboard.press('Escape');
});

test('a panel can be dragged to a side of another panel', async () => {
  const { page } = await terminal();
  const grip = (await button(page, 'Move or close: Order book').boundingBox())!;
  const target = (await page.locator('[data-panel=chart]').boundingBox())!;
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(target.x + 200, target.y + 200, { steps: 4 });
  await page.mouse.move(target.x + 12, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => order(page)).toEqual(['book', 'chart', 'trades', 'tables', 'ticket']);
});

test('two charts next to each other have separate settings and markets, and the watchlist changes the market', async () => {
  const { page } = await terminal();
  await inLayout(page, 'menuitemcheckbox', 'Second chart');
  await page.getByRole('region', { name: 'Second chart' }).waitFor();
  const second = page.locator('[data-panel=chart2]');
  await second.getByRole('button', { name: /^Market of the second chart/ }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'ETH-USDC' }).press('Enter');
  await second.getByRole('button', { name: 'Market of the second chart ETH-USDC' }).waitFor();
  const first = page.locator('[data-panel=chart]');
  await second.getByRole('button', { name: /^Interval/ }).press('Enter');
  await page.getByRole('menuitemradio', { name: '1h', exact: true }).press('Enter');
  await second.getByRole('button', { name: 'Interval 1h' }).waitFor();
  await first.getByRole('button', { name: 'Interval 1m' }).waitFor();
  expect(await faultsFound(page)).toEqual([]);
  const watched = page.getByRole('navigation', { name: 'Watchlist' });
  await watched.getByRole('link', { name: /^SOL/ }).press('Enter');
  await page.getByRole('heading', { name: /^SOL-USDC/ }).waitFor();
});

async function terminal(): Promise<Visit> {
  const visit = await browser.visit(venue.url);
  await visit.open('/trade/BTC-USDC');
  await visit.page.getByText(/^O [\d,]/).waitFor();
  return visit;
}

async function order(page: Page): Promise<readonly (string | undefined)[]> {
  return page
    .locator('[data-panel]')
    .evaluateAll((panels) => panels.map((panel) => (panel as HTMLElement).dataset['panel']));
}

async function width(page: Page, panel: string): Promise<number> {
  return Math.round((await page.locator(`[data-panel=${panel}]`).boundingBox())!.width);
}

async function inMenu(page: Page, panel: string, item: string): Promise<void> {
  await button(page, `Move or close: ${panel}`).press('Enter');
  await page.getByRole('menuitem', { name: item }).press('Enter');
}

async function inLayout(page: Page, role: 'menuitem' | 'menuitemcheckbox', item: string) {
  await button(page, 'Layout').press('Enter');
  await page.getByRole(role, { name: item, exact: true }).press('Enter');
}
