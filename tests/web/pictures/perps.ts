import type { Page } from 'playwright-core';
import type { Picture } from '../support/picture.ts';

const PATH = '/trade/BTC-USDC';

/** On a phone, a button opens the ticket. */
async function openTicket(page: Page): Promise<void> {
  await page
    .getByText(/^\d{2,3},\d{3}\.\d$/)
    .first()
    .waitFor();
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  if (!(await ticket.isVisible())) await page.getByRole('button', { name: 'Buy / long' }).click();
  await ticket.waitFor();
}

async function buyNow(page: Page): Promise<void> {
  await openTicket(page);
  await page.getByRole('radio', { name: 'Market' }).click();
  await page.getByRole('textbox', { name: 'Size' }).fill('0.01');
  await page.getByRole('button', { name: 'Buy 0.01 BTC at market' }).click();
  await page
    .getByText(/Filled 0.01 at/)
    .first()
    .waitFor();
}

export const pictures: readonly Picture[] = [
  { name: 'perps-visitor', path: PATH },
  {
    name: 'perps-position',
    path: PATH,
    hasAccount: true,
    prepare: async (page) => {
      await buyNow(page);
      await page.getByRole('radio', { name: 'Limit' }).click();
      await page.getByRole('button', { name: 'Bid', exact: true }).click();
      await page.getByRole('textbox', { name: 'Size' }).fill('0.02');
      await page.getByText(/(?:Rests|Resting) in the order book/).waitFor();
      await page.getByRole('button', { name: /^Buy 0.02 BTC at/ }).click();
      await page
        .getByText(/Resting in the order book$|Filled 0.02/)
        .first()
        .waitFor();
      await page.getByRole('checkbox', { name: 'TP/SL' }).click();
      await page.getByRole('textbox', { name: 'Size' }).fill('0.02');
      if ((page.viewportSize()?.width ?? 0) < 1280) {
        await page.getByRole('button', { name: 'Close', exact: true }).first().click();
      }
    },
  },
  {
    name: 'perps-alerts',
    path: PATH,
    prepare: async (page) => {
      await page.getByText(/^O [\d,]/).waitFor();
      await page.keyboard.press('a');
      await page.getByRole('textbox', { name: 'When the mark price reaches' }).fill('120000');
      await page.keyboard.press('Enter');
      await page.getByText('BTC-USDC rises to 120,000').waitFor();
    },
  },
  {
    name: 'perps-share',
    path: PATH,
    hasAccount: true,
    prepare: async (page) => {
      await buyNow(page);
      const sheet = page.getByRole('button', { name: 'Close', exact: true });
      if ((page.viewportSize()?.width ?? 0) < 1280) await sheet.first().click();
      await page.getByTitle('Share result').first().click();
      await page.getByRole('dialog', { name: 'Share result' }).waitFor();
    },
  },
  {
    name: 'perps-drawings',
    path: PATH,
    prepare: async (page) => {
      await page.getByText(/^O [\d,]/).waitFor();
      for (const kind of ['Trend line', 'Fib retracement']) {
        await page.getByRole('button', { name: 'Draw' }).click();
        await page.getByRole('menuitem', { name: kind, exact: true }).click();
      }
      await page
        .getByRole('slider', { name: 'Fib retracement, point 2' })
        .waitFor({ state: 'attached' });
    },
  },
  {
    name: 'perps-refused',
    path: PATH,
    hasAccount: true,
    prepare: async (page) => {
      await openTicket(page);
      await page.getByRole('textbox', { name: 'Price' }).fill('50000.123');
      await page.getByRole('textbox', { name: 'Size' }).fill('0.02');
      await page.getByRole('button', { name: /^Use / }).first().waitFor();
    },
  },
  {
    name: 'perps-leverage',
    path: PATH,
    hasAccount: true,
    prepare: async (page) => {
      await openTicket(page);
      await page.getByRole('button', { name: /^Leverage/ }).click();
      await page.getByText('Maintenance margin').waitFor();
    },
  },
  {
    name: 'perps-select',
    path: PATH,
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /BTC-USDC/ })
        .first()
        .click();
      await page.getByRole('row', { name: /ETH-USDC/ }).waitFor();
    },
  },
  {
    name: 'perps-depth',
    path: PATH,
    prepare: async (page) => {
      await page.getByRole('radio', { name: 'Depth' }).click();
      await page.getByRole('img', { name: 'Market depth' }).hover({ position: { x: 150, y: 100 } });
    },
  },
  {
    name: 'perps-funding',
    path: PATH,
    prepare: async (page) => {
      await page.getByRole('radio', { name: 'Funding' }).click();
      await page.getByText('Annualised rate').waitFor();
    },
  },
  {
    name: 'perps-wide',
    path: PATH,
    prepare: async (page) => {
      await page.setViewportSize({ width: 1_800, height: 1_000 });
      await page.getByRole('slider', { name: 'Bids' }).hover({ position: { x: 60, y: 60 } });
    },
  },
  {
    name: 'perps-tablet',
    path: PATH,
    prepare: async (page) => {
      await page.setViewportSize({ width: 1_000, height: 800 });
      await page.getByRole('button', { name: 'Buy / long' }).waitFor();
    },
  },
  { name: 'perps-unknown', path: '/trade/NOPE-USDC' },
];
