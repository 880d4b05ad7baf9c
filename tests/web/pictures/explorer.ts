import { createReader } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';
import type { Picture } from '../support/picture.ts';
import { perpNear, tradeBetween, trader } from '../support/trading.ts';

let visits = 0;

/** Returns the address of an account that has just traded. */
async function traded({ url }: Venue): Promise<string> {
  visits += 1;
  const seller = await trader(url, `explorer picture seller ${visits}`);
  const buyer = await trader(url, `explorer picture buyer ${visits}`);
  await tradeBetween(seller, buyer, { ...(await perpNear(buyer, 'BTC-USDC')), size: '0.01' });
  return buyer.wallet!.address;
}

async function find(page: Page, text: string): Promise<void> {
  const field = page.getByRole('searchbox');
  await field.fill(text);
  await field.press('Enter');
}

async function atAccount(page: Page, venue: Venue): Promise<void> {
  await find(page, await traded(venue));
  await page.getByText('BTC-USDC').filter({ visible: true }).first().waitFor();
}

async function atOrder(page: Page, venue: Venue): Promise<void> {
  const user = await traded(venue);
  const reader = createReader({ url: venue.url });
  let fills = await reader.info.userFills({ user });
  // The history lags behind the book, so the query is retried.
  while (fills.length === 0) fills = await reader.info.userFills({ user });
  reader.close();
  await find(page, fills[0]!.hash);
  await page
    .getByText(/^Buy 0.01 BTC-USDC/)
    .first()
    .waitFor();
}

/** Opens the newest block that has a signed request. */
async function atBlock(page: Page, { url }: Venue): Promise<void> {
  const reader = createReader({ url });
  const blocks = await reader.info.blocks({ limit: 100 });
  reader.close();
  const busiest = blocks.toSorted((left, right) => right.numTxs - left.numTxs)[0];
  await find(page, String(busiest?.height ?? 1));
  await page.getByRole('heading', { name: /^Block/ }).waitFor();
}

async function nothingFound(page: Page): Promise<void> {
  await find(page, 'my lost order');
  await page.getByText(/^No match/).waitFor();
}

async function lookingOn(page: Page, venue: Venue): Promise<void> {
  await atAccount(page, venue);
  await page.getByRole('button', { name: 'View as this account' }).click();
  await page.getByText(/^Viewing/).waitFor();
}

export const pictures: readonly Picture[] = [
  {
    name: 'explorer',
    path: '/explorer',
    prepare: async (page, venue) => {
      await traded(venue);
      await page.getByRole('link').first().waitFor();
    },
  },
  { name: 'explorer-tx', path: '/explorer', prepare: atOrder },
  { name: 'explorer-block', path: '/explorer', prepare: atBlock },
  { name: 'explorer-account', path: '/explorer', prepare: atAccount },
  {
    name: 'explorer-account-empty',
    path: `/explorer/address/0x${'0'.repeat(36)}dead`,
  },
  { name: 'explorer-looking-on', path: '/explorer', prepare: lookingOn },
  { name: 'explorer-block-missing', path: '/explorer/block/999999999' },
  { name: 'explorer-nothing-found', path: '/explorer', prepare: nothingFound },
];
