import { buyYes, limitOrder } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DEPLOYER } from '../support/deployer.ts';
import type { Venue } from '../support/venue-process.ts';
import { cutControls } from './support/cut-controls.ts';
import { cutFigures } from './support/cut-figures.ts';
import { OutcomePeople, WHO_DEPLOYS } from './support/outcome-people.ts';
import { perpNear, tradeBetween, trader } from './support/trading.ts';
import type { Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** The smallest phone, tablet and laptop, in the language with longer words. */
const GERMAN = 'de-DE';
const SMALL_PHONE = { width: 360, height: 780 };
const SMALL_TABLET = { width: 768, height: 1024 };
const LAPTOP = { width: 1_280, height: 800 };
const LONG_MS = 240_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  // Long names from other tests would be truncated.
  const operated = ['--admins', DEPLOYER, '--deployers', DEPLOYER];
  const flags = [...WITH_PAGE, '--no-bots', ...operated];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
});
afterEach(() => browser.leaveAll());
afterAll(() => venue?.remove());

/** Screens of an account with a position, an order, shares and history. */
const SCREENS = [
  '/',
  '/trade/BTC-USDC',
  ...['orders', 'triggers', 'fills', 'history', 'funding', 'ledger'].map(
    (tab) => `/trade/BTC-USDC?tab=${tab}`,
  ),
  '/events',
  '/portfolio',
  ...['shares', 'orders', 'fills', 'history', 'ledger'].map((tab) => `/portfolio?tab=${tab}`),
  '/account',
  '/account?tab=keys',
  '/account?tab=preferences',
  '/activity',
  '/activity?of=events',
  '/leaderboard?by=volume&window=all',
  '/builder',
  '/explorer',
];

/** Returns the truncated controls and figures on a screen at each size. */
async function cutIn(visit: Visit, what: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const size of [SMALL_PHONE, SMALL_TABLET, LAPTOP]) {
    await visit.page.setViewportSize(size);
    await visit.page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
    );
    const figures = await cutFigures(visit.page);
    // A sentence in the explorer may end with an ellipsis.
    const cut = [
      ...(await cutControls(visit.page)),
      ...figures.filter((each) => !each.startsWith('Aktion')),
    ];
    if (size === SMALL_PHONE) cut.push(...(await tablesOffTheMargin(visit.page)));
    cut.push(...(await rowsWithoutShade(visit.page)));
    found.push(...cut.map((each) => `${what} at ${size.width}: ${each}`));
  }
  return found;
}

test(
  'on a small phone, tablet and laptop, no screen truncates a button or a figure in German',
  async () => {
    const visit = await browser.visit(venue.url, { locale: GERMAN });
    const { owner } = await visit.openWithAccount('/');
    const maker = await trader(venue.url, 'maker of narrow screens');
    const perp = await perpNear(maker, 'BTC-USDC');
    await tradeBetween(maker, owner, { ...perp, size: '0.01' });
    const price = String(Number(perp.price) - 100);
    const resting = limitOrder({ asset: perp.asset, side: 'buy', price, size: '0.01' });
    await owner.exchange.order({ orders: [resting] }, { confirm: 'executed' });
    const people = new OutcomePeople(venue.url);
    const event = await people.event({ title: 'Wer kommt zuerst an?', mutuallyExclusive: true });
    for (const groupTitle of ['Graureiher aus dem Norden', 'Basstölpel']) {
      await people.quote(await people.market({ groupTitle, question: `${groupTitle}?` }, event));
    }
    const main = visit.page.locator('main');
    const cut: string[] = [];
    for (const path of [...SCREENS, `/events/${event}`]) {
      await visit.open(path);
      await visit.page.waitForLoadState('networkidle');
      if (path === '/trade/BTC-USDC') await main.getByText('Long 20×').first().waitFor();
      if (path === '/trade/BTC-USDC?tab=orders')
        await main.getByText('Kauf', { exact: true }).waitFor();
      cut.push(...(await cutIn(visit, path)));
    }
    expect(cut).toEqual([]);
  },
  LONG_MS,
);

/** Returns the first columns of tables on a phone that do not begin at the margin of headings. */
async function tablesOffTheMargin(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=group] > table thead th:first-child')].flatMap((head) => {
      const text = document.createRange();
      text.selectNodeContents(head);
      const { left, width } = text.getBoundingClientRect();
      const isAtStart = getComputedStyle(head).textAlign === 'start';
      return isAtStart && width > 0 && left !== 16
        ? [`table ${head.textContent} at ${left} px`]
        : [];
    }),
  );
}

/**
 * Returns the rows that scroll sideways without a scrollbar and without the shade that shows that
 * they continue.
 */
async function rowsWithoutShade(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main *')].flatMap((row) => {
      const { backgroundAttachment, overflowX, scrollbarWidth } = getComputedStyle(row);
      const isRow = overflowX === 'auto' && scrollbarWidth === 'none';
      return isRow && row.scrollWidth > row.clientWidth && !backgroundAttachment.includes('local')
        ? [`row ${row.innerText.slice(0, 60)}`]
        : [];
    }),
  );
}

test('phones and tablets show the testnet badge and, of shares, the PnL', async () => {
  const people = new OutcomePeople(venue.url);
  const market = await people.market({ question: 'Zeigt auch ein Telefon den Gewinn?' });
  await people.quote(market);
  const visit = await browser.visit(venue.url, { locale: GERMAN });
  const { page } = visit;
  const { owner } = await visit.openWithAccount('/');
  const funds = { from: 'perp', to: 'outcome', amount: '100' } as const;
  await owner.exchange.transferBetween(funds, { confirm: 'executed' });
  const bought = buyYes({ asset: market.id, price: '0.46', size: '20' });
  await owner.exchange.order({ orders: [bought] }, { confirm: 'executed' });
  await visit.open('/portfolio?tab=shares');
  const row = page.getByRole('row').filter({ hasText: 'Zeigt auch ein Telefon' });
  for (const size of [SMALL_PHONE, { width: 390, height: 844 }, SMALL_TABLET]) {
    await page.setViewportSize(size);
    const badge = page.getByRole('banner').getByText('Testnetz', { exact: true });
    await expect
      .poll(async () => {
        const box = await badge.boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= 48;
      })
      .toBe(true);
    // The shares cost 9.20 and are worth 9.00 at the mid of the market.
    await row.getByText('−0,20', { exact: true }).filter({ visible: true }).waitFor();
  }
});

test(
  "on a small phone, tablet and laptop, no tab of the operator's screen truncates a button in German",
  async () => {
    const people = new OutcomePeople(venue.url);
    await people.market({ question: 'Passt diese Frage auf ein kleines Telefon?' });
    const visit = await browser.visit(venue.url, { locale: GERMAN });
    const { page } = visit;
    const cut: string[] = [];
    for (const [tab, key] of [
      ['health', undefined],
      ['perps', WHO_DEPLOYS],
      ['events', WHO_DEPLOYS],
      ['gates', WHO_DEPLOYS],
      ['fees', WHO_DEPLOYS],
      ['operators', WHO_DEPLOYS],
    ] as const) {
      await visit.open(`/operate?tab=${tab}`);
      if (key !== undefined) {
        await page.getByRole('button', { name: 'Betreiberschlüssel öffnen' }).click();
        await page.getByRole('dialog').getByRole('textbox').fill(key);
        await page.getByRole('dialog').getByRole('button').last().click();
        await page.getByRole('button', { name: 'Schlüssel entfernen' }).waitFor();
      }
      cut.push(...(await cutIn(visit, tab)));
      if (tab !== 'perps') continue;
      await page.getByRole('button', { name: 'Perp listen' }).click();
      cut.push(...(await cutIn(visit, 'the form of a perp')));
    }
    expect(cut).toEqual([]);
  },
  LONG_MS,
);
