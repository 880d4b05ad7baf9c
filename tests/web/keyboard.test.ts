import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { VERSION } from '@oddlot/sdk';
import type { Venue } from '../support/venue-process.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** The tests in this file use only the keyboard. */

const LONG_MS = 120_000;
/** The maximum number of Tab presses until the focus reaches a screen's main control. */
const TABS_MAX = 75;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test(
  'a first visit, a position and its close need only the keyboard',
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open('/');
    await tabTo(page, 'Trade with a test account');
    await page.keyboard.press('Enter');
    await page.getByText('Your test account is ready').waitFor();
    await tabTo(page, 'Trade BTC-USDC');
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'Market' }).waitFor();
    // The focus skips the header and starts at the screen.
    await expect.poll(() => focused(page)).toBe('screen');

    await tabTo(page, 'Limit');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toBe('Market');
    await tabTo(page, 'Size');
    await page.keyboard.type('0.01');
    await page.getByText(/Fills 0.01 at avg. 97,010.0/).waitFor();
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: /BTC-USDC/ });
    await row.getByText('0.01000', { exact: true }).waitFor();

    await tabTo(page, 'Close BTC-USDC');
    await page.keyboard.press('Enter');
    const all = 'Close 100% at market';
    await page.getByRole('menuitem', { name: all }).waitFor();
    await arrowTo(page, all);
    await page.keyboard.press('Enter');
    await page.getByText('No open positions').waitFor();
  },
  LONG_MS,
);

test('the keyboard can skip the header, and every focused element is visible', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to content');
  await expect.poll(() => isSeen(page)).toBe(true);
  for (let count = 0; count < 12; count++) {
    await page.keyboard.press('Tab');
    const name = await focused(page);
    await expect.poll(async () => [name, await isSeen(page)]).toEqual([name, true]);
  }
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.reload();
  await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main')?.id)).toBe('screen');
});

test('one key focuses the ticket, and a menu marks the selected option', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('radio', { name: 'Market' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to the order ticket');
  await expect.poll(() => isSeen(page)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Price');
  // In a field, the key types a letter. Elsewhere, it focuses the ticket.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('t');
  await expect.poll(() => focused(page)).toBe('Price');

  await tabTo(page, 'Settings', 'Shift+Tab');
  await page.keyboard.press('Enter');
  const theme = (name: string) => page.getByRole('menuitemradio', { name, exact: true });
  await expect.poll(() => theme('Dark').getAttribute('aria-checked')).toBe('true');
  // The colour of the frame that a phone draws around the page.
  const frame = page.locator('meta[name="theme-color"]');
  expect(await frame.getAttribute('content')).toMatch(/^#14171b$/);
  await arrowTo(page, 'Light');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');
  expect(await frame.getAttribute('content')).toMatch(/^#fff(?:fff)?$/);
  await expect.poll(() => focused(page)).toBe('Settings');
  await page.keyboard.press('Enter');
  await expect.poll(() => theme('Light').getAttribute('aria-checked')).toBe('true');
  expect(await theme('Dark').getAttribute('aria-checked')).toBe('false');
});

test('the ? key lists all keys, and dialogs and menus return the focus', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('button', { name: 'Trade with a test account' }).waitFor();
  await tabTo(page, 'Trade with a test account');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Search markets').waitFor();
  await help.getByText(`Oddlot ${VERSION}`, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Trade with a test account');

  await page.keyboard.press('Shift+Tab');
  await tabTo(page, 'Connect', 'Shift+Tab');
  await page.keyboard.press('Enter');
  const connect = page.getByRole('dialog', { name: 'Connect' });
  await connect.waitFor();
  await page.keyboard.press('Escape');
  await connect.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Connect');

  // When a menu closes, the focus returns to its button.
  await tabTo(page, 'Settings', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor();
  await arrowTo(page, 'Keyboard shortcuts');
  await page.keyboard.press('Enter');
  await help.waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Settings');
});

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let count = 0; count < TABS_MAX; count++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${name} was not reached by ${TABS_MAX} times ${key}`);
}

async function arrowTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < 12; count++) {
    const here = await focused(page);
    if (here === name) return;
    passed.push(here);
    await page.keyboard.press('ArrowDown');
    // The focus changes asynchronously. If a key were pressed before the change, it would start
    // from the same element.
    await expect.poll(() => focused(page)).not.toBe(here);
  }
  throw new Error(`${name} was not reached by arrows, but ${passed.join(', ')}`);
}

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (element === null || element === document.body) return '';
    if (element instanceof HTMLInputElement) {
      return element.labels?.[0]?.innerText.split('\n')[0]?.trim() ?? '';
    }
    if (element.id === 'screen') return 'screen';
    return (element.getAttribute('aria-label') ?? element.innerText).trim();
  });
}

/** Returns true if the focused element is on the screen and has an outline. */
async function isSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { height, width } = element.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const isOutlined = outlineStyle !== 'none' && outlineWidth !== '0px';
    // Input fields show the focus through the colour of their border instead of an outline.
    const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = accent;
    const { color } = getComputedStyle(probe);
    probe.remove();
    const isFramed =
      element instanceof HTMLInputElement &&
      [element, element.parentElement!].some((it) => getComputedStyle(it).borderColor === color);
    return height > 4 && width > 4 && (isOutlined || isFramed);
  });
}
