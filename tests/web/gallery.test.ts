import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

/** The colour of the frame that a phone draws around the page. */
const frame = (page: Page) => page.locator('meta[name="theme-color"]').getAttribute('content');

test('the frame that a phone draws around the page has its colour in the light', async () => {
  const visit = await browser.visit(venue.url, { theme: 'light' });
  await visit.open('/gallery');
  expect(await frame(visit.page)).toMatch(/^#fff(?:fff)?$/);
});

test('a dialog, a menu, a number field and a long table, by keyboard and in the dark', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/gallery');
  expect(await frame(page)).toMatch(/^#14171b$/);
  const opener = page.getByRole('button', { name: 'Dialog' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Leverage' });
  await dialog.waitFor();
  expect(await faultsFound(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Cancel all' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem', { name: 'Cancel all' }).waitFor({ state: 'detached' });

  const price = page.getByLabel('Price', { exact: true }).first();
  await price.fill('1234,5');
  expect(await price.inputValue()).toBe('1234,5');
  await price.press('ArrowUp');
  expect(await price.inputValue()).toBe('1234.6');
  await price.press('Shift+ArrowDown');
  expect(await price.inputValue()).toBe('1234');
  await price.pressSequentially('x');
  expect(await price.inputValue()).toBe('1234x');
  await page.getByText('“1234x” is not a valid number. Enter it like 97,174.6.').waitFor();
  // The number that stood there is not what would be sent: a step begins anew.
  await price.press('ArrowUp');
  expect(await price.inputValue()).toBe('0.1');
  await price.fill('12 or so');
  await price.blur();
  expect(await price.inputValue()).toBe('12 or so');
  // As it is copied from anywhere on the page.
  await price.fill('97,174.6');
  await price.blur();
  expect(await price.inputValue()).toBe('97174.6');

  const table = page.getByRole('group', { name: 'Many rows' });
  expect(await table.getByRole('row').count()).toBeLessThan(60);
  await table.getByRole('button', { name: 'PnL' }).click();
  await table.getByText('+2,499.00').waitFor();
  await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await table.getByText('−2,500.00').waitFor();
});
