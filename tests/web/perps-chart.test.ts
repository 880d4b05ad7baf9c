import { createClient, limitOrder } from '@oddlot/sdk';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { quoteMarket } from './support/market-maker.ts';
import { button } from './support/terminal.ts';
import { perpNear } from './support/trading.ts';
import { PHONE } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

const HOUR_MS = 3_600_000;
const LONG_MS = 180_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test("the chart's German controls fit on a desktop, a tablet and a phone", async () => {
  const visit = await browser.visit(venue.url, {
    locale: 'de-DE',
    viewport: { width: 1440, height: 900 },
  });
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await button(page, 'Weitere Intervalle').press('Enter');
  await page.getByRole('menuitemradio', { name: '12h', exact: true }).press('Enter');
  await page.getByRole('radio', { name: '12h', checked: true }).waitFor();
  const bar = page.getByRole('region', { name: 'Preis-Chart' }).locator('> div > div').first();
  const hidden = () => bar.evaluate((it) => it.scrollWidth - it.clientWidth);
  for (const width of [1_680, 1_440, 1_280, 834, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(twoFrames);
    await expect.poll(async () => [width, await hidden()]).toEqual([width, 0]);
  }
  await button(page, 'Indikatoren').click();
  await button(page, 'Volumenprofil').waitFor();
});

test('controls that do not fit a narrow chart are in menus, even in full screen', async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await button(page, 'Interval 1m').click();
  await page.getByRole('menuitemradio', { name: '3m', exact: true }).click();
  await button(page, 'Interval 3m').waitFor();
  await button(page, 'More tools').click();
  await page.getByRole('menuitemcheckbox', { name: 'Oracle' }).click();
  const lines = page.getByRole('list', { name: 'Chart lines' });
  await lines.getByText(/Oracle · [\d,.]+$/).waitFor();
  expect(await faultsFound(page)).toEqual([]);
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  for (const wanted of [true, false]) {
    await button(page, 'More tools').click();
    await page.getByRole('menuitem', { name: 'Full screen' }).click();
    await expect.poll(isFull).toBe(wanted);
  }
});

test('on a phone, labels of orders beyond the edge do not cover the legend', async () => {
  const visit = await browser.visit(venue.url, { viewport: PHONE });
  const { page } = visit;
  const { owner } = await visit.openWithAccount('/trade/BTC-USDC');
  const { asset, price } = await perpNear(owner, 'BTC-USDC');
  const orders = [1.05, 1.1].map((factor) => {
    const far = String(Math.round(Number(price) * factor));
    return limitOrder({ asset, side: 'sell', price: far, size: '0.001' });
  });
  await owner.exchange.order({ orders }, { confirm: 'executed' });
  const labels = page.getByRole('list', { name: 'Chart lines' }).getByRole('slider');
  await expect.poll(() => labels.filter({ hasText: '↑' }).count()).toBe(2);
  const legend = (await page.getByText(/^O [\d,]/).boundingBox())!;
  const tops = async () =>
    Promise.all((await labels.all()).map(async (label) => (await label.boundingBox())!.y));
  await expect
    .poll(async () => Math.min(...(await tops())))
    .toBeGreaterThan(legend.y + legend.height);
});

test('the depth chart shows sizes with the decimals of the market', async () => {
  const market = 'BTC-USDC';
  await quoteMarket(venue.url, { market, bids: ['96000'], asks: ['98000'], size: '0.001' });
  // The texts are drawn on a canvas, so each drawn text is recorded.
  const script = `{
    globalThis.drawn = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      globalThis.drawn.push(text);
      return fillText.call(this, text, ...place);
    };
  }`;
  const visit = await browser.visit(venue.url, { script });
  const { page } = visit;
  await visit.open(`/trade/${market}`);
  await page.getByRole('radio', { name: 'Depth', exact: true }).click();
  const sizes = async (): Promise<readonly string[]> => {
    const drawn = await page.evaluate(() => (globalThis as { drawn?: readonly string[] }).drawn!);
    return drawn.filter((text) => text.endsWith(' BTC'));
  };
  await expect.poll(async () => (await sizes()).length).toBeGreaterThan(3);
  expect((await sizes()).filter((size) => !/^[\d,]+\.\d{5} BTC$/.test(size))).toEqual([]);
});

test('intervals are stored, indicators are drawn in panes, and the chart can be saved as a picture', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByText(/^O [\d,]/).waitFor();
  const asked = (interval: string): boolean =>
    visit.sent.some(({ body }) => body.includes('"candle') && body.includes(`"${interval}"`));
  for (const interval of ['3m', '1w']) {
    await button(page, 'More intervals').press('Enter');
    await page.getByRole('menuitemradio', { name: interval, exact: true }).press('Enter');
    await page.getByRole('radio', { name: interval, checked: true }).waitFor();
    await expect.poll(() => asked(interval)).toBe(true);
  }
  const before = await panes(page);
  await button(page, 'Indicators').click();
  const dialog = page.getByRole('dialog', { name: 'Indicators' });
  const added = dialog.getByRole('list', { name: 'Indicators on the chart' });
  for (const name of ['Simple moving average', 'Simple moving average', 'MACD']) {
    await dialog.getByRole('button', { name, exact: true }).click();
  }
  await dialog.getByRole('textbox', { name: 'Search indicators' }).fill('rsi');
  await dialog.getByRole('button', { name: 'Relative strength index' }).press('Enter');
  // A chart can have several indicators of the same kind, each with its own settings.
  const second = added.getByRole('listitem').nth(1);
  await second.getByRole('textbox', { name: 'Period' }).fill('5');
  await second.getByRole('button', { name: 'Source Close' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'High' }).press('Enter');
  await second.getByRole('button', { name: 'Colour 4' }).press('Enter');
  expect(await faultsFound(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => panes(page)).toBe(before + 2);
  const legend = button(page, 'Change indicators');
  await expect
    .poll(() => legend.innerText())
    .toMatch(/SMA 20\s*SMA 5, high\s*MACD 12, 26, 9\s*RSI 14/);
  await page.reload();
  await page.getByRole('radio', { name: '1w', checked: true }).waitFor();
  await expect.poll(() => panes(page)).toBe(before + 2);
  // Settings belong to a market. Another market starts with a copy of them.
  await legend.press('Enter');
  await dialog.getByRole('button', { name: 'Remove MACD 12, 26, 9' }).press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => panes(page)).toBe(before + 1);
  await visit.open('/trade/ETH-USDC');
  await expect.poll(() => legend.innerText()).toMatch(/SMA 20\s*SMA 5, high\s*RSI 14/);
  await visit.open('/trade/BTC-USDC');

  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Save image').click(),
  ]);
  expect(picture.suggestedFilename()).toBe('BTC-USDC 1w.png');
  const bytes = readFileSync(await picture.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});

test('drawings can be created, moved and removed, and survive a reload and a change of interval', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByText(/^O [\d,]/).waitFor();
  const draw = async (kind: string): Promise<void> => {
    await button(page, 'Draw').press('Enter');
    await page.getByRole('menuitem', { name: kind, exact: true }).press('Enter');
    await button(page, 'Place at mark price').press('Enter');
  };
  const drawings = page.getByRole('list', { name: 'Chart drawings' });
  const level = drawings.getByRole('slider', { name: 'Horizontal line' });
  await draw('Horizontal line');
  await draw('Fib retracement');
  await expect.poll(() => drawings.getByRole('slider').count()).toBe(3);
  const price = async (): Promise<number> => Number(await level.getAttribute('aria-valuenow'));
  const before = await price();
  // The line is moved away from the end of the ratio lines, which start at the same point.
  for (let times = 0; times < 4; times++) await level.press('Shift+ArrowUp');
  await expect.poll(price).toBeGreaterThan(before);
  const [byKey, box] = [await price(), (await level.boundingBox())!];
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 60, { steps: 3 });
  await page.mouse.up();
  await expect.poll(price).toBeLessThan(byKey);
  const dragged = await price();
  await expect.poll(() => inked(page)).toBeGreaterThan(100);
  expect(await faultsFound(page)).toEqual([]);
  await page.reload();
  await expect.poll(price).toBe(dragged);
  await page.getByRole('radio', { name: '5m', exact: true }).click();
  await expect.poll(price).toBe(dragged);
  // The style of the selected drawing can be changed, and every change can be undone. Handles are
  // hidden and cannot be focused until the interval's candles have loaded.
  await level.waitFor();
  await level.focus();
  const style = page.getByRole('group', { name: 'Style of the drawing' });
  await style.getByRole('button', { name: 'Colour 3' }).press('Enter');
  await style.getByRole('button', { name: '1 px' }).press('Enter');
  await style.getByRole('button', { name: 'Solid' }).press('Enter');
  await style.getByRole('button', { name: 'Dashed' }).waitFor();
  expect(await faultsFound(page)).toEqual([]);
  await level.press('Control+z');
  await style.getByRole('button', { name: 'Solid' }).waitFor();
  await style.getByRole('button', { name: '2 px' }).waitFor();
  await level.press('Delete');
  await expect.poll(() => drawings.getByRole('slider').count()).toBe(2);
  await button(page, 'Draw').press('Enter');
  await page.getByRole('menuitem', { name: 'Undo' }).press('Enter');
  await expect.poll(() => drawings.getByRole('slider').count()).toBe(3);
  await level.press('Delete');
  await expect.poll(() => drawings.getByRole('slider').count()).toBe(2);
  // With the pointer, two presses on the chart set the two points.
  await button(page, 'Draw').click();
  await page.getByRole('menuitem', { name: 'Measure' }).click();
  const chart = (await page.getByRole('img', { name: 'Price chart' }).boundingBox())!;
  await page.mouse.click(chart.x + 300, chart.y + 200);
  await page.mouse.click(chart.x + 420, chart.y + 120);
  await expect.poll(() => drawings.getByRole('slider').count()).toBe(4);
  await drawings.getByRole('slider', { name: 'Measure, point 2' }).press('Delete');
  await button(page, 'Draw').press('Enter');
  await page.getByRole('menuitem', { name: 'Remove all drawings' }).press('Enter');
  await expect.poll(() => drawings.count()).toBe(0);
});

test('candles of the mark and the oracle price begin when the venue starts, and the choice is stored per market', async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  const info = createClient({ url: venue.url }).info;
  const chart = page.getByRole('region', { name: 'Price chart' });
  for (const [price, name] of [
    ['oracle', 'Oracle'],
    ['mark', 'Mark'],
  ] as const) {
    await button(page, 'More tools').press('Enter');
    await page.getByRole('menuitemradio', { name: `Candles of the ${price} price` }).press('Enter');
    const req = { coin: '1', interval: '1m', price, startTime: 0 } as const;
    const [first] = await info.candleSnapshot(req);
    expect(first).toMatchObject({ price, v: '0', n: 0 });
    await chart.getByText(new RegExp(`^${name} since `)).waitFor();
    const shown = async (): Promise<boolean> => {
      const last = (await info.candleSnapshot(req)).at(-1);
      const legend = (await chart.getByText(/^O [\d,]/).textContent()) ?? '';
      return legend.replaceAll(',', '').includes(`O ${Number(last?.o).toFixed(1)}`);
    };
    await expect.poll(shown).toBe(true);
  }
  await visit.open('/trade/ETH-USDC');
  await chart.getByText(/^O [\d,]/).waitFor();
  await visit.open('/trade/BTC-USDC');
  await chart.getByText(/^Mark since /).waitFor();
  await button(page, 'More tools').press('Enter');
  await page
    .getByRole('menuitemradio', { name: 'Candles of the mark price', checked: true })
    .waitFor();
});

test('the chart shows volume by price next to the candles, and another market in percent on top of them', async () => {
  // A curve needs at least two prices.
  const market = 'BTC-USDC';
  await quoteMarket(venue.url, { market, bids: ['97010'], asks: [], size: '0.001' });
  await quoteMarket(venue.url, { market, bids: [], asks: ['96990'], size: '0.001' });
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.open('/trade/BTC-USDC');
  await page.getByText(/^O [\d,]/).waitFor();
  await button(page, 'Indicators').press('Enter');
  await button(page, 'Volume profile').press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => inked(page)).toBeGreaterThan(100);
  const asked = (coin: string): boolean =>
    visit.sent.some(({ body }) => body.includes('"candle') && body.includes(`"coin":"${coin}"`));
  await button(page, 'Compare').press('Enter');
  await page.getByRole('menuitemradio', { name: 'ETH-USDC' }).press('Enter');
  await expect.poll(() => asked('2')).toBe(true);
  await button(page, 'Compare').press('Enter');
  await page.getByRole('menuitemradio', { name: 'ETH-USDC', checked: true }).waitFor();
  await page.getByRole('menuitemradio', { name: 'None' }).press('Enter');
});

/** Waits until a change of width has been drawn. */
async function twoFrames(): Promise<void> {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}

/** Returns the number of non-transparent pixels in the layer above the candles. */
async function inked(page: Page): Promise<number> {
  return page
    .locator('section[aria-label="Price chart"] canvas[aria-hidden=true]')
    .last()
    .evaluate((canvas) => {
      const { height, width } = canvas as HTMLCanvasElement;
      if (width === 0 || height === 0) return 0;
      const { data } = (canvas as HTMLCanvasElement)
        .getContext('2d')!
        .getImageData(0, 0, width, height);
      return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    })
    .catch(() => 0);
}

async function panes(page: Page): Promise<number> {
  const chart = page.getByRole('img', { name: 'Price chart' });
  return chart
    .locator('table tr')
    .evaluateAll((rows) => rows.filter((row) => row.querySelectorAll('canvas').length > 2).length);
}

test(
  'past candles are replayed one by one, and the chart returns to the present',
  async () => {
    const venueMinutes = async (): Promise<number> => {
      const { info } = createClient({ url: venue.url });
      const startTime = Date.now() - HOUR_MS;
      return (await info.candleSnapshot({ coin: '1', interval: '1m', startTime })).length;
    };
    const market = 'BTC-USDC';
    // A replay needs two minutes' worth of candles, so if there is only one, the test makes a trade
    // in another minute.
    while ((await venueMinutes()) < 2) {
      await quoteMarket(venue.url, { market, bids: ['97010'], asks: [], size: '0.001' });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open('/trade/BTC-USDC');
    await page.getByText(/^O [\d,]/).waitFor();
    await button(page, 'More tools').press('Enter');
    await page.getByRole('menuitem', { name: 'Replay' }).press('Enter');
    const bar = page.getByRole('group', { name: 'Replay' });
    const position = bar.getByRole('slider', { name: 'Position in the replay' });
    const last = Number(await position.getAttribute('max'));
    await position.press('Home');
    await expect.poll(() => position.inputValue()).toBe('0');
    const first = await page.getByText(/^O [\d,]/).innerText();
    await bar.getByRole('button', { name: 'Next candle' }).press('Enter');
    await expect.poll(() => position.inputValue()).toBe('1');
    expect(await faultsFound(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Previous candle' }).press('Enter');
    await expect.poll(() => page.getByText(/^O [\d,]/).innerText()).toBe(first);
    await bar.getByRole('button', { name: 'Play', exact: true }).press('Enter');
    await expect.poll(() => position.inputValue(), { timeout: 60_000 }).toBe(String(last));
    await bar.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await bar.getByRole('button', { name: 'End replay' }).press('Enter');
    await bar.waitFor({ state: 'detached' });
  },
  LONG_MS,
);
