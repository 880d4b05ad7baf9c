import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([startWebVenue(), WebBrowser.start()]);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await browser?.close();
  await venue?.remove();
});

describe.each(['dark', 'light'] as const)('in %s', (theme) => {
  test('the frame that a phone draws around the page has its colour', async () => {
    const visit = await browser.visit(venue.url, { theme });
    await visit.open('/gallery');
    const colour = visit.page.locator('meta[name="theme-color"]');
    expect(await colour.getAttribute('content')).toMatch(
      theme === 'dark' ? /^#14171b$/ : /^#fff(?:fff)?$/,
    );
  });
});

test('dialogs take the keyboard and give it back; styles that they bring are let in', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/gallery');
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
});

test('a number field takes digits and steps on its grid; long tables draw what is in sight', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/gallery');
  const price = page.getByLabel('Price', { exact: true }).first();
  await price.fill('1234,5');
  expect(await price.inputValue()).toBe('1234,5');
  await price.press('ArrowUp');
  expect(await price.inputValue()).toBe('1234.6');
  await price.press('Shift+ArrowDown');
  expect(await price.inputValue()).toBe('1234');
  await price.pressSequentially('x');
  expect(await price.inputValue()).toBe('1234x');
  await page.getByText('“1234x” is no number here. Write it like 97,174.6.').waitFor();
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
