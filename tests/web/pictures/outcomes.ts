import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';
import { HeldSeries, PERIOD_MS } from '../support/held-series.ts';
import { OutcomePeople } from '../support/outcome-people.ts';
import type { Picture } from '../support/picture.ts';

/** Finds the event by its name, because slugs include a time. */
async function open(page: Page, venue: Venue, name: RegExp): Promise<void> {
  await page.goto(`${venue.url}/events`);
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function showTicket(page: Page): Promise<void> {
  const bar = page.getByRole('button', { name: /^(?:Yes|Up) / });
  if (!(await page.getByRole('region', { name: 'Order ticket' }).isVisible()))
    await bar.last().click();
}

async function spend(page: Page, amount: string): Promise<void> {
  await showTicket(page);
  await page.getByLabel('Amount').fill(amount);
}

async function split(page: Page, amount: string): Promise<void> {
  await showTicket(page);
  await page.getByRole('radio', { name: 'Split' }).click();
  await page.getByLabel('Pairs').fill(amount);
  await page.getByRole('button', { name: /^Transfer / }).click();
  await page.getByRole('button', { name: /^Split \d/ }).click();
  await page.getByText(/split into/).waitFor();
}

/** Creates a separate event, so that changes to it do not appear in other pictures. */
async function own(
  page: Page,
  { url }: Venue,
  fields: { readonly event?: object; readonly market?: object } = {},
) {
  const people = new OutcomePeople(url);
  const eventSlug = await people.event({
    title: 'Does the night ferry sail?',
    category: 'harbour',
    description: 'Yes if it leaves the quay before midnight.',
    ...fields.event,
  });
  const market = await people.market(
    { question: 'Does the night ferry sail?', ...fields.market },
    eventSlug,
  );
  await people.quote(market);
  await page.goto(`${url}/events/${eventSlug}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { people, market, eventSlug };
}

const DERBY = /Demo Grand Prix/;
const LONG =
  'Will the harbour master of the northern archipelago publish the corrected tide tables before the autumn regatta is called off for the second time';

let held: Promise<HeldSeries> | undefined;

/** Opens a series in the middle of its second market. The pictures control the clock. */
async function heldSeries(): Promise<HeldSeries> {
  const series = await HeldSeries.start();
  const { firstStartMs: startMs, people, slug } = series;
  for (let at = 0; at < 9; at++) {
    await series.priceBefore(startMs + at * PERIOD_MS, String(100 + ((at * 7) % 5)));
    series.passTo(startMs + at * PERIOD_MS + 6_000);
  }
  for (let at = 0; at < 60; at++) {
    series.passTo(series.nowMs + 5_000);
    await series.observe((102 + Math.sin(at / 6) * 1.5 + at / 60).toFixed(2));
  }
  const { current } = await people.deployer.info.outcomeSeriesTimeline({ seriesSlug: slug });
  await people.quote({ id: current!.instrumentId });
  return series;
}

export const pictures: readonly Picture[] = [
  { name: 'outcomes-events', path: '/events' },
  { name: 'outcomes-events-nothing', path: '/events?q=nothing' },
  { name: 'outcomes-events-awaiting', path: '/events?status=closed' },
  {
    name: 'outcomes-event',
    path: '/events',
    prepare: async (page, venue) => open(page, venue, DERBY),
  },
  {
    name: 'outcomes-holders',
    path: '/events',
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await page.getByRole('tab', { name: 'Holders' }).click();
      await page
        .getByRole('region', { name: /^Holders of/ })
        .first()
        .scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'outcomes-ticket',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await spend(page, '50');
      await page.getByRole('button', { name: /^Transfer / }).click();
      await page.getByRole('button', { name: /^Buy \d/ }).click();
      await page.getByText('Filled').waitFor();
      await page.getByLabel('Amount').fill('20');
    },
  },
  {
    name: 'outcomes-book',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await own(page, venue);
      await showTicket(page);
      await page.getByRole('radio', { name: 'Limit' }).click();
      await page.getByLabel('Price', { exact: true }).fill('41');
      await page.getByLabel('Amount').fill('40');
      await page.getByRole('button', { name: /^Transfer / }).click();
      await page.getByRole('button', { name: /^Buy \d/ }).click();
      await page.getByText('In the order book').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('slider').first().scrollIntoViewIfNeeded();
      await page.getByRole('slider').first().press('ArrowUp');
    },
  },
  {
    name: 'outcomes-rules',
    path: '/events',
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await page.getByRole('tab', { name: 'Rules' }).click();
      await page.getByRole('tabpanel').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'outcomes-split',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await split(page, '25');
      await page.getByLabel('Pairs').fill('5');
    },
  },
  {
    name: 'outcomes-waits',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await own(page, venue, { market: { orderDelayMs: 10_000 } });
      await spend(page, '10');
      await page.getByRole('button', { name: /^Transfer / }).click();
      await page.getByRole('button', { name: /^Buy \d/ }).click();
      await page.getByText(/Order held for/).waitFor();
    },
  },
  {
    name: 'outcomes-failed',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      const { market, people } = await own(page, venue, { market: { orderDelayMs: 4_000 } });
      await spend(page, '10');
      await page.getByRole('button', { name: /^Transfer / }).click();
      await page.getByRole('button', { name: /^Buy \d/ }).click();
      await page.getByText(/Order held for/).waitFor();
      await people.set(market, 'halt');
      await page.getByText('Not placed').waitFor();
      await page.getByText('You can cancel resting orders').waitFor();
    },
  },
  {
    name: 'outcomes-closed',
    path: '/events',
    prepare: async (page, venue) => {
      const { market, people } = await own(page, venue);
      await people.set(market, 'close');
      await page.getByText('closed', { exact: true }).first().waitFor();
    },
  },
  {
    name: 'outcomes-resolved',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      const { market, people } = await own(page, venue);
      await split(page, '25');
      await page.keyboard.press('Escape');
      await people.resolve(market, '1', 'The quay camera shows her leaving at 23:41.');
      await page.getByRole('heading', { name: 'Yes won' }).waitFor();
    },
  },
  {
    name: 'outcomes-long',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      const market = { groupTitle: `${LONG}, first reading`, priceTick: '0.001' };
      const event = {
        title: `${LONG}?`,
        mutuallyExclusive: true,
        category: 'a very long category',
      };
      const { eventSlug, people } = await own(page, venue, { event, market });
      for (const groupTitle of ['Zwölf', 'Ω', '<b>bold</b>', 'A', 'B', 'C', 'Other']) {
        await people.market({ groupTitle }, eventSlug);
      }
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await spend(page, '123456789');
    },
  },
  {
    name: 'outcomes-lost',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await own(page, venue);
      await spend(page, '10');
      await page.context().setOffline(true);
      await page.waitForTimeout(1_500);
    },
  },
  { name: 'outcomes-no-event', path: '/events/there-is-none' },
  {
    name: 'outcomes-series',
    path: '/series/btc-up-or-down-15m',
    prepare: async (page) => {
      await page.getByRole('heading', { level: 1, name: /BTC up or down/ }).waitFor();
    },
  },
  {
    name: 'outcomes-series-running',
    path: '/',
    prepare: async (page) => {
      held ??= heldSeries();
      const { slug, venue } = await held;
      await page.goto(`${venue.url}/series/${slug}`);
      await page
        .getByRole('button', { name: /: (?:Up|Down)$/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'outcomes-series-receipt',
    path: '/',
    prepare: async (page) => {
      held ??= heldSeries();
      const { slug, venue } = await held;
      await page.goto(`${venue.url}/series/${slug}`);
      await page
        .getByRole('button', { name: /: (?:Up|Down)$/ })
        .last()
        .click();
      await page.getByRole('button', { name: 'Verify in browser' }).click();
    },
  },
];
