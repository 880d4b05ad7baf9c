import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';
import type { Picture } from '../support/picture.ts';
import { perpNear, tradeBetween, trader } from '../support/trading.ts';

let visits = 0;

/** Somebody who has traded just now. */
async function traded({ url }: Venue): Promise<string> {
  visits += 1;
  const seller = await trader(url, `explorer picture seller ${visits}`);
  const buyer = await trader(url, `explorer picture buyer ${visits}`);
  await tradeBetween(seller, buyer, { ...(await perpNear(buyer, 'BTC-USDC')), size: '0.01' });
  return buyer.wallet!.address;
}

async function atAccount(page: Page, venue: Venue): Promise<void> {
  const user = await traded(venue);
  const field = page.getByRole('searchbox');
  await field.fill(user);
  await field.press('Enter');
  await page.getByText('BTC-USDC').first().waitFor();
}

async function atOrder(page: Page, venue: Venue): Promise<void> {
  const user = await traded(venue);
  const own = page.getByRole('row').filter({ has: page.getByTitle(user) });
  await own.filter({ hasText: 'Order' }).first().getByRole('link').first().click();
  await page.getByText(/^Buy 0.01 BTC-USDC/).waitFor();
}

export const pictures: readonly Picture[] = [
  {
    name: 'explorer',
    path: '/explorer',
    prepare: async (page, venue) => {
      const user = await traded(venue);
      await page.getByTitle(user).first().waitFor();
    },
  },
  { name: 'explorer-tx', path: '/explorer', prepare: atOrder },
  { name: 'explorer-account', path: '/explorer', prepare: atAccount },
  { name: 'explorer-block-missing', path: '/explorer/block/999999999' },
  { name: 'operate-health', path: '/operate' },
  { name: 'operate-perps', path: '/operate?tab=perps' },
  { name: 'operate-gates', path: '/operate?tab=gates' },
  { name: 'operate-fees', path: '/operate?tab=fees' },
  { name: 'operate-operators', path: '/operate?tab=operators' },
];
