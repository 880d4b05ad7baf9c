import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type OutcomeEventMeta } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  EVENT_TEMPLATES,
  SERIES_TEMPLATES,
} from '../../packages/venue/src/exhibition/event-templates.ts';
import { inOneDirection, speak } from '../../packages/web/src/lib/words.ts';
import { seriesTitle, translated } from '../../packages/web/src/market/events/demo-texts.ts';
import { DEPLOYER } from '../support/deployer.ts';
import { REPOSITORY, type Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

const NAMES = ['Atlas Racing', 'Comet', 'Dune GP', 'Ada Finch', 'Bo Lindgren', 'Carla Reyes'];

function textsOf({ description, markets, title }: OutcomeEventMeta): readonly string[] {
  return [
    title,
    description,
    ...markets.flatMap(({ group_title, outcomes, question }) => [
      question,
      ...(group_title === null ? [] : [group_title]),
      ...outcomes,
    ]),
  ];
}

const texts = (language: string): string =>
  join(REPOSITORY, 'packages', 'web', 'src', 'words', `${language}.json`);

const OPERATED = ['--admins', DEPLOYER, '--deployers', DEPLOYER];

type Texts = { readonly [name: string]: string | Texts };

function catalogue(language: string): Map<string, string> {
  const flat = (texts: Texts, at: string): [string, string][] =>
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string' ? [[`${at}.${name}`, text]] : flat(text, `${at}.${name}`),
    );
  return new Map(flat(JSON.parse(readFileSync(texts(language), 'utf8')) as Texts, ''));
}

const [english, german] = [catalogue('en'), catalogue('de')];
/**
 * Regular expressions for the English texts, with wildcards for placeholders. A text that is the
 * same in German is not an error.
 */
const spoken = new Set(german.values());
const foreign = [...english]
  .filter(([key, text]) => german.get(key) !== text && !spoken.has(text) && /[a-z]{3}/i.test(text))
  .map(([, text]) => text.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(/[^\w\s]/g, '\\$&')))
  .filter((parts) => parts.join('').replaceAll(/\W/g, '').length > 2)
  .map((parts) => new RegExp(`^${parts.join('.+')}$`, 's'));

/** Returns all visible texts and the texts for screen readers. */
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

/**
 * Returns the deployers' texts in all listings, including those from other test files. The page
 * shows them untranslated.
 */
async function deployersTexts(url: string): Promise<readonly string[]> {
  const { info } = createClient({ url });
  const events: OutcomeEventMeta[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await info.outcomeMeta({ status: 'all', cursor });
    events.push(...page.events);
    cursor = page.next_cursor;
  }
  const series = new Set(events.flatMap(({ series_slug: slug }) => slug ?? []));
  const timelines = [...series].map((seriesSlug) => info.outcomeSeriesTimeline({ seriesSlug }));
  const texts = [
    ...(await Promise.all(timelines)).map(({ title }) => title),
    ...events.flatMap(({ category, description, tags, title }) =>
      [title, description, category].concat(tags),
    ),
    ...events
      .flatMap(({ markets }) => markets)
      .flatMap(({ description, group_title, outcomes, question, resolution_source }) =>
        [question, group_title ?? '', description, resolution_source].concat(outcomes),
      ),
  ];
  // The page removes characters that change the text direction. Longer texts are replaced first,
  // because one text may be part of another.
  const shown = new Set(texts.map((text) => inOneDirection(text).trim()));
  return [...shown].filter((text) => text !== '').sort((a, b) => b.length - a.length);
}

/** The replacement for deployers' texts. Placeholders in sentences match it. */
const THEIRS = '~';
/**
 * Where space is limited, the page shows at least this many characters of a name, followed by `…`.
 */
const CUT_CHARS_MIN = 12;

/**
 * Removes the deployers' texts. A single word such as Yes may also be one of the page's words, so
 * it is removed only if it is the whole text.
 */
function oursIn(text: string, theirs: readonly string[]): string {
  if (theirs.includes(text)) return THEIRS;
  const phrases = theirs.filter((each) => each.includes(' '));
  return phrases.reduce((left, each) => {
    const rest = left.replaceAll(each, THEIRS);
    return rest.includes('…') ? withoutBeginning(rest, each) : rest;
  }, text);
}

function withoutBeginning(text: string, theirs: string): string {
  for (let length = theirs.length - 1; length >= CUT_CHARS_MIN; length--) {
    const cut = `${theirs.slice(0, length)}…`;
    if (text.includes(cut)) return text.replaceAll(cut, THEIRS);
  }
  return text;
}

/** English words that do not occur in German sentences. */
const ENGLISH = /\b(?:the|of|and|is|are|your|with|this|not|you|for|from)\b/i;

/** Screens, each with a text that is visible once the screen has loaded. */
const SCREENS = [
  ['/trade/BTC-USDC', 'Orderticket'],
  ['/portfolio', 'Tagesergebnisse'],
  ['/account', 'Guthaben bewegen'],
  ['/account?tab=keys', 'Schlüssel in diesem Browser'],
  ['/account?tab=preferences', 'Vorgegebene Ordergrößen'],
  ['/explorer', 'Neueste Blöcke'],
  ['/operate', 'Versicherungsfonds, USDC'],
  ['/', 'Perpetuals'],
  ['/events', 'Ereignisse suchen'],
  ['/events/{event}', 'Chancen im Verlauf'],
] as const;

/**
 * Every field that a deployer can set is English. The title is also one of the page's texts and has
 * a German translation.
 */
const EVENT = {
  title: english.get('.outcomes.noEventText') ?? '',
  description: 'You are paid for what the harbour master says.',
  category: 'the sea',
};
const MARKET = {
  question: 'Will the ferry from the north be late for this tide?',
  groupTitle: 'From the north',
  description: 'The clock is that of the harbour, and not your own.',
  resolutionSource: 'the log of the harbour',
  outcomes: ['Late', 'In time with the tide'],
};

describe('a German browser gets a German page', () => {
  test('every main screen is in German without untranslated texts', async () => {
    const people = new OutcomePeople(venue.url);
    const event = await people.event(EVENT);
    await people.market(MARKET, event);
    const theirs = await deployersTexts(venue.url);
    const visit = await browser.visit(venue.url, { locale: 'de-DE' });
    const { page } = visit;
    await visit.openWithAccount('/');
    const english: Record<string, readonly string[]> = {};
    let texts: readonly string[] = [];
    for (const [path, mark] of SCREENS) {
      await visit.open(path.replace('{event}', event));
      const inside = page.locator('main');
      await inside
        .getByText(mark, { exact: true })
        .or(inside.getByLabel(mark, { exact: true }))
        .or(inside.getByPlaceholder(mark))
        .first()
        .waitFor();
      await page.waitForLoadState('networkidle');
      // The page sets the agent's name, and the venue stores it.
      texts = (await shown(page)).filter((text) => !text.includes('this browser'));
      english[path] = texts.filter((text) => {
        const ours = oursIn(text, theirs);
        return foreign.some((each) => each.test(ours)) || ENGLISH.test(ours);
      });
    }
    expect(english).toEqual(Object.fromEntries(SCREENS.map(([path]) => [path, []])));
    // The last screen shows the deployers' texts unchanged.
    expect(texts).toEqual(expect.arrayContaining([EVENT.title, EVENT.category]));
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
  });

  test("the venue's demo events are in German, and identical texts in other events are not translated", async () => {
    const demo = await startWebVenue([...WITH_PAGE, '--no-bots', '--exhibition', ...OPERATED]);
    onTestFinished(() => demo.remove());
    const people = new OutcomePeople(demo.url);
    const theirs = await people.event({ title: 'Weather in Demo City', category: 'weather' });
    await people.market({ question: 'Does it rain in Demo City?', groupTitle: 'Rain' }, theirs);
    const visit = await browser.visit(demo.url, { locale: 'de-DE' });
    const { page } = visit;
    await visit.open('/events?topic=weather');
    await page.getByRole('button', { name: 'Wetter', pressed: true }).waitFor();
    await page.getByRole('heading', { name: 'Weather in Demo City', exact: true }).waitFor();
    await page
      .getByRole('link', { name: /^Wetter in Demo City/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^Wetter in Demo City/ }).waitFor();
    const main = page.locator('main');
    await main.getByText('Regen', { exact: true }).first().waitFor();
    await main.getByRole('button', { name: 'Regeln und Quelle' }).click();
    await main.getByText(/^Demo-Markt dieser Börse/).waitFor();
    await main.getByText(/ SHA-256 0x[0-9a-f]{64}\./).waitFor();
    const shownTexts = (await shown(page)).filter((text) => ENGLISH.test(text));
    expect(shownTexts).toEqual([]);
    // Changing the language affects the event that is already shown.
    await page.getByRole('button', { name: 'Einstellungen' }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'English' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Weather in Demo City/ }).waitFor();
  });

  test('every text in the demo templates has a German version', () => {
    speak('de', JSON.parse(readFileSync(texts('de'), 'utf8')));
    const day = '(15 Nov 2026, 12:00–12:15 UTC)';
    const same = EVENT_TEMPLATES.flatMap(({ description, markets, slug, title }) => {
      const market = (
        question: string,
        groupTitle: string | null,
        outcomes: readonly string[],
      ) => ({
        question: `${question} ${day}`,
        group_title: groupTitle,
        description,
        resolution_source: '',
        outcomes,
      });
      const event = {
        slug: `${slug}-1794700800`,
        tags: ['exhibition'],
        series_slug: null,
        title: `${title} ${day}`,
        description,
        markets: markets.map((each) => market(each.question, each.groupTitle, each.outcomes)),
      } as unknown as OutcomeEventMeta;
      const before = textsOf(event);
      return textsOf(translated(event)).filter((text, at) => text === before[at]);
    });
    speak('en');
    // Names are the same in both languages.
    expect(new Set(same)).toEqual(new Set(NAMES));
    const theirs = { slug: 'demo-coin', tags: ['exhibition'], series_slug: null, title: 'Rain' };
    expect(translated(theirs as unknown as OutcomeEventMeta)).toBe(theirs);
    const series = SERIES_TEMPLATES.filter(({ slug, title }) => {
      speak('de', JSON.parse(readFileSync(texts('de'), 'utf8')));
      return seriesTitle(slug, title) === title;
    });
    speak('en');
    expect(series).toEqual([]);
  });

  test('numbers and dates are formatted the German way, and longer words fit', async () => {
    const visit = await browser.visit(venue.url, { locale: 'de-DE' });
    const { page } = visit;
    await visit.openWithAccount('/trade/BTC-USDC');
    await page.getByText(/^Max\. \d/).waitFor();
    await page.getByRole('banner').getByText('1.000,00').waitFor();
    await page.getByRole('textbox', { name: 'Größe' }).first().fill('0,001');
    await page.getByRole('textbox', { name: 'Preis', exact: true }).fill('90.000,5');
    await page.getByRole('button', { name: /^Kaufen: 0,001 BTC zu 90\.000,5/ }).waitFor();
    for (const size of [DESKTOP, PHONE]) {
      await expectReadable(page, 'terminal in German', { theme: 'dark', size });
    }
  });
});

test('a language selected with the keyboard takes effect immediately and is stored', async () => {
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

describe('the layout supports right-to-left languages', () => {
  /** Returns the distance of an element from the left edge of the screen. */
  const left = (page: Page, selector: string): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().left);

  test('the page is mirrored except for charts, and no content is truncated or wider than the screen', async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open('/events');
    // Mirrors the page until it is reloaded.
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    await expectReadable(page, 'events mirrored', { theme: 'dark', size: DESKTOP });
    await expectReadable(page, 'events mirrored', { theme: 'light', size: PHONE });
    await page.setViewportSize(DESKTOP);
    // The name of the page is on the right.
    expect(await left(page, 'header a')).toBeGreaterThan(DESKTOP.width / 2);
    // Navigates only through links, because a reload would undo the mirroring.
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
