import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { DESKTOP, PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Tests the event cards, which open a ticket in place when a price is pressed. */

const TITLE = 'Does the ferry sail on Sunday?';

let venue: Venue;
let browser: WebBrowser;
let people: OutcomePeople;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  people = new OutcomePeople(venue.url);
  const slug = await people.event({ title: TITLE, category: 'weather', image: '/icon-192.png' });
  await people.quote(await people.market({ outcomes: ['Yes', 'No'] }, slug));
});
afterEach(() => browser.leaveAll());

const card = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });

test.each(['/', '/events'])(
  'on %s, the first press on a price opens a ticket and the second one buys, even if the money is in the perps account',
  async (path) => {
    const visit = await browser.visit(venue.url);
    const { address, owner } = await visit.openWithAccount(path);
    const { page } = visit;
    await card(page, TITLE)
      .getByRole('button', { name: /Yes 46(\.0)?¢/ })
      .click();
    const ticket = page.getByRole('dialog', { name: TITLE });
    await ticket.getByText('Transfers 10.00 USDC from your perps account first.').waitFor();
    await expectReadable(page, 'ticket', { theme: 'light', size: DESKTOP });
    await ticket.getByRole('button', { name: /^Buy [\d.]+ Yes for \d+\.\d\d$/ }).click();
    await ticket.getByText(/^Filled/).waitFor();
    const { assetPositions } = await owner.info.clearinghouseState({
      user: address,
      accountType: 'outcome',
    });
    expect(assetPositions).toHaveLength(1);
    expect(Number(assetPositions[0]!.position.szi)).toBeGreaterThan(15);
  },
);

test('a ticket can be opened, filled in, sent and closed with the keyboard', async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  await visit.openWithAccount('/events');
  const { page } = visit;
  const price = card(page, TITLE).getByRole('button', { name: /No 56(\.0)?¢/ });
  await price.press('Enter');
  const ticket = page.getByRole('dialog', { name: TITLE });
  const amount = ticket.getByLabel('Amount');
  await amount.fill('20');
  await ticket.getByText('Transfers 20.00 USDC from your perps account first.').waitFor();
  await ticket.getByRole('button', { name: /^Buy [\d.]+ No for/ }).press('Enter');
  await ticket.getByText(/^Filled/).waitFor();
  await page.keyboard.press('Escape');
  await ticket.waitFor({ state: 'detached' });
  expect(await price.evaluate((it) => it === document.activeElement)).toBe(true);
});

test("the cards in a row have equal heights, fill the width, and show their event's picture", async () => {
  const visit = await browser.visit(venue.url);
  await visit.open('/events');
  const { page } = visit;
  const picture = card(page, TITLE).locator('img');
  await expect
    .poll(() => picture.evaluate((it) => (it as HTMLImageElement).naturalWidth))
    .toBe(192);
  for (const width of [360, 768, 834, 1_280, 1_440, 1_920]) {
    await page.setViewportSize({ ...DESKTOP, width });
    const rows = await card(page, TITLE).evaluate((it) => {
      const cards = [...it.parentElement!.children].map((each) => each.getBoundingClientRect());
      const tops = [...new Set(cards.map(({ top }) => Math.round(top)))];
      return tops.map((top) => {
        const row = cards.filter((each) => Math.round(each.top) === top);
        const { right } = it.parentElement!.getBoundingClientRect();
        const heights = row.map(({ height }) => Math.round(height));
        return [new Set(heights).size, Math.round(right - row.at(-1)!.right)];
      });
    });
    expect([width, ...rows]).toEqual([width, ...rows.map(() => [1, 0])]);
  }
});

test('a card with a single market next to one with several has no empty area', async () => {
  const title = 'Which ferry sails first?';
  const slug = await people.event({ title, category: 'weather' });
  for (const groupTitle of ['Heron', 'Gannet', 'Cormorant', 'Eider']) {
    await people.market({ groupTitle, question: `${groupTitle}?` }, slug);
  }
  const visit = await browser.visit(venue.url);
  await visit.open('/events?topic=weather');
  const { page } = visit;
  await card(page, title).waitFor();
  for (const width of [360, 768, 1_280, 1_920]) {
    await page.setViewportSize({ ...DESKTOP, width });
    const gaps = await card(page, TITLE).evaluate((it) => {
      const texts = [...it.querySelectorAll('*')].filter(
        (each) =>
          each.tagName === 'IMG' ||
          [...each.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE) ||
          getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)',
      );
      const boxes = texts
        .map((each) => each.getBoundingClientRect())
        .filter(({ height, width: wide }) => height > 1 && wide > 1)
        .sort((a, b) => a.top - b.top);
      let bottom = it.getBoundingClientRect().top;
      let most = 0;
      for (const box of boxes) {
        most = Math.max(most, box.top - bottom);
        bottom = Math.max(bottom, box.bottom);
      }
      return Math.round(Math.max(most, it.getBoundingClientRect().bottom - bottom));
    });
    expect([width, gaps]).toEqual([width, expect.toSatisfy((gap: number) => gap <= 20)]);
  }
});
