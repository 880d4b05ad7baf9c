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
    name: 'activity',
    path: '/activity',
    prepare: async (page) => {
      await page
        .getByRole('row', { name: /BTC-USDC/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'leaderboard',
    path: '/leaderboard?by=volume',
    prepare: async (page) => {
      await page.getByRole('link', { name: /^0x/ }).first().waitFor();
    },
  },
  {
    name: 'leaderboard-off',
    path: '/leaderboard',
    prepare: async (page) => {
      // Simulates a venue whose operator has disabled the feature.
      await page.route('**/info', async (route) => {
        const { type } = route.request().postDataJSON() as { type: string };
        if (type !== 'settings') return route.continue();
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replace('"has_leaderboard":true', '"has_leaderboard":false');
        return route.fulfill({ response, body });
      });
      await page.reload();
      await page.getByText('No leaderboard on this venue').waitFor();
    },
  },
  { name: 'activity-events', path: '/activity?of=events' },
  {
    name: 'activity-empty',
    path: '/activity',
    prepare: async (page) => {
      // Simulates a venue without trades.
      const body = '{"success":true,"code":0,"data":{"startTime":1767225600000,"trades":[]}}';
      const headers = { 'content-type': 'application/json' };
      await page.route('**/info', async (route) => {
        const { type } = route.request().postDataJSON() as { type: string };
        await (type === 'largestTrades' ? route.fulfill({ headers, body }) : route.continue());
      });
      await page.reload();
      await page.getByText('No trades').waitFor();
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
      // Simulates a lost connection: requests and sockets fail.
      await page.context().setOffline(true);
      await page.getByText(/You are offline/).waitFor();
    },
  },
  {
    name: 'markets-lost',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'onLine', { get: () => true });
      });
      await page.context().setOffline(true);
      await page.getByText(/Reconnecting in [2-9] s/).waitFor();
    },
  },
  {
    name: 'markets-limited',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
      // Simulates a venue that rejects the client's requests because of a rate limit.
      const body =
        '{"success":false,"code":10000,"name":"RATE_LIMITED","message":"rate limit exceeded"}';
      const headers = { 'retry-after': '8', 'content-type': 'application/json' };
      await page.route('**/info', (route) => route.fulfill({ status: 429, headers, body }));
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.getByRole('link', { name: 'Explorer' }).first().click();
      await page.getByText(/Resuming in/).waitFor();
    },
  },
  {
    name: 'markets-first-load',
    path: '/',
    prepare: async (page) => {
      await page.route('**/info', () => undefined);
      await page.reload();
      await page.locator('main#screen > *').first().waitFor();
    },
  },
  {
    name: 'shortcuts',
    path: '/',
    prepare: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
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
];
