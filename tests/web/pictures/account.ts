import type { Page } from 'playwright-core';
import type { Picture } from '../support/picture.ts';

async function settled(page: Page): Promise<void> {
  await page.getByText('1,000.00').first().waitFor();
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
  { name: 'builder-empty', path: '/builder', hasAccount: true },
];
