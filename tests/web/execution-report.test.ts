import { readFileSync } from 'node:fs';
import { limitOrder, triggerOrder, type OrderReport } from '@oddlot/sdk';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import { quoteMarket } from './support/market-maker.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { listPerp } from './support/own-perp.ts';
import type { TestAccount } from './support/test-account.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Compares the execution report, which opens from an order's row, with the venue's report. */

const LONG_MS = 120_000;
const EXECUTED = { confirm: 'executed' } as const;
const GRID = { price: '50', tick: '0.01', szDecimals: 2, operator: WHO_DEPLOYS };

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  'the keyboard alone opens the report on an order filled over two levels, with the book, the fills by level and a file',
  async () => {
    const perp = await listPerp(venue.url, { ...GRID, base: 'TOOK' });
    const market = perp.name;
    await quoteMarket(venue.url, { market, bids: ['49.9'], asks: ['50.1', '50.2'], size: '2' });
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const account = await visit.openWithAccount(`/trade/${market}?tab=fills`);
    const oid = await placed(account, { asset: perp.asset, price: '50.5', size: '3', tif: 'Ioc' });
    const row = page.getByRole('row', { name: new RegExp(`${market}.*50\\.20`) });
    const price = row.getByTitle('Execution report');
    await price.focus();
    await page.keyboard.press('r');
    const dialog = dialogOf(page, oid);
    await dialog.getByText(`Buy 3 ${market} at 50.5 · IOC`).waitFor();

    const { arrival, avgPx, fee, fills, slippage } = await reportOf(account, oid);
    expect(await factsOf(dialog, 'Result')).toEqual({
      Filled: '3 of 3',
      'Average price': avgPx,
      Fee: fee,
      'Builder fee': '0',
      'vs. mid': `${slippage!.mid} bp worse`,
      'vs. mark': slipped(slippage!.mark),
    });
    expect(await factsOf(dialog, 'Order book on arrival')).toEqual({
      'Best bid': '49.9',
      'Best ask': '50.1',
      Mid: '50',
      Mark: arrival!.markPx,
      Oracle: '50',
    });
    const [first, second] = fills;
    expect(await rowsOf(dialog, 'Price levels matched')).toEqual([
      ['50.10', '2.00', '2.00', first!.fee, '0'],
      ['50.20', '2.00', '1.00', second!.fee, '0'],
    ]);
    expect(await rowsOf(dialog, 'Fills')).toEqual([
      [expect.any(String), 'taker', '50.10', '2.00', first!.fee, '0'],
      [expect.any(String), 'taker', '50.20', '1.00', second!.fee, '0'],
    ]);
    expect(await factsOf(dialog, 'Timing')).toMatchObject({ Delay: 'none, same block' });
    expect(await factsOf(dialog, 'Final status')).toMatchObject({
      Status: 'Filled',
      Reason: 'none',
    });
    expect(await dialog.getByRole('region', { name: 'Queue position' }).count()).toBe(0);

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save as JSON' }).press('Enter'),
    ]);
    expect(saved.suggestedFilename()).toBe(`order-${oid}.json`);
    const { address, owner } = account;
    expect(JSON.parse(readFileSync(await saved.path(), 'utf8'))).toEqual(
      await owner.info.executionReport({ user: address, oid }),
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The focus returns to the row, so that the next key press acts on it.
    await expect.poll(() => price.evaluate((it) => it === document.activeElement)).toBe(true);
    await visit.open('/portfolio?tab=fills');
    await price.press('Enter');
    await dialog.getByText('Final status').waitFor();
    await expectReadableForm(page, 'execution report');
    expect(await dialog.isVisible()).toBe(true);
  },
  LONG_MS,
);

test(
  "a resting order's report updates its queue position and links the reason for its end to the explorer",
  async () => {
    const perp = await listPerp(venue.url, { ...GRID, base: 'REST' });
    const market = perp.name;
    const first = { market, bids: ['49.9'], asks: ['50.1'], size: '2' };
    const ahead = await quoteMarket(venue.url, first);
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const account = await visit.openWithAccount(`/trade/${market}?tab=orders`);
    const { asset } = perp;
    const oid = await placed(account, { asset, price: '49.9', size: '3' });
    await page.getByRole('row', { name: market }).getByTitle('Execution report').click();
    const dialog = dialogOf(page, oid);
    const queue = (): Promise<object> => factsOf(dialog, 'Queue position');
    await expect.poll(queue).toMatchObject({
      Price: '49.9',
      Until: 'still resting',
      'Ahead at entry': '2',
      'Ahead now': '2',
      'Cleared ahead': '0',
    });
    await dialog.getByText('The order is open.').waitFor();
    await dialog.getByText('No fills').waitFor();

    await ahead.client.exchange.cancelAll({ accountType: 'perp' }, EXECUTED);
    await quoteMarket(venue.url, { market, bids: [], asks: ['49.9'], size: '1' });
    await expect
      .poll(queue, { timeout: LONG_MS })
      .toMatchObject({ 'Ahead now': '0', 'Cleared ahead': '2' });
    const cancels = [{ a: asset, o: oid }];
    await account.owner.exchange.cancel({ cancels }, EXECUTED);
    // The row has left the table, but the report stays open.
    await expect
      .poll(() => factsOf(dialog, 'Final status'), { timeout: LONG_MS })
      .toMatchObject({ Status: 'Cancelled', Reason: 'Canceled by user' });
    const { end, fills, received } = await reportOf(account, oid);
    expect(await queue()).toMatchObject({ 'Ahead at end': '0' });
    expect(await factsOf(dialog, 'Result')).toMatchObject({
      Filled: '1 of 3',
      'Average price': '49.9',
      Fee: fills[0]!.fee,
      'vs. mid': '–',
    });
    expect(await rowsOf(dialog, 'Fills')).toEqual([
      [expect.any(String), 'maker', '49.90', '1.00', fills[0]!.fee, '0'],
    ]);
    const times = dialog.getByRole('region', { name: 'Timing' });
    const toBlock = dialog.getByRole('region', { name: 'Final status' }).getByRole('link');
    expect(await toBlock.getAttribute('href')).toBe(`/explorer/block/${end!.height}`);
    await times.getByRole('link', { name: /^Transaction: / }).press('Enter');
    await page.waitForURL(`**/explorer/tx/${received.txHash}`);
    await dialog.waitFor({ state: 'detached' });

    // The history and the account's order list open the report in the same way.
    await visit.open('/portfolio?tab=history');
    await page.getByRole('row', { name: market }).getByTitle('Execution report').press('r');
    await dialog.getByText('Canceled by user').waitFor();
  },
  LONG_MS,
);

test(
  'both order lists open the report of a trigger order',
  async () => {
    const perp = await listPerp(venue.url, { ...GRID, base: 'WAIT' });
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    const { owner } = await visit.openWithAccount(`/trade/${perp.name}?tab=triggers`);
    const stop = triggerOrder({
      asset: perp.asset,
      side: 'buy',
      size: '1',
      triggerPrice: '60',
      kind: 'sl',
      reduceOnly: false,
    });
    const reply = await owner.exchange.order({ orders: [stop] }, EXECUTED);
    if (reply.status !== 'executed') throw new Error(JSON.stringify(reply));
    const dialog = dialogOf(page, reply.orders[0]!.oid!);
    const price = page.getByRole('row', { name: perp.name }).getByTitle('Execution report');
    await price.press('r');
    await dialog.getByText('The order is open.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await visit.open('/portfolio?tab=triggers');
    await price.press('Enter');
    await dialog.getByText('The order is open.').waitFor();
  },
  LONG_MS,
);

async function placed(
  { owner }: TestAccount,
  order: { asset: number; price: string; size: string; tif?: 'Ioc' },
): Promise<number> {
  const orders = [limitOrder({ ...order, side: 'buy' })];
  const reply = await owner.exchange.order({ orders }, EXECUTED);
  if (reply.status !== 'executed') throw new Error(JSON.stringify(reply));
  return reply.orders[0]!.oid!;
}

async function reportOf({ address, owner }: TestAccount, oid: number): Promise<OrderReport> {
  const { orders } = await owner.info.executionReport({ user: address, oid });
  return orders[0]!;
}

function dialogOf(page: Page, oid: number): Locator {
  return page.getByRole('dialog', { name: new RegExp(`^Execution of order ${oid}$`) });
}

/** Returns a section's names and figures. */
async function factsOf(dialog: Locator, part: string): Promise<Record<string, string>> {
  const list = dialog.getByRole('region', { name: part, exact: true }).locator('dl > div');
  const pairs = await list.evaluateAll((facts) =>
    facts.map((fact) => [...fact.children].map((each) => (each as HTMLElement).innerText)),
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

async function rowsOf(dialog: Locator, table: string): Promise<readonly (readonly string[])[]> {
  return dialog
    .getByRole('group', { name: table, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)),
    );
}

function slipped(points: string): string {
  if (points === '0') return '0 bp';
  return points.startsWith('-') ? `${points.slice(1)} bp better` : `${points} bp worse`;
}
