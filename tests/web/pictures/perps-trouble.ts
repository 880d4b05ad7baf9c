import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';
import { quoteMarket } from '../support/market-maker.ts';
import { listPerp, type OwnPerp } from '../support/own-perp.ts';
import type { Picture } from '../support/picture.ts';

const HOUR_MS = 3_600_000;

/** Lists a market at a price of 100 with a two-sided book, and opens it in the page. */
async function atOwnPerp(page: Page, { url }: Venue): Promise<OwnPerp> {
  const perp = await listPerp(url, { price: '100', tick: '0.01', szDecimals: 3 });
  const market = perp.name;
  const [bids, asks] = [
    ['99.9', '99.8', '99.5'],
    ['100.1', '100.2', '100.5'],
  ];
  await quoteMarket(url, { market, bids, asks, size: '20' });
  await quoteMarket(url, { market, bids: ['100.1'], asks: ['99.9'], size: '1' });
  await page.goto(`${url}/trade/${market}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return perp;
}

async function ticketOf(page: Page): Promise<void> {
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  if (!(await ticket.isVisible())) await page.getByRole('button', { name: 'Buy / long' }).click();
  await ticket.waitFor();
}

async function buy(page: Page, size: string): Promise<void> {
  await ticketOf(page);
  await page.getByRole('radio', { name: 'Market', exact: true }).click();
  await page.getByRole('textbox', { name: 'Size' }).fill(size);
  const shown = Number(size).toLocaleString('en', { maximumFractionDigits: 8 });
  await page.getByRole('button', { name: new RegExp(`^Buy ${shown} `) }).click();
  await page.getByText(`Filled ${shown} at`).first().waitFor();
  if ((page.viewportSize()?.width ?? 0) < 1280) {
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
  }
}

export const pictures: readonly Picture[] = [
  {
    name: 'perps-trouble-halted',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page, venue) => {
      const perp = await atOwnPerp(page, venue);
      await buy(page, '2');
      await perp.change({ haltTrading: true });
      await page.getByText(/^Trading is halted:/).waitFor();
    },
  },
  {
    name: 'perps-trouble-closing',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page, venue) => {
      const perp = await atOwnPerp(page, venue);
      await perp.change({ delisted: true });
      await perp.push('100');
      await page.getByText(/^This market closes at/).waitFor();
    },
  },
  {
    name: 'perps-trouble-liquidated',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page, venue) => {
      const perp = await atOwnPerp(page, venue);
      await buy(page, '60');
      await perp.push('84');
      await page.getByText(/^Liquidated: /).waitFor();
      await page.getByRole('button', { name: 'Why' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'perps-trouble-lost',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page) => {
      await ticketOf(page);
      await page.getByRole('textbox', { name: 'Price' }).fill('90000');
      await page.getByRole('textbox', { name: 'Size' }).fill('0.01');
      await page.getByText(/^Rests in the order book/).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Not connected' }).waitFor();
    },
  },
  {
    name: 'perps-trouble-tiny-price',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page, { url }) => {
      const base = 'VERYLONGMEMECOINNAME';
      const perp = await listPerp(url, { base, price: '0.00012', tick: '0.000001', szDecimals: 0 });
      const [bids, asks] = [
        ['0.000119', '0.000118'],
        ['0.000121', '0.000122'],
      ];
      await quoteMarket(url, { market: perp.name, bids, asks, size: '900000' });
      await page.goto(`${url}/trade/${perp.name}`);
      await buy(page, '1000000');
    },
  },
  {
    name: 'perps-trouble-laptop',
    path: '/trade/BTC-USDC',
    hasAccount: true,
    prepare: async (page) => {
      await page.setViewportSize({ width: 1_280, height: 720 });
      await buy(page, '0.01');
    },
  },
  {
    name: 'perps-trouble-hours',
    path: '/trade/BTC-USDC',
    // A new venue has no completed hours, so these figures are made up.
    prepare: async (page) => {
      const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
      const data = Array.from({ length: 96 }, (_, at) => ({
        coin: 'BTC-USDC',
        fundingRate: (0.0000125 + 0.00004 * Math.sin(at / 7)).toFixed(8),
        premium: '0.0001',
        time: now - (95 - at) * HOUR_MS,
      }));
      await page.route('**/info', (route) =>
        route.request().postData()?.includes('fundingHistory') === true
          ? route.fulfill({ json: { success: true, code: 0, message: '', data } })
          : route.continue(),
      );
      await page.getByRole('radio', { name: 'Funding' }).click();
      await page.getByText('Hour', { exact: true }).waitFor();
    },
  },
];
