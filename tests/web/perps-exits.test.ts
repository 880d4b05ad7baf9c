import { bracketOrder, limitOrder, positionTpsl, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { button, position } from './support/terminal.ts';
import { perpNear } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * The page names a position's TP/SL orders before it cancels them, and keeps them unless the user
 * selects them.
 */

const LONG_MS = 120_000;
const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  "cancelling all orders keeps the positions' TP/SL orders unless they are selected",
  async () => {
    const { owner, page } = await withExits();
    const { address } = owner.wallet!;
    const left = async (): Promise<readonly string[]> => {
      const [orders, triggers, state] = await Promise.all([
        owner.info.frontendOpenOrders({ user: address }),
        owner.info.triggerOrders({ user: address }),
        owner.info.clearinghouseState({ user: address, accountType: 'perp' }),
      ]);
      const pairs = state.assetPositions.flatMap(({ tpsl }) => tpsl);
      return [
        ...orders.map(({ limitPx }) => `order ${Number(limitPx)}`),
        ...triggers.map(({ triggerPx }) => `trigger ${Number(triggerPx)}`),
        ...pairs.map((pair) => `exits ${pair.tpTriggerPrice} ${pair.slTriggerPrice}`),
      ];
    };
    expect(await left()).toEqual(['order 96500', 'trigger 95900', 'exits 98000 96000']);
    await page.getByRole('tab', { name: 'Open orders 1' }).click();
    await button(page, 'Cancel all').click();
    const dialog = page.getByRole('dialog', { name: 'Cancel orders' });
    const exits = dialog.getByRole('list', { name: 'TP/SL of your positions' });
    await expect
      .poll(() => exits.getByRole('listitem').allInnerTexts())
      .toEqual([
        'BTC-USDC · Take profit\n98,000.0',
        'BTC-USDC · Stop loss\n96,000.0',
        'BTC-USDC · Stop loss\n95,900.0',
      ]);
    await dialog.getByText('are kept:').waitFor();
    await dialog.getByRole('button', { name: 'Cancel 1 order', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No open orders').waitFor();
    expect(await left()).toEqual(['trigger 95900', 'exits 98000 96000']);

    await page.getByRole('tab', { name: 'Conditional orders 1' }).click();
    await button(page, 'Cancel all').click();
    expect(await dialog.getByRole('button', { name: 'Cancel 0 orders' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Also cancel these 3 TP/SL orders' }).press('Space');
    await dialog.getByText('Your positions lose their protection').waitFor();
    await dialog.getByRole('button', { name: 'Cancel 3 TP/SL orders' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(left).toEqual([]);
    await page.getByText('No conditional orders', { exact: true }).waitFor();
  },
  LONG_MS,
);

/** Creates a position with TP/SL orders, a stop that came with its order, and a bid. */
async function withExits(): Promise<{ readonly page: Page; readonly owner: Client }> {
  const visit = await browser.visit(venue.url);
  const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
  const { asset } = await perpNear(owner, 'BTC-USDC');
  const size = '0.002';
  const parent = limitOrder({ asset, side: 'buy', price: '97010', size });
  await owner.exchange.order(
    bracketOrder({ parent, stopLoss: { triggerPrice: '95900' } }),
    EXECUTED,
  );
  const exits = { takeProfit: { triggerPrice: '98000' }, stopLoss: { triggerPrice: '96000' } };
  await owner.exchange.order(
    positionTpsl({ asset, position: 'long', size: '0', ...exits }),
    EXECUTED,
  );
  const bid = limitOrder({ asset, side: 'buy', price: '96500', size });
  await owner.exchange.order({ orders: [bid] }, EXECUTED);
  await position(visit.page).waitFor();
  return { page: visit.page, owner };
}
