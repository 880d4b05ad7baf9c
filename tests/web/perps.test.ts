import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { quoteMarket } from './support/market-maker.ts';
import {
  button,
  choose,
  close,
  exitPrices,
  marksMove,
  position,
  size,
  trading,
} from './support/terminal.ts';
import { PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

/** A complete trade takes many steps on a shared machine. */
const LONG_MS = 120_000;
const LONG_WAIT = { timeout: 60_000 };

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([startWebVenue(), workerBrowser()]);
  // The oracle price of BTC is 97,000.
  const market = 'BTC-USDC';
  const [bids, asks] = [
    ['96990', '96980'],
    ['97010', '97020'],
  ];
  await quoteMarket(venue.url, { market, bids, asks, size: '0.04' });
  // An earlier trade provides a candle over which lines can be drawn.
  await quoteMarket(venue.url, { market, bids: ['97010'], asks: ['96990'], size: '0.001' });
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

test(
  'a position can be opened with TP/SL, half closed, reversed and closed',
  async () => {
    const page = await trading(browser, venue.url);
    await choose(page, 'Market');
    await size(page).fill('0.01');
    await page.getByText(/Fills 0.01 at avg. 97,010.0/).waitFor();
    await button(page, 'Buy 0.01 BTC at market').click();
    await page.getByText('Filled 0.01 at 97,010.0').first().waitFor();
    const row = position(page);
    await row.getByText('0.01000', { exact: true }).waitFor();

    await button(page, /TP\/SL of BTC/).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'TP' }).fill('97500');
    await dialog.getByText('PnL at 97,500.0: +4.90 USDC (+0.51%)').waitFor();
    // A loss of 5.1 USDC corresponds to a price 510 below the entry.
    await dialog.getByRole('textbox', { name: 'SL' }).fill('96500');
    await dialog.getByText('PnL at 96,500.0: −5.10 USDC').waitFor();
    await dialog.getByRole('button', { name: 'Set TP/SL' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => exitPrices(page), LONG_WAIT).toBe('97,500.0 / 96,500.0');
    // The keyboard moves the line up by one tick. The moved order is replaced, and the other order
    // of the pair stays.
    await page.getByRole('slider', { name: 'Take profit' }).press('ArrowUp');
    await page.getByRole('slider', { name: 'Take profit' }).press('Enter');
    await expect.poll(() => exitPrices(page), LONG_WAIT).toBe('97,500.1 / 96,500.0');

    await close(page, '50%');
    await row.getByText('0.00500', { exact: true }).waitFor();
    await button(page, 'Reverse BTC-USDC').click();
    await dialog.getByText('Sells 0.01000 BTC at market: 0.00500 to close the long').waitFor();
    await dialog.getByText(/TP\/SL at 97,500.1, 96,500.0 is cancelled/).waitFor();
    await dialog.getByRole('button', { name: 'Sell 0.01000 BTC at market' }).click();
    await row.getByText('−0.00500', { exact: true }).waitFor();
    await close(page, '100%');
    await page.getByText('No open positions').waitFor();

    await page.getByRole('tab', { name: 'Trade history' }).click();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('fills');
    await expect.poll(() => page.getByRole('row', { name: /BTC-USDC/ }).count()).toBeGreaterThan(4);
  },
  LONG_MS,
);

test(
  'a limit order rests, is dragged on the chart, amended in the table and cancelled',
  async () => {
    const page = await trading(browser, venue.url);
    await page.getByRole('textbox', { name: 'Price' }).fill('96900');
    await size(page).fill('0.002');
    await page.getByText('Rests in the order book. No immediate fill.').waitFor();
    await button(page, 'Buy 0.002 BTC at 96,900').click();
    await page.getByText('Resting in the order book', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Open orders' }).click();
    const row = page.getByRole('row', { name: /BTC-USDC/ });
    await row.getByText('96,900.0').waitFor();

    const line = page.getByRole('slider', { name: 'Buy 0.002' });
    const box = (await line.boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + box.height / 2 - 20, { steps: 4 });
    await page.mouse.up();
    await row.getByText('96,900.0').waitFor({ state: 'detached' });
    const dragged = await row.getByRole('cell').nth(2).innerText();
    expect(Number(dragged.replace(',', ''))).toBeGreaterThan(96_900);

    await button(page, `Edit order at ${dragged}`).click();
    expect(await button(page, 'Save').isDisabled()).toBe(true);
    await row.getByRole('textbox', { name: 'Price' }).fill('96850.5');
    await row.getByRole('textbox', { name: 'Price' }).press('Escape');
    await button(page, `Edit order at ${dragged}`).click();
    await row.getByRole('textbox', { name: 'Price' }).fill('96850.5');
    await row.getByRole('textbox', { name: 'Size' }).fill('0.003');
    await row.getByRole('textbox', { name: 'Size' }).press('Enter');
    await row.getByText('96,850.5').waitFor();

    // On the keyboard, one step up followed by Enter has the same effect.
    await page.getByRole('slider', { name: 'Buy 0.003' }).press('ArrowUp');
    await page.getByRole('slider', { name: 'Buy 0.003' }).press('Enter');
    await row.getByText('96,850.6').waitFor();

    await button(page, 'Cancel order at 96,850.6').click();
    await page.getByText('No open orders').waitFor();
    await page.getByRole('tab', { name: 'Order history' }).click();
    await page.getByRole('row', { name: /Cancelled/ }).waitFor();
  },
  LONG_MS,
);

test(
  'an order can rest until a given date, and the page shows depth, funding and the colours of both sides',
  async () => {
    const page = await trading(browser, venue.url);
    await page.getByRole('textbox', { name: 'Price' }).fill('96500');
    await size(page).fill('0.001');
    await button(page, /Time in force/).click();
    await page.getByRole('menuitemradio', { name: 'Good till date' }).click();
    await button(page, 'Select a date').waitFor();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel('Until', { exact: true }).fill(tomorrow);
    await button(page, 'Buy 0.001 BTC at 96,500').click();
    await page.getByRole('tab', { name: 'Open orders 1' }).click();
    await page
      .getByRole('row', { name: /BTC-USDC/ })
      .getByText(/GTD/)
      .waitFor();
    await button(page, 'Cancel order at 96,500.0').click();
    await page.getByText('No open orders').waitFor();

    await page.getByRole('radio', { name: 'Depth' }).click();
    await page.getByRole('img', { name: 'Market depth' }).waitFor();
    await page.getByRole('radio', { name: 'Funding' }).click();
    await page.getByText('Annualised rate').waitFor();
    await page.getByText(/No funding yet|^Hour$/).waitFor();

    const buying = (): Promise<string> =>
      page
        .getByRole('radio', { name: 'Buy / long' })
        .evaluate((element) => getComputedStyle(element).color);
    const green = await buying();
    await page.evaluate(() => {
      localStorage.setItem('oddlot.preferences', '{"theme":"dark","sides":"blue-orange"}');
    });
    await page.reload();
    await page.getByRole('radio', { name: 'Buy / long' }).waitFor();
    expect(await buying()).not.toBe(green);
  },
  LONG_MS,
);

test("the ticket's order is simulated, and screen readers announce the result once", async () => {
  const page = await trading(browser, venue.url);
  await choose(page, 'Market');
  await size(page).fill('0.002');
  await page
    .getByText(/Fills 0.002 at/)
    .first()
    .waitFor();
  const preview = page.locator('p[aria-live]', { hasText: /^(Fills|Simulating)/ });
  await expect.poll(() => preview.getAttribute('aria-live'), LONG_WAIT).toBe('off');
  await preview.evaluate((element) => {
    const announcements: string[] = [];
    Object.assign(globalThis, { announcements });
    new MutationObserver(() => {
      if (element.getAttribute('aria-live') === 'polite') announcements.push(element.textContent!);
    }).observe(element, { subtree: true, childList: true, characterData: true });
  });
  // The page shows no result for a different size until the venue has responded.
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/info', async (route) => {
    if (route.request().postData()!.includes('"simulate"')) await asked;
    await route.continue();
  });
  await size(page).fill('0.003');
  await page.getByText('Simulating the order').waitFor();
  expect(await page.getByText(/Fills 0.002 at/).count()).toBe(0);
  answer();
  await page.getByText(/Fills 0.003 at/).waitFor();
  // The page queries the venue every three seconds, but screen readers announce the result only
  // once.
  await page.waitForRequest((request) => (request.postData() ?? '').includes('"simulate"'));
  await page.waitForRequest((request) => (request.postData() ?? '').includes('"simulate"'));
  const announcements = await page.evaluate(
    () => (globalThis as { announcements?: string[] }).announcements!,
  );
  expect(announcements).toHaveLength(1);
  expect(announcements[0]).toMatch(/^Fills 0.003 at/);
});

test('errors in the price or the margin are explained before sending', async () => {
  const page = await trading(browser, venue.url);
  await page.getByRole('textbox', { name: 'Price' }).fill('96900.07');
  await size(page).fill('0.002');
  await button(page, 'Use 96,900.1').click();
  expect(await page.getByRole('textbox', { name: 'Price' }).inputValue()).toBe('96900.1');
  await page.getByText('Rests in the order book. No immediate fill.').waitFor();
  const alert = page.getByRole('alert');
  await alert.waitFor({ state: 'detached' });

  await page.getByRole('textbox', { name: 'Price' }).fill('96900');
  await size(page).fill('5');
  await alert.getByText(/margin/i).waitFor();
  await alert.getByRole('button').first().waitFor();
});

test(
  'in hedge mode, a long and a short are held together, and each is closed separately',
  async () => {
    const page = await trading(browser, venue.url);
    await page.getByRole('textbox', { name: 'Price' }).fill('96000');
    await size(page).fill('0.001');
    await button(page, 'Buy 0.001 BTC at 96,000').click();
    await page.getByRole('tab', { name: 'Open orders 1' }).waitFor();
    await button(page, 'One-way').click();
    // The page names what prevents a change of mode. A button removes these obstacles.
    await page.getByText('Positions: 0, open orders: 1, conditional orders: 0.').waitFor();
    await button(page, 'Cancel all orders').click();
    await page.getByRole('radio', { name: /^Hedge/ }).click();
    await button(page, 'Save').click();
    await page.getByRole('radio', { name: 'Open long' }).waitFor();
    await choose(page, 'Market');
    await size(page).fill('0.004');
    await button(page, 'Open long 0.004 BTC at market').click();
    await page.getByRole('row', { name: /BTC-USDC.*0\.004/ }).waitFor();
    await page.getByRole('radio', { name: 'Open short' }).click();
    await size(page).fill('0.003');
    await button(page, 'Open short 0.003 BTC at market').click();
    await page.getByRole('row', { name: /BTC-USDC.*−0\.003/ }).waitFor();
    expect(await position(page).count()).toBe(2);
    // The buttons in the rows have distinct names.
    await button(page, 'Reverse BTC-USDC long').waitFor();
    await button(page, 'Reverse BTC-USDC short').waitFor();

    await page.getByRole('radio', { name: 'Close', exact: true }).click();
    await page.getByRole('radio', { name: 'Close long' }).click();
    await size(page).fill('0.004');
    await button(page, 'Close long 0.004 BTC at market').click();
    await expect.poll(() => position(page).count()).toBe(1);
    await page.getByRole('row', { name: /BTC-USDC.*−0\.003/ }).waitFor();
    await close(page, '100%', 'BTC-USDC short');
    await page.getByText('No open positions').waitFor();
  },
  LONG_MS,
);

test(
  'with isolated margin, leverage can be set, a position opened and margin added',
  async () => {
    const page = await trading(browser, venue.url);
    await button(page, /^Leverage/).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Leverage' }).fill('10');
    await button(page, 'Set 10×').click();
    await button(page, 'Leverage 10×').waitFor();
    await button(page, 'Cross').click();
    await page.getByRole('radio', { name: /^Isolated/ }).click();
    await page.getByText('Your leverage stays at 10×.').waitFor();
    await button(page, 'Save').click();
    await button(page, 'Isolated').waitFor();
    await button(page, 'Leverage 10×').waitFor();

    await choose(page, 'Market');
    // The position is large enough that a small move in the mark changes its value by a cent.
    const quotes = { market: 'BTC-USDC', bids: ['96990'], asks: ['97010'] };
    await quoteMarket(venue.url, { ...quotes, size: '0.02' });
    await size(page).fill('0.02');
    // A tenth of 0.02 at 97,000 is transferred to the position, together with the open loss to the
    // mark.
    await page.getByText(/^0\.00 → 19[34]\.\d\d$/).waitFor();
    await button(page, 'Buy 0.02 BTC at market').click();
    await page.getByText('10× Isolated').waitFor();
    await marksMove(venue.url, page, '97010', '0.02');
    const margin = position(page).getByRole('cell').nth(5);
    const before = Number.parseFloat(await margin.innerText());
    await button(page, 'Add margin to BTC-USDC').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Amount' }).fill('5');
    // Added margin moves the liquidation price further away from the mark.
    await page
      .getByRole('dialog')
      .getByText(/^8\d,\d{3}\.\d → 8\d,\d{3}\.\d$/)
      .waitFor();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Amount' }).fill('50');
    await button(page, 'Add 50.00 USDC').click();
    await expect
      .poll(async () => Number.parseFloat(await margin.innerText()))
      .toBeGreaterThan(before + 49);
    await close(page, '100%');
    await page.getByText('No open positions').waitFor();
  },
  LONG_MS,
);

test("the spread is shown as a price and a fraction, and the book's grouping and unit are stored", async () => {
  const page = await trading(browser, venue.url);
  const book = page.getByRole('region', { name: 'Order book', exact: true });
  await book.getByText('Spread 20.0 · 0.0206%').waitFor();
  await book.getByText(/^Mark 97,000\.0$/).waitFor();
  const bids = book.getByRole('slider', { name: 'Bids' });
  const first = async (): Promise<string | null> => {
    await bids.press('ArrowDown');
    const text = await bids.getAttribute('aria-valuetext');
    await bids.blur();
    return text;
  };
  await expect.poll(first).toMatch(/^96,990\.0/);
  await book.getByRole('button', { name: /^Grouping/ }).press('Enter');
  await page.getByRole('menuitemradio', { name: '100', exact: true }).press('Enter');
  await expect.poll(first).toMatch(/^96,900\.0/);
  await book.getByRole('button', { name: 'Size · total (BTC)' }).press('Enter');
  await book.getByRole('button', { name: 'Size · total (USDC)' }).waitFor();
  await page.reload();
  await book.getByRole('button', { name: 'Size · total (USDC)' }).waitFor();
  await book.getByRole('button', { name: 'Grouping 100' }).waitFor();
  await expect.poll(first).toMatch(/^96,900\.0/);
});

test('the keyboard alone selects a book level and another market, whose ticket starts without that price', async () => {
  const page = await trading(browser, venue.url);
  // Automated checks find no violations on the screen.
  expect(await faultsFound(page)).toEqual([]);
  const bids = page.getByRole('slider', { name: 'Bids' });
  await bids.press('ArrowDown');
  await expect.poll(() => bids.getAttribute('aria-valuetext')).toMatch(/^96,990/);
  await bids.press('Enter');
  expect(await page.getByRole('textbox', { name: 'Price' }).inputValue()).toBe('96990');

  await page.getByRole('textbox', { name: 'Price' }).fill('96900');
  await page.getByRole('heading', { level: 1 }).click();
  await page.getByRole('dialog').getByRole('searchbox').press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('eth');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('heading', { name: /ETH-USDC/, level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/trade/ETH-USDC');
  expect(await page.getByRole('textbox', { name: 'Price' }).inputValue()).toBe('');

  // The page reports that the market is unknown.
  await page.goto(`${venue.url}/trade/NOPE-USDC`);
  await page.getByText('Market NOPE-USDC not found').waitFor();
});

test(
  'on a phone the ticket is a sheet, and one thumb is enough to trade',
  async () => {
    const visit = await browser.visit(venue.url, { viewport: PHONE });
    const { page } = visit;
    await visit.open('/trade/BTC-USDC');
    await button(page, 'Buy / long').click();
    await button(page, 'Trade with a test account').click();
    await page.getByText(/^Max \d/).waitFor();
    await choose(page, 'Market');
    await size(page).fill('0.002');
    await button(page, 'Buy 0.002 BTC at market').click();
    await page.getByText('Filled 0.002 at 97,010.0').first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('row', { name: /BTC-USDC/ }).waitFor();
    await button(page, 'More actions for BTC-USDC').click();
    await page.getByRole('menuitem', { name: 'Details of BTC-USDC' }).click();
    const all = page.getByRole('dialog', { name: 'BTC-USDC' });
    await all.getByText('97,010.0', { exact: true }).waitFor();
    await all.getByText('Liq. price', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await all.waitFor({ state: 'detached' });
    // Nor does a width of 320 px, which corresponds to a small window at 200%, require horizontal
    // scrolling.
    for (const width of [PHONE.width, 320]) {
      await page.setViewportSize({ width, height: PHONE.height });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([width, wide > 0]).toEqual([width, false]);
    }
    await page.setViewportSize({ ...PHONE });
    await close(page, '100%');
    await page.getByText('No open positions').waitFor();
  },
  LONG_MS,
);
