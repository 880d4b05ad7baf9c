import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { quoteMarket } from './market-maker.ts';
import type { WebBrowser } from './web-browser.ts';

export function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: typeof name === 'string' });
}

export function size(page: Page) {
  return page.getByRole('form', { name: 'Order ticket' }).getByRole('textbox', { name: 'Size' });
}

export function position(page: Page) {
  return page.getByRole('row', { name: /BTC-USDC/ });
}

export function exits(page: Page) {
  return button(page, /TP\/SL of BTC/);
}

/** Returns the TP and SL prices in the position's row. */
export async function exitPrices(page: Page): Promise<string> {
  return (await exits(page).innerText()).split('\n').slice(-2).join(' / ');
}

export async function choose(page: Page, kind: string): Promise<void> {
  await page.getByRole('radio', { name: kind, exact: true }).click();
}

export async function close(page: Page, part: string, market = 'BTC-USDC'): Promise<void> {
  await button(page, `Close ${market}`).click();
  await page.getByRole('menuitem', { name: `Close ${part} at market` }).click();
}

/** Opens the terminal for a visitor whose test account can trade. */
export async function trading(browser: WebBrowser, url: string): Promise<Page> {
  const visit = await browser.visit(url);
  await visit.openWithAccount('/trade/BTC-USDC');
  await visit.page.getByText(/^Max \d/).waitFor();
  await button(visit.page, 'Enter a price').waitFor();
  return visit.page;
}

/** Moves the mark through another account, so that the visitor's figures must change. */
export async function marksMove(
  url: string,
  page: Page,
  entry: string,
  held: string,
): Promise<void> {
  const figures = async (): Promise<readonly [mark: string, pnl: string]> => {
    const cells = position(page).getByRole('cell');
    const [prices, results] = [await cells.nth(2).innerText(), await cells.nth(3).innerText()];
    return [prices.split('\n')[1]!, results.split('\n')[0]!];
  };
  const [[before], equity] = [await figures(), await worth(page)];
  const market = 'BTC-USDC';
  const maker = await quoteMarket(url, { market, bids: ['97009'], asks: [], size: '0.001' });
  await expect.poll(async () => (await figures())[0], { timeout: 60_000 }).not.toBe(before);
  // The mark's premium follows the book over several minutes.
  await expect.poll(() => worth(page), { timeout: 60_000 }).not.toBe(equity);
  await expect
    .poll(async () => {
      const [at, made] = await figures();
      const due = (Number(at.replace(',', '')) - Number(entry)) * Number(held);
      return Math.abs(due - Number.parseFloat(made.replace('−', '-'))) < 0.0051;
    })
    .toBe(true);
  await maker.client.exchange.cancelAll({ accountType: 'perp' }, { confirm: 'executed' });
}

async function worth(page: Page): Promise<string> {
  const header = await page.getByRole('banner').innerText();
  return /Equity\s+([\d,.]+)/.exec(header)![1]!;
}
