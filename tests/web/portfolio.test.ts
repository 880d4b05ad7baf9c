import { readFile } from 'node:fs/promises';
import { buyNo, buyYes, limitOrder, sellNo, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { cutFigures } from './support/cut-figures.ts';
import { listPerp } from './support/own-perp.ts';
import { OutcomePeople, WHO_DEPLOYS } from './support/outcome-people.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import { DESKTOP, PHONE, type VisitOptions } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Tests an account's positions and history, and a builder's rewards. */

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

/** Opens a screen for a visitor with a test account, and returns an SDK client for that account. */
async function atScreen(
  path: string,
  options?: VisitOptions,
): Promise<{ page: Page; user: string; owner: Client }> {
  const visit = await browser.visit(venue.url, options);
  const { address, owner } = await visit.openWithAccount(path);
  return { page: visit.page, user: address, owner };
}

/** Returns the lines of the file that the page saves when a button is pressed. */
async function fileOf(page: Page, press: () => Promise<void>): Promise<readonly string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
}

test('a trade appears in the positions, the fills, the daily results and the saved file', async () => {
  const { owner, page, user } = await atScreen('/portfolio');
  await page.getByText('No open positions').waitFor();
  const maker = await trader(venue.url, 'portfolio maker');
  const perp = await perpNear(maker, 'BTC-USDC');
  await tradeBetween(maker, owner, { ...perp, size: '0.01' });
  await page.getByRole('row', { name: /BTC-USDC.*cross.*0\.01/ }).waitFor();

  // The effect of a fill is stated in text, not only by colour.
  await page.getByRole('tab', { name: 'Trade history' }).click();
  await page.getByRole('row', { name: /BTC-USDC.*Open long/ }).waitFor();

  const lower = String(Number(perp.price) - 100);
  const resting = limitOrder({ asset: perp.asset, side: 'buy', price: lower, size: '0.01' });
  await owner.exchange.order({ orders: [resting] }, { confirm: 'executed' });
  await page.getByRole('tab', { name: 'Open orders 1' }).click();
  await page.getByRole('row', { name: /BTC-USDC.*Buy.*GTC/ }).waitFor();

  const orders = await fileOf(page, () =>
    page.getByRole('button', { name: 'Open orders as CSV' }).click(),
  );
  expect(orders).toHaveLength(2);

  await page.getByRole('tab', { name: 'Trade history' }).click();
  await page.getByRole('row', { name: /BTC-USDC.*0\.01/ }).waitFor();
  const fills = await fileOf(page, () =>
    page.getByRole('link', { name: 'Trade history as CSV' }).click(),
  );
  expect(fills).toHaveLength(2);
  // The saved values are exactly the venue's.
  const names = fills[0]!.split(',');
  const saved = Object.fromEntries(fills[1]!.split(',').map((text, at) => [names[at]!, text]));
  const [fill] = await owner.info.userFills({ user });
  const { closedPnl, coin, fee, px, startPosition, sz, tid, time } = fill!;
  const exact = {
    closedPnl,
    coin,
    fee,
    px,
    startPosition,
    sz,
    tid: String(tid),
    time: String(time),
  };
  expect(saved).toMatchObject(exact);

  // The calendar shows the current day's result. The table also shows the trade's volume.
  const today = page.locator('td[aria-current=date]');
  await expect.poll(() => today.innerText()).toMatch(/^\d+\s[+−]\d+\.\d\d$/);
  expect(await today.getAttribute('title')).toMatch(/volume 9\d\d\.\d\d, fees 0\.\d\d USDC$/);
  await page.getByRole('radio', { name: 'Calendar' }).focus();
  await page.keyboard.press('ArrowRight');
  const days = page.getByRole('group', { name: 'Daily results' });
  await days.getByRole('row').nth(1).waitFor();
  await expect.poll(() => days.getByRole('row').nth(1).textContent()).toMatch(/\d\.\d\d/);
  const byDay = await fileOf(page, () =>
    page.getByRole('button', { name: 'Daily results as CSV' }).click(),
  );
  expect(byDay[0]).toBe('day,pnl,volume,fees,funding,value');
  expect(byDay[1]).toMatch(/^20\d\d-\d\d-\d\d,-?\d/);

  // On a tablet, the tables do not truncate any figures.
  for (const width of [768, 834, 1_100]) {
    await page.setViewportSize({ ...DESKTOP, width });
    for (const tab of [
      'Positions',
      'Open orders',
      'Order history',
      'Account history',
      'Trade history',
    ]) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('group', { name: tab }).getByRole('row').nth(1).waitFor();
      expect([width, tab, await cutFigures(page)]).toEqual([width, tab, []]);
    }
  }
  await page.setViewportSize({ ...DESKTOP });

  // The selection survives a reload.
  await page.getByRole('radio', { name: 'PnL' }).click();
  await page.reload();
  await page.getByRole('radio', { name: 'Table', checked: true }).waitFor();
  await page.getByRole('img', { name: /^PnL over time/ }).waitFor();
  await page.getByRole('tab', { name: 'Trade history', selected: true }).waitFor();
  expect(await faultsFound(page)).toEqual([]);
});

test('a new portfolio draws no curve before its first result, and no window is longer than its age', async () => {
  const { owner, page } = await atScreen('/portfolio?window=week');
  await page.getByText('The chart starts with your first result').waitFor();
  await page.getByRole('radio', { name: 'All', checked: true }).waitFor();
  for (const name of ['1D', '1W', '1M']) {
    expect(await page.getByRole('radio', { name }).isDisabled()).toBe(true);
  }
  const labels = await page.locator('dt').allInnerTexts();
  expect(labels[1]).toMatch(/^PnL · since \w+ \d+, \d\d:\d\d$/);
  expect(labels.join()).not.toContain('1W');
  expect(await page.getByRole('img').count()).toBe(0);
  const maker = await trader(venue.url, 'maker of a first result');
  await tradeBetween(maker, owner, { ...(await perpNear(maker, 'BTC-USDC')), size: '0.01' });
  await page.getByRole('img', { name: /^Equity over time/ }).waitFor();
});

test('daily results add up to the total above them, even after the price has moved', async () => {
  const { owner, page } = await atScreen('/portfolio?days=table');
  const grid = { price: '100', tick: '0.01', szDecimals: 2 };
  const perp = await listPerp(venue.url, { ...grid, operator: WHO_DEPLOYS });
  const maker = await trader(venue.url, 'maker of a day');
  await tradeBetween(maker, owner, { asset: perp.asset, price: '100', size: '3.33' });
  const results = async (): Promise<readonly (string | null)[]> =>
    page.evaluate(() => {
      const above = [...document.querySelectorAll('dt')].find((term) =>
        term.innerText.startsWith('PnL'),
      );
      const day = document.querySelector('[aria-label="Daily results"] tbody tr td:nth-child(2)');
      const text = (element: Element | null | undefined): string =>
        /[+−][\d.]+/.exec(element?.textContent ?? '')?.[0] ?? '';
      return [above?.nextElementSibling, day, document.querySelector('#days + p')].map(text);
    });
  // At first, the result is only the fee of the trade. The new price then adds a profit.
  await expect.poll(results).toEqual(['−0.15', '−0.15', '−0.15']);
  await perp.push('101');
  await expect.poll(async () => (await results())[0]).toMatch(/^\+[1-3]\.\d\d$/);
  const [above, ...below] = await results();
  expect(below).toEqual([above, above]);
});

test('a list loads all its rows when it is scrolled to the end', async () => {
  const { owner, page } = await atScreen('/portfolio?tab=history');
  await page.getByText('No orders yet').waitFor();
  const { asset, price } = await perpNear(owner, 'BTC-USDC');
  // There are five batches of orders far below the mark, each order at a different price. All are
  // cancelled.
  const [rounds, each] = [5, 48];
  const first = Math.round(Number(price) * 0.7);
  for (let round = 0; round < rounds; round++) {
    const orders = Array.from({ length: each }, (_, at) =>
      limitOrder({ asset, side: 'buy', price: String(first + round * each + at), size: '0.001' }),
    );
    await owner.exchange.order({ orders }, { confirm: 'executed' });
    await owner.exchange.cancelAll({ asset }, { confirm: 'executed' });
  }
  const list = page.getByRole('group', { name: 'Order history' });
  const rows = (count: number) =>
    list.locator(`table[aria-rowcount="${count + 1}"]`).waitFor({ state: 'attached' });
  await rows(rounds * each);

  // After a reload, the page shows the newest rows and loads the others when the user scrolls.
  await page.reload();
  await rows(200);
  const down = () => list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await down();
  await rows(rounds * each);
  await down();
  await list.getByText('No more rows').waitFor();
  await page.getByRole('row', { name: first.toLocaleString('en-US') }).waitFor();
});

test('the payout of shares appears after their market resolves', async () => {
  const people = new OutcomePeople(venue.url);
  const market = await people.market();
  await people.quote(market);
  const { owner, page } = await atScreen('/portfolio?tab=settlements');
  await page.getByText('No settlements yet').waitFor();
  const confirm = { confirm: 'executed' } as const;
  await owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '100' }, confirm);
  const order = buyYes({ asset: market.id, price: '0.46', size: '20' });
  await owner.exchange.order({ orders: [order] }, confirm);
  await page.getByRole('tab', { name: 'Shares 1' }).click();
  await page.getByRole('row', { name: /Yes.*20.*46\.0¢/ }).waitFor();
  await people.resolve(market, '1');
  await page.getByRole('tab', { name: 'Settlements' }).click();
  await page.getByRole('row', { name: /Yes.*20.*46\.0¢.*100\.0¢.*20\.00.*\+10\.\d\d/ }).waitFor();
  const rows = await fileOf(page, () =>
    page.getByRole('button', { name: 'Settlements as CSV' }).click(),
  );
  expect(rows).toHaveLength(2);
});

test('a purchase of NO is shown as bought, even though the book shows it as an offer of YES', async () => {
  const people = new OutcomePeople(venue.url);
  const market = await people.market();
  await people.quote(market);
  const { owner, page } = await atScreen('/portfolio?tab=orders');
  const confirm = { confirm: 'executed' } as const;
  await owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '100' }, confirm);
  const no = (price: string) => ({ asset: market.id, price, size: '20' });
  await owner.exchange.order({ orders: [buyNo(no('0.56')), buyNo(no('0.3'))] }, confirm);
  await owner.exchange.order({ orders: [sellNo(no('0.9'))] }, confirm);
  const orders = page.getByRole('group', { name: 'Open orders' });
  await orders.getByRole('row', { name: /Buy No.*30\.0¢/ }).waitFor();
  await orders.getByRole('row', { name: /Sell No.*90\.0¢/ }).waitFor();
  await page.getByRole('tab', { name: 'Trade history' }).click();
  const bought = page.getByRole('row', { name: /Buy No.*56\.0¢.*\+20/ });
  await bought.waitFor();
  expect(await bought.locator('.text-buy').allInnerTexts()).toContain('Buy No');
});

test('on a phone no content is wider than the screen, and pressing a position shows its details', async () => {
  const { owner, page } = await atScreen('/portfolio', { viewport: PHONE });
  await page.getByText('No open positions').waitFor();
  const maker = await trader(venue.url, 'maker for a phone');
  const perp = await perpNear(maker, 'BTC-USDC');
  await tradeBetween(maker, owner, { ...perp, size: '0.02' });
  const positions = page.getByRole('group', { name: 'Positions' });
  await positions.getByRole('button', { name: 'BTC-USDC' }).click();
  const details = page.getByRole('dialog', { name: 'BTC-USDC' });
  await details.getByText('Liq. price').waitFor();
  await details.getByText('0.02000').waitFor();
  expect(await faultsFound(page)).toEqual([]);
  await page.keyboard.press('Escape');
  for (const tab of ['Account history', 'Order history', 'Shares']) {
    await page.getByRole('tab', { name: tab }).click();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([tab, width]).toEqual([tab, PHONE.width]);
  }
});

test('a builder sees its rewards with their sources and claims them', async () => {
  const { page, user } = await atScreen('/builder');
  await page.getByText('No fees earned yet').waitFor();
  const [maker, taker] = [
    await trader(venue.url, 'builder maker'),
    await trader(venue.url, 'builder taker'),
  ];
  const perp = await perpNear(maker, 'BTC-USDC');
  await taker.exchange.approveBuilderFee(
    { builder: user, maxFeeRate: '0.1%' },
    { confirm: 'executed' },
  );
  await tradeBetween(maker, taker, { ...perp, size: '0.01' }, { b: user, f: 100 });
  await page.getByRole('row', { name: /BTC-USDC.*0\.100/ }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'BTC-USDC' }).getByText('100.0').waitFor();
  expect(await faultsFound(page)).toEqual([]);
  await page.getByRole('button', { name: /^Claim \d/ }).click();
  await page.getByRole('button', { name: 'Nothing to claim' }).waitFor();
  await page.getByRole('tab', { name: 'Claims' }).click();
  await page.getByRole('row', { name: /\+0\.\d\d/ }).waitFor();
  const claims = await fileOf(page, () =>
    page.getByRole('button', { name: 'Claims as CSV' }).click(),
  );
  expect(claims).toHaveLength(2);
  const state = await maker.info.builderState({ user });
  expect(state.totalClaimed).toBe(state.totalEarned);
  expect(Number(state.totalClaimed)).toBeGreaterThan(0);
});
