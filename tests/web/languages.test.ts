import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { REPOSITORY, type Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

type Texts = { readonly [name: string]: string | Texts };

function catalogue(language: string): Map<string, string> {
  const path = join(REPOSITORY, 'packages', 'web', 'src', 'words', `${language}.json`);
  const flat = (texts: Texts, at: string): [string, string][] =>
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string' ? [[`${at}.${name}`, text]] : flat(text, `${at}.${name}`),
    );
  return new Map(flat(JSON.parse(readFileSync(path, 'utf8')) as Texts, ''));
}

const [english, german] = [catalogue('en'), catalogue('de')];
/** As it may stand on a screen: anything in its gaps. A text that German has as well, anywhere, is no fault. */
const spoken = new Set(german.values());
const foreign = [...english]
  .filter(([key, text]) => german.get(key) !== text && !spoken.has(text) && /[a-z]{3}/i.test(text))
  .map(([, text]) => text.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(/[^\w\s]/g, '\\$&')))
  .filter((parts) => parts.join('').replaceAll(/\W/g, '').length > 2)
  .map((parts) => new RegExp(`^${parts.join('.+')}$`, 's'));

/** All that can be read or is read out. */
async function shown(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const parent = walker.currentNode.parentElement;
      if (parent?.closest('script, style, noscript, [lang]:not(html)') === null) {
        found.push(walker.currentNode.textContent ?? '');
      }
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        found.push(element.getAttribute(name) ?? '');
      }
    }
    return [...new Set(found.map((text) => text.trim()).filter((text) => text !== ''))];
  });
}

/** English words that no German sentence has; titles of events are whoever listed them. */
const ENGLISH = /\b(?:the|of|and|is|are|your|with|this|not|you|for|from)\b/i;

const SCREENS = [
  ['/trade/BTC-USDC', 'Orderticket', true],
  ['/portfolio', 'Nach Tagen', true],
  ['/account', 'Geld bewegen', true],
  ['/account?tab=keys', 'Schlüssel in diesem Browser', true],
  ['/account?tab=preferences', 'Größen im Ticket', true],
  ['/explorer', 'Neueste Blöcke', true],
  ['/operate', 'Versicherungsfonds, USDC', true],
  ['/', 'Perpetuals', false],
  ['/events', 'Ereignisse suchen', false],
] as const;

describe('a browser that speaks German', () => {
  test('reads German on every main screen, and nothing that was forgotten', async () => {
    const visit = await browser.visit(venue.url, { locale: 'de-DE' });
    const { page } = visit;
    await visit.openWithAccount('/');
    const english: Record<string, readonly string[]> = {};
    for (const [path, mark, isOurs] of SCREENS) {
      await visit.open(path);
      const inside = page.locator('main');
      await inside
        .getByText(mark, { exact: true })
        .or(inside.getByLabel(mark, { exact: true }))
        .or(inside.getByPlaceholder(mark))
        .first()
        .waitFor();
      await page.waitForLoadState('networkidle');
      // The name that the page gave its agent is kept at the venue.
      const texts = (await shown(page)).filter((text) => !text.includes('this browser'));
      english[path] = texts.filter(
        (text) => foreign.some((each) => each.test(text)) || (isOurs && ENGLISH.test(text)),
      );
    }
    expect(english).toEqual(Object.fromEntries(SCREENS.map(([path]) => [path, []])));
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
  });

  test('has numbers and dates of its own, and longer words fit', async () => {
    const visit = await browser.visit(venue.url, { locale: 'de-DE' });
    const { page } = visit;
    await visit.openWithAccount('/trade/BTC-USDC');
    await page.getByText(/^Höchstens/).waitFor();
    await page.getByRole('banner').getByText('1.000,00').waitFor();
    await page.getByRole('textbox', { name: 'Größe' }).first().fill('0,001');
    await page.getByRole('textbox', { name: 'Preis', exact: true }).fill('90.000,5');
    await page.getByRole('button', { name: /^Kaufen: 0,001 BTC zu 90\.000,5/ }).waitFor();
    for (const size of [DESKTOP, PHONE]) {
      await expectReadable(page, 'terminal in German', { theme: 'dark', size });
    }
  });
});

test('the language is chosen by keyboard, takes effect at once and is kept', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('button', { name: 'Settings' }).press('Enter');
  const german = page.getByRole('menuitemradio', { name: 'Deutsch' });
  await german.waitFor();
  await german.press('Enter');
  await page.getByRole('button', { name: 'Einstellungen' }).waitFor();
  await page.getByRole('form', { name: 'Orderticket' }).waitFor();
  await page.reload();
  await page.getByRole('form', { name: 'Orderticket' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await visit.open('/account?tab=preferences');
  await page.getByRole('button', { name: 'Einstellungen' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'English' }).press('Enter');
  await page.getByRole('button', { name: 'Settings' }).waitFor();
});

describe('from right to left', () => {
  /** Where something begins, from the left edge of the screen. */
  const left = (page: Page, selector: string): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().left);

  test('the page is mirrored, nothing is cut or wider than the screen, and charts stay as they are', async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open('/gallery');
    await page.getByRole('checkbox', { name: 'From right to left' }).press('Space');
    await page.locator('html[dir=rtl]').waitFor();
    await expectReadable(page, 'gallery mirrored', { theme: 'dark', size: DESKTOP });
    await expectReadable(page, 'gallery mirrored', { theme: 'light', size: PHONE });
    await page.setViewportSize(DESKTOP);
    // The name of the page stands at the right.
    expect(await left(page, 'header a')).toBeGreaterThan(DESKTOP.width / 2);
    // By links alone: a reload speaks as it was chosen.
    await page.locator('header nav a[href="/"]').click();
    await page.locator('main a[href^="/trade/"]').first().click();
    await page.locator('main form').waitFor();
    await page.locator('main canvas').first().waitFor();
    const [ticket, chart] = [await left(page, 'main form'), await left(page, 'main canvas')];
    expect(ticket).toBeLessThan(chart);
    await expectReadable(page, 'terminal mirrored', { theme: 'dark', size: DESKTOP });
    expect(
      await page
        .locator('main canvas')
        .first()
        .evaluate((it) => getComputedStyle(it).direction),
    ).toBe('ltr');
    await page.reload();
    await page.locator('html[dir=ltr]').waitFor();
  });
});
