import { limitOrder } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import { DESKTOP } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Opens the dialogs of the header, the terminal and the keys, in both themes. */

const LONG_MS = 180_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

async function expectReadableDialog(page: Page, name: string | RegExp): Promise<void> {
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  await expectReadable(page, String(name), { theme: 'dark', size: DESKTOP });
  // Another theme of the same dialog differs only in its colours.
  await expectReadable(page, String(name), { theme: 'light', size: DESKTOP, faults: 'of colours' });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

test('the dialogs of a visitor are accessible', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expectReadableDialog(page, 'Connect');
  await page.keyboard.press('?');
  await expectReadableDialog(page, 'Keyboard shortcuts');
  await page.keyboard.press('/');
  await expectReadableDialog(page, 'Markets');
});

test(
  'the dialogs of a trader with a position and an order are accessible',
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
    const maker = await trader(venue.url, 'maker of dialogs');
    const perp = await perpNear(maker, 'BTC-USDC');
    await tradeBetween(maker, owner, { ...perp, size: '0.01' });
    const price = String(Number(perp.price) - 100);
    const resting = limitOrder({ asset: perp.asset, side: 'buy', price, size: '0.01' });
    await owner.exchange.order({ orders: [resting] }, { confirm: 'executed' });

    const ticket = page.getByRole('form', { name: 'Order ticket' });
    for (const [button, title] of [
      ['Cross', 'BTC-USDC margin mode'],
      [/^Leverage/, 'BTC-USDC leverage'],
      ['One-way', 'Position mode'],
    ] as const) {
      await ticket.getByRole('button', { name: button }).click();
      await expectReadableDialog(page, title);
    }
    await page.getByRole('button', { name: 'TP/SL of BTC-USDC' }).click();
    await expectReadableDialog(page, 'TP/SL of BTC-USDC');
    await page.getByRole('button', { name: 'Reverse BTC-USDC' }).click();
    await expectReadableDialog(page, /everse/);
    await page.getByRole('tab', { name: /^Open orders/ }).click();
    await page.getByRole('button', { name: /^Add note to order/ }).click();
    await expectReadableDialog(page, 'Your note');
  },
  LONG_MS,
);

test('the dialogs of the keys are accessible', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount('/account?tab=keys');
  for (const name of ['Export key', 'Erase keys']) {
    await page.getByRole('button', { name }).click();
    await expectReadableDialog(page, /key/i);
  }
});
