import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';
import type { Picture } from '../support/picture.ts';

/** Slugs have a time in them: the event is found by its name. */
async function open(page: Page, venue: Venue, name: RegExp): Promise<void> {
  await page.goto(`${venue.url}/events`);
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function buy(page: Page, amount: string): Promise<void> {
  const bar = page.getByRole('button', { name: /^Yes \d/ });
  if (!(await page.getByRole('region', { name: 'Ticket' }).isVisible())) await bar.last().click();
  await page.getByLabel('Spend').fill(amount);
}

const DERBY = /snail derby/i;

export const pictures: readonly Picture[] = [
  { name: 'outcomes-events', path: '/events' },
  { name: 'outcomes-events-nothing', path: '/events?q=nothing' },
  { name: 'outcomes-events-upcoming', path: '/events?status=upcoming' },
  {
    name: 'outcomes-event',
    path: '/events',
    prepare: async (page, venue) => open(page, venue, DERBY),
  },
  {
    name: 'outcomes-ticket',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await buy(page, '50');
      await page.getByRole('button', { name: /^Move/ }).click();
      await page.getByRole('button', { name: /^Buy \d/ }).click();
      await page.getByText('Filled').waitFor();
      await page.getByLabel('Spend').fill('20');
    },
  },
  {
    name: 'outcomes-rules',
    path: '/events',
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await page.getByRole('tab', { name: 'Rules' }).click();
    },
  },
  {
    name: 'outcomes-split',
    path: '/events',
    hasAccount: true,
    prepare: async (page, venue) => {
      await open(page, venue, DERBY);
      await buy(page, '50');
      await page.getByRole('radio', { name: 'Split' }).click();
      await page.getByLabel('Pairs').fill('25');
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
];
