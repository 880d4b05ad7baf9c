import type { Page } from 'playwright-core';
import { buyYes, limitOrder } from '@oddlot/sdk';
import { keyOf } from '../../support/wallet.ts';
import type { Venue } from '../../support/venue-process.ts';
import { ChainOperator } from '../support/chain-operator.ts';
import { injectedWallet } from '../support/injected-wallet.ts';
import type { Picture } from '../support/picture.ts';
import { ownerOf, perpNear, trader } from '../support/trading.ts';

const CONFIRMED = { confirm: 'executed' } as const;

async function settled(page: Page): Promise<void> {
  await page.getByText('1,000.00').first().waitFor();
}

async function addressOf(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^0x/ }).click();
  await page.getByRole('menuitem', { name: 'Copy address' }).click();
  return page.evaluate(() => navigator.clipboard.readText());
}

let visits = 0;

/** Trades using the page's account, and lets it earn builder fees. */
async function busy(page: Page, { url }: Venue): Promise<void> {
  const user = await addressOf(page);
  const owner = await ownerOf(page, url, user);
  visits += 1;
  const other = await trader(url, `picture ${visits}`);
  await other.exchange.approveBuilderFee({ builder: user, maxFeeRate: '0.1%' }, CONFIRMED);
  for (const [name, size] of [
    ['BTC-USDC', '0.02'],
    ['ETH-USDC', '0.3'],
    ['SOL-USDC', '4'],
  ] as const) {
    const { asset, price } = await perpNear(owner, name);
    const at = (part: number): string => String(Math.round(Number(price) * part));
    const buys = { asset, price: at(1.01), side: 'buy', size } as const;
    await owner.exchange.order({ orders: [limitOrder(buys)] }, CONFIRMED);
    const fee = { builder: { b: user, f: 50 } };
    await other.exchange.order({ orders: [limitOrder(buys)], ...fee }, CONFIRMED);
    const rests = { asset, price: at(0.98), side: 'buy', size } as const;
    await owner.exchange.order({ orders: [limitOrder(rests)] }, CONFIRMED);
  }
  await owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '200' }, CONFIRMED);
  const { events } = await owner.info.outcomeMeta({ status: 'open', limit: 5 });
  for (const { markets } of events) {
    const asset = markets[0]?.instrument_id;
    if (asset === undefined) continue;
    const order = buyYes({ asset, price: '0.9', size: '25' });
    await owner.exchange.order({ orders: [order] }, CONFIRMED).catch(() => undefined);
  }
  // The reload removes the notices, which would otherwise cover the tables.
  await page.reload();
  await page
    .getByText(/^(?:Equity|Earned)$/)
    .filter({ visible: true })
    .first()
    .waitFor();
}

/** Shows extreme balances, both larger and smaller than any real balance. */
async function extreme(page: Page, venue: Venue): Promise<void> {
  const owner = await ownerOf(page, venue.url, await addressOf(page));
  for (const [at, agentName] of ['<img src=x onerror=alert(1)>', '\u202eevil', ''].entries()) {
    const agentAddress = injectedWallet(keyOf(`picture agent ${visits} ${at}`)).address;
    await owner.exchange.approveAgent(
      { agentAddress, agentName: agentName === '' ? null : agentName },
      CONFIRMED,
    );
  }
  visits += 1;
  await page.reload();
  await page.locator('bdi').nth(3).waitFor();
}

const withdraw =
  (isPaused: boolean) =>
  async (page: Page, venue: Venue): Promise<void> => {
    const operator = await ChainOperator.of(venue);
    await settled(page);
    if (isPaused) await operator.pause(true);
    try {
      await page.getByRole('textbox', { name: 'Amount' }).fill('125.5');
      await page.getByRole('button', { name: /^Withdraw 125/ }).click();
      if (isPaused) {
        await page.getByText('The bridge is paused.').waitFor();
        await page.getByRole('button', { name: 'Withdrawal' }).click();
        await page.getByRole('dialog').getByText('The bridge is paused.').waitFor();
      } else {
        await page.getByRole('list', { name: /^Withdrawal of 125/ }).waitFor();
        await page.getByRole('textbox', { name: 'Amount' }).fill('5000');
      }
    } finally {
      if (isPaused) await operator.pause(false);
    }
  };

export const pictures: readonly Picture[] = [
  { name: 'account-nobody', path: '/account' },
  { name: 'account-deposit', path: '/account', hasAccount: true, prepare: settled },
  {
    name: 'account-withdraw-way',
    path: '/account?tab=money&do=withdraw',
    hasAccount: true,
    prepare: withdraw(false),
  },
  {
    name: 'account-withdraw-paused',
    path: '/account?tab=money&do=withdraw',
    hasAccount: true,
    prepare: withdraw(true),
  },
  {
    name: 'account-relay',
    path: '/account',
    hasAccount: true,
    prepare: async (page) => {
      await settled(page);
      await page.getByRole('radio', { name: 'Another chain' }).click();
      await page.getByRole('button', { name: /^Get address/ }).click();
      await page.getByRole('list', { name: 'Relay transfers' }).waitFor();
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
      await page.getByRole('radio', { name: 'To another account' }).click();
      await page.getByRole('textbox', { name: 'Recipient address' }).fill('0x12');
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
  { name: 'account-keys-hostile', path: '/account?tab=keys', hasAccount: true, prepare: extreme },
  {
    name: 'account-erase',
    path: '/account?tab=keys',
    hasAccount: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Erase keys' }).click();
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
  {
    name: 'portfolio-shares',
    path: '/portfolio?tab=shares&window=all',
    hasAccount: true,
    prepare: busy,
  },
  { name: 'builder-busy', path: '/builder', hasAccount: true, prepare: busy },
  { name: 'builder-empty', path: '/builder', hasAccount: true },
];
