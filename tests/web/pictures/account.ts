import type { Page } from 'playwright-core';
import { limitOrder } from '@oddlot/sdk';
import type { Venue } from '../../support/venue-process.ts';
import type { Picture } from '../support/picture.ts';
import { ownerOf, perpNear, tradeBetween, trader } from '../support/trading.ts';

async function settled(page: Page): Promise<void> {
  await page.getByText('1,000.00').first().waitFor();
}

let visits = 0;

/** Trades for the account that the page shows, and lets it earn as a builder. */
async function busy(page: Page, { url }: Venue): Promise<void> {
  await page.getByRole('button', { name: /^0x/ }).click();
  await page.getByRole('menuitem', { name: 'Copy the address' }).click();
  const user = await page.evaluate(() => navigator.clipboard.readText());
  const owner = await ownerOf(page, url, user);
  visits += 1;
  const other = await trader(url, `picture ${visits}`);
  for (const name of ['BTC-USDC', 'ETH-USDC']) {
    const perp = await perpNear(owner, name);
    const price = String(Math.round(Number(perp.price) * 1.002));
    const size = name === 'BTC-USDC' ? '0.02' : '0.3';
    await owner.exchange.order(
      { orders: [limitOrder({ asset: perp.asset, price, size, side: 'buy' })] },
      { confirm: 'executed' },
    );
    await other.exchange.approveBuilderFee(
      { builder: user, maxFeeRate: '0.1%' },
      { confirm: 'executed' },
    );
    await tradeBetween(owner, other, { ...perp, size: '0.01' }, { b: user, f: 50 });
    const lower = String(Math.round(Number(perp.price) * 0.98));
    await owner.exchange.order(
      { orders: [limitOrder({ asset: perp.asset, price: lower, size: '0.01', side: 'buy' })] },
      { confirm: 'executed' },
    );
  }
}

export const pictures: readonly Picture[] = [
  { name: 'account-nobody', path: '/account' },
  { name: 'account-deposit', path: '/account', hasAccount: true, prepare: settled },
  {
    name: 'account-withdraw-way',
    path: '/account?tab=money&do=withdraw',
    hasAccount: true,
    prepare: async (page) => {
      await settled(page);
      await page.getByRole('textbox', { name: 'Amount' }).fill('125.5');
      await page.getByRole('button', { name: /^Withdraw 125/ }).click();
      await page.getByRole('list', { name: /^Withdrawal of 125/ }).waitFor();
      await page.getByRole('textbox', { name: 'Amount' }).fill('5000');
    },
  },
  {
    name: 'account-transfer',
    path: '/account?tab=money&do=transfer',
    hasAccount: true,
    prepare: async (page) => {
      await settled(page);
      await page.getByRole('textbox', { name: 'Amount' }).fill('400');
      await page.getByRole('button', { name: /^Transfer 400/ }).click();
      await page.getByRole('row', { name: /To outcomes/ }).waitFor();
      await page.getByRole('radio', { name: 'To somebody' }).click();
      await page.getByRole('textbox', { name: 'Receiver' }).fill('0x12');
    },
  },
  {
    name: 'account-faucet-refused',
    path: '/account?tab=money&do=faucet',
    hasAccount: true,
    prepare: async (page) => {
      await settled(page);
      await page.getByRole('button', { name: /^Get 1,000/ }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'account-keys', path: '/account?tab=keys', hasAccount: true },
  {
    name: 'account-erase',
    path: '/account?tab=keys',
    hasAccount: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Erase the keys' }).click();
    },
  },
  { name: 'account-preferences', path: '/account?tab=preferences', hasAccount: true },
  { name: 'portfolio-empty', path: '/portfolio', hasAccount: true },
  { name: 'portfolio-busy', path: '/portfolio?window=day', hasAccount: true, prepare: busy },
  {
    name: 'portfolio-fills',
    path: '/portfolio?tab=fills&curve=pnl',
    hasAccount: true,
    prepare: busy,
  },
  { name: 'builder-busy', path: '/builder', hasAccount: true, prepare: busy },
  { name: 'builder-empty', path: '/builder', hasAccount: true },
];
