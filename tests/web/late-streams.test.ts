import { buyYes, limitOrder, triggerOrder } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, test } from 'vitest';
import { LINGER_MS } from '../../packages/web/src/market/live.ts';
import type { Venue } from '../support/venue-process.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { position } from './support/terminal.ts';
import { perpNear } from './support/trading.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/**
 * Simulates a slow machine. Streams connect late and components are drawn late, but in the end the
 * page must not have missed any data.
 */

const EXECUTED = { confirm: 'executed' } as const;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

/** Holds back the page's sockets and their messages until the returned function is called. */
async function holdSockets(page: Page): Promise<() => void> {
  const { promise: isLet, resolve } = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/(?:api-)?ws$/, async (socket) => {
    await isLet;
    socket.connectToServer();
  });
  return resolve;
}

/** Waits for the response to one of the page's queries. */
function answered(page: Page, type: string): Promise<unknown> {
  return page.waitForResponse(
    (response) =>
      response.url().endsWith('/info') &&
      response.request().postData()?.includes(`"${type}"`) === true,
  );
}

test("an order placed between the page's query and the opening of its streams is shown", async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  const letThrough = await holdSockets(page);
  const [{ owner }] = await Promise.all([
    visit.openWithAccount('/trade/BTC-USDC?tab=orders'),
    answered(page, 'frontendOpenOrders'),
    answered(page, 'triggerOrders'),
  ]);
  await page.getByText('No open orders').waitFor();
  const { asset } = await perpNear(owner, 'BTC-USDC');
  const resting = limitOrder({ asset, side: 'buy', price: '90000', size: '0.001' });
  const waiting = triggerOrder({
    asset,
    side: 'buy',
    size: '0.001',
    triggerPrice: '99000',
    kind: 'sl',
    reduceOnly: false,
  });
  await owner.exchange.order({ orders: [resting] }, EXECUTED);
  await owner.exchange.order({ orders: [waiting] }, EXECUTED);
  letThrough();
  await page.getByRole('row', { name: /BTC-USDC.*90,000/ }).waitFor();
  await page.getByRole('tab', { name: /^Conditional orders/ }).click();
  await page.getByRole('row', { name: /BTC-USDC.*99,000/ }).waitFor();
});

test("a share order placed between the page's query and the opening of its streams is shown", async () => {
  const people = new OutcomePeople(venue.url);
  const market = await people.market();
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  const letThrough = await holdSockets(page);
  const [{ owner }] = await Promise.all([
    visit.openWithAccount('/portfolio?tab=orders'),
    answered(page, 'outcomeFrontendOpenOrders'),
  ]);
  await owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '20' }, EXECUTED);
  const orders = [buyYes({ asset: market.id, price: '0.21', size: '10' })];
  await owner.exchange.order({ orders }, EXECUTED);
  letThrough();
  await page.getByRole('row', { name: /Will it\?.*21/ }).waitFor();
});

test("the explorer's lists become complete without further events", async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  const letThrough = await holdSockets(page);
  const [{ owner }] = await Promise.all([
    visit.openWithAccount('/explorer'),
    answered(page, 'txs'),
  ]);
  const txs = page.getByRole('group', { name: 'Latest transactions' });
  await txs.getByRole('row').nth(1).waitFor();
  const sent = { from: 'perp', to: 'outcome', amount: '7' } as const;
  const reply = await owner.exchange.transferBetween(sent, EXECUTED);
  letThrough();
  await txs.getByTitle(reply.txHash).waitFor();
});

test('components that are drawn late show live data', async () => {
  // Subscriptions opened during rendering end before an effect can keep them.
  const script = `{
    const [later, notLater, ended] = [globalThis.setTimeout, globalThis.clearTimeout, new Set()];
    globalThis.clearTimeout = (id) => { ended.add(id); notLater(id); };
    globalThis.setTimeout = (act, ms, ...rest) => {
      if (ms !== ${LINGER_MS}) return later(act, ms, ...rest);
      const id = later(() => undefined, 0);
      queueMicrotask(() => { if (!ended.has(id)) act(); });
      return id;
    };
  }`;
  const visit = await browser.visit(venue.url, { script });
  const { page } = visit;
  const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
  await page.getByText(/^Max \d/).waitFor();
  const { asset } = await perpNear(owner, 'BTC-USDC');
  const order = limitOrder({ asset, side: 'buy', price: '97010', size: '0.001' });
  await owner.exchange.order({ orders: [order] }, EXECUTED);
  await position(page).waitFor();
  await page.getByText(/^O [\d,]/).waitFor();
  await page
    .getByRole('tab', { name: /^Trade history/ })
    .first()
    .click();
  await page
    .getByRole('row', { name: /97,010/ })
    .first()
    .waitFor();
});
