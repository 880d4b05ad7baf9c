import type { APIResponse, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  act,
  definition,
  succeeded,
  Operator,
  OPERATED,
  put,
  type OwnPerp,
} from '../support/perps.ts';
import { buildPageOnce } from './support/build-once.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { pageReady } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/**
 * Tests exceptional states of a market, an order and a position, on perps whose oracle price the
 * test moves.
 */

const LONG_MS = 120_000;
const EXCHANGE_PER_SECOND = 30;

beforeAll(buildPageOnce, LONG_MS);

const world = aVenue([
  ...OPERATED.filter((flag) => flag !== '--no-limits'),
  '--web',
  '--exchange-per-second',
  String(EXCHANGE_PER_SECOND),
  '--info-per-second',
  '1000',
  '--simulate-per-second',
  '1000',
]);
const operator = new Operator(world);
let browser: WebBrowser;
let perp: OwnPerp;
/** An account that quotes on both sides of 100. */
let maker: Actor;

beforeAll(async () => {
  browser = await workerBrowser();
  await pageReady(world.venue.url);
}, LONG_MS);
beforeEach(async () => {
  perp = await operator.list();
  maker = await world.trader('maker');
  await put(maker, { market: perp, side: 'sell', price: '100.1', size: '60' });
  await put(maker, { market: perp, side: 'buy', price: '99.9', size: '30' });
});
afterEach(() => browser.leaveAll());

test(
  'a halt appears automatically, disables the ticket, and ends when the operator resumes the market',
  async () => {
    const { page } = await trading();
    await operator.set(perp, { haltTrading: true });
    await page.getByText(/^Trading is halted:/).waitFor();
    await button(page, 'Trading halted').waitFor();
    await operator.set(perp, { haltTrading: false });
    await page.getByText(/^Trading is halted:/).waitFor({ state: 'detached' });
    await button(page, 'Enter a price').waitFor();
  },
  LONG_MS,
);

test(
  'R-gate: the page shows a closed gate and still sends reducing orders',
  async () => {
    const { page } = await trading();
    await buy(page, '2');
    const notice = page.getByText(/^Perpetuals are closed to new positions/);
    succeeded(await operator.send({ setGate: { channel: 0, mode: 'closed' } }));
    try {
      await notice.waitFor();
      await price(page).fill('99');
      await size(page).fill('1');
      await page.getByText(/^This account cannot currently open or increase positions/).waitFor();
      expect(await button(page, 'Closed to new positions').isDisabled()).toBe(true);
      await button(page, /^Close T/).click();
      await page.getByRole('menuitem', { name: '100%' }).click();
      await page.getByText('No open positions').waitFor();
    } finally {
      succeeded(await operator.send({ setGate: { channel: 0, mode: 'open' } }));
    }
    await notice.waitFor({ state: 'detached' });
    await button(page, /^Buy 1\.?0* T\w+ at 99/).waitFor();
  },
  LONG_MS,
);

test(
  'R-delist: a closing market shows when it ends and accepts only reducing orders',
  async () => {
    const { page } = await trading();
    await buy(page, '2');
    await operator.set(perp, { delisted: true });
    await perp.push('100');
    await page.getByText(/^This market closes at .* Only orders that reduce/).waitFor();
    await price(page).fill('99');
    await size(page).fill('1');
    await page.getByRole('alert').waitFor();
    await page.getByRole('checkbox', { name: 'Reduce only' }).click();
    await page.getByRole('radio', { name: 'Sell / short' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  },
  LONG_MS,
);

test(
  'R-oracle-stale: a market shows that its price is stale and resumes with the next price',
  async () => {
    const { instrumentId } = succeeded(await operator.send({ registerPerp: definition() })).created;
    const prices = [{ instrumentId, oraclePx: '100', externalPerpPx: null }];
    // The price becomes stale within a few seconds.
    succeeded(await operator.push(prices, Date.now() - 28_000));
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const { name } = universe.find((entry: Json) => entry.index === instrumentId);
    const { page } = await trading(name);
    await page.getByText(/^The oracle price is stale/).waitFor();
    await price(page).fill('99');
    await size(page).fill('1');
    await page
      .getByRole('alert')
      .getByText(/Oracle is stale/)
      .waitFor();
    succeeded(await operator.push(prices));
    await page.getByText(/^The oracle price is stale/).waitFor({ state: 'detached' });
  },
  LONG_MS,
);

test(
  'R-liquidation: a liquidated position shows the reason, and its trade is marked',
  async () => {
    const { page } = await trading();
    await buy(page, '60');
    // Another account takes the venue's liquidation order, so that the liquidation trades in the
    // market.
    succeeded(await act(maker, { type: 'cancelAll', asset: perp.id }));
    await put(maker, { market: perp, side: 'buy', price: '85.5', size: '60' });
    await perp.push('85');
    await page.getByText(/^Liquidated: .* T\w+-USDC at mark price/).waitFor();
    await page.getByText('liq.', { exact: true }).first().waitFor();
    await button(page, 'Why').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/no longer covered the maintenance margin/).waitFor();
    await dialog.getByText('Equity at the time').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Dismiss').click();
    await page.getByText(/^Liquidated: /).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Trade history' }).click();
    await button(page, 'Close long · liquidated').first().click();
    await page.getByRole('dialog').getByText('Equity at the time').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Account history' }).click();
    await page
      .getByText(/below maintenance margin .* plus liquidation fee/)
      .first()
      .waitFor();
    await page
      .getByRole('row', { name: /Liquidation/ })
      .first()
      .getByRole('button', { name: 'Why' })
      .click();
    await page.getByRole('dialog').getByText('Equity at the time').waitFor();
  },
  LONG_MS,
);

test(
  'after a lost answer, the order executes once and is reported correctly',
  async () => {
    const { address, page } = await trading();
    // The order reaches the venue, but its response and those to all retries are lost.
    await page.route('**/exchange', async (route) => {
      await route.fetch();
      await route.abort();
    });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/info', async (route) => {
      if (route.request().postData()?.includes('actionStatus') === true) await released;
      await route.continue();
    });
    await choose(page, 'Market');
    await size(page).fill('1');
    await button(page, /^Buy 1 T\w+ at market$/).click();
    await page.getByText(/^Response lost/).waitFor({ timeout: LONG_MS });
    release();
    await page.getByText('Filled 1 at 100.10').first().waitFor();
    await page.unroute('**/exchange');
    const { assetPositions } = await world.client.data({
      type: 'clearinghouseState',
      user: address,
    });
    expect(assetPositions).toMatchObject([{ position: { szi: '1' } }]);
  },
  LONG_MS,
);

test(
  'after too many requests, the ticket says when to retry, and a press sends the order',
  async () => {
    const { page } = await trading();
    await choose(page, 'Market');
    await size(page).fill('1');
    await page.getByText(/^Fills 1 at/).waitFor();
    // Another client at the same address has used up the limit, and the page gets the response to
    // that client.
    await page.route('**/exchange', async (route) =>
      route.fulfill({ response: await limited(page) }),
    );
    await button(page, /^Buy 1 T\w+ at market$/).click();
    const alert = page.getByRole('alert');
    await alert.getByText(/^Rate limit reached\. Retry in \d+ s/).waitFor();
    await page.unroute('**/exchange');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Filled 1 at 100.10').first().waitFor();
  },
  LONG_MS,
);

/** Sends requests until one is rejected because of the rate limit. */
async function limited(page: Page): Promise<APIResponse> {
  for (;;) {
    const replies = await Promise.all(
      Array.from({ length: EXCHANGE_PER_SECOND }, () =>
        page.request.post(`${world.venue.url}/exchange`, { data: {} }),
      ),
    );
    const refused = replies.find((reply) => reply.status() === 429);
    if (refused !== undefined) return refused;
  }
}

/** Opens a market for a visitor with a test account. */
async function trading(name = perp.name): Promise<{ page: Page; address: string }> {
  const visit = await browser.visit(world.venue.url, {
    expectedErrors: /Failed to load resource|ERR_FAILED/,
  });
  const { page } = visit;
  const { address } = await visit.openWithAccount(`/trade/${name}`);
  await page.getByText(/^Max \d/).waitFor();
  return { page, address };
}

async function buy(page: Page, amount: string): Promise<void> {
  await choose(page, 'Market');
  await size(page).fill(amount);
  await button(page, new RegExp(`^Buy ${amount} T\\w+ at market$`)).click();
  await page.getByText(`Filled ${amount} at 100.10`).first().waitFor();
  await choose(page, 'Limit');
}

function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: typeof name === 'string' });
}

function price(page: Page) {
  return page.getByRole('textbox', { name: 'Price' });
}

function size(page: Page) {
  return page.getByRole('form', { name: 'Order ticket' }).getByRole('textbox', { name: 'Size' });
}

async function choose(page: Page, kind: string): Promise<void> {
  await page.getByRole('radio', { name: kind, exact: true }).click();
}
