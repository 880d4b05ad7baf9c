import type { Picture } from '../support/picture.ts';

export const pictures: readonly Picture[] = [
  {
    name: 'markets',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
    },
  },
  {
    name: 'markets-with-account',
    path: '/',
    hasAccount: true,
    prepare: async (page) => {
      await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
    },
  },
  {
    name: 'markets-nothing-found',
    path: '/?q=nothing',
  },
  {
    name: 'markets-offline',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
      // What a lost line looks like: requests and sockets find nobody.
      await page.context().setOffline(true);
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await page.getByText(/Connection lost/).waitFor();
    },
  },
  {
    name: 'connect-dialog',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Connect' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'not-found', path: '/no/such/screen' },
  { name: 'gallery', path: '/gallery' },
];
